// SPDX-License-Identifier: MIT
#include "tools/map/definition.h"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/config.h"
#include "base/ini.h"
#include "base/text.h"

namespace oai::mapping {
namespace {

constexpr std::string_view kDublinCore[] = {
    "title",  "creator",    "subject", "description", "publisher", "contributor", "date",  "type",
    "format", "identifier", "source",  "language",    "relation",  "coverage",    "rights"};

using Problem = std::optional<std::string>;

struct Key {
    std::string_view name;
    Value* place;
};

// Stores the value of one of these keys. A key may occur once, except for lines of a query.
Problem take_value(const ini::Entry& entry, std::initializer_list<Key> keys) {
    std::string names;
    for (const Key& key : keys) {
        names += (names.empty() ? "" : ", ") + std::string(key.name);
        if (key.name != entry.key) continue;
        Value& place = *key.place;
        if (entry.value.empty()) return "has no value";
        if (place.line != 0 && entry.key != "query")
            return fmt::format("given twice, first in line {}", place.line);
        place.text += (place.text.empty() ? "" : "\n") + entry.value;
        if (place.line == 0) place.line = entry.line;
        return std::nullopt;
    }
    return fmt::format("unknown key; there are {}", names);
}

// Returns the last part, or a new one if the section's heading has another name.
template <class Part, class NameOf>
Part& part_of(std::vector<Part>& parts, const std::string& name, NameOf name_of, Part made) {
    if (parts.empty() || name_of(parts.back()) != name) parts.push_back(std::move(made));
    return parts.back();
}

Problem take_also_key(Definition& d, const ini::Entry& entry, const std::string& name) {
    Also& also = part_of(
        d.also, name, [](const Also& a) { return a.section(); },
        Also{{name, entry.line}, {}, {}, {}, {}});
    if (entry.key == "table" && also.as.text.empty()) {
        also.as = std::exchange(also.table, {});
        return take_value(entry, {{"table", &also.table}});
    }
    return take_value(entry, {{"table", &also.table},
                              {"join", &also.join},
                              {"order", &also.order},
                              {"unwatched", &also.unwatched}});
}

Problem take(Definition& d, const ini::Entry& entry) {
    const std::string& section = entry.section;
    const std::size_t blank = std::min(section.find(' '), section.size());
    const std::string word = section.substr(0, blank), name(text::trim(section.substr(blank)));
    if (section == "items")
        return take_value(entry, {{"table", &d.items.table},
                                  {"view", &d.items.view},
                                  {"query", &d.items.query},
                                  {"key", &d.key},
                                  {"prefix", &d.prefix},
                                  {"where", &d.where},
                                  {"datestamp", &d.datestamp},
                                  {"again", &d.again},
                                  {"changes", &d.changes}});
    if (word == "also" && !name.empty()) return take_also_key(d, entry, name);
    if (word == "set" && !name.empty()) {
        SetRule& rule = part_of(
            d.sets, name, [](const SetRule& r) { return r.label; },
            SetRule{name, {}, {}, {}, entry.line});
        return take_value(entry,
                          {{"column", &rule.column}, {"name", &rule.name}, {"title", &rule.title}});
    }
    if (word == "sets" || section == "deleted") {
        Rows& rows = part_of(
            d.rows, section, [](const Rows& r) { return r.section; },
            Rows{section, {}, {}, {}, {}, {}});
        return take_value(entry, {{"table", &rows.from.table},
                                  {"view", &rows.from.view},
                                  {"query", &rows.from.query},
                                  {"key", &rows.key},
                                  {word == "sets" ? "spec" : "datestamp",
                                   word == "sets" ? &rows.spec : &rows.datestamp},
                                  {"name", &rows.name}});
    }
    if (section != "columns")
        return "unknown section; there are [items], [also TABLE], [columns], [set LABEL], [sets] "
               "and [deleted]";
    if (entry.value.empty()) return "has no value";
    d.columns.push_back({entry.key, {entry.value, entry.line}});
    return std::nullopt;
}

std::vector<std::string> find_missing(const Definition& d) {
    std::vector<std::string> missing;
    const auto need = [&](const Value& value, int line, std::string_view what) {
        if (value.text.empty())
            missing.push_back(message_at(d, line, fmt::format("{}: missing", what)));
    };
    need(d.items.source(), 0, "[items] table");
    need(d.key, 0, "[items] key");
    if (!d.part.empty()) need(d.prefix, 0, "[items] prefix, of identifiers");
    if (d.columns.empty() && !d.is_query())
        missing.push_back(message_at(d, 0, "[columns]: nothing would be given out"));
    if (!d.changes.text.empty() && d.changes.text != "triggers" && !d.is_polled())
        missing.push_back(
            message_at(d, d.changes.line, "[items] changes: is wrong; right is triggers or poll"));
    for (const Also& also : d.also)
        if (also.unwatched.text.empty())
            need(also.join, also.table.line, fmt::format("[also {}] join", also.table.text));
    for (const SetRule& rule : d.sets)
        need(rule.column, rule.line, fmt::format("[set {}] column", rule.label));
    for (const Rows& rows : d.rows)
        need(rows.from.source(), rows.key.line, fmt::format("[{}] view", rows.section));
    return missing;
}

// Calls `part` for each piece between separators outside of quotes and parentheses.
void split_outside_quotes(std::string_view s, char separator,
                          const std::function<void(std::string_view)>& part) {
    char quote = 0;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (s[i] == quote)
            quote = 0;
        else if (quote == 0 && (s[i] == '"' || (s[i] == '\'' && depth > 0)))
            quote = s[i];
        if (quote == 0) depth += s[i] == '(' ? 1 : s[i] == ')' ? -1 : 0;
        if (s[i] != separator || quote != 0 || depth > 0) continue;
        part(text::trim(s.substr(begin, i - begin)));
        begin = i + 1;
    }
    part(text::trim(s.substr(begin)));
}

// Removes " WORD REST" from the text and returns REST; "" without WORD outside of quotes.
std::string take_clause(std::string_view& text, std::string_view word) {
    const std::string lower = text::lower_ascii(text);
    const std::size_t at = lower.rfind(fmt::format(" {} ", word));
    if (at == lower.npos) return "";
    std::string clause(text::trim(text.substr(at + word.size() + 2)));
    text = text::trim(text.substr(0, at));
    return clause;
}

}  // namespace

std::span<const std::string_view> dublin_core() { return kDublinCore; }

bool is_dublin_core(std::string_view name) { return is_in(kDublinCore, name); }

std::string message_at(const Definition& definition, int line, std::string_view what) {
    return line > 0 && !definition.file.empty()
               ? fmt::format("{}:{}: {}", definition.file, line, what)
               : std::string(what);
}

std::string part_of(const std::string& file) {
    const std::filesystem::path path(file);
    return path.parent_path().filename() == "map.d" ? path.stem().string() : "";
}

Definition parse_definition(std::string_view text, const std::string& file) {
    const ini::File parsed = ini::parse(text);
    Definition d;
    d.file = file;
    d.part = part_of(file);
    d.text = text;
    std::vector<std::string> problems;
    for (const ini::Problem& problem : parsed.problems)
        problems.push_back(message_at(d, problem.line, problem.what));
    for (const ini::Entry& entry : parsed.entries)
        if (const Problem problem = take(d, entry))
            problems.push_back(message_at(
                d, entry.line, fmt::format("[{}] {}: {}", entry.section, entry.key, *problem)));
    if (problems.empty())
        for (std::string& missing : find_missing(d)) problems.push_back(std::move(missing));
    if (!problems.empty()) throw ConfigError(fmt::format("{}", fmt::join(problems, "\n")));
    return d;
}

std::vector<Value> split_list(const Value& list, char separator) {
    std::vector<Value> parts;
    split_outside_quotes(list.text, separator, [&](std::string_view part) {
        if (!part.empty()) parts.push_back({std::string(part), list.line});
    });
    return parts;
}

std::vector<std::string> split_name(std::string_view name) {
    std::vector<std::string> parts;
    split_outside_quotes(name, '.', [&](std::string_view part) {
        if (part.size() > 1 && part.starts_with('"') && part.ends_with('"')) {
            std::string plain(part.substr(1, part.size() - 2));
            for (std::size_t at = 0; (at = plain.find("\"\"", at)) != plain.npos; ++at)
                plain.erase(at, 1);
            parts.push_back(std::move(plain));
        } else {
            parts.emplace_back(part);
        }
    });
    for (const std::string& part : parts)
        if (part.empty()) throw ConfigError(fmt::format("{}: is no name", name));
    return parts;
}

Also parse_also(std::string_view text) {
    std::string_view rest = text::trim(text);
    Also also;
    also.order.text = take_clause(rest, "order by");
    also.as.text = take_clause(rest, "as");
    const std::size_t open = rest.rfind('(');
    if (open == rest.npos || !rest.ends_with(')'))
        throw ConfigError(
            fmt::format("--also {}: write it as 'TABLE(COLUMN) order by COLUMN'", text));
    also.table.text = text::trim(rest.substr(0, open));
    also.join.text = text::trim(rest.substr(open + 1, rest.size() - open - 2));
    if (also.table.text.empty() || also.join.text.empty())
        throw ConfigError(fmt::format("--also {}: the table or its column is missing", text));
    return also;
}

}  // namespace oai::mapping
