// SPDX-License-Identifier: MIT
#include "browse/page_functions.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "browse/kind.h"
#include "browse/page_address.h"
#include "browse/readable_host.h"
#include "browse/title.h"
#include "xml/painting.h"

namespace oai {
namespace {

using Values = std::span<const transform::FunctionArgument>;

const Language& language_of(const void* data) { return *static_cast<const Language*>(data); }

std::string say(const void* language, Values a) {
    const auto value = [&](std::size_t i) { return a.size() > i ? a[i].text() : std::string(); };
    return language_of(language).say(a[0].text(), {value(1), value(2)});
}

std::string number(const void* language, Values a) {
    return language_of(language).number(a[0].text());
}

std::string count(const void* language, Values a) {
    return language_of(language).count(a[0].text(), a[1].text());
}

std::string axis(const void* language, Values a) {
    return language_of(language).axis_number(a[0].text());
}

std::string encode(const void*, Values a) { return text::percent_encode(a[0].text(), ":"); }

std::string address(const void*, Values a) { return encoded_address(a[0].text()); }

// White space, what other programs take for the end of a line, control characters and what changes
// the direction of writing become single blanks, none of them at an end. A text that is cut ends in
// an ellipsis.
std::string line(const void*, Values a) {
    constexpr std::size_t kMaxBytes = 2'000;
    const std::string all = a[0].text();
    std::string line;
    bool blank = false;
    for (std::string_view rest = all; !rest.empty();) {
        const text::Character c = text::first_character(rest);
        const std::string_view written = rest.substr(0, c.length);
        rest.remove_prefix(c.length);
        if (c.value == ' ' || c.value == '\n' || c.value == '\t' || c.value == 0x2028 ||
            c.value == 0x2029 || c.value == 0xFEFF || text::is_unsafe_for_terminal(c.value)) {
            blank = !line.empty();
            continue;
        }
        if (line.size() + c.length + (blank ? 1 : 0) > kMaxBytes) return line + "\u2026";
        line.append(blank ? " " : "").append(written);
        blank = false;
    }
    return line;
}

std::string json(const void*, Values a) {
    using nlohmann::json;
    std::string out;
    for (const char c : json(a[0].text()).dump(-1, ' ', true, json::error_handler_t::replace))
        out += c == '<'   ? "\\u003c"
               : c == '>' ? "\\u003e"
               : c == '&' ? "\\u0026"
                          : std::string(1, c);
    return out;
}

std::string readable(const void*, Values a) { return readable_host(a[0].text()); }

std::string time(const void*, Values a) {
    std::string time = a[0].text();
    std::replace(time.begin(), time.end(), 'T', ' ');
    if (time.ends_with('Z')) time.replace(time.size() - 1, 1, "\u00A0UTC");
    return time;
}

std::string kind(const void*, Values a) { return std::string(kind_of(a[0].node())); }

std::string title(const void*, Values a) {
    const xmlNode* metadata = a[0].node();
    const std::string title = metadata != nullptr ? title_of(metadata) : std::string();
    const std::size_t max_bytes =
        a.size() > 1 ? static_cast<std::size_t>(text::to_integer(a[1].text()).value_or(0))
                     : title.size();
    return title.size() <= max_bytes ? title
                                     : std::string(text::utf8_prefix(title, max_bytes)) + "\u2026";
}

std::string record(const void*, Values a) { return record_path(a[0].text()); }

std::string paint(const void*, Values a) {
    const xmlNode* node = a[0].node();
    return node != nullptr && node->type == XML_ELEMENT_NODE ? xml::hypertext(node) : std::string();
}

constexpr std::array kFunctions{
    transform::Function{"say", 1, 3, say},         transform::Function{"number", 1, 1, number},
    transform::Function{"count", 2, 2, count},     transform::Function{"encode", 1, 1, encode},
    transform::Function{"address", 1, 1, address}, transform::Function{"time", 1, 1, time},
    transform::Function{"record", 1, 1, record},   transform::Function{"title", 1, 2, title},
    transform::Function{"xml", 1, 1, paint},       transform::Function{"readable", 1, 1, readable},
    transform::Function{"kind", 1, 1, kind},       transform::Function{"axis", 1, 1, axis},
    transform::Function{"line", 1, 1, line},       transform::Function{"json", 1, 1, json},
};

}  // namespace

transform::Functions page_functions(const Language& language) {
    return {.name_space = "urn:oai-fcgi:page", .all = kFunctions, .data = &language};
}

}  // namespace oai
