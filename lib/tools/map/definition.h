// SPDX-License-Identifier: MIT
// A mapping of existing tables, parsed from map.ini. plan.h checks it against the database.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oai::mapping {

// A value and its line in the file; line 0: the key is absent.
struct Value {
    std::string text;
    int line = 0;
};

// The source of rows; exactly one member is set.
struct Relation {
    Value table, view;  // quoted for SQL: mag.author, mag."Author"
    Value query;        // may have several lines

    const Value& source() const {
        return !query.text.empty() ? query : view.text.empty() ? table : view;
    }
};

// A further table: its rows belong to items, or its changes affect items.
struct Also {
    Value table;
    Value as;         // its alias in columns and joins; "": the table's name
    Value join;       // article_id | article_id = id | id = authorship.author_id, ...
    Value order;      // position desc, name
    Value unwatched;  // yes: no triggers, so changes wait for the next complete comparison

    const std::string& section() const { return as.text.empty() ? table.text : as.text; }
};

struct Element {
    std::string name;  // title
    Value column;      // title | author.name
};

struct SetRule {
    std::string label;  // the setSpec is LABEL:VALUE
    Value column;       // each value becomes a set
    Value name;         // the column with their readable names; "": the values themselves
    Value title;        // the name of the set LABEL; "": LABEL
    int line = 0;
};

// Rows with complete setSpecs of items, or with items deleted before the first mapping.
struct Rows {
    std::string section;  // sets, sets NAME or deleted
    Relation from;
    Value key;
    Value spec, name;  // of sets
    Value datestamp;   // of deleted items
};

// The whole file. Instead of a column, an expression in parentheses is allowed.
struct Definition {
    std::string file;  // for messages; "": there is none yet
    std::string part;  // map.d/PART.ini; "": any other file
    std::string text;
    Relation items;
    Value key;
    Value prefix;     // of identifiers, before what the key makes
    Value where;      // an SQL condition; "": all rows
    Value datestamp;  // the column with the datestamps of the first publication
    Value again;      // an expression for the time at which the item is compared again
    Value changes;    // "triggers" (the default) or "poll"
    std::vector<Also> also;
    std::vector<Element> columns;  // values of elements with the same name are appended in order
    std::vector<SetRule> sets;
    std::vector<Rows> rows;

    bool is_polled() const { return changes.text == "poll"; }
    // Whether items come from a view or query, whose changes are known only through other tables.
    bool is_query() const { return !items.view.text.empty() || !items.query.text.empty(); }
};

template <class List>
bool is_in(const List& list, std::string_view word) {
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

// The elements of Dublin Core, which are always lists of text.
bool is_dublin_core(std::string_view name);
std::span<const std::string_view> dublin_core();

// Throws ConfigError with file and line of every problem.
Definition parse_definition(std::string_view text, const std::string& file);

// Which of several maps a file is: PART of map.d/PART.ini; "" of any other.
std::string part_of(const std::string& file);

// "mag.author(article_id) as author order by position", as --also has it. Throws ConfigError.
Also parse_also(std::string_view text);
// Splits "author.name, position", but not within quotes or parentheses.
std::vector<Value> split_list(const Value& list, char separator = ',');
// Splits mag."My Table" into mag and My Table. Throws ConfigError.
std::vector<std::string> split_name(std::string_view name);

// "FILE:LINE: what", or `what` alone if there is no line.
std::string message_at(const Definition& definition, int line, std::string_view what);

}  // namespace oai::mapping
