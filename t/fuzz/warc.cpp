// SPDX-License-Identifier: MIT
// Any bytes as an WARC file: whatever is found is fit to be stored, and each place is within the file.
#include "load/warc.h"

#include "findings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    oai::load::fuzz::Checked checked(size);
    oai::load::Input input = oai::load::fuzz::input_of(data, size);
    oai::load::read_warc(input, "x.warc", checked);
    return 0;
}
