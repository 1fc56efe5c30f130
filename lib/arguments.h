// SPDX-License-Identifier: MIT
// The verb x argument table of OAI-PMH 2.0, chapter 4, and what it makes of a Request: typed Arguments, or every
// fault of the request at once. Pure: what only the database knows (unknown set, identifier, prefix) is judged later.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datestamp.h"
#include "error.h"
#include "request.h"
#include "token.h"

namespace oai {

enum class Verb { identify, list_metadata_formats, list_sets, get_record, list_identifiers, list_records };

std::string_view verb_name(Verb verb);                       // "GetRecord"
std::optional<Verb> find_verb(std::string_view exact_name);  // case matters

struct Arguments {
    Verb verb = Verb::identify;
    std::optional<std::string> identifier;
    std::optional<std::string> metadata_prefix;
    std::optional<std::string> set;  // well-formed
    std::optional<Datestamp> from;
    std::optional<Datestamp> until;
    std::optional<Token> token;  // opened, of this verb, not expired
};

struct ParsedArguments {
    std::optional<Verb> verb;  // unset: badVerb
    Arguments arguments;       // complete if errors is empty
    OaiErrors errors;
    // What <request> echoes as attributes, in the order given: empty if any error is badVerb or badArgument (3.6).
    std::vector<Argument> echo;
};

struct ArgumentPolicy {
    const TokenSealer* sealer;
    Seconds now;
    int token_lifetime_seconds;
};

// Rules (OAI-PMH 2.0, 3.2, 3.3, 3.6, 4; design decisions in the README's protocol section):
//  verb missing, unknown, repeated: badVerb (then nothing else is judged). Unknown, repeated, missing or misplaced
//  argument: badArgument, one error each. resumptionToken is exclusive. A value that is not XML text (NUL, broken
//  UTF-8, broken %HH), an empty value, or one longer than 4,096 bytes: badArgument. from/until: form, real date,
//  same granularity, from <= until. set: is_set_spec, at most 1,024 bytes. identifier: any non-empty text; metadataPrefix:
//  [A-Za-z0-9-_.!~*'()]+, at most 255 bytes. Token: sealed by us, same verb, younger than its lifetime, else
//  badResumptionToken. One issued in the future is ours all the same: by a host whose clock is, or was, ahead.
// How faults are counted: each argument name gives at most one, the first that applies: not of this verb, repeated,
//  value. Beside resumptionToken all other arguments of the verb together are one badArgument and are neither judged
//  further nor missed; the token is judged all the same. More than 8 names that the verb does not take: one error for
//  each of the first 8 and one for the rest. from against until (granularity, then order) is judged when both are sound.
// Messages say which argument, what is wrong and what is right; they quote at most 60 bytes of a value and are XML text.
ParsedArguments parse_arguments(const Request& request, const ArgumentPolicy& policy);

}  // namespace oai
