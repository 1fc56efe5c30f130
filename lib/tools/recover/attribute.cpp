// SPDX-License-Identifier: MIT
#include "tools/recover/attribute.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"
#include "tools/load/character_reference.h"
#include "tools/recover/blank.h"
#include "xml/character.h"

namespace oai::recover {
namespace {

bool is_ascii(std::string_view s) {
    return std::none_of(
        s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

std::string escape_text(std::string_view s) {
    std::string out;
    for (const char c : s)
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else if (c == '\'')
            out += "&#39;";  // HTML 4 has no &apos;
        else
            out += c;
    return out;
}

// A comma at either end would be taken for a separator of the list.
std::string escape_commas(std::string reference) {
    if (reference.ends_with(',')) reference.replace(reference.size() - 1, 1, "%2C");
    if (reference.starts_with(',')) reference.replace(0, 1, "%2C");
    return reference;
}

std::string escape_blanks(const std::string& reference) {
    std::string out;
    for (const char c : reference)
        out += is_blank(c) ? text::percent_encode(std::string_view(&c, 1)) : std::string(1, c);
    return out;
}

std::string escape_quotes(const std::string& reference) {
    std::string out;
    for (const char c : reference) out += c == '"' ? "%22" : c == '\'' ? "%27" : std::string(1, c);
    return out;
}

}  // namespace

Edits reference_edits(std::string_view value, const ReferenceMapper& map) {
    const std::size_t begin = value.find_first_not_of(kBlanks);
    if (begin == value.npos) return {};
    const std::size_t end = value.find_last_not_of(kBlanks) + 1;
    const std::string wanted = map(std::string(value.substr(begin, end - begin)));
    return wanted.empty() ? Edits{} : Edits{{begin, end, wanted}};
}

Edits list_edits(std::string_view value, const ReferenceMapper& map) {
    Edits edits;
    for (std::size_t at = 0; (at = value.find_first_not_of(kBlanks, at)) != value.npos;) {
        const std::size_t end = std::min(value.size(), value.find_first_of(kBlanks, at));
        const std::string wanted = map(std::string(value.substr(at, end - at)));
        if (!wanted.empty()) edits.push_back({at, end, escape_blanks(wanted)});
        at = end;
    }
    return edits;
}

Edits srcset_edits(std::string_view value, const ReferenceMapper& map) {
    Edits edits;
    for (std::size_t at = 0; at < value.size();) {
        at = value.find_first_not_of(" \t\r\n\f,", at);
        if (at == value.npos) break;
        const std::size_t behind = std::min(value.size(), value.find_first_of(kBlanks, at));
        const std::size_t end = value.find_last_not_of(',', behind - 1) + 1;
        const std::string wanted = map(std::string(value.substr(at, end - at)));
        if (!wanted.empty()) edits.push_back({at, end, escape_commas(wanted)});
        at = behind;
        if (end != behind) continue;  // a comma at its end: it has no descriptors
        for (int depth = 0; at < value.size() && (depth > 0 || value[at] != ','); ++at)
            depth += value[at] == '(' ? 1 : value[at] == ')' && depth > 0 ? -1 : 0;
    }
    return edits;
}

Edits refresh_edits(std::string_view value, const ReferenceMapper& map) {
    std::size_t at = 0;
    const auto skip = [&](std::string_view characters) {
        at = std::min(value.size(), value.find_first_not_of(characters, at));
    };
    skip(kBlanks);
    const std::size_t time = at;
    skip("0123456789.");
    const std::size_t behind_time = at;
    skip(kBlanks);
    const bool separated = at < value.size() && (value[at] == ';' || value[at] == ',');
    if (behind_time == time || (at == behind_time && !separated))
        return {};  // HTML, 4.2.5.3: it is none
    if (separated) ++at, skip(kBlanks);
    const std::size_t before = at;
    if (text::lower_ascii(value.substr(at, 3)) == "url") {
        at += 3;
        skip(kBlanks);
        if (at < value.size() && value[at] == '=')
            ++at, skip(kBlanks);
        else
            at = before;
    }
    if (at >= value.size()) return {};
    const char quote = value[at] == '"' || value[at] == '\'' ? value[at++] : '\0';
    std::size_t end = quote != '\0' ? std::min(value.size(), value.find(quote, at)) : value.size();
    while (end > at && is_blank(value[end - 1])) --end;
    const std::string wanted = map(std::string(value.substr(at, end - at)));
    return wanted.empty() ? Edits{} : Edits{{at, end, escape_quotes(wanted)}};
}

AttributeText::AttributeText(std::string_view raw, Encoding encoding)
    : encoding_(encoding), is_ascii_(is_ascii(raw)) {
    for (std::size_t at = 0; at < raw.size();) {
        load::CharacterReference reference = load::read_character_reference(raw.substr(at));
        if (load::is_of_windows_1252(reference.character)) reference.character = 0;
        const std::size_t begin = text_.size();
        if (reference.character != 0)
            xml::append_character(text_, reference.character);
        else
            text_ += raw.substr(at, std::max<std::size_t>(reference.size, 1));
        const Kind kind = reference.character == 0     ? Kind::unknown
                          : reference.character < 0x80 ? Kind::ascii
                                                       : Kind::character;
        const bool is_open = reference.size > 0 && raw[at + reference.size - 1] != ';';
        if (reference.size > 0)
            references_.push_back({begin, text_.size(), at, at + reference.size, kind, is_open});
        at += std::max<std::size_t>(reference.size, 1);
    }
}

bool AttributeText::is_editable(const Edit& edit) const {
    auto part = std::partition_point(references_.begin(), references_.end(),
                                     [&](const Span& p) { return p.end <= edit.begin; });
    const std::size_t query = text_.find('?', edit.begin);
    for (; part != references_.end() && part->begin < edit.end; ++part) {
        if (part->kind == Kind::unknown) return false;
        const bool any_encoding = is_ascii_ && part->begin < query;
        if (part->kind == Kind::character && encoding_ == Encoding::other && !any_encoding)
            return false;
    }
    return true;
}

// Whether the text before this place ends in a reference without a semicolon, which text put here
// might continue.
bool AttributeText::follows_open_reference(std::size_t at) const {
    const auto next = std::partition_point(references_.begin(), references_.end(),
                                           [&](const Span& p) { return p.end <= at; });
    return next != references_.begin() && std::prev(next)->end == at && std::prev(next)->is_open;
}

// The offset in the value of a byte of the text; within a reference, the begin of the reference.
std::size_t AttributeText::raw_offset(std::size_t at) const {
    const auto next = std::partition_point(references_.begin(), references_.end(),
                                           [&](const Span& p) { return p.end <= at; });
    if (next != references_.end() && next->begin <= at) return next->raw_begin;
    return next == references_.begin() ? at
                                       : std::prev(next)->raw_end + (at - std::prev(next)->end);
}

Edits AttributeText::in_value(const Edits& edits) const {
    Edits out;
    for (const Edit& edit : edits) {
        if (!is_editable(edit)) continue;
        const std::string text =
            (follows_open_reference(edit.begin) ? ";" : "") + escape_text(edit.text);
        out.push_back({raw_offset(edit.begin), raw_offset(edit.end),
                       is_ascii_ ? xml::numbers_beyond_ascii(text) : text});
    }
    return out;
}

}  // namespace oai::recover
