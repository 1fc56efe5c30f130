// SPDX-License-Identifier: MIT
#include "browse/page_functions.h"

#include <libxml/xpathInternals.h>

#include <algorithm>
#include <array>
#include <new>
#include <nlohmann/json.hpp>
#include <span>

#include "base/text.h"
#include "browse/page_address.h"
#include "xml/handle.h"
#include "xml/serialiser.h"

namespace oai {
namespace {

// What a function was called with; libxml2 owns it.
class Argument {
  public:
    explicit Argument(xmlXPathObject* value) : value_(value) {}

    std::string text() const {  // as XPath's string()
        if (value_->type == XPATH_STRING) return std::string(xml::view(value_->stringval));
        const xml::StringHandle text(xmlXPathCastToString(value_));
        if (!text) throw std::bad_alloc();
        return std::string(xml::view(text.get()));
    }
    // The first of a node set; nullptr: there is none, or it is something else.
    const xmlNode* node() const {
        if (value_->type != XPATH_NODESET || value_->nodesetval == nullptr ||
            value_->nodesetval->nodeNr == 0)
            return nullptr;
        if (value_->nodesetval->nodeNr > 1) xmlXPathNodeSetSort(value_->nodesetval);
        return value_->nodesetval->nodeTab[0];
    }

  private:
    xmlXPathObject* value_;
};

using Values = std::span<const Argument>;

std::string say(const Language& language, Values a) {
    const auto value = [&](std::size_t i) { return a.size() > i ? a[i].text() : std::string(); };
    return language.say(a[0].text(), {value(1), value(2)});
}

// White space, what other programs take for the end of a line, control characters and what changes
// the direction of writing become single blanks, none of them at an end. A text that is cut ends in
// an ellipsis.
std::string line(const Language&, Values a) {
    constexpr std::size_t kMaxBytes = 2'000;
    const std::string all = a[0].text();
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

std::string json(const Language&, Values a) {
    using nlohmann::json;
    std::string out;
    for (const char c : json(a[0].text()).dump(-1, ' ', true, json::error_handler_t::replace))
        out += c == '<'   ? "\\u003c"
               : c == '>' ? "\\u003e"
               : c == '&' ? "\\u0026"
                          : std::string(1, c);
    return out;
}

std::string time(const Language&, Values a) {
    std::string time = a[0].text();
    std::replace(time.begin(), time.end(), 'T', ' ');
    if (time.ends_with('Z')) time.replace(time.size() - 1, 1, "\u00A0UTC");
    return time;
}

std::string source(const Language&, Values a) {
    const xmlNode* node = a[0].node();
    return node != nullptr && node->type == XML_ELEMENT_NODE ? xml::indented(node) : std::string();
}

struct Function {
    std::string_view name;
    std::size_t least, most;  // so many arguments
    std::string (*call)(const Language& language, Values arguments);
};
using L = Language;
constexpr std::array<Function, 10> kFunctions{{
    {"say", 1, 3, say},
    {"number", 1, 1, [](const L& l, Values a) { return l.number(a[0].text()); }},
    {"count", 2, 2, [](const L& l, Values a) { return l.count(a[0].text(), a[1].text()); }},
    {"encode", 1, 1, [](const L&, Values a) { return text::percent_encode(a[0].text(), ":"); }},
    {"address", 1, 1, [](const L&, Values a) { return encoded_address(a[0].text()); }},
    {"time", 1, 1, time},
    {"record", 1, 1, [](const L&, Values a) { return record_path(a[0].text()); }},
    {"xml", 1, 1, source},
    {"line", 1, 1, line},
    {"json", 1, 1, json},
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
        std::vector<Argument> arguments;
        for (int i = parser->valueNr - given; i < parser->valueNr; ++i)
            arguments.emplace_back(parser->valueTab[i]);
        const std::string text = function->call(language, arguments);
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
