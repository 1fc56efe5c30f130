// SPDX-License-Identifier: MIT
#include "browse/citation.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/utc.h"

namespace oai {
namespace {

constexpr std::size_t kMaxSubjects = 50;
constexpr std::size_t kMaxNameBytes = 500;

struct TypeWord {
    std::string_view words;  // in lower case
    Work work;
};
// The first one that a dc:type has decides: words of the DCMI Type Vocabulary, of COAR's and
// info:eu-repo's, and what libraries write.
constexpr std::array kTypeWords{
    TypeWord{"thesis", Work::thesis},
    TypeWord{"dissertation", Work::thesis},
    TypeWord{"doctoralthesis", Work::thesis},
    TypeWord{"masterthesis", Work::thesis},
    TypeWord{"bachelorthesis", Work::thesis},
    TypeWord{"book part", Work::chapter},
    TypeWord{"bookpart", Work::chapter},
    TypeWord{"book chapter", Work::chapter},
    TypeWord{"chapter", Work::chapter},
    TypeWord{"conferenceobject", Work::conference},
    TypeWord{"conferencepaper", Work::conference},
    TypeWord{"conference", Work::conference},
    TypeWord{"article", Work::article},
    TypeWord{"preprint", Work::article},
    TypeWord{"report", Work::report},
    TypeWord{"dataset", Work::dataset},
    TypeWord{"software", Work::software},
    TypeWord{"stillimage", Work::image},
    TypeWord{"movingimage", Work::video},
    TypeWord{"moving image", Work::video},
    TypeWord{"video", Work::video},
    TypeWord{"film", Work::video},
    TypeWord{"image", Work::image},
    TypeWord{"photograph", Work::image},
    TypeWord{"sound", Work::sound},
    TypeWord{"audio", Work::sound},
    TypeWord{"map", Work::map},
    TypeWord{"cartographic", Work::map},
    TypeWord{"score", Work::score},
    TypeWord{"notated music", Work::score},
    TypeWord{"music", Work::score},
    TypeWord{"web page", Work::page},
    TypeWord{"website", Work::page},
    TypeWord{"journal", Work::journal},
    TypeWord{"periodical", Work::journal},
    TypeWord{"serial", Work::journal},
    TypeWord{"newspaper", Work::journal},
    TypeWord{"book", Work::book},
    TypeWord{"monograph", Work::book},
};

bool is_digit_char(char c) { return c >= '0' && c <= '9'; }

// Letters in lower case with single blanks between words and at both ends.
std::string as_words(std::string_view value) {
    std::string words = " ";
    for (const char c : text::lower_ascii(value)) {
        const bool is_word = (c >= 'a' && c <= 'z') || is_digit_char(c);
        if (is_word || words.back() != ' ') words += is_word ? c : ' ';
    }
    return words.back() == ' ' ? words : words + ' ';
}

Work work_of(std::string_view type) {
    const std::string words = as_words(type);
    for (const TypeWord& t : kTypeWords)
        if (words.find(" " + std::string(t.words) + " ") != std::string::npos) return t.work;
    return Work::other;
}

Work work_of(const DublinCore& dc, const CitationFacts& facts) {
    for (const std::string& type : dc.all("type"))
        if (const Work work = work_of(type); work != Work::other) return work;
    if (const Work work = work_of(facts.kind); work != Work::other) return work;
    return facts.captured ? Work::page : Work::other;
}

// "info:eu-repo/semantics/bachelorThesis" is for programs, and would stand in a bibliography.
std::string type_in_words(const DublinCore& dc) {
    for (const std::string& type : dc.all("type"))
        if (!type.starts_with("info:") && !is_web_address(type)) return type;
    return "";
}

std::string degree_of(const DublinCore& dc, const CitationFacts& facts) {
    std::vector<std::string> types = dc.all("type");
    types.push_back(facts.kind);
    for (const std::string& type : types) {
        const std::string words = as_words(type);
        for (const auto& [part, degree] : {std::pair{"bachelor", "Bachelor's thesis"},
                                           {"master", "Master's thesis"},
                                           {"doctor", "Doctoral dissertation"},
                                           {" phd ", "Doctoral dissertation"}})
            if (words.find(part) != std::string::npos) return degree;
    }
    return "";
}

// A name with one comma is a person's; a comma at its end and the years of a life, which libraries
// write behind it, are left out. Where "and" stands in it, it is of several or of a body.
Citation::Name name_of_creator(std::string_view creator) {
    creator = creator.substr(0, creator.find_last_not_of(", ") + 1);
    std::vector<std::string_view> parts = text::split(creator, ',');
    for (std::string_view& part : parts) part = text::trim(part);
    if (parts.size() > 2 && parts.back().find_first_of("0123456789") != std::string_view::npos)
        parts.pop_back();
    const bool is_person = parts.size() == 2 && !parts[0].empty() && !parts[1].empty() &&
                           creator.find(" and ") == creator.npos;
    if (!is_person) return {std::string(text::utf8_prefix(creator, kMaxNameBytes)), ""};
    return {std::string(text::utf8_prefix(parts[0], kMaxNameBytes)),
            std::string(text::utf8_prefix(parts[1], kMaxNameBytes))};
}

// Where the first year in it stands: four digits that are not a part of a longer number.
std::size_t find_year(std::string_view date) {
    for (std::size_t i = 0; i + 4 <= date.size(); ++i) {
        if (!is_digit_char(date[i])) continue;
        const std::size_t end = std::min(date.find_first_not_of("0123456789", i), date.size());
        if (end - i == 4 && date[i] != '0') return i;
        i = end;
    }
    return date.npos;
}

// "-1200", "1200 BC"; "-1938", too, which may mean all years up to it.
bool is_before_christ(std::string_view date, std::size_t year) {
    const std::string_view before = date.substr(0, year), after = text::trim(date.substr(year + 4));
    constexpr std::array kSigns{"-", "\u2013", "\u2212"};
    constexpr std::array kWords{"BC", "B.C", "p\u0159", "pr.", "pred", "v. Chr", "v. u. Z"};
    return std::any_of(kSigns.begin(), kSigns.end(),
                       [&](const char* sign) { return before.ends_with(sign); }) ||
           std::any_of(kWords.begin(), kWords.end(),
                       [&](const char* word) { return after.starts_with(word); });
}

// Whether it says no more than a year: "1998", "[c1998]".
bool is_bare_year(std::string_view date, std::size_t year) {
    return date.find_first_not_of("[(c\u00a9 ") == year &&
           date.find_first_not_of("]). ", year + 4) == date.npos;
}

// YYYY, YYYY-MM, YYYY-MM-DD with or without a time behind it, or words with a year in them.
void read_date(Citation& citation, const std::string& date) {
    const std::size_t year = find_year(date);
    if (year == date.npos || is_before_christ(date, year)) return;
    Citation::Date found{.year = *digits_at(date, year, 4)};
    const bool is_day = date.size() >= 10 && parse_utc_day(date.substr(0, 10)) &&
                        (date.size() == 10 || date[10] == 'T' || date[10] == ' ');
    if (is_day || (date.size() == 7 && parse_utc_day(date + "-01")))
        found.month = digits_at(date, 5, 2).value_or(0);
    if (is_day) found.day = digits_at(date, 8, 2).value_or(0);
    citation.issued = found;
    if (found.month == 0 && !is_bare_year(date, year)) citation.issued_words = date;
}

// The DOI in an identifier, as "10.1234/horse.1"; "" if it is none.
std::string doi_in(std::string_view identifier) {
    for (const std::string_view prefix :
         {"https://doi.org/", "http://doi.org/", "https://dx.doi.org/", "http://dx.doi.org/",
          "doi:", "DOI:", "info:doi/"})
        if (identifier.starts_with(prefix)) {
            identifier = text::trim(identifier.substr(prefix.size()));
            break;
        }
    const bool is_doi = identifier.starts_with("10.") &&
                        identifier.find('/') != std::string_view::npos &&
                        identifier.find(' ') == std::string_view::npos;
    return is_doi ? std::string(identifier) : "";
}

// The number behind "ISBN" or "urn:isbn:", without what is written behind it; "" if there is none.
std::string number_behind(std::string_view name, std::string_view identifier) {
    const std::string lower = text::lower_ascii(identifier);
    const std::size_t at = lower.starts_with("urn:") ? 4 : 0;
    if (!lower.substr(at).starts_with(name)) return "";
    const std::string_view rest = identifier.substr(
        std::min(identifier.find_first_not_of(": ", at + name.size()), identifier.size()));
    const std::string_view number =
        rest.substr(0, std::min(rest.find_first_not_of("0123456789Xx-"), rest.size()));
    return number.size() >= 8 && number.size() <= 17 ? std::string(number) : "";
}

void read_identifiers(Citation& citation, const DublinCore& dc) {
    std::string address;
    for (const std::string& identifier : dc.all("identifier")) {
        if (citation.doi.empty()) citation.doi = doi_in(identifier);
        if (citation.isbn.empty()) citation.isbn = number_behind("isbn", identifier);
        if (citation.issn.empty()) citation.issn = number_behind("issn", identifier);
        if (address.empty() && is_web_address(identifier)) address = identifier;
    }
    const CitationFacts& facts = citation.facts;
    if (!facts.replay.empty())
        citation.url = facts.replay;
    else if (facts.captured)
        citation.url = facts.url;
    else if (!citation.doi.empty())
        citation.url = "https://doi.org/" + text::percent_encode(citation.doi, "/:;()");
    else
        citation.url = address.empty() ? facts.url : address;
}

std::string title_in(const DublinCore& dc, const CitationFacts& facts) {
    if (const std::string title = dc.first("title"); !title.empty()) return title;
    if (!facts.live_url.empty()) return one_line(facts.live_url, DublinCore::kMaxValueBytes);
    return one_line(facts.identifier, DublinCore::kMaxValueBytes);
}

}  // namespace

Citation make_citation(const DublinCore& dc, CitationFacts facts) {
    Citation citation;
    citation.facts = std::move(facts);
    citation.work = work_of(dc, citation.facts);
    citation.type = type_in_words(dc);
    if (citation.work == Work::thesis) citation.degree = degree_of(dc, citation.facts);
    citation.title = title_in(dc, citation.facts);
    for (const std::string& creator : dc.all("creator"))
        if (Citation::Name name = name_of_creator(creator); !name.family.empty())
            citation.creators.push_back(std::move(name));
    citation.more_creators = dc.has_more("creator");
    if (!citation.facts.captured) {
        for (const std::string& date : dc.all("date"))
            if (!citation.issued) read_date(citation, date);
        if (!citation.issued) citation.issued_words = dc.first("date");
    }
    citation.publisher = dc.first("publisher");
    citation.language = dc.first("language");
    citation.abstract = dc.first("description");
    if (citation.work == Work::article || citation.work == Work::chapter ||
        citation.work == Work::conference)
        citation.container = dc.first("source");
    citation.subjects = dc.all("subject");
    if (citation.subjects.size() > kMaxSubjects) citation.subjects.resize(kMaxSubjects);
    read_identifiers(citation, dc);
    return citation;
}

}  // namespace oai
