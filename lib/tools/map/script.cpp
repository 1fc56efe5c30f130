// SPDX-License-Identifier: MIT
#include "tools/map/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace oai::mapping {
namespace {

// Columns of library.item other than Dublin Core: lists, and single values.
constexpr std::string_view kLists[] = {"isbn", "issn"};
constexpr std::string_view kSingle[] = {"kind", "doi",  "urn",  "landing_page", "licence",
                                        "year", "marc", "mods", "access"};
constexpr std::string_view kTimes[] = {"access_from", "visible_from", "visible_until"};

std::string key_type(const Column& key) { return key.type == "character" ? "bpchar" : key.type; }

// The parts of a key, each as `piece` has it with {0} its value, {1} its type, {2} its number.
std::string each_key(const std::vector<Field>& key, std::string_view separator,
                     std::string_view piece) {
    std::string out;
    for (std::size_t i = 0; i < key.size(); ++i)
        out += (i > 0 ? std::string(separator) : "") +
               fmt::format(fmt::runtime(piece), key[i].sql, key_type(key[i].column), i + 1);
    return out;
}

std::string joined_to_item(const Plan& plan, std::size_t source, const std::vector<Field>& key) {
    while (plan.sources[source].parent != 0) source = plan.sources[source].parent;
    return join_condition(plan, source, key);
}

// One value as text, the same in every session.
std::string text_of(std::string_view type, const std::string& value) {
    if (type == "date") return fmt::format("oai.iso_time({}, '')", value);
    if (type == "timestamp without time zone")
        return fmt::format("oai.iso_time({}, '\"T\"HH24:MI:SS')", value);
    if (type == "timestamp with time zone")
        return fmt::format("oai.iso_time({} at time zone 'UTC', '\"T\"HH24:MI:SS\"Z\"')", value);
    if (!type.ends_with("range") || type.ends_with("multirange")) return value + "::text";
    const bool has_days = type == "daterange", is_whole = has_days || type.starts_with("int");
    const std::string_view element = has_days              ? "date"
                                     : type == "tsrange"   ? "timestamp without time zone"
                                     : type == "tstzrange" ? "timestamp with time zone"
                                                           : "numeric";
    return fmt::format(
        "case when not isempty({0}) then coalesce({1}, '..') || '/' || coalesce({2}, '..') end",
        value, text_of(element, fmt::format("lower({})", value)),
        text_of(element, fmt::format("(upper({}){})", value, is_whole ? " - 1" : "")));
}

// A list of text. Lists of elements of one's own may stand side by side, so they keep their nulls.
std::string list_of(const Plan& plan, const Field& field, bool keeps_nulls = false) {
    const bool is_array = !field.column.element.empty();
    const std::string one =
        fmt::format("nullif({}, '')", is_array ? text_of(field.column.element, "u.u")
                                               : text_of(field.column.type, field.sql));
    if (field.source == 0 && !is_array) return fmt::format("array_remove(array[{}], null)", one);
    std::string rows, where, order;
    if (field.source != 0) {
        rows = from_clause(plan, field.source);
        where = " where " + joined_to_item(plan, field.source, plan.key);
        order = plan.sources[field.source].order;
    }
    if (is_array) {
        rows += fmt::format("{}unnest({}) with ordinality u(u, o)", rows.empty() ? "" : ", ",
                            field.sql);
        order += order.empty() ? "u.o" : ", u.o";
    }
    if (!keeps_nulls)
        where += fmt::format("{}{} is not null", where.empty() ? " where " : " and ", one);
    return fmt::format("array(select {} from {}{}{})", one, rows, where,
                       order.empty() ? "" : " order by " + order);
}

// A custom element, as xml.
std::string own_element(const Plan& plan, std::string_view name, const Field& field) {
    const bool is_xml = field.column.type == "xml" || field.column.element == "xml";
    return fmt::format(
        "(select xmlagg(xmlelement(name {}, v.v{}) order by v.o) from unnest({}) with ordinality "
        "v(v, o))",
        quote_name(name), is_xml ? "::xml" : "", list_of(plan, field, true));
}

std::string literal(std::string_view text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
    return out + "'";
}

// A select of the keys, as text, of the items to which these rows of the table lead.
std::string keys_of(const Plan& plan, std::size_t source, const std::string& rows) {
    std::string from = fmt::format("({}) {}", rows, quote_name(plan.sources[source].alias));
    std::size_t child = source;
    while (child != 0 && plan.sources[child].joins[0].other) {
        const Source& parent = plan.sources[plan.sources[child].parent];
        from += fmt::format(" join {} {} on {}", parent.table.name, quote_name(parent.alias),
                            join_condition(plan, child, plan.key));
        child = plan.sources[child].parent;
    }
    std::vector<Field> key = plan.key;
    for (std::size_t i = 0; i < key.size() && child != 0; ++i)
        key[i].sql = fmt::format("{}::{}", plan.sources[child].joins[i].own.sql,
                                 key_type(plan.key[i].column));
    return fmt::format("select array[{}] from {} where {}",
                       each_key(key, ", ", "({0})::text collate \"C\""), from,
                       each_key(key, " and ", "{0} is not null"));
}

// A select of the rows (value, name) of one rule, beside a row of whatever has this key.
std::string set_rows(const Plan& plan, const Plan::PlannedSet& rule,
                     const std::vector<Field>& key) {
    const Field& field = rule.column;
    const bool is_array = !field.column.element.empty();
    const std::string value =
        is_array ? text_of(field.column.element, "u.u") : text_of(field.column.type, field.sql);
    const std::string name = rule.name ? text_of(rule.name->column.type, rule.name->sql) : value;
    std::string from = field.source != 0 ? " from " + from_clause(plan, field.source) : "";
    if (is_array)
        from += fmt::format("{} unnest({}) u(u)", from.empty() ? " from" : ",", field.sql);
    if (field.source != 0) from += " where " + joined_to_item(plan, field.source, key);
    return fmt::format("select {}, {}{}", value, name, from);
}

constexpr std::size_t kMaxLabel = 200;  // bytes of a setSpec below its root

std::string local_id(const Plan& plan, const std::vector<Field>& key) {
    const std::string& prefix = plan.definition.prefix.text;
    std::string out = prefix.empty() ? "" : literal(prefix) + " || ";
    for (std::size_t i = 0; i < key.size(); ++i)
        out +=
            fmt::format("{}oai.percent_encode(({}) collate \"C\", {})", i == 0 ? "" : " || '/' || ",
                        text_of(plan.key[i].column.type, key[i].sql), key.size() == 1);
    return out;
}

// The setSpecs, with names, of the item with this key.
std::string set_names(const Plan& plan, const std::vector<Field>& key, bool is_deleted) {
    std::string rows;
    for (const Plan::PlannedSet& rule : plan.sets) {
        const auto& joins = plan.sources[rule.column.source].joins;
        if (is_deleted && (joins.empty() || joins[0].other)) continue;  // for live items only
        const std::string spec =
            rule.label.empty()
                ? "oai.set_spec(t.value collate \"C\")"
                : fmt::format("oai.set_label({}) || ':' || oai.set_label(t.value collate \"C\")",
                              literal(rule.label));
        rows += fmt::format(
            "{}select {}, t.name from ({}) t(value, name) where t.value <> '' and length({}) <= {}",
            rows.empty() ? "" : " union all ", spec, set_rows(plan, rule, key), spec,
            kMaxLabel + rule.label.size());
    }
    if (rows.empty()) return "null::jsonb";
    return fmt::format(
        "(select jsonb_object_agg(s.spec, coalesce(nullif(s.name, ''), s.spec) order by s.name "
        "desc) from ({}) s(spec, name) where s.spec <> '')",
        rows);
}

std::string deleted_query(const Plan& plan, const std::string& is_item) {
    const Plan::Deleted& deleted = *plan.deleted;
    std::vector<Field> key = deleted.key;
    std::string same;
    for (std::size_t i = 0; i < key.size(); ++i) {
        key[i].sql = fmt::format("{}::{}", key[i].sql, key_type(plan.key[i].column));
        same += fmt::format(" and {} = {}", plan.key[i].sql, key[i].sql);
    }
    const Source &rows = plan.sources[key[0].source], &items = plan.sources[0];
    const std::string datestamp = deleted.datestamp ? deleted.datestamp->sql : "null";
    return fmt::format(
        "\nunion all\n(select distinct on ({}) {}, {}, {}::timestamptz, null, true, {}, "
        "'{{\"deleted\": true}}'::jsonb\nfrom {} {} where {} and not exists (select from {} {} "
        "where "
        "{}{})\norder by {}, {}::timestamptz desc)",
        each_key(key, ", ", "{0}"), each_key(key, ", ", "{0}"), local_id(plan, key), datestamp,
        set_names(plan, key, true), rows.table.name, quote_name(rows.alias),
        each_key(key, " and ", "{0} is not null"), items.table.name, quote_name(items.alias),
        is_item, same, each_key(key, ", ", "{0}"), datestamp);
}

}  // namespace

bool is_known_element(std::string_view name) {
    return is_dublin_core(name) || is_in(kLists, name) || is_in(kSingle, name) ||
           is_in(kTimes, name);
}

std::string join_condition(const Plan& plan, std::size_t child, const std::vector<Field>& key) {
    const std::vector<JoinTerm>& joins = plan.sources[child].joins;
    std::string out;
    for (std::size_t i = 0; i < joins.size(); ++i)
        out += fmt::format("{}{} = {}", out.empty() ? "" : " and ", joins[i].own.sql,
                           joins[i].other ? joins[i].other->sql : key[i].sql);
    return out;
}

std::string from_clause(const Plan& plan, std::size_t source) {
    std::string out =
        plan.sources[source].table.name + " " + quote_name(plan.sources[source].alias);
    for (std::size_t child = source; plan.sources[child].parent != 0;
         child = plan.sources[child].parent) {
        const Source& parent = plan.sources[plan.sources[child].parent];
        out += fmt::format(" join {} {} on {}", parent.table.name, quote_name(parent.alias),
                           join_condition(plan, child, plan.key));
    }
    return out;
}

std::string content(const Plan& plan) {
    std::string out, own;
    for (const Plan::PlannedElement& element : plan.elements) {
        const bool is_list = is_dublin_core(element.name) || is_in(kLists, element.name);
        if (!is_known_element(element.name)) {
            for (const Field& field : element.fields)
                own += (own.empty() ? "" : ", ") + own_element(plan, element.name, field);
            continue;
        }
        std::string values;
        for (Field field : element.fields) {
            if (is_in(kTimes, element.name))  // as PostgreSQL has them, infinite ones, too
                (field.column.element.empty() ? field.column.type : field.column.element) = "text";
            values += (values.empty() ? "" : " || ") + list_of(plan, field);
        }
        out += fmt::format(fmt::runtime(is_list ? "{}'{}', nullif({}, '{{}}')" : "{}'{}', ({})[1]"),
                           out.empty() ? "" : ", ", element.name, values);
    }
    if (!own.empty())
        out += fmt::format("{}'fields', xmlconcat({})::text", out.empty() ? "" : ", ", own);
    return fmt::format("jsonb_build_object({})", out);
}

std::string value_query(const Source& source, std::string_view expression) {
    return fmt::format("select {} as oai_value from {} {}, (select) oai_none", expression,
                       source.table.name, quote_name(source.alias));
}

std::string source_query(const Plan& plan) {
    const Source& items = plan.sources[0];
    const std::string where = plan.where ? plan.where->sql : "true",
                      has_key = each_key(plan.key, " and ", "{0} is not null"),
                      again = plan.again ? fmt::format("({})::timestamptz", plan.again->sql) : "";
    // The query includes rows that are to be compared again later even if they are no items yet.
    return fmt::format(
               "select {}, {} as local_id,\n    {}::timestamptz as brought, {} as again, {} as "
               "is_shown,\n    {} as names,\n    {} as content\nfrom {} {} where {} and ({}{})",
               each_key(plan.key, ", ", "{0}::{1} as key_{2}"), local_id(plan, plan.key),
               plan.datestamp ? plan.datestamp->sql : "null",
               plan.again ? fmt::format("case when {0} > now() then {0} end", again)
                          : "null::timestamptz",
               plan.again ? fmt::format("coalesce({}, false)", where) : "true",
               set_names(plan, plan.key, false), content(plan), items.table.name,
               quote_name(items.alias), has_key, where,
               plan.again ? fmt::format(" or {} > now()", again) : "") +
           (plan.deleted ? deleted_query(plan, fmt::format("({})", where)) : "");
}

std::string ways_query(const Plan& plan, std::string_view log) {
    std::string out = fmt::format("select l.keys from {} l where l.source = -1", log);
    for (std::size_t s = 0; s < plan.sources.size(); ++s) {
        const Source& source = plan.sources[s];
        if (!source.is_watched) continue;
        const auto watch = std::find_if(plan.watches.begin(), plan.watches.end(),
                                        [&](const Watch& w) { return w.oid == source.table.oid; });
        std::string values;
        for (std::size_t i = 0; i < watch->leading.size(); ++i)
            values += fmt::format("{}l.keys[{}]::{} as {}", i == 0 ? "" : ", ", i + 1,
                                  key_type(watch->leading[i]), quote_name(watch->leading[i].name));
        out += "\nunion " +
               keys_of(plan, s,
                       fmt::format("select {} from {} l where l.source = {} and l.keys is not null",
                                   values, log, watch - plan.watches.begin()));
    }
    return out;
}

std::string change_statement(const std::string& map) {
    return fmt::format("select oai.map_change({});\n", literal(map));
}

std::string map_json(const Plan& plan) {
    using nlohmann::json;
    const Definition& d = plan.definition;
    const auto place_of = [&](int line) { return fmt::format("{}:{}", d.file, line); };
    json out{{"part", d.part},    {"definition", d.text},       {"polled", d.is_polled()},
             {"ways", plan.ways}, {"source", plan.source},      {"keys", json::array()},
             {"tables", {}},      {"key_types", json::array()}, {"labels", json::object()}};
    if (!d.where.text.empty()) out["condition"] = place_of(d.where.line);
    for (const Field& key : plan.key) {
        out["keys"].push_back(key.sql);
        out["key_types"].push_back(key_type(key.column));
    }
    for (const Plan::PlannedSet& rule : plan.sets)
        if (!rule.label.empty()) out["labels"][rule.label] = rule.title;
    const auto add = [&](const Watch& table, bool is_watched) {
        json one{{"relation", table.name}, {"place", place_of(table.line)}};
        for (const auto& [column, line] : table.used) {
            one["used"].push_back(column);
            one["places"].push_back(place_of(line));
        }
        if (is_watched) one["leads"] = json::array();
        if (is_watched)
            for (const Column& column : table.leading) one["leads"].push_back(column.name);
        out["tables"].push_back(std::move(one));
    };
    for (const Watch& table : plan.watches) add(table, true);
    for (const Watch& table : plan.also_read) add(table, false);
    return out.dump();
}

}  // namespace oai::mapping
