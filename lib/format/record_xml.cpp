// SPDX-License-Identifier: MIT
#include "format/record_xml.h"

#include <fmt/format.h>
#include <libxml/xpathInternals.h>

#include <algorithm>
#include <new>
#include <utility>

#include "xml/document.h"

namespace oai {
namespace {

using Shape = RecordValues::Shape;

// Builds the document of the internal XML.
class Builder {
  public:
    Builder(const RecordBatch& batch, std::string_view identifier_prefix,
            const std::vector<std::string>* needed, std::span<const std::string> required)
        : values_(batch, identifier_prefix, needed),
          required_(required),
          out_{xml::new_document(), {}, {}},
          record_(xml::intern(out_.document.get(), "record")),
          lang_(xml::intern(out_.document.get(), "lang")),
          records_(xml::add_element(reinterpret_cast<xmlNode*>(out_.document.get()),
                                    xml::intern(out_.document.get(), "records"))) {
        for (const RecordValues::Column& column : values_.columns())
            names_.push_back(xml::intern(out_.document.get(), column.name));
    }

    void add(int i);
    RecordXml finish() { return std::move(out_); }

  private:
    void add_values(xmlNode* record);
    void add_entries(xmlNode* record, const RecordValues::Column& column, const xmlChar* name);

    RecordValues values_;
    const std::span<const std::string> required_;
    RecordXml out_;
    const xmlChar *record_, *lang_;
    xmlNode* records_;
    std::vector<const xmlChar*> names_;  // of the columns, in the document's dictionary
};

void Builder::add(int i) {
    xmlNode* record = nullptr;
    try {
        values_.read(i);
        if (const std::string why = missing_column(values_, required_); !why.empty())
            throw BadValue(why);
        record = xml::add_element(records_, record_);
        add_values(record);
        xml::add_text(records_, std::string_view(&kRecordEnd, 1));
        out_.batch_index.push_back(i);
    } catch (const BadValue& e) {
        if (record != nullptr) const xml::NodeHandle dropped(record);
        out_.failures.push_back({i, e.what()});
    }
}

void Builder::add_values(xmlNode* record) {
    xmlAttr* last = nullptr;
    for (std::size_t c = 0; c < names_.size(); ++c) {
        const RecordValues::Column& column = values_.columns()[c];
        if (column.shape != Shape::scalar)
            add_entries(record, column, names_[c]);
        else if (!column.nodes.empty())
            last = xml::add_attribute(record, last, names_[c], column.nodes[0].text);
    }
}

void Builder::add_entries(xmlNode* record, const RecordValues::Column& column,
                          const xmlChar* name) {
    for (const transform::Entry& entry : column.nodes) {
        if (column.shape == Shape::array) {
            xmlNode* element = xml::add_element(record, name);
            if (entry.lang) xml::add_attribute(element, nullptr, lang_, *entry.lang);
            xml::add_text(element, entry.text);
            continue;
        }
        // A value of PostgreSQL's type xml may be only the content of an element.
        try {
            xml::add_parsed(record, name, entry.text);
        } catch (const xml::Error& e) {
            throw BadValue(fmt::format("column {}: {}", column.name, e.what()));
        }
    }
}

using xml::view;
using xml::xml_chars;

constexpr unsigned long kMaxOperations = 1'000'000;  // for one parameter; most take ten

xmlNode* record_of(xmlDoc* internal) { return xmlDocGetRootElement(internal)->children; }

void set_variable(xmlXPathContext* context, const char* name, const std::string& value) {
    if (xmlXPathRegisterVariable(context, xml_chars(name),
                                 xmlXPathNewString(xml_chars(value.c_str()))) != 0)
        throw std::bad_alloc();
}

}  // namespace

std::vector<int> live_records(const RecordBatch& batch) {
    std::vector<int> out;
    for (int i = 0; i < batch.size(); ++i)
        if (!batch.header(i).deleted) out.push_back(i);
    return out;
}

void remove_marks(xmlDoc* document) {
    for (xmlNode* node = xmlDocGetRootElement(document)->children; node != nullptr;) {
        xmlNode* const next = node->next;
        if (node->type == XML_TEXT_NODE) const xml::NodeHandle mark(node);
        node = next;
    }
}

std::string missing_column(const RecordValues& values, std::span<const std::string> required) {
    const auto found = std::find_if(required.begin(), required.end(),
                                    [&](const auto& column) { return !values.has(column); });
    return found == required.end() ? "" : "requires " + *found;
}

RecordXml records_to_xml(const RecordBatch& batch, std::span<const int> indices,
                         std::string_view identifier_prefix, const std::vector<std::string>* needed,
                         std::span<const std::string> required) {
    Builder builder(batch, identifier_prefix, needed, required);
    for (const int i : indices) builder.add(i);
    return builder.finish();
}

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
    const xml::DocumentHandle source = input_document(std::move(record.document), limit, values);
    return stylesheet.apply(source.get(), limit, values);
}

xml::DocumentHandle Input::input_document(RecordXml record, std::chrono::milliseconds limit,
                                          const Variables& variables) const {
    const auto values = parameters(record.document.get(), variables);
    return input_document(std::move(record.document), limit, values);
}

xml::DocumentHandle Input::input_document(xml::DocumentHandle record,
                                          std::chrono::milliseconds limit,
                                          std::span<const transform::Parameter> parameters) const {
    if (!adapter) return column.empty() ? std::move(record) : stored_document(std::move(record));
    remove_marks(record.get());
    return adapter->apply(record.get(), limit, parameters);
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

// The document in the input column: text is parsed; a column of type xml is a subtree.
xml::DocumentHandle Input::stored_document(xml::DocumentHandle record) const {
    xmlNode* const element = record_of(record.get());
    if (const xmlAttr* text = xmlHasNsProp(element, xml_chars(column.c_str()), nullptr);
        text != nullptr) {
        const xml::StringHandle value(xmlNodeListGetString(record.get(), text->children, 1));
        return xml::parse_memory(view(value.get()), "column " + column);
    }
    std::vector<xmlNode*> values;
    for (xmlNode* node = element->children; node != nullptr; node = node->next)
        if (node->type == XML_ELEMENT_NODE && view(node->name) == column) values.push_back(node);
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

}  // namespace oai
