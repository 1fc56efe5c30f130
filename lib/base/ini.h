// SPDX-License-Identifier: MIT
// Parses an ini file into entries with their line numbers. Every line is checked before inih parses
// it, since inih silently cuts lines of 200 bytes, reads indented lines as further values, cuts
// values at " ;" and skips a byte order mark. Knows no particular section or key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace oai::ini {

struct Entry {
    std::string section, key, value;  // without blanks around them
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

// Reports a problem for each line that has: 200 bytes or more, a byte order mark, NUL and other
// characters that XML 1.0 forbids, broken UTF-8, an indented line, a section heading with anything
// after it, a line without '=' or ':' or without a name before it, an entry before the first
// heading, a ';' after a blank within a value. Comments are lines of their own that begin with '#'
// or ';'. Thread-safe.
File parse(std::string_view text);

}  // namespace oai::ini
