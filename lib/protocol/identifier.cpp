// SPDX-License-Identifier: MIT
#include "protocol/identifier.h"

#include <algorithm>

#include "base/text.h"

namespace oai {
namespace {

bool is_label_character(char c) {
    constexpr std::string_view kMarks = "-_.!~*'()";
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
}

}  // namespace

bool is_label(std::string_view s) {
    return !s.empty() && std::all_of(s.begin(), s.end(), is_label_character);
}

bool is_set_spec(std::string_view s) {
    for (std::size_t colon = s.find(':'); colon != std::string_view::npos; colon = s.find(':')) {
        if (!is_label(s.substr(0, colon))) return false;
        s.remove_prefix(colon + 1);
    }
    return is_label(s);
}

std::string set_label(std::string_view bytes) {
    std::string label;
    label.reserve(bytes.size());
    for (const char c : bytes)
        if (is_label_character(c) && c != '~')
            label.push_back(c);
        else
            text::append_hex(label += '~', c);
    return label;
}

}  // namespace oai
