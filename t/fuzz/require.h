// SPDX-License-Identifier: MIT
// Checks for fuzz targets: a condition that does not hold aborts the program, which is a finding.
#pragma once

#include <cstdlib>

namespace oai::fuzz {

inline void require(bool holds) {
    if (!holds) std::abort();
}

// Runs a reader that may refuse its input by an Error, which must have a message.
template <class Error, class Read>
void try_reading(Read read) {
    try {
        read();
    } catch (const Error& e) {
        require(*e.what() != '\0');
    }
}

}  // namespace oai::fuzz

// Every target writes these without a namespace.
using namespace oai;
using oai::fuzz::require;
