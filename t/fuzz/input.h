// SPDX-License-Identifier: MIT
// The bytes of a fuzzer as a file, read in blocks so small that much of it lies across their borders.
#pragma once

#include <cstdint>

#include "load/input.h"

namespace oai::load::fuzz {

inline Input input_of(const std::uint8_t* data, std::size_t size) {
    return Input::of_bytes({reinterpret_cast<const char*>(data), size}, 128 + size % 1024);
}

}  // namespace oai::load::fuzz
