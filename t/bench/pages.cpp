// SPDX-License-Identifier: MIT
// Pages of lists of every kind in a repository of t/bench/generate, asked for by the server's own Store: its
// statements, its settings, its pipeline.
//   pages lists CONNINFO               the pages to ask for, one a line, for the other three
//   pages warm  CONNINFO LISTS         times, buffers and rows removed, OFFSET beside them: name, value, unit
//   pages cold  CONNINFO LISTS ROUND   each page once, with nothing in the system's cache, in another order each round
//   pages plans CONNINFO LISTS         the plans of all that is sent, functions' insides too; CONNINFO of a superuser
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pg/binary.h"
#include "queries.h"
#include "store.h"
#include "survey.h"

using namespace oai;

namespace {

constexpr int kRecords = 100;
constexpr int kWarmRuns = 300;
constexpr std::chrono::milliseconds kOffsetLimit{10'000};
constexpr const char* kDeclare = "declare page no scroll cursor for";

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

// Questions of the bench, not of the server.
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
// What a provider that does not know better sends.
constexpr pg::Statement kOffset{"offset", R"(
    select id, seq, local_id, datestamp, deleted, set_ids from oai.item
    where seq > $1::bigint and seq <= $2::bigint order by seq offset $3::bigint limit 100)"};
constexpr pg::Statement kSetOffset{"set_offset", R"(
    select i.id, i.seq, i.local_id, i.datestamp, i.deleted, i.set_ids
    from oai.set_chunk k join oai.set s on s.id = k.set_id, unnest(k.seqs) n join oai.item i on i.seq = n
    where s.spec = $4::text and n > $1::bigint and n <= $2::bigint order by i.seq offset $3::bigint limit 100)"};

class Lists {
  public:
    explicit Lists(const std::string& conninfo) : store_(options(conninfo)) {}

    std::vector<Page> pages() {
        const std::int64_t last = store_.horizon().last_seq;
        // t/bench/generate: a tenth, or a million, is a cycle; the one in the middle begins without the dominant TLD.
        const std::int64_t cycle = std::min<std::int64_t>(1'000'000, std::max<std::int64_t>(10, last / 10));
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
            ask(kNearest, pg::Parameters().add(std::string_view(above)).add(depth).add(items)).bytes(0, 0));
    }
    pg::Result ask(const pg::Statement& statement, const pg::Parameters& p) {
        const auto lease = store_.pool().take();
        return lease->query(statement, p);
    }

    void add(const std::string& list, ListQuery query) {
        query.records = kRecords;
        query.want_size = true;
        pages_.push_back({list, "first", query});
        const Position p = store_.list(query).position();
        if (p.after >= p.upto) return;  // nothing there: one page
        query.want_size = false;
        if (p.upto_fixed) query.upto = p.upto;
        query.after = query.set ? middle_of(*query.set, p) : (p.after + p.upto) / 2;
        pages_.push_back({list, "middle", query});
        query.after = query.set ? before_last(*query.set, p) : std::max(p.after, p.upto - kRecords);
        pages_.push_back({list, "last", query});
    }
    std::int64_t middle_of(const std::string& set, const Position& p) {
        const pg::Result row =
            ask(kChunkFrom, pg::Parameters().add(std::string_view(set)).add((p.after + p.upto) / 2));
        if (row.rows() == 0) return p.after;
        std::vector<int> seqs;
        pg::read_int4_array(row.bytes(0, 0), seqs);
        return std::min<std::int64_t>(seqs.front(), p.upto);
    }
    std::int64_t before_last(const std::string& set, const Position& p) {
        const pg::Result rows = ask(kLastChunks, pg::Parameters().add(std::string_view(set)).add(p.upto));
        std::vector<int> seqs;
        for (int i = 0; i < rows.rows(); ++i) pg::read_int4_array(rows.bytes(i, 0), seqs);
        std::erase_if(seqs, [&](int seq) { return seq <= p.after || seq > p.upto; });
        std::sort(seqs.rbegin(), seqs.rend());
        return seqs.size() > kRecords ? seqs[kRecords] : p.after;
    }

    Store store_;
    std::vector<Page> pages_;
};

std::string print(const std::optional<Seconds>& t) { return t ? std::to_string(t->time_since_epoch().count()) : "-"; }

void write_lists(const std::string& conninfo) {
    for (const Page& p : Lists(conninfo).pages())
        fmt::print("{} {} {} {} {} {} {} {}\n", p.list, p.place, print(p.query.from), print(p.query.until),
                   p.query.set.value_or("-"), p.query.after ? std::to_string(*p.query.after) : "-", p.query.upto,
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
    while (in >> p.list >> p.place >> from >> until >> set >> after >> p.query.upto >> p.query.want_size) {
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

double milliseconds_of(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

int read_page(Store& store, const ListQuery& query) {
    Listing listing = store.list(query);
    int records = 0;
    for (Slice slice = listing.next(); slice.size() > 0; slice = listing.next()) records += slice.size();
    return records;
}

void row(const std::string& name, double value, const char* unit) { fmt::print("{}\t{:.4g}\t{}\n", name, value, unit); }
void count(const std::string& name, std::int64_t value, const char* unit) {
    fmt::print("{}\t{}\t{}\n", name, value, unit);
}

struct Cost {
    std::int64_t buffers = 0, rows = 0, removed = 0;
};

void add_removed(const nlohmann::json& node, Cost& cost) {
    for (const auto& [key, value] : node.items())
        if (key.starts_with("Rows Removed")) cost.removed += value.get<std::int64_t>();
    if (node.contains("Plans"))
        for (const auto& child : node["Plans"]) add_removed(child, cost);
}

// EXPLAIN stands where DECLARE CURSOR did; all else is the server's text.
Cost explain(pg::Connection& connection, const pg::Statement& statement, const pg::Parameters& parameters) {
    std::string text = statement.text;
    if (const auto at = text.find(kDeclare); at != std::string::npos) text.erase(at, std::string(kDeclare).size());
    text = "explain (analyze, buffers, format json) " + text;
    const pg::Result result = connection.query({statement.name, text.c_str()}, parameters);
    const auto plan = nlohmann::json::parse(result.bytes(0, 0))[0]["Plan"];
    Cost cost{.buffers = plan["Shared Hit Blocks"].get<std::int64_t>() + plan["Shared Read Blocks"].get<std::int64_t>(),
              .rows = plan["Actual Rows"].get<std::int64_t>()};
    add_removed(plan, cost);
    return cost;
}

struct Costs {
    Cost position, seek, page;  // seek: position without counting for completeListSize
};

Costs explain_page(Store& store, const Page& page, bool records) {
    const ListQuery& q = page.query;
    const auto lease = store.pool().take();
    pg::Parameters p;
    const auto seconds = [](const std::optional<Seconds>& t) {
        return t ? std::optional<std::int64_t>(t->time_since_epoch().count()) : std::nullopt;
    };
    p.add(seconds(q.from)).add(seconds(q.until));
    if (q.set) p.add(std::string_view(*q.set)); else p.add_null();
    p.add(q.after);
    if (q.upto > 0) p.add(q.upto); else p.add_null();
    pg::Parameters uncounted = p;
    uncounted.add_null().add_null().add_null();
    if (q.want_size) p.add(std::int64_t{q.count_limit}); else p.add_null();
    p.add_null().add_null();
    const pg::Result at = lease->query(queries::kPosition, p);
    Costs costs{.position = explain(*lease, queries::kPosition, p),
                .seek = explain(*lease, queries::kPosition, uncounted),
                .page = {}};
    pg::Parameters bounds;
    if (q.set) bounds.add(pg::read_integer(at.bytes(0, 4)));
    bounds.add(pg::read_integer(at.bytes(0, 6))).add(pg::read_integer(at.bytes(0, 7))).add(std::int64_t{kRecords + 1});
    costs.page = explain(*lease, q.set ? (records ? queries::kSetRecords : queries::kSetHeaders)
                                       : (records ? queries::kRecords : queries::kHeaders), bounds);
    return costs;
}

// The page that begins where this one does, by OFFSET. One that is ended by kOffsetLimit took that long.
double by_offset(Store& store, const Page& page, std::int64_t after, std::int64_t upto, std::int64_t offset) {
    const auto lease = store.pool().take();
    pg::Parameters p;
    p.add(after).add(upto).add(offset);
    if (page.query.set) p.add(std::string_view(*page.query.set));
    return milliseconds_of([&] {
        try {
            lease->query(page.query.set ? kSetOffset : kOffset, p);
        } catch (const pg::Error& e) {
            if (e.sqlstate() != "57014") throw;
        }
    });
}

struct Summary {
    double last_over_first = 0, warm_p99_ms = 0, size_ms = 0;
    std::int64_t page = 0, over_bar = -1'000'000, removed = 0, position = 0;
};

// Pages of one list, in turns: what else the machine does then meets all of them alike.
std::vector<std::vector<double>> time_pages(Store& store, const std::vector<Page>& pages, bool records) {
    std::vector<std::vector<double>> times(pages.size());
    for (int i = -1; i < kWarmRuns; ++i)  // the first warms up
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
    const std::int64_t buffers = costs.seek.buffers + costs.page.buffers;  // counting has a bar of its own
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
        summary.last_over_first =
            std::max(summary.last_over_first, times.back()[kWarmRuns / 2] / times.front()[kWarmRuns / 2]);
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

void measure_offset(Store& store, const Page& page) {
    ListQuery whole = page.query;
    whole.after.reset();
    whole.upto = 0;
    whole.want_size = true;
    whole.count_limit = 1'000'000'000;
    const Position p = store.list(whole).position();
    const std::int64_t size = p.size >= 0 ? p.size : p.upto - p.after;
    const std::int64_t offset = page.place == "first" ? 0 : page.place == "middle" ? size / 2 : std::max<std::int64_t>(0, size - kRecords);
    row(page.name() + ".by_offset", by_offset(store, page, p.after, p.upto, offset), "ms");
}

void measure_warm(const std::string& conninfo, const std::vector<Page>& pages) {
    Store store(options(conninfo));
    Summary summary;
    for (auto begin = pages.begin(); begin != pages.end();) {
        const auto end = std::find_if(begin, pages.end(), [&](const Page& p) { return p.list != begin->list; });
        const std::vector<Page> list(begin, end);
        for (const bool records : {false, true}) measure(store, list, records, summary);
        measure_size(store, list.front(), summary);
        begin = end;
    }
    std::fflush(stdout);
    StoreOptions limited = options(conninfo);
    limited.statement_timeout = kOffsetLimit;
    Store patient(limited);
    for (const Page& page : pages) measure_offset(patient, page);
    row("last_over_first_max", summary.last_over_first, "ratio");
    count("buffers_per_page_max", summary.page, "buffers");
    count("buffers_over_bar_max", summary.over_bar, "buffers");  // over 5 per record + 30; below 0 is good
    count("position_buffers_max", summary.position, "buffers");
    count("rows_removed_by_filter_max", summary.removed, "rows");
    row("warm_p99_ms_max", summary.warm_p99_ms, "ms");
    row("complete_list_size_ms_max", summary.size_ms, "ms");
}

void drop_system_cache() {
    std::ofstream out("/proc/sys/vm/drop_caches");
    if (!(out << "3\n") || !out.flush()) throw std::runtime_error("cannot drop the system's cache: not root?");
}

void measure_cold(const std::string& conninfo, std::vector<Page> pages, unsigned round) {
    std::shuffle(pages.begin(), pages.end(), std::mt19937(round));
    Store store(options(conninfo));
    store.horizon();
    for (Page& page : pages) {
        page.query.with_records = true;
        drop_system_cache();
        row(page.name() + ".records.cold", milliseconds_of([&] { read_page(store, page.query); }), "ms");
    }
}

void print_plan(void*, const char* message) { std::fputs(message, stdout); }

// What pages for people ask.
void show_browsing(Store& store) {
    fmt::print("== browse\n");
    std::fflush(stdout);
    Survey survey(store);
    survey.total();
    const auto roots = survey.children(std::nullopt, "", 10);
    const auto below = survey.children(roots.front().id, "", 10);
    survey.with_prefix("dom:", "dom:b", 10);
    survey.path(below.front().spec);
    survey.by_id(std::vector{roots.front().id, below.front().id});
    const Horizon horizon = store.horizon();
    const std::vector<Seconds> bounds{horizon.earliest, horizon.earliest + (horizon.h - horizon.earliest) / 2, horizon.h};
    for (const std::optional<std::string>& set : {std::optional<std::string>(), std::optional(roots.front().spec)}) {
        survey.page_before(std::nullopt, set, horizon.last_seq / 2, 50);
        survey.histogram(set, bounds);
    }
    survey.parts(1000);
}

void show_plans(const std::string& conninfo, const std::vector<Page>& pages) {
    StoreOptions o = options(conninfo);
    o.pool.on_connect = "load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on;"
                        "set auto_explain.log_timing = off; set auto_explain.log_nested_statements = on;"
                        "set auto_explain.log_level = notice";
    Store store(o);
    PQsetNoticeProcessor(store.pool().take()->raw(), print_plan, nullptr);
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
    std::cerr << "usage: pages lists CONNINFO | pages warm|plans CONNINFO LISTS | pages cold CONNINFO LISTS ROUND\n";
    return 2;
}

int run(const std::vector<std::string>& arguments) {
    const std::string what = arguments.empty() ? "" : arguments[0];
    if (what == "lists" && arguments.size() == 2) write_lists(arguments[1]);
    else if (what == "warm" && arguments.size() == 3) measure_warm(arguments[1], read_lists(arguments[2]));
    else if (what == "plans" && arguments.size() == 3) show_plans(arguments[1], read_lists(arguments[2]));
    else if (what == "cold" && arguments.size() == 4)
        measure_cold(arguments[1], read_lists(arguments[2]), static_cast<unsigned>(std::stoul(arguments[3])));
    else return usage();
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
