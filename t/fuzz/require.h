// SPDX-License-Identifier: MIT
// What a fuzzer's target holds the code to: whatever does not hold is a finding.
#pragma once

#include <cstdlib>

namespace oai::fuzz {

inline void require(bool holds) {
    if (!holds) std::abort();
}

// Reads what may be refused, in words, by an Error.
template <class Error, class Read>
void try_reading(Read read) {
    try {
        read();
    } catch (const Error& e) {
        require(*e.what() != '\0');
    }
}

}  // namespace oai::fuzz
