// SPDX-License-Identifier: MIT
#include "page/page_functions.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "page/page_address.h"
#include "page/title.h"
#include "xml/painting.h"

namespace oai {
namespace {

using Arguments = std::span<const xml::FunctionArgument>;

const Language& language_of(const void* data) { return *static_cast<const Language*>(data); }

std::string say(const void* language, Arguments a) {
    const auto value = [&](std::size_t i) { return a.size() > i ? a[i].text() : std::string(); };
    return language_of(language).say(a[0].text(), {value(1), value(2)});
}

std::string number(const void* language, Arguments a) { return language_of(language).number(a[0].text()); }

std::string count(const void* language, Arguments a) { return language_of(language).count(a[0].text(), a[1].text()); }

std::string encode(const void*, Arguments a) { return text::percent_encode(a[0].text(), ":"); }

// What no address may have is encoded: blanks, quotes, brackets, what is not ASCII.
std::string address(const void*, Arguments a) { return text::percent_encode(a[0].text(), "%:/?#[]@!$&'()*+,;="); }

std::string time(const void*, Arguments a) {
    std::string time = a[0].text();
    std::replace(time.begin(), time.end(), 'T', ' ');
    std::erase(time, 'Z');
    return time;
}

std::string title(const void*, Arguments a) {
    const xmlNode* metadata = a[0].node();
    const std::string title = metadata != nullptr ? title_of(metadata) : std::string();
    const std::size_t most = a.size() > 1 ? static_cast<std::size_t>(text::to_integer(a[1].text()).value_or(0)) : title.size();
    return title.size() <= most ? title : std::string(text::utf8_prefix(title, most)) + "\u2026";
}

std::string record(const void*, Arguments a) { return record_path(a[0].text()); }

std::string paint(const void*, Arguments a) {
    const xmlNode* node = a[0].node();
    return node != nullptr && node->type == XML_ELEMENT_NODE ? xml::hypertext(node) : std::string();
}

constexpr std::array kFunctions{
    xml::Function{"say", 1, 3, say},       xml::Function{"number", 1, 1, number}, xml::Function{"count", 2, 2, count},
    xml::Function{"encode", 1, 1, encode}, xml::Function{"address", 1, 1, address}, xml::Function{"time", 1, 1, time},
    xml::Function{"record", 1, 1, record}, xml::Function{"title", 1, 2, title},     xml::Function{"xml", 1, 1, paint},
};

}  // namespace

xml::Functions page_functions(const Language& language) {
    return {.name_space = "urn:oai-fcgi:page", .all = kFunctions, .data = &language};
}

}  // namespace oai
