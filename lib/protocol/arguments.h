// SPDX-License-Identifier: MIT
// Validates a Request by the table of verbs and arguments in OAI-PMH 2.0, chapter 4. The result is
// either typed Arguments or all errors of the request. Pure: what only the database knows (whether
// a set, an identifier or a metadataPrefix exists) is checked later.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/error.h"
#include "protocol/record.h"
#include "protocol/resumption_token.h"
#include "protocol/verbs.h"
#include "web/request.h"

namespace oai {

struct Arguments {
    Verb verb = Verb::identify;
    std::optional<std::string> identifier;
    std::optional<std::string> metadata_prefix;
    std::optional<std::string> set;  // a valid setSpec
    std::optional<Datestamp> from;
    std::optional<Datestamp> until;
    std::optional<ResumptionToken> token;  // valid, of this verb, not expired
};

struct ParsedArguments {
    std::optional<Verb> verb;  // unset if there is a badVerb
    Arguments arguments;       // complete if there are no errors
    OaiErrors errors;
    // The attributes of <request>, in the order of the request. Empty if there is a badVerb or
    // badArgument (3.6). An identifier that is no anyURI is left out, as the schema forbids it.
    std::vector<Argument> echo;
};

struct ArgumentPolicy {
    const TokenSealer* sealer;
    Seconds now;
    int token_lifetime_seconds;
};

// The rules (OAI-PMH 2.0, 3.2, 3.3, 3.6 and 4):
// - A missing, unknown or repeated verb is a badVerb, and nothing else is checked.
// - A missing or repeated argument, one that the verb does not accept, or a bad value is a
//   badArgument, one for each name; after 8 names that the verb does not accept, the others
//   together give one.
// - from and until must be valid datestamps of the same granularity, with from <= until.
// - A resumptionToken must be issued by this repository for the same verb and not be expired, else
//   it is a badResumptionToken. One that was issued in the future is accepted: it comes from a host
//   whose clock is, or was, ahead. It excludes all other arguments, which together give one
//   badArgument.
// Each message names the argument, what is wrong and what would be right. Messages quote at most 60
// bytes of a value and are XML text.
ParsedArguments parse_arguments(const Request& request, const ArgumentPolicy& policy);

}  // namespace oai

namespace oai::xml {

// The type anyURI of XML Schema (part 2, 3.2.17). Pure; thread-safe.

// Whether validators accept the text as an anyURI: it must be a URI reference (RFC 3986) after all
// non-ASCII characters, and those that XLink allows unescaped, have been percent-encoded. White
// space is not accepted, although some validators do. REQUIRES: no NUL.
bool is_any_uri(std::string_view text);

}  // namespace oai::xml
