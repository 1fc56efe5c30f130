// SPDX-License-Identifier: MIT
// Reading a document in memory forward, one element after the other, by libxml2's xmlTextReader: only what is asked for
// becomes a tree, so memory holds one record of a page and not the page again. As careful as document.h: no DOCTYPE, no
// entities of its own, no network, bounded depth. Not thread-safe.
#pragma once

#include <libxml/tree.h>

#include <memory>
#include <string_view>

#include "xml/error.h"

namespace oai::xml {

class Reader {
  public:
    // `bytes` (less than 2 GiB) must outlive it.
    explicit Reader(std::string_view bytes);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // The next element in document order, one below this one included; false: the document has ended, soundly. All
    // that move throw Error with the message alone.
    bool next();
    // The same, elements below this one left out.
    bool next_beside();

    int depth() const;              // of the element: 0 is the document element
    std::string_view name() const;  // local
    // The element with everything below it, its ancestors above it. Valid until the next move.
    const xmlNode* whole();

  private:
    struct State;
    bool to_element(int outcome);
    [[noreturn]] void fail() const;
    std::unique_ptr<State> state_;
};

}  // namespace oai::xml
