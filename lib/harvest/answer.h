// SPDX-License-Identifier: MIT
// The answer of a repository, out of the bytes of one HTTP body. Takes it as it means it: any content type, any prefix,
// a wrong namespace, forbidden characters repaired; but it is well-formed, whole, and OAI-PMH, or it is none.
// OAI-PMH 2.0, 3.2 (response format), 3.6 (errors). Pure; thread-safe after xml::initialise().
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harvest/sink.h"

namespace oai::harvest {

struct OaiError {
    std::string code, message;
};

struct Answer {
    std::string response_date;
    std::vector<OaiError> errors;
    std::string verb;             // the element beside <request>; "" if there are errors alone
    std::vector<Record> records;  // of ListRecords and GetRecord; of ListIdentifiers the headers
    int nameless = 0;             // records without an identifier, which are not among them
    std::string token;            // "" no more pages
    std::optional<std::int64_t> list_size;
    Identity identity;
    std::vector<SetInfo> sets;
    std::vector<FormatInfo> formats;
    std::int64_t repaired = 0;    // characters
};

// Throws xml::Error, one line that says what is wrong with it.
Answer read_answer(std::string_view bytes);

}  // namespace oai::harvest
