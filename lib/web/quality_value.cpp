// SPDX-License-Identifier: MIT
#include "web/quality_value.h"

#include <algorithm>

#include "base/text.h"

namespace oai {
namespace {

// 0 to 1 with at most three decimals; anything else counts as 0.
int parse_weight(std::string_view q) {
    if (q.empty() || q.size() > 5 || (q[0] != '0' && q[0] != '1')) return 0;
    if (q.size() > 1 && q[1] != '.') return 0;
    int weight = q[0] == '1' ? 1000 : 0;
    int place = 100;
    for (const char c : q.substr(std::min<std::size_t>(2, q.size()))) {
        if (c < '0' || c > (q[0] == '1' ? '0' : '9')) return 0;
        weight += place * (c - '0');
        place /= 10;
    }
    return weight;
}

}  // namespace

int quality_value(std::string_view parameters) {
    int weight = 1000;
    for (const std::string_view part : text::split(parameters, ';')) {
        const std::string_view parameter = text::trim(part);
        if (parameter.starts_with("q=") || parameter.starts_with("Q="))
            weight = std::min(weight, parse_weight(parameter.substr(2)));
    }
    return weight;
}

}  // namespace oai
