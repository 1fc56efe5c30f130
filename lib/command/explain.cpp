// SPDX-License-Identifier: MIT
// oai token and oai explain: explain a resumptionToken, or an error by its id or text.
// deploy/manual/symptoms.md has the errors; deploy/embed-symptoms embeds them in the program.
#include <fmt/format.h>

#include "command/command.h"
#include "protocol/arguments.h"
#include "protocol/record.h"
#include "protocol/resumption_token.h"

namespace oai::command {
namespace {

std::string print_optional(const std::optional<Seconds>& time) {
    return time ? print_datestamp(*time) : "none";
}
std::string print_text(const std::string& text) { return text.empty() ? "none" : text; }

void print_token(const ResumptionToken& token, int lifetime_seconds) {
    const Seconds expires = token.issued + std::chrono::seconds{lifetime_seconds};
    fmt::print(
        "verb: {}\nmetadataPrefix: {}\nfrom: {}\nuntil: {}\nset: {}\nafter: {}\nupto: {}\n"
        "reaches: {}, published by {}\ncursor: {}\ncompleteListSize: {}\nissued: {}\n"
        "expires: {}\nexpired: {}\nepoch: {}\n",
        verb_name(token.verb), print_text(token.metadata_prefix), print_optional(token.from),
        print_optional(token.until), print_text(token.set), token.after,
        token.upto == 0 ? "open" : std::to_string(token.upto), token.reach,
        print_datestamp(token.horizon), token.cursor,
        token.size < 0 ? "unknown" : std::to_string(token.size), print_datestamp(token.issued),
        print_datestamp(expires), SystemClock().now() > expires ? "yes" : "no", token.epoch);
}

// The id in the words, or else that of the symptom with the longest text in them.
std::optional<std::string_view> id_of(std::string_view words) {
    for (const SymptomText& known : symptom_texts())
        if (words.find(known.text) != words.npos) return known.id;
    return std::nullopt;
}

}  // namespace

int command_token(const Invocation& invocation) {
    std::string sealed;
    parse(invocation, "Explains a resumptionToken of this repository.",
          {{"token", &sealed, "the resumptionToken", kRequired}});
    const Config config = configuration(invocation);
    const auto token = read_token_sealer(config.token).open(sealed);
    if (!token)
        throw std::runtime_error(
            "token: not sealed by the key of this repository: of another repository, from before a "
            "change of keys, altered, or cut");
    print_token(*token, config.lists.token_lifetime_seconds);
    return kFine;
}

void print_problem(std::string problem, std::string_view otherwise) {
    if (problem.find("[OAI-") == problem.npos)
        problem +=
            fmt::format(" [{}]", id_of(problem).value_or(id_of(otherwise).value_or("OAI-1599")));
    print_problem(problem);
}

int command_explain(const Invocation& invocation) {
    std::string what;
    parse(invocation, "Explains an error: what it means, and what to do.",
          {{"ERROR", &what, "its id, such as OAI-1204, or its text; default: list all"}});
    const auto id = id_of(what);
    if (!what.empty() && !id) throw UsageError("explain: not known; `oai explain` lists what is");
    for (const Symptom& symptom : symptoms())
        if (what.empty())
            fmt::print("{}: {}\n", symptom.id, symptom.seen);
        else if (symptom.id == id)
            fmt::print("{}: {}\nit means: {}\ndo: {}\n", symptom.id, symptom.seen, symptom.meaning,
                       symptom.remedy);
    return kFine;
}

}  // namespace oai::command
