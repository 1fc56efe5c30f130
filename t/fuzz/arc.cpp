// SPDX-License-Identifier: MIT
// Any bytes as an ARC file: whatever is found is fit to be stored, and each place is within the file.
#include "load/arc.h"

#include "findings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    oai::load::fuzz::Checked checked(size);
    oai::load::Input input = oai::load::fuzz::input_of(data, size);
    oai::load::read_arc(input, "x.arc", checked);
    return 0;
}
