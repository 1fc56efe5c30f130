// SPDX-License-Identifier: MIT
#include "tools/map/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>

#include "base/config.h"
#include "base/ini.h"
#include "base/text.h"

namespace oai::mapping {
namespace {

constexpr std::string_view kDublinCore[] = {
    "title",  "creator",    "subject", "description", "publisher", "contributor", "date",  "type",
    "format", "identifier", "source",  "language",    "relation",  "coverage",    "rights"};

using Problem = std::optional<std::string>;

// Stores a value that may be given once.
Problem set_once(Value& place, const ini::Entry& entry) {
    if (place.line != 0) return fmt::format("given twice, first in line {}", place.line);
    if (entry.value.empty()) return "has no value";
    place = {entry.value, entry.line};
    return std::nullopt;
}

Problem take_item_key(Definition& d, const ini::Entry& entry) {
    if (entry.key == "table") return set_once(d.table, entry);
    if (entry.key == "where") return set_once(d.where, entry);
    if (entry.key == "datestamp") return set_once(d.datestamp, entry);
    if (entry.key == "key") {
        for (Value& part : split_list({entry.value, entry.line})) d.key.push_back(std::move(part));
        return d.key.empty() ? Problem("has no value") : std::nullopt;
    }
    if (entry.key == "changes") {
        if (entry.value != "triggers" && entry.value != "poll")
            return "is wrong; right is triggers or poll";
        d.polled = entry.value == "poll";
        return std::nullopt;
    }
    return "unknown key; [items] has table, key, where, datestamp and changes";
}

Problem take_also_key(Definition& d, const ini::Entry& entry) {
    const std::string name(text::trim(std::string_view(entry.section).substr(4)));
    if (d.also.empty() || d.also.back().section() != name)
        d.also.push_back({{name, entry.line}, {}, {}, {}});
    Also& also = d.also.back();
    if (entry.key == "join") return set_once(also.join, entry);
    if (entry.key == "order") return set_once(also.order, entry);
    if (entry.key != "table") return "unknown key; [also TABLE] has table, join and order";
    if (!also.as.text.empty()) return fmt::format("given twice, first in line {}", also.table.line);
    also.as = also.table;
    also.table = {entry.value, entry.line};
    return std::nullopt;
}

Problem take_set_key(Definition& d, const ini::Entry& entry) {
    const std::string label(text::trim(std::string_view(entry.section).substr(3)));
    if (d.sets.empty() || d.sets.back().label != label)
        d.sets.push_back({label, {}, {}, {}, entry.line});
    SetRule& rule = d.sets.back();
    if (entry.key == "column") return set_once(rule.column, entry);
    if (entry.key == "name") return set_once(rule.name, entry);
    if (entry.key == "title") return set_once(rule.title, entry);
    return "unknown key; [set LABEL] has column, name and title";
}

Problem take(Definition& d, const ini::Entry& entry) {
    if (entry.section == "items") return take_item_key(d, entry);
    if (entry.section.starts_with("also ")) return take_also_key(d, entry);
    if (entry.section.starts_with("set ")) return take_set_key(d, entry);
    if (entry.section != "columns")
        return "unknown section; there are [items], [also TABLE], [columns] and [set LABEL]";
    if (entry.value.empty()) return "has no value";
    d.columns.push_back({entry.key, {entry.value, entry.line}});
    return std::nullopt;
}

std::vector<std::string> find_missing(const Definition& d) {
    std::vector<std::string> missing;
    if (d.table.text.empty()) missing.push_back(say(d, 0, "[items] table: missing"));
    if (d.key.empty()) missing.push_back(say(d, 0, "[items] key: missing"));
    if (d.columns.empty()) missing.push_back(say(d, 0, "[columns]: nothing would be given out"));
    for (const Also& also : d.also)
        if (also.join.text.empty())
            missing.push_back(
                say(d, also.table.line, fmt::format("[also {}] join: missing", also.table.text)));
    for (const SetRule& rule : d.sets)
        if (rule.column.text.empty())
            missing.push_back(
                say(d, rule.line, fmt::format("[set {}] column: missing", rule.label)));
    return missing;
}

// Calls `found` for each separator that no quotes and no parentheses hold.
void split_outside_quotes(std::string_view s, char separator,
                          const std::function<void(std::string_view)>& part) {
    bool quoted = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (s[i] == '"') quoted = !quoted;
        if (s[i] != separator || quoted) continue;
        part(text::trim(s.substr(begin, i - begin)));
        begin = i + 1;
    }
    part(text::trim(s.substr(begin)));
}

// Takes " WORD REST" off the end of text, where WORD stands outside of quotes; "" without it.
std::string take_clause(std::string_view& text, std::string_view word) {
    const std::string lower = text::lower_ascii(text);
    const std::size_t at = lower.rfind(fmt::format(" {} ", word));
    if (at == lower.npos) return "";
    std::string clause(text::trim(text.substr(at + word.size() + 2)));
    text = text::trim(text.substr(0, at));
    return clause;
}

void print_value(std::string& out, std::string_view key, std::string_view value) {
    if (!value.empty()) out += fmt::format("{} = {}\n", key, value);
}

std::string print_key(const std::vector<Value>& key) {
    std::string out;
    for (const Value& part : key) out += (out.empty() ? "" : ", ") + part.text;
    return out;
}

}  // namespace

std::span<const std::string_view> dublin_core() { return kDublinCore; }

bool is_dublin_core(std::string_view name) {
    return std::find(std::begin(kDublinCore), std::end(kDublinCore), name) != std::end(kDublinCore);
}

std::string say(const Definition& definition, int line, std::string_view what) {
    return line > 0 ? fmt::format("{}:{}: {}", definition.file, line, what) : std::string(what);
}

Definition parse_definition(std::string_view text, const std::string& file) {
    const ini::File parsed = ini::parse(text);
    Definition d;
    d.file = file;
    std::vector<std::string> problems;
    for (const ini::Problem& problem : parsed.problems)
        problems.push_back(say(d, problem.line, problem.what));
    for (const ini::Entry& entry : parsed.entries)
        if (const Problem problem = take(d, entry))
            problems.push_back(
                say(d, entry.line, fmt::format("[{}] {}: {}", entry.section, entry.key, *problem)));
    if (problems.empty())
        for (std::string& missing : find_missing(d)) problems.push_back(std::move(missing));
    if (!problems.empty()) throw ConfigError(fmt::format("{}", fmt::join(problems, "\n")));
    return d;
}

std::vector<Value> split_list(const Value& list) {
    std::vector<Value> parts;
    split_outside_quotes(list.text, ',', [&](std::string_view part) {
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

std::string print_definition(const Definition& d) {
    std::string out =
        "# What of this database is given out by OAI-PMH. After a change run `oai map` with this "
        "file\n# again: it brings the repository to what the file says. oai(1) explains each key.\n"
        "\n# A row of this table is an item; the key makes its identifier.\n[items]\n";
    print_value(out, "table", d.table.text);
    print_value(out, "key", print_key(d.key));
    out +=
        d.where.text.empty() ? "# where = an SQL condition that rows must meet to be items\n" : "";
    print_value(out, "where", d.where.text);
    out +=
        d.datestamp.text.empty()
            ? "# datestamp = the column of the time of the last change, for the first publication\n"
            : "";
    print_value(out, "datestamp", d.datestamp.text);
    out +=
        "# How changes are seen: triggers, or poll, which is `oai map --poll` every few minutes\n";
    print_value(out, "changes", d.polled ? "poll" : "triggers");
    if (!d.also.empty())
        out += "\n# Further tables whose rows belong to items, and the order of their rows.\n";
    for (const Also& also : d.also) {
        out += fmt::format("[also {}]\n", also.section());
        if (!also.as.text.empty()) print_value(out, "table", also.table.text);
        print_value(out, "join", also.join.text);
        print_value(out, "order", also.order.text);
    }
    out +=
        "\n# element = column. Stylesheets see the elements of Dublin Core as lists of text, "
        "others by\n"
        "# the type of the column. A line more of one element adds the values of another column.\n"
        "[columns]\n";
    for (const Element& e : d.columns) print_value(out, e.name, e.column.text);
    if (!d.sets.empty()) out += "\n# The values of a column make sets, LABEL:VALUE.\n";
    for (const SetRule& rule : d.sets) {
        out += fmt::format("[set {}]\n", rule.label);
        print_value(out, "column", rule.column.text);
        print_value(out, "name", rule.name.text);
        print_value(out, "title", rule.title.text);
    }
    return out;
}

}  // namespace oai::mapping
