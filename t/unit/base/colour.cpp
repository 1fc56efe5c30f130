// SPDX-License-Identifier: MIT
#include "base/colour.h"

#include <catch2/catch.hpp>

#include "base/config.h"

using namespace oai;

TEST_CASE("colour: six hexadecimal digits, and nothing else") {
    REQUIRE(parse_colour("#0b4F9e"));
    CHECK(parse_colour("#0b4F9e")->rgb == std::array{0x0b, 0x4f, 0x9e});
    CHECK(print_colour(*parse_colour("#0B4F9E")) == "#0b4f9e");
    for (const char* wrong : {"", "#", "0b4f9e", "#0b4f9", "#0b4f9e0", "#0b4g9e", "#fff", "red",
                              "#-10000", "#+10000", "# 10000", "#0b4f9e ", "#0x1000"}) {
        CAPTURE(wrong);
        CHECK_FALSE(parse_colour(wrong));
    }
}

TEST_CASE("colour: contrasts as the World Wide Web Consortium computes them") {
    const auto of = [](const char* a, const char* b) {
        return contrast(*parse_colour(a), *parse_colour(b));
    };
    CHECK(of("#000000", "#ffffff") == Approx(21));
    CHECK(of("#ffffff", "#ffffff") == Approx(1));
    CHECK(of("#777777", "#ffffff") == Approx(4.48).margin(0.005));
    CHECK(of("#ffffff", "#767676") == Approx(4.54).margin(0.005));
    CHECK(of("#ff0000", "#0000ff") == Approx(2.15).margin(0.005));
}

TEST_CASE("colour: a colour is lightened until it can be read on a dark ground") {
    for (const char* dark : {"#000000", "#7a1f3d", "#0b4f9e", "#004000", "#0000ff"}) {
        CAPTURE(dark);
        const Colour light = lighten(*parse_colour(dark), kDarkGround, 7);
        CHECK(contrast(light, kDarkGround) >= 7);
        CHECK(contrast(light, kDarkGround) < 9);
    }
    CHECK(print_colour(lighten(*parse_colour("#ffee00"), kDarkGround, 7)) == "#ffee00");
    CHECK(print_colour(lighten(*parse_colour("#777777"), kLightGround, 7)) == "#ffffff");
}

TEST_CASE("colour: an accent that cannot be read is refused by its line and contrast") {
    const auto parse = [](const std::string& accent) {
        return parse_config(
            "[repository]\nname = A\nbase_url = http://a.example.org/oai\n"
            "admin_email = a@example.org\nidentifier_namespace = example.org\n"
            "[token]\nkey_file = k\n[formats]\ndirectory = d\n"
            "[database]\nconnection = c\n[browse]\naccent = " +
                accent + "\n",
            "oai.ini");
    };
    CHECK(parse("#7a1f3d").browse.accent == "#7a1f3d");
    CHECK_THROWS_WITH(parse("#ff9900"),
                      Catch::StartsWith("oai.ini:13: [browse] accent: #ff9900 has a contrast of "
                                        "1.96 with the ground of the pages, #f3f5f8"));
    CHECK_THROWS_WITH(parse("red"), Catch::StartsWith("oai.ini:13: [browse] accent: \"red\""));
}
