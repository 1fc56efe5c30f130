// SPDX-License-Identifier: MIT
#include "format/since.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "format/description.h"
#include "protocol/record.h"
#include "xml/document.h"
#include "xml/handle.h"

namespace oai {
namespace {

// A start tag up to and including the value of its attribute `since`.
constexpr const char* kSince =
    R"re(^(<[^\s>/]+(?:\s+[^\s=>]+\s*=\s*(?:"[^"]*"|'[^']*'))*?\s+since\s*=\s*["'])[^"']*)re";

ReadDescription read(const xmlDoc* document, const std::string& path) {
    Problems problems(path);
    return read_description(document, path, problems);
}

xml::DocumentHandle parse(const std::string& text, const std::string& path) {
    return xml::parse_memory(
        text, path, nullptr,
        is_descriptor(path) ? xml::Entities::predefined : xml::Entities::of_the_document);
}

}  // namespace

std::optional<std::string> with_since(const std::string& text, const std::string& path,
                                      Seconds moment) {
    const xml::DocumentHandle document = parse(text, path);
    const xmlNode* const element = read(document.get(), path).element;
    if (element == nullptr) return std::nullopt;
    const std::string_view prefix = xml::view(element->ns->prefix);
    const std::string tag =
        fmt::format("<{}{}{}", prefix, prefix.empty() ? "" : ":", xml::view(element->name));
    // The first match may be in a comment, so each change is verified by parsing the result.
    for (std::size_t at = text.find(tag); at != text.npos; at = text.find(tag, at + 1)) {
        std::string rest = text.substr(at);
        const std::string stamp = print_datestamp(moment);
        if (!RE2::Replace(&rest, RE2(kSince, RE2::Latin1), "\\1" + stamp))
            rest.insert(tag.size(), fmt::format(" since=\"{}\"", stamp));
        const std::string changed = text.substr(0, at) + rest;
        try {
            if (read(parse(changed, path).get(), path).description.since == moment) return changed;
        } catch (const xml::Error&) {  // the match was not the element
        }
    }
    return std::nullopt;
}

}  // namespace oai
