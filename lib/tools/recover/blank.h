// SPDX-License-Identifier: MIT
// What HTML ("ASCII whitespace") and CSS ("whitespace") pass over.
#pragma once

#include <string_view>

namespace oai::recover {

inline constexpr std::string_view kBlanks = " \t\r\n\f";
constexpr bool is_blank(char c) { return kBlanks.find(c) != kBlanks.npos; }

}  // namespace oai::recover
