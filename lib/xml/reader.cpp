// SPDX-License-Identifier: MIT
#include "xml/reader.h"

#include <new>
#include <string>

#include "base/text.h"
#include "xml/handle.h"
#include "xml/view.h"

namespace oai::xml {

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

const xmlNode* Reader::whole() {
    const xmlNode* node = xmlTextReaderExpand(state_->reader.get());
    if (node == nullptr || !state_->error.empty()) fail();
    return node;
}

}  // namespace oai::xml
