// SPDX-License-Identifier: MIT
#include "format/input.h"

#include <fmt/format.h>
#include <libxml/xpathInternals.h>

#include <new>
#include <utility>

#include "xml/document.h"
#include "xml/handle.h"

namespace oai {
namespace {

using xml::view;
using xml::xml_chars;

constexpr unsigned long kMaxOperations = 1'000'000;  // for one parameter; most take ten

xmlNode* record_of(xmlDoc* internal) { return xmlDocGetRootElement(internal)->children; }

// The elements below `parent` of that name, in no namespace or the one given.
std::vector<xmlNode*> children_of(const xmlNode* parent, std::string_view name,
                                  std::string_view name_space) {
    std::vector<xmlNode*> found;
    for (xmlNode* node = parent->children; node != nullptr; node = node->next)
        if (node->type == XML_ELEMENT_NODE && view(node->name) == name &&
            (node->ns == nullptr ? "" : view(node->ns->href)) == name_space)
            found.push_back(node);
    return found;
}

void set_variable(xmlXPathContext* context, const char* name, const std::string& value) {
    if (xmlXPathRegisterVariable(context, xml_chars(name),
                                 xmlXPathNewString(xml_chars(value.c_str()))) != 0)
        throw std::bad_alloc();
}

}  // namespace

std::string Input::why_not_xpath(const std::string& expression) {
    const xml::XPathContextHandle context(xmlXPathNewContext(nullptr));
    if (!context) throw std::bad_alloc();
    const xml::XPathHandle compiled(
        xmlXPathCtxtCompile(context.get(), xml_chars(expression.c_str())));
    return compiled ? "" : "no XPath expression";
}

xml::DocumentHandle Input::transform(const transform::Stylesheet& stylesheet, RecordXml record,
                                     std::chrono::milliseconds limit,
                                     const Variables& variables) const {
    const auto values = parameters(record.document.get(), variables);
    const xml::DocumentHandle source = given(std::move(record.document), limit, values);
    xml::DocumentHandle made = stylesheet.apply(source.get(), limit, nullptr, values);
    return result.empty() ? std::move(made) : meant(std::move(made));
}

xml::DocumentHandle Input::given(RecordXml record, std::chrono::milliseconds limit,
                                 const Variables& variables) const {
    const auto values = parameters(record.document.get(), variables);
    return given(std::move(record.document), limit, values);
}

xml::DocumentHandle Input::given(xml::DocumentHandle record, std::chrono::milliseconds limit,
                                 std::span<const transform::Parameter> parameters) const {
    if (!adapter) return column.empty() ? std::move(record) : stored_document(std::move(record));
    remove_marks(record.get());
    return adapter->apply(record.get(), limit, nullptr, parameters);
}

std::vector<transform::Parameter> Input::parameters(xmlDoc* record,
                                                    const Variables& variables) const {
    std::vector<transform::Parameter> out;
    if (params.empty()) return out;
    const xml::XPathContextHandle context(xmlXPathNewContext(record));
    if (!context) throw std::bad_alloc();
    context->opLimit = kMaxOperations;
    set_variable(context.get(), "base_url", variables.base_url);
    set_variable(context.get(), "sets", variables.sets);
    for (const Param& param : params) {
        const xml::NamespaceList prefixes(
            xmlGetNsList(document.get(), const_cast<xmlNode*>(param.element)));
        context->namespaces = prefixes.get();
        for (context->nsNr = 0; prefixes && prefixes.get()[context->nsNr] != nullptr;)
            ++context->nsNr;
        context->node = record_of(record);
        const xml::XPathObjectHandle value(
            xmlXPathEvalExpression(xml_chars(param.select.c_str()), context.get()));
        context->namespaces = nullptr;
        context->nsNr = 0;
        if (!value)
            throw xml::Error(fmt::format("param {}: {} cannot be evaluated for this record",
                                         param.name, param.select));
        const xml::StringHandle text(xmlXPathCastToString(value.get()));
        out.emplace_back(param.name, view(text.get()));
    }
    return out;
}

// Of a column of text that holds XML the value is parsed; what is in a column of XML already is.
xml::DocumentHandle Input::stored_document(xml::DocumentHandle record) const {
    xmlNode* const element = record_of(record.get());
    if (const xmlAttr* text = xmlHasNsProp(element, xml_chars(column.c_str()), nullptr);
        text != nullptr) {
        const xml::StringHandle value(xmlNodeListGetString(record.get(), text->children, 1));
        return xml::parse_memory(view(value.get()), "column " + column);
    }
    const std::vector<xmlNode*> values = children_of(element, column, "");
    if (values.size() != 1)
        throw xml::Error(
            fmt::format("column {}: {} documents, and one is needed", column, values.size()));
    xmlNode* root = nullptr;
    for (xmlNode* node = values.front()->children; node != nullptr; node = node->next) {
        if (node->type == XML_COMMENT_NODE || node->type == XML_PI_NODE ||
            xmlIsBlankNode(node) != 0)
            continue;
        if (root != nullptr || node->type != XML_ELEMENT_NODE)
            throw xml::Error(fmt::format("column {}: not a document of one element", column));
        root = node;
    }
    if (root == nullptr) throw xml::Error(fmt::format("column {}: is empty", column));
    const xml::NodeHandle records(xmlDocSetRootElement(record.get(), root));
    return record;
}

xml::DocumentHandle Input::meant(xml::DocumentHandle made) const {
    const auto* node = reinterpret_cast<const xmlNode*>(made.get());
    for (const Step& step : result) {
        const std::vector<xmlNode*> found = children_of(node, step.name, step.name_space);
        if (found.size() != 1)
            throw xml::Error(fmt::format(
                "the stylesheet yields {} elements {{{}}}{}{}, and one "
                "is meant by result",
                found.size(), step.name_space, step.name,
                node->type == XML_ELEMENT_NODE ? fmt::format(" in {}", view(node->name)) : ""));
        node = found.front();
    }
    return xml::document_of(node);
}

}  // namespace oai
