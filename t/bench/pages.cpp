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
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "store/browse_queries.h"
#include "store/store.h"
#include "t/bench/page_costs.h"
#include "t/bench/page_lists.h"

using namespace oai;
using namespace oai::bench;

namespace {

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
    queries.captures("cz,example)/", 12);
    const Horizon horizon = store.horizon();
    const Seconds earliest = horizon.earliest.value();
    const std::vector<Seconds> bounds{earliest, earliest + (horizon.h - earliest) / 2, horizon.h};
    for (const std::optional<std::string>& set :
         {std::optional<std::string>(), std::optional(roots.front().spec)}) {
        queries.page_before(std::nullopt, set, horizon.last_seq / 2, 50);
        queries.histogram(set, bounds);
    }
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
