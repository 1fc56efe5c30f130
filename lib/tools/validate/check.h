// SPDX-License-Identifier: MIT
// The conformance test of OAI-PMH 2.0: a table of checks. A rule judges a single answer, so `oai
// explore` applies it, too; a check that needs several requests sends them itself. A repository may
// change during the test: a finding that rests on a comparison names the answers that were
// compared, and is confirmed only if the repository gives them again unchanged.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/validate/demand.h"
#include "tools/validate/session.h"

namespace oai::validate {

// An earlier answer that a finding was compared with. It must be the same after the answer at
// fault.
struct Evidence {
    Question question;   // is sent again
    const Answer* said;  // the earlier answer
    // of the record that must be as in `said`; "" if the whole answer must be
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

struct Check {
    std::string_view id;                 // "token.cursor", stable
    std::string_view title;              // what is true of a conforming repository
    const Demand& demand;                // what the check rests on
    Finding (*run)(Session&) = nullptr;  // either run or rule is set
    Finding (*rule)(const Answer&, const Facts&) = nullptr;
};

// In the order in which they are run. Rules come last, since they judge all answers that there
// were.
struct Group {
    std::string_view name;
    std::span<const Check> checks;
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

// The rules that one answer breaks.
struct RuleFinding {
    const Check* rule;
    Finding finding;
};
std::vector<RuleFinding> broken_rules(const Answer& answer, const Facts& facts);

Verdict verdict_of(Severity severity);

// The tables of checks, each in a file of its own.
std::span<const Check> http_rules();
std::span<const Check> http_checks();
std::span<const Check> response_rules();
std::span<const Check> identify_rules();
std::span<const Check> identify_checks();
std::span<const Check> argument_checks();
std::span<const Check> error_checks();
std::span<const Check> format_checks();
std::span<const Check> date_checks();
std::span<const Check> token_checks();
std::span<const Check> set_checks();
std::span<const Check> record_rules();
std::span<const Check> record_checks();

}  // namespace oai::validate
