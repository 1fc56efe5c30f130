// SPDX-License-Identifier: MIT
// An ini file as entries, each with its line. Parsed by inih behind a check of every line, since inih cuts
// lines of 200 bytes, takes indented lines as further values, cuts values at " ;" and skips a byte order
// mark, all silently. Knows no section and no key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace oai::ini {

struct Entry {
    std::string section, key, value;  // blanks around them are gone
    int line;                         // from 1
};

struct Problem {
    int line;
    std::string what;
};

struct File {
    std::vector<Entry> entries;  // in order; empty if there are problems
    std::vector<Problem> problems;
};

// Refused, each by its line: 200 bytes or more, a byte order mark, NUL and other characters that XML 1.0
// forbids, broken UTF-8, an indented line, a section heading with anything behind it, a line without '=' or
// ':' or without a name before it, an entry before the first heading, a ';' behind a blank within a value.
// Comments are lines of their own that begin with '#' or ';'. Thread-safe.
File parse(std::string_view text);

}  // namespace oai::ini
