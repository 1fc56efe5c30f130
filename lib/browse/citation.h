// SPDX-License-Identifier: MIT
// What one cites of a record, from its Dublin Core and from what the repository knows of it. Knows
// no format of citations (citation_format.h) and no HTTP. Pure; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "browse/dublin_core.h"

namespace oai {

// What kind of work it is, by which each format has its own word.
enum class Work {
    other,
    page,
    book,
    chapter,
    article,
    conference,
    thesis,
    report,
    journal,
    dataset,
    software,
    image,
    video,
    sound,
    map,
    score
};

// What the repository knows of a record beside its Dublin Core.
struct CitationFacts {
    std::string identifier;  // the OAI identifier
    std::string url;         // the permanent address of the record's page
    std::string repository;  // its name
    std::string kind;        // the column of that name, for works whose dc:type says little; ""
    // Of a capture in a web archive: when it was made, and the address that was captured; "" if
    // the record is none.
    std::optional<Seconds> captured{};
    std::string live_url{};
    std::string replay{};  // where the archive shows it; "" if that is not known
    Seconds viewed{};      // now
};

struct Citation {
    struct Name {
        std::string family, given;  // given: "" if it is no name of a person, or cannot be told
    };
    struct Date {
        int year = 0, month = 0, day = 0;  // month and day: 0 if the record does not say them
    };

    CitationFacts facts;
    Work work = Work::other;
    std::string type;  // the first dc:type, unless it is an address or a URI of "info:"
    // Of a thesis, in English: "Bachelor's thesis", "Master's thesis", "Doctoral dissertation"; ""
    // if its types do not say.
    std::string degree{};
    // Never empty: an address or the identifier stands for a title that the record lacks.
    std::string title;
    std::vector<Name> creators;
    bool more_creators = false;  // there are others, which are not kept
    std::optional<Date> issued;  // nullopt of a capture, whose dc:date is that of capturing
    // The dc:date as it is, if it says more than such a date: "[1923?]", "1998-2001", "1200 BC",
    // which is none.
    std::string issued_words;
    std::string publisher, language, abstract;
    std::string container;  // what an article or chapter is a part of
    std::vector<std::string> subjects;
    std::string doi, isbn, issn;
    // Where to get it: where the archive shows a capture; else the DOI, another web address among
    // the identifiers, or the record's page.
    std::string url;
};

Citation make_citation(const DublinCore& dc, CitationFacts facts);

// The type of schema.org for it, as "Book".
const char* schema_type(Work work);

}  // namespace oai
