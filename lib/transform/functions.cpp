// SPDX-License-Identifier: MIT
#include "transform/functions.h"

#include <libxml/xpathInternals.h>
#include <libxslt/extensions.h>

#include <algorithm>
#include <new>
#include <vector>

#include "xml/handle.h"

namespace oai::transform {
namespace {

// The last `count` values on libxml2's stack, which owns them.
std::vector<FunctionArgument> look_at(const xmlXPathParserContext* parser, std::size_t count) {
    std::vector<FunctionArgument> arguments;
    for (std::size_t i = 0; i < count; ++i)
        arguments.emplace_back(
            parser->valueTab[static_cast<std::size_t>(parser->valueNr) - count + i]);
    return arguments;
}

// The one that libxml2 was told to call by the name that stands in the expression.
void call(xmlXPathParserContext* parser, int given) noexcept {
    try {
        const auto& functions =
            *static_cast<const Functions*>(xsltXPathGetTransformContext(parser)->_private);
        const std::string_view name = reinterpret_cast<const char*>(parser->context->function);
        const auto function = std::find_if(functions.all.begin(), functions.all.end(),
                                           [&](const Function& f) { return f.name == name; });
        const auto count = static_cast<std::size_t>(given);
        if (function == functions.all.end() || count < function->least || count > function->most ||
            parser->valueNr < given)
            return xmlXPathErr(parser, XPATH_INVALID_ARITY);
        const std::string text = function->call(functions.data, look_at(parser, count));
        for (std::size_t i = 0; i < count; ++i)
            xmlXPathPopBoolean(parser);  // the cheapest way to let go of a value
        xmlChar* copy = xmlStrndup(reinterpret_cast<const xmlChar*>(text.data()),
                                   static_cast<int>(text.size()));
        if (copy == nullptr) return xmlXPathErr(parser, XPATH_MEMORY_ERROR);
        valuePush(parser, xmlXPathWrapString(copy));
    } catch (...) {  // out of memory: the transform fails
        xmlXPathErr(parser, XPATH_MEMORY_ERROR);
    }
}

}  // namespace

std::string FunctionArgument::text() const {
    if (value_->type == XPATH_STRING) return reinterpret_cast<const char*>(value_->stringval);
    const xml::StringHandle text(xmlXPathCastToString(value_));
    if (!text) throw std::bad_alloc();
    return reinterpret_cast<const char*>(text.get());
}

const xmlNode* FunctionArgument::node() const {
    if (value_->type != XPATH_NODESET || value_->nodesetval == nullptr ||
        value_->nodesetval->nodeNr == 0)
        return nullptr;
    if (value_->nodesetval->nodeNr > 1) xmlXPathNodeSetSort(value_->nodesetval);
    return value_->nodesetval->nodeTab[0];
}

void offer(xsltTransformContext* context, const Functions& functions) {
    context->_private = const_cast<Functions*>(&functions);
    for (const Function& function : functions.all)
        if (xsltRegisterExtFunction(context, reinterpret_cast<const xmlChar*>(function.name),
                                    reinterpret_cast<const xmlChar*>(functions.name_space),
                                    call) != 0)
            throw std::bad_alloc();
}

}  // namespace oai::transform
