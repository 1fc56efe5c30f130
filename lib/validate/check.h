// SPDX-License-Identifier: MIT
// The conformance test of OAI-PMH 2.0: a table of checks. A rule is judged by a single answer, and so also where people
// look at one; what takes several requests is a check that asks for itself. A repository lives: where answers are
// compared, a finding names those that it rests on, and stands only if they are given again as they were.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "validate/session.h"

namespace oai::validate {

enum class Severity {
    must,    // the protocol, or registration, demands it
    should,  // the protocol or its guidelines recommend it
    advice,  // harvesters and aggregators are better off with it
};

// Something that was so before the answer at fault was given, and must be so behind it.
struct Evidence {
    Question question;         // that is asked anew
    const Answer* said;        // by what
    std::string identifier{};  // of the record that must stand there as it does in `said`; "": all must
};

// What a check or a rule has found.
struct Finding {
    enum class Kind { fine, wrong, skipped };
    Kind kind = Kind::fine;
    std::string why{};               // wrong: what is; skipped: why it could not be judged
    const Answer* answer = nullptr;  // wrong: where it is seen
    std::string excerpt{};           // of that answer; "" none
    std::vector<Evidence> evidence{};  // wrong: by comparison with these, given before `answer` or it itself

    // For a wrong finding, at its end: each is to be as it was.
    Finding against(const Answer& other) &&;
    Finding against(const Walk& walk) &&;  // each of its pages
    Finding against(const Session& session, const Record& record) &&;  // where it was met
};

Finding fine();
Finding skipped(std::string why);
Finding wrong(std::string why, const Answer& answer, std::string excerpt = "");

// What a rule may know beside the answer.
struct Facts {
    std::string base_url;
    std::string granularity;  // "" not known
    std::string deleted_record;
    Seconds now;
};

struct Check {
    std::string_view id;       // "token.cursor", stable
    std::string_view title;    // what is so where all is well
    std::string_view section;  // who demands it: "3.5", "guidelines", "registration"
    Severity severity;
    Finding (*run)(Session&) = nullptr;  // one of the two
    Finding (*rule)(const Answer&, const Facts&) = nullptr;
};

// By groups, in the order in which they are run: rules look at all answers there were, and come last.
struct Group {
    std::string_view name;
    std::span<const Check> checks;
};
std::span<const Group> groups();

enum class Verdict { pass, warn, fail, skip };

struct Outcome {
    const Group* group;
    const Check* check;
    Verdict verdict;
    std::string why{};      // not of a pass
    std::string request{};  // of warn and fail
    std::string excerpt{};
};

// Whether the id was asked for: itself, or the part before a dot ("token").
bool is_chosen(const Check& check, const std::vector<std::string>& only);

// Runs the chosen checks, all where `only` is empty. `done` is called for each as soon as it is known. A check whose
// evidence has changed is run once more, twice at most, and skipped if that is so each time; so is one that the bounds of
// the session leave no time for.
std::vector<Outcome> run_checks(Session& session, const std::vector<std::string>& only,
                                const std::function<void(const Outcome&)>& done = {});

// What rules find in one answer: wrong ones alone.
struct RuleFinding {
    const Check* rule;
    Finding finding;
};
std::vector<RuleFinding> broken_rules(const Answer& answer, const Facts& facts);

Verdict verdict_of(Severity severity);

// The tables, by the file that has them.
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
