// SPDX-License-Identifier: MIT
#include "tools/validate/check.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "tools/validate/check_parts.h"

namespace oai::validate {
namespace {

constexpr std::size_t kExcerptBytes = 400;
constexpr std::size_t kRequestBytes = 1000;
constexpr int kMaxAttempts = 3;  // to run a check whose evidence keeps changing

Facts facts_of(Session& session) {
    const Identification& said = session.identification();
    return {session.base_url(), said.granularity, said.deleted_record, session.now(),
            said.base_url};
}

// Applies the rule to all answers so far; returns the first violation. Skipped if the rule applies
// to none of them.
Finding run_rule(const Check& check, Session& session) {
    const Facts facts = facts_of(session);
    Finding found = skipped("no answer was of the kind that this rule is about");
    for (const Answer& answer : session.answers()) {
        Finding here = check.rule(answer, facts);
        if (here.kind == Finding::Kind::wrong) return here;
        if (here.kind == Finding::Kind::fine) found = fine();
    }
    return found;
}

// Makes sure that the rules have at least one answer of each verb, as far as they can be had.
void ask_the_basics(Session& session) {
    const std::function<void()> requests[] = {
        [&] { session.formats(); },
        [&] { session.sets(); },
        [&] { session.headers(); },
        [&] {
            if (const Record* record = session.live_record())
                session.get(get_record(session, record->header.identifier));
        },
        [&] { session.get("verb=NoSuchVerb"); },
    };
    for (const auto& request : requests) {
        try {
            request();
        } catch (const LimitReached&) {
            continue;
        }
    }
}

bool is_unchanged(Session& session, const Evidence& evidence) {
    const Answer& now = session.ask_again(evidence.question);
    return evidence.identifier.empty() ? has_same_content(*evidence.said, now)
                                       : has_same_record(*evidence.said, now, evidence.identifier);
}

// Asks again for what was compared. If all of it is unchanged, there was a moment at which all the
// answers held together: the repository is wrong, and has not merely changed.
bool is_confirmed(Session& session, const Finding& found) {
    return std::all_of(
        found.evidence.begin(), found.evidence.end(),
        [&](const Evidence& e) { return is_unchanged(session, e); });
}

Finding run_comparing(const Check& check, Session& session) {
    for (int i = 0; i < kMaxAttempts; ++i) {
        Finding found = check.run(session);
        if (found.kind != Finding::Kind::wrong || is_confirmed(session, found)) return found;
        session.forget();
    }
    return skipped("the records that it compares changed during each attempt");
}

Finding run_one(const Check& check, Session& session) {
    try {
        if (check.rule == nullptr) return run_comparing(check, session);
        ask_the_basics(session);
        return run_rule(check, session);
    } catch (const LimitReached& e) {
        return skipped(e.what());
    }
}

// A long request is shortened.
std::string abridged(const std::string& request) {
    if (request.size() <= kRequestBytes) return request;
    return std::string(text::utf8_prefix(request, kRequestBytes)) + "... (" +
           std::to_string(request.size()) + " bytes)";
}

Outcome outcome_of(const Group& group, const Check& check, Finding found, const Session& session) {
    Outcome outcome{
        .group = &group, .check = &check, .verdict = Verdict::pass, .why = std::move(found.why)};
    if (found.kind == Finding::Kind::skipped) outcome.verdict = Verdict::skip;
    if (found.kind != Finding::Kind::wrong) return outcome;
    outcome.verdict = verdict_of(check.demand.severity);
    outcome.request = abridged(session.print(found.answer->question));
    outcome.excerpt = text::utf8_prefix(text::to_xml_text(found.excerpt), kExcerptBytes);
    return outcome;
}

}  // namespace

Finding fine() { return {}; }
Finding skipped(std::string why) { return {.kind = Finding::Kind::skipped, .why = std::move(why)}; }
Finding wrong(std::string why, const Answer& answer, std::string excerpt) {
    return {.kind = Finding::Kind::wrong,
            .why = std::move(why),
            .answer = &answer,
            .excerpt = std::move(excerpt)};
}

Finding Finding::against(const Answer& other) && {
    evidence.push_back({other.question, &other});
    return std::move(*this);
}

Finding Finding::against(const Walk& walk) && {
    for (const Answer* page : walk.pages) evidence.push_back({page->question, page});
    return std::move(*this);
}

Finding Finding::against(const Session& session, const Record& record) && {
    const Answer& page = session.page_of(record);
    evidence.push_back({page.question, &page, record.header.identifier});
    return std::move(*this);
}

Verdict verdict_of(Severity severity) {
    return severity == Severity::must     ? Verdict::fail
           : severity == Severity::should ? Verdict::warn
                                          : Verdict::note;
}

bool is_finding(const Outcome& outcome) {
    return outcome.verdict != Verdict::pass && outcome.verdict != Verdict::skip;
}

std::span<const Group> groups() {
    static const std::array kGroups{
        Group{"Identify", identify_checks()},
        Group{"Formats", format_checks()},
        Group{"Records", record_checks()},
        Group{"Dates", date_checks()},
        Group{"Tokens", token_checks()},
        Group{"Sets", set_checks()},
        Group{"Arguments", argument_checks()},
        Group{"Errors", error_checks()},
        Group{"HTTP", http_checks()},
        Group{"Every response", response_rules()},
        Group{"Every HTTP response", http_rules()},
        Group{"What Identify says", identify_rules()},
        Group{"Every record", record_rules()},
    };
    return kGroups;
}

bool is_chosen(const Check& check, const std::vector<std::string>& only) {
    return only.empty() ||
           std::any_of(
               only.begin(), only.end(),
               [&](const std::string& id) {
                   return check.id == id ||
                          (check.id.starts_with(id) && check.id.substr(id.size()).starts_with('.'));
               });
}

std::vector<Outcome> run_checks(Session& session, const std::vector<std::string>& only,
                                const std::function<void(const Outcome&)>& done) {
    std::vector<Outcome> outcomes;
    for (const Group& group : groups()) {
        for (const Check& check : group.checks) {
            if (!is_chosen(check, only)) continue;
            outcomes.push_back(outcome_of(group, check, run_one(check, session), session));
            if (done) done(outcomes.back());
        }
    }
    return outcomes;
}

std::vector<RuleFinding> broken_rules(const Answer& answer, const Facts& facts) {
    std::vector<RuleFinding> broken;
    for (const Group& group : groups()) {
        for (const Check& check : group.checks) {
            if (check.rule == nullptr) continue;
            Finding found = check.rule(answer, facts);
            if (found.kind == Finding::Kind::wrong) broken.push_back({&check, std::move(found)});
        }
    }
    return broken;
}

}  // namespace oai::validate
