// SPDX-License-Identifier: MIT
// Reads a document in memory element by element with xmlTextReader of libxml2. Only the elements
// that are asked for become a tree, so that memory holds the tree of one record, not of the whole
// response. Like document.h it refuses a DOCTYPE and entities declared by the document, never uses
// the network, and bounds the depth. Not thread-safe.
#pragma once

#include <libxml/tree.h>

#include <memory>
#include <string_view>

#include "xml/error.h"

namespace oai::xml {

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
