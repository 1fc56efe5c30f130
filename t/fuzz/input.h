// SPDX-License-Identifier: MIT
// Presents the fuzzer's bytes as a file that is read in small blocks, so that many values cross the
// boundary of a block.
#pragma once

#include <cstdint>

#include "tools/load/input.h"

namespace oai::load::fuzz {

inline Input input_of(const std::uint8_t* data, std::size_t size) {
    return Input::of_bytes({reinterpret_cast<const char*>(data), size}, 128 + size % 1024);
}

}  // namespace oai::load::fuzz
