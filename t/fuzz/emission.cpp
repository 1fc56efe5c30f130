// SPDX-License-Identifier: MIT
// Derives a stylesheet and records from the input, and requires the same output from the compiled
// stylesheet and from libxslt (t/lib/emission.h).
#include "t/lib/emission.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

// Few records, since the stylesheet matters more and most of the input should decide on it.
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
