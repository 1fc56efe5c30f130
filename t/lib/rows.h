// SPDX-License-Identifier: MIT
// A table of two columns, as text: "given > wanted | given > wanted". Blanks around are left out.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace oai::test {

inline std::vector<std::pair<std::string, std::string>> rows(std::string_view table) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const std::string_view row : text::split(table, '|')) {
        const std::size_t at = row.find('>');
        all.emplace_back(text::trim(row.substr(0, at)), text::trim(row.substr(at + 1)));
    }
    return all;
}

}  // namespace oai::test
