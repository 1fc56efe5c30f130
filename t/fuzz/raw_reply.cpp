// SPDX-License-Identifier: MIT
// Reads any bytes as responses that follow each other on a connection. Each takes some bytes, its
// body comes from among them, and what is left is the end of the input.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "require.h"
#include "tools/validate/answer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using oai::fuzz::require;
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    for (const bool to_head : {false, true}) {
        std::string_view left = all;
        for (std::size_t before = left.size();; before = left.size()) {
            const auto reply = oai::validate::take_reply(left, to_head);
            require(all.ends_with(left));
            if (!reply) {
                require(left.size() == before);
                break;
            }
            require(left.size() < before && reply->body.size() < before - left.size());
            require(!to_head || reply->body.empty());
        }
    }
    return 0;
}
