// SPDX-License-Identifier: MIT
// What of a database's own tables is given out, as map.ini says it. Reads the file; does not know
// whether the tables exist (plan.h does).
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oai::mapping {

// A value with its line in the file; 0: it is not there.
struct Value {
    std::string text;
    int line = 0;
};

// Where rows come from: one of these.
struct Relation {
    Value table, view;  // as SQL has it: mag.author, mag."Author"
    Value query;        // in as many lines as it needs

    const Value& given() const {
        return !query.text.empty() ? query : view.text.empty() ? table : view;
    }
};

// Another table whose rows belong to items, or whose changes are changes of items.
struct Also {
    Value table;
    Value as;         // what columns and other tables call it; "": the table's own name
    Value join;       // article_id | article_id = id | id = authorship.author_id, ...
    Value order;      // position desc, name
    Value unwatched;  // yes: its changes wait for the next look at all

    const std::string& section() const { return as.text.empty() ? table.text : as.text; }
};

struct Element {
    std::string name;  // title
    Value column;      // title | author.name
};

struct SetRule {
    std::string label;  // the setSpec is LABEL:VALUE
    Value column;       // whose values make sets
    Value name;         // the column with their readable names; "": the values themselves
    Value title;        // what LABEL itself is called; "": LABEL
    int line = 0;
};

// Whole setSpecs of items, or what was deleted before.
struct Rows {
    std::string section;  // sets, sets NAME or deleted
    Relation from;
    Value key;
    Value spec, name;  // of sets
    Value datestamp;   // of what was deleted
};

// Where a column stands there may be an expression in parentheses.
struct Definition {
    std::string file;  // for messages; "": there is none yet
    std::string part;  // map.d/PART.ini; "": any other file
    std::string text;
    Relation items;
    Value key;
    Value prefix;     // of identifiers, before what the key makes
    Value where;      // an SQL condition; "": all rows
    Value datestamp;  // the column with the datestamps of the first publication
    Value again;      // when an item is to be looked at again
    Value changes;    // triggers, which is the default, or poll
    std::vector<Also> also;
    std::vector<Element> columns;  // several of one name: their values one behind the other
    std::vector<SetRule> sets;
    std::vector<Rows> rows;

    bool is_polled() const { return changes.text == "poll"; }
    // Other tables tell of its changes.
    bool is_query() const { return !items.view.text.empty() || !items.query.text.empty(); }
};

template <class List>
bool is_in(const List& list, std::string_view word) {
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

// The elements of Dublin Core, which are always lists of text.
bool is_dublin_core(std::string_view name);
std::span<const std::string_view> dublin_core();

// Throws ConfigError, which names file and line of everything that is wrong.
Definition parse_definition(std::string_view text, const std::string& file);

// Which of several maps a file is: PART of map.d/PART.ini; "" of any other.
std::string part_of(const std::string& file);

// "mag.author(article_id) as author order by position", as --also has it. Throws ConfigError.
Also parse_also(std::string_view text);
// "author.name, position" as its parts, which quotes and parentheses may hold together.
std::vector<Value> split_list(const Value& list, char separator = ',');
// mag."My Table" as mag and My Table. Throws ConfigError.
std::vector<std::string> split_name(std::string_view name);

// "FILE:LINE: what", or what alone without a line.
std::string say(const Definition& definition, int line, std::string_view what);

}  // namespace oai::mapping
