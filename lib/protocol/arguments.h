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
    // badArgument (3.6). Does not contain an identifier that is not an anyURI, which the schema
    // forbids.
    std::vector<Argument> echo;
};

struct ArgumentPolicy {
    const TokenSealer* sealer;
    Seconds now;
    int token_lifetime_seconds;
};

// The rules (OAI-PMH 2.0, 3.2, 3.3, 3.6 and 4):
// - A missing, unknown or repeated verb is a badVerb, and nothing else is checked.
// - A missing or repeated argument, or one that the verb does not take, is a badArgument.
// - A value is a badArgument if it is empty, longer than 4,096 bytes, or not XML text (NUL, broken
//   UTF-8, broken %HH).
// - from and until must be valid datestamps of the same granularity, with from <= until.
// - set must be a setSpec of at most 1,024 bytes; metadataPrefix must match [A-Za-z0-9-_.!~*'()]+
//   and have at most 255 bytes; identifier may be any text.
// - A resumptionToken must be issued by this repository for the same verb and not be expired, else
//   it is a badResumptionToken. One that was issued in the future is accepted: it comes from a host
//   whose clock is, or was, ahead.
//
// How errors are counted:
// - Each argument name gives at most one error, the first that applies of: not of this verb,
//   repeated, bad value.
// - resumptionToken excludes all other arguments. These are then neither checked further nor
//   required, and together give one badArgument; the token is checked nevertheless.
// - If there are more than 8 names that the verb does not take, each of the first 8 gives an error,
//   and all others together give one.
// - from and until are compared only if both are valid.
//
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
