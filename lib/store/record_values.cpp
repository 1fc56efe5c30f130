// SPDX-License-Identifier: MIT
#include "store/record_values.h"

#include <fmt/format.h>
#include <libxml/tree.h>

#include <algorithm>

#include "base/simd_scan.h"
#include "base/text.h"
#include "pg/binary.h"
#include "pg/error.h"
#include "protocol/error.h"
#include "protocol/identifier.h"
#include "xml/escape.h"

namespace oai {
namespace {

Seconds oai_time(std::chrono::sys_seconds t) {
    const auto year = std::chrono::year_month_day(std::chrono::floor<std::chrono::days>(t)).year();
    if (year < std::chrono::year(1) || year > std::chrono::year(9999))
        throw BadValue("a time outside the years 0001 to 9999");
    return t;
}

}  // namespace

// `named`: how it prints where its numbers stand for names.
struct RecordValues::Type {
    unsigned oid;
    Shape shape;
    Print print;
    Print named = nullptr;
};
const RecordValues::Type RecordValues::kTypes[] = {
    {pg::kText, Shape::scalar, &RecordValues::print_text},
    {pg::kVarchar, Shape::scalar, &RecordValues::print_text},
    {pg::kInt8, Shape::scalar, &RecordValues::print_integer},
    {pg::kInt4, Shape::scalar, &RecordValues::print_integer, &RecordValues::print_name},
    {pg::kInt2, Shape::scalar, &RecordValues::print_integer},
    {pg::kBool, Shape::scalar, &RecordValues::print_bool},
    {pg::kTimestamptz, Shape::scalar, &RecordValues::print_time},
    {pg::kDate, Shape::scalar, &RecordValues::print_date},
    {pg::kTextArray, Shape::array, &RecordValues::print_texts},
    {pg::kVarcharArray, Shape::array, &RecordValues::print_texts},
    {pg::kInt4Array, Shape::array, &RecordValues::print_integers, &RecordValues::print_names},
    {pg::kXml, Shape::tree, &RecordValues::print_trees},
    {pg::kXmlArray, Shape::tree_array, &RecordValues::print_trees},
};

RecordValues::RecordValues(const RecordBatch& batch, std::string_view identifier_prefix,
                           const std::vector<std::string>* needed)
    : batch_(batch), identifier_prefix_(identifier_prefix) {
    const auto add = [&](std::string_view name, Shape shape, Print print) -> Column* {
        if (needed != nullptr && std::find(needed->begin(), needed->end(), name) == needed->end())
            return nullptr;
        Column& column = columns_.emplace_back();
        column.name = name;
        column.shape = shape;
        column.print = print;
        return &column;
    };
    add("id", Shape::scalar, &RecordValues::print_id);
    add("identifier", Shape::scalar, &RecordValues::print_identifier);
    add("datestamp", Shape::scalar, &RecordValues::print_own_datestamp);
    std::vector<std::string_view> scalars = {"id", "identifier", "datestamp"};
    for (int c = 0; c < batch.columns(); ++c) {
        const RecordSchema::Column& described = batch.column(c);
        if (described.is_language) continue;
        const Type& type = type_of(described);
        check_name(described.shown_name, type.shape, scalars);
        if (type.shape == Shape::scalar) scalars.push_back(described.shown_name);
        Column* column =
            add(described.shown_name, type.shape, described.is_named ? type.named : type.print);
        if (column == nullptr) continue;
        column->index = c;
        column->languages = described.language_column;
        if (described.is_named) column->kind = described.shown_name;
    }
}

const RecordValues::Type& RecordValues::type_of(const RecordSchema::Column& column) {
    for (const Type& type : kTypes)
        if (type.oid == column.type) return type;
    throw Fault(
        fmt::format("oai.record: column {} has a type that is not part of the contract (oid {}); "
                    "cast it to text, bigint, boolean, date, timestamptz, xml or an array of text",
                    column.shown_name, column.type));
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

// The kind becomes the dictionary's own, so that the next comparison need not read it.
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

void RecordValues::Column::show_plain(std::string_view text) {
    own.clear();
    own.append(text);
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
            // A column that was null is likely to be so again.
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
            (this->*column.print)(column, i, bytes);
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

void RecordValues::print_id(Column& column, int i, std::string_view) {
    const fmt::format_int id(batch_.header(i).id);
    column.show_plain({id.data(), id.size()});
}

void RecordValues::print_identifier(Column& column, int i, std::string_view) {
    const Identifier identifier = identifier_of(identifier_prefix_, batch_.header(i).local_id);
    column.own.clear();
    column.own.append(identifier.prefix);
    column.own.append(identifier.rest);
    column.show(clean(column.own.view()));
}

void RecordValues::print_own_datestamp(Column& column, int i, std::string_view) {
    column.show_time(batch_.header(i).datestamp);
}

void RecordValues::print_text(Column& column, int, std::string_view bytes) {
    column.show(clean(bytes));
}

void RecordValues::print_bool(Column& column, int, std::string_view bytes) {
    column.show({pg::read_bool(bytes) ? "true" : "false", {}, true});
}

void RecordValues::print_integer(Column& column, int, std::string_view bytes) {
    const fmt::format_int number(pg::read_integer(bytes));
    column.show_plain({number.data(), number.size()});
}

void RecordValues::print_time(Column& column, int, std::string_view bytes) {
    column.show_time(oai_time(pg::read_timestamptz(bytes)));
}

void RecordValues::print_date(Column& column, int, std::string_view bytes) {
    column.show_time(oai_time(pg::read_date(bytes)), 10);  // YYYY-MM-DD
}

void RecordValues::print_name(Column& column, int, std::string_view bytes) {
    const int id = static_cast<int>(pg::read_integer(bytes));
    const Name& name = name_of(id, column);
    if (!column.is_kind_of(name))
        throw BadValue(fmt::format("the dictionary's {} is a name of {}", id, name.kind));
    column.show({name.text, {}, name.is_plain});
}

void RecordValues::print_texts(Column& column, int i, std::string_view bytes) {
    if (column.languages >= 0 && !batch_.is_null(i, column.languages)) {
        print_texts_with_languages(column, i, bytes);
        return;
    }
    texts_.clear();
    pg::read_text_array(bytes, texts_);
    for (const std::string_view entry : texts_) column.entries.push_back(clean(entry));
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

void RecordValues::print_integers(Column& column, int, std::string_view bytes) {
    numbers_.clear();
    pg::read_int4_array(bytes, numbers_);
    for (const int n : numbers_) column.entries.push_back({keep(fmt::format_int(n).str())});
}

// An array may be the item's set_ids as they are: names of another kind are not this column's.
void RecordValues::print_names(Column& column, int, std::string_view bytes) {
    numbers_.clear();
    pg::read_int4_array(bytes, numbers_);
    for (const int id : numbers_) {
        const Name& name = name_of(id, column);
        if (!column.is_kind_of(name)) continue;
        column.entries.push_back({name.text, {}, name.is_plain});
    }
}

void RecordValues::print_trees(Column& column, int, std::string_view bytes) {
    texts_.clear();
    if (column.shape == Shape::tree)
        texts_.push_back(bytes);
    else
        pg::read_text_array(bytes, texts_);
    for (const std::string_view entry : texts_) column.entries.push_back({entry});
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
    return {is_clean ? value : keep(text::to_xml_text(value))};
}

std::string_view RecordValues::keep(std::string value) {
    return kept_.emplace_back(std::move(value));
}

}  // namespace oai
