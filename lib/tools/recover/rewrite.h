// SPDX-License-Identifier: MIT
// Makes a recovered tree browsable from a disk: its documents refer to each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/recover/output.h"

namespace oai::recover {

struct RewriteResult {
    std::int64_t changed = 0;          // documents
    std::vector<std::string> skipped;  // places of documents whose encoding does not extend ASCII:
                                       // UTF-16, UTF-32, ISO-2022
};

// In every HTML, XHTML, SVG and CSS document of the tree, and in <?xml-stylesheet?> of any XML,
// makes references to other documents of the tree relative, and all other references absolute.
// Addresses that differ only in their percent-encoding lead to the same document (RFC 3986, 6.2.2).
// Scripts are not changed. Documents that were rewritten before get relative references to
// documents that were added since. Throws std::runtime_error; what was rewritten stays, and the
// next call goes on.
RewriteResult rewrite_links(Tree& tree);

}  // namespace oai::recover
