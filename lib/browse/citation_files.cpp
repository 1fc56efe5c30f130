// SPDX-License-Identifier: MIT
// Citations as files for programs.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/utc.h"
#include "browse/citation_format.h"
#include "browse/page_address.h"

namespace oai {
namespace {

using Json = nlohmann::ordered_json;

struct WorkNames {
    Work work;
    const char *ris, *bibtex, *csl, *schema;
};
constexpr WorkNames kWorkNames[] = {
    {Work::other, "GEN", "misc", "document", "CreativeWork"},
    {Work::page, "ELEC", "misc", "webpage", "WebPage"},
    {Work::book, "BOOK", "book", "book", "Book"},
    {Work::chapter, "CHAP", "incollection", "chapter", "Chapter"},
    {Work::article, "JOUR", "article", "article-journal", "ScholarlyArticle"},
    {Work::conference, "CPAPER", "inproceedings", "paper-conference", "ScholarlyArticle"},
    {Work::thesis, "THES", "phdthesis", "thesis", "Thesis"},
    {Work::report, "RPRT", "techreport", "report", "Report"},
    {Work::journal, "JFULL", "misc", "periodical", "Periodical"},
    {Work::dataset, "DATA", "misc", "dataset", "Dataset"},
    {Work::software, "COMP", "misc", "software", "SoftwareSourceCode"},
    {Work::image, "FIGURE", "misc", "graphic", "ImageObject"},
    {Work::video, "VIDEO", "misc", "motion_picture", "VideoObject"},
    {Work::sound, "SOUND", "misc", "song", "AudioObject"},
    {Work::map, "MAP", "misc", "map", "Map"},
    {Work::score, "MUSIC", "misc", "musical_score", "SheetMusic"},
};

const WorkNames& names_of(Work work) {
    return *std::find_if(
        std::begin(kWorkNames), std::end(kWorkNames),
        [&](const WorkNames& names) { return names.work == work; });
}

// When what is cited was as it is cited: a capture when it was made, anything else now.
std::string seen_day(const Citation& citation) {
    return print_utc(citation.facts.captured.value_or(citation.facts.viewed)).substr(0, 10);
}

// "" if it is no capture.
std::string note_of(const Citation& citation) {
    const CitationFacts& facts = citation.facts;
    if (!facts.captured) return "";
    return fmt::format("Archived {} by {}. Original address: {}", print_utc(*facts.captured),
                       one_line(facts.repository, DublinCore::kMaxValueBytes),
                       one_line(facts.live_url, DublinCore::kMaxValueBytes));
}

// A line for each; a value has no end of a line (one_line()), so that none can begin another field.
void ris(std::string& out, std::string_view tag, std::string_view value) {
    if (!value.empty()) out.append(tag).append("  - ").append(value).append("\r\n");
}

std::string name_in_order(const Citation::Name& name) {
    return name.given.empty() ? name.family : name.family + ", " + name.given;
}

// Braces are written by their commands, since BibTeX counts escaped ones, too.
std::string latex(std::string_view text) {
    std::string out;
    for (const char c : text) switch (c) {
            case '\\': out += "{$\\backslash$}"; break;
            case '{': out += "{\\textbraceleft}"; break;
            case '}': out += "{\\textbraceright}"; break;
            case '~': out += "{\\textasciitilde}"; break;
            case '^': out += "{\\textasciicircum}"; break;
            case '$':
            case '&':
            case '#':
            case '%':
            case '_': out += '\\'; [[fallthrough]];
            default: out += c;
        }
    return out;
}

void field(std::string& out, std::string_view name, const std::string& value) {
    if (!value.empty()) out.append(fmt::format(",\n  {} = {{{}}}", name, value));
}

// The names joined by " and ". What is no name of a person is kept together by braces.
std::string bibtex_names(const Citation& citation) {
    std::string names;
    for (const Citation::Name& name : citation.creators) {
        if (!names.empty()) names += " and ";
        names += name.given.empty() ? "{" + latex(name.family) + "}" : latex(name_in_order(name));
    }
    return citation.more_creators ? names + " and others" : names;
}

// The identifier as a key, which LaTeX, BibTeX and biber take.
std::string key_of(const std::string& identifier) {
    std::string key(text::utf8_prefix(identifier, 100));
    for (char& c : key)
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
            c != ':' && c != '.')
            c = '-';
    return key;
}

Json date_parts(std::initializer_list<int> parts) {
    Json date = Json::array();
    for (const int part : parts)
        if (part > 0) date.push_back(part);
    return {{"date-parts", Json::array({date})}};
}

Json csl_day(const std::string& day) {
    return date_parts({*digits_at(day, 0, 4), *digits_at(day, 5, 2), *digits_at(day, 8, 2)});
}

}  // namespace

const char* schema_type(Work work) { return names_of(work).schema; }

std::string citation_ris(const Citation& citation) {
    std::string out;
    const CitationFacts& facts = citation.facts;
    ris(out, "TY", names_of(citation.work).ris);
    ris(out, "TI", citation.title);
    for (const Citation::Name& name : citation.creators) ris(out, "AU", name_in_order(name));
    ris(out, "T2", citation.container);
    if (const auto& d = citation.issued) {
        ris(out, "PY", fmt::format("{:04}", d->year));
        if (d->month > 0)
            ris(out, "DA",
                fmt::format("{:04}/{:02}/{}", d->year, d->month,
                            d->day > 0 ? fmt::format("{:02}", d->day) : ""));
    }
    ris(out, "PB", citation.publisher);
    ris(out, "M3", citation.degree);
    ris(out, "LA", citation.language);
    ris(out, "SN", citation.isbn.empty() ? citation.issn : citation.isbn);
    ris(out, "DO", citation.doi);
    ris(out, "AB", citation.abstract);
    for (const std::string& subject : citation.subjects) ris(out, "KW", subject);
    ris(out, "N1", note_of(citation));
    ris(out, "UR", one_line(citation.url, DublinCore::kMaxValueBytes));
    std::string seen = seen_day(citation);
    std::replace(seen.begin(), seen.end(), '-', '/');
    ris(out, "Y2", seen);
    ris(out, "AN", one_line(facts.identifier, DublinCore::kMaxValueBytes));
    ris(out, "DB", one_line(facts.repository, DublinCore::kMaxValueBytes));
    return out += "ER  - \r\n";
}

std::string citation_bibtex(const Citation& citation) {
    constexpr const char* kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                       "jul", "aug", "sep", "oct", "nov", "dec"};
    const bool is_thesis = citation.work == Work::thesis;
    std::string out =
        fmt::format("@{}{{{}", names_of(citation.work).bibtex, key_of(citation.facts.identifier));
    field(out, "author", bibtex_names(citation));
    // The second braces keep the capitals, which styles would change as in English.
    field(out, "title", "{" + latex(citation.title) + "}");
    if (is_thesis)
        field(out, "type", latex(citation.degree.empty() ? citation.type : citation.degree));
    field(out, citation.work == Work::article ? "journal" : "booktitle", latex(citation.container));
    field(out,
          is_thesis                       ? "school"
          : citation.work == Work::report ? "institution"
                                          : "publisher",
          latex(citation.publisher));
    if (const auto& d = citation.issued) {
        field(out, "year", fmt::format("{:04}", d->year));
        if (d->month > 0) out.append(fmt::format(",\n  month = {}", kMonths[d->month - 1]));
        if (d->day > 0) field(out, "day", std::to_string(d->day));
    } else {
        field(out, "year", latex(citation.issued_words));
    }
    field(out, "language", latex(citation.language));
    field(out, "isbn", citation.isbn);
    field(out, "issn", citation.issn);
    // Programs take these as they are: what BibTeX would count is encoded.
    field(out, "doi", encoded_address(citation.doi));
    field(out, "url", encoded_address(citation.url));
    field(out, "urldate", seen_day(citation));
    field(out, "note", latex(note_of(citation)));
    return out += "\n}\n";
}

std::string citation_csl(const Citation& citation) {
    const CitationFacts& facts = citation.facts;
    Json item{
        {"id", facts.identifier}, {"type", names_of(citation.work).csl}, {"title", citation.title}};
    for (const Citation::Name& name : citation.creators)
        item["author"].push_back(name.given.empty()
                                     ? Json{{"literal", name.family}}
                                     : Json{{"family", name.family}, {"given", name.given}});
    if (!citation.issued_words.empty())
        item["issued"] = {{"literal", citation.issued_words}};
    else if (const auto& d = citation.issued)
        item["issued"] = date_parts({d->year, d->month, d->day});
    const std::pair<const char*, const std::string*> variables[] = {
        {"container-title", &citation.container},
        {"publisher", &citation.publisher},
        {"genre", &citation.degree},
        {"language", &citation.language},
        {"abstract", &citation.abstract},
        {"DOI", &citation.doi},
        {"ISBN", &citation.isbn},
        {"ISSN", &citation.issn},
        {"URL", &citation.url}};
    for (const auto& [variable, value] : variables)
        if (!value->empty()) item[variable] = *value;
    if (!citation.subjects.empty())
        item["keyword"] = fmt::format("{}", fmt::join(citation.subjects, ", "));
    item["accessed"] = csl_day(seen_day(citation));
    item[facts.captured ? "archive" : "source"] = facts.repository;
    if (facts.captured) {
        item["archive_location"] = citation.url;
        item["note"] = note_of(citation);
    }
    return Json::array({item}).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

const CitationFile* find_citation_file(std::string_view name) {
    const auto* const found =
        std::find_if(std::begin(kCitationFiles), std::end(kCitationFiles),
                     [&](const CitationFile& file) { return file.name == name; });
    return found == std::end(kCitationFiles) ? nullptr : found;
}

std::string citation_file(const CitationFile& file, const Citation& citation,
                          const Language& language) {
    if (file.name == "ris") return citation_ris(citation);
    if (file.name == "bibtex") return citation_bibtex(citation);
    if (file.name == "csl") return citation_csl(citation);
    return plain_text(file.name == "apa" ? citation_apa(citation) : citation_iso690(citation),
                      language) +
           "\n";
}

}  // namespace oai
