// SPDX-License-Identifier: MIT
#include "tools/load/item_rows.h"

#include <algorithm>
#include <string>
#include <vector>

namespace oai::load {
namespace {

// '{cs,NULL}', one for each value; NULL instead of the array where no value has a language.
void add_languages(pg::CopyWriter& row, const std::vector<Value>& values) {
    if (std::all_of(values.begin(), values.end(),
                    [](const Value& v) { return v.language.empty(); }))
        return row.add_null();
    std::string out = "{";
    for (const Value& value : values) {
        if (&value != &values.front()) out += ',';
        out += value.language.empty() ? "NULL" : value.language;  // letters, digits and hyphens
    }
    row.add(out += '}');
}

void add_element(pg::CopyWriter& row, const std::vector<Value>& values, bool has_language) {
    std::vector<std::string> texts;
    texts.reserve(values.size());
    for (const Value& value : values) texts.push_back(value.text);
    row.add_or_null(texts);
    if (has_language) add_languages(row, values);
}

}  // namespace

void add_content(pg::CopyWriter& row, const Item& item) {
    row.add_or_null(item.kind);
    for (std::size_t e = 0; e < kElements; ++e)
        add_element(row, item.elements[e], kElementNames[e].has_language);
    for (const std::string* value : {&item.doi, &item.urn, &item.landing_page, &item.licence})
        row.add_or_null(*value);
    row.add(item.year);
    row.add_or_null(item.isbn);
    row.add_or_null(item.issn);
    for (const std::string* value : {&item.marc, &item.mods, &item.origin}) row.add_or_null(*value);
}

}  // namespace oai::load
