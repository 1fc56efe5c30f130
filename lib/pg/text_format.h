// SPDX-License-Identifier: MIT
// Values in PostgreSQL's text format: arrays as parameters, columns of COPY. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oai::pg {

// "{"a","b\"c"}", for a parameter that the statement casts to text[] or to an array of another
// type.
std::string array_literal(const std::vector<std::string>& values);
// "{1,7}".
std::string int_array_literal(std::span<const int> values);

// One column's value in the text format of COPY: backslash, tab and line ends are escaped.
void append_copy_text(std::string& out, std::string_view value);

}  // namespace oai::pg
