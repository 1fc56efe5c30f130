// SPDX-License-Identifier: MIT
// Replacements of parts of a text, while everything else stays byte for byte. Plain values.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace oai::recover {

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

}  // namespace oai::recover
