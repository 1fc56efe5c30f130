// SPDX-License-Identifier: MIT
// Reads any bytes as a CDX and as a CDXJ file, and lets sniff() guess their format.

#include <stdexcept>

#include "findings.h"
#include "tools/load/archive_reader.h"

namespace {

template <class Read>
void try_reading(const std::uint8_t* data, std::size_t size, Read read) {
    load::fuzz::CheckingHandler handler(size);
    load::Input input = load::fuzz::input_of(data, size);
    try {
        read(input, handler);
    } catch (const std::runtime_error&) {  // the input was refused
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try_reading(data, size, load::read_cdx);
    try_reading(data, size, load::read_cdxj);
    try_reading(data, size, [](load::Input& input, load::CaptureHandler&) { load::sniff(input); });
    return 0;
}
