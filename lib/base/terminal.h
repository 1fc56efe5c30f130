// SPDX-License-Identifier: MIT
// Text for a terminal. Pure.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/text.h"

namespace oai::text {

// Makes text safe to print to a terminal: applies to_xml_text(), then writes control characters
// except \n and \t, and characters that change the direction of writing, in the form \u{9B}. A
// terminal would interpret them, and a reader could be misled.
inline std::string to_terminal_text(std::string_view bytes) {
    const std::string text = to_xml_text(bytes);
    std::string out;
    for (std::string_view rest = text; !rest.empty();) {
        const Character c = first_character(rest);
        if (is_unsafe_for_terminal(c.value))
            out += fmt::format("\\u{{{:X}}}", static_cast<unsigned>(c.value));
        else
            out += rest.substr(0, c.length);
        rest.remove_prefix(c.length);
    }
    return out;
}

}  // namespace oai::text
