// SPDX-License-Identifier: MIT
#include "browse/title.h"

#include <new>

#include "xml/handle.h"

namespace oai {
namespace {

constexpr const char* kTitle =
    "normalize-space(descendant-or-self::*[local-name() = 'title'][not(*)][normalize-space()])";
constexpr const char* kMarcTitle =
    "normalize-space(descendant-or-self::*[local-name() = 'datafield'][@tag = '245']"
    "/*[@code = 'a'])";

// The string that the expression gives for the node.
std::string evaluate(const char* expression, const xmlNode* node) {
    const xml::XPathContextHandle context(xmlXPathNewContext(node->doc));
    if (!context) throw std::bad_alloc();
    const xml::XPathObjectHandle result(
        xmlXPathNodeEval(const_cast<xmlNode*>(node), xml::xml_chars(expression), context.get()));
    if (!result) throw std::bad_alloc();
    return std::string(xml::view(result->stringval));
}

}  // namespace

std::string title_of(const xmlNode* metadata) {
    const std::string title = evaluate(kTitle, metadata);
    return title.empty() ? evaluate(kMarcTitle, metadata) : title;
}

}  // namespace oai
