// SPDX-License-Identifier: MIT
// Reads tags as browsers do (HTML, 13.2.5), well-formed or not. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace oai::load {

struct TagAttribute {
    std::string name;        // in lower case
    std::size_t begin, end;  // offsets of its value, without quotes
    bool quoted;
};

struct Tag {
    std::string name;                      // in lower case
    std::vector<TagAttribute> attributes;  // those that have a value
    bool empty = false;                    // it ends in "/>"
    std::size_t end = 0;                   // offset after the tag
};

// REQUIRES: in[at] == '<', a letter follows, or '/' and a letter.
Tag read_tag(std::string_view in, std::size_t at);

// Appends the attributes from here to the next '>' outside quotes, or to the end.
void read_attributes(std::string_view in, std::size_t at, Tag& tag);

}  // namespace oai::load
