// SPDX-License-Identifier: MIT
#include "browse/catalogue.h"

#include <algorithm>

#include "base/text.h"
#include "web/response.h"
#include "xml/document.h"
#include "xml/handle.h"

namespace oai {
namespace {

std::string attribute_of(const xmlNode* element, const char* name) {
    const xml::StringHandle value(xmlGetNoNsProp(element, xml::xml_chars(name)));
    return std::string(xml::view(value.get()));
}

Language::Text read_text(const xmlNode* t) {
    const xml::StringHandle words(xmlNodeGetContent(t));
    return {.words = std::string(xml::view(words.get())),
            .one = attribute_of(t, "one"),
            .few = attribute_of(t, "few"),
            .many = attribute_of(t, "many")};
}

Language read_language(const std::string& tag, const std::string& path) {
    const xml::DocumentHandle document = xml::parse_file(path);
    if (xml::root_name(document.get()) != "texts") throw xml::Error(path + ":1: not <texts>");
    const xmlNode* texts = xmlDocGetRootElement(document.get());
    Language language{.tag = tag,
                      .name = attribute_of(texts, "name"),
                      .direction = attribute_of(texts, "dir"),
                      .group = attribute_of(texts, "group"),
                      .few = text::to_integer(attribute_of(texts, "few")).value_or(1),
                      .texts = {}};
    for (const xmlNode* n = texts->children; n != nullptr; n = n->next)
        if (n->type == XML_ELEMENT_NODE && xml::view(n->name) == "t")
            language.texts.emplace(attribute_of(n, "id"), read_text(n));
    return language;
}

// An element of Accept-Language: a language range in small letters, and its weight in thousandths.
struct Range {
    std::string tag;
    int weight;
};

// More are not considered, since a request may have thousands.
constexpr std::size_t kMaxRanges = 50;

// The heaviest first, those of one weight in their order.
std::vector<Range> ranges_of(std::string_view accept_language) {
    std::vector<Range> ranges;
    for (const std::string_view element : text::split(accept_language, ',')) {
        if (ranges.size() == kMaxRanges) break;
        const std::size_t semicolon = std::min(element.find(';'), element.size());
        std::string tag = text::lower_ascii(text::trim(element.substr(0, semicolon)));
        if (!tag.empty())
            ranges.push_back({std::move(tag), quality_value(element.substr(semicolon))});
    }
    std::stable_sort(ranges.begin(), ranges.end(),
                     [](const Range& a, const Range& b) { return a.weight > b.weight; });
    return ranges;
}

// Without the last subtag, and without a subtag of one character that would then be the last.
std::string_view shorter(std::string_view range) {
    range = range.substr(0, range.rfind('-') == range.npos ? 0 : range.rfind('-'));
    const bool ends_with_single = range.size() >= 2 && range[range.size() - 2] == '-';
    return ends_with_single ? range.substr(0, range.size() - 2) : range;
}

}  // namespace

std::string Language::say(std::string_view id,
                          std::initializer_list<std::string_view> values) const {
    const auto found = texts.find(id);
    if (found == texts.end()) return "";
    std::string said;
    std::string_view rest = found->second.words;
    while (!rest.empty()) {
        const std::size_t place = std::min(rest.find('{'), rest.size());
        said += rest.substr(0, place);
        rest.remove_prefix(place);
        const std::size_t number =
            rest.size() > 2 && rest[2] == '}' ? static_cast<std::size_t>(rest[1] - '0') : 0;
        const bool is_value = number >= 1 && number <= values.size();
        said += is_value ? values.begin()[number - 1] : rest.substr(0, 1);
        rest.remove_prefix(std::min<std::size_t>(is_value ? 3 : 1, rest.size()));
    }
    return said;
}

std::string Language::number(std::string_view digits) const {
    std::string said;
    const bool is_number = text::to_integer(digits).value_or(-1) >= 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (is_number && i > 0 && (digits.size() - i) % 3 == 0) said += group;
        said += digits[i];
    }
    return said;
}

std::string Language::count(std::string_view id, std::string_view digits) const {
    const std::string said = number(digits) + "\u00A0";
    const auto found = texts.find(id);
    if (found == texts.end()) return said;
    const Text& forms = found->second;
    const std::int64_t n = text::to_integer(digits).value_or(0);
    return said + (n == 1 ? forms.one : n > 1 && n <= few ? forms.few : forms.many);
}

Catalogue::Catalogue(const std::string& directory, std::string_view languages) {
    for (const std::string_view tag : text::split(languages, ' ')) {
        Language language =
            read_language(std::string(tag), directory + "/text/" + std::string(tag) + ".xml");
        if (!languages_.empty())
            language.texts.insert(languages_.front().texts.begin(), languages_.front().texts.end());
        languages_.push_back(std::move(language));
    }
}

const Language* Catalogue::find(std::string_view tag) const {
    const auto found = std::find_if(languages_.begin(), languages_.end(),
                                    [&](const Language& l) { return l.tag == tag; });
    return found == languages_.end() ? nullptr : &*found;
}

const Language* Catalogue::look_up(std::string_view range) const {
    const auto is_tag = [&](const Language& l) { return text::lower_ascii(l.tag) == range; };
    while (!range.empty()) {
        const auto found = std::find_if(languages_.begin(), languages_.end(), is_tag);
        if (found != languages_.end()) return &*found;
        range = shorter(range);
    }
    return nullptr;
}

const Language& Catalogue::choose(std::string_view accept_language) const {
    const std::vector<Range> ranges = ranges_of(accept_language);
    const auto refuses = [&](const Language& language) {
        return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
            return range.weight == 0 && range.tag == text::lower_ascii(language.tag);
        });
    };
    for (const Range& range : ranges)
        if (const Language* found = range.weight > 0 ? look_up(range.tag) : nullptr;
            found != nullptr && !refuses(*found))
            return *found;
    return languages_.front();
}

}  // namespace oai
