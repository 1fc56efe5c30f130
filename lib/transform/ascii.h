// SPDX-License-Identifier: MIT
// Classes of characters of XPath 1.0 and of names (Namespaces in XML) of ASCII alone.
#pragma once

namespace oai::transform {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool begins_name(char c) { return is_letter(c) || c == '_'; }
constexpr bool continues_name(char c) {
    return begins_name(c) || is_digit(c) || c == '-' || c == '.';
}

}  // namespace oai::transform
