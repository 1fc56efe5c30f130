// SPDX-License-Identifier: MIT
// The input decides on a stylesheet and on records; compiled and by libxslt these give the same (t/lib/emission.h).
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "t/lib/emission.h"

// Few: what decides is the stylesheet, and the input is mostly spent on it.
constexpr int kRecords = 4;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static oai::test::EmissionCheck check;
    oai::test::Choice choice(data, size);
    if (const std::string wrong = check.run(choice, kRecords); !wrong.empty()) {
        std::fprintf(stderr, "%s\n", wrong.c_str());
        std::abort();
    }
    return 0;
}
