// SPDX-License-Identifier: MIT
#include "format/since.h"

#include <fmt/format.h>

#include "format/description.h"
#include "protocol/record.h"
#include "xml/document.h"
#include "xml/handle.h"

namespace oai {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

struct Range {
    std::size_t begin, end;
};

// Where in a start tag, of which `at` is the end of the name, the value of the attribute stands;
// nullopt: it has none.
std::optional<Range> value_of(std::string_view text, std::size_t at, std::string_view name) {
    while ((at = text.find_first_not_of(kBlanks, at)) != text.npos) {
        if (text[at] == '>' || text[at] == '/') return std::nullopt;
        const std::size_t equals = text.find('=', at);
        const std::size_t open = text.find_first_of("\"'", equals);
        if (equals == text.npos || open == text.npos) return std::nullopt;
        const std::size_t close = text.find(text[open], open + 1);
        if (close == text.npos) return std::nullopt;
        std::string_view found = text.substr(at, equals - at);
        found = found.substr(0, found.find_first_of(kBlanks));
        if (found == name) return Range{open + 1, close};
        at = close + 1;
    }
    return std::nullopt;
}

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
    // The same may stand in a comment before: what counts is what a parser reads afterwards.
    for (std::size_t at = text.find(tag); at != text.npos; at = text.find(tag, at + 1)) {
        const std::size_t name_end = at + tag.size();
        std::string changed = text;
        if (const auto value = value_of(text, name_end, "since"))
            changed.replace(value->begin, value->end - value->begin, print_datestamp(moment));
        else
            changed.insert(name_end, fmt::format(" since=\"{}\"", print_datestamp(moment)));
        try {
            if (read(parse(changed, path).get(), path).description.since == moment) return changed;
        } catch (const xml::Error&) {  // it was not the element
        }
    }
    return std::nullopt;
}

}  // namespace oai
