// SPDX-License-Identifier: MIT
// Any bytes as a CDX and as a CDXJ file, and as whatever sniff() takes them for.
#include "load/cdx.h"

#include <stdexcept>

#include "findings.h"
#include "load/sniff.h"

namespace {

template <class Read>
void try_reading(const std::uint8_t* data, std::size_t size, Read read) {
    oai::load::fuzz::Checked checked(size);
    oai::load::Input input = oai::load::fuzz::input_of(data, size);
    try {
        read(input, checked);
    } catch (const std::runtime_error&) {  // refused in words
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try_reading(data, size, oai::load::read_cdx);
    try_reading(data, size, oai::load::read_cdxj);
    try_reading(data, size, [](oai::load::Input& input, oai::load::Findings&) { oai::load::sniff(input); });
    return 0;
}
