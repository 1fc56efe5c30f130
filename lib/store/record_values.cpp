// SPDX-License-Identifier: MIT
#include "store/record_values.h"

#include <fmt/format.h>
#include <libxml/tree.h>

#include <algorithm>
#include <iterator>

#include "base/simd_scan.h"
#include "base/text.h"
#include "pg/binary.h"
#include "pg/error.h"
#include "protocol/error.h"
#include "protocol/identifier.h"
#include "xml/escape.h"

namespace oai {
namespace {

constexpr std::size_t kDateBytes = 10;  // YYYY-MM-DD

Seconds oai_time(std::chrono::sys_seconds t) {
    const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(t));
    if (!to_seconds({.year = static_cast<int>(date.year())}))
        throw BadValue("a time outside the years 0001 to 9999");
    return t;
}

// The values that every record has, numbered where other columns have the OID of their type.
enum BuiltIn : unsigned { kId = 1, kIdentifier, kDatestamp };

constexpr unsigned kScalars[] = {pg::kText, pg::kVarchar, pg::kInt8,        pg::kInt4,
                                 pg::kInt2, pg::kBool,    pg::kTimestamptz, pg::kDate};
constexpr unsigned kArrays[] = {pg::kTextArray, pg::kVarcharArray, pg::kInt4Array};

}  // namespace

RecordValues::RecordValues(const RecordBatch& batch, std::string_view identifier_prefix,
                           const std::vector<std::string>* needed)
    : batch_(batch), identifier_prefix_(identifier_prefix) {
    const auto add = [&](std::string_view name, Shape shape, unsigned type) -> Column* {
        if (needed != nullptr && std::find(needed->begin(), needed->end(), name) == needed->end())
            return nullptr;
        Column& column = columns_.emplace_back();
        column.name = name;
        column.shape = shape;
        column.type = type;
        return &column;
    };
    add("id", Shape::scalar, kId);
    add("identifier", Shape::scalar, kIdentifier);
    add("datestamp", Shape::scalar, kDatestamp);
    std::vector<std::string_view> scalars = {"id", "identifier", "datestamp"};
    for (int c = 0; c < batch.columns(); ++c) {
        const RecordSchema::Column& described = batch.column(c);
        if (described.is_language) continue;
        const Shape shape = shape_of(described);
        check_name(described.xml_name, shape, scalars);
        if (shape == Shape::scalar) scalars.push_back(described.xml_name);
        Column* column = add(described.xml_name, shape, described.type);
        if (column == nullptr) continue;
        column->index = c;
        column->languages = described.language_column;
        if (described.is_named) column->kind = described.xml_name;
    }
}

RecordValues::Shape RecordValues::shape_of(const RecordSchema::Column& column) {
    if (std::ranges::find(kScalars, column.type) != std::end(kScalars)) return Shape::scalar;
    if (std::ranges::find(kArrays, column.type) != std::end(kArrays)) return Shape::array;
    if (column.type == pg::kXml) return Shape::tree;
    if (column.type == pg::kXmlArray) return Shape::tree_array;
    throw Fault(
        fmt::format("oai.record: column {} has a type that is not part of the contract (oid {}); "
                    "cast it to text, bigint, boolean, date, timestamptz, xml or an array of text",
                    column.xml_name, column.type));
}

void RecordValues::check_name(const std::string& name, Shape shape,
                              const std::vector<std::string_view>& scalars) {
    if (xmlValidateNCName(reinterpret_cast<const xmlChar*>(name.c_str()), 0) != 0)
        throw Fault(fmt::format(
            "oai.record: column {} cannot be the name of an XML attribute or element", name));
    if (shape == Shape::scalar && std::find(scalars.begin(), scalars.end(), name) != scalars.end())
        throw Fault(fmt::format(
            "oai.record: column {} would be the record's second attribute of that name", name));
}

// Stores the dictionary's own string, so that the next comparison is one of pointers.
bool RecordValues::Column::is_kind_of(const Name& shown) {
    if (shown.kind.data() == kind.data()) return true;
    if (shown.kind != kind) return false;
    kind = shown.kind;
    return true;
}

void RecordValues::Column::show(const transform::Entry& entry) {
    value.text = entry.text;
    value.is_plain = entry.is_plain;
    nodes = {&value, 1};
}

void RecordValues::Column::show_number(std::int64_t n) {
    const fmt::format_int number(n);
    own.clear();
    own.append({number.data(), number.size()});
    show({own.view(), {}, true});
}

void RecordValues::Column::show_time(Seconds t, std::size_t bytes) {
    char printed[kUtcBytes];
    put_utc(printed, t);
    own.clear();
    own.append({printed, kUtcBytes});
    show({own.view().substr(0, bytes), {}, true});
}

void RecordValues::read(int i) {
    kept_.clear();
    for (Column& column : columns_) {
        std::string_view bytes;
        if (column.index >= 0) {
            // A column that was NULL is likely to be NULL again, so this is checked first.
            if (column.was_null && batch_.is_null(i, column.index)) continue;
            bytes = batch_.bytes(i, column.index);
            column.was_null = bytes.empty() && batch_.is_null(i, column.index);
            if (column.was_null) {
                column.nodes = {};
                continue;
            }
        }
        try {
            column.entries.clear();
            print(column, i, bytes);
            if (column.shape != Shape::scalar) column.nodes = column.entries;
        } catch (const std::runtime_error& e) {  // BadValue, pg::Error: infinity
            throw BadValue(
                fmt::format("column {}: {}", batch_.column(column.index).name, e.what()));
        }
    }
}

bool RecordValues::has(std::string_view name) const {
    return std::any_of(
        columns_.begin(), columns_.end(),
        [&](const Column& column) { return column.name == name && !column.nodes.empty(); });
}

void RecordValues::print(Column& column, int i, std::string_view bytes) {
    const Header& header = batch_.header(i);
    if (column.shape != Shape::scalar) return print_entries(column, i, bytes);
    switch (column.type) {
        case kId: return column.show_number(header.id);
        case kIdentifier: {
            const Identifier identifier = identifier_of(identifier_prefix_, header.local_id);
            column.own.clear();
            column.own.append(identifier.prefix);
            column.own.append(identifier.rest);
            return column.show(clean(column.own.view()));
        }
        case kDatestamp: return column.show_time(header.datestamp);
        case pg::kBool: return column.show({pg::read_bool(bytes) ? "true" : "false", {}, true});
        case pg::kTimestamptz: return column.show_time(oai_time(pg::read_timestamptz(bytes)));
        case pg::kDate: return column.show_time(oai_time(pg::read_date(bytes)), kDateBytes);
        case pg::kText:
        case pg::kVarchar: return column.show(clean(bytes));
    }
    const std::int64_t number = pg::read_integer(bytes);
    if (column.kind.empty()) return column.show_number(number);
    const Name& name = name_of(static_cast<int>(number), column);
    if (!column.is_kind_of(name))
        throw BadValue(fmt::format("the dictionary's {} is a name of {}", number, name.kind));
    column.show({name.text, {}, name.is_plain});
}

void RecordValues::print_entries(Column& column, int i, std::string_view bytes) {
    if (column.shape == Shape::tree) return column.entries.push_back({bytes});
    if (column.languages >= 0 && !batch_.is_null(i, column.languages))
        return print_texts_with_languages(column, i, bytes);
    texts_.clear();
    numbers_.clear();
    if (column.type == pg::kInt4Array)
        pg::read_int4_array(bytes, numbers_);
    else
        pg::read_text_array(bytes, texts_);
    const bool is_xml = column.shape == Shape::tree_array;
    for (const std::string_view text : texts_)
        column.entries.push_back(is_xml ? transform::Entry{text} : clean(text));
    for (const int n : numbers_) {
        if (column.kind.empty()) {
            column.entries.push_back({hold(fmt::format_int(n).str())});
            continue;
        }
        // An array may be the item's set_ids; names of other kinds are not of this column.
        const Name& name = name_of(n, column);
        if (column.is_kind_of(name)) column.entries.push_back({name.text, {}, name.is_plain});
    }
}

void RecordValues::print_texts_with_languages(Column& column, int i, std::string_view bytes) {
    nullable_texts_.clear();
    languages_.clear();
    pg::read_nullable_text_array(bytes, nullable_texts_);
    pg::read_nullable_text_array(batch_.bytes(i, column.languages), languages_);
    if (languages_.size() != nullable_texts_.size()) {
        throw BadValue(fmt::format("{} entries, but {} languages in {}", nullable_texts_.size(),
                                   languages_.size(), batch_.column(column.languages).name));
    }
    for (std::size_t n = 0; n < languages_.size(); ++n) {
        if (!nullable_texts_[n]) continue;
        transform::Entry entry = clean(*nullable_texts_[n]);
        if (languages_[n]) entry.lang = clean(*languages_[n]).text;
        column.entries.push_back(entry);
    }
}

const Name& RecordValues::name_of(int id, const Column& column) const {
    const Name* name = batch_.names().find(id);
    if (name == nullptr)
        throw BadValue(fmt::format("oai.dictionary has no {} with the id {}", column.kind, id));
    return *name;
}

transform::Entry RecordValues::clean(std::string_view value) {
    if (xml::is_plain(value)) return {value, {}, true};
    const bool is_clean = is_printable_ascii(value) || text::is_xml_text(value);
    return {is_clean ? value : hold(text::to_xml_text(value))};
}

std::string_view RecordValues::hold(std::string value) {
    return kept_.emplace_back(std::move(value));
}

}  // namespace oai
