// SPDX-License-Identifier: MIT
// A tree that can be browsed from a disk: its documents refer to each other.
#pragma once

#include <cstdint>

#include "recover/tree.h"

namespace oai::recover {

// In every HTML document of the tree, references to others of it become relative to its place, and references
// to what is not there absolute, once: a comment at its end says so. Returns how many documents were changed.
// Throws std::runtime_error.
std::int64_t rewrite_links(const Tree& tree);

}  // namespace oai::recover
