// SPDX-License-Identifier: MIT
#include "tools/map/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/text.h"
#include "tools/map/expressions.h"
#include "tools/map/map_files.h"

namespace oai::mapping {
namespace {

constexpr std::size_t kMaxLabel = 200;    // bytes of a setSpec below its root
constexpr std::size_t kMaxFunction = 40;  // bytes of a table's name in that of its function

std::string literal(std::string_view text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
    return out + "'";
}

// For each key, `piece` with {0} for its number from 1, joined.
std::string each_key(const Plan& plan, std::string_view separator, std::string_view piece) {
    std::string out;
    for (std::size_t n = 1; n <= plan.key.size(); ++n)
        out += (n > 1 ? std::string(separator) : "") + fmt::format(fmt::runtime(piece), n);
    return out;
}

std::string is_same(const Plan& plan, std::string_view a, std::string_view b) {
    return each_key(plan, " and ", fmt::format("{}.key_{{0}} = {}.key_{{0}}", a, b));
}

std::string local_id(const Plan& plan, const std::vector<std::string>& keys) {
    std::string out;
    for (std::size_t i = 0; i < keys.size(); ++i)
        out +=
            fmt::format("{}oai.percent_encode(({}) collate \"C\", {})", i == 0 ? "" : " || '/' || ",
                        text_of(plan.key[i].type, keys[i]), keys.size() == 1);
    return out;
}

std::string key_type(const Column& key) { return key.type == "character" ? "bpchar" : key.type; }

std::vector<std::string> key_columns(const Plan& plan) {
    std::vector<std::string> columns;
    for (const Column& key : plan.key) columns.push_back(column_of(plan, 0, key.name));
    return columns;
}

// The setSpecs of an item, in order, or their names.
std::string set_array(const Plan& plan, std::string_view wanted) {
    if (plan.sets.empty()) return "'{}'::text[]";
    std::string rows;
    for (const Plan::PlannedSet& rule : plan.sets)
        rows += fmt::format(
            "{}select ({} || oai.set_label(t.value collate \"C\")) collate \"C\", t.name "
            "from ({}) t(value, name) "
            "where t.value <> '' and length(oai.set_label(t.value collate \"C\")) <= {}",
            rows.empty() ? "" : " union all ", literal(rule.label + ":"), set_rows(plan, rule),
            kMaxLabel);
    return fmt::format(
        "array(select distinct on (s.spec) {} from ({}) s(spec, name) order by s.spec, s.name)",
        wanted, rows);
}

std::string condition(const Plan& plan) {
    std::string out;
    for (const std::string& key : key_columns(plan))
        out += fmt::format("{}{} is not null", out.empty() ? "" : " and ", key);
    if (!plan.definition.where.text.empty())
        out += fmt::format(" and ({})", plan.definition.where.text);
    return out;
}

std::string rows_of_items(const Plan& plan) {
    std::string keys_as, elements;
    for (std::size_t i = 0; i < plan.key.size(); ++i)
        keys_as += fmt::format("{}{}::{} as key_{}", i == 0 ? "" : ", ",
                               column_of(plan, 0, plan.key[i].name), key_type(plan.key[i]), i + 1);
    for (const Plan::PlannedElement& element : plan.elements)
        elements += fmt::format(",\n           {} as {}", element_value(plan, element),
                                quote_name(element.name));
    const std::string datestamp =
        plan.datestamp ? column_of(plan, 0, plan.datestamp->name) : std::string("null");
    return fill_in(
        templates::rows,
        {{"keys_as", keys_as},
         {"local_id", local_id(plan, key_columns(plan))},
         {"datestamp", datestamp + "::timestamptz"},
         {"specs", set_array(plan, "s.spec::text")},
         {"set_names", set_array(plan, "coalesce(nullif(s.name, ''), s.spec)")},
         {"elements", elements},
         {"items_table", plan.sources[0].table.name + " " + quote_name(plan.sources[0].alias)},
         {"is_item", condition(plan)}});
}

// All columns of the copy, of the table `of` if it is not "".
std::string copy_columns(const Plan& plan, std::string_view of) {
    const std::string prefix = of.empty() ? "" : std::string(of) + ".";
    std::string out = each_key(plan, ", ", prefix + "key_{0}");
    for (const char* column : {"local_id", "brought", "specs", "set_names"})
        out += fmt::format(", {}{}", prefix, column);
    for (const Plan::PlannedElement& element : plan.elements)
        out += fmt::format(", {}{}", prefix, quote_name(element.name));
    return out;
}

std::string function_name(const Plan& plan, std::size_t source) {
    const std::string& alias = plan.sources[source].alias;
    const bool is_long = alias.size() > kMaxFunction;
    return fmt::format("map_{}{}_changed", text::utf8_prefix(alias, kMaxFunction),
                       is_long ? std::to_string(source) : "");
}

// A select of the keys of the items that `rows` of a table belong to.
std::string keys_of(const Plan& plan, std::size_t source, const std::string& rows) {
    std::string distinct, keys, present;
    for (std::size_t i = 0; i < plan.key.size(); ++i) {
        const std::string key = column_of(plan, 0, plan.key[i].name);
        distinct += fmt::format("{}{}::text", i == 0 ? "" : ", ", key);
        keys += fmt::format("{}{} as key_{}", i == 0 ? "" : ", ", key, i + 1);
        present += fmt::format("{}{} is not null", i == 0 ? "" : " and ", key);
    }
    return fmt::format("select distinct on ({}) {} from {} where {}", distinct, keys,
                       chain_with_items(plan, source, rows), present);
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
std::string resolved_keys(const Plan& plan) {
    std::string out;
    for (std::size_t source = 0; source < plan.sources.size(); ++source) {
        const std::vector<Column> columns = leading_columns(plan, source);
        std::string values;
        for (std::size_t i = 0; i < columns.size(); ++i)
            values += fmt::format("{}l.keys[{}]::{} as {}", i == 0 ? "" : ", ", i + 1,
                                  key_type(columns[i]), quote_name(columns[i].name));
        const std::string rows = fmt::format(
            "select {} from pg_temp.map_taken l where l.source = {} and l.keys is not null", values,
            source);
        out += fmt::format("{}({})", source == 0 ? "" : " union ", keys_of(plan, source, rows));
    }
    return out;
}

std::string tables_of(const Plan& plan) {
    std::string out;
    for (const Source& source : plan.sources)
        out += (out.empty() ? "" : ", ") + literal(source.table.name);
    return fmt::format("array[{}]", out);
}

// What all templates may use.
Substitutions common(const Plan& plan) {
    std::string variables, elements, hashed, after, compared_after, assignments;
    for (std::size_t i = 1; i <= plan.key.size(); ++i) {
        const std::string type = key_type(plan.key[i - 1]);
        const std::string comma = i == 1 ? "" : ", ";
        variables += fmt::format("keys_{} {}[];", i, type);
        after += fmt::format("{}state.polled_after[{}]::{}", comma, i, type);
        compared_after += fmt::format("{}state.compared_after[{}]::{}", comma, i, type);
    }
    for (const char* column : {"local_id", "brought", "specs", "set_names"})
        assignments +=
            fmt::format("{}{} = excluded.{}", assignments.empty() ? "" : ", ", column, column);
    for (const Plan::PlannedElement& element : plan.elements) {
        elements += ", m." + quote_name(element.name);
        hashed += ", " + hashable(plan, element);
        assignments += fmt::format(", {0} = excluded.{0}", quote_name(element.name));
    }
    return {{"rows", rows_of_items(plan)},
            {"resolved", resolved_keys(plan)},
            {"tables", tables_of(plan)},
            {"hashed", hashed},
            {"m_elements", elements},
            {"key_variables", variables},
            {"variables", each_key(plan, ", ", "keys_{0}")},
            {"collected", each_key(plan, ", ", "array_agg(k.key_{0})")},
            {"keys", each_key(plan, ", ", "key_{0}")},
            {"s_keys", each_key(plan, ", ", "s.key_{0}")},
            {"c_keys", each_key(plan, ", ", "c.key_{0}")},
            {"p_keys", each_key(plan, ", ", "p.key_{0}")},
            {"p_keys_text", each_key(plan, ", ", "p.key_{0}::text")},
            {"c_is_p", is_same(plan, "c", "p")},
            {"o_is_p", is_same(plan, "o", "p")},
            {"s_is_c", is_same(plan, "s", "c")},
            {"s_any", each_key(plan, " and ", "s.key_{0} = any (keys_{0})")},
            {"c_any", each_key(plan, " and ", "c.key_{0} = any (keys_{0})")},
            {"columns", copy_columns(plan, "")},
            {"c_columns", copy_columns(plan, "c")},
            {"p_columns", copy_columns(plan, "p")},
            {"s_columns", copy_columns(plan, "s")},
            {"after", after},
            {"compared_after", compared_after},
            {"assignments", assignments}};
}

std::string trigger_script(const Plan& plan, std::size_t source) {
    const Source& s = plan.sources[source];
    std::string columns, names;
    std::set<std::string> different;
    for (const Column& column : leading_columns(plan, source)) {
        columns +=
            fmt::format("{}x.{}::text", columns.empty() ? "" : ", ", quote_name(column.name));
        names += (names.empty() ? "" : ", ") + literal(column.name);
        different.insert(column.name);
    }
    const std::string function = quote_name(function_name(plan, source));
    std::string out = fill_in(templates::trigger, {{"function", function},
                                                   {"source", std::to_string(source)},
                                                   {"columns", columns},
                                                   {"names", names},
                                                   {"count", std::to_string(different.size())}});
    out += fmt::format("revoke execute on function oai.{}() from public;\n", function);
    const std::string name(text::utf8_prefix(s.alias, kMaxFunction));
    for (const Part& part : s.table.parts)
        out += fill_in(templates::create_triggers,
                       {{"part", part.name},
                        {"function", function},
                        {"oai_insert", quote_name("oai_insert_" + name)},
                        {"oai_update", quote_name("oai_update_" + name)},
                        {"oai_delete", quote_name("oai_delete_" + name)},
                        {"oai_truncate", quote_name("oai_truncate_" + name)}});
    return out;
}

std::string problems_script(const Plan& plan) {
    Substitutions values = common(plan);
    std::string columns, key;
    for (const Source& source : plan.sources) {
        for (const std::string& column : source.used)
            columns += fmt::format("{}({}::text, {}::name)", columns.empty() ? "" : ", ",
                                   literal(source.table.name), literal(column));
    }
    for (const Column& column : plan.key) key += (key.empty() ? "" : ", ") + literal(column.name);
    const auto items = [](std::string_view which) {
        return fill_in(templates::item_problems, {{"which", std::string(which)}});
    };
    const auto rows = [](std::string_view from) {
        return fill_in(templates::row_problems, {{"from", std::string(from)}});
    };
    values.insert(values.end(),
                  {{"all_items", items("true")},
                   {"some_items", items("i.id = any (ids)")},
                   {"all_rows", rows("oai.copy m")},
                   {"some_rows",
                    rows("(select * from oai.copy tablesample system (percent) limit sample) m")},
                   {"sampled_keys", fill_in(templates::sampled_keys, values)},
                   {"source_problems", fill_in(templates::source_problems, values)},
                   {"triggers", plan.definition.polled
                                    ? ""
                                    : fill_in(templates::trigger_problems,
                                              {{"tables", tables_of(plan)},
                                               {"columns", columns},
                                               {"table", literal(plan.sources[0].table.name)},
                                               {"key", fmt::format("array[{}]", key)}})}});
    return fill_in(templates::problems, values);
}

std::string drop_old(const Plan& plan) {
    std::string functions =
        "'oai.map_refresh(text[])', 'oai.map_note_checksum()', 'oai.map_problems(integer)', "
        "'oai.map_take()', 'oai.map_depart(boolean)', 'oai.map_poll(integer,boolean)', "
        "'oai.map_follow()', 'oai.map_note_problem(text)'";
    for (std::size_t i = 0; i < plan.sources.size() && !plan.definition.polled; ++i)
        functions += ", " + literal(fmt::format("oai.{}()", quote_name(function_name(plan, i))));
    return fill_in(templates::drop_old, {{"functions", fmt::format("array[{}]", functions)}});
}

}  // namespace

// A tag that ends no function body early, whatever the names of tables and columns are.
std::string body_tag(const Substitutions& values) {
    std::string tag = "$body$";
    const auto contains_tag = [&](const auto& value) {
        return value.second.find(tag) != std::string::npos;
    };
    for (int n = 1; std::any_of(values.begin(), values.end(), contains_tag); ++n)
        tag = fmt::format("$body_{}$", n);
    return tag;
}

std::string fill_in(std::string_view text, const Substitutions& values) {
    constexpr std::string_view kBody = "$body$";
    const std::string tag = body_tag(values);
    std::string out;
    for (;;) {
        const std::size_t begin = std::min(text.find('@'), text.find(kBody));
        out += text.substr(0, begin);
        if (begin == text.npos) return out;
        text.remove_prefix(begin);
        if (text.starts_with(kBody)) {
            out += tag;
            text.remove_prefix(kBody.size());
            continue;
        }
        const std::size_t end = text.find('@', 1);
        const std::string_view name = text.substr(1, end - 1);
        const auto found = std::find_if(values.begin(), values.end(),
                                        [&](const auto& value) { return value.first == name; });
        if (end == text.npos || found == values.end())
            throw std::logic_error(fmt::format("a template has @{}@", name));
        out += found->second;
        text.remove_prefix(end + 1);
    }
}

std::string structure_script(const Plan& plan, const MapState& state, bool believe) {
    Substitutions values = common(plan);
    values.emplace_back("believe", believe ? "true" : "false");
    std::string out(templates::items);
    out += fill_in(templates::make_copy, values) + std::string(templates::drop_views);
    // Items of an earlier release were found by their keys.
    for (std::size_t i = 1; i <= state.old_keys; ++i)
        out += fmt::format("alter table oai.item drop column key_{};\n", i);
    for (const auto text :
         {templates::views, templates::refresh, templates::note_checksum, templates::take,
          templates::depart, templates::poll, templates::follow, templates::deletion})
        out += fill_in(text, values);
    out += problems_script(plan) + std::string(templates::rights);
    for (std::size_t i = 0; i < plan.sources.size() && !plan.definition.polled; ++i)
        out += trigger_script(plan, i);
    out += drop_old(plan);
    for (const Plan::PlannedSet& rule : plan.sets)
        out += fmt::format(
            "insert into oai.set (spec, name) values ({}, {}) on conflict (spec) do nothing;\n",
            literal(rule.label), literal(rule.title));
    return out +
           fill_in(templates::note, {{"definition", literal(print_definition(plan.definition))},
                                     {"looks", plan.definition.polled ? "false" : "true"}});
}

std::string drop_script() {
    return std::string(templates::drop_views) +
           fill_in(templates::drop_old, {{"functions", "'{}'"}});
}

std::string_view refresh_script() {
    return "select oai.map_refresh(array(select local_id from oai.copy where local_id is not null "
           "union select local_id from oai.item));\n";
}

std::string whole_script(const Plan& plan, const MapState& state, bool believe) {
    return fmt::format("begin;\n{}commit;\nbegin;\n{}commit;\n",
                       structure_script(plan, state, believe), refresh_script());
}

}  // namespace oai::mapping
