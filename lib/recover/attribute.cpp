// SPDX-License-Identifier: MIT
#include "recover/attribute.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "base/text.h"
#include "xml/character.h"

namespace oai::recover {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f";

bool is_blank(char c) { return kBlanks.find(c) != kBlanks.npos; }
bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool is_ascii(std::string_view s) {
    return std::none_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

// One that begins with '&'.
struct CharacterReference {
    std::size_t size = 0;         // bytes of it; 0: it is none
    std::uint32_t character = 0;  // 0 unknown
};

// "&#38;" or "&#x26;", which HTML reads without the semicolon, too.
CharacterReference numbered(std::string_view s) {
    const bool hex = s.size() > 2 && (s[2] == 'x' || s[2] == 'X');
    const char* const begin = s.data() + (hex ? 3 : 2);
    std::uint32_t value = 0;
    const auto end = std::from_chars(begin, s.data() + s.size(), value, hex ? 16 : 10);
    if (end.ptr == begin) return {};
    const auto size = static_cast<std::size_t>(end.ptr - s.data());
    const bool is_character = end.ec == std::errc() && value > 0 && value <= 0x10FFFF && (value < 0xD800 || value >= 0xE000) &&
                              (value < 0x80 || value >= 0xA0);
    return {size + (s.substr(size).starts_with(';') ? 1 : 0), is_character ? value : 0};
}

// HTML, 13.2.5.73: in an attribute a name of old without its semicolon counts where neither '=' nor more of a name follows.
CharacterReference named(std::string_view s) {
    const auto* const end = std::find_if_not(s.begin() + 1, s.end(), is_alphanumeric);
    const std::string name(s.begin() + 1, end);
    const char behind = end == s.end() ? '\0' : *end;
    const std::optional<std::uint32_t> character = xml::named_character(name);
    if (behind == ';' && !name.empty()) return {name.size() + 2, character.value_or(0)};
    const bool of_old = character && (*character < 0x100 && name != "apos");
    return of_old && behind != '=' ? CharacterReference{name.size() + 1, *character} : CharacterReference{};
}

CharacterReference character_reference(std::string_view s) {
    if (!s.starts_with('&')) return {};
    return s.size() > 2 && s[1] == '#' ? numbered(s) : named(s);
}

std::string with_character_references(std::string_view s) {
    std::string out;
    for (const char c : s) {
        if (c == '&') out += "&amp;";
        else if (c == '<') out += "&lt;";
        else if (c == '>') out += "&gt;";
        else if (c == '"') out += "&quot;";
        else if (c == '\'') out += "&#39;";  // HTML 4 has no &apos;
        else out += c;
    }
    return out;
}

// A comma at either end would be the list's.
std::string for_srcset(std::string reference) {
    if (reference.ends_with(',')) reference.replace(reference.size() - 1, 1, "%2C");
    if (reference.starts_with(',')) reference.replace(0, 1, "%2C");
    return reference;
}

std::string without_blanks(const std::string& reference) {
    std::string out;
    for (const char c : reference) out += is_blank(c) ? text::percent_encode(std::string_view(&c, 1)) : std::string(1, c);
    return out;
}

std::string without_quotes(const std::string& reference) {
    std::string out;
    for (const char c : reference) out += c == '"' ? "%22" : c == '\'' ? "%27" : std::string(1, c);
    return out;
}

}  // namespace

Edits reference_edits(std::string_view value, const Target& target) {
    const std::size_t begin = value.find_first_not_of(kBlanks);
    if (begin == value.npos) return {};
    const std::size_t end = value.find_last_not_of(kBlanks) + 1;
    const std::string wanted = target(std::string(value.substr(begin, end - begin)));
    return wanted.empty() ? Edits{} : Edits{{begin, end, wanted}};
}

Edits list_edits(std::string_view value, const Target& target) {
    Edits edits;
    for (std::size_t at = 0; (at = value.find_first_not_of(kBlanks, at)) != value.npos;) {
        const std::size_t end = std::min(value.size(), value.find_first_of(kBlanks, at));
        const std::string wanted = target(std::string(value.substr(at, end - at)));
        if (!wanted.empty()) edits.push_back({at, end, without_blanks(wanted)});
        at = end;
    }
    return edits;
}

Edits srcset_edits(std::string_view value, const Target& target) {
    Edits edits;
    for (std::size_t at = 0; at < value.size();) {
        at = value.find_first_not_of(" \t\r\n\f,", at);
        if (at == value.npos) break;
        const std::size_t behind = std::min(value.size(), value.find_first_of(kBlanks, at));
        const std::size_t end = value.find_last_not_of(',', behind - 1) + 1;
        const std::string wanted = target(std::string(value.substr(at, end - at)));
        if (!wanted.empty()) edits.push_back({at, end, for_srcset(wanted)});
        at = behind;
        if (end != behind) continue;  // a comma at its end: it has no descriptors
        for (int depth = 0; at < value.size() && (depth > 0 || value[at] != ','); ++at)
            depth += value[at] == '(' ? 1 : value[at] == ')' && depth > 0 ? -1 : 0;
    }
    return edits;
}

Edits refresh_edits(std::string_view value, const Target& target) {
    std::size_t at = 0;
    const auto skip = [&](std::string_view characters) { at = std::min(value.size(), value.find_first_not_of(characters, at)); };
    skip(kBlanks);
    const std::size_t time = at;
    skip("0123456789.");
    const std::size_t behind_time = at;
    skip(kBlanks);
    const bool separated = at < value.size() && (value[at] == ';' || value[at] == ',');
    if (behind_time == time || (at == behind_time && !separated)) return {};  // HTML, 4.2.5.3: it is none
    if (separated) ++at, skip(kBlanks);
    const std::size_t before = at;
    if (text::lower_ascii(value.substr(at, 3)) == "url") {
        at += 3;
        skip(kBlanks);
        if (at < value.size() && value[at] == '=') ++at, skip(kBlanks);
        else at = before;
    }
    if (at >= value.size()) return {};
    const char quote = value[at] == '"' || value[at] == '\'' ? value[at++] : '\0';
    std::size_t end = quote != '\0' ? std::min(value.size(), value.find(quote, at)) : value.size();
    while (end > at && is_blank(value[end - 1])) --end;
    const std::string wanted = target(std::string(value.substr(at, end - at)));
    return wanted.empty() ? Edits{} : Edits{{at, end, without_quotes(wanted)}};
}

Decoded::Decoded(std::string_view raw, Encoding encoding) : encoding_(encoding), ascii_(is_ascii(raw)) {
    for (std::size_t at = 0; at < raw.size();) {
        const CharacterReference reference = character_reference(raw.substr(at));
        const std::size_t begin = text_.size();
        if (reference.character != 0) xml::append_character(text_, reference.character);
        else text_ += raw.substr(at, std::max<std::size_t>(reference.size, 1));
        const Kind kind = reference.character == 0 ? Kind::unknown : reference.character < 0x80 ? Kind::ascii : Kind::character;
        const bool is_open = reference.size > 0 && raw[at + reference.size - 1] != ';';
        if (reference.size > 0) parts_.push_back({begin, text_.size(), at, at + reference.size, kind, is_open});
        at += std::max<std::size_t>(reference.size, 1);
    }
}

bool Decoded::is_known(const Edit& edit) const {
    auto part = std::partition_point(parts_.begin(), parts_.end(), [&](const Part& p) { return p.end <= edit.begin; });
    const std::size_t query = text_.find('?', edit.begin);
    for (; part != parts_.end() && part->begin < edit.end; ++part) {
        if (part->kind == Kind::unknown) return false;
        const bool of_no_encoding = ascii_ && part->begin < query;
        if (part->kind == Kind::character && encoding_ == Encoding::other && !of_no_encoding) return false;
    }
    return true;
}

// What is put there would be read as more of the reference before it.
bool Decoded::is_behind_open(std::size_t place) const {
    const auto next = std::partition_point(parts_.begin(), parts_.end(), [&](const Part& p) { return p.end <= place; });
    return next != parts_.begin() && std::prev(next)->end == place && std::prev(next)->is_open;
}

// Of a byte of the text, in the value; the begin of the reference that it is of.
std::size_t Decoded::raw_place(std::size_t place) const {
    const auto next = std::partition_point(parts_.begin(), parts_.end(), [&](const Part& p) { return p.end <= place; });
    if (next != parts_.end() && next->begin <= place) return next->raw_begin;
    return next == parts_.begin() ? place : std::prev(next)->raw_end + (place - std::prev(next)->end);
}

Edits Decoded::in_value(const Edits& edits) const {
    Edits out;
    for (const Edit& edit : edits) {
        if (!is_known(edit)) continue;
        const std::string text = (is_behind_open(edit.begin) ? ";" : "") + with_character_references(edit.text);
        out.push_back({raw_place(edit.begin), raw_place(edit.end), ascii_ ? xml::numbers_beyond_ascii(text) : text});
    }
    return out;
}

}  // namespace oai::recover
