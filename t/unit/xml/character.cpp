// SPDX-License-Identifier: MIT
#include "xml/character.h"

#include <catch2/catch.hpp>

using namespace oai::xml;

namespace {

std::string utf8(std::uint32_t character) {
    std::string out = "x";
    append_character(out, character);
    return out.substr(1);
}

}  // namespace

TEST_CASE("character: HTML's named characters") {
    CHECK(named_character("amp") == '&');
    CHECK(named_character("apos") == '\'');
    CHECK(named_character("eacute") == 0xE9);
    CHECK(named_character("scaron") == 0x161);
    CHECK(named_character("hearts") == 0x2665);
    for (const char* none : {"", "Amp", "eacute;", "#38", "nobody"})
        CHECK_FALSE(named_character(none));
}

TEST_CASE("character: UTF-8 of a code point") {
    CHECK(utf8('a') == "a");
    CHECK(utf8(0x7F) == "\x7F");
    CHECK(utf8(0x80) == "\xC2\x80");
    CHECK(utf8(0x10D) == "\xC4\x8D");
    CHECK(utf8(0x20AC) == "\xE2\x82\xAC");
    CHECK(utf8(0x1F600) == "\xF0\x9F\x98\x80");
    CHECK(utf8(0x10FFFF) == "\xF4\x8F\xBF\xBF");
    for (const std::uint32_t none : {0U, 0xD800U, 0xDFFFU, 0x110000U, 0xFFFFFFFFU})
        CHECK(utf8(none) == "\xEF\xBF\xBD");
}
