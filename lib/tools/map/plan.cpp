// SPDX-License-Identifier: MIT
#include "tools/map/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/config.h"
#include "base/text.h"
#include "pg/connection.h"
#include "tools/map/script.h"

namespace oai::mapping {
namespace {

// Types of keys: those whose text form does not depend on settings of the session.
constexpr std::string_view kKeyTypes[] = {"smallint",  "integer", "bigint",
                                          "numeric",   "text",    "character varying",
                                          "character", "uuid",    "date"};

bool is_element_name(std::string_view name) {
    return !name.empty() && name[0] >= 'a' && name[0] <= 'z' &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
}

class Planner {
  public:
    Planner(const Definition& definition, const Catalog& catalog)
        : d_(definition), catalog_(catalog) {
        plan_.definition = definition;
    }

    Plan make() {
        if (add_table(d_.items, {d_.is_query() ? "oai_items" : ""}, !d_.is_query())) {
            take_key();
            if (!d_.where.text.empty())
                plan_.where = find_expression({"(" + d_.where.text + "\n)", d_.where.line}, 0);
            plan_.datestamp = find_called(d_.datestamp, "", 0);
            plan_.again = find_called(d_.again, "", 0);
            for (const Also& also : d_.also) take_also(also);
            take_columns();
            for (const SetRule& rule : d_.sets) take_set(rule);
            for (const Rows& rows : d_.rows) take_rows(rows);
        }
        throw_problems();
        plan_watches();
        plan_.source = source_query(plan_);
        check_reads();
        throw_problems();
        return std::move(plan_);
    }

  private:
    void refuse(int line, const std::string& what) {
        problems_.push_back(message_at(d_, line, what));
    }
    void throw_problems() {
        if (!problems_.empty()) throw ConfigError(fmt::format("{}", fmt::join(problems_, "\n")));
    }

    std::optional<Query> ask(int line, std::string_view what, const std::string& query) {
        try {
            return catalog_.query(query);
        } catch (const pg::Error& e) {
            refuse(line, fmt::format("{}: {}", what, e.what()));
            return std::nullopt;
        }
    }

    std::optional<Table> find_table(const Relation& from) {
        const Value& name = from.source();
        if (!from.query.text.empty()) {
            const auto query = ask(name.line, "query", name.text);
            if (!query) return std::nullopt;
            Table table;
            table.name = "(" + query->text + "\n)";
            table.kind = 'v';
            table.columns = query->columns;
            return table;
        }
        std::optional<Table> table = catalog_.table(name.text);
        if (!table) refuse(name.line, fmt::format("there is no table {}", name.text));
        return table;
    }

    bool add_table(const Relation& from, const Value& as, bool is_watched) {
        std::optional<Table> table = find_table(from);
        if (!table) return false;
        const Value& name = from.source();
        Source source;
        source.is_watched = is_watched && !d_.is_polled();
        if (!table->why_no_triggers.empty() && source.is_watched)
            refuse(name.line, fmt::format("{} {}; write {}changes = poll (--changes poll), and run "
                                          "`oai map --poll` every few minutes",
                                          table->name, table->why_no_triggers,
                                          table->kind != 'v' ? ""
                                                             : "view = and [also TABLE] for each "
                                                               "table behind it, or "));
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

    Field field_of(std::size_t source, const Column& column) const {
        return {source,
                column,
                quote_name(plan_.sources[source].alias) + "." + quote_name(column.name),
                {column.name}};
    }

    std::optional<Field> find_column(std::size_t source, const std::string& name, int line) {
        const Table& in = plan_.sources[source].table;
        const Column* found = in.find(name);
        if (found == nullptr) found = in.find(text::lower_ascii(name));
        if (found != nullptr) {
            plan_.sources[source].lines.emplace(found->name, line);
            return field_of(source, *found);
        }
        std::string names;
        for (const Column& column : in.columns) names += (names.empty() ? "" : ", ") + column.name;
        refuse(line, fmt::format("{} has no column {}; there are {}",
                                 in.bare.empty() ? "the query" : in.name, name, names));
        return std::nullopt;
    }

    std::optional<Field> find_expression(const Value& value, std::size_t source) {
        Source& in = plan_.sources[source];
        const auto query = ask(value.line, value.text, value_query(in, value.text));
        if (!query || query->columns.empty()) return std::nullopt;
        const std::size_t begin = query->text.find("SELECT ") + 7,
                          end = query->text.rfind(" AS oai_value");
        Field field{
            source, query->columns.front(), "(" + query->text.substr(begin, end - begin) + ")", {}};
        field.column.name = value.text;
        for (const Query::Read& read : query->reads)
            if (read.oid == in.table.oid) field.reads = read.columns;
        for (const std::string& name : field.reads) in.lines.emplace(name, value.line);
        return field;
    }

    // "name" of the table `within`, "author.name", or an expression.
    std::optional<Field> find_field(const Value& value, std::size_t within = 0) {
        std::size_t source = within;
        if (value.text.starts_with('(')) {  // an expression over the table that it names
            for (std::size_t i = 0; i < plan_.sources.size(); ++i)
                if (value.text.find(plan_.sources[i].alias + ".") != value.text.npos) source = i;
            return find_expression(value, source);
        }
        std::vector<std::string> parts = split_name(value.text);
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
        return find_column(source, parts.back(), value.line);
    }

    // The column with this default name, if the file names none.
    std::optional<Field> find_called(const Value& value, const std::string& name,
                                     std::size_t within) {
        if (!value.text.empty()) return find_field(value, within);
        const Column* column = plan_.sources[within].table.find(name);
        return column == nullptr ? std::nullopt : std::optional(field_of(within, *column));
    }

    void take_key() {
        const Table& table = plan_.sources[0].table;
        std::vector<std::string> names;
        for (const Value& part : split_list(d_.key)) {
            const auto field = find_field(part);
            if (!field) continue;
            plan_.key.push_back(*field);
            if (!is_in(kKeyTypes, field->column.type))
                refuse(part.line, fmt::format("{}: no identifier is made of the type {}; use a "
                                              "column of numbers, text or uuid",
                                              field->column.name, field->column.type));
            if (table.find(field->column.name) != nullptr) names.push_back(field->column.name);
        }
        const std::string list = fmt::format("{}", fmt::join(names, ", "));
        if (names.size() == plan_.key.size() && (table.kind == 'r' || table.kind == 'p') &&
            !names.empty() && !Table::any_of(table.unique, names, true))
            refuse(d_.key.line,
                   fmt::format("{0} may have several rows with the same {1}, but an "
                               "identifier has one item; create unique index on {0} ({1})",
                               table.name, list));
    }

    // The default of a join: with the primary key, if its types match, or with the item's key.
    std::vector<JoinTerm> default_joins(const std::vector<Field>& own, bool by_primary_key) {
        std::vector<Field> key;
        if (const auto& unique = plan_.sources[0].table.unique; !unique.empty() && by_primary_key)
            for (const std::string& name : unique.front())
                key.push_back(field_of(0, *plan_.sources[0].table.find(name)));
        const auto same_type = [](const Field& a, const Field& b) {
            return a.column.type == b.column.type;
        };
        if (!std::equal(own.begin(), own.end(), key.begin(), key.end(), same_type)) key = plan_.key;
        std::vector<JoinTerm> joins;
        for (std::size_t i = 0; i < own.size() && own.size() == key.size(); ++i)
            joins.push_back({own[i], d_.is_query() ? std::nullopt : std::optional(key[i])});
        return joins;
    }

    void take_join(std::size_t self, const Value& join, bool is_rows) {
        std::vector<Field> own;
        std::vector<JoinTerm> joins;
        std::optional<std::size_t> parent;
        for (const Value& term : split_list(join)) {
            const std::vector<Value> ends = split_list(term, '=');
            if (ends.empty() || ends.size() > 2)
                return refuse(term.line, fmt::format("{}: write COLUMN = COLUMN", term.text));
            const auto field = ends[0].text.starts_with('(')
                                   ? find_expression(ends[0], self)
                                   : find_column(self, split_name(ends[0].text).back(), term.line);
            if (!field) return;
            own.push_back(*field);
            if (ends.size() == 1) continue;
            const auto other = find_field(ends[1]);
            if (!other) return;
            if (other->source == self || (parent && *parent != other->source))
                return refuse(term.line,
                              fmt::format("{}: a table joins one other table", join.text));
            parent = other->source;
            joins.push_back({*field, *other});
        }
        Source& source = plan_.sources[self];
        if (!joins.empty() && joins.size() != own.size())
            return refuse(join.line,
                          fmt::format("{}: say of each column which one it equals", join.text));
        source.parent = parent.value_or(0);
        source.joins = joins.empty() ? default_joins(own, !is_rows) : joins;
        if (source.joins.empty())
            return refuse(join.line,
                          fmt::format("{}: say what it equals: COLUMN = COLUMN", join.text));
        if (d_.is_query() && parent == 0 && source.is_watched)
            return refuse(join.line,
                          join.text +
                              ": join it with another [also TABLE], or say the "
                              "columns that are the key; what has left the query leads nowhere");
        std::vector<Field> other;
        for (const JoinTerm& term : source.joins)
            if (term.other) other.push_back(*term.other);
        if (!d_.is_query()) warn_of_index(source.table, own);
        if (!other.empty() && source.is_watched)
            warn_of_index(plan_.sources[source.parent].table, other);
        if (!other.empty())
            ask(join.line, join.text,
                fmt::format("select from {} {}, {} {} where {}", source.table.name,
                            quote_name(source.alias), plan_.sources[source.parent].table.name,
                            quote_name(plan_.sources[source.parent].alias),
                            join_condition(plan_, self, plan_.key)));
    }

    void take_also(const Also& also) {
        const bool is_unwatched = also.unwatched.text == "yes";
        const auto table = catalog_.table(also.table.text);
        if (is_unwatched) unwatched_.push_back(table ? table->name : also.table.text);
        if (also.join.text.empty() || !add_table({also.table, {}, {}}, also.as, !is_unwatched))
            return;
        const std::size_t self = plan_.sources.size() - 1;
        take_join(self, also.join, d_.is_query());
        // Further columns make the order deterministic.
        Source& source = plan_.sources[self];
        source.order = also.order.text;
        if (!source.table.unique.empty())
            for (const std::string& column : source.table.unique.front())
                source.order += (source.order.empty() ? "" : ", ") +
                                field_of(self, *source.table.find(column)).sql;
        if (!source.order.empty())
            ask(also.order.line, "order",
                fmt::format("select from {} order by {}", from_clause(plan_, self), source.order));
    }

    void take_column(const std::string& name, const Field& field, int line) {
        if (!is_element_name(name))
            refuse(line,
                   fmt::format("{}: the name of an element has small letters, digits and _", name));
        if (field.column.type == "bytea" || field.column.element == "bytea")
            refuse(line, fmt::format("{}: bytes cannot become XML", field.column.name));
        if (d_.is_query() && field.source != 0)
            refuse(line, fmt::format("{}: the query gives the columns, and [also] says what tells "
                                     "of changes",
                                     field.column.name));
        auto same = std::find_if(plan_.elements.begin(), plan_.elements.end(),
                                 [&](const auto& e) { return e.name == name; });
        if (same == plan_.elements.end())
            same = plan_.elements.insert(same, Plan::PlannedElement{name, {}});
        same->fields.push_back(field);
    }

    // For a query without [columns]: maps the columns whose names are elements.
    void take_columns() {
        for (const Element& element : d_.columns)
            if (const auto field = find_field(element.column))
                take_column(element.name, *field, element.column.line);
        if (!d_.columns.empty()) return;
        for (const Column& column : plan_.sources[0].table.columns)
            if (is_known_element(column.name)) take_column(column.name, field_of(0, column), 0);
        if (plan_.elements.empty())
            refuse(d_.items.source().line,
                   "no column of it is called as an element is; write [columns]");
    }

    void take_set(const SetRule& rule) {
        if (rule.label == "type" || rule.label == "lang" || rule.label == "col")
            return refuse(rule.line, fmt::format("[set {}]: the sets of kinds, languages and "
                                                 "collections; take another label",
                                                 rule.label));
        const auto column = find_field(rule.column);
        if (!column) return;
        const auto name = find_called(rule.name, "", column->source);
        plan_.sets.push_back(
            {rule.label, rule.title.text.empty() ? rule.label : rule.title.text, *column, name});
    }

    // [sets] and [deleted]
    void take_rows(const Rows& rows) {
        const std::size_t self = plan_.sources.size();
        if (!add_table(rows.from, {"oai_" + std::to_string(self)}, false)) return;
        const int line = rows.from.source().line;
        const Value key{rows.key.text.empty() ? d_.key.text : rows.key.text,
                        rows.key.text.empty() ? line : rows.key.line};
        if (rows.section != "deleted") {
            take_join(self, key, true);
            const auto spec = find_called(rows.spec, "spec", self);
            if (spec) plan_.sets.push_back({"", "", *spec, find_called(rows.name, "name", self)});
            if (!spec) refuse(line, fmt::format("[{}] spec: missing", rows.section));
            return;
        }
        Plan::Deleted deleted{{}, find_called(rows.datestamp, "datestamp", self)};
        for (const Value& part : split_list(key))
            if (const auto field = find_field(part, self)) deleted.key.push_back(*field);
        if (deleted.key.size() != plan_.key.size())
            refuse(key.line, "[deleted] key: has other parts than that of [items]");
        plan_.deleted = deleted;
    }

    // The line of the file that names the table, or one of its columns.
    int line_of(const std::string& oid, const std::string& column = "") const {
        int line = 0;
        for (const Source& source : plan_.sources) {
            if (source.table.oid != oid) continue;
            if (const auto named = source.lines.find(column); named != source.lines.end())
                return named->second;
            if (line == 0) line = source.line;
        }
        return line == 0 ? d_.items.source().line : line;
    }

    // Each table gets its triggers once, even if it is named several times.
    void plan_watches() {
        for (const Source& source : plan_.sources) {
            if (!source.is_watched) continue;
            auto watch = std::find_if(plan_.watches.begin(), plan_.watches.end(),
                                      [&](const Watch& w) { return w.oid == source.table.oid; });
            if (watch == plan_.watches.end())
                watch = plan_.watches.insert(
                    watch, {source.table.oid, source.table.name, source.line, {}, {}});
            const auto add = [&](const Field& field) {
                for (const std::string& name : field.reads)
                    if (watch->used.emplace(name, line_of(watch->oid, name)).second)
                        watch->leading.push_back(*source.table.find(name));
            };
            for (const JoinTerm& term : source.joins) add(term.own);
            if (&source == plan_.sources.data())
                for (const Field& key : plan_.key) add(key);
        }
    }

    // Every table that is read, also through views, must be watched.
    void check_reads() {
        const auto query = ask(d_.items.source().line, "[items]", plan_.source);
        const auto ways =
            ask(d_.items.source().line, "[also]", ways_query(plan_, "library.map_log"));
        if (!query || !ways) return;
        if (!query->text.empty()) plan_.source = query->text;
        constexpr std::string_view kLog = "library.map_log ";
        plan_.ways = ways->text;
        for (std::size_t at = 0; (at = plan_.ways.find(kLog, at)) != plan_.ways.npos;)
            plan_.ways.replace(at, kLog.size(), "pg_temp.map_taken ");
        for (const Query::Read& read : query->reads) {
            auto watch = std::find_if(plan_.watches.begin(), plan_.watches.end(),
                                      [&](const Watch& w) { return w.oid == read.oid; });
            const bool is_watched = watch != plan_.watches.end();
            if (!is_watched && read.kind != 'F')  // the first is the table of the items
                watch = plan_.also_read.insert(read.oid == plan_.sources[0].table.oid
                                                   ? plan_.also_read.begin()
                                                   : plan_.also_read.end(),
                                               {read.oid, read.name, line_of(read.oid), {}, {}});
            if (is_watched || (d_.is_polled() && read.kind != 'F'))
                for (const std::string& column : read.columns)
                    watch->used.emplace(column, line_of(read.oid, column));
            if (is_watched || d_.is_polled() || read.kind == 'v' || is_in(unwatched_, read.name))
                continue;
            refuse(d_.items.source().line,
                   read.kind == 'F'
                       ? fmt::format("nobody knows which tables {}() reads: if none, make it "
                                     "immutable; or write [also {}] unwatched = yes",
                                     read.name, read.name)
                       : fmt::format("{} is read, and nobody would see its changes: write [also "
                                     "{}] with join = COLUMN = COLUMN, which leads to the key; or "
                                     "unwatched = yes",
                                     read.name, read.name));
        }
        if (query->depends_on_time && d_.again.text.empty() && !d_.is_polled())
            plan_.warnings.push_back(
                message_at(d_, d_.items.source().line,
                           "what is given out depends on the time, which no trigger "
                           "sees pass; [items] again = says when to look again"));
    }

    // Warns if there is no index on columns by which rows are looked up.
    void warn_of_index(const Table& table, const std::vector<Field>& fields) {
        std::vector<std::string> columns;
        std::string names;
        for (const Field& field : fields) {
            if (table.find(field.column.name) == nullptr) return;
            columns.push_back(field.column.name);
            names += (names.empty() ? "" : ", ") + quote_name(columns.back());
        }
        if ((table.kind != 'r' && table.kind != 'p') ||
            Table::any_of(table.indexes, columns, false))
            return;
        const std::string warning =
            fmt::format("{0} is read whole for each item, for want of an index: {2} on {0} ({1})",
                        table.name, names, "create index");
        if (!is_in(plan_.warnings, warning)) plan_.warnings.push_back(warning);
    }

    const Definition& d_;
    const Catalog& catalog_;
    Plan plan_;
    std::vector<std::string> unwatched_;
    std::vector<std::string> problems_;
};

}  // namespace

Plan make_plan(const Definition& definition, const Catalog& catalog) {
    return Planner(definition, catalog).make();
}

}  // namespace oai::mapping
