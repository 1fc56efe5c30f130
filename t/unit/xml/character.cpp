// SPDX-License-Identifier: MIT
#include "xml/character.h"

#include "t/lib/unit_headers.h"

using namespace oai::xml;

TEST_CASE("character: HTML's named characters") {
    CHECK(named_character("amp") == '&');
    CHECK(named_character("apos") == '\'');
    CHECK(named_character("eacute") == 0xE9);
    CHECK(named_character("scaron") == 0x161);
    CHECK(named_character("hearts") == 0x2665);
    for (const char* none : {"", "Amp", "eacute;", "#38", "nobody"})
        CHECK_FALSE(named_character(none));
}
