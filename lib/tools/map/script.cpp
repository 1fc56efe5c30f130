// SPDX-License-Identifier: MIT
#include "tools/map/script.h"

#include <fmt/format.h>

#include "tools/map/expressions.h"

namespace oai::mapping {
namespace {

constexpr std::size_t kMaxLabel = 200;  // bytes of a setSpec below its root

std::string literal(std::string_view text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
    return out + "'";
}

// array['a', 'b']::name[], of what `text_of_one` makes of each.
template <class List, class TextOfOne>
std::string array_of(const List& list, std::string_view type, TextOfOne text_of_one) {
    std::string out;
    for (const auto& one : list) out += (out.empty() ? "" : ", ") + literal(text_of_one(one));
    return fmt::format("array[{}]::{}[]", out, type);
}

std::string key_type(const Column& key) { return key.type == "character" ? "bpchar" : key.type; }

std::string name_of(const Column& column) { return column.name; }

// The keys of an item, each as `piece` has it with {0} for its column, {1} its type and {2} its
// number from 1.
std::string each_key(const Plan& plan, std::string_view separator, std::string_view piece) {
    std::string out;
    for (std::size_t i = 0; i < plan.key.size(); ++i)
        out += (i > 0 ? std::string(separator) : "") +
               fmt::format(fmt::runtime(piece), column_of(plan, 0, plan.key[i].name),
                           key_type(plan.key[i]), i + 1);
    return out;
}

std::string local_id(const Plan& plan) {
    std::string out;
    for (const Column& key : plan.key)
        out += fmt::format("{}oai.percent_encode(({}) collate \"C\", {})",
                           out.empty() ? "" : " || '/' || ",
                           text_of(key.type, column_of(plan, 0, key.name)), plan.key.size() == 1);
    return out;
}

// The setSpecs of an item, with their names.
std::string set_names(const Plan& plan) {
    if (plan.sets.empty()) return "null::jsonb";
    std::string rows;
    for (const Plan::PlannedSet& rule : plan.sets)
        rows += fmt::format(
            "{}select {} || oai.set_label(t.value collate \"C\"), t.name from ({}) t(value, name) "
            "where t.value <> '' and length(oai.set_label(t.value collate \"C\")) <= {}",
            rows.empty() ? "" : " union all ", literal(rule.label + ":"), set_rows(plan, rule),
            kMaxLabel);
    return fmt::format(
        "(select jsonb_object_agg(s.spec, coalesce(nullif(s.name, ''), s.spec) order by s.name "
        "desc) from ({}) s(spec, name))",
        rows);
}

// A row for each item that there is now (schema/library/tables.sql, library.mapping).
std::string source_query(const Plan& plan) {
    const std::string& where = plan.definition.where.text;
    return fmt::format(
        "select {}, {} as local_id, {}::timestamptz as brought,\n    {} as names,\n    {} as "
        "content\nfrom {} {} where {}{}",
        each_key(plan, ", ", "{0}::{1} as key_{2}"), local_id(plan),
        plan.datestamp ? column_of(plan, 0, plan.datestamp->name) : "null", set_names(plan),
        content(plan), plan.sources[0].table.name, quote_name(plan.sources[0].alias),
        each_key(plan, " and ", "{0} is not null"),
        where.empty() ? "" : fmt::format(" and ({}\n)", where));
}

// The columns of a table that lead to items, which triggers write down.
std::vector<Column> leading_columns(const Plan& plan, std::size_t source) {
    if (source == 0) return plan.key;
    std::vector<Column> columns;
    const Source& s = plan.sources[source];
    for (const JoinTerm& term : s.joins) columns.push_back(*s.table.find(term.own));
    return columns;
}

// A select of the keys of all items that the rows of the log lead to.
std::string ways_query(const Plan& plan) {
    std::string out;
    for (std::size_t source = 0; source < plan.sources.size(); ++source) {
        std::string values;
        std::size_t n = 0;
        for (const Column& column : leading_columns(plan, source))
            values += fmt::format("{}l.keys[{}]::{} as {}", n == 0 ? "" : ", ", n + 1,
                                  key_type(column), quote_name(column.name)),
                ++n;
        const std::string rows = fmt::format(
            "select {} from pg_temp.map_taken l where l.source = {} and l.keys is not null", values,
            source);
        out += fmt::format("{}select array[{}] from {} where {}", source == 0 ? "" : "\nunion ",
                           each_key(plan, ", ", "{0}::text collate \"C\""),
                           chain_with_items(plan, source, rows),
                           each_key(plan, " and ", "{0} is not null"));
    }
    return out;
}

}  // namespace

std::string apply_script(const Plan& plan) {
    const Definition& d = plan.definition;
    const bool polled = d.polled;
    const auto place_of = [&](int line) { return fmt::format("{}:{}", d.file, line); };
    std::string out = fmt::format(
        "select oai.map_apply({}, {}, {},\n{},\n{}, {}, {}, {}, {});\n",
        literal(print_definition(d)), polled, literal(source_query(plan)),
        literal(ways_query(plan)), array_of(plan.key, "name", name_of),
        array_of(plan.key, "text", key_type),
        array_of(plan.sources, "text", [](const Source& source) { return source.table.name; }),
        array_of(plan.sources, "text", [&](const Source& source) { return place_of(source.line); }),
        d.where.text.empty() ? "null" : literal(place_of(d.where.line)));
    for (std::size_t i = 0; i < plan.sources.size(); ++i) {
        const auto& used = plan.sources[i].used;
        out += fmt::format(
            "update library.map_table set used = {}, places = {} where n = {};\n",
            array_of(used, "name", [](const auto& u) { return u.first; }),
            array_of(used, "text", [&](const auto& u) { return place_of(u.second); }), i);
        if (!polled)
            out += fmt::format("select oai.map_watch({}, {});\n", i,
                               array_of(leading_columns(plan, i), "name", name_of));
    }
    out += fmt::format("select oai.map_unwatch({});\n", polled ? 0 : plan.sources.size());
    for (const Plan::PlannedSet& rule : plan.sets)
        out += fmt::format(
            "insert into oai.set (spec, name) values ({}, {}) on conflict (spec) do nothing;\n",
            literal(rule.label), literal(rule.title));
    return out;
}

}  // namespace oai::mapping
