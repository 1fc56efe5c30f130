// SPDX-License-Identifier: MIT
// Tags as browsers read them (HTML, 13.2.5), well-formed or not. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace oai::recover {

struct Attribute {
    std::string name;        // in lower case
    std::size_t begin, end;  // of its value, without quotes
    bool quoted;
};

struct Tag {
    std::string name;                   // in lower case
    std::vector<Attribute> attributes;  // that have a value
    bool empty = false;                 // ends in "/>"
    std::size_t end = 0;                // behind it
};

// REQUIRES: in[at] == '<', a letter follows, or '/' and a letter.
Tag read_tag(std::string_view in, std::size_t at);

// Those from here to the next '>' that is not within quotes, or to the end.
void read_attributes(std::string_view in, std::size_t at, Tag& tag);

}  // namespace oai::recover
