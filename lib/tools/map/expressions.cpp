// SPDX-License-Identifier: MIT
#include "tools/map/expressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace oai::mapping {
namespace {

// Columns of library.item beside the elements of Dublin Core: lists, and single values.
constexpr std::string_view kLists[] = {"isbn", "issn"};
constexpr std::string_view kSingle[] = {"kind",    "doi",  "urn",  "landing_page",
                                        "licence", "year", "marc", "mods"};

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

// Elements of one's own, as xml.
std::string own_element(const Plan& plan, std::string_view name, const Field& field) {
    const bool is_xml = field.column.type == "xml" || field.column.element == "xml";
    return fmt::format(
        "(select xmlagg(xmlelement(name {}, v.v{}) order by v.o) from unnest({}) with ordinality "
        "v(v, o))",
        quote_name(name), is_xml ? "::xml" : "", list_of(plan, field));
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

std::string content(const Plan& plan) {
    std::string out, own;
    for (const Plan::PlannedElement& element : plan.elements) {
        const bool is_list = is_dublin_core(element.name) || is_one_of(kLists, element.name);
        if (!is_list && !is_one_of(kSingle, element.name)) {
            for (const Field& field : element.fields)
                own += (own.empty() ? "" : ", ") + own_element(plan, element.name, field);
            continue;
        }
        std::string values;
        for (const Field& field : element.fields)
            values += (values.empty() ? "" : " || ") + list_of(plan, field);
        out += fmt::format(fmt::runtime(is_list ? "{}'{}', nullif({}, '{{}}')" : "{}'{}', ({})[1]"),
                           out.empty() ? "" : ", ", element.name, values);
    }
    if (!own.empty())
        out += fmt::format("{}'fields', xmlconcat({})::text", out.empty() ? "" : ", ", own);
    return fmt::format("jsonb_build_object({})", out);
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
