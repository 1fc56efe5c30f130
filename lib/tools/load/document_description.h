// SPDX-License-Identifier: MIT
// What an archived document says of itself: the title, language and description of an HTML page,
// and the title of a PDF. Whatever the document holds, this takes time and memory in proportion to
// the bytes given, and texts are bounded. Pure.
#pragma once

#include <string>
#include <string_view>

namespace oai::load {

// Texts are in UTF-8, each in one line, without control characters and characters that change the
// direction of writing; what is longer than the bound ends in "...", as one character. "": unknown.
struct DocumentDescription {
    static constexpr std::size_t kTitleCharacters = 500, kDescriptionCharacters = 2000;
    std::string title;
    std::string language;  // as in BCP 47, in lower case: "cs", "pt-br"
    std::string description;
};

// How much of a body is looked at, before and after its Content-Encoding is decoded.
constexpr std::size_t kDescribedBytes = std::size_t{64} << 10;

// Whether documents of this type may say something of themselves. media_type: as in capture.h.
bool is_described(std::string_view media_type);

// http_header: from its first line on, or "" if the document was not fetched by HTTP. An answer
// with a status of 300 or more says nothing: "302 Found" is no title of what is at that address.
// body: its beginning, as it was sent. A body whose encoding is damaged or unknown says nothing.
DocumentDescription describe_document(std::string_view media_type, std::string_view http_header,
                                      std::string_view body);

}  // namespace oai::load
