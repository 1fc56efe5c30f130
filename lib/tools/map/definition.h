// SPDX-License-Identifier: MIT
// What of a database's own tables is given out, as map.ini says it: which table has a row for each
// item, which other tables belong to it, which columns become which elements and sets. Reads and
// writes the file; does not know whether the tables exist (plan.h does).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oai::mapping {

// A value with its line in the file; 0: it came from a command line.
struct Value {
    std::string text;
    int line = 0;
};

// Another table whose rows belong to items.
struct Also {
    Value table;  // as SQL has it: mag.author, mag."Author"
    Value as;     // what columns and other tables call it; "": the table's own name
    Value join;   // article_id | article_id = id | id = authorship.author_id, ...
    Value order;  // position desc, name

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

struct Definition {
    std::string file;  // for messages
    Value table;
    std::vector<Value> key;
    Value where;      // an SQL condition; "": all rows
    Value datestamp;  // the column with the datestamps of the first publication
    bool polled = false;
    std::vector<Also> also;
    std::vector<Element> columns;  // several of one name: their values one behind the other
    std::vector<SetRule> sets;
};

// The elements of Dublin Core, which are always lists of text.
bool is_dublin_core(std::string_view name);
std::span<const std::string_view> dublin_core();

// Throws ConfigError, which names file and line of everything that is wrong.
Definition parse_definition(std::string_view text, const std::string& file);

// "mag.author(article_id) as author order by position", as --also has it. Throws ConfigError.
Also parse_also(std::string_view text);
// "author.name, position" as its parts, which quotes may hold together.
std::vector<Value> split_list(const Value& list);
// mag."My Table" as mag and My Table. Throws ConfigError.
std::vector<std::string> split_name(std::string_view name);

// The file, with comments that say what may be changed.
std::string print_definition(const Definition& definition);

// "FILE:LINE: what", or what alone without a line.
std::string say(const Definition& definition, int line, std::string_view what);

}  // namespace oai::mapping
