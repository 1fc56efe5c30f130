// SPDX-License-Identifier: MIT
#include "store/record_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>

#include "base/text.h"
#include "pg/binary.h"
#include "protocol/error.h"
#include "protocol/identifier.h"
#include "store/queries.h"
#include "xml/escape.h"

namespace oai {
namespace {

struct ContractColumn {
    std::string_view name;
    unsigned type;
    std::string_view type_name;
};

constexpr std::array<ContractColumn, RecordSchema::kItemColumns> kContract{{
    {"id", pg::kInt8, "bigint"},
    {"seq", pg::kInt8, "bigint"},
    {"local_id", pg::kText, "text"},
    {"datestamp", pg::kTimestamptz, "timestamp with time zone"},
    {"deleted", pg::kBool, "boolean"},
    {"set_ids", pg::kInt4Array, "integer[]"},
}};
constexpr std::string_view kNamedSuffix = "_id", kLanguageSuffix = "_lang";

const ContractColumn& contract(int i) { return kContract[static_cast<std::size_t>(i)]; }

// The index of the first column of oai.item.
int find_item(const pg::Result& rows) {
    int first = 0;
    while (first < rows.columns() && rows.column_name(first) != contract(0).name) ++first;
    return first;
}

void check_contract(const pg::Result& rows, int first) {
    for (int i = 0; i < RecordSchema::kItemColumns; ++i) {
        const auto& [name, type, type_name] = contract(i);
        const std::string expected = "oai.item and oai.record must have " + std::string(name) +
                                     " " + std::string(type_name) + " as column " +
                                     std::to_string(i + 1);
        if (first + i >= rows.columns()) throw Fault(expected + ", but there is none");
        if (rows.column_name(first + i) != name)
            throw Fault(expected + ", not " + std::string(rows.column_name(first + i)));
        if (rows.column_type(first + i) != type)
            throw Fault(expected + ", not of the type with OID " +
                        std::to_string(rows.column_type(first + i)));
    }
}

bool is_text_array(unsigned type) { return type == pg::kTextArray || type == pg::kVarcharArray; }

bool is_array(unsigned type) {
    return is_text_array(type) || type == pg::kInt4Array || type == pg::kXmlArray;
}

RecordSchema::Column describe(std::string_view name, unsigned type) {
    const bool named = (type == pg::kInt4 || type == pg::kInt4Array) &&
                       name.size() > kNamedSuffix.size() && name.ends_with(kNamedSuffix);
    const std::string_view shown = named ? name.substr(0, name.size() - kNamedSuffix.size()) : name;
    return {.name = std::string(name),
            .type = type,
            .is_array = is_array(type),
            .is_named = named,
            .xml_name = std::string(shown)};
}

void find_languages(std::vector<RecordSchema::Column>& columns) {
    for (RecordSchema::Column& column : columns) {
        if (!is_text_array(column.type)) continue;
        const std::string language = column.name + std::string(kLanguageSuffix);
        for (std::size_t i = 0; i < columns.size() && column.language_column < 0; ++i) {
            if (columns[i].name != language || !is_text_array(columns[i].type)) continue;
            column.language_column = static_cast<int>(i);
            columns[i].is_language = true;
        }
    }
}

using Item = RecordSchema::ItemColumn;

std::string_view not_null(const pg::Result& rows, int row, int first, Item column) {
    const std::string_view bytes = rows.bytes(row, first + column);
    if (bytes.empty() && rows.is_null(row, first + column))
        throw Fault("oai.item " + std::to_string(pg::read_integer(rows.bytes(row, first))) + ": " +
                    std::string(RecordSchema::item_column_name(column)) +
                    " of a published item is NULL");
    return bytes;
}

// The distinct ids, ascending. Most are repeated, so duplicates are removed before sorting.
std::vector<int> distinct(const std::vector<int>& ids) {
    std::vector<int> out;
    if (ids.empty()) return out;
    // A hash table with open addressing: 0, or one more than the index of an id in `out`.
    std::vector<int> places(std::bit_ceil(2 * ids.size()));
    const int shift = 32 - std::countr_zero(places.size());
    for (const int id : ids) {
        std::size_t at = (static_cast<unsigned>(id) * 2654435769U) >> shift;
        while (places[at] != 0 && out[static_cast<std::size_t>(places[at] - 1)] != id)
            at = (at + 1) & (places.size() - 1);
        if (places[at] != 0) continue;
        out.push_back(id);
        places[at] = static_cast<int>(out.size());
    }
    std::sort(out.begin(), out.end());
    return out;
}

int read_id(const pg::Result& rows, int row) {
    return static_cast<int>(pg::read_integer(rows.bytes(row, 0)));
}

std::vector<Dictionary::Row> read_set_specs(const pg::Result& rows) {
    std::vector<Dictionary::Row> out;
    for (int i = 0; i < rows.rows(); ++i) {
        const std::string spec(rows.bytes(i, 1));
        if (!is_set_spec(spec)) throw Fault("oai.set: no setSpec: " + spec);
        out.push_back({read_id(rows, i), "", spec});
    }
    return out;
}

// An id of a set that has no row in the dictionary, as of a set by a rule, gets an empty name.
std::vector<Dictionary::Row> read_names(const pg::Result& rows, const std::vector<int>& asked,
                                        const std::vector<int>& sets) {
    std::vector<Dictionary::Row> out;
    for (int i = 0; i < rows.rows(); ++i)
        out.push_back(
            {read_id(rows, i), std::string(rows.bytes(i, 1)), std::string(rows.bytes(i, 2))});
    for (const int id : asked)
        if (std::find(sets.begin(), sets.end(), id) != sets.end() &&
            std::none_of(out.begin(), out.end(), [id](const auto& row) { return row.id == id; }))
            out.push_back({id, "", ""});
    return out;
}

// In the order of RecordRows. {0} is replaced by `select COLUMNS from oai.record` or `oai.item`,
// {1} by the number of rows. `offset 0` keeps the planner from changing the join: it must scan the
// index once for each run, in the order of the numbers.
struct Kind {
    const char *of_headers, *of_records;  // names of the statements
    std::string_view text;
};
constexpr std::array<Kind, 3> kKinds = {{
    {"get_header", "get_record", R"(
    select p.*, r.*
    from (select h, last_seq, epoch from horizon order by h desc nulls last limit 1) p
    left join lateral ({0} where id = oai.find_item($1::text) and seq <= p.last_seq offset 0) r on true)"},
    {"headers", "records", R"(
    {0} where seq > $1::bigint and seq <= $2::bigint order by seq limit {1})"},
    {"set_headers", "set_records", R"(
    select coalesce(r.seq, s.last) as position, s.numbers, r.*
    from set_runs($1::int, $2::bigint, $3::bigint, $4::int, $5::int) s
    left join lateral ({0} where seq >= s.first and seq <= s.last order by seq offset 0) r on true)"},
}};
// The values that every record has (record_values.h), whether or not the model has such a column.
constexpr std::array<std::string_view, 3> kBuiltIn = {"id", "identifier", "datestamp"};

const Kind& kind_of(RecordRows rows) { return kKinds[static_cast<std::size_t>(rows)]; }

std::string quote_name(std::string_view name) {
    std::string out = "\"";
    for (const char c : name) out.append(c == '"' ? 2 : 1, c);
    return out += '"';
}

std::string item_columns() {
    std::string list;
    for (int i = 0; i < RecordSchema::kItemColumns; ++i)
        list.append(i > 0 ? ", " : "").append(RecordSchema::item_column_name(i));
    return list;
}

// Returns "*" if the database has no column of a requested name.
std::string select_list(const std::vector<RecordSchema::Column>& known,
                        const std::vector<std::string>& columns) {
    std::vector<bool> needed(known.size(), false);
    for (const std::string& name : columns) {
        bool found = std::find(kBuiltIn.begin(), kBuiltIn.end(), name) != kBuiltIn.end();
        for (std::size_t i = 0; i < known.size(); ++i) {
            if (known[i].xml_name != name || known[i].is_language) continue;
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

Names::Names(const std::vector<std::pair<int, const Name*>>& names) {
    if (names.empty()) return;
    places_.resize(std::bit_ceil(2 * names.size()));
    shift_ = 32 - std::countr_zero(places_.size());
    for (const auto& name : names) {
        std::size_t at = first_place(name.first);
        while (places_[at].second != nullptr) at = (at + 1) & (places_.size() - 1);
        places_[at] = name;
    }
}

std::vector<int> Dictionary::unknown(std::span<const int> ids) const {
    std::vector<int> out;
    const std::shared_lock lock(mutex_);
    for (const int id : ids)
        if (!names_.contains(id)) out.push_back(id);
    return out;
}

Names Dictionary::names(std::span<const int> ids) const {
    std::vector<std::pair<int, const Name*>> out;
    out.reserve(ids.size());
    const std::shared_lock lock(mutex_);
    for (const int id : ids)
        if (const auto found = names_.find(id); found != names_.end())
            out.emplace_back(id, &found->second);
    return Names(out);
}

void Dictionary::learn(const std::vector<Row>& rows) {
    const std::lock_guard lock(mutex_);
    for (const Row& row : rows) {
        Name name{*kinds_.insert(row.kind).first, text::to_xml_text(row.text)};
        name.is_plain = xml::is_plain(name.text);
        names_.try_emplace(row.id, std::move(name));
    }
}

std::string_view RecordSchema::item_column_name(int column) { return contract(column).name; }

RecordSchema::RecordSchema(const pg::Result& rows) : item_column_(find_item(rows)) {
    check_contract(rows, item_column_);
    for (int i = 0; i < rows.columns(); ++i)
        shape_.push_back({std::string(rows.column_name(i)), rows.column_type(i)});
    for (int i = model_column(); i < rows.columns(); ++i)
        columns_.push_back(describe(rows.column_name(i), rows.column_type(i)));
    find_languages(columns_);
}

bool RecordSchema::matches(const pg::Result& rows) const {
    if (rows.columns() != std::ssize(shape_)) return false;
    for (int i = 0; i < rows.columns(); ++i) {
        const auto& [name, type] = shape_[static_cast<std::size_t>(i)];
        if (rows.column_type(i) != type || rows.column_name(i) != name) return false;
    }
    return true;
}

const RecordSchema& RecordSchemas::of(const pg::Result& rows) {
    {
        const std::shared_lock lock(mutex_);
        for (const RecordSchema& schema : schemas_)
            if (schema.matches(rows)) return schema;
    }
    RecordSchema schema(rows);
    const std::lock_guard lock(mutex_);
    return schemas_.emplace_back(std::move(schema));
}

RecordBatch::RecordBatch(pg::Result rows, const RecordSchema& schema)
    : rows_(std::move(rows)), schema_(&schema) {
    const int first = schema.item_column();
    const auto value = [&](int row, Item column) { return not_null(*rows_, row, first, column); };
    const int count = rows_->rows();
    std::vector<std::size_t> sets_end;  // indices, since set_ids_ moves while it grows
    headers_.reserve(static_cast<std::size_t>(count));
    row_of_.reserve(static_cast<std::size_t>(count));
    sets_end.reserve(static_cast<std::size_t>(count));
    for (int row = 0; row < count; ++row) {
        if (rows_->is_null(row, first + Item::kId)) continue;
        row_of_.push_back(row);
        headers_.push_back({.id = pg::read_integer(value(row, Item::kId)),
                            .seq = pg::read_integer(value(row, Item::kSeq)),
                            .local_id = value(row, Item::kLocalId),
                            .datestamp = pg::read_timestamptz(value(row, Item::kDatestamp)),
                            .deleted = pg::read_bool(value(row, Item::kDeleted)),
                            .set_ids = {}});
        pg::read_int4_array(value(row, Item::kSetIds), set_ids_);
        sets_end.push_back(set_ids_.size());
    }
    std::size_t begin = 0;
    for (std::size_t i = 0; i < headers_.size(); ++i) {
        headers_[i].set_ids = std::span<const int>(set_ids_).subspan(begin, sets_end[i] - begin);
        begin = sets_end[i];
    }
}

void RecordBatch::truncate(int n) {
    if (n >= size()) return;
    headers_.resize(static_cast<std::size_t>(n));
    row_of_.resize(static_cast<std::size_t>(n));
    std::size_t sets = 0;
    for (const Header& header : headers_) sets += header.set_ids.size();
    set_ids_.resize(sets);  // does not move the elements that stay
}

bool RecordBatch::has_value(int i, int c) const {
    if (is_null(i, c)) return false;
    // array_send begins with the number of dimensions, and an array without entries has none.
    return !column(c).is_array || pg::read_integer(bytes(i, c).substr(0, 4)) != 0;
}

std::vector<int> RecordBatch::named_ids() const {
    std::vector<int> ids;
    for (int c = 0; c < columns(); ++c) {
        if (!column(c).is_named) continue;
        for (int i = 0; i < size(); ++i) {
            if (is_null(i, c)) continue;
            if (column(c).is_array)
                pg::read_int4_array(bytes(i, c), ids);
            else
                ids.push_back(static_cast<int>(pg::read_integer(bytes(i, c))));
        }
    }
    return distinct(ids);
}

std::vector<int> RecordBatch::distinct_set_ids() const { return distinct(set_ids_); }

std::string_view RecordBatch::set_spec(int id) const {
    const Name* name = set_specs_.find(id);
    if (name == nullptr) throw Fault("no row of oai.set has the id " + std::to_string(id));
    return name->text;
}

bool References::resolve(RecordBatch& batch, pg::Connection* connection) {
    const std::vector<int> sets = batch.distinct_set_ids(), names = batch.named_ids();
    const std::vector<int> new_sets = set_specs_.unknown(sets), new_names = names_.unknown(names);
    if (!new_sets.empty() || !new_names.empty()) {
        if (connection == nullptr) return false;
        const auto send = [&](const pg::Statement& statement, const std::vector<int>& ids) {
            if (!ids.empty())
                connection->send(statement, pg::Parameters().add(pg::int_array_literal(ids)));
        };
        send(queries::kSetSpecs, new_sets);
        send(queries::kNames, new_names);
        connection->flush();
        if (!new_sets.empty()) set_specs_.learn(read_set_specs(connection->take()));
        if (!new_names.empty()) names_.learn(read_names(connection->take(), new_names, sets));
    }
    batch.set_names(names_.names(names), set_specs_.names(sets));
    return true;
}

void RecordStatements::set_schema(const RecordSchema& schema) {
    const std::lock_guard lock(mutex_);
    const auto& columns = schema.columns();
    if (known_ && std::ranges::equal(*known_, columns, [](const auto& a, const auto& b) {
            return a.name == b.name && a.type == b.type;
        }))
        return;
    known_ = columns;
    by_key_.clear();
}

void RecordStatements::clear_schema() {
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
        !with_records ? "select " + item_columns() + " from item"
                      : "select " + (columns && known_ ? select_list(*known_, *columns) : "*") +
                            " from record";
    const bool is_cursor = rows != RecordRows::one && at_once == 0;
    return (is_cursor ? "declare page no scroll cursor for" : "") +
           fmt::format(fmt::runtime(kind_of(rows).text), source,
                       is_cursor ? "$3::int" : std::to_string(at_once));
}

}  // namespace oai
