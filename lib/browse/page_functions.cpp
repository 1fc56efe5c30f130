// SPDX-License-Identifier: MIT
#include <libxml/xpathInternals.h>

#include <algorithm>
#include <array>
#include <new>
#include <nlohmann/json.hpp>
#include <span>

#include "base/text.h"
#include "browse/catalogue.h"
#include "browse/page_address.h"
#include "xml/handle.h"
#include "xml/serialiser.h"

namespace oai {
namespace {

// What a function was called with: as XPath's string(), and the first node of the first argument if
// that is a set of nodes.
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
