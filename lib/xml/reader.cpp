// SPDX-License-Identifier: MIT
#include "xml/reader.h"

#include <algorithm>
#include <new>

#include "base/text.h"
#include "xml/guard.h"
#include "xml/handle.h"
#include "xml/serialiser.h"

namespace oai::xml {
namespace {

bool declares(const xmlNode* element, const xmlChar* prefix) {
    for (const xmlNs* ns = element->nsDef; ns != nullptr; ns = ns->next)
        if (xmlStrEqual(ns->prefix, prefix) != 0) return true;
    return false;
}

// Whether the element or one below it has no namespace while no element of the excerpt around it
// declares a default namespace. The parser bounds the depth of the recursion.
bool lacks_namespace(const xmlNode* element) {
    if (declares(element, nullptr)) return false;
    if (element->ns == nullptr) return true;
    for (const xmlNode* n = element->children; n != nullptr; n = n->next)
        if (n->type == XML_ELEMENT_NODE && lacks_namespace(n)) return true;
    return false;
}

void declare(xmlNode* element, const xmlChar* address, const xmlChar* prefix) {
    if (xmlNewNs(element, address, prefix) == nullptr) throw std::bad_alloc();
}

// Declares on `copy` the namespaces of the ancestors of `original` whose prefix occurs in the text.
// Returns whether there were any.
bool declare_mentioned(xmlNode* copy, const xmlNode* original, const std::string& text) {
    const NamespaceList above(xmlGetNsList(original->doc, original));
    bool any = false;
    for (xmlNs** ns = above.get(); ns != nullptr && *ns != nullptr; ++ns) {
        const xmlChar* prefix = (*ns)->prefix;
        if (prefix == nullptr || declares(copy, prefix)) continue;
        if (text.find(std::string(reinterpret_cast<const char*>(prefix)) + ":") == text.npos)
            continue;
        declare(copy, (*ns)->href, prefix);
        any = true;
    }
    return any;
}

}  // namespace

bool hide_doctype(std::string& body) {
    std::size_t at = body.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    constexpr std::string_view kName = "<!DOCTYPE";
    for (;;) {
        at = std::min(body.find_first_not_of(" \t\r\n", at), body.size());
        const std::string_view rest = std::string_view(body).substr(at);
        if (rest.starts_with(kName)) break;
        const std::string_view closing = rest.starts_with("<?")     ? "?>"
                                         : rest.starts_with("<!--") ? "-->"
                                                                    : "";
        const std::size_t end = closing.empty() ? body.npos : body.find(closing, at + 2);
        if (end == body.npos) return false;
        at = end + closing.size();
    }
    char quote = 0;
    std::size_t end = at;
    for (; end < body.size() && (quote != 0 || body[end] != '>'); ++end) {
        const char c = body[end];
        if (quote == 0 && c == '[') return false;
        if (quote == 0 && (c == '"' || c == '\''))
            quote = c;
        else if (c == quote)
            quote = 0;
    }
    if (end == body.size()) return false;
    for (; at <= end; ++at)
        if (body[at] != '\n') body[at] = ' ';
    return true;
}

std::string excerpt(const xmlNode* element) {
    const DocumentHandle document(xmlNewDoc(nullptr));
    if (!document) throw std::bad_alloc();
    xmlNode* const copy = xmlDocCopyNode(const_cast<xmlNode*>(element), document.get(), 1);
    if (copy == nullptr) throw std::bad_alloc();
    xmlDocSetRootElement(document.get(), copy);
    if (lacks_namespace(copy)) declare(copy, reinterpret_cast<const xmlChar*>(""), nullptr);
    std::string out;
    append_node(out, copy);
    if (declare_mentioned(copy, element, out)) {
        out.clear();
        append_node(out, copy);
    }
    out.shrink_to_fit();  // a page of them is kept
    return out;
}

struct Reader::State {
    std::string error;  // the first
    ReaderHandle reader;

    static void keep_first(void* state, xmlErrorPtr error) noexcept {
        std::string& kept = static_cast<State*>(state)->error;
        if (error->level != XML_ERR_WARNING && error->message != nullptr && kept.empty())
            kept = "line " + std::to_string(error->line) + ": " +
                   std::string(text::trim(error->message));
    }
};

// Without XML_PARSE_NOENT libxml2 reads &amp; in a namespace URI as &#38;. It is safe here, since a
// DOCTYPE is refused and so no document can declare entities of its own.
Reader::Reader(std::string_view bytes) : state_(std::make_unique<State>()) {
    Guard guard({.record_depth = 3});  // of answers of OAI-PMH
    try {
        bytes = guard.pass(bytes);
    } catch (const Error& e) {
        throw Error("line " + std::to_string(guard.line()) + ": " + e.what());
    }
    state_->reader.reset(xmlReaderForMemory(
        bytes.data(), static_cast<int>(bytes.size()), nullptr, nullptr,
        XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_NOCDATA | XML_PARSE_BIG_LINES));
    if (!state_->reader) throw std::bad_alloc();
    xmlTextReaderSetStructuredErrorHandler(state_->reader.get(), State::keep_first, state_.get());
}

Reader::~Reader() = default;

void Reader::fail() const {
    throw Error(state_->error.empty() ? "not well-formed XML" : state_->error);
}

bool Reader::to_element(int outcome) {
    xmlTextReader* const reader = state_->reader.get();
    for (; outcome == 1; outcome = xmlTextReaderRead(reader)) {
        if (!state_->error.empty()) fail();  // libxml2 continues after an undeclared prefix
        const int type = xmlTextReaderNodeType(reader);
        if (type == XML_READER_TYPE_DOCUMENT_TYPE) throw Error("a DOCTYPE is not allowed");
        if (type == XML_READER_TYPE_ELEMENT) return true;
    }
    if (outcome != 0 || !state_->error.empty()) fail();
    return false;
}

bool Reader::next() { return to_element(xmlTextReaderRead(state_->reader.get())); }

bool Reader::next_skipping_children() {
    return to_element(xmlTextReaderNext(state_->reader.get()));
}

int Reader::depth() const { return xmlTextReaderDepth(state_->reader.get()); }

std::string_view Reader::name() const {
    return view(xmlTextReaderConstLocalName(state_->reader.get()));
}

std::string Reader::attribute(const char* name) const {
    const StringHandle value(
        xmlTextReaderGetAttribute(state_->reader.get(), reinterpret_cast<const xmlChar*>(name)));
    return value ? reinterpret_cast<const char*>(value.get()) : "";
}

const xmlNode* Reader::whole() {
    const xmlNode* node = xmlTextReaderExpand(state_->reader.get());
    if (node == nullptr || !state_->error.empty()) fail();
    return node;
}

}  // namespace oai::xml
