// SPDX-License-Identifier: MIT
// Reads any bytes as a WARC file. Every capture found is valid to store, and every offset lies
// within the file.
#include "findings.h"
#include "tools/load/archive_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    load::fuzz::CheckingHandler handler(size);
    load::Input input = load::fuzz::input_of(data, size);
    load::read_records(input, load::FileFormat::warc, "x.warc", handler);
    return 0;
}
