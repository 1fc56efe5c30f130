// SPDX-License-Identifier: MIT
// The pages to measure: first, middle and last page of lists of every kind in a repository of
// t/bench/generate, as the server's own Store pages through them. They are kept in a text file, one
// per line.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pg/binary.h"
#include "store/store.h"

namespace oai::bench {

inline constexpr int kRecords = 100;

struct Page {
    std::string list, place;  // "tld", "first"
    ListQuery query;
    std::string name() const { return list + "." + place; }
};

inline StoreOptions options(const std::string& conninfo) {
    StoreOptions o;
    o.pool.conninfo = conninfo;
    o.pool.application_name = "bench-pages";
    o.pool.connections = 1;
    return o;
}

// Queries of the benchmark, which the server does not use.
inline constexpr pg::Statement kNearest{"nearest", R"(
    select spec, item_count from oai.set
    where spec like $1::text || ':%' and cardinality(path) = $2::int
    order by abs(item_count - $3::bigint), id limit 1)"};
inline constexpr pg::Statement kChunkFrom{"chunk_from", R"(
    select k.seqs from oai.set_chunk k join oai.set s on s.id = k.set_id
    where s.spec = $1::text and k.first_seq >= $2::bigint order by k.first_seq limit 1)"};
inline constexpr pg::Statement kLastChunks{"last_chunks", R"(
    select k.seqs from oai.set_chunk k join oai.set s on s.id = k.set_id
    where s.spec = $1::text and k.first_seq <= $2::bigint order by k.first_seq desc limit 3)"};
inline constexpr pg::Statement kDayOf{"day_of", R"(
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
        const auto lease = store_.pool().take();
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

inline std::string print(const std::optional<Seconds>& t) {
    return t ? std::to_string(t->time_since_epoch().count()) : "-";
}

inline void write_lists(const std::string& conninfo) {
    for (const Page& p : Lists(conninfo).pages())
        fmt::print("{} {} {} {} {} {} {} {}\n", p.list, p.place, print(p.query.from),
                   print(p.query.until), p.query.set.value_or("-"),
                   p.query.after ? std::to_string(*p.query.after) : "-", p.query.upto,
                   p.query.want_size ? 1 : 0);
}

inline std::vector<Page> read_lists(const std::string& file) {
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

}  // namespace oai::bench
