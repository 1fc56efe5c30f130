// SPDX-License-Identifier: MIT
// Makes batches of records for tests without a database: rows of oai.record in PostgreSQL's binary
// format.
#pragma once

#include <cstdint>

#include "pg/binary.h"
#include "store/store.h"
#include "t/lib/unit_headers.h"

namespace oai::test {

using Cell = std::optional<std::string>;

inline std::string big_endian(std::uint64_t v, int bytes) {
    std::string out;
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>(v >> shift);
    return out;
}

inline Cell int8(std::int64_t v) { return big_endian(static_cast<std::uint64_t>(v), 8); }
inline Cell int4(std::int32_t v) { return big_endian(static_cast<std::uint32_t>(v), 4); }
inline Cell boolean(bool v) { return std::string(1, v ? '\1' : '\0'); }

// Microseconds since 2000-01-01, the epoch of timestamptz.
inline Cell timestamptz(std::chrono::sys_seconds t) {
    using namespace std::chrono;
    return int8(duration_cast<microseconds>(t - sys_seconds(sys_days(2000y / 1 / 1))).count());
}

inline Cell date(std::chrono::sys_days d) {
    using namespace std::chrono;
    return int4(static_cast<std::int32_t>((d - sys_days(2000y / 1 / 1)).count()));
}

inline Cell array(unsigned element_type, const std::vector<Cell>& elements) {
    std::string out =
        big_endian(elements.empty() ? 0 : 1, 4) + big_endian(0, 4) + big_endian(element_type, 4);
    if (!elements.empty()) out += big_endian(elements.size(), 4) + big_endian(1, 4);
    for (const Cell& e : elements)
        out += e ? big_endian(e->size(), 4) + *e : big_endian(0xFFFFFFFFU, 4);
    return out;
}

struct TestColumn {
    std::string name;
    unsigned type;
};

struct TestRow {
    std::int64_t id;
    bool deleted = false;
    std::vector<Cell> values;  // one per column; missing ones are NULL
};

inline constexpr std::chrono::sys_seconds kStamp{1'180'000'000s};  // 2007-05-24T09:46:40Z

// Makes a query result with these columns, in binary format.
inline pg::ResultHandle make_result(std::vector<TestColumn> columns,
                                    const std::vector<std::vector<Cell>>& rows) {
    std::vector<PGresAttDesc> described;
    for (TestColumn& c : columns) described.push_back({c.name.data(), 0, 0, 1, c.type, -1, -1});
    pg::ResultHandle result(PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK));
    PQsetResultAttrs(result.get(), static_cast<int>(described.size()), described.data());
    for (int r = 0; r < static_cast<int>(rows.size()); ++r) {
        std::vector<Cell> cells = rows[static_cast<std::size_t>(r)];
        cells.resize(columns.size());
        for (int c = 0; c < static_cast<int>(cells.size()); ++c) {
            Cell& cell = cells[static_cast<std::size_t>(c)];
            PQsetvalue(result.get(), r, c, cell ? cell->data() : nullptr,
                       cell ? static_cast<int>(cell->size()) : -1);
        }
    }
    return result;
}

// Every record has the local_id "doc/<id>" and the datestamp kStamp.
inline RecordBatch make_batch(const std::vector<TestColumn>& columns,
                              const std::vector<TestRow>& rows) {
    std::vector<TestColumn> all = {{"id", pg::kInt8},       {"seq", pg::kInt8},
                                   {"local_id", pg::kText}, {"datestamp", pg::kTimestamptz},
                                   {"deleted", pg::kBool},  {"set_ids", pg::kInt4Array}};
    all.insert(all.end(), columns.begin(), columns.end());
    std::vector<std::vector<Cell>> all_rows;
    for (const TestRow& row : rows) {
        std::vector<Cell>& cells = all_rows.emplace_back(
            std::vector<Cell>{int8(row.id), int8(row.id), "doc/" + std::to_string(row.id),
                              timestamptz(kStamp), boolean(row.deleted), array(pg::kInt4, {})});
        cells.insert(cells.end(), row.values.begin(), row.values.end());
    }
    static RecordSchemas schemas;
    pg::Result result(make_result(all, all_rows));
    const RecordSchema& schema = schemas.of(result);
    return RecordBatch(std::move(result), schema);
}

// The columns of oai.record in the model webarchiv, and a document of a culture magazine.
inline std::vector<TestColumn> webarchiv_columns() {
    return {{"url", pg::kText},
            {"archived_time", pg::kTimestamptz},
            {"mimetype", pg::kText},
            {"status", pg::kInt4},
            {"digest", pg::kText},
            {"length", pg::kInt8},
            {"arc", pg::kText},
            {"arc_offset", pg::kInt8},
            {"surt", pg::kText},
            {"domain", pg::kText},
            {"collections", pg::kTextArray}};
}

inline TestRow webarchiv_row(std::int64_t id, const std::string& mimetype = "text/html") {
    using namespace std::chrono;
    const std::string n = std::to_string(id);
    return {id,
            false,
            {"http://www.webarchiv.cz/clanky/" + n + "?a=1&b=2",
             timestamptz(sys_days(2007y / 5 / 1) + 12h), mimetype, int4(200),
             "sha1:QVYVLZ2RKSMS3HHZQYAEPLTWG3QLM4XW", int8(12345 + id),
             "NEDLIB-20070501-00042.arc.gz", int8(1'000'000 + id), "cz,webarchiv)/clanky/" + n,
             "www.webarchiv.cz", array(pg::kText, {"Kultura", "Literární časopisy"})}};
}

}  // namespace oai::test
