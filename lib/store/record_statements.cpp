// SPDX-License-Identifier: MIT
#include "store/record_statements.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>

namespace oai {
namespace {

constexpr std::string_view kAll = "select * from oai.record";
constexpr std::string_view kDeclaration = "declare page no scroll cursor for";
constexpr std::string_view kLimit = "limit $3::int";
// What every record has by itself (record_values.h), whether or not the model has such a column.
constexpr std::array<std::string_view, 3> kOwn = {"id", "identifier", "datestamp"};

std::string key_of(const pg::Statement& statement, const std::vector<std::string>& columns) {
    std::string key = statement.name;
    for (const std::string& column : columns) key.append(1, '\0').append(column);
    return key;
}

std::string quote_name(std::string_view name) {
    std::string out = "\"";
    for (const char c : name) out.append(c == '"' ? 2 : 1, c);
    return out += '"';
}

bool is_alike(const RecordSchema::Column& a, const RecordSchema::Column& b) {
    return a.name == b.name && a.type == b.type;
}

// "" if a column is not known.
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
        if (!found) return {};
    }
    std::string list;
    for (int i = 0; i < RecordSchema::kItemColumns; ++i)
        list.append(i > 0 ? ", " : "").append(RecordSchema::item_column_name(i));
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
    by_columns_.clear();
}

void RecordStatements::forget() {
    const std::lock_guard lock(mutex_);
    known_.reset();
    by_columns_.clear();
}

const pg::Statement& RecordStatements::of(const pg::Statement& statement,
                                          const ColumnNames& columns) {
    if (!columns) return statement;
    const std::string key = key_of(statement, *columns);
    {
        const std::shared_lock lock(mutex_);
        if (!known_) return statement;
        if (const auto found = by_columns_.find(key); found != by_columns_.end())
            return *found->second;
    }
    const std::lock_guard lock(mutex_);
    if (!known_) return statement;
    return *by_columns_.emplace(key, &narrowed(statement, *columns)).first->second;
}

const pg::Statement& RecordStatements::narrowed(const pg::Statement& statement,
                                                const std::vector<std::string>& columns) {
    const std::string list = select_list(*known_, columns);
    std::string text = statement.text;
    const auto at = text.find(kAll);
    if (list.empty() || at == std::string::npos) return statement;
    text.replace(at, kAll.size(), "select " + list + " from oai.record");
    return keep(statement, std::move(text));
}

const pg::Statement& RecordStatements::at_once(const pg::Statement& cursor, int rows) {
    const std::pair key(cursor.text, rows);
    {
        const std::shared_lock lock(mutex_);
        if (const auto found = at_once_.find(key); found != at_once_.end()) return *found->second;
    }
    std::string text = cursor.text;
    text.erase(0, text.find(kDeclaration) + kDeclaration.size());
    if (const auto at = text.find(kLimit); at != std::string::npos)
        text.replace(at, kLimit.size(), "limit " + std::to_string(rows));
    const std::lock_guard lock(mutex_);
    return *at_once_.emplace(key, &keep(cursor, std::move(text))).first->second;
}

const pg::Statement& RecordStatements::keep(const pg::Statement& statement, std::string text) {
    const auto [found, is_new] = texts_.try_emplace(std::move(text));
    if (is_new) found->second = {statement.name, found->first.c_str(), statement.prepared};
    return found->second;
}

}  // namespace oai
