// SPDX-License-Identifier: MIT
#include "xml/escape.h"

#include <array>
#include <type_traits>

#include "base/simd_scan.h"

namespace oai::xml {
namespace {

// How a byte is treated. Clean bytes, and whole multibyte characters, are copied in runs; any other
// class ends the run.
enum Class : unsigned char {
    clean,
    multibyte,
    forbidden,
    ampersand,
    less,
    greater,
    quote,
    tab,
    newline,
    carriage
};

constexpr std::string_view kReplacementText = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::array<std::string_view, 10> kReplacements = {
    "", "", kReplacementText, "&amp;", "&lt;", "&gt;", "&quot;", "&#9;", "&#10;", "&#13;",
};

using Table = std::array<Class, 256>;

constexpr Table chars_table() {
    Table t{};
    for (std::size_t c = 0; c < 256; ++c)
        t[c] = c < 0x20 ? forbidden : c < 0x80 ? clean : multibyte;
    t['\t'] = t['\n'] = t['\r'] = clean;
    return t;
}

constexpr Table text_table() {
    Table t = chars_table();
    t['&'] = ampersand;
    t['<'] = less;
    t['>'] = greater;
    t['\r'] = carriage;  // a parser would turn a literal carriage return into a line feed
    return t;
}

constexpr Table attribute_table() {
    Table t = text_table();
    t['"'] = quote;
    t['\t'] = tab;  // a parser would turn a literal tab or line feed into a blank
    t['\n'] = newline;
    return t;
}

constexpr Table kChars = chars_table();
constexpr Table kText = text_table();
constexpr Table kAttribute = attribute_table();

struct Sequence {
    int bytes;  // the length of the sequence; if it is ill-formed, of the bytes that one U+FFFD
                // replaces
    bool is_char;
};

// The length of a sequence and the bounds of its second byte, by its first byte (Unicode 15, table
// 3-7). Any further byte is in 80..BF.
constexpr Sequence lead(unsigned char first, unsigned char& low, unsigned char& high) {
    low = 0x80;
    high = 0xBF;
    if (first < 0xC2 || first > 0xF4) return {1, false};
    if (first < 0xE0) return {2, true};
    if (first < 0xF0) {
        low = first == 0xE0 ? 0xA0 : 0x80;   // overlong
        high = first == 0xED ? 0x9F : 0xBF;  // surrogates
        return {3, true};
    }
    low = first == 0xF0 ? 0x90 : 0x80;
    high = first == 0xF4 ? 0x8F : 0xBF;  // beyond U+10FFFF
    return {4, true};
}

Sequence read_sequence(const unsigned char* p, const unsigned char* end) {
    unsigned char low = 0;
    unsigned char high = 0;
    const Sequence expected = lead(*p, low, high);
    if (!expected.is_char) return expected;
    for (int i = 1; i < expected.bytes; ++i) {
        if (p + i == end || p[i] < low || p[i] > high) return {i, false};
        low = 0x80;
        high = 0xBF;
    }
    const bool noncharacter = p[0] == 0xEF && p[1] == 0xBF && p[2] >= 0xBE;  // U+FFFE, U+FFFF
    return {expected.bytes, !noncharacter};
}

constexpr auto kMarkup = [](Block b) { return (b == '&') | (b == '<') | (b == '>') | (b == '"'); };
// True for a byte that is not in 0x20..0x7F or is one of & < > ": the unsigned subtraction moves
// everything outside of the range above 0x5F. All other bytes are clean in every table.
constexpr auto kStop = [](Block b) { return (b - 0x20 > 0x5F) | kMarkup(b); };
// The same where it is known that there are only characters.
constexpr auto kStopChecked = [](Block b) { return (b < 0x20) | kMarkup(b); };

// `stop`: see above. What it stops at is looked at by the table, sixteen bytes at a time.
template <class Stop>
void append(std::string& out, std::string_view utf8, const Table& table, const Stop& stop) {
    constexpr bool kIsChecked = std::is_same_v<const Stop, decltype(kStopChecked)>;
    if (is_free_of(utf8, stop)) {  // the common case: names, addresses and dates
        out.append(utf8);
        return;
    }
    const auto* p = reinterpret_cast<const unsigned char*>(utf8.data());
    const unsigned char* const end = p + utf8.size();
    const unsigned char* run = p;
    const auto flush = [&] {
        out.append(reinterpret_cast<const char*>(run), static_cast<std::size_t>(p - run));
    };
    while (p != end) {
        if (end - p >= 16 && block_is_free_of(load_block(p), stop)) {
            p += 16;
            continue;
        }
        const unsigned char* const until = end - p > 16 ? p + 16 : end;
        while (p < until) {
            const Class c = table[*p];
            if (c == clean || (kIsChecked && c == multibyte)) {
                ++p;
                continue;
            }
            const Sequence s = c == multibyte ? read_sequence(p, end) : Sequence{1, false};
            if (!s.is_char) {
                flush();
                out += kReplacements[c == multibyte ? forbidden : c];
                run = p + s.bytes;
            }
            p += s.bytes;
        }
    }
    flush();
}

}  // namespace

bool is_plain(std::string_view utf8) { return is_free_of(utf8, kStop); }

bool is_plain_checked(std::string_view text) { return is_free_of(text, kStopChecked); }

void append_text(std::string& out, std::string_view utf8) { append(out, utf8, kText, kStop); }

void append_attribute(std::string& out, std::string_view utf8) {
    append(out, utf8, kAttribute, kStop);
}

void append_chars(std::string& out, std::string_view utf8) { append(out, utf8, kChars, kStop); }

void append_checked_text(std::string& out, std::string_view text) {
    append(out, text, kText, kStopChecked);
}

void append_checked_attribute(std::string& out, std::string_view text) {
    append(out, text, kAttribute, kStopChecked);
}

}  // namespace oai::xml
