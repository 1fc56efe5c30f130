// SPDX-License-Identifier: MIT
#include "xml/escape.h"

#include <array>

#include "base/simd_scan.h"
#include "base/text.h"

namespace oai::xml {
namespace {

// What is written in place of a byte; "": the byte itself.
using Table = std::array<std::string_view, 256>;

constexpr Table text_table() {
    Table t{};
    t['&'] = "&amp;";
    t['<'] = "&lt;";
    t['>'] = "&gt;";
    t['\r'] = "&#13;";  // a parser would turn a literal carriage return into a line feed
    return t;
}

constexpr Table attribute_table() {
    Table t = text_table();
    t['"'] = "&quot;";
    t['\t'] = "&#9;";  // a parser would turn a literal tab or line feed into a blank
    t['\n'] = "&#10;";
    return t;
}

constexpr Table kText = text_table();
constexpr Table kAttribute = attribute_table();

constexpr auto kMarkup = [](Block b) { return (b == '&') | (b == '<') | (b == '>') | (b == '"'); };
// True for a byte that is not in 0x20..0x7F or is one of & < > ": the unsigned subtraction moves
// everything outside of the range above 0x5F. All other bytes are written as they are.
constexpr auto kStop = [](Block b) { return (b - 0x20 > 0x5F) | kMarkup(b); };
// The same where it is known that there are only characters.
constexpr auto kStopChecked = [](Block b) { return (b < 0x20) | kMarkup(b); };

// Looks up the bytes found by kStopChecked in the table, sixteen bytes at a time.
void append_checked(std::string& out, std::string_view text, const Table& table) {
    if (is_plain_checked(text)) {  // the common case: names, addresses and dates
        out.append(text);
        return;
    }
    const char* p = text.data();
    const char* const end = p + text.size();
    const char* run = p;
    while (p != end) {
        if (end - p >= 16 && block_is_free_of(load_block(p), kStopChecked)) {
            p += 16;
            continue;
        }
        for (const char* const until = end - p > 16 ? p + 16 : end; p < until; ++p) {
            const std::string_view replacement = table[static_cast<unsigned char>(*p)];
            if (replacement.empty()) continue;
            out.append(run, p).append(replacement);
            run = p + 1;
        }
    }
    out.append(run, p);
}

void append(std::string& out, std::string_view utf8, const Table& table) {
    if (is_plain(utf8))
        out.append(utf8);
    else if (text::is_xml_text(utf8))
        append_checked(out, utf8, table);
    else
        append_checked(out, text::to_xml_text(utf8), table);
}

}  // namespace

bool is_plain(std::string_view utf8) { return is_free_of(utf8, kStop); }

bool is_plain_checked(std::string_view text) { return is_free_of(text, kStopChecked); }

void append_text(std::string& out, std::string_view utf8) { append(out, utf8, kText); }

void append_attribute(std::string& out, std::string_view utf8) { append(out, utf8, kAttribute); }

void append_checked_text(std::string& out, std::string_view text) {
    append_checked(out, text, kText);
}

void append_checked_attribute(std::string& out, std::string_view text) {
    append_checked(out, text, kAttribute);
}

}  // namespace oai::xml
