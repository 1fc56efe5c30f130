// SPDX-License-Identifier: MIT
#include "xml/guard.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "xml/document.h"

namespace oai::xml {
namespace {

constexpr std::size_t kMoreBytes = 64;  // read by the parser after broken markup
constexpr std::size_t kDeclarationBytes = 400;
constexpr std::string_view kBlanks = " \t\r\n";

// Beginnings of the names of encodings in which a byte below 128 means ASCII wherever a document
// could have markup, and of those that narrow() makes such.
constexpr std::array<std::string_view, 24> kEncodings = {
    "utf-8",    "utf8",  "utf-16",   "utf16",   "utf-32",   "ucs-2", "ucs-4",     "iso-10646-ucs",
    "us-ascii", "ascii", "iso-8859", "iso8859", "iso_8859", "latin", "windows-",  "cp125",
    "cp8",      "koi8",  "mac",      "gb",      "big5",     "euc-",  "shift_jis", "tis-620"};

bool is_blank(char c) { return kBlanks.find(c) != kBlanks.npos; }

bool begins_name(char c) {
    const auto u = static_cast<unsigned char>(c | 0x20);
    return (u >= 'a' && u <= 'z') || c == '_' || c == ':' || static_cast<unsigned char>(c) >= 0x80;
}

[[noreturn]] void refuse(const char* what, std::size_t bound) {
    throw Error(std::string(what) + " more than " + std::to_string(bound));
}

}  // namespace

std::string_view Guard::pass(std::string_view bytes) {
    const std::string_view units = narrow(bytes);
    std::size_t at = 0;
    const auto count_lines = [&] {
        line_ += std::count(units.begin(), units.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    };
    try {
        for (; at < units.size() && place_ != Place::broken; ++at) {
            if (place_ == Place::text) {
                const std::size_t next = std::min(units.find('<', at), units.size());
                if ((length_ += next - at) > bounds_.text_bytes)
                    refuse("the bytes of a text are", bounds_.text_bytes);
                if ((at = next) == units.size()) break;
            }
            place_ = step(units[at]);
        }
    } catch (const Error&) {
        count_lines();
        throw;
    }
    count_lines();
    return place_ == Place::broken ? bytes.substr(0, (at + kMoreBytes) * width_) : bytes;
}

// The document with one byte for each ASCII character, and bytes above 127 for all others.
std::string_view Guard::narrow(std::string_view bytes) {
    if (width_ == 0) {
        part_ += bytes;
        if (part_.size() < 4) return "";  // so few are no cost to the parser
        begin(part_);
        if (width_ == 1) return narrowed_ = std::move(part_);
        bytes = narrowed_ = std::move(part_);
        part_.clear();
    }
    if (width_ == 1) return bytes;
    std::string out;
    for (const char c : bytes) {
        part_ += c;
        if (part_.size() < width_) continue;
        const char low = std::exchange(part_[low_], '\0');
        const bool is_ascii = part_.find_first_not_of('\0') == part_.npos && (low & 0x80) == 0;
        out += is_ascii ? low : '\x80';
        part_.clear();
    }
    return narrowed_ = std::move(out);
}

// As libxml2 tells encodings by the first bytes (XML 1.0, F.1).
void Guard::begin(std::string_view bytes) {
    using namespace std::string_view_literals;
    const auto is = [&](std::string_view first) { return bytes.starts_with(first); };
    if (is("\x4C\x6F\xA7\x94"sv)) throw Error("the encoding EBCDIC is not read here");
    const bool is_wide = is("\0\0\0<"sv) || is("<\0\0\0"sv);
    const bool is_high_first = is("\0"sv) || is("\xFE\xFF"sv);
    width_ = is_wide ? 4 : is_high_first || is("<\0"sv) || is("\xFF\xFE"sv) ? 2 : 1;
    low_ = is_high_first ? width_ - 1 : 0;
}

Guard::Place Guard::step(char c) {
    switch (place_) {
        case Place::markup:
            word_.clear();
            length_ = 0;
            if (c == '!') return Place::declaration;
            if (c == '?') return Place::instruction;
            is_first_ = false;
            if (c == '/') return Place::end_tag;
            grow(c);
            return begins_name(c) ? Place::name : Place::broken;
        case Place::declaration: return in_declaration(c);
        case Place::comment: return up_to("-->", c);
        case Place::cdata: return up_to("]]>", c);
        case Place::instruction:
            return word_.empty() && !begins_name(c) ? Place::broken : up_to("?>", c);
        case Place::subset: return c == ']' ? Place::doctype : Place::subset;
        case Place::doctype:
            if (quote_ != 0 || c == '"' || c == '\'')
                quote_ = quote_ == 0 ? c : quote_ == c ? '\0' : quote_;
            else if (c == '[' || c == '>')
                return c == '[' ? Place::subset : Place::text;
            return place_;
        case Place::end_tag:
            if (c != '>') return c == '<' ? Place::broken : place_;
            return end_element();
        default: return c == '<' && place_ != Place::text ? Place::broken : in_tag(c);
    }
}

// Within markup with this end.
Guard::Place Guard::up_to(std::string_view end, char c) {
    word_ += c;
    const bool is_declaration = is_first_ && place_ == Place::instruction;
    if (is_declaration && word_.size() > kDeclarationBytes)
        refuse("the bytes of the first instruction are", kDeclarationBytes);
    if (!word_.ends_with(end)) {
        if (!is_declaration && word_.size() > 2 * end.size()) word_.erase(0, end.size());
        return place_;
    }
    if (is_declaration) check_encoding();
    is_first_ = false;
    return Place::text;
}

Guard::Place Guard::in_declaration(char c) {
    using namespace std::string_view_literals;
    constexpr std::array kStarts = {std::pair{"--"sv, Place::comment},
                                    std::pair{"[CDATA["sv, Place::cdata},
                                    std::pair{"DOCTYPE"sv, Place::doctype}};
    word_ += c;
    is_first_ = false;
    for (const auto& [start, place] : kStarts) {
        if (!start.starts_with(word_)) continue;
        if (start.size() > word_.size()) return place_;
        word_.clear();
        return place;
    }
    return Place::broken;
}

Guard::Place Guard::in_tag(char c) {
    switch (place_) {
        case Place::name:
            if (!is_blank(c) && c != '/' && c != '>') break;
            attributes_ = namespaces_ = 0;
            return end_of_name(c);
        case Place::tag:
            word_.clear();
            if (is_blank(c) || c == '/' || c == '>') return end_of_name(c);
            if (!begins_name(c)) return Place::broken;
            grow(c);
            return Place::attribute;
        case Place::attribute:
            if (c != '=' && !is_blank(c)) break;
            add_attribute();
            return c == '=' ? Place::quote : Place::equals;
        case Place::equals: return c == '=' ? Place::quote : is_blank(c) ? place_ : Place::broken;
        case Place::quote:
            if (is_blank(c)) return place_;
            length_ = 0;
            quote_ = c;
            return c == '"' || c == '\'' ? Place::value : Place::broken;
        case Place::value:
            if (++length_ > bounds_.text_bytes)
                refuse("the bytes of a value are", bounds_.text_bytes);
            if (c != quote_) return place_;
            quote_ = '\0';
            return Place::tag;
        case Place::empty_tag: return c == '>' ? end_element() : Place::broken;
        default: return Place::markup;  // '<' in text
    }
    grow(c);
    return place_;
}

Guard::Place Guard::end_of_name(char c) {
    if (is_blank(c)) return Place::tag;
    if (++nodes_ > bounds_.nodes) refuse("the elements and attributes of it are", bounds_.nodes);
    if (open_.size() >= bounds_.depth) refuse("its depth is", bounds_.depth);
    if ((in_scope_ += namespaces_) > bounds_.namespaces_in_scope)
        refuse("the namespaces that hold at an element are", bounds_.namespaces_in_scope);
    open_ += static_cast<char>(namespaces_);
    return c == '/' ? Place::empty_tag : Place::text;
}

Guard::Place Guard::end_element() {
    if (open_.empty()) return Place::broken;
    in_scope_ -= static_cast<unsigned char>(open_.back());
    open_.pop_back();
    if (open_.size() < bounds_.record_depth) nodes_ = 0;
    return Place::text;
}

void Guard::add_attribute() {
    if (word_ == "xmlns" || word_.starts_with("xmlns:")) {
        if (++namespaces_ > bounds_.namespaces)
            refuse("the namespace declarations of an element are", bounds_.namespaces);
    } else if (++attributes_ > bounds_.attributes) {
        refuse("the attributes of an element are", bounds_.attributes);
    }
    if (++nodes_ > bounds_.nodes) refuse("the elements and attributes of it are", bounds_.nodes);
}

void Guard::grow(char c) {
    word_ += c;
    if (word_.size() > bounds_.name_bytes) refuse("the bytes of a name are", bounds_.name_bytes);
}

void Guard::check_encoding() const {
    const std::size_t at = word_.find("encoding");
    const std::size_t open = word_.find_first_of("\"'", at);
    if (!word_.starts_with("xml") || at == word_.npos || open == word_.npos) return;
    const std::size_t close = std::min(word_.find(word_[open], open + 1), word_.size());
    const std::string encoding = text::lower_ascii(word_.substr(open + 1, close - open - 1));
    const bool is_known = std::any_of(kEncodings.begin(), kEncodings.end(),
                                      [&](auto known) { return encoding.starts_with(known); });
    if (!is_known) throw Error("the encoding " + encoding + " is not read here");
}

}  // namespace oai::xml
