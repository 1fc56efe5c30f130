// SPDX-License-Identifier: MIT
#include "protocol/arguments.h"

#include <fmt/format.h>
#include <libxml/uri.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.h"
#include "protocol/identifier.h"
#include "xml/handle.h"

namespace oai {
namespace {

enum class Use { no, optional, required, exclusive };
constexpr auto no = Use::no;
constexpr auto opt = Use::optional;
constexpr auto req = Use::required;
constexpr auto excl = Use::exclusive;
constexpr std::size_t kColumns = 6;

struct Row {
    Verb verb;
    std::array<Use, kColumns> use;
    std::string_view name = verb_name(verb);
};

// The arguments of each verb (OAI-PMH 2.0, chapter 4).
// clang-format off
constexpr std::array<Row, kVerbNames.size()> kArgumentsOfVerbs = {{
    //                             identifier  metadataPrefix  from  until  set  resumptionToken
    {Verb::identify,              {no,         no,             no,   no,    no,  no}},
    {Verb::list_metadata_formats, {opt,        no,             no,   no,    no,  no}},
    {Verb::list_sets,             {no,         no,             no,   no,    no,  excl}},
    {Verb::get_record,            {req,        req,            no,   no,    no,  no}},
    {Verb::list_identifiers,      {no,         req,            opt,  opt,   opt, excl}},
    {Verb::list_records,          {no,         req,            opt,  opt,   opt, excl}},
}};
// clang-format on
static_assert(std::ranges::all_of(kArgumentsOfVerbs, [](const Row& row) {
    return &row == &kArgumentsOfVerbs[static_cast<std::size_t>(row.verb)];
}));

constexpr std::size_t kMaxValueBytes = 4096;
constexpr std::size_t kMaxSetBytes = 1024;
constexpr std::size_t kMaxPrefixBytes = 255;  // the limit of the resumptionToken's format
constexpr std::size_t kMaxMisplaced = 8;      // reported separately; a request may have thousands

using MaybeError = std::optional<OaiError>;

OaiError bad_argument(std::string_view kind, std::vector<std::string> values, std::string message) {
    return {ErrorCode::bad_argument, std::move(message), kind, std::move(values)};
}
OaiError bad_verb(std::string_view kind, std::vector<std::string> values, std::string message) {
    return {ErrorCode::bad_verb, std::move(message), kind, std::move(values)};
}
OaiError bad_token(std::string_view kind, std::string_view what) {
    return {ErrorCode::bad_resumption_token,
            fmt::format("resumptionToken: {}: begin the list anew without it", what), kind};
}

// Quotes client input for a message, shortened and on one line.
std::string in_quotes(std::string_view bytes) {
    constexpr std::size_t kMaxBytes = 60;
    std::string excerpt = text::to_xml_text(bytes.substr(0, kMaxBytes + 4));
    std::replace_if(
        excerpt.begin(), excerpt.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; },
        ' ');
    return fmt::format("\"{}\"{}", text::utf8_prefix(excerpt, kMaxBytes),
                       excerpt.size() > kMaxBytes ? "..." : "");
}

// "a, b, c": the names of the rows or columns whose index satisfies the predicate.
template <typename Table, typename Predicate>
std::string names(const Table& table, Predicate predicate) {
    std::string out;
    for (std::size_t i = 0; i < table.size(); ++i)
        if (predicate(i)) out.append(out.empty() ? "" : ", ").append(table[i].name);
    return out;
}

MaybeError check_identifier(const std::string& value, const ArgumentPolicy&, Arguments& to) {
    to.identifier = value;
    return std::nullopt;
}

MaybeError check_prefix(const std::string& value, const ArgumentPolicy&, Arguments& to) {
    if (!is_metadata_prefix(value) || value.size() > kMaxPrefixBytes) {
        return bad_argument(
            "prefix", {in_quotes(value)},
            fmt::format("metadataPrefix: {} cannot be one: use at most {} of A-Z a-z 0-9 -_.!~*'()",
                        in_quotes(value), kMaxPrefixBytes));
    }
    to.metadata_prefix = value;
    return std::nullopt;
}

template <std::optional<Datestamp> Arguments::*bound>
MaybeError check_date(const std::string& value, const ArgumentPolicy&, Arguments& to) {
    to.*bound = parse_datestamp(value);
    if (to.*bound) return std::nullopt;
    const char* name = bound == &Arguments::from ? "from" : "until";
    return bad_argument("date", {name, in_quotes(value)},
                        fmt::format("{}: {} is not a date: use YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ",
                                    name, in_quotes(value)));
}

MaybeError check_set(const std::string& value, const ArgumentPolicy&, Arguments& to) {
    if (!is_set_spec(value) || value.size() > kMaxSetBytes) {
        return bad_argument(
            "set", {in_quotes(value)},
            fmt::format(
                "set: {} is not a setSpec: use at most {} of A-Z a-z 0-9 -_.!~*'() in parts "
                "joined by ':', as ListSets gives them",
                in_quotes(value), kMaxSetBytes));
    }
    to.set = value;
    return std::nullopt;
}

// Whether the fields are plausible. A token that we issued always is, but it is client input and
// checked like any other.
bool is_consistent(const ResumptionToken& token) {
    const bool of_records = token.verb != Verb::list_sets;
    return token.after >= 0 && token.upto >= 0 && token.reach >= 0 && token.cursor >= 0 &&
           token.size >= -1 &&
           (of_records ? is_metadata_prefix(token.metadata_prefix)
                       : token.metadata_prefix.empty()) &&
           (token.set.empty() || (of_records && is_set_spec(token.set)));
}

MaybeError check_token(const std::string& value, const ArgumentPolicy& policy, Arguments& to) {
    auto token = policy.sealer->open(value);
    if (!token || !is_consistent(*token))
        return bad_token("foreign", "not issued by this repository, or altered on its way");
    if (token->verb != to.verb) {
        return bad_token("verb", fmt::format("issued for {}, not for {}", verb_name(token->verb),
                                             verb_name(to.verb)));
    }
    if (token->issued <= policy.now - std::chrono::seconds{policy.token_lifetime_seconds}) {
        return bad_token(
            "expired", fmt::format("issued at {}, expired after {} seconds",
                                   print_datestamp(token->issued), policy.token_lifetime_seconds));
    }
    to.token = std::move(token);
    return std::nullopt;
}

// A column of kArgumentsOfVerbs: an argument, and the function that checks and stores its value.
struct Column {
    std::string_view name;
    MaybeError (*check)(const std::string& value, const ArgumentPolicy&, Arguments& to);
};
constexpr std::array<Column, kColumns> kArguments = {{
    {"identifier", check_identifier},
    {"metadataPrefix", check_prefix},
    {"from", check_date<&Arguments::from>},
    {"until", check_date<&Arguments::until>},
    {"set", check_set},
    {"resumptionToken", check_token},
}};

const Row& row_of(Verb verb) { return kArgumentsOfVerbs[static_cast<std::size_t>(verb)]; }

struct Occurrences {
    int count = 0;
    const std::string* value = nullptr;  // the first one
};
using ArgumentOccurrences = std::array<Occurrences, kColumns>;

std::string accepted_arguments(const Row& row) {
    const std::string accepted = names(kArguments, [&](std::size_t i) { return row.use[i] != no; });
    return accepted.empty() ? "no argument" : accepted;
}

// Returns the row of the verb, or nullptr after adding a badVerb.
const Row* check_verb(const Request& request, OaiErrors& errors) {
    Occurrences verbs;
    for (const Argument& argument : request.arguments)
        if (argument.name == "verb" && verbs.count++ == 0) verbs.value = &argument.value;
    const std::string right =
        "use one of " + names(kArgumentsOfVerbs, [](std::size_t) { return true; });
    if (verbs.count > 1) {
        errors.push_back(bad_verb("repeated", {},
                                  fmt::format("verb: given {} times: give it once", verbs.count)));
    } else if (verbs.count == 0 || verbs.value->empty()) {
        errors.push_back(bad_verb("missing", {}, "verb: missing: " + right));
    } else {
        if (const auto verb = find_verb(*verbs.value)) return &row_of(*verb);
        errors.push_back(bad_verb("unknown", {in_quotes(*verbs.value)},
                                  fmt::format("verb: {} is not a verb: {} (case matters)",
                                              in_quotes(*verbs.value), right)));
    }
    return nullptr;
}

// Returns kColumns if there is no argument of that name.
std::size_t column_of(std::string_view name) {
    std::size_t column = 0;
    while (column < kColumns && kArguments[column].name != name) ++column;
    return column;
}

// Sorts the arguments by column. Adds a badArgument for each name that the verb does not take.
ArgumentOccurrences sort_arguments(const Request& request, const Row& row, OaiErrors& errors) {
    ArgumentOccurrences all;
    std::vector<std::string_view> misplaced;
    std::size_t more = 0;
    for (const auto& [name, value] : request.arguments) {
        if (name == "verb") continue;
        const std::size_t column = column_of(name);
        if (column < kColumns && row.use[column] != no) {
            if (all[column].count++ == 0) all[column].value = &value;
        } else if (std::find(misplaced.begin(), misplaced.end(), name) != misplaced.end()) {
            continue;
        } else if (misplaced.size() == kMaxMisplaced) {
            ++more;
        } else {
            misplaced.push_back(name);
        }
    }
    for (const std::string_view name : misplaced) {
        errors.push_back(
            bad_argument("unknown", {in_quotes(name), std::string(row.name)},
                         fmt::format("{}: not an argument of {}, which takes {}", in_quotes(name),
                                     row.name, accepted_arguments(row))));
    }
    if (more > 0)
        errors.push_back(
            bad_argument("more", {std::to_string(more), std::string(row.name)},
                         fmt::format("{} more arguments that {} does not take", more, row.name)));
    return all;
}

MaybeError check_value(const Column& column, const Occurrences& occurrences, bool well_encoded,
                       const ArgumentPolicy& policy, Arguments& to) {
    const auto bad = [&](std::string_view kind, const std::string& what) {
        return bad_argument(kind, {std::string(column.name)},
                            fmt::format("{}: {}", column.name, what));
    };
    const std::string& value = *occurrences.value;
    if (occurrences.count > 1)
        return bad("repeated", fmt::format("given {} times: give it once", occurrences.count));
    if (value.empty()) return bad("empty", "empty: give it a value or leave it out");
    // A resumptionToken may have any length, since only its seal matters.
    if (value.size() > kMaxValueBytes && column.check != check_token)
        return bad("long",
                   fmt::format("{} bytes long: use at most {}", value.size(), kMaxValueBytes));
    // split_arguments() left a broken value undecoded, so decoding it here fails again.
    if (!well_encoded && !text::percent_decode(value))
        return bad("encoding",
                   "has a % without two hexadecimal digits after it: write % itself as %25");
    if (!text::is_xml_text(value))
        return bad("encoding", "has bytes that are not UTF-8, or characters that XML forbids");
    return column.check(value, policy, to);
}

void check_arguments(const ArgumentOccurrences& all, const Row& row, const Request& request,
                     const ArgumentPolicy& policy, ParsedArguments& parsed) {
    const auto is_given = [&](std::size_t i) { return all[i].count > 0; };
    // Whether there is an exclusive argument, so that the others are forbidden.
    bool is_exclusive = false;
    for (std::size_t i = 0; i < kColumns; ++i)
        is_exclusive = is_exclusive || (row.use[i] == excl && is_given(i));
    for (std::size_t i = 0; i < kColumns; ++i) {
        if (is_given(i) && (!is_exclusive || row.use[i] == excl)) {
            auto error =
                check_value(kArguments[i], all[i], request.well_encoded, policy, parsed.arguments);
            if (error) parsed.errors.push_back(*std::move(error));
        } else if (!is_given(i) && row.use[i] == req && !is_exclusive) {
            parsed.errors.push_back(bad_argument(
                "missing", {std::string(kArguments[i].name), std::string(row.name)},
                fmt::format("{}: missing: {} requires it", kArguments[i].name, row.name)));
        }
    }
    const std::string companions = names(kArguments, [&](std::size_t i) {
        return is_exclusive && is_given(i) && row.use[i] != excl;
    });
    if (!companions.empty()) {
        parsed.errors.push_back(bad_argument(
            "alone", {companions},
            fmt::format("resumptionToken: excludes every other argument but verb: leave out {}",
                        companions)));
    }
}

void check_range(const Arguments& arguments, OaiErrors& errors) {
    const auto& from = arguments.from;
    const auto& until = arguments.until;
    if (!from || !until) return;
    if (from->granularity != until->granularity) {
        errors.push_back(bad_argument(
            "granularity", {},
            "from: not of the same granularity as until: write both as YYYY-MM-DD or both as "
            "YYYY-MM-DDThh:mm:ssZ"));
    } else if (from->first > until->first) {
        errors.push_back(bad_argument(
            "order", {print_datestamp(from->first), print_datestamp(until->last())},
            fmt::format("from: {} is later than until, which is {}: it must not be",
                        print_datestamp(from->first), print_datestamp(until->last()))));
    }
}

// The schema of OAI-PMH requires an anyURI as identifier, and the response must be valid even if
// the requested identifier is not one. The checks of all other arguments are as strict as the
// schema.
bool is_valid_attribute(const Argument& argument) {
    return argument.name != "identifier" || xml::is_any_uri(argument.value);
}

}  // namespace

ParsedArguments parse_arguments(const Request& request, const ArgumentPolicy& policy) {
    ParsedArguments parsed;
    const Row* row = check_verb(request, parsed.errors);
    if (row == nullptr) return parsed;
    parsed.verb = row->verb;
    parsed.arguments.verb = row->verb;
    const ArgumentOccurrences all = sort_arguments(request, *row, parsed.errors);
    check_arguments(all, *row, request, policy, parsed);
    check_range(parsed.arguments, parsed.errors);
    const bool may_echo =
        std::none_of(parsed.errors.begin(), parsed.errors.end(),
                     [](const OaiError& e) { return e.code == ErrorCode::bad_argument; });
    if (may_echo) {
        std::copy_if(request.arguments.begin(), request.arguments.end(),
                     std::back_inserter(parsed.echo), is_valid_attribute);
    }
    return parsed;
}

}  // namespace oai

namespace oai::xml {
bool is_any_uri(std::string_view text) {
    // The reserved ASCII characters, % and white space, which are not escaped first.
    constexpr std::string_view kKept = " \t\r\n!#$%&'()*+,/:;=?@[]";
    const std::string escaped = text::percent_encode(text, kKept);
    return UriHandle(xmlParseURI(escaped.c_str())) != nullptr;
}

}  // namespace oai::xml
