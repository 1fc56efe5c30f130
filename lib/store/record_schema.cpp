// SPDX-License-Identifier: MIT
#include "store/record_schema.h"

#include <array>
#include <mutex>

#include "pg/binary.h"
#include "protocol/error.h"

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

// Where the item's columns begin.
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
            .shown_name = std::string(shown)};
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

}  // namespace

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

}  // namespace oai
