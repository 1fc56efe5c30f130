// SPDX-License-Identifier: MIT
#include "store/record_statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>

namespace oai {
namespace {

// By RecordRows. {0}: the select list and the view or table; {1}: the number of rows. `offset 0`
// keeps a join what it is: one scan of the index for each run, in the order of the numbers.
struct Kind {
    const char *of_headers, *of_records;  // names
    std::string_view text;
};
constexpr std::array<Kind, 3> kKinds = {{
    {"get_header", "get_record", R"(
    select p.*, r.*
    from (select h, last_seq, epoch from oai.horizon order by h desc nulls last limit 1) p
    left join lateral ({0} where id = oai.find_item($1::text) and seq <= p.last_seq offset 0) r on true)"},
    {"headers", "records", R"(
    {0} where seq > $1::bigint and seq <= $2::bigint order by seq limit {1})"},
    {"set_headers", "set_records", R"(
    select coalesce(r.seq, s.last) as position, s.numbers, r.*
    from oai.set_runs($1::int, $2::bigint, $3::bigint, $4::int, $5::int) s
    left join lateral ({0} where seq >= s.first and seq <= s.last order by seq offset 0) r on true)"},
}};
// What every record has by itself (record_values.h), whether or not the model has such a column.
constexpr std::array<std::string_view, 3> kOwn = {"id", "identifier", "datestamp"};

const Kind& kind_of(RecordRows rows) { return kKinds[static_cast<std::size_t>(rows)]; }

std::string quote_name(std::string_view name) {
    std::string out = "\"";
    for (const char c : name) out.append(c == '"' ? 2 : 1, c);
    return out += '"';
}

bool is_alike(const RecordSchema::Column& a, const RecordSchema::Column& b) {
    return a.name == b.name && a.type == b.type;
}

std::string item_columns() {
    std::string list;
    for (int i = 0; i < RecordSchema::kItemColumns; ++i)
        list.append(i > 0 ? ", " : "").append(RecordSchema::item_column_name(i));
    return list;
}

// "*" if a column is not known.
std::string select_list(const std::vector<RecordSchema::Column>& known,
                        const std::vector<std::string>& columns) {
    std::vector<bool> needed(known.size(), false);
    for (const std::string& name : columns) {
        bool found = std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end();
        for (std::size_t i = 0; i < known.size(); ++i) {
            if (known[i].shown_name != name || known[i].is_language) continue;
            needed[i] = found = true;
            if (known[i].language_column >= 0)
                needed[static_cast<std::size_t>(known[i].language_column)] = true;
        }
        if (!found) return "*";
    }
    std::string list = item_columns();
    for (std::size_t i = 0; i < known.size(); ++i)
        if (needed[i]) list.append(", ").append(quote_name(known[i].name));
    return list;
}

}  // namespace

void RecordStatements::know(const RecordSchema& schema) {
    const std::lock_guard lock(mutex_);
    const auto& columns = schema.columns();
    if (known_ &&
        std::equal(known_->begin(), known_->end(), columns.begin(), columns.end(), is_alike))
        return;
    known_ = columns;
    by_key_.clear();
}

void RecordStatements::forget() {
    const std::lock_guard lock(mutex_);
    known_.reset();
    by_key_.clear();
}

const pg::Statement& RecordStatements::of(RecordRows rows, bool with_records,
                                          const ColumnNames& columns, int at_once) {
    const Kind& kind = kind_of(rows);
    const char* name = with_records ? kind.of_records : kind.of_headers;
    std::string key =
        fmt::format("{} {}", name, rows == RecordRows::of_set ? at_once > 0 : at_once);
    if (with_records) key += columns ? fmt::format(" {}", fmt::join(*columns, "\n")) : "*";
    {
        const std::shared_lock lock(mutex_);
        if (const auto found = by_key_.find(key); found != by_key_.end()) return *found->second;
    }
    const std::lock_guard lock(mutex_);
    const auto [made, is_new] = texts_.try_emplace(text(rows, with_records, columns, at_once));
    if (is_new) made->second = {name, made->first.c_str(), true};
    return *by_key_.emplace(std::move(key), &made->second).first->second;
}

std::string RecordStatements::text(RecordRows rows, bool with_records, const ColumnNames& columns,
                                   int at_once) const {
    const std::string source =
        !with_records ? "select " + item_columns() + " from oai.item"
                      : "select " + (columns && known_ ? select_list(*known_, *columns) : "*") +
                            " from oai.record";
    const bool is_cursor = rows != RecordRows::one && at_once == 0;
    return (is_cursor ? "declare page no scroll cursor for" : "") +
           fmt::format(fmt::runtime(kind_of(rows).text), source,
                       is_cursor ? "$3::int" : std::to_string(at_once));
}

}  // namespace oai
