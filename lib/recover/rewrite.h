// SPDX-License-Identifier: MIT
// A tree that can be browsed from a disk: its documents refer to each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "recover/tree.h"

namespace oai::recover {

struct Rewriting {
    std::int64_t changed = 0;       // documents
    std::vector<std::string> left;  // places of those in an encoding whose ASCII is not ASCII: UTF-16, UTF-32, ISO-2022
};

// In every HTML, XHTML, SVG and CSS document of the tree, and in <?xml-stylesheet?> of any XML, references to others of it become
// relative to its place, and references to what is not there absolute. Addresses that differ in their escapes alone lead to the same
// document (RFC 3986, 6.2.2). Scripts stay as they are. A document that was rewritten before gets relative
// references to what has come since. Throws std::runtime_error; what was done is done, and the next call goes on.
Rewriting rewrite_links(Tree& tree);

}  // namespace oai::recover
