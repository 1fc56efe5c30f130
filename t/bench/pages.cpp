// SPDX-License-Identifier: MIT
// Measures pages of lists of every kind in a repository of t/bench/generate, read by the server's
// own Store with its statements, settings and pipeline.
//   pages lists CONNINFO              prints the pages to read, one per line, for the other modes
//   pages warm CONNINFO LISTS         name, value and unit of times, buffers and removed rows
//   pages cold CONNINFO LISTS ROUND   each page once, with nothing in the system's cache, in
//                                     another order each round
//   pages plans CONNINFO LISTS        the plans of all statements, including those inside
//                                     functions; CONNINFO of a superuser
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pg/binary.h"
#include "store/browse_queries.h"
#include "store/queries.h"
#include "store/store.h"

using namespace oai;

namespace {

// ---- The pages to measure: first, middle and last page of lists of every kind, as the server's
// own Store pages through them. They are kept in a text file, one per line.

constexpr int kRecords = 100;

struct Page {
    std::string list, place;  // "tld", "first"
    ListQuery query;
    std::string name() const { return list + "." + place; }
};

StoreOptions options(const std::string& conninfo) {
    StoreOptions o;
    o.pool.conninfo = conninfo;
    o.pool.application_name = "bench-pages";
    o.pool.connections = 1;
    return o;
}

// Queries of the benchmark, which the server does not use.
constexpr pg::Statement kNearest{"nearest", R"(
    select spec, item_count from oai.set
    where spec like $1::text || ':%' and cardinality(path) = $2::int
    order by abs(item_count - $3::bigint), id limit 1)"};
constexpr pg::Statement kChunkFrom{"chunk_from", R"(
    select k.seqs from oai.set_chunk k join oai.set s on s.id = k.set_id
    where s.spec = $1::text and k.first_seq >= $2::bigint order by k.first_seq limit 1)"};
constexpr pg::Statement kLastChunks{"last_chunks", R"(
    select k.seqs from oai.set_chunk k join oai.set s on s.id = k.set_id
    where s.spec = $1::text and k.first_seq <= $2::bigint order by k.first_seq desc limit 3)"};
constexpr pg::Statement kDayOf{"day_of", R"(
    select extract(epoch from date_trunc('day', datestamp))::bigint from oai.item
    where seq > $1::bigint order by seq limit 1)"};
class Lists {
  public:
    explicit Lists(const std::string& conninfo) : store_(options(conninfo)) {}

    std::vector<Page> pages() {
        const std::int64_t last = store_.horizon().last_seq;
        // In t/bench/generate a cycle is a million documents, or a tenth of a small archive; the
        // one in the middle begins with a batch without the dominant TLD.
        const std::int64_t cycle =
            std::min<std::int64_t>(1'000'000, std::max<std::int64_t>(10, last / 10));
        const Seconds hole = day_of(last / cycle / 2 * cycle), day = day_of(last * 2 / 5);
        const auto end_of = [](Seconds begin) { return begin + std::chrono::seconds{86'399}; };
        const std::string rare = nearest("dom:cz", 4, 50);
        add("whole", {});
        add("day", {.from = day, .until = end_of(day)});
        add("host_50", {.set = rare});
        add("host_100k", {.set = nearest("dom", 4, 100'000)});
        add("second_level", {.set = nearest("dom", 3, 1'000'000'000)});
        add("tld", {.set = nearest("dom", 2, 1'000'000'000)});
        add("text_html", {.set = "mim:text:html"});
        add("image", {.set = "mim:image"});
        add("collection_1m", {.set = nearest("col", 3, 1'000'000)});
        add("tld_from_hole", {.from = hole, .set = "dom:cz"});
        add("rare_in_hole", {.from = hole, .until = end_of(hole), .set = rare});
        return std::move(pages_);
    }

  private:
    Seconds day_of(std::int64_t seq) {
        return Seconds(std::chrono::seconds{
            pg::read_integer(ask(kDayOf, pg::Parameters().add(seq)).bytes(0, 0))});
    }
    std::string nearest(const std::string& above, std::int64_t depth, std::int64_t items) {
        return std::string(
            ask(kNearest, pg::Parameters().add(std::string_view(above)).add(depth).add(items))
                .bytes(0, 0));
    }
    pg::Result ask(const pg::Statement& statement, const pg::Parameters& p) {
        const auto lease = store_.pool().acquire();
        return lease->query(statement, p);
    }

    void add(const std::string& list, ListQuery query) {
        query.records = kRecords;
        query.want_size = true;
        pages_.push_back({list, "first", query});
        const Position p = store_.list(query).position();
        if (p.after >= p.upto) return;  // the list has only one page
        query.want_size = false;
        if (p.upto_fixed) query.upto = p.upto;
        query.after = query.set ? middle_of(*query.set, p) : (p.after + p.upto) / 2;
        pages_.push_back({list, "middle", query});
        query.after = query.set ? before_last(*query.set, p) : std::max(p.after, p.upto - kRecords);
        pages_.push_back({list, "last", query});
    }
    std::int64_t middle_of(const std::string& set, const Position& p) {
        const pg::Result row = ask(
            kChunkFrom, pg::Parameters().add(std::string_view(set)).add((p.after + p.upto) / 2));
        if (row.rows() == 0) return p.after;
        std::vector<int> seqs;
        pg::read_int4_array(row.bytes(0, 0), seqs);
        return std::min<std::int64_t>(seqs.front(), p.upto);
    }
    std::int64_t before_last(const std::string& set, const Position& p) {
        const pg::Result rows =
            ask(kLastChunks, pg::Parameters().add(std::string_view(set)).add(p.upto));
        std::vector<int> seqs;
        for (int i = 0; i < rows.rows(); ++i) pg::read_int4_array(rows.bytes(i, 0), seqs);
        std::erase_if(seqs, [&](int seq) { return seq <= p.after || seq > p.upto; });
        std::sort(seqs.rbegin(), seqs.rend());
        return seqs.size() > kRecords ? seqs[kRecords] : p.after;
    }

    Store store_;
    std::vector<Page> pages_;
};

std::string print(const std::optional<Seconds>& t) {
    return t ? std::to_string(t->time_since_epoch().count()) : "-";
}

void write_lists(const std::string& conninfo) {
    for (const Page& p : Lists(conninfo).pages())
        fmt::print("{} {} {} {} {} {} {} {}\n", p.list, p.place, print(p.query.from),
                   print(p.query.until), p.query.set.value_or("-"),
                   p.query.after ? std::to_string(*p.query.after) : "-", p.query.upto,
                   p.query.want_size ? 1 : 0);
}

std::vector<Page> read_lists(const std::string& file) {
    std::ifstream in(file);
    std::vector<Page> pages;
    Page p;
    std::string from, until, set, after;
    const auto time = [](const std::string& s) {
        return s == "-" ? std::optional<Seconds>() : Seconds(std::chrono::seconds{std::stoll(s)});
    };
    while (in >> p.list >> p.place >> from >> until >> set >> after >> p.query.upto >>
           p.query.want_size) {
        p.query.from = time(from);
        p.query.until = time(until);
        p.query.set = set == "-" ? std::optional<std::string>() : set;
        p.query.after = after == "-" ? std::optional<std::int64_t>() : std::stoll(after);
        p.query.records = kRecords;
        pages.push_back(p);
    }
    if (pages.empty()) throw std::runtime_error("no pages in " + file);
    return pages;
}

// ---- The buffers that PostgreSQL reads for a page, by EXPLAIN (ANALYZE, BUFFERS) of the server's
// own statements.

constexpr const char* kDeclare = "declare page no scroll cursor for";

struct Cost {
    std::int64_t buffers = 0, rows = 0, removed = 0;
};

void add_removed(const nlohmann::json& node, Cost& cost) {
    for (const auto& [key, value] : node.items())
        if (key.starts_with("Rows Removed")) cost.removed += value.get<std::int64_t>();
    if (node.contains("Plans"))
        for (const auto& child : node["Plans"]) add_removed(child, cost);
}

// Replaces DECLARE CURSOR by EXPLAIN and leaves the server's statement as it is otherwise.
Cost explain(pg::Connection& connection, const pg::Statement& statement,
             const pg::Parameters& parameters) {
    std::string text = statement.text;
    if (const auto at = text.find(kDeclare); at != std::string::npos)
        text.erase(at, std::string(kDeclare).size());
    text = "explain (analyze, buffers, format json) " + text;
    const pg::Result result = connection.query({statement.name, text.c_str()}, parameters);
    const auto plan = nlohmann::json::parse(result.bytes(0, 0))[0]["Plan"];
    Cost cost{.buffers = plan["Shared Hit Blocks"].get<std::int64_t>() +
                         plan["Shared Read Blocks"].get<std::int64_t>(),
              .rows = plan["Actual Rows"].get<std::int64_t>()};
    add_removed(plan, cost);
    return cost;
}

struct Costs {
    Cost position, seek, page;  // seek: position without counting for completeListSize
};

Costs explain_page(Store& store, const Page& page, bool records) {
    const ListQuery& q = page.query;
    const auto lease = store.pool().acquire();
    const pg::Parameters p = position_parameters(q);
    ListQuery without_size = q;
    without_size.want_size = false;
    const pg::Parameters uncounted = position_parameters(without_size);
    const pg::Result at = lease->query(queries::kPosition, p);
    Costs costs{.position = explain(*lease, queries::kPosition, p),
                .seek = explain(*lease, queries::kPosition, uncounted),
                .page = {}};
    pg::Parameters bounds;
    if (q.set) bounds.add(pg::read_integer(at.bytes(0, 3)));
    bounds.add(pg::read_integer(at.bytes(0, 5)))
        .add(pg::read_integer(at.bytes(0, 6)))
        .add(std::int64_t{kRecords + 1});
    if (q.set) bounds.add_null();
    costs.page = explain(
        *lease,
        store.record_statements().of(q.set ? RecordRows::of_set : RecordRows::of_list, records, {}),
        bounds);
    return costs;
}

constexpr int kWarmRuns = 300;
double milliseconds_of(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
}

int read_page(Store& store, const ListQuery& query) {
    RecordCursor cursor = store.list(query);
    int records = 0;
    for (RecordBatch batch = cursor.next(); batch.size() > 0; batch = cursor.next())
        records += batch.size();
    return records;
}

void row(const std::string& name, double value, const char* unit) {
    fmt::print("{}\t{:.4g}\t{}\n", name, value, unit);
}
void count(const std::string& name, std::int64_t value, const char* unit) {
    fmt::print("{}\t{}\t{}\n", name, value, unit);
}

struct Summary {
    double last_over_first = 0, warm_p99_ms = 0, size_ms = 0;
    std::int64_t page = 0, over_bar = -1'000'000, removed = 0, position = 0;
};

// Measures the pages of one list in turn, so that other load on the machine affects all of them
// equally.
std::vector<std::vector<double>> time_pages(Store& store, const std::vector<Page>& pages,
                                            bool records) {
    std::vector<std::vector<double>> times(pages.size());
    for (int i = -1; i < kWarmRuns; ++i)  // the first run fills the caches
        for (std::size_t k = 0; k < pages.size(); ++k) {
            ListQuery query = pages[k].query;
            query.with_records = records;
            const double t = milliseconds_of([&] { read_page(store, query); });
            if (i >= 0) times[k].push_back(t);
        }
    for (auto& t : times) std::sort(t.begin(), t.end());
    return times;
}

void measure_cost(Store& store, const Page& page, bool records, Summary& summary) {
    const std::string name = page.name() + (records ? ".records" : ".headers");
    ListQuery query = page.query;
    query.with_records = records;
    const int given = read_page(store, query);
    const Costs costs = explain_page(store, page, records);
    count(name + ".records", given, "records");
    const std::int64_t buffers =
        costs.seek.buffers + costs.page.buffers;  // counting has its own limit
    count(name + ".buffers", buffers, "buffers");
    count(name + ".position_buffers", costs.position.buffers, "buffers");
    count(name + ".rows_removed_by_filter", costs.page.removed + costs.position.removed, "rows");
    summary.page = std::max(summary.page, buffers);
    if (given > 0) summary.over_bar = std::max(summary.over_bar, buffers - (5 * given + 30));
    summary.removed = std::max(summary.removed, costs.page.removed + costs.position.removed);
    summary.position = std::max(summary.position, costs.position.buffers);
}

void measure(Store& store, const std::vector<Page>& pages, bool records, Summary& summary) {
    const auto times = time_pages(store, pages, records);
    for (std::size_t k = 0; k < pages.size(); ++k) {
        const std::string name = pages[k].name() + (records ? ".records" : ".headers");
        const double p99 = times[k][kWarmRuns * 99 / 100];
        row(name + ".warm_p50", times[k][kWarmRuns / 2], "ms");
        row(name + ".warm_p99", p99, "ms");
        row(name + ".warm_max", times[k].back(), "ms");
        summary.warm_p99_ms = std::max(summary.warm_p99_ms, p99);
        measure_cost(store, pages[k], records, summary);
    }
    if (pages.back().place == "last")
        summary.last_over_first = std::max(
            summary.last_over_first, times.back()[kWarmRuns / 2] / times.front()[kWarmRuns / 2]);
}

void measure_size(Store& store, const Page& page, Summary& summary) {
    ListQuery query = page.query;
    query.records = 1;
    std::vector<double> times;
    for (int i = 0; i < 50; ++i) {
        query.want_size = true;
        const double with = milliseconds_of([&] { store.list(query); });
        query.want_size = false;
        times.push_back(with - milliseconds_of([&] { store.list(query); }));
    }
    std::sort(times.begin(), times.end());
    row(page.list + ".complete_list_size_p50", times[25], "ms");
    summary.size_ms = std::max(summary.size_ms, times[25]);
}

void measure_warm(const std::string& conninfo, const std::vector<Page>& pages) {
    Store store(options(conninfo));
    Summary summary;
    for (auto begin = pages.begin(); begin != pages.end();) {
        const auto end =
            std::find_if(begin, pages.end(), [&](const Page& p) { return p.list != begin->list; });
        const std::vector<Page> list(begin, end);
        for (const bool records : {false, true}) measure(store, list, records, summary);
        measure_size(store, list.front(), summary);
        begin = end;
    }
    row("last_over_first_max", summary.last_over_first, "ratio");
    count("buffers_per_page_max", summary.page, "buffers");
    count("buffers_over_bar_max", summary.over_bar,
          "buffers");  // over 5 per record + 30; below 0 is good
    count("position_buffers_max", summary.position, "buffers");
    count("rows_removed_by_filter_max", summary.removed, "rows");
    row("warm_p99_ms_max", summary.warm_p99_ms, "ms");
    row("complete_list_size_ms_max", summary.size_ms, "ms");
}

void drop_system_cache() {
    std::ofstream out("/proc/sys/vm/drop_caches");
    if (!(out << "3\n") || !out.flush())
        throw std::runtime_error("cannot drop the system's cache: not root?");
}

void measure_cold(const std::string& conninfo, std::vector<Page> pages, unsigned round) {
    std::shuffle(pages.begin(), pages.end(), std::mt19937(round));
    Store store(options(conninfo));
    store.horizon();
    for (Page& page : pages) {
        page.query.with_records = true;
        drop_system_cache();
        row(page.name() + ".records.cold", milliseconds_of([&] { read_page(store, page.query); }),
            "ms");
    }
}

void print_plan(void*, const char* message) { std::fputs(message, stdout); }

// Shows the plans of the queries of the HTML pages.
void show_browsing(Store& store) {
    fmt::print("== browse\n");
    std::fflush(stdout);
    BrowseQueries queries(store);
    queries.total();
    const auto roots = queries.children(std::nullopt, "", 10);
    const auto below = queries.children(roots.front().id, "", 10);
    queries.with_prefix("dom:", "dom:b", 10);
    queries.path(below.front().spec);
    queries.paths(std::vector{roots.front().id, below.front().id});
    const Horizon horizon = store.horizon();
    queries.page_before(horizon.last_seq / 2, 50);
    queries.parts(1000);
}

void show_plans(const std::string& conninfo, const std::vector<Page>& pages) {
    StoreOptions o = options(conninfo);
    o.pool.on_connect =
        "load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_analyze "
        "= on;"
        "set auto_explain.log_timing = off; set auto_explain.log_nested_statements = on;"
        "set auto_explain.log_level = notice";
    Store store(o);
    PQsetNoticeProcessor(store.pool().acquire()->raw(), print_plan, nullptr);
    for (const Page& page : pages)
        for (const bool records : {false, true}) {
            fmt::print("== {} {}\n", page.name(), records ? "records" : "headers");
            std::fflush(stdout);
            ListQuery query = page.query;
            query.with_records = records;
            read_page(store, query);
        }
    fmt::print("== get\n");
    std::fflush(stdout);
    store.get("1", false);
    store.get("1", true);
    fmt::print("== sets\n");
    std::fflush(stdout);
    store.sets(100, 50);
    show_browsing(store);
}

int usage() {
    std::cerr << "usage: pages lists CONNINFO | pages warm CONNINFO LISTS | pages plans "
                 "CONNINFO LISTS | pages cold CONNINFO LISTS ROUND\n";
    return 2;
}

int run(const std::vector<std::string>& arguments) {
    const std::string what = arguments.empty() ? "" : arguments[0];
    if (what == "lists" && arguments.size() == 2)
        write_lists(arguments[1]);
    else if (what == "warm" && arguments.size() == 3)
        measure_warm(arguments[1], read_lists(arguments[2]));
    else if (what == "plans" && arguments.size() == 3)
        show_plans(arguments[1], read_lists(arguments[2]));
    else if (what == "cold" && arguments.size() == 4)
        measure_cold(arguments[1], read_lists(arguments[2]),
                     static_cast<unsigned>(std::stoul(arguments[3])));
    else
        return usage();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception& e) {
        std::cerr << "pages: " << e.what() << "\n";
        return 1;
    }
}
