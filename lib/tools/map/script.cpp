// SPDX-License-Identifier: MIT
#include "tools/map/script.h"

#include <fmt/format.h>

#include <algorithm>
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
        out += fmt::format("{}oai.percent_encode({}, {})", i == 0 ? "" : " || '/' || ",
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
            "{}select ({} || oai.set_label(t.value)) collate \"C\", t.name from ({}) t(value, "
            "name) "
            "where t.value <> '' and length(oai.set_label(t.value)) <= {}",
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

// What all templates may use.
Substitutions common(const Plan& plan) {
    std::string arrays, variables, elements, hashed, mine;
    for (std::size_t i = 0; i < plan.key.size(); ++i) {
        arrays += fmt::format("{}keys_{} {}[]", i == 0 ? "" : ", ", i + 1, key_type(plan.key[i]));
        variables +=
            fmt::format("{}keys_{} {}[];", i == 0 ? "" : " ", i + 1, key_type(plan.key[i]));
    }
    for (const Plan::PlannedElement& element : plan.elements) {
        elements += ", m." + quote_name(element.name);
        hashed += ", " + hashable(plan, element);
    }
    std::vector<std::string> k;
    for (std::size_t i = 1; i <= plan.key.size(); ++i) k.push_back(fmt::format("k.key_{}", i));
    return {{"rows", rows_of_items(plan)},
            {"hashed", hashed},
            {"m_elements", elements},
            {"key_arrays", arrays},
            {"key_variables", variables},
            {"variables", each_key(plan, ", ", "keys_{0}")},
            {"collected", each_key(plan, ", ", "array_agg(k.key_{0})")},
            {"unnested", fmt::format("unnest({}) k({})", each_key(plan, ", ", "keys_{0}"),
                                     each_key(plan, ", ", "key_{0}"))},
            {"keys", each_key(plan, ", ", "key_{0}")},
            {"m_keys", each_key(plan, ", ", "m.key_{0}")},
            {"i_keys", each_key(plan, ", ", "i.key_{0}")},
            {"m_is_k", is_same(plan, "m", "k")},
            {"m_is_i", is_same(plan, "m", "i")},
            {"m_is_new", is_same(plan, "m", "new")},
            {"k_local_id", local_id(plan, k)}};
}

std::string poll_script(const Plan& plan) {
    Substitutions values = common(plan);
    std::string after, compared_after, assignments;
    for (std::size_t i = 1; i <= plan.key.size(); ++i) {
        const std::string type = key_type(plan.key[i - 1]);
        after += fmt::format("{}state.polled_after[{}]::{}", i == 1 ? "" : ", ", i, type);
        compared_after +=
            fmt::format("{}state.compared_after[{}]::{}", i == 1 ? "" : ", ", i, type);
    }
    for (const char* column : {"local_id", "brought", "specs", "set_names"})
        assignments +=
            fmt::format("{}{} = excluded.{}", assignments.empty() ? "" : ", ", column, column);
    for (const Plan::PlannedElement& element : plan.elements)
        assignments += fmt::format(", {0} = excluded.{0}", quote_name(element.name));
    values.insert(values.end(), {{"after", after},
                                 {"compared_after", compared_after},
                                 {"assignments", assignments},
                                 {"s_keys", each_key(plan, ", ", "s.key_{0}")},
                                 {"c_keys", each_key(plan, ", ", "c.key_{0}")},
                                 {"p_keys", each_key(plan, ", ", "p.key_{0}")},
                                 {"p_keys_text", each_key(plan, ", ", "p.key_{0}::text")},
                                 {"returned_c_keys", each_key(plan, ", ", "c.key_{0}")},
                                 {"columns", copy_columns(plan, "")},
                                 {"c_columns", copy_columns(plan, "c")},
                                 {"p_columns", copy_columns(plan, "p")},
                                 {"c_is_p", is_same(plan, "c", "p")},
                                 {"s_is_c", is_same(plan, "s", "c")},
                                 {"s_any", each_key(plan, " and ", "s.key_{0} = any (keys_{0})")}});
    return fill_in(templates::poll, values);
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

std::string trigger_script(const Plan& plan, std::size_t source) {
    const Source& s = plan.sources[source];
    std::string columns, image;
    if (source == 0)
        for (const Column& key : plan.key)
            columns += (columns.empty() ? "" : ", ") + ("x." + quote_name(key.name));
    for (const JoinTerm& term : s.joins)
        columns += (columns.empty() ? "" : ", ") + ("x." + quote_name(term.own));
    for (const std::string& column : s.used)
        image += (image.empty() ? "" : ", ") + ("x." + quote_name(column));
    // The condition may look at any column.
    image = plan.definition.where.text.empty() || source != 0 ? fmt::format("row({})::text", image)
                                                              : "x.*::text";
    const auto rows = [&](std::string_view from) {
        return fmt::format("select {} from {} x", columns, from);
    };
    const auto imaged = [&](std::string_view from) {
        return fmt::format("select {}, {} from {} x", columns, image, from);
    };
    Substitutions values = common(plan);
    const std::string function = quote_name(function_name(plan, source));
    values.insert(values.end(),
                  {{"function", function},
                   {"keys_of_inserted", keys_of(plan, source, rows("changed"))},
                   {"keys_of_deleted", keys_of(plan, source, rows("was"))},
                   {"keys_of_updated",
                    keys_of(plan, source,
                            fmt::format("({0} except all {1}) union all ({1} except all {0})",
                                        imaged("was"), imaged("changed")))}});
    std::string out = fill_in(templates::trigger, values);
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

std::string item_problems(const Plan& plan, std::string_view which) {
    return fill_in(templates::item_problems,
                   {{"m_is_i", is_same(plan, "m", "i")}, {"which", std::string(which)}});
}

std::string sample_of_rows(const Plan& plan) {
    if (plan.definition.polled)
        return fmt::format(
            "(select * from oai.copy tablesample system (percent) limit sample) t join oai.mapped "
            "m on {}",
            is_same(plan, "m", "t"));
    std::string keys;
    for (std::size_t i = 0; i < plan.key.size(); ++i)
        keys += fmt::format("{}x.{} as key_{}", i == 0 ? "" : ", ", quote_name(plan.key[i].name),
                            i + 1);
    return fmt::format(
        "(select {} from {} x tablesample system (percent) limit sample) t join oai.mapped m on {}",
        keys, plan.sources[0].table.name, is_same(plan, "m", "t"));
}

std::string problems_script(const Plan& plan) {
    Substitutions values = common(plan);
    const bool polled = plan.definition.polled;
    const auto source_problems = [&](std::string_view which) {
        const auto any = [&](std::string_view of) {
            return which.empty() ? std::string("true")
                                 : each_key(plan, " and ",
                                            fmt::format("{}.key_{{0}} = any (keys_{{0}})", of));
        };
        return fill_in(templates::source_problems, {{"c_any", any("c")},
                                                    {"s_any", any("s")},
                                                    {"s_is_c", is_same(plan, "s", "c")},
                                                    {"c_columns", copy_columns(plan, "c")},
                                                    {"s_columns", copy_columns(plan, "s")}});
    };
    std::string tables, columns, key;
    for (const Source& source : plan.sources) {
        tables += (tables.empty() ? "" : ", ") + literal(source.table.name);
        for (const std::string& column : source.used)
            columns += fmt::format("{}({}::text, {}::name)", columns.empty() ? "" : ", ",
                                   literal(source.table.name), literal(column));
    }
    for (const Column& column : plan.key) key += (key.empty() ? "" : ", ") + literal(column.name);
    values.insert(
        values.end(),
        {{"all_items", item_problems(plan, "true")},
         {"some_items", item_problems(plan, "i.id = any (ids)")},
         {"all_rows", fill_in(templates::row_problems, {{"from", "oai.mapped m"}})},
         {"some_rows", fill_in(templates::row_problems, {{"from", sample_of_rows(plan)}})},
         {"sampled", literal(polled ? "oai.copy" : plan.sources[0].table.name)},
         {"all_source", polled ? source_problems("") : ""},
         {"some_source",
          polled ? fill_in(templates::sampled_keys, values) + source_problems("sample") : ""},
         {"triggers", polled ? ""
                             : fill_in(templates::trigger_problems,
                                       {{"tables", fmt::format("array[{}]", tables)},
                                        {"columns", columns},
                                        {"table", literal(plan.sources[0].table.name)},
                                        {"key", fmt::format("array[{}]", key)}})}});
    return fill_in(templates::problems, values);
}

std::string key_script(const Plan& plan, const MapState& state) {
    std::string out;
    for (std::size_t i = 0; i < plan.key.size() || i < state.key_types.size(); ++i) {
        const bool same = i < plan.key.size() && i < state.key_types.size() &&
                          state.key_types[i] == plan.key[i].type;
        if (same) continue;
        if (i < state.key_types.size())
            out += fmt::format("alter table oai.item drop column key_{};\n", i + 1);
        if (i < plan.key.size())
            out += fmt::format("alter table oai.item add column key_{} {};\n", i + 1,
                               key_type(plan.key[i]));
    }
    return out;
}

bool has_other_key(const Plan& plan, const MapState& state) {
    return !state.key_types.empty() && !key_script(plan, state).empty();
}

std::string drop_old(const Plan& plan) {
    std::string arrays, functions;
    for (std::size_t i = 0; i < plan.key.size(); ++i)
        arrays += fmt::format("{}{}[]", i == 0 ? "" : ",", key_type(plan.key[i]));
    functions = fmt::format(
        "'oai.map_refresh({})', 'oai.map_refresh_all()', 'oai.map_note_checksum()', "
        "'oai.map_problems(integer)'",
        arrays);
    if (plan.definition.polled)
        functions += ", 'oai.map_poll(integer,boolean)'";
    else
        for (std::size_t i = 0; i < plan.sources.size(); ++i)
            functions +=
                ", " + literal(fmt::format("oai.{}()", quote_name(function_name(plan, i))));
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

std::string structure_script(const Plan& plan, const MapState& state) {
    const Substitutions values = common(plan);
    const bool polled = plan.definition.polled;
    std::string out(templates::items);
    if (polled) out += fill_in(templates::make_copy, values);
    out += std::string(templates::drop_views) + key_script(plan, state);
    out += fill_in(polled ? templates::mapped_copy : templates::mapped, values);
    for (const auto text : {templates::views, templates::refresh, templates::refresh_all,
                            templates::note_checksum, templates::deletion})
        out += fill_in(text, values);
    out += problems_script(plan);
    if (polled)
        out += poll_script(plan);
    else
        for (std::size_t i = 0; i < plan.sources.size(); ++i) out += trigger_script(plan, i);
    out += templates::rights;
    out += drop_old(plan);
    for (const Plan::PlannedSet& rule : plan.sets)
        out += fmt::format(
            "insert into oai.set (spec, name) values ({}, {}) on conflict (spec) do nothing;\n",
            literal(rule.label), literal(rule.title));
    return out +
           fill_in(templates::note, {{"definition", literal(print_definition(plan.definition))}});
}

std::string drop_script() {
    return std::string(templates::drop_views) +
           fill_in(templates::drop_old, {{"functions", "'{}'"}});
}

std::string refresh_script(const Plan& plan, const MapState& state) {
    std::string out;
    for (const Source& source : plan.sources)
        if (!plan.definition.polled)
            out += fmt::format("lock table {} in share row exclusive mode;\n", source.table.name);
    if (has_other_key(plan, state))
        out += fmt::format(
            "update oai.item i set ({}) = row({}) from oai.mapped m where m.local_id = "
            "i.local_id;\n",
            each_key(plan, ", ", "key_{0}"), each_key(plan, ", ", "m.key_{0}"));
    return out + "select oai.map_refresh_all();\n";
}

std::string whole_script(const Plan& plan, const MapState& state) {
    return fmt::format("begin;\n{}commit;\nbegin;\n{}commit;\n", structure_script(plan, state),
                       refresh_script(plan, state));
}

}  // namespace oai::mapping
