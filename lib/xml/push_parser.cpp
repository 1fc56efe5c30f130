// SPDX-License-Identifier: MIT
#include "xml/push_parser.h"

#include <libxml/parserInternals.h>

#include <algorithm>
#include <new>

#include "base/text.h"
#include "xml/guard.h"
#include "xml/handle.h"
#include "xml/serialiser.h"

namespace oai::xml {
namespace {

constexpr std::size_t kMaxChunkBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxPrefixBytes = 100;

void append_content(std::string& out, const xmlNode* node) {
    for (const xmlNode* n = node->children; n != nullptr; n = n->next) {
        if (n->type == XML_TEXT_NODE || n->type == XML_CDATA_SECTION_NODE) out += view(n->content);
        if (n->type == XML_ELEMENT_NODE)
            append_content(out, n);  // recursion is limited to 256 levels by the parser
    }
}

void give_namespace(xmlNode* element, xmlNs* ns) {
    if (element->ns == nullptr) element->ns = ns;
    for (xmlNode* n = element->children; n != nullptr; n = n->next)
        if (n->type == XML_ELEMENT_NODE) give_namespace(n, ns);
}

// Declares at the top of the copy what the original's ancestors declare of the prefixes that begin
// attributes' values below the node of the copy.
void declare_prefixes_of_values(const xmlNode* original, xmlNode* copy, xmlNode* node) {
    for (const xmlAttr* a = node->properties; a != nullptr; a = a->next) {
        const std::string_view value =
            a->children == nullptr ? std::string_view() : view(a->children->content);
        const auto colon = value.find(':');
        if (colon == value.npos || colon == 0 || colon > kMaxPrefixBytes) continue;
        const std::string prefix(value.substr(0, colon));
        if (prefix == "xml" || xmlSearchNs(node->doc, node, xml_chars(prefix.c_str())) != nullptr)
            continue;
        const xmlNs* const known =
            xmlSearchNs(original->doc, original->parent, xml_chars(prefix.c_str()));
        if (known != nullptr) xmlNewNs(copy, known->href, known->prefix);
    }
    for (xmlNode* n = node->children; n != nullptr; n = n->next)
        if (n->type == XML_ELEMENT_NODE) declare_prefixes_of_values(original, copy, n);
}

}  // namespace

struct PushParser::State {
    ParserHandle parser;
    Guard guard;
    int error_line = 0;  // 0: none so far
    std::string error;

    ~State() {
        if (parser) DocumentHandle(parser->myDoc);
    }

    static State& of(void* context) {
        return *static_cast<State*>(static_cast<xmlParserCtxt*>(context)->_private);
    }

    static void refuse_doctype(void* context, const xmlChar*, const xmlChar*,
                               const xmlChar*) noexcept {
        auto* parser = static_cast<xmlParserCtxt*>(context);
        State& state = of(context);
        state.error_line = std::max(parser->input->line, 1);
        state.error = "a DOCTYPE is not allowed";
        xmlStopParser(parser);
    }

    std::string_view guarded(std::string_view bytes) {
        try {
            return guard.pass(bytes);
        } catch (const Error& e) {
            error_line = static_cast<int>(guard.line());
            error = e.what();
            throw;
        }
    }

    static void keep_first(void* context, xmlErrorPtr error) noexcept {
        State& state = of(context);
        if (error->level == XML_ERR_WARNING || error->message == nullptr || state.error_line != 0)
            return;
        state.error_line = std::max(error->line, 1);
        state.error = text::trim(error->message);
    }
};

PushParser::PushParser() : state_(std::make_unique<State>()) {
    state_->parser.reset(xmlCreatePushParserCtxt(nullptr, nullptr, nullptr, 0, nullptr));
    if (!state_->parser) throw std::bad_alloc();
    xmlParserCtxt* parser = state_->parser.get();
    xmlCtxtUseOptions(parser, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                  XML_PARSE_NOCDATA | XML_PARSE_BIG_LINES);
    parser->_private = state_.get();
    parser->sax->internalSubset = State::refuse_doctype;
    parser->sax->externalSubset = nullptr;
    parser->sax->serror = State::keep_first;
}

PushParser::~PushParser() = default;
PushParser::PushParser(PushParser&&) noexcept = default;
PushParser& PushParser::operator=(PushParser&&) noexcept = default;

void PushParser::feed(std::string_view bytes, bool whole) {
    bytes = state_->guarded(bytes);
    for (; !bytes.empty(); bytes.remove_prefix(std::min(kMaxChunkBytes, bytes.size()))) {
        const std::string_view part = bytes.substr(0, kMaxChunkBytes);
        const int outcome =
            xmlParseChunk(state_->parser.get(), part.data(), static_cast<int>(part.size()), 0);
        if (state_->error_line != 0) throw Error(state_->error);
        if (outcome != 0) throw Error("not well-formed XML");
    }
    const xmlParserInput* input = state_->parser->input;
    if (!whole || input == nullptr || input->cur >= input->end) return;
    state_->error_line = std::max(input->line, 1);
    // libxml2 is still waiting for the end of a construct.
    throw Error("not well-formed XML: markup or an entity reference that does not end");
}

int PushParser::error_line() const { return std::max(state_->error_line, 1); }

xmlNode* PushParser::open() const { return state_->parser->node; }

xmlNode* PushParser::root() const {
    return state_->parser->myDoc == nullptr ? nullptr : xmlDocGetRootElement(state_->parser->myDoc);
}

const char* PushParser::encoding() const {
    const xmlDoc* document = state_->parser->myDoc;
    if (document == nullptr || document->encoding == nullptr) return "UTF-8";
    return reinterpret_cast<const char*>(document->encoding);
}

std::string text_of(const xmlNode* node) {
    std::string out;
    append_content(out, node);
    return std::string(text::trim(out));
}

std::string language_of(const xmlNode* element) {
    const StringHandle value(xmlNodeGetLang(element));
    return std::string(view(value.get()));
}

std::string_view namespace_of(const xmlNode* element) {
    return element->ns == nullptr ? "" : view(element->ns->href);
}

std::string_view name_of(const xmlNode* element) { return view(element->name); }

std::vector<const xmlNode*> children_of(const xmlNode* parent, std::string_view name) {
    std::vector<const xmlNode*> children;
    for (const xmlNode* n = parent->children; n != nullptr; n = n->next)
        if (is_element(n) && (name.empty() || name_of(n) == name)) children.push_back(n);
    return children;
}

const xmlNode* child_of(const xmlNode* parent, std::string_view name) {
    const xmlNode* n = parent->children;
    while (n != nullptr && !(is_element(n) && (name.empty() || name_of(n) == name))) n = n->next;
    return n;
}

std::string child_text(const xmlNode* parent, std::string_view name) {
    const xmlNode* const child = child_of(parent, name);
    return child == nullptr ? "" : text_of(child);
}

bool is_element(const xmlNode* node) { return node->type == XML_ELEMENT_NODE; }

std::string start_tag(const xmlNode* element) {
    std::string name(view(element->name));
    if (element->ns != nullptr && element->ns->prefix != nullptr)
        name = std::string(view(element->ns->prefix)) + ":" + name;
    std::string out = "<" + name;
    for (const xmlNs* ns = element->nsDef; ns != nullptr; ns = ns->next) {
        out +=
            ns->prefix == nullptr ? " xmlns=\"" : " xmlns:" + std::string(view(ns->prefix)) + "=\"";
        const StringHandle escaped(xmlEncodeSpecialChars(nullptr, ns->href));
        out.append(view(escaped.get())).append("\"");
    }
    return out + ">";
}

long line_of(const xmlNode* element) { return xmlGetLineNo(element); }

std::string document_text(const xmlNode* element, const char* default_namespace) {
    const DocumentHandle document(xmlNewDoc(nullptr));
    if (!document) throw std::bad_alloc();
    xmlNode* copy = xmlDocCopyNode(const_cast<xmlNode*>(element), document.get(), 1);
    if (copy == nullptr) throw std::bad_alloc();
    xmlDocSetRootElement(document.get(), copy);
    declare_prefixes_of_values(element, copy, copy);
    if (default_namespace != nullptr && copy->ns == nullptr)
        give_namespace(copy, xmlNewNs(copy, xml_chars(default_namespace), nullptr));
    std::string out;
    append_node(out, copy);
    return out;
}

void PushParser::drop_up_to(xmlNode* node) {
    state_->guard.begin_record();
    while (node != nullptr) {
        const NodeHandle dropped(node);
        node = node->prev;
    }
}

}  // namespace oai::xml
