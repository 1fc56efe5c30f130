// SPDX-License-Identifier: MIT
// Reads a document in memory element by element with xmlTextReader of libxml2. Only the elements
// that are asked for become a tree, so that memory holds the tree of one record, not of the whole
// response. Like document.h it refuses a DOCTYPE and entities declared by the document, never uses
// the network, and bounds the depth. Not thread-safe.
#pragma once

#include <libxml/tree.h>

#include <memory>
#include <string>
#include <string_view>

#include "xml/document.h"

namespace oai::xml {

// The DOCTYPE of documents that others made: one that declares nothing itself is harmless as long
// as what it refers to is never read. Our parsers refuse any. Pure.

// Writes blanks over the DOCTYPE of a document, so that all else stays on its line. Returns false,
// and changes nothing, if there is none, or one that declares something itself.
bool hide_doctype(std::string& document);

// Serialises an element so that the text means the same outside of its document. Pure.

// Adds the namespace declarations of ancestors that names in the element use, those whose prefix
// occurs in a value (xsi:type="dcterms:W3CDTF"), and xmlns="" if an element has no namespace.
// Throws std::bad_alloc.
std::string excerpt(const xmlNode* element);

class Reader {
  public:
    // `bytes` must be shorter than 2 GiB and outlive the reader.
    explicit Reader(std::string_view bytes);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // Moves to the next element in document order, which may be a child of the current one. Returns
    // false at the end of a well-formed document. Both moves throw Error with the message alone.
    bool next();
    // As next(), but skips the descendants of the current element.
    bool next_skipping_children();

    int depth() const;              // of the current element; the document element has depth 0
    std::string_view name() const;  // without its prefix
    std::string attribute(const char* name) const;  // of the current element; "" if it has none
    // The current element with all of its descendants; parent pointers lead to its ancestors. Valid
    // until the next move. Throws Error.
    const xmlNode* whole();

  private:
    struct State;
    bool to_element(int outcome);
    [[noreturn]] void fail() const;
    std::unique_ptr<State> state_;
};

}  // namespace oai::xml
