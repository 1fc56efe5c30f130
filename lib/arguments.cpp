// SPDX-License-Identifier: MIT
#include "arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "set_spec.h"

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
    std::string_view name;
    std::array<Use, kColumns> use;
};

// OAI-PMH 2.0, chapter 4: what each verb takes. Everything below follows this table and kArguments.
// clang-format off
constexpr std::array<Row, 6> kVerbs = {{
    //                                                    identifier  metadataPrefix  from  until  set  resumptionToken
    {Verb::identify,              "Identify",            {no,         no,             no,   no,    no,  no}},
    {Verb::list_metadata_formats, "ListMetadataFormats", {opt,        no,             no,   no,    no,  no}},
    {Verb::list_sets,             "ListSets",            {no,         no,             no,   no,    no,  excl}},
    {Verb::get_record,            "GetRecord",           {req,        req,            no,   no,    no,  no}},
    {Verb::list_identifiers,      "ListIdentifiers",     {no,         req,            opt,  opt,   opt, excl}},
    {Verb::list_records,          "ListRecords",         {no,         req,            opt,  opt,   opt, excl}},
}};
// clang-format on

constexpr std::size_t kMostValueBytes = 4096;
constexpr std::size_t kMostSetBytes = 1024;
constexpr std::size_t kMostPrefixBytes = 255;  // what a resumptionToken holds
constexpr std::size_t kMostMisplaced = 8;      // reported one by one: a form may hold thousands

using Verdict = std::optional<OaiError>;  // nullopt: nothing wrong

OaiError bad_argument(std::string message) { return {ErrorCode::bad_argument, std::move(message)}; }
OaiError bad_verb(std::string message) { return {ErrorCode::bad_verb, std::move(message)}; }
OaiError bad_token(std::string_view what) {
    return {ErrorCode::bad_resumption_token,
            fmt::format("resumptionToken: {}: begin the list anew without it", what)};
}

// What a stranger wrote, short and on one line, in quotes.
std::string quoted(std::string_view bytes) {
    constexpr std::size_t kMostBytes = 60;
    std::string shown = text::to_xml_text(bytes.substr(0, kMostBytes + 4));
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    return fmt::format("\"{}\"{}", text::utf8_prefix(shown, kMostBytes),
                       shown.size() > kMostBytes ? "..." : "");
}

// "a, b, c" of the names of those rows or columns that are wanted.
template <typename Table, typename Wanted>
std::string names(const Table& table, Wanted wanted) {
    std::string out;
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (wanted(i)) out.append(out.empty() ? "" : ", ").append(table[i].name);
    }
    return out;
}

Verdict judge_identifier(const std::string& value, const ArgumentPolicy&, Arguments& to) {
    to.identifier = value;
    return std::nullopt;
}

Verdict judge_prefix(const std::string& value, const ArgumentPolicy&, Arguments& to) {
    if (!is_label(value) || value.size() > kMostPrefixBytes) {
        return bad_argument(
            fmt::format("metadataPrefix: {} cannot be one: use at most {} of A-Z a-z 0-9 -_.!~*'()",
                        quoted(value), kMostPrefixBytes));
    }
    to.metadata_prefix = value;
    return std::nullopt;
}

template <std::optional<Datestamp> Arguments::*bound>
Verdict judge_date(const std::string& value, const ArgumentPolicy&, Arguments& to) {
    to.*bound = parse_datestamp(value);
    if (to.*bound) return std::nullopt;
    return bad_argument(fmt::format("{}: {} is not a date: use YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ",
                                    bound == &Arguments::from ? "from" : "until", quoted(value)));
}

Verdict judge_set(const std::string& value, const ArgumentPolicy&, Arguments& to) {
    if (!is_set_spec(value) || value.size() > kMostSetBytes) {
        return bad_argument(
            fmt::format("set: {} is not a setSpec: use at most {} of A-Z a-z 0-9 -_.!~*'() in parts "
                        "joined by ':', as ListSets gives them",
                        quoted(value), kMostSetBytes));
    }
    to.set = value;
    return std::nullopt;
}

// Sealed by us, so only a fault of our own could fail here; but a token is input like any other.
bool is_sound(const Token& token) {
    const bool of_records = token.verb != Verb::list_sets;
    return token.after >= 0 && token.upto >= 0 && token.reach >= 0 && token.cursor >= 0 && token.size >= -1 &&
           (of_records ? is_label(token.metadata_prefix) : token.metadata_prefix.empty()) &&
           (token.set.empty() || (of_records && is_set_spec(token.set)));
}

Verdict judge_token(const std::string& value, const ArgumentPolicy& policy, Arguments& to) {
    auto token = policy.sealer->open(value);
    if (!token || !is_sound(*token)) return bad_token("not issued by this repository, or altered on its way");
    if (token->verb != to.verb) {
        return bad_token(
            fmt::format("issued for {}, not for {}", verb_name(token->verb), verb_name(to.verb)));
    }
    if (token->issued <= policy.now - std::chrono::seconds{policy.token_lifetime_seconds}) {
        return bad_token(fmt::format("issued at {}, expired after {} seconds", print_datestamp(token->issued),
                                     policy.token_lifetime_seconds));
    }
    to.token = std::move(token);
    return std::nullopt;
}

// The columns of kVerbs: an argument and what judges its value; a value that passes goes into Arguments.
struct Column {
    std::string_view name;
    Verdict (*judge)(const std::string& value, const ArgumentPolicy&, Arguments& to);
};
constexpr std::array<Column, kColumns> kArguments = {{
    {"identifier", judge_identifier},
    {"metadataPrefix", judge_prefix},
    {"from", judge_date<&Arguments::from>},
    {"until", judge_date<&Arguments::until>},
    {"set", judge_set},
    {"resumptionToken", judge_token},
}};

const Row& row_of(Verb verb) { return kVerbs[static_cast<std::size_t>(verb)]; }

struct Given {
    int times = 0;
    const std::string* value = nullptr;  // the first one
};
using AllGiven = std::array<Given, kColumns>;

std::string taken_by(const Row& row) {
    const std::string taken = names(kArguments, [&](std::size_t i) { return row.use[i] != no; });
    return taken.empty() ? "no argument" : taken;
}

// The owner of a static repository asks its gateway to begin or to end (Specification for an OAI Static Repository and an OAI
// Static Repository Gateway, 3.3, 3.4). Here that is for the administrator: a server only reads.
bool is_for_gateway(const Argument& argument) { return argument.name == "initiate" || argument.name == "terminate"; }

// Finds the verb's row; says badVerb and gives nothing if there is none.
const Row* judge_verb(const Request& request, OaiErrors& errors) {
    Given given;
    for (const Argument& argument : request.arguments) {
        if (argument.name == "verb" && given.times++ == 0) given.value = &argument.value;
    }
    const std::string right = "use one of " + names(kVerbs, [](std::size_t) { return true; });
    if (given.times > 1) {
        errors.push_back(bad_verb(fmt::format("verb: given {} times: give it once", given.times)));
    } else if (given.times == 0 && std::any_of(request.arguments.begin(), request.arguments.end(), is_for_gateway)) {
        errors.push_back(bad_verb(
            "verb: missing: to initiate or terminate static repositories here, write to the administrator (adminEmail in Identify)"));
    } else if (given.times == 0 || given.value->empty()) {
        errors.push_back(bad_verb("verb: missing: " + right));
    } else {
        if (const auto verb = find_verb(*given.value)) return &row_of(*verb);
        errors.push_back(
            bad_verb(fmt::format("verb: {} is not a verb: {} (case matters)", quoted(*given.value), right)));
    }
    return nullptr;
}

std::size_t column_of(std::string_view name) {  // kColumns: there is none
    std::size_t column = 0;
    while (column < kColumns && kArguments[column].name != name) ++column;
    return column;
}

// Sorts the arguments into columns; says badArgument for each name that the verb does not take.
AllGiven sort_arguments(const Request& request, const Row& row, OaiErrors& errors) {
    AllGiven all;
    std::vector<std::string_view> misplaced;
    std::size_t more = 0;
    for (const auto& [name, value] : request.arguments) {
        if (name == "verb") continue;
        const std::size_t column = column_of(name);
        if (column < kColumns && row.use[column] != no) {
            if (all[column].times++ == 0) all[column].value = &value;
        } else if (std::find(misplaced.begin(), misplaced.end(), name) != misplaced.end()) {
            continue;
        } else if (misplaced.size() == kMostMisplaced) {
            ++more;
        } else {
            misplaced.push_back(name);
        }
    }
    for (const std::string_view name : misplaced) {
        errors.push_back(bad_argument(
            fmt::format("{}: not an argument of {}, which takes {}", quoted(name), row.name, taken_by(row))));
    }
    if (more > 0)
        errors.push_back(
            bad_argument(fmt::format("{} more arguments that {} does not take", more, row.name)));
    return all;
}

Verdict judge_value(const Column& column, const Given& given, bool well_encoded, const ArgumentPolicy& policy,
                    Arguments& to) {
    const auto bad = [&](const std::string& what) {
        return bad_argument(fmt::format("{}: {}", column.name, what));
    };
    const std::string& value = *given.value;
    if (given.times > 1) return bad(fmt::format("given {} times: give it once", given.times));
    if (value.empty()) return bad("empty: give it a value or leave it out");
    if (value.size() > kMostValueBytes) {
        return bad(fmt::format("{} bytes long: use at most {}", value.size(), kMostValueBytes));
    }
    // A broken value was left as it was sent, so that it is found again here.
    if (!well_encoded && !text::percent_decode(value)) {
        return bad("has a % without two hexadecimal digits after it: write % itself as %25");
    }
    if (!text::is_xml_text(value)) return bad("has bytes that are not UTF-8, or characters that XML forbids");
    return column.judge(value, policy, to);
}

void judge_arguments(const AllGiven& all, const Row& row, const Request& request,
                     const ArgumentPolicy& policy, ParsedArguments& parsed) {
    const auto is_given = [&](std::size_t i) { return all[i].times > 0; };
    bool alone = false;  // an exclusive argument is given: the others must not be, and are not judged further
    for (std::size_t i = 0; i < kColumns; ++i) alone = alone || (row.use[i] == excl && is_given(i));
    for (std::size_t i = 0; i < kColumns; ++i) {
        if (is_given(i) && (!alone || row.use[i] == excl)) {
            auto verdict = judge_value(kArguments[i], all[i], request.well_encoded, policy, parsed.arguments);
            if (verdict) parsed.errors.push_back(*std::move(verdict));
        } else if (!is_given(i) && row.use[i] == req && !alone) {
            parsed.errors.push_back(
                bad_argument(fmt::format("{}: missing: {} requires it", kArguments[i].name, row.name)));
        }
    }
    const std::string companions =
        names(kArguments, [&](std::size_t i) { return alone && is_given(i) && row.use[i] != excl; });
    if (!companions.empty()) {
        parsed.errors.push_back(bad_argument(fmt::format(
            "resumptionToken: excludes every other argument but verb: leave out {}", companions)));
    }
}

void judge_range(const Arguments& arguments, OaiErrors& errors) {
    const auto& from = arguments.from;
    const auto& until = arguments.until;
    if (!from || !until) return;
    if (from->granularity != until->granularity) {
        errors.push_back(
            bad_argument("from: not of the same granularity as until: write both as YYYY-MM-DD or both as "
                         "YYYY-MM-DDThh:mm:ssZ"));
    } else if (from->first > until->first) {
        errors.push_back(
            bad_argument(fmt::format("from: {} is later than until, which is {}: it must not be",
                                     print_datestamp(from->first), print_datestamp(until->last()))));
    }
}

}  // namespace

std::string_view verb_name(Verb verb) { return row_of(verb).name; }

std::optional<Verb> find_verb(std::string_view exact_name) {
    for (const Row& row : kVerbs) {
        if (row.name == exact_name) return row.verb;
    }
    return std::nullopt;
}

ParsedArguments parse_arguments(const Request& request, const ArgumentPolicy& policy) {
    ParsedArguments parsed;
    const Row* row = judge_verb(request, parsed.errors);
    if (row == nullptr) return parsed;
    parsed.verb = row->verb;
    parsed.arguments.verb = row->verb;
    const AllGiven all = sort_arguments(request, *row, parsed.errors);
    judge_arguments(all, *row, request, policy, parsed);
    judge_range(parsed.arguments, parsed.errors);
    const bool may_echo = std::none_of(parsed.errors.begin(), parsed.errors.end(),
                                       [](const OaiError& e) { return e.code == ErrorCode::bad_argument; });
    if (may_echo) parsed.echo = request.arguments;
    return parsed;
}

}  // namespace oai
