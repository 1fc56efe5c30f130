// SPDX-License-Identifier: MIT
#include "tools/load/item.h"

#include <re2/re2.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "protocol/identifier.h"
#include "tools/load/field.h"
#include "tools/load/words.h"

namespace oai::load {
namespace {

constexpr std::size_t kLocalIdBytes = 500;

// RFC 5646 in its outline, as library.fits() checks it.
bool is_language(std::string_view tag) {
    static const RE2 kForm("[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*");
    return RE2::FullMatch(std::string(tag), kForm);
}

// Fit for the columns of single words: printable ASCII without blanks.
bool is_word(std::string_view s) {
    return std::all_of(
        s.begin(), s.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

// "10.1234/abc" in "doi:10.1234/abc", "https://doi.org/10.1234/abc" and by itself.
std::string doi_in(std::string_view s) {
    static const RE2 kForm(
        R"((?s)(?:(?i:http.*?doi\.org/|doi:))?\s*(10\.\d{4,9}(?:\.\d+)*/[!-~]+)\s*)");
    std::string doi;
    return RE2::FullMatch(std::string(s), kForm, &doi) ? doi : "";
}

bool is_urn(std::string_view lower) {
    static const RE2 kForm("urn:[a-z0-9][a-z0-9-]{1,31}:[!-~]+");
    return RE2::FullMatch(std::string(lower), kForm);
}

// The number in "ISBN 80-200-0980-9", "urn:isbn:..."; "" if the text is no number of this kind.
std::string number_behind(std::string_view s, const RE2& kind) {
    std::string number;
    RE2::PartialMatch(std::string(s), kind, &number);
    return number;
}

void add_once(std::vector<std::string>& list, std::string value) {
    if (!value.empty() && std::find(list.begin(), list.end(), value) == list.end())
        list.push_back(std::move(value));
}

void take_identifier(Item& item, const std::string& text) {
    const std::string lower = text::lower_ascii(text);
    static const RE2 kIsbn("^(?i)(?:urn:)?isbn[ :]*([0-9X-]*)"),
        kIssn("^(?i)(?:urn:)?issn[ :]*([0-9X-]*)");
    const std::string isbn = number_behind(text, kIsbn), issn = number_behind(text, kIssn);
    const std::string doi = doi_in(text);
    add_once(item.isbn, isbn);
    add_once(item.issn, issn);
    if (item.doi.empty()) item.doi = doi;
    if (item.urn.empty() && isbn.empty() && issn.empty() && is_urn(lower)) item.urn = text;
    if (item.landing_page.empty() && doi.empty() && is_url(text)) item.landing_page = text;
}

// The first run of exactly four digits that is a year.
std::optional<int> year_in(std::string_view s) {
    static const RE2 kForm(R"((?:^|\D)(\d{4})(?:\D|$))");
    re2::StringPiece rest(s.data(), s.size());
    for (int year = 0; RE2::FindAndConsume(&rest, kForm, &year);)
        if (year > 0) return year;
    return std::nullopt;
}

constexpr std::string_view kPathMarks = "._~!$&'()*+,;=:@/-";
constexpr std::string_view kUriMarks = "._~!$&'()*+,;=:@/-?#[]";

std::string encoded(std::string_view given, std::string_view marks) {
    std::string out;
    const std::string_view s = text::trim(given);
    for (std::size_t i = 0; i < s.size(); ++i) {
        const char c = s[i];
        const bool is_encoded = text::percent_escape_at(s, i).has_value();
        if (is_letter(c) || is_digit(c) || is_encoded || marks.find(c) != marks.npos)
            out += c;
        else
            text::append_hex(out += '%', c);
    }
    return out;
}

}  // namespace

void Item::add(Element e, std::string text, std::string language) {
    Value value{std::string(text::trim(text)), is_language(language) ? std::move(language) : ""};
    auto& values = (*this)[e];
    // A record may have a hundred thousand values, so each is compared with the last hundred alone.
    const auto compared = std::min<std::ptrdiff_t>(std::ssize(values), 100);
    if (!value.text.empty() &&
        std::find(values.end() - compared, values.end(), value) == values.end())
        values.push_back(std::move(value));
}

std::string local_id_of(std::string_view given) {
    std::string out = encoded(given, kPathMarks);
    return out.size() <= kLocalIdBytes && !out.starts_with(':') ? out : "";
}

std::string local_id_from_elsewhere(std::string_view identifier) {
    std::string out = encoded(identifier, kUriMarks);
    return !out.empty() && out.size() < kLocalIdBytes ? ":" + out : "";
}

std::string set_path(std::string_view given) {
    std::string out;
    for (const std::string_view label : text::split(text::trim(given), ':')) {
        if (label.empty()) continue;
        if (!out.empty()) out += ':';
        for (const char c : label)
            if (is_label({&c, 1}))
                out += c;
            else
                text::append_hex(out += '~', c);
    }
    return out.size() <= kLocalIdBytes ? out : "";
}

std::string moment_of(std::string_view given) {
    const auto moment = parse_date(given);
    return moment ? print_utc(*moment) : "";
}

bool is_url(std::string_view s) {
    const std::string lower = text::lower_ascii(s.substr(0, 8));
    const std::size_t host = lower.starts_with("http://")    ? 7
                             : lower.starts_with("https://") ? 8
                                                             : s.size();
    return host < s.size() && is_word(s);
}

void complete(Item& item) {
    item.kind = set_path(item.kind);
    for (std::string& name : item.collections) name = set_path(name);
    std::erase(item.collections, "");
    for (const Value& value : item[Element::type])
        if (item.kind.empty()) item.kind = kind_of(value.text);
    for (const Value& value : item[Element::identifier]) take_identifier(item, value.text);
    for (const Value& value : item[Element::rights])
        if (item.licence.empty() && is_url(value.text)) item.licence = value.text;
    for (const Value& value : item[Element::date])
        if (!item.year) item.year = year_in(value.text);
    if (item.local_id.empty() && !item[Element::identifier].empty())
        item.local_id = local_id_of(item[Element::identifier].front().text);
}

}  // namespace oai::load
