// SPDX-License-Identifier: MIT
#include "base/colour.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace oai {
namespace {

// The relative luminance, 0 to 1.
double luminance(const Colour& colour) {
    constexpr std::array kWeights{0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (std::size_t i = 0; i < kWeights.size(); ++i) {
        const double v = colour.rgb[i] / 255.0;
        sum += kWeights[i] * (v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
    }
    return sum;
}

}  // namespace

std::optional<Colour> parse_colour(std::string_view text) {
    if (text.size() != 7 || text.front() != '#') return std::nullopt;
    Colour colour;
    for (std::size_t i = 0; i < colour.rgb.size(); ++i) {
        const char* const begin = text.data() + 1 + 2 * i;
        const auto [end, error] = std::from_chars(begin, begin + 2, colour.rgb[i], 16);
        if (error != std::errc{} || end != begin + 2 || *begin == '-') return std::nullopt;
    }
    return colour;
}

std::string print_colour(const Colour& colour) {
    return fmt::format("#{:02x}{:02x}{:02x}", colour.rgb[0], colour.rgb[1], colour.rgb[2]);
}

double contrast(const Colour& a, const Colour& b) {
    const auto [dark, light] = std::minmax({luminance(a), luminance(b)});
    return (light + 0.05) / (dark + 0.05);
}

Colour lighten(const Colour& colour, const Colour& ground, double least_contrast) {
    constexpr int kSteps = 20;
    Colour mixed = colour;
    for (int step = 1; step <= kSteps && contrast(mixed, ground) < least_contrast; ++step)
        for (std::size_t i = 0; i < colour.rgb.size(); ++i)
            mixed.rgb[i] = colour.rgb[i] + (255 - colour.rgb[i]) * step / kSteps;
    return mixed;
}

}  // namespace oai
