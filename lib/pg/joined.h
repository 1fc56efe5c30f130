// SPDX-License-Identifier: MIT
// A statement's text put together of literals when the program is compiled, so that what several
// statements have in common, a list of columns, stands once.
#pragma once

#include <array>
#include <cstddef>

namespace oai::pg {

// The pieces one behind the other, ended by NUL: constexpr auto kText = joined("a", kColumns, "b").
template <std::size_t... sizes>
consteval auto joined(const char (&... pieces)[sizes]) {
    std::array<char, (sizes + ...) - sizeof...(sizes) + 1> text{};
    std::size_t end = 0;
    const auto append = [&](const char* piece, std::size_t size) {
        for (std::size_t i = 0; i + 1 < size; ++i) text[end++] = piece[i];
    };
    (append(pieces, sizes), ...);
    return text;
}

}  // namespace oai::pg
