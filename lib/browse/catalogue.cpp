// SPDX-License-Identifier: MIT
#include "browse/catalogue.h"

#include <libxml/xpathInternals.h>

#include <algorithm>
#include <array>
#include <new>
#include <nlohmann/json.hpp>
#include <span>

#include "base/text.h"
#include "browse/page_address.h"
#include "xml/document.h"
#include "xml/handle.h"
#include "xml/serialiser.h"

namespace oai {
namespace {

constexpr std::size_t kMaxAcceptBytes = 1'000;  // of Accept-Language, which may be any length

Language::Text read_text(const xmlNode* t) {
    const xml::StringHandle words(xmlNodeGetContent(t));
    return {.words = std::string(xml::view(words.get())),
            .one = xml::attribute_of(t, "one"),
            .few = xml::attribute_of(t, "few"),
            .many = xml::attribute_of(t, "many")};
}

Language read_language(const std::string& tag, const std::string& path) {
    const xml::DocumentHandle document = xml::parse_file(path);
    if (xml::root_name(document.get()) != "texts") throw xml::Error(path + ":1: not <texts>");
    const xmlNode* texts = xmlDocGetRootElement(document.get());
    Language language{.tag = tag,
                      .name = xml::attribute_of(texts, "name"),
                      .direction = xml::attribute_of(texts, "dir"),
                      .group = xml::attribute_of(texts, "group"),
                      .few = text::to_integer(xml::attribute_of(texts, "few")).value_or(1),
                      .texts = {}};
    for (const xmlNode* n = texts->children; n != nullptr; n = n->next)
        if (n->type == XML_ELEMENT_NODE && xml::view(n->name) == "t")
            language.texts.emplace(xml::attribute_of(n, "id"), read_text(n));
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

namespace {

// What a function was called with: as XPath's string(), and the first node of the first argument.
struct Values {
    std::vector<std::string> text{};
    const xmlNode* node = nullptr;
};

Values values_of(std::span<xmlXPathObject*> arguments) {
    Values values;
    for (xmlXPathObject* const argument : arguments) {
        xmlNodeSet* const nodes = argument->type == XPATH_NODESET ? argument->nodesetval : nullptr;
        if (values.text.empty() && nodes != nullptr && nodes->nodeNr > 0) {
            xmlXPathNodeSetSort(nodes);
            values.node = nodes->nodeTab[0];
        }
        const xml::StringHandle text(xmlXPathCastToString(argument));
        if (!text) throw std::bad_alloc();
        values.text.emplace_back(xml::view(text.get()));
    }
    return values;
}

std::string say(const Language& language, const Values& a) {
    const auto value = [&](std::size_t i) { return a.text.size() > i ? a.text[i] : ""; };
    return language.say(a.text[0], {value(1), value(2)});
}

// White space, what other programs take for the end of a line, control characters and what changes
// the direction of writing become single blanks, none of them at an end. A text that is cut ends in
// an ellipsis.
std::string line(const Language&, const Values& a) {
    constexpr std::size_t kMaxBytes = 2'000;
    const std::string all = a.text[0];
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

std::string json(const Language&, const Values& a) {
    using nlohmann::json;
    std::string out;
    for (const char c : json(a.text[0]).dump(-1, ' ', true, json::error_handler_t::replace))
        out += c == '<'   ? "\\u003c"
               : c == '>' ? "\\u003e"
               : c == '&' ? "\\u0026"
                          : std::string(1, c);
    return out;
}

std::string time(const Language&, const Values& a) {
    std::string time = a.text[0];
    std::replace(time.begin(), time.end(), 'T', ' ');
    if (time.ends_with('Z')) time.replace(time.size() - 1, 1, "\u00A0UTC");
    return time;
}

std::string language_name(const Language& language, const Values& a) {
    const auto name_in = [&](const char* reader) {
        icu::UnicodeString name;
        std::string said;
        return icu::Locale(a.text[0].c_str()).getDisplayLanguage(reader, name).toUTF8String(said);
    };
    const bool is_own = a.text.size() > 1 && name_in("en") != a.text[1];
    return is_own ? a.text[1] : name_in(language.tag.c_str());
}

std::string source(const Language&, const Values& a) {
    return a.node != nullptr && a.node->type == XML_ELEMENT_NODE ? xml::indented(a.node) : "";
}

struct Function {
    std::string_view name;
    std::size_t least, most;  // so many arguments
    std::string (*call)(const Language& language, const Values& arguments);
};
using L = Language;
constexpr std::array<Function, 11> kFunctions{{
    {"say", 1, 3, say},
    {"number", 1, 1, [](const L& l, const Values& a) { return l.number(a.text[0]); }},
    {"count", 2, 2, [](const L& l, const Values& a) { return l.count(a.text[0], a.text[1]); }},
    {"encode", 1, 1,
     [](const L&, const Values& a) { return text::percent_encode(a.text[0], ":"); }},
    {"address", 1, 1, [](const L&, const Values& a) { return encoded_address(a.text[0]); }},
    {"time", 1, 1, time},
    {"record", 1, 1, [](const L&, const Values& a) { return record_path(a.text[0]); }},
    {"xml", 1, 1, source},
    {"line", 1, 1, line},
    {"json", 1, 1, json},
    {"language", 1, 2, language_name},
}};

// The function that libxml2 was told to call by the name that stands in the expression.
void call(xmlXPathParserContext* parser, int given) noexcept {
    try {
        const auto& language = *static_cast<const Language*>(parser->context->userData);
        const std::string_view name = xml::view(parser->context->function);
        const auto function = std::find_if(kFunctions.begin(), kFunctions.end(),
                                           [&](const Function& f) { return f.name == name; });
        const auto count = static_cast<std::size_t>(given);
        if (function == kFunctions.end() || count < function->least || count > function->most ||
            parser->valueNr < given)
            return xmlXPathErr(parser, XPATH_INVALID_ARITY);
        const std::string text = function->call(
            language, values_of({parser->valueTab + (parser->valueNr - given), count}));
        for (std::size_t i = 0; i < count; ++i)
            xmlXPathPopBoolean(parser);  // the cheapest way to let go of a value
        xmlChar* copy = xmlStrndup(xml::xml_chars(text.c_str()), static_cast<int>(text.size()));
        if (copy == nullptr) return xmlXPathErr(parser, XPATH_MEMORY_ERROR);
        valuePush(parser, xmlXPathWrapString(copy));
    } catch (...) {  // out of memory: the transform fails
        xmlXPathErr(parser, XPATH_MEMORY_ERROR);
    }
}

}  // namespace

transform::Stylesheet::Preparation page_functions(const Language& language) {
    return [&language](xmlXPathContext* context) {
        context->userData = const_cast<Language*>(&language);
        for (const Function& function : kFunctions)
            if (xmlXPathRegisterFuncNS(context, xml::xml_chars(function.name.data()),
                                       xml::xml_chars("urn:oai-fcgi:page"), call) != 0)
                throw std::bad_alloc();
    };
}

}  // namespace oai
