// SPDX-License-Identifier: MIT
// Parts of a text that become others, while all else stays byte for byte. Plain values.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace oai::recover {

// What is to stand for this reference, "" to leave it. It is given as it means, without escapes of the language it stands in.
using Target = std::function<std::string(const std::string& reference)>;

struct Edit {
    std::size_t begin, end;  // bytes of the text
    std::string text;        // in their place
};

// Without overlaps, in the order of the text.
using Edits = std::vector<Edit>;

inline std::string applied(std::string_view text, const Edits& edits) {
    std::string out;
    std::size_t at = 0;
    for (const Edit& edit : edits) {
        out.append(text.substr(at, edit.begin - at)) += edit.text;
        at = edit.end;
    }
    return out.append(text.substr(at));
}

}  // namespace oai::recover
