// SPDX-License-Identifier: MIT
#include "browse/page_functions.h"

#include <algorithm>
#include <array>

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
};

}  // namespace

transform::Functions page_functions(const Language& language) {
    return {.name_space = "urn:oai-fcgi:page", .all = kFunctions, .data = &language};
}

}  // namespace oai
