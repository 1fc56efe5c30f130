// SPDX-License-Identifier: MIT
#include "base/text_buffer.h"

#include <catch2/catch.hpp>
#include <string>

using namespace oai;

TEST_CASE("text buffer: pieces of every length stand one after the other") {
    std::string source;
    for (int i = 0; i < 100; ++i) source += static_cast<char>('!' + i % 90);
    TextBuffer text;
    std::string wanted;
    CHECK(text.view().empty());
    text.append("");
    for (int round = 0; round < 3; ++round) {
        for (std::size_t n = 0; n <= source.size(); ++n) {
            text.append(source.substr(source.size() - n));
            wanted += source.substr(source.size() - n);
            REQUIRE(text.view() == wanted);
        }
        if (round == 1) continue;
        text.clear();
        wanted.clear();
    }
    text.append("<a>");
    text.replace_last("/>");
    CHECK(text.view() == "<a/>");
    CHECK(text.size() == 4);
}
