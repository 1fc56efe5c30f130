// SPDX-License-Identifier: MIT
#include "xml/escape.h"

#include "base/text.h"
#include "t/lib/unit_headers.h"

using oai::xml::append_attribute, oai::xml::append_checked_text, oai::xml::append_text;

namespace {

template <class Append>
std::string escaped(Append append, std::string_view s) {
    std::string out = "<";  // the functions append and must keep this
    append(out, s);
    REQUIRE(out.front() == '<');
    return out.substr(1);
}

std::string utf8(char32_t c) {
    std::string s;
    const auto put = [&](unsigned v) { s += static_cast<char>(v); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 | c >> 6), put(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
    } else {
        put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 0x3F)), put(0x80 | (c >> 6 & 0x3F)),
            put(0x80 | (c & 0x3F));
    }
    return s;
}

}  // namespace

TEST_CASE("escape: markup in text and in attributes") {
    CHECK(escaped(append_text, "a<b>&\"c'\t\n\rd") == "a&lt;b&gt;&amp;\"c'\t\n&#13;d");
    CHECK(escaped(append_attribute, "a<b>&\"c'\t\n\rd") ==
          "a&lt;b&gt;&amp;&quot;c'&#9;&#10;&#13;d");
    CHECK(escaped(append_text, "").empty());
}

TEST_CASE("escape: a special byte is found at every offset of a long text") {
    for (std::size_t length : {1U, 15U, 16U, 17U, 31U, 32U, 33U, 64U}) {
        for (std::size_t at = 0; at < length; ++at) {
            std::string s(length, 'x');
            s[at] = '&';
            const std::string expected =
                std::string(at, 'x') + "&amp;" + std::string(length - at - 1, 'x');
            REQUIRE(escaped(append_text, s) == expected);
            REQUIRE(escaped(append_attribute, s) == expected);
        }
    }
}

TEST_CASE("escape: every code point is treated as production 2 of XML 1.0 says") {
    for (char32_t c = 0; c <= 0x110000; ++c) {
        if (c == '&' || c == '<' || c == '>' || c == '\r') continue;
        const bool is_char = c == 0x9 || c == 0xA || (c >= 0x20 && c <= 0xD7FF) ||
                             (c >= 0xE000 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0x10FFFF);
        const std::string out = escaped(append_text, utf8(c));
        // A surrogate's three bytes and those beyond U+10FFFF are ill-formed from the first one on.
        const bool whole = c < 0xD800 || c > 0xDFFF;
        const std::string expected = is_char         ? utf8(c)
                                     : c == 0x110000 ? "\uFFFD\uFFFD\uFFFD\uFFFD"
                                     : whole         ? "\uFFFD"
                                                     : "\uFFFD\uFFFD\uFFFD";
        if (out != expected) FAIL("U+" << std::hex << static_cast<unsigned>(c));
    }
}

TEST_CASE("escape: ill-formed UTF-8") {
    CHECK(escaped(append_text, "a\x80z") == "a\uFFFDz");
    CHECK(escaped(append_text, "a\xC3") == "a\uFFFD");  // a sequence cut off at the end
    CHECK(escaped(append_text, "a\xE2\x82z") ==
          "a\uFFFDz");  // a sequence cut off in the middle becomes one U+FFFD, and z is kept
    CHECK(escaped(append_text, "\xC0\xAF") == "\uFFFD\uFFFD");  // overlong
    CHECK(escaped(append_text, "\xE0\x80\x80") == "\uFFFD\uFFFD\uFFFD");
    CHECK(escaped(append_text, "\xF0\x9F\x98<") == "\uFFFD&lt;");
    CHECK(escaped(append_text, std::string_view("a\0b", 3)) == "a\uFFFDb");
    CHECK(escaped(append_attribute, "\xFF\xFE") == "\uFFFD\uFFFD");
}

TEST_CASE("escape: the result is always XML text") {
    unsigned state = 12345;  // a fixed seed, so that every run tests the same texts
    for (int round = 0; round < 20000; ++round) {
        std::string s;
        for (unsigned n = (state >> 16) % 40; n > 0; --n) {
            state = state * 1664525U + 1013904223U;
            constexpr std::string_view bytes = "ab<&\"\x01\x80\xBF\xC3\xE2\xED\xEF\xF0\xF4\xFF";
            s += bytes[(state >> 16) % bytes.size()];
        }
        state = state * 1664525U + 1013904223U;
        REQUIRE(oai::text::is_xml_text(escaped(append_text, s)));
        if (oai::text::is_xml_text(s))
            REQUIRE(escaped(append_checked_text, s) == escaped(append_text, s));
    }
}
