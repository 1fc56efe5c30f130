// SPDX-License-Identifier: MIT
// Reads any bytes as an ARC file. Every capture found is valid to store, and every offset lies
// within the file.
#include "findings.h"
#include "tools/load/archive_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    oai::load::fuzz::CheckingHandler handler(size);
    oai::load::Input input = oai::load::fuzz::input_of(data, size);
    oai::load::read_records(input, oai::load::FileFormat::arc, "x.arc", handler);
    return 0;
}
