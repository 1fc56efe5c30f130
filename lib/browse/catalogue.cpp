// SPDX-License-Identifier: MIT
#include "browse/catalogue.h"

#include <algorithm>

#include "base/text.h"
#include "xml/document.h"
#include "xml/handle.h"

namespace oai {
namespace {

constexpr std::size_t kMaxAcceptBytes = 1'000;  // of Accept-Language, which may be any length

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
    UErrorCode status = U_ZERO_ERROR;
    icu::LocaleMatcher::Builder matcher;
    for (const std::string_view tag : text::split(languages, ' ')) {
        Language language =
            read_language(std::string(tag), directory + "/text/" + std::string(tag) + ".xml");
        if (!languages_.empty())
            language.texts.insert(languages_.front().texts.begin(), languages_.front().texts.end());
        locales_.push_back(icu::Locale::forLanguageTag(language.tag, status));
        matcher.addSupportedLocale(locales_.back());
        languages_.push_back(std::move(language));
    }
    matcher_ = matcher.build(status);
    if (U_FAILURE(status))
        throw xml::Error(directory + "/text: languages " + std::string(languages) + ": " +
                         u_errorName(status));
}

const Language* Catalogue::find(std::string_view tag) const {
    const auto found = std::find_if(languages_.begin(), languages_.end(),
                                    [&](const Language& l) { return l.tag == tag; });
    return found == languages_.end() ? nullptr : &*found;
}

const Language& Catalogue::choose(std::string_view accept_language) const {
    const auto length = static_cast<int32_t>(std::min(accept_language.size(), kMaxAcceptBytes));
    UErrorCode status = U_ZERO_ERROR;
    const icu::Locale* best =
        matcher_->getBestMatchForListString({accept_language.data(), length}, status);
    const auto found = std::find_if(locales_.begin(), locales_.end(), [&](const icu::Locale& l) {
        return best != nullptr && l == *best;
    });
    return found == locales_.end() ? languages_.front()
                                   : languages_[static_cast<std::size_t>(found - locales_.begin())];
}

}  // namespace oai
