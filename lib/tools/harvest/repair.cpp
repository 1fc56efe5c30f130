// SPDX-License-Identifier: MIT
// Implements repair() and salvage() of answer.h.
#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "tools/harvest/answer.h"
#include "xml/document.h"

namespace oai::harvest {
namespace {

constexpr std::size_t kReferenceBytes = 16;  // longer ones are not references

// Returns the encoding that the XML declaration names, or else the one given, in lower case.
std::string encoding_of(std::string_view bytes, std::string_view given) {
    static const RE2 kDeclaration(R"((?s)<\?xml[^>]*?encoding[^>"']*["']([^"'>]*)["'][^>]*\?>.*)",
                                  RE2::Latin1);
    std::string name(given);
    RE2::FullMatch(std::string(bytes.substr(0, bytes.find('>') + 1)), kDeclaration, &name);
    return text::lower_ascii(name);
}

// Assumes an encoding that extends ASCII, in which a control character is always one byte. A
// reference means its character in any encoding, but not in a CDATA section.
RepairResult replace_controls(std::string_view s) {
    RepairResult out;
    bool in_cdata = false;
    for (std::size_t i = 0; i < s.size(); ++i) {
        in_cdata = s[i] == '<' ? s.substr(i).starts_with("<![CDATA[") || in_cdata
                               : in_cdata && s.substr(i, 3) != "]]>";
        if (text::is_xml_char(static_cast<unsigned char>(s[i]))) {
            out.bytes += s[i];
            continue;
        }
        out.bytes += in_cdata ? "]]>&#xFFFD;<![CDATA[" : "&#xFFFD;";
        ++out.changes;
    }
    return out;
}

RepairResult replace_characters(std::string bytes, std::string_view given) {
    const std::string encoding = encoding_of(bytes, given);
    const bool is_wide = encoding.starts_with("utf-16") || encoding.starts_with("ucs-") ||
                         encoding.starts_with("utf-32");
    if (!is_wide && encoding != "utf-8" && encoding != "utf8") return replace_controls(bytes);
    RepairResult out{std::move(bytes)};
    if (!is_wide) out.changes = text::clean(out.bytes);
    return out;
}

// Of a numeric reference, by its digits ("x1F" in "&#x1F;"): what it refers to, 0 if that is beyond
// all characters; nullopt: it is none.
std::optional<std::uint32_t> character_of(std::string_view number) {
    const int base = number.starts_with('x') ? 16 : 10;
    number.remove_prefix(base == 16 ? 1 : 0);
    std::uint32_t c = 0;
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), c, base);
    if (number.empty() || end != number.data() + number.size()) return std::nullopt;
    return error == std::errc{} ? c : 0;
}

// For an & at the start of `s`: the length of the reference, and its replacement; "": allowed.
std::pair<std::size_t, std::string> reference(std::string_view s) {
    constexpr std::array<std::string_view, 5> kOwn = {"amp", "lt", "gt", "quot", "apos"};
    const auto end = s.substr(0, kReferenceBytes).find(';');
    if (end == s.npos) return {1, "&amp;"};
    const std::string_view name = s.substr(1, end - 1);
    if (std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end()) return {end + 1, ""};
    if (!name.starts_with('#')) return {1, "&amp;"};
    const auto c = character_of(name.substr(1));
    if (!c) return {1, "&amp;"};
    if (*c >= 0xD800 && *c < 0xDC00 && s.substr(end + 1, 2) == "&#") {
        const std::string_view next = s.substr(end + 3, kReferenceBytes);
        const auto low = character_of(next.substr(0, next.find(';')));
        if (low && *low >= 0xDC00 && *low < 0xE000)
            return {end + 4 + next.find(';'),
                    fmt::format("&#x{:X};", 0x10000 + ((*c & 0x3FF) << 10 | (*low & 0x3FF)))};
    }
    return {end + 1, text::is_xml_char(*c) ? "" : "&#xFFFD;"};
}

// The length of what stands at the start of `s`, within an element, and only before one.
std::size_t prologue_bytes(std::string_view s) {
    if (!s.starts_with("<?xml ") && !s.starts_with("<!DOCTYPE")) return 0;
    const auto end = s.find('>');
    return end == s.npos || s.substr(0, end).find('[') != s.npos ? 0 : end + 1;
}

// Returns the length of the comment or CDATA section that begins here; 0 if none does.
std::size_t section_bytes(std::string_view s) {
    for (const auto& [begin, end] :
         {std::pair<std::string_view, std::string_view>{"<![CDATA[", "]]>"}, {"<!--", "-->"}}) {
        if (!s.starts_with(begin)) continue;
        const auto at = s.find(end, begin.size());
        return at == s.npos ? s.size() : at + end.size();
    }
    return 0;
}

// Returns the place of the next & or <; the size if there is none. Much faster than
// find_first_of(), which makes a call for each byte.
std::size_t find_markup(std::string_view s, std::size_t from) {
    const auto* const found =
        std::find_if(s.begin() + from, s.end(), [](char c) { return c == '&' || c == '<'; });
    return static_cast<std::size_t>(found - s.begin());
}

void repair_references(RepairResult& page) {
    const std::string_view s = page.bytes;
    std::string out;
    std::size_t kept = 0;  // bytes of s that are in out
    const auto replace = [&](std::size_t at, std::size_t bytes, std::string_view instead) {
        if (kept == 0) out.reserve(s.size() + s.size() / 8);  // growing by doubling takes more
        out.append(s.substr(kept, at - kept)).append(instead);
        kept = at + bytes;
        ++page.changes;
    };
    bool in_element = false;
    for (auto at = find_markup(s, 0); at < s.size(); at = find_markup(s, at)) {
        if (s[at] == '<') {
            const std::size_t dropped = in_element ? prologue_bytes(s.substr(at)) : 0;
            if (dropped > 0) replace(at, dropped, "");
            in_element |= at + 1 < s.size() && s[at + 1] != '?' && s[at + 1] != '!';
            at += std::max({section_bytes(s.substr(at)), dropped, std::size_t{1}});
            continue;
        }
        const auto [bytes, instead] = reference(s.substr(at));
        if (!instead.empty()) replace(at, bytes, instead);
        at += bytes;
    }
    if (kept == 0) return;
    out.append(s.substr(kept));
    page.bytes = std::move(out);
}

void cut_behind_end(RepairResult& page) {
    constexpr std::string_view kEnd = "OAI-PMH>";
    const auto at = page.bytes.rfind(kEnd);
    const auto tag = at == page.bytes.npos ? at : page.bytes.rfind("</", at);
    if (tag == page.bytes.npos || (at > tag + 2 && page.bytes[at - 1] != ':'))
        return;  // it is no end tag such as "</p:OAI-PMH>"
    if (text::trim(std::string_view(page.bytes).substr(at + kEnd.size())).empty()) return;
    page.bytes.resize(at + kEnd.size());
    ++page.changes;
}

constexpr std::size_t kRootBytes = std::size_t{64} << 10;  // it is parsed again with each record
constexpr std::size_t kPrefixBytes = 256;
constexpr std::size_t kRecordBytes = std::size_t{16} << 20;  // more is no record

class BrokenPage {
  public:
    explicit BrokenPage(std::string_view text) : text_(text) {
        const auto name = text.find("OAI-PMH");
        const auto open = name == text.npos ? text.npos : text.rfind('<', name);
        const auto close = name == text.npos ? text.npos : text.find('>', name);
        if (open == text.npos || close == text.npos || name - open > kPrefixBytes) return;
        prefix_ = text.substr(open + 1, name - open - 1);
        if (text.starts_with("<?xml")) root_ = text.substr(0, text.find("?>") + 2);
        root_ += text.substr(open, close - open + 1);
        list_ = find(start_tag("ListRecords[ \t\r\n>]"), close);
    }

    // Whether it begins as a page of ListRecords does, and its end is present.
    bool is_complete() const {
        return list_ != text_.npos && root_.size() <= kRootBytes &&
               (token_end() != text_.npos || list_end() != text_.npos);
    }

    std::vector<std::string_view> records() const {
        std::vector<std::string_view> out;
        // Directly followed by a header, since metadata may contain elements of the same name; a
        // tag that is interrupted by another '<' does not count.
        const RE2 record = start_tag(R"(record(?:[ \t\r\n][^<>]*)?>[ \t\r\n]*<)" +
                                     RE2::QuoteMeta(prefix_) + "header");
        const auto end = std::min({token_begin(), list_end(), text_.size()});
        for (auto at = find(record, list_); at < end;) {
            const auto next = std::min(find(record, at + 1), end);
            out.push_back(text_.substr(at, next - at));
            at = next;
        }
        return out;
    }

    // Wraps one piece of the page in a document of its own.
    std::string document_with(std::string_view piece) const {
        return root_ + "<" + prefix_ + "ListRecords>" + std::string(piece) + "</" + prefix_ +
               "ListRecords></" + prefix_ + "OAI-PMH>";
    }

    // A record that has only this identifier, which is XML text of the page.
    std::string record_with(std::string_view identifier) const {
        const auto within = [this](const std::string& name, const std::string& content) {
            return "<" + prefix_ + name + ">" + content + "</" + prefix_ + name + ">";
        };
        return within("record", within("header", within("identifier", std::string(identifier))));
    }

    // A piece of records(), cut after its last end tag.
    std::string_view up_to_end_tag(std::string_view piece) const {
        const std::string tag = "</" + prefix_ + "record>";
        const auto at = piece.rfind(tag);
        return at == piece.npos ? piece : piece.substr(0, at + tag.size());
    }

    // The text between the first tag of this name and the next tag.
    std::string_view between(std::string_view text, std::string_view name) const {
        const auto open = text.find("<" + prefix_ + std::string(name));
        const auto begin = open == text.npos ? open : text.find('>', open);
        const auto end = begin == text.npos ? begin : text.find('<', begin);
        return end == text.npos ? "" : text.substr(begin + 1, end - begin - 1);
    }

    std::string_view token_element() const {
        const auto end = token_end();
        return end == text_.npos ? "" : text_.substr(token_begin(), end - token_begin());
    }

  private:
    // A start tag whose name and what follows match the expression.
    RE2 start_tag(const std::string& expression) const {
        return RE2("<" + RE2::QuoteMeta(prefix_) + expression, RE2::Latin1);
    }
    std::size_t find(const RE2& tag, std::size_t from) const {
        re2::StringPiece found, text(text_.data(), text_.size());
        return tag.Match(text, from, text_.size(), RE2::UNANCHORED, &found, 1)
                   ? static_cast<std::size_t>(found.data() - text_.data())
                   : text_.npos;
    }

    std::size_t token_begin() const { return text_.rfind("<" + prefix_ + "resumptionToken"); }
    std::size_t token_end() const {
        const auto begin = token_begin();
        if (begin == text_.npos) return begin;
        const std::string tag = "</" + prefix_ + "resumptionToken>";
        const auto at = text_.find(tag, begin);
        return at == text_.npos ? at : at + tag.size();
    }
    std::size_t list_end() const { return text_.rfind("</" + prefix_ + "ListRecords>"); }

    std::string_view text_;
    std::string prefix_;  // "oai:" or ""
    std::string root_;    // the XML declaration and the start tag of the document element
    std::size_t list_ = std::string_view::npos;
};

std::optional<ParsedAnswer> parse_piece(const BrokenPage& page, std::string_view piece) {
    try {
        return read_answer(page.document_with(piece));
    } catch (const xml::Error&) {
        return std::nullopt;
    }
}

std::string identifier_of(const BrokenPage& page, std::string_view piece) {
    const auto read = parse_piece(page, page.record_with(page.between(piece, "identifier")));
    return read && read->records.size() == 1 ? read->records[0].identifier : "";
}

void take_record(const BrokenPage& page, std::string_view piece, SalvagedPage& salvaged) {
    auto read =
        piece.size() > kRecordBytes ? std::nullopt : parse_piece(page, page.up_to_end_tag(piece));
    auto& records = salvaged.answer.records;
    if (read && read->records.size() == 1)
        records.push_back(std::move(read->records[0]));
    else if (std::string identifier = identifier_of(page, piece); !identifier.empty())
        salvaged.broken.push_back(std::move(identifier));
    else
        salvaged.answer.nameless.push_back(
            {text::to_xml_text(text::trim(page.between(piece, "datestamp"))),
             records.empty() ? "" : records.back().identifier});
}

}  // namespace

std::string_view skip_lead(std::string_view bytes) {
    for (;;) {
        const auto blanks = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
        bytes.remove_prefix(blanks);
        if (!bytes.starts_with("\xEF\xBB\xBF")) return bytes;
        bytes.remove_prefix(3);
    }
}

RepairResult repair_part(std::string bytes, std::string_view encoding) {
    RepairResult part = replace_characters(std::move(bytes), encoding);
    repair_references(part);
    return part;
}

RepairResult repair(std::string bytes) {
    RepairResult page = repair_part(std::move(bytes), "utf-8");
    cut_behind_end(page);
    return page;
}

std::optional<SalvagedPage> salvage(std::string bytes) {
    bytes.erase(0, bytes.size() - skip_lead(bytes).size());
    const RepairResult repaired = repair(std::move(bytes));
    const BrokenPage page(repaired.bytes);
    if (!page.is_complete()) return std::nullopt;
    SalvagedPage salvaged;
    salvaged.answer.verb = "ListRecords";
    salvaged.answer.repaired = repaired.changes;
    salvaged.answer.response_date =
        text::to_xml_text(text::trim(page.between(repaired.bytes, "responseDate")));
    for (const std::string_view piece : page.records()) take_record(page, piece, salvaged);
    for (Record& record : salvaged.answer.records)
        record.response_date = salvaged.answer.response_date;
    if (page.token_element().empty()) return salvaged;
    const auto token = parse_piece(page, page.token_element());
    if (!token) return std::nullopt;
    salvaged.answer.token = token->token;
    salvaged.answer.list_size = token->list_size;
    return salvaged;
}

}  // namespace oai::harvest
