// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <sodium.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/simd_scan.h"
#pragma GCC diagnostic ignored "-Wconversion"  // of U8_NEXT, ICU's macro

namespace oai::text {
namespace {

// How many bytes at the start are printable ASCII, which most texts consist of entirely.
std::size_t plain_prefix(std::string_view bytes) {
    const auto plain = [](char c) { return static_cast<unsigned char>(c) - 0x20U < 0x60U; };
    const auto* end = std::find_if_not(bytes.begin(), bytes.end(), plain);
    return static_cast<std::size_t>(end - bytes.begin());
}

// The character of a pair of surrogates in CESU-8 at the start; 0: there is none.
char32_t pair_of_surrogates(std::string_view s) {
    const auto bits = [s](std::size_t at) {
        return static_cast<char32_t>(s[at + 1] & 0xF) << 6 |
               static_cast<char32_t>(s[at + 2] & 0x3F);
    };
    const bool is_pair = s.size() >= 6 && s[0] == '\xED' && (s[1] & '\xF0') == '\xA0' &&
                         (s[2] & '\xC0') == '\x80' && s[3] == '\xED' && (s[4] & '\xF0') == '\xB0' &&
                         (s[5] & '\xC0') == '\x80';
    return is_pair ? 0x10000 + (bits(0) << 10 | bits(3)) : 0;
}

// Whether sixteen bytes are of well-formed characters that are allowed in XML, as far as the bytes
// up to them tell: all at once, by comparing each with the three before it (Unicode 15, table 3-7).
// REQUIRES: there are three before.
constexpr std::size_t kBefore = 3;
bool is_xml_block(const char* at) {
    const Block b = load_block(at);
    const Block first = load_block(at - 1), second = load_block(at - 2), third = load_block(at - 3);
    const auto is_trailing = (b & 0xC0) == 0x80;
    const auto must_trail = (first >= 0xC2) | (second >= 0xE0) | (third >= 0xF0);
    const auto is_no_byte =
        (b >= 0xF5) | ((b & 0xFE) == 0xC0) | ((b < 0x20) & (b != '\t') & (b != '\n') & (b != '\r'));
    const auto is_out_of_bounds =
        ((first == 0xE0) & (b < 0xA0)) | ((first == 0xED) & (b > 0x9F)) |
        ((first == 0xF0) & (b < 0x90)) | ((first == 0xF4) & (b > 0x8F)) |
        ((second == 0xEF) & (first == 0xBF) & (b > 0xBD));  // U+FFFE, U+FFFF
    return block_is_free_of(
        b, [&](Block) { return (is_trailing ^ must_trail) | is_no_byte | is_out_of_bounds; });
}

bool is_base64url_character(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

const unsigned char* unsigned_bytes(std::string_view s) {
    return reinterpret_cast<const unsigned char*>(s.data());
}

bool is_unreserved(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~").find(c) != std::string_view::npos;
}

}  // namespace

Character first_character(std::string_view bytes) {
    std::int32_t length = 0, value = 0;
    const auto most = static_cast<std::int32_t>(std::min<std::size_t>(bytes.size(), 4));
    U8_NEXT(bytes.data(), length, most, value);
    return {static_cast<std::size_t>(length), value >= 0,
            static_cast<char32_t>(std::max(value, 0))};
}

void append_character(std::string& to, char32_t c) {
    std::array<char, 4> bytes;
    std::size_t n = 0;
    U8_APPEND_UNSAFE(bytes, n, c == 0 || c > 0x10FFFF || U_IS_SURROGATE(c) ? 0xFFFDU : c);
    to.append(bytes.data(), n);
}

bool is_unsafe_for_terminal(char32_t c) {
    return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0) ||
           (c >= 0x200E && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069);
}

bool is_xml_char(char32_t c) {
    if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
    return c <= 0x10FFFF && c != 0xFFFE && c != 0xFFFF && !U_IS_SURROGATE(c);
}

bool is_utf8(std::string_view bytes) {
    for (;;) {
        bytes.remove_prefix(plain_prefix(bytes));
        if (bytes.empty()) return true;
        const Character c = first_character(bytes);
        if (!c.well_formed) return false;
        bytes.remove_prefix(c.length);
    }
}

bool is_xml_text(std::string_view bytes) {
    for (std::size_t from = 0; from <= bytes.size(); from += sizeof(Block)) {
        const bool is_inside = from >= kBefore && from + sizeof(Block) <= bytes.size();
        std::array<char, kBefore + sizeof(Block)> edge;  // with blanks around the text
        const char* at = bytes.data() + from;
        if (!is_inside) {
            edge.fill(' ');
            const std::size_t before = std::min(from, kBefore);
            bytes.copy(edge.data() + kBefore - before, before + sizeof(Block), from - before);
            at = edge.data() + kBefore;
        }
        if (!is_xml_block(at)) return false;
    }
    return true;
}

std::int64_t clean(std::string& text) {
    if (is_xml_text(text)) return 0;
    std::string out;
    out.reserve(text.size());
    std::int64_t changes = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t plain = plain_prefix(rest);
        out.append(rest.substr(0, plain));
        rest.remove_prefix(plain);
        if (rest.empty()) break;
        const Character c = first_character(rest);
        if (c.well_formed && is_xml_char(c.value)) {
            out.append(rest.substr(0, c.length));
            rest.remove_prefix(c.length);
            continue;
        }
        const char32_t pair = pair_of_surrogates(rest);
        append_character(out, pair > 0 ? pair : 0xFFFD);
        rest.remove_prefix(pair > 0 ? 6 : c.length);
        ++changes;
    }
    text = std::move(out);
    return changes;
}

std::string to_xml_text(std::string_view bytes) {
    std::string text(bytes);
    clean(text);
    return text;
}

std::string_view utf8_prefix(std::string_view utf8, std::size_t max_bytes) {
    if (utf8.size() <= max_bytes) return utf8;
    std::size_t end = max_bytes;
    while (end > 0 && (static_cast<unsigned char>(utf8[end]) & 0xC0U) == 0x80U) --end;
    return utf8.substr(0, end);
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

void append_hex(std::string& out, char byte) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    const auto value = static_cast<unsigned char>(byte);
    out += kDigits[value >> 4U];
    out += kDigits[value & 15U];
}

std::optional<char> percent_escape_at(std::string_view s, std::size_t at) {
    if (s.size() < 3 || at > s.size() - 3 || s[at] != '%') return std::nullopt;
    const int high = hex_value(s[at + 1]);
    const int low = hex_value(s[at + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    return static_cast<char>(high * 16 + low);
}

std::optional<std::string> percent_decode(std::string_view encoded) {
    std::string out;
    out.reserve(encoded.size());
    for (std::size_t i = 0; i < encoded.size(); ++i) {
        if (encoded[i] != '%') {
            out.push_back(encoded[i] == '+' ? ' ' : encoded[i]);
            continue;
        }
        const auto byte = percent_escape_at(encoded, i);
        if (!byte) return std::nullopt;
        out.push_back(*byte);
        i += 2;
    }
    return out;
}

std::string percent_encode(std::string_view bytes, std::string_view kept) {
    std::string out;
    for (const char c : bytes)
        if (is_unreserved(c) || kept.find(c) != std::string_view::npos)
            out += c;
        else
            append_hex(out += '%', c);
    return out;
}

std::string base64url_encode(std::string_view bytes) {
    constexpr int kVariant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
    std::string out(sodium_base64_encoded_len(bytes.size(), kVariant), '\0');
    sodium_bin2base64(out.data(), out.size(), unsigned_bytes(bytes), bytes.size(), kVariant);
    out.pop_back();  // libsodium appends a NUL
    return out;
}

std::optional<std::string> base64url_decode(std::string_view encoded) {
    // libsodium 1.0.18 accepts bytes from 0x80 on as digits.
    if (!std::all_of(encoded.begin(), encoded.end(), is_base64url_character)) return std::nullopt;
    std::string out(encoded.size() / 4 * 3 + 3, '\0');
    std::size_t length = 0;
    // Without an end pointer libsodium fails unless it has read all characters.
    const int rc = sodium_base642bin(reinterpret_cast<unsigned char*>(out.data()), out.size(),
                                     encoded.data(), encoded.size(), nullptr, &length, nullptr,
                                     sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    if (rc != 0) return std::nullopt;
    out.resize(length);
    return out;
}

std::string hex_hash(std::string_view bytes, std::size_t length) {
    std::string hash(length, '\0'), hex(2 * length + 1, '\0');
    auto* const out = reinterpret_cast<unsigned char*>(hash.data());
    crypto_generichash(out, length, unsigned_bytes(bytes), bytes.size(), nullptr, 0);
    sodium_bin2hex(hex.data(), hex.size(), out, length);
    hex.pop_back();  // the NUL
    return hex;
}

std::vector<std::string_view> split(std::string_view s, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t end = s.find(separator); end != std::string_view::npos;
         end = s.find(separator)) {
        parts.push_back(s.substr(0, end));
        s.remove_prefix(end + 1);
    }
    parts.push_back(s);
    return parts;
}

std::string_view trim(std::string_view s) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const std::size_t first = s.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return s.substr(first, s.find_last_not_of(kBlanks) - first + 1);
}

std::string lower_ascii(std::string_view s) {
    std::string out(s);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::optional<std::int64_t> to_integer(std::string_view s) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
    if (error != std::errc{} || end != s.data() + s.size()) return std::nullopt;
    return value;
}

}  // namespace oai::text
