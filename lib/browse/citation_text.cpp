// SPDX-License-Identifier: MIT
// Citations as text: ISO 690:2021 with names and dates as references to online sources have them,
// and the style of the American Psychological Association (7th edition).
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/utc.h"
#include "browse/citation_format.h"

namespace oai {
namespace {

using Piece = CitationPiece::Kind;

constexpr std::size_t kMaxIsoNames = 3;   // more are "et al."
constexpr std::size_t kMaxApaNames = 20;  // of more, the first 19 and the last one
constexpr const char* kMonthNames[] = {"January",   "February", "March",    "April",
                                       "May",       "June",     "July",     "August",
                                       "September", "October",  "November", "December"};

void add(CitationText& out, std::string text) {
    if (!text.empty()) out.push_back({Piece::text, std::move(text)});
}

// The text with a full stop behind it, unless it ends in something like one.
std::string sentence(std::string text) {
    if (text.empty()) return text;
    const bool ends = text.back() == '.' || text.back() == '?' || text.back() == '!';
    return text + (ends ? " " : ". ");
}

void add_title(CitationText& out, const Citation& citation, std::string behind) {
    out.push_back({Piece::title, citation.title});
    const char last = citation.title.back();
    const bool ends = behind.empty() && (last == '.' || last == '?' || last == '!');
    add(out, behind + (ends ? " " : ". "));
}

// "Smith, Jane; Doe, John and Roe, Richard. ", with the "and" of the reader's language.
void add_iso_names(CitationText& out, const Citation& citation) {
    const std::size_t all = citation.creators.size();
    const std::size_t shown = all > kMaxIsoNames ? 1 : all;
    for (std::size_t i = 0; i < shown; ++i) {
        const Citation::Name& creator = citation.creators[i];
        std::string name =
            creator.given.empty() ? creator.family : creator.family + ", " + creator.given;
        const bool is_last = i + 1 == shown;
        if (is_last) name = sentence(shown < all ? name + " et al." : name);
        if (is_last && i > 0)
            out.push_back({Piece::word, name, "cite.and"});
        else
            add(out, is_last ? name : name + (i + 2 == shown ? " " : "; "));
    }
}

std::string iso_date(const Citation& citation) {
    const auto& d = citation.issued;
    if (!d || !citation.issued_words.empty()) return citation.issued_words;
    std::string date = fmt::format("{:04}", d->year);
    if (d->month > 0) date += fmt::format("-{:02}", d->month);
    if (d->day > 0) date += fmt::format("-{:02}", d->day);
    return date;
}

// "J.-P. E." of "Jean-Paul Emil"
std::string initials(std::string_view given) {
    std::string out;
    bool begins = true;
    while (!given.empty()) {
        const text::Character c = text::first_character(given);
        const bool separates = c.value == ' ' || c.value == '-';
        if (begins && !separates) {
            if (!out.empty() && out.back() == '.') out += ' ';
            out.append(given.substr(0, c.length)).append(".");
        }
        if (c.value == '-' && !out.empty() && out.back() == '.') out += '-';
        begins = separates;
        given.remove_prefix(c.length);
    }
    return out;
}

std::string apa_name(const Citation::Name& name) {
    return name.given.empty() ? name.family : name.family + ", " + initials(name.given);
}

std::string apa_names(const Citation& citation) {
    std::string names;
    const std::size_t all = citation.creators.size();
    const bool some = all > kMaxApaNames;
    const std::size_t before = some ? kMaxApaNames - 1 : all == 0 ? 0 : all - 1;
    for (std::size_t i = 0; i < before; ++i) names += apa_name(citation.creators[i]) + ", ";
    if (all > 0)
        names += (some ? "… " : before > 0 ? "& " : "") + apa_name(citation.creators.back());
    return names;
}

std::string apa_day(int year, int month, int day) {
    return fmt::format("{} {}, {}", kMonthNames[month - 1], day, year);
}

std::string apa_date(const Citation& citation) {
    const auto& d = citation.issued;
    if (!citation.issued_words.empty()) return citation.issued_words;
    if (!d) return "n.d.";
    if (d->month == 0) return std::to_string(d->year);
    const char* const month = kMonthNames[d->month - 1];
    return d->day > 0 ? fmt::format("{}, {} {}", d->year, month, d->day)
                      : fmt::format("{}, {}", d->year, month);
}

// What stands in brackets behind the title of a thesis and of what is no text.
std::string apa_kind(const Citation& citation) {
    switch (citation.work) {
        case Work::dataset: return " [Data set]";
        case Work::software: return " [Computer software]";
        case Work::image: return " [Image]";
        case Work::video: return " [Video]";
        case Work::sound: return " [Audio]";
        case Work::map: return " [Map]";
        case Work::score: return " [Musical score]";
        case Work::thesis: {
            const std::string degree = citation.degree.empty() ? "Thesis" : citation.degree;
            return " [" + degree + (citation.publisher.empty() ? "" : ", " + citation.publisher) +
                   "]";
        }
        default: return "";
    }
}

std::string day_of(Seconds t) { return print_utc(t).substr(0, 10); }

std::string apa_day(Seconds t) {
    const std::string day = print_utc(t);
    return apa_day(*digits_at(day, 0, 4), *digits_at(day, 5, 2), *digits_at(day, 8, 2));
}

}  // namespace

CitationText citation_iso690(const Citation& citation) {
    const CitationFacts& facts = citation.facts;
    CitationText out;
    add_iso_names(out, citation);
    add_title(out, citation, " [online]");
    if (!citation.container.empty()) add(out, sentence("In: " + citation.container));
    std::string published = citation.publisher;
    if (const std::string date = iso_date(citation); !date.empty())
        published += (published.empty() ? "" : ", ") + date;
    add(out, published + (published.empty() ? "" : " "));
    if (facts.captured) {
        out.push_back({Piece::word, print_utc(*facts.captured), "cite.archived"});
        add(out, " ");
    }
    out.push_back({Piece::word, day_of(facts.viewed), "cite.viewed"});
    add(out, ". ");
    if (!citation.isbn.empty()) add(out, "ISBN " + citation.isbn + ". ");
    if (citation.isbn.empty() && !citation.issn.empty()) add(out, "ISSN " + citation.issn + ". ");
    if (facts.captured) add(out, sentence("In: " + one_line(facts.repository, 500)));
    out.push_back({Piece::word, citation.url, "cite.from"});
    if (facts.captured && !facts.live_url.empty()) {
        add(out, ". ");
        out.push_back({Piece::word, one_line(facts.live_url, 2'000), "cite.original"});
    }
    return out;
}

CitationText citation_apa(const Citation& citation) {
    const CitationFacts& facts = citation.facts;
    CitationText out;
    const std::string names = apa_names(citation);
    const std::string date = "(" + apa_date(citation) + "). ";
    // Without a name, the title takes its place.
    if (!names.empty()) add(out, sentence(names) + date);
    add_title(out, citation, apa_kind(citation));
    if (names.empty()) add(out, date);
    if (!citation.container.empty()) add(out, sentence(citation.container));
    if (citation.publisher != names && citation.work != Work::thesis)
        add(out, sentence(citation.publisher));
    if (facts.captured)
        add(out, fmt::format("{}, archived {}. ", one_line(facts.repository, 500),
                             apa_day(*facts.captured)));
    add(out, citation.url);
    return out;
}

std::string plain_text(const CitationText& pieces, const Language& language) {
    std::string text;
    for (const CitationPiece& piece : pieces)
        text += piece.kind == Piece::word ? language.say(piece.word, {piece.value}) : piece.value;
    return text;
}

}  // namespace oai
