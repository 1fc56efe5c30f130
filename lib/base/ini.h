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

// Reports a problem for each line that is neither blank, a comment that begins with '#' or ';', a
// [heading] nor an entry below one, or that inih would read otherwise. Thread-safe.
File parse(std::string_view text);

}  // namespace oai::ini
