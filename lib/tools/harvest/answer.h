// SPDX-License-Identifier: MIT
// Reads an OAI-PMH answer from the bytes of an HTTP body. Tolerant of what repositories get wrong:
// any content type, any namespace prefix, a wrong namespace, forbidden characters (which are
// repaired). But the document must be well-formed, complete, and have the document element OAI-PMH.
// OAI-PMH 2.0, 3.2 (response format), 3.6 (errors). Pure; thread-safe after xml::initialise().
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/harvest/sink.h"

namespace oai::harvest {

struct OaiError {
    std::string code, message;
};

// "badArgument: the message", or the code alone where there is no message.
std::string text_of(const OaiError& error);

struct ParsedAnswer {
    std::string response_date;
    std::vector<OaiError> errors;
    std::string verb;             // name of the element next to <request>; "" if only errors came
    std::vector<Record> records;  // of ListRecords and GetRecord; of ListIdentifiers the headers
    int nameless = 0;   // count of records without an identifier; they are not in `records`
    std::string token;  // resumptionToken; "" if there are no more pages
    std::optional<std::int64_t> list_size;  // completeListSize
    RepositoryIdentity identity;
    std::vector<SetInfo> sets;
    std::vector<FormatInfo> formats;
    std::int64_t repaired = 0;  // number of characters
};

// Throws xml::Error with one line that says what is wrong.
ParsedAnswer read_answer(std::string_view bytes);

}  // namespace oai::harvest
