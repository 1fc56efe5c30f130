// SPDX-License-Identifier: MIT
#include "tools/map/expressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace oai::mapping {
namespace {

// Types that the server gives out as they are (record_xml.h).
constexpr std::string_view kKept[] = {"boolean", "smallint", "integer",
                                      "bigint",  "text",     "character varying",
                                      "xml",     "date",     "timestamp with time zone"};
constexpr std::string_view kKeptArrays[] = {"text[]", "character varying[]", "xml[]"};

template <class List>
bool is_one_of(const List& list, std::string_view word) {
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

std::string joined(const Plan& plan, std::size_t child) {
    const Source& source = plan.sources[child];
    std::string out;
    for (const JoinTerm& term : source.joins)
        out +=
            fmt::format("{}{} = {}", out.empty() ? "" : " and ", column_of(plan, child, term.own),
                        column_of(plan, source.parent, term.other));
    return out;
}

std::string order_of(const Plan& plan, std::size_t source) {
    std::string out;
    for (const OrderTerm& term : plan.sources[source].order)
        out += fmt::format("{}{}{}", out.empty() ? "" : ", ",
                           column_of(plan, term.source, term.column),
                           term.is_descending ? " desc" : "");
    return out;
}

// A select of the values of a field of another table, in order.
std::string selected(const Plan& plan, const Field& field, const std::string& value,
                     std::string_view more_rows, std::string_view more_order) {
    std::string order = order_of(plan, field.source);
    if (!more_order.empty()) order += fmt::format("{}{}", order.empty() ? "" : ", ", more_order);
    return fmt::format("select {0} from {1}{2} where {3} and {0} is not null{4}", value,
                       chain(plan, field.source), more_rows, joined_to_item(plan, field.source),
                       order.empty() ? "" : " order by " + order);
}

// A list of text.
std::string list_of(const Plan& plan, const Field& field) {
    const std::string column = column_of(plan, field.source, field.column.name);
    const bool is_array = !field.column.element.empty();
    const std::string one =
        fmt::format("nullif({}, '')", is_array ? text_of(field.column.element, "u.u")
                                               : text_of(field.column.type, column));
    const std::string entries = fmt::format("unnest({}) with ordinality u(u, o)", column);
    if (field.source != 0)
        return fmt::format("array({})", is_array ? selected(plan, field, one, ", " + entries, "u.o")
                                                 : selected(plan, field, one, "", ""));
    if (is_array)
        return fmt::format("array(select {0} from {1} where {0} is not null order by u.o)", one,
                           entries);
    return fmt::format("array_remove(array[{}], null)", one);
}

bool is_kept(const Column& column, std::string_view name) {
    // A number in a column KIND_id would mean a name of oai.dictionary.
    if (name.ends_with("_id") && column.type == "integer") return false;
    return is_one_of(kKept, column.type) || is_one_of(kKeptArrays, column.type);
}

bool is_list(const Plan& plan, const Plan::PlannedElement& element) {
    return is_dublin_core(element.name) || element.fields.size() > 1 ||
           (!plan.sources[element.fields[0].source].is_single &&
            element.fields[0].column.type != "xml") ||
           (!element.fields[0].column.element.empty() &&
            !(element.fields[0].source == 0 &&
              is_one_of(kKeptArrays, element.fields[0].column.type)));
}

}  // namespace

std::string column_of(const Plan& plan, std::size_t source, std::string_view column) {
    return quote_name(plan.sources[source].alias) + "." + quote_name(column);
}

std::string text_of(std::string_view type, const std::string& value) {
    if (type == "date") return fmt::format("to_char({}, 'YYYY-MM-DD')", value);
    if (type == "timestamp without time zone")
        return fmt::format("to_char({}, 'YYYY-MM-DD\"T\"HH24:MI:SS')", value);
    if (type == "timestamp with time zone")
        return fmt::format("to_char({} at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
                           value);
    return value + "::text";
}

std::string chain(const Plan& plan, std::size_t source) {
    std::string out =
        plan.sources[source].table.name + " " + quote_name(plan.sources[source].alias);
    for (std::size_t child = source; plan.sources[child].parent != 0;
         child = plan.sources[child].parent) {
        const Source& parent = plan.sources[plan.sources[child].parent];
        out += fmt::format(" join {} {} on {}", parent.table.name, quote_name(parent.alias),
                           joined(plan, child));
    }
    return out;
}

std::string joined_to_item(const Plan& plan, std::size_t source) {
    while (plan.sources[source].parent != 0) source = plan.sources[source].parent;
    return joined(plan, source);
}

std::string chain_with_items(const Plan& plan, std::size_t source, const std::string& rows) {
    std::string out = fmt::format("({}) {}", rows, quote_name(plan.sources[source].alias));
    for (std::size_t child = source; child != 0; child = plan.sources[child].parent) {
        const Source& parent = plan.sources[plan.sources[child].parent];
        out += fmt::format(" join {} {} on {}", parent.table.name, quote_name(parent.alias),
                           joined(plan, child));
    }
    return out;
}

std::string element_value(const Plan& plan, const Plan::PlannedElement& element) {
    std::string out;
    if (is_list(plan, element)) {
        for (const Field& field : element.fields)
            out += (out.empty() ? "" : " || ") + list_of(plan, field);
        return out;
    }
    const Field& field = element.fields[0];
    const std::string column = column_of(plan, field.source, field.column.name);
    std::string value = is_kept(field.column, element.name)
                            ? fmt::format("{}::{}", column, field.column.type)
                            : text_of(field.column.type, column);
    if (field.source == 0) return value;
    if (!plan.sources[field.source].is_single)
        return fmt::format("array({})", selected(plan, field, value, "", ""));
    return fmt::format("({} limit 1)", selected(plan, field, value, "", ""));
}

std::string hashable(const Plan& plan, const Plan::PlannedElement& element) {
    std::string name = "m." + quote_name(element.name);
    if (is_list(plan, element)) return name;
    const Field& field = element.fields[0];
    const bool many = !plan.sources[field.source].is_single || field.column.type == "xml[]";
    if (field.column.type == "xml" || field.column.type == "xml[]")
        return name + (many ? "::text[]" : "::text");
    return name;
}

std::string set_rows(const Plan& plan, const Plan::PlannedSet& rule) {
    const Field& field = rule.column;
    const std::string column = column_of(plan, field.source, field.column.name);
    const bool is_array = !field.column.element.empty();
    const std::string value =
        is_array ? text_of(field.column.element, "u.u") : text_of(field.column.type, column);
    const std::string name =
        rule.name ? text_of(rule.name->column.type,
                            column_of(plan, rule.name->source, rule.name->column.name))
                  : value;
    const std::string entries = is_array ? fmt::format("unnest({}) u(u)", column) : "";
    if (field.source != 0)
        return fmt::format("select {}, {} from {}{} where {}", value, name,
                           chain(plan, field.source), is_array ? ", " + entries : "",
                           joined_to_item(plan, field.source));
    return fmt::format("select {}, {}{}", value, name, is_array ? " from " + entries : "");
}

std::string make_index(const Table& table, const std::vector<std::string>& columns) {
    std::string names;
    for (const std::string& column : columns)
        names += (names.empty() ? "" : ", ") + quote_name(column);
    return fmt::format("create index on {} ({})", table.name, names);
}

}  // namespace oai::mapping
