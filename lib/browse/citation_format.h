// SPDX-License-Identifier: MIT
// Writes a citation: as files for programs that manage references, and as text in two styles. Of an
// archived page they name the archive, the moment of the capture and the address that was captured.
// Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "browse/catalogue.h"
#include "browse/citation.h"

namespace oai {

// RIS, one reference: lines "TY  - BOOK" that end in CR LF.
std::string citation_ris(const Citation& citation);
// BibTeX, one entry, in UTF-8; LaTeX's special characters are escaped.
std::string citation_bibtex(const Citation& citation);
// CSL-JSON (citeproc), an array of one item.
std::string citation_csl(const Citation& citation);

// A piece of a citation as text.
struct CitationPiece {
    enum class Kind {
        text,
        title,  // set in italics
        word    // a text of the page's language, with `value` filled in
    };
    Kind kind = Kind::text;
    std::string value;
    std::string_view word{};  // its id (catalogue.h)
};
using CitationText = std::vector<CitationPiece>;

CitationText citation_iso690(const Citation& citation);
CitationText citation_apa(const Citation& citation);  // APA's words are English in every language

// The pieces together, in the language.
std::string plain_text(const CitationText& pieces, const Language& language);

// The formats that are given out as files: https://.../browse/cite/NAME/IDENTIFIER
struct CitationFile {
    std::string_view name;        // "ris"
    std::string_view suffix;      // of the file's name
    std::string_view media_type;  // without a charset
};
inline constexpr CitationFile kCitationFiles[] = {
    {"ris", ".ris", "application/x-research-info-systems"},
    {"bibtex", ".bib", "application/x-bibtex"},
    {"csl", ".json", "application/vnd.citationstyles.csl+json"},
    {"iso690", ".txt", "text/plain"},
    {"apa", ".txt", "text/plain"},
};

// nullptr: there is no format of that name.
const CitationFile* find_citation_file(std::string_view name);
// The content of that file.
std::string citation_file(const CitationFile& file, const Citation& citation,
                          const Language& language);

}  // namespace oai
