// SPDX-License-Identifier: MIT
#include "transform/string_functions.h"

#include <libxml/uri.h>

#include <algorithm>
#include <new>

#include "transform/ascii.h"
#include "xml/handle.h"

namespace oai::transform {
namespace {

// Removes the first character.
std::string_view take_character(std::string_view& utf8) {
    const auto c = static_cast<unsigned char>(utf8.front());
    const std::string_view first = utf8.substr(0, c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4);
    utf8.remove_prefix(first.size());
    return first;
}

}  // namespace

std::size_t count_characters(std::string_view utf8) {
    return static_cast<std::size_t>(std::count_if(
        utf8.begin(), utf8.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

void append_translated(std::string& out, std::string_view s, std::string_view from,
                       std::string_view to) {
    const auto is_ascii = [](std::string_view t) {
        return std::all_of(t.begin(), t.end(), [](char c) { return (c & 0x80) == 0; });
    };
    if (is_ascii(from) && is_ascii(to)) {  // bytes are characters, as nearly always
        for (const char c : s)
            if (const std::size_t at = from.find(c); at >= from.size())
                out += c;
            else if (at < to.size())
                out += to[at];
        return;
    }
    while (!s.empty()) {
        const std::string_view c = take_character(s);
        std::string_view wanted = from, replacements = to, replacement;
        bool is_found = false;
        while (!is_found && !wanted.empty()) {
            is_found = take_character(wanted) == c;
            replacement = replacements.empty() ? "" : take_character(replacements);
        }
        out += is_found ? replacement : c;
    }
}

void append_normalized(std::string& out, std::string_view s) {
    bool pending = false;
    for (const char c : s) {
        if (is_blank(c)) {
            pending = !out.empty();
            continue;
        }
        if (pending) out += ' ';
        pending = false;
        out += c;
    }
}

std::string_view substring(std::string_view s, std::size_t first, std::size_t behind) {
    std::size_t position = 1;
    for (; position < first && !s.empty(); ++position) take_character(s);
    std::string_view rest = s;
    for (; position < behind && !rest.empty(); ++position) take_character(rest);
    return s.substr(0, s.size() - rest.size());
}

void append_replaced(std::string& out, std::string_view s, std::string_view part,
                     std::string_view by) {
    for (std::size_t at; (at = s.find(part)) != std::string_view::npos;) {
        out.append(s.substr(0, at)).append(by);
        s.remove_prefix(at + part.size());
    }
    out.append(s);
}

void encode_uri(std::string& text) {
    const xml::StringHandle encoded(
        xmlURIEscapeStr(xml::xml_chars(text.c_str()), xml::xml_chars("-_.!~*'()")));
    if (!encoded) throw std::bad_alloc();
    text = xml::view(encoded.get());
}

}  // namespace oai::transform
