// SPDX-License-Identifier: MIT
#include "tools/map/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/config.h"
#include "base/text.h"
#include "tools/map/expressions.h"

namespace oai::mapping {
namespace {

// What becomes a key and back: text that is the same in every session.
constexpr std::string_view kKeyTypes[] = {"smallint",  "integer", "bigint",
                                          "numeric",   "text",    "character varying",
                                          "character", "uuid",    "date"};

template <class List>
bool is_in(const List& list, std::string_view word) {
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool is_element_name(std::string_view name) {
    return !name.empty() && name[0] >= 'a' && name[0] <= 'z' &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
}

bool is_set_label(std::string_view label) {
    return !label.empty() && label.find_first_not_of(
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                 "-_.!~*'()") == label.npos;
}

// Why no trigger would tell of all changes of the table; "" if triggers do.
std::string why_no_triggers(const Table& table) {
    if (table.is_subscribed) return "is filled by logical replication, which runs no such triggers";
    for (const Part& part : table.parts) {
        const std::string_view which = part.name == table.name ? "is" : "has a partition that is";
        if (part.kind == 'f')
            return fmt::format("{} a foreign table, whose changes PostgreSQL does not tell", which);
        if (part.kind == 'm')
            return fmt::format("{} a materialized view, which has no triggers", which);
        if (part.kind == 'v') return fmt::format("{} a view, which has no such triggers", which);
    }
    return "";
}

class Planner {
  public:
    Planner(const Definition& definition, const Catalog& catalog)
        : d_(definition), catalog_(catalog) {
        plan_.definition = definition;
    }

    Plan make() {
        if (add_table(d_.table, {})) {
            take_key();
            check_condition();
            for (const Also& also : d_.also) take_also(also);
            take_columns();
            for (const SetRule& rule : d_.sets) take_set(rule);
        }
        if (!problems_.empty()) throw ConfigError(fmt::format("{}", fmt::join(problems_, "\n")));
        warn_of_indexes();
        return std::move(plan_);
    }

  private:
    void refuse(int line, const std::string& what) { problems_.push_back(say(d_, line, what)); }

    bool add_table(const Value& name, const Value& as) {
        std::optional<Table> table = catalog_.table(name.text);
        if (!table) {
            const std::string meant = nearest(name.text, catalog_.all_tables());
            refuse(name.line, fmt::format("there is no table {}{}", name.text,
                                          meant.empty() ? "" : "; is it " + meant + "?"));
            return false;
        }
        if (const std::string why = why_no_triggers(*table); !why.empty() && !d_.polled)
            refuse(name.line,
                   fmt::format("{} {}; write changes = poll (--changes poll), and run `oai map "
                               "--poll` every few minutes",
                               table->name, why));
        Source source;
        source.alias = as.text.empty() ? table->bare : split_name(as.text).front();
        source.table = std::move(*table);
        source.line = name.line;
        for (const Source& other : plan_.sources)
            if (other.alias == source.alias)
                refuse(name.line,
                       fmt::format("{} is the name of two tables; call one of them another name: "
                                   "[also NAME] table = {} (--also 'TABLE(COLUMN) as NAME')",
                                   source.alias, name.text));
        plan_.sources.push_back(std::move(source));
        return true;
    }

    const Column* find_column(std::size_t source, const std::string& name, int line) {
        Source& in = plan_.sources[source];
        const Column* found = in.table.find(name);
        if (found == nullptr) found = in.table.find(text::lower_ascii(name));
        if (found != nullptr) {
            in.used.emplace(found->name, line);
            return found;
        }
        std::vector<std::string> names;
        for (const Column& column : in.table.columns) names.push_back(column.name);
        const std::string meant = nearest(name, names);
        refuse(line, fmt::format("{} has no column {}{}", in.table.name, name,
                                 meant.empty() ? "" : "; is it " + meant + "?"));
        return nullptr;
    }

    // "name" of the table `within`, or "author.name".
    std::optional<Field> find_field(const Value& value, std::size_t within = 0) {
        std::vector<std::string> parts = split_name(value.text);
        std::size_t source = within;
        if (parts.size() > 1) {
            const auto found =
                std::find_if(plan_.sources.begin(), plan_.sources.end(),
                             [&](const Source& s) { return s.alias == parts[parts.size() - 2]; });
            if (found == plan_.sources.end()) {
                refuse(value.line, fmt::format("{}: {} is no table of this mapping; name it by "
                                               "[also TABLE] (--also 'TABLE(COLUMN)')",
                                               value.text, parts[parts.size() - 2]));
                return std::nullopt;
            }
            source = static_cast<std::size_t>(found - plan_.sources.begin());
        }
        const Column* column = find_column(source, parts.back(), value.line);
        if (column == nullptr) return std::nullopt;
        return Field{source, *column};
    }

    void take_key() {
        const Table& table = plan_.sources[0].table;
        std::vector<std::string> names;
        for (const Value& part : d_.key)
            if (const Column* column = find_column(0, split_name(part.text).back(), part.line)) {
                if (!is_in(kKeyTypes, column->type))
                    refuse(part.line, fmt::format("{}: no identifier is made of the type {}; use a "
                                                  "column of numbers, text or uuid",
                                                  column->name, column->type));
                plan_.key.push_back(*column);
                names.push_back(column->name);
            }
        const bool has_indexes = table.kind == 'r' || table.kind == 'p';
        if (names.size() == d_.key.size() && has_indexes && !table.is_unique(names))
            refuse(d_.key[0].line,
                   fmt::format(
                       "{} may have several rows with the same {}, but an identifier has one "
                       "item; create unique index on {} ({})",
                       table.name, fmt::join(names, ", "), table.name, fmt::join(names, ", ")));
        if (!d_.datestamp.text.empty())
            if (const auto field = find_field(d_.datestamp)) plan_.datestamp = field->column;
    }

    // Triggers see changes of the items' table for the condition, and of no other.
    void check_condition() {
        const std::string words = " " + text::lower_ascii(d_.where.text) + " ";
        if (!d_.polled && words.find_first_of("(") != words.npos &&
            words.find("select ") != words.npos)
            refuse(
                d_.where.line,
                fmt::format("where: a condition over columns of {} alone, since changes of other "
                            "tables would not be seen; a view can have it, with changes = poll",
                            plan_.sources[0].table.name));
    }

    // The columns that a foreign key leads to, from the one table to the other.
    std::vector<JoinTerm> default_joins(const Source& source, const std::vector<std::string>& own) {
        const Source& items = plan_.sources[0];
        for (const ForeignKey& key : source.table.foreign_keys)
            if (key.target == items.table.oid &&
                std::is_permutation(key.columns.begin(), key.columns.end(), own.begin(),
                                    own.end())) {
                std::vector<JoinTerm> joins;
                for (std::size_t i = 0; i < key.columns.size(); ++i)
                    joins.push_back({key.columns[i], key.target_columns[i]});
                return joins;
            }
        std::vector<JoinTerm> joins;
        if (own.size() == plan_.key.size())
            for (std::size_t i = 0; i < own.size(); ++i)
                joins.push_back({own[i], plan_.key[i].name});
        return joins;
    }

    void take_join(std::size_t self, const Value& join) {
        std::vector<std::string> own;
        std::vector<JoinTerm> joins;
        std::optional<std::size_t> parent;
        for (const Value& term : split_list(join)) {
            const std::size_t equals = term.text.find('=');
            const Column* column = find_column(
                self, split_name(text::trim(term.text.substr(0, equals))).back(), term.line);
            if (column == nullptr) return;
            own.push_back(column->name);
            // Triggers find the operators of PostgreSQL alone, not those of extensions.
            if (!is_in(kKeyTypes, column->type))
                return refuse(term.line, fmt::format("{}: no table is joined by the type {}",
                                                     column->name, column->type));
            if (equals == term.text.npos) continue;
            const auto other =
                find_field({std::string(text::trim(std::string_view(term.text).substr(equals + 1))),
                            term.line});
            if (!other) return;
            if (other->source == self || (parent && *parent != other->source))
                return refuse(term.line,
                              fmt::format("{}: a table joins one other table", join.text));
            if (!is_in(kKeyTypes, other->column.type))
                return refuse(term.line, fmt::format("{}: no table is joined by the type {}",
                                                     other->column.name, other->column.type));
            parent = other->source;
            joins.push_back({column->name, other->column.name});
        }
        Source& source = plan_.sources[self];
        if (!joins.empty() && joins.size() != own.size())
            return refuse(join.line,
                          fmt::format("{}: say of each column which one it equals", join.text));
        source.parent = parent.value_or(0);
        source.joins = joins.empty() ? default_joins(source, own) : joins;
        if (source.joins.empty())
            return refuse(join.line,
                          fmt::format("{}: say which columns of {} it equals: COLUMN = COLUMN",
                                      join.text, plan_.sources[0].table.name));
        for (const JoinTerm& term : source.joins)
            plan_.sources[source.parent].used.emplace(term.other, join.line);
    }

    void take_order(std::size_t self, const Value& order) {
        std::vector<OrderTerm> terms;
        for (const Value& part : split_list(order)) {
            Value name = part;
            const std::string lower = text::lower_ascii(name.text);
            const bool descends = lower.ends_with(" desc");
            if (descends || lower.ends_with(" asc"))
                name.text = text::trim(
                    std::string_view(name.text).substr(0, name.text.size() - (descends ? 5 : 4)));
            if (const auto field = find_field(name, self))
                terms.push_back({field->source, field->column.name, descends});
        }
        // Further columns make the order the same each time.
        Source& source = plan_.sources[self];
        if (!source.table.unique.empty())
            for (const std::string& column : source.table.unique.front()) {
                terms.push_back({self, column, false});
                source.used.emplace(column, source.line);
            }
        source.order = std::move(terms);
    }

    void take_also(const Also& also) {
        if (!add_table(also.table, also.as)) return;
        const std::size_t self = plan_.sources.size() - 1;
        take_join(self, also.join);
        take_order(self, also.order);
        for (const OrderTerm& term : plan_.sources[self].order)
            if (!is_ancestor(term.source, self))
                refuse(also.order.line,
                       fmt::format("order: {} is not between {} and the items",
                                   plan_.sources[term.source].alias, plan_.sources[self].alias));
    }

    bool is_ancestor(std::size_t source, std::size_t of) const {
        for (; of != 0; of = plan_.sources[of].parent)
            if (of == source) return true;
        return source == 0;
    }

    void take_columns() {
        for (const Element& element : d_.columns) {
            const int line = element.column.line;
            if (!is_element_name(element.name))
                refuse(line,
                       fmt::format("{}: the name of an element has small letters, digits and _",
                                   element.name));
            const auto field = find_field(element.column);
            if (!field) continue;
            if (field->column.type == "bytea" || field->column.element == "bytea")
                refuse(line, fmt::format("{}: bytes cannot become XML", element.column.text));
            auto same = std::find_if(plan_.elements.begin(), plan_.elements.end(),
                                     [&](const auto& e) { return e.name == element.name; });
            if (same == plan_.elements.end())
                same = plan_.elements.insert(same, Plan::PlannedElement{element.name, {}});
            same->fields.push_back(*field);
        }
    }

    void take_set(const SetRule& rule) {
        if (!is_set_label(rule.label))
            return refuse(rule.line,
                          fmt::format("[set {}]: a setSpec has A-Za-z0-9-_.!~*'()", rule.label));
        if (rule.label == "type" || rule.label == "lang" || rule.label == "col")
            return refuse(rule.line, fmt::format("[set {}]: the sets of kinds, languages and "
                                                 "collections; take another label",
                                                 rule.label));
        for (const Plan::PlannedSet& other : plan_.sets)
            if (other.label == rule.label)
                refuse(rule.line, fmt::format("[set {}]: given twice", rule.label));
        const auto column = find_field(rule.column);
        if (!column) return;
        std::optional<Field> name;
        if (!rule.name.text.empty()) {
            name = find_field(rule.name, column->source);
            if (name && name->source != column->source)
                refuse(rule.name.line, "name: a column of the same table as the values");
        }
        plan_.sets.push_back(
            {rule.label, rule.title.text.empty() ? rule.label : rule.title.text, *column, name});
    }

    void warn_of_index(const Table& table, const std::vector<std::string>& columns) {
        if ((table.kind != 'r' && table.kind != 'p') || table.has_index(columns)) return;
        plan_.warnings.push_back(
            fmt::format("{} is read whole for each item, for want of an index: {}", table.name,
                        make_index(table, columns)));
    }

    void warn_of_indexes() {
        for (std::size_t i = 1; i < plan_.sources.size(); ++i) {
            const Source& source = plan_.sources[i];
            std::vector<std::string> own, other;
            for (const JoinTerm& term : source.joins) {
                own.push_back(term.own);
                other.push_back(term.other);
            }
            warn_of_index(source.table, own);
            if (!d_.polled) warn_of_index(plan_.sources[source.parent].table, other);
        }
    }

    const Definition& d_;
    const Catalog& catalog_;
    Plan plan_;
    std::vector<std::string> problems_;
};

}  // namespace

Plan make_plan(const Definition& definition, const Catalog& catalog) {
    return Planner(definition, catalog).make();
}

}  // namespace oai::mapping
