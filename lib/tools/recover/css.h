// SPDX-License-Identifier: MIT
// Finds references in a style sheet, by the tokens of CSS Syntax Level 3. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace oai::recover {

// Replacements of parts of a text, while everything else stays byte for byte. Plain values.

// Returns the replacement of a reference, or "" to leave it unchanged. The reference is passed
// decoded, without escapes of HTML or CSS; the replacement is escaped by the caller.
using ReferenceMapper = std::function<std::string(const std::string& reference)>;

struct Edit {
    std::size_t begin, end;  // byte offsets in the text
    std::string text;        // the replacement
};

// In the order of the text, without overlaps.
using Edits = std::vector<Edit>;

inline std::string apply_edits(std::string_view text, const Edits& edits) {
    std::string out;
    std::size_t at = 0;
    for (const Edit& edit : edits) {
        out.append(text.substr(at, edit.begin - at)) += edit.text;
        at = edit.end;
    }
    return out.append(text.substr(at));
}

// What HTML ("ASCII whitespace") and CSS ("whitespace") pass over.

inline constexpr std::string_view kBlanks = " \t\r\n\f";
constexpr bool is_blank(char c) { return kBlanks.find(c) != kBlanks.npos; }

// Maps every url(), quoted or not, and every string of @import and image-set(), in a style sheet, a
// style element or a style attribute. URLs that are names rather than references stay (@namespace,
// @charset, @document), as do comments, invalid CSS, and fragments alone, which always refer to the
// document itself (CSS Values 4, 4.5.1). Works in any encoding that extends ASCII: in text that is
// no UTF-8, a backslash after a byte of 0x81 or more counts as the second half of a character, as
// in Shift_JIS, Big5 and GBK.
Edits css_edits(std::string_view css, const ReferenceMapper& map);

}  // namespace oai::recover
