// SPDX-License-Identifier: MIT
// Scans the bytes of a text sixteen at a time. Uses the compiler's vector extension, so the same
// code becomes SSE2, NEON or scalar code, depending on the machine. Pure.
#pragma once

#include <array>
#include <string_view>

namespace oai {

using Block [[gnu::vector_size(16)]] = unsigned char;

inline Block load_block(const void* bytes) {
    Block block;
    __builtin_memcpy(&block, bytes, sizeof block);
    return block;
}

// Whether `stop` matches no byte of the block. `stop` returns a mask of its bytes.
template <class Stop>
bool block_is_free_of(Block block, Stop&& stop) {
    using Halves [[gnu::vector_size(16)]] = unsigned long long;
    const auto mask = stop(block);
    Halves halves;
    __builtin_memcpy(&halves, &mask, sizeof halves);
    return (halves[0] | halves[1]) == 0;
}

// Whether `stop` matches no byte of the text. The end of the text, or one shorter than a block, is
// covered by pieces that overlap.
template <class Stop>
bool is_free_of(std::string_view s, Stop&& stop) {
    const char* p = s.data();
    const std::size_t n = s.size();
    if (n >= sizeof(Block)) {
        for (std::size_t i = 0; i + sizeof(Block) < n; i += sizeof(Block))
            if (!block_is_free_of(load_block(p + i), stop)) return false;
        return block_is_free_of(load_block(p + n - sizeof(Block)), stop);
    }
    if (n == 0) return true;
    std::array<char, sizeof(Block)> pieces{};
    if (n >= 8) {
        __builtin_memcpy(pieces.data(), p, 8);
        __builtin_memcpy(pieces.data() + 8, p + n - 8, 8);
    } else if (n >= 4) {
        for (const std::size_t at : {0, 8}) {
            __builtin_memcpy(pieces.data() + at, p, 4);
            __builtin_memcpy(pieces.data() + at + 4, p + n - 4, 4);
        }
    } else {
        pieces.fill(p[0]);
        pieces[1] = p[n / 2];
        pieces[2] = p[n - 1];
    }
    return block_is_free_of(load_block(pieces.data()), stop);
}

// Whether all bytes are 0x20 to 0x7F: no control characters but DEL, no multi-byte characters.
inline bool is_printable_ascii(std::string_view s) {
    return is_free_of(
        s, [](Block b) { return b - 0x20 > 0x5F; });
}

}  // namespace oai
