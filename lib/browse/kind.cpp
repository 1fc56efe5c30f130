// SPDX-License-Identifier: MIT
#include "browse/kind.h"

#include <array>
#include <span>
#include <string>

#include "base/text.h"
#include "xml/handle.h"

namespace oai {
namespace {

struct Rule {
    std::string_view words, kind;
};

// Publications, by a part of the type; "bachelorThesis" is one word.
constexpr std::array kPublications{
    Rule{"thesis", "thesis"},       Rule{"dissertation", "thesis"},   Rule{"article", "article"},
    Rule{"review", "article"},      Rule{"journal", "journal"},       Rule{"periodical", "journal"},
    Rule{"book", "book"},           Rule{"manuscript", "manuscript"}, Rule{"cartographic", "map"},
    Rule{"notated music", "music"}, Rule{"score", "music"},
};
// Publications, by the whole type.
constexpr std::array kWholeTypes{
    Rule{"map", "map"},
    Rule{"music", "music"},
    Rule{"monograph", "book"},
    Rule{"paper", "article"},
};
// The beginnings of media types.
constexpr std::array kMediaTypes{
    Rule{"text/html", "page"},
    Rule{"application/xhtml", "page"},
    Rule{"image/", "image"},
    Rule{"application/pdf", "pdf"},
    Rule{"audio/", "audio"},
    Rule{"video/", "video"},
    Rule{"text/css", "software"},
    Rule{"text/javascript", "software"},
    Rule{"application/javascript", "software"},
    Rule{"application/x-javascript", "software"},
    Rule{"application/wasm", "software"},
    Rule{"text/csv", "data"},
    Rule{"text/xml", "data"},
    Rule{"application/xml", "data"},
    Rule{"application/json", "data"},
    Rule{"application/rss", "data"},
    Rule{"application/atom", "data"},
    Rule{"application/zip", "package"},
    Rule{"application/gzip", "package"},
    Rule{"application/x-gzip", "package"},
    Rule{"application/x-tar", "package"},
    Rule{"application/x-7z", "package"},
    Rule{"text/", "text"},
};
// Parts of general types, among them DCMI's; MovingImage is no image.
constexpr std::array kGeneral{
    Rule{"movingimage", "video"},  Rule{"moving image", "video"},
    Rule{"video", "video"},        Rule{"image", "image"},
    Rule{"photograph", "image"},   Rule{"sound", "audio"},
    Rule{"audio", "audio"},        Rule{"dataset", "data"},
    Rule{"software", "software"},  Rule{"interactiveresource", "software"},
    Rule{"collection", "package"}, Rule{"text", "text"},
};

enum class Match { part, beginning, whole };

bool matches(std::string_view value, std::string_view words, Match match) {
    switch (match) {
        case Match::whole: return value == words;
        case Match::beginning: return value.starts_with(words);
        case Match::part: return value.find(words) != value.npos;
    }
    return false;
}

std::string_view find_kind(std::string_view value, std::span<const Rule> rules, Match match) {
    for (const Rule& rule : rules)
        if (matches(value, rule.words, match)) return rule.kind;
    return "";
}

const xmlNode* first_element(const xmlNode* node) {
    while (node != nullptr && node->type != XML_ELEMENT_NODE) node = node->next;
    return node;
}

std::string_view publication_of(std::string_view type) {
    const std::string_view kind = find_kind(type, kPublications, Match::part);
    return kind.empty() ? find_kind(type, kWholeTypes, Match::whole) : kind;
}

// The text of the element in small letters, as far as a type or a media type is long.
std::string value_of(const xmlNode* element) {
    constexpr std::size_t kMaxBytes = 200;
    const xmlNode* text = element->children;
    if (text == nullptr || text->type != XML_TEXT_NODE) return "";
    return text::lower_ascii(text::trim(xml::view(text->content).substr(0, kMaxBytes)));
}

}  // namespace

std::string_view kind_of(const xmlNode* metadata) {
    constexpr int kMaxElements = 100;
    const xmlNode* root = metadata == nullptr ? nullptr : first_element(metadata->children);
    if (root == nullptr) return "item";
    std::string_view by_format, by_type;
    int seen = 0;
    for (const xmlNode* e = first_element(root->children); e != nullptr && seen < kMaxElements;
         e = first_element(e->next)) {
        const std::string_view name = xml::view(e->name);
        const bool is_type = name == "type" || name == "genre" || name == "typeOfResource";
        if (!is_type && name != "format") continue;
        ++seen;
        const std::string value = value_of(e);
        if (by_format.empty()) by_format = find_kind(value, kMediaTypes, Match::beginning);
        if (!is_type) continue;
        if (const std::string_view kind = publication_of(value); !kind.empty()) return kind;
        if (by_type.empty()) by_type = find_kind(value, kGeneral, Match::part);
    }
    if (!by_format.empty()) return by_format;
    return by_type.empty() ? "item" : by_type;
}

std::string_view kind_of_type(std::string_view type) {
    const std::string value = text::lower_ascii(type);
    std::string_view kind = publication_of(value);
    if (kind.empty()) kind = find_kind(value, kMediaTypes, Match::beginning);
    if (kind.empty()) kind = find_kind(value, kGeneral, Match::part);
    return kind.empty() ? "item" : kind;
}

}  // namespace oai
