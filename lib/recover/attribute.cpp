// SPDX-License-Identifier: MIT
#include "recover/attribute.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace oai::recover {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f";

bool is_blank(char c) { return kBlanks.find(c) != kBlanks.npos; }
bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

struct Name {
    std::string_view name;
    char character;
};
constexpr std::array kNames{Name{"&amp;", '&'}, Name{"&lt;", '<'}, Name{"&gt;", '>'}, Name{"&quot;", '"'}, Name{"&apos;", '\''}};

// "#38" or "#x26": of ASCII alone.
std::optional<char> numbered(std::string_view number) {
    if (!number.starts_with('#')) return std::nullopt;
    const bool hex = number.size() > 1 && (number[1] == 'x' || number[1] == 'X');
    number.remove_prefix(hex ? 2 : 1);
    unsigned value = 0;
    const auto end = std::from_chars(number.data(), number.data() + number.size(), value, hex ? 16 : 10);
    const bool whole = end.ec == std::errc() && end.ptr == number.data() + number.size();
    return whole && value > 0 && value < 0x80 ? std::optional(static_cast<char>(value)) : std::nullopt;
}

// With '&' and ';'; "" if none begins here.
std::string_view character_reference(std::string_view s) {
    std::size_t end = 1;
    if (end < s.size() && s[end] == '#') ++end;
    while (end < s.size() && is_alphanumeric(s[end])) ++end;
    return s.starts_with('&') && end < s.size() && s[end] == ';' && end > 1 ? s.substr(0, end + 1) : "";
}

std::optional<char> meaning(std::string_view reference) {
    const auto* const known = std::find_if(kNames.begin(), kNames.end(), [&](const Name& n) { return n.name == reference; });
    if (known != kNames.end()) return known->character;
    return numbered(reference.substr(1, reference.size() - 2));
}

std::string with_character_references(std::string_view s) {
    std::string out;
    for (const char c : s) {
        const auto* const name = std::find_if(kNames.begin(), kNames.end(), [&](const Name& n) { return n.character == c; });
        if (c == '\'') out += "&#39;";  // HTML 4 has no &apos;
        else if (name == kNames.end()) out += c;
        else out += name->name;
    }
    return out;
}

// A comma at either end would be the list's.
std::string for_srcset(std::string reference) {
    if (reference.ends_with(',')) reference.replace(reference.size() - 1, 1, "%2C");
    if (reference.starts_with(',')) reference.replace(0, 1, "%2C");
    return reference;
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
    skip("0123456789.");
    skip(" \t\r\n\f;,");
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

Decoded::Decoded(std::string_view raw) {
    for (std::size_t at = 0; at < raw.size();) {
        const std::string_view reference = character_reference(raw.substr(at));
        const auto character = reference.empty() ? std::nullopt : meaning(reference);
        text_ += character.value_or(raw[at]);
        at_.push_back(at);
        unknown_.push_back(!reference.empty() && !character);
        at += character ? reference.size() : 1;
    }
    at_.push_back(raw.size());
}

bool Decoded::is_known(std::size_t begin, std::size_t end) const {
    return std::none_of(unknown_.begin() + static_cast<std::ptrdiff_t>(begin), unknown_.begin() + static_cast<std::ptrdiff_t>(end),
                        [](bool unknown) { return unknown; });
}

Edits Decoded::in_value(const Edits& edits) const {
    Edits out;
    for (const Edit& edit : edits)
        if (is_known(edit.begin, edit.end)) out.push_back({at_[edit.begin], at_[edit.end], with_character_references(edit.text)});
    return out;
}

}  // namespace oai::recover
