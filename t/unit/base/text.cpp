// SPDX-License-Identifier: MIT
#include "base/text.h"

#include "base/terminal.h"
#include "base/text_buffer.h"
#include "t/lib/unit_headers.h"

using namespace oai::text;
using namespace std::string_view_literals;

namespace {

// Encodes a code point by the rules of RFC 3629, 3; surrogates too.
std::string encode(char32_t c) {
    const auto tail = [&](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
    if (c < 0x80) return {static_cast<char>(c)};
    if (c < 0x800) return {static_cast<char>(0xC0 | c >> 6), tail(0)};
    if (c < 0x10000) return {static_cast<char>(0xE0 | c >> 12), tail(6), tail(0)};
    return {static_cast<char>(0xF0 | c >> 18), tail(12), tail(6), tail(0)};
}

const std::string kBad = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

TEST_CASE("text: every code point is accepted or not as Unicode and XML 1.0 say") {
    int wrong = 0;
    for (char32_t c = 0; c <= 0x110400; ++c) {
        const bool is_character = c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);
        // Written as production 2 of XML 1.0 is.
        const bool is_char = c == 0x9 || c == 0xA || c == 0xD || (c >= 0x20 && c <= 0xD7FF) ||
                             (c >= 0xE000 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0x10FFFF);
        const std::string bytes = encode(c);
        wrong += is_utf8(bytes) != is_character;
        wrong += is_xml_text(bytes) != is_char;
        wrong += is_char != (to_xml_text(bytes) == bytes);
    }
    CHECK(wrong == 0);
}

TEST_CASE("text: every sequence of three bytes is XML text, or becomes XML text") {
    int wrong = 0;
    for (unsigned n = 0; n < 0x1000000;
         n += n < 0x20000 ? 1 : 61) {  // 61 is prime, so all bytes occur
        const std::string bytes{static_cast<char>(n >> 16), static_cast<char>(n >> 8),
                                static_cast<char>(n)};
        const std::string clean = to_xml_text(bytes);
        wrong += !is_xml_text(clean);
        wrong += is_xml_text(bytes) != (clean == bytes);
        wrong += is_xml_text(bytes) && !is_utf8(bytes);
    }
    CHECK(wrong == 0);
}

TEST_CASE("text: ill-formed UTF-8 becomes U+FFFD by maximal subparts") {
    struct Case {
        std::string bytes, text;
    };
    const Case cases[] = {
        {"", ""},
        {"caf\xC3\xA9", "caf\xC3\xA9"},
        {"caf\xE9", "caf" + kBad},
        {"\xC0\xAF", kBad + kBad},                        // overlong '/'
        {"\xE0\x80\xAF", kBad + kBad + kBad},             // overlong
        {"\xED\xA0\x80", kBad + kBad + kBad},             // surrogate
        {"\xF4\x90\x80\x80", kBad + kBad + kBad + kBad},  // past U+10FFFF
        {"\xE2\x82z", kBad + "z"},                        // cut short: one subpart
        {"\xF0\x9F\x98", kBad},                           // cut short at the end
        {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
        {"\xED\xA0\xBD\xED\xB8\x80", "\xF0\x9F\x98\x80"},  // a pair of surrogates
        {"\xED\xB8\x80\xED\xA0\xBD", kBad + kBad + kBad + kBad + kBad + kBad},
        {"a\0b"s, "a" + kBad + "b"},
        {"\x1B[2J", kBad + "[2J"},
        {"\t\n\r", "\t\n\r"},
        {"\xEF\xBF\xBE", kBad},  // U+FFFE
        // The example of Unicode 15, table 3-11.
        {"\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64",
         "a" + kBad + kBad + kBad + "b" + kBad + "c" + kBad + kBad + "d"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.bytes);
        CHECK(to_xml_text(c.bytes) == c.text);
        CHECK(is_xml_text(c.bytes) == (c.bytes == c.text));
    }
}

TEST_CASE("text: utf8_prefix never ends inside a character") {
    const std::string s = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";  // 1, 2, 3 and 4 bytes
    const std::size_t right[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
    for (std::size_t n = 0; n < std::size(right); ++n) {
        CHECK(utf8_prefix(s, n) == std::string_view(s).substr(0, right[n]));
        CHECK(is_utf8(utf8_prefix(s, n)));
    }
    CHECK(utf8_prefix("", 5).empty());
}

TEST_CASE("text: percent_decode") {
    CHECK(percent_decode("a+b%20c") == "a b c");
    CHECK(percent_decode("%2B%2b%25") == "++%");
    CHECK(percent_decode("%00%FF") == "\0\xFF"s);
    CHECK(percent_decode("") == "");
    for (const auto broken : {"%", "%4", "a%", "%4g", "%g4", "%%41", "%-1", "% 1", "%0x41",
                              "%\0"
                              "41"}) {
        CAPTURE(broken);
        CHECK_FALSE(percent_decode(broken));
    }
}

TEST_CASE("text: base64url of RFC 4648, 10, without padding") {
    const std::pair<std::string, std::string> cases[] = {
        {"", ""},           {"f", "Zg"},          {"fo", "Zm8"},          {"foo", "Zm9v"},
        {"foob", "Zm9vYg"}, {"fooba", "Zm9vYmE"}, {"foobar", "Zm9vYmFy"}, {"\xFB\xFF", "-_8"}};
    for (const auto& [bytes, encoded] : cases) {
        CHECK(base64url_encode(bytes) == encoded);
        CHECK(base64url_decode(encoded) == bytes);
    }
    for (const auto bad :
         {"Zg=="sv, "Zg="sv, "Z"sv, "Zh"sv, "Zm9"sv, "Zm9vY+Fy"sv, "Zm9vY/Fy"sv, "Zm9v\n"sv,
          " Zm9v"sv, "Zm 9v"sv, "Zm9v\0"sv, "Zm\0v"sv, "Zm9v%"sv, "Zm9v\xC3"sv}) {
        CAPTURE(bad);
        CHECK_FALSE(base64url_decode(bad));
    }
}

TEST_CASE("text: no two texts decode to the same bytes in base64url") {
    int wrong = 0;
    for (std::size_t length = 1; length <= 8; ++length) {
        for (std::size_t at = 0; at < length; ++at) {
            for (int byte = 0; byte < 256; ++byte) {
                std::string text(length, 'Q');
                text[at] = static_cast<char>(byte);
                const auto decoded = base64url_decode(text);
                wrong += decoded && base64url_encode(*decoded) != text;
            }
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("text: split, trim, lower_ascii") {
    using Parts = std::vector<std::string_view>;
    CHECK(split("a::b", ':') == Parts{"a", "", "b"});
    CHECK(split("", ':') == Parts{""});
    CHECK(split(":", ':') == Parts{"", ""});
    CHECK(split("abc", ':') == Parts{"abc"});
    CHECK(trim(" \t\r\n a b \n") == "a b");
    CHECK(trim(" \t\r\n ").empty());
    CHECK(trim("").empty());
    CHECK(trim("\xC2\xA0x") == "\xC2\xA0x");
    CHECK(lower_ascii("AZaz[@\xC3\x89") == "azaz[@\xC3\x89");
}

TEST_CASE("text: to_integer reads the whole text or nothing") {
    CHECK(to_integer("0") == 0);
    CHECK(to_integer("007") == 7);
    CHECK(to_integer("-5") == -5);
    CHECK(to_integer("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
    CHECK(to_integer("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
    for (const auto bad :
         {"", " 1", "1 ", "1OO", "+1", "0x10", "1.0", "1e3", "-", "9223372036854775808",
          "-9223372036854775809", "99999999999999999999999"}) {
        CAPTURE(bad);
        CHECK_FALSE(to_integer(bad));
    }
    CHECK_FALSE(to_integer("1\0"sv));
}

TEST_CASE("text: hexadecimal digits of every byte, both ways") {
    using oai::text::append_hex, oai::text::hex_value, oai::text::percent_escape_at;
    int digits = 0;
    for (int b = 0; b < 256; ++b) {
        const auto byte = static_cast<char>(b);
        std::string out = "%";
        append_hex(out, byte);
        REQUIRE(out == fmt::format("%{:02X}", b));
        REQUIRE(percent_escape_at(out, 0) == byte);
        REQUIRE(percent_escape_at(fmt::format("x%{:02x}", b), 1) == byte);
        digits += hex_value(byte) >= 0;
    }
    CHECK(digits == 22);
    for (const std::string_view none : {"", "%", "%4", "4%41", "%4g", "%g4", "A41"})
        CHECK_FALSE(percent_escape_at(none, 0));
    CHECK_FALSE(percent_escape_at("%41", 1));
}

TEST_CASE("text: percent_encode keeps what a query may contain, and writes other bytes in hex") {
    CHECK(percent_encode("aZ09-._~") == "aZ09-._~");
    CHECK(percent_encode("a b&c=d/e:f+%\xC4\x8D") == "a%20b%26c%3Dd%2Fe%3Af%2B%25%C4%8D");
    CHECK(percent_encode("a/b:c", "/:") == "a/b:c");
    CHECK(percent_decode(percent_encode("\x01\xFF+ %")) == "\x01\xFF+ %");
}

TEST_CASE("text: to_terminal_text leaves nothing that a terminal would interpret") {
    CHECK(to_terminal_text("plain, \xC4\x8D\xE2\x82\xAC\n\t") == "plain, \xC4\x8D\xE2\x82\xAC\n\t");
    CHECK(to_terminal_text("\x1b[31m\x07") ==
          "\xEF\xBF\xBD[31m\xEF\xBF\xBD");  // not a character of XML
    CHECK(to_terminal_text("\x7F\xC2\x9B") == "\\u{7F}\\u{9B}");
    CHECK(to_terminal_text("a\xE2\x80\xAEz\xE2\x81\xA6") == "a\\u{202E}z\\u{2066}");
}

TEST_CASE("text: is_xml_text agrees with to_xml_text wherever a character stands") {
    const std::string all =
        "a|\t|\x01|\x7F|\x80|\xBF|"
        "\xC0\x80|\xC1\xBF|\xC2\x80|\xC5\xBE|\xDF\xBF|\xE0\x9F\xBF|"
        "\xE0\xA0\x80|\xED\x9F\xBF|\xED\xA0\x80|\xEF\xBF\xBD|\xEF\xBF\xBE|\xEF\xBF\xBF|"
        "\xEF\xBE\xBF|\xF0\x8F\xBF\xBF|\xF0\x90\x80\x80|\xF4\x8F\xBF\xBF|\xF4\x90\x80\x80|"
        "\xF5\x80\x80\x80|"
        "\xFF|\xC5|\xE2\x82|\xF0\x9F\x98|" +
        std::string(1, '\0');
    const std::vector<std::string_view> pieces = split(all, '|');
    for (const std::string_view one : pieces)
        for (const std::string_view two : pieces)
            for (std::size_t before = 0; before < 36; ++before)
                for (const std::size_t after : {0, 1, 13, 14, 15, 16, 17}) {
                    const std::string s =
                        std::string(before, 'x').append(one).append(two).append(after, 'y');
                    if (is_xml_text(s) != (to_xml_text(s) == s)) FAIL(before << one << two);
                }
    SUCCEED();
}

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

TEST_CASE("text: UTF-8 of a code point") {
    const auto utf8 = [](char32_t character) {
        std::string out = "x";
        append_character(out, character);
        return out;
    };
    CHECK(utf8('a') + utf8(0x7F) + utf8(0x80) == "xax\x7Fx\xC2\x80");
    CHECK(utf8(0x10D) + utf8(0x20AC) == "x\xC4\x8Dx\xE2\x82\xAC");
    CHECK(utf8(0x1F600) + utf8(0x10FFFF) == "x\xF0\x9F\x98\x80x\xF4\x8F\xBF\xBF");
    for (const char32_t none : {0U, 0xD800U, 0xDFFFU, 0x110000U, 0xFFFFFFFFU})
        CHECK(utf8(none) == "x" + kBad);
}
