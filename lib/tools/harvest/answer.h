// SPDX-License-Identifier: MIT
// Reads an OAI-PMH answer from the bytes of an HTTP body. Tolerant of what repositories get wrong:
// any content type, any namespace prefix, a wrong namespace, forbidden characters (which are
// repaired). But the document must be well-formed, complete, and have the document element OAI-PMH,
// or be a static repository: a file with the content of all responses. OAI-PMH 2.0, 3.2 (response
// format), 3.6 (errors). Pure; thread-safe after xml::initialise().
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/harvest/sink.h"
#include "xml/handle.h"

namespace oai::harvest {

// Names and values of a request, unescaped, in the order in which they are sent.
using RequestArguments = std::vector<std::pair<std::string, std::string>>;

struct OaiError {
    std::string code, message;
};

// A <header>, without what stands beside it.
Record read_header(const xmlNode* header);

// "badArgument: the message", or the code alone where there is no message.
std::string text_of(const OaiError& error);

struct ParsedAnswer {
    std::string response_date;
    std::vector<OaiError> errors;
    std::string verb;  // name of the element next to <request>; "" if there are only errors
    std::vector<Record> records;  // of ListRecords and GetRecord; of ListIdentifiers the headers
    // A record without identifier, not in `records`: its datestamp, the previous identifier.
    struct Nameless {
        std::string datestamp, before;
    };
    std::vector<Nameless> nameless;
    std::string token;                      // resumptionToken; "" if there are no more pages
    std::optional<std::int64_t> list_size;  // completeListSize
    RepositoryIdentity identity;
    std::vector<SetInfo> sets;
    std::vector<FormatInfo> formats;
    std::int64_t repaired = 0;  // number of characters

    bool has_error(std::string_view code) const {
        return std::any_of(
            errors.begin(), errors.end(), [&](const OaiError& e) { return e.code == code; });
    }
};

// Throws xml::Error with a message of one line. A static repository is read as its gateway would
// answer this request, at this date (Specification for an OAI Static Repository and an OAI Static
// Repository Gateway, 3.2 and 4.4); without a request it is rejected.
ParsedAnswer read_answer(std::string_view bytes, const RequestArguments& request = {},
                         const std::string& date = "");

// Repairs responses that are not well-formed, as far as simple repairs suffice. Works on bytes,
// before parsing. Pure.

// Removes leading white space and byte order marks, since an XML declaration must come first.
std::string_view skip_lead(std::string_view bytes);

struct RepairResult {
    std::string bytes;
    // Number of repairs: characters, references, trailing text. 0: the bytes are unchanged.
    std::int64_t changes = 0;
};

// Cleans the characters (base/text.h), and references to what those may be (&#1;,
// &#xD83D;&#xDE00;); in a document of another encoding the C0 control characters alone, by
// references. Escapes as &amp; each & that begins none of XML's own references (4.1, 4.6), as in
// a&b or &nbsp;, except in comments and CDATA sections. Drops XML declarations and DOCTYPEs behind
// the first start tag, and what follows the last end tag of OAI-PMH, such as PHP's warnings.
RepairResult repair(std::string bytes);
// The same of a part of a document that has this encoding unless the part declares it.
RepairResult repair_part(std::string bytes, std::string_view encoding);

// Extracts the usable records from a page of ListRecords that cannot be parsed: cuts the text into
// records, parses each, and reads the token. Pure; thread-safe after xml::initialise().

struct SalvagedPage {
    ParsedAnswer answer;  // the records that can be parsed, and the token
    // Identifiers of the other records; those without a readable one are answer.nameless.
    std::vector<std::string> broken;
};

// Returns nullopt if the text is not a page of ListRecords or its end is missing.
std::optional<SalvagedPage> salvage(std::string bytes);

}  // namespace oai::harvest
