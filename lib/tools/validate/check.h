// SPDX-License-Identifier: MIT
// The conformance test of OAI-PMH 2.0: a table of checks. A rule judges each answer by itself; a
// check that needs several requests sends them itself. A repository may change during the test: a
// finding that rests on a comparison names the answers that were compared, and is confirmed only if
// the repository gives them again unchanged.
#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tools/validate/session.h"

namespace oai::validate {

// What a check rests on: a sentence of OAI-PMH 2.0 (document version of 2015-01-08), with its place
// and its force, or one of HTTP; what registration at openarchives.org asks besides; or our advice.
// The table is the file demands.txt, carried in the program. Plain values.

enum class Severity {
    must,    // to violate it is an error
    should,  // a warning
    advice,  // a note: harvesters are better off with it, and nothing demands it
};

struct Demand {
    std::string_view name;      // "set-named", by which a check refers to it
    std::string_view document;  // "OAI-PMH 2.0", or another
    std::string_view section;   // of OAI-PMH: "3.2"; "" of another document
    std::string_view place;     // in it: "paragraph 2, third rule of request"; may be ""
    Severity severity;
    // The decisive clause, quoted from OAI-PMH or HTTP, or a paraphrase of other documents.
    std::string_view words;
    // For the manager of a repository that violates it.
    std::string_view harm;    // which harvesters it hurts, and how
    std::string_view advice;  // how to mend it
};

// All of demands.txt, in its order; defined by what lib/tools/validate/embed generates.
std::span<const Demand> demands();
// The demand with this name; aborts if there is none.
const Demand& demand(std::string_view name);

// "OAI-PMH 2.0, 3.2, paragraph 2"
std::string print_place(const Demand& demand);

// Orders demands as demands.txt has them, where those that share a harm stand together.
inline bool comes_before(const Demand& a, const Demand& b) { return &a < &b; }

// An earlier answer that a finding was compared with. It must be the same later.
struct Evidence {
    Question question;   // is sent again
    const Answer* said;  // the earlier answer
    // of the record that must be unchanged; "": the whole response must be
    std::string identifier{};
};

// The result of a check or a rule.
struct Finding {
    enum class Kind { fine, wrong, skipped };
    Kind kind = Kind::fine;
    std::string why{};               // what is wrong, or why it could not be judged
    const Answer* answer = nullptr;  // the answer at fault, if wrong
    std::string excerpt{};           // of that answer; may be ""
    // if wrong: what was compared, earlier answers or `answer` itself
    std::vector<Evidence> evidence{};

    // Adds evidence to a wrong finding.
    Finding against(const Answer& other) &&;
    Finding against(const Walk& walk) &&;                              // all of its pages
    Finding against(const Session& session, const Record& record) &&;  // the page with the record
};

Finding fine();
Finding skipped(std::string why);
Finding wrong(std::string why, const Answer& answer, std::string excerpt = "");

// What a rule knows besides the answer.
struct Facts {
    std::string base_url;
    std::string granularity;  // "" if unknown
    std::string deleted_record;
    Seconds now;
    std::string identified_url{};  // baseURL of Identify; "" if unknown
};

// A check as checks.txt has it.
struct CheckText {
    std::string_view group, id, demand, title;
    // Of those that send one request and expect an error; of others both "".
    std::string_view request, codes;
    bool refusable = false;
};
// All of checks.txt, in its order; defined by what lib/tools/validate/embed generates.
std::span<const CheckText> check_texts();

// The implementation of a check, by its id. Declared in the table of a file of checks.
struct CheckFunction {
    using Run = Finding (*)(Session&);
    using Rule = Finding (*)(const Answer&, const Facts&);
    CheckFunction(std::string_view name, Run check) : id(name), run(check) {}
    CheckFunction(std::string_view name, Rule check) : id(name), rule(check) {}
    std::string_view id;
    Run run = nullptr;  // either run or rule is set
    Rule rule = nullptr;
};

struct Check {
    std::string_view id;                   // "token.cursor", stable
    std::string_view title;                // what is true of a conforming repository
    const Demand& demand;                  // what the check rests on
    std::function<Finding(Session&)> run;  // either run or rule is set
    CheckFunction::Rule rule = nullptr;
};

// In the order in which they are run. Rules come last: they judge all answers.
struct Group {
    std::string_view name;
    std::vector<Check> checks{};
};
std::span<const Group> groups();

enum class Verdict { pass, note, warn, fail, skip };

struct Outcome {
    const Group* group;
    const Check* check;
    Verdict verdict;
    std::string why{};      // "" if passed
    std::string request{};  // if failed, warned or noted
    std::string excerpt{};
};
// Whether it is a note, a warning or a failure.
bool is_finding(const Outcome& outcome);

// Whether `only` is empty or names the check, by its id or by the part before a dot ("token").
bool is_chosen(const Check& check, const std::vector<std::string>& only);

// Runs the chosen checks, or all if `only` is empty. Calls `done` for each outcome at once. A check
// whose evidence has changed is repeated, twice at most, and then skipped; so is a check for which
// the limits of the session leave no time.
std::vector<Outcome> run_checks(Session& session, const std::vector<std::string>& only,
                                const std::function<void(const Outcome&)>& done = {});

Verdict verdict_of(Severity severity);

// The tables of checks, each in a file of its own.
std::span<const CheckFunction> identify_checks();
std::span<const CheckFunction> record_checks();
std::span<const CheckFunction> request_checks();
std::span<const CheckFunction> response_checks();
std::span<const CheckFunction> token_checks();
// Sends the request of a check that has one, and expects the error (check_requests.cpp).
Finding request_refused(Session& session, const CheckText& check);

// Thrown by a check that cannot be judged, with the reason.
class Skip : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Helpers that several tables of checks share.

Finding not_applicable();  // returned by a rule that does not apply to the answer

// A rule about answers of one kind: `judge` returns what is wrong, or "".
std::string start_of(const Answer& answer);  // of the body
template <auto applies, auto judge>
Finding rule_about(const Answer& answer, const Facts& facts) {
    if (!applies(answer)) return not_applicable();
    std::string why = judge(answer, facts);
    return why.empty() ? fine() : wrong(std::move(why), answer, start_of(answer));
}

// The first finding that is wrong among those of all that the range has; fine if one of them is;
// else skipped for this reason.
template <class Range, class Judge>
Finding judge_all(const Range& range, std::string why_skipped, const Judge& judge) {
    Finding found = skipped(std::move(why_skipped));
    for (const auto& each : range) {
        Finding here = judge(each);
        if (here.kind == Finding::Kind::wrong) return here;
        if (here.kind == Finding::Kind::fine) found = fine();
    }
    return found;
}

// Why the answer cannot be judged at all ("HTTP status 500"); "" if it can.
std::string why_unusable(const Answer& answer);
// The answer. Throws, which ends the check with a finding, if it cannot be judged.
const Answer& usable(const Answer& answer);

// The session's record that is not deleted. Throws Skip if there is none.
const Record& live_record(Session& session);

// Fine if the answer is a response with one of these error codes.
using ErrorCodes = std::vector<std::string_view>;
Finding expect_error(const Answer& answer, const ErrorCodes& codes);
Finding expect_error(Session& session, const std::string& arguments, const ErrorCodes& codes);

// The same of a question that is refusable: HTTP may refuse it.
bool is_refused_by_http(const Answer& answer);
Finding expect_refusal(const Answer& answer, const ErrorCodes& codes);

// Fine if errors, records, sets and formats are the same. Otherwise `wanted` is evidence.
Finding expect_same(const Answer& wanted, const Answer& answer, const std::string& what);
// Sends both questions, in this order.
Finding expect_same(Session& session, const Question& wanted, const Question& question,
                    const std::string& what);
// Whether the later answer has the same record.
bool has_same_record(const Answer& then, const Answer& now, std::string_view identifier);

const Record* record_of(const Answer& answer,
                        std::string_view identifier);  // nullptr if it is not there
std::string get_record(
    const Session& session,
    std::string_view identifier);  // arguments of GetRecord in the format of the scope

// The format with this prefix; nullptr if there is none.
const Format* find_format(const std::vector<Format>& formats, std::string_view prefix);
// Whether the metadata declare the namespace. The root of EDM is rdf:RDF; only elements below it
// are in the namespace of the format.
bool uses_namespace(const Payload& metadata, std::string_view name_space);

// The decoded value of the first argument with this name in the answer's question; "" if none.
std::string argument_of(const Answer& answer, std::string_view name);
bool is_list(const Answer& answer);  // ListIdentifiers or ListRecords
// Whether one of the sets is this one or below it.
bool is_within(const std::vector<std::string>& sets, const std::string& set);

}  // namespace oai::validate
