// SPDX-License-Identifier: MIT
// Colours of sRGB, and the contrast between two of them as WCAG 2.2 defines it (1.4.3). Pure.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace oai {

struct Colour {
    std::array<int, 3> rgb{};  // 0 to 255
};

// "#0b4f9e"; nullopt if the text is anything else.
std::optional<Colour> parse_colour(std::string_view text);
std::string print_colour(const Colour& colour);

// The contrast ratio, 1 to 21. Text needs 4.5.
double contrast(const Colour& a, const Colour& b);
// The colour with as much white as it needs for that contrast with a dark ground; white if no
// mixture has it.
Colour lighten(const Colour& colour, const Colour& ground, double least_contrast);

// The grounds of the pages for people on which text stands, as xslt/page/style.css has them: the
// darkest of the light and the lightest of the dark scheme.
inline constexpr Colour kLightGround{{0xf3, 0xf5, 0xf8}};
inline constexpr Colour kDarkGround{{0x22, 0x26, 0x2d}};
inline constexpr double kTextContrast = 4.5;

}  // namespace oai
