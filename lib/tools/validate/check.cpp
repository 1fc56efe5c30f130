// SPDX-License-Identifier: MIT
#include "tools/validate/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "web/request.h"
#include "xml/escape.h"

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

// Applies the rule to all answers so far; the first violation. Skipped if it applies to none.
Finding run_rule(const Check& check, Session& session) {
    const Facts facts = facts_of(session);
    return judge_all(session.answers(), "no answer was of the kind that this rule is about",
                     [&](const Answer& answer) { return check.rule(answer, facts); });
}

// Requests one response of each verb, if possible, so that every rule has something to check.
void request_basics(Session& session) {
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

// A record of ListIdentifiers has no metadata to compare.
bool is_unchanged_record(const Record& then, const Record& now) {
    const bool both = then.metadata && now.metadata;
    return then.header == now.header && (!both || then.metadata->content == now.metadata->content);
}

std::string size_of(const Answer& answer) { return answer.token ? answer.token->size : ""; }
bool has_next_page(const Answer& answer) { return answer.token && !answer.token->value.empty(); }
std::string earliest_of(const Answer& answer) {
    return answer.identification ? answer.identification->earliest : "";
}

// The first difference in content; "" if there is none.
std::string difference(const Answer& wanted, const Answer& answer) {
    if (wanted.error_codes() != answer.error_codes())
        return answer.errors.empty() ? "no error" : answer.error_codes();
    if (!std::ranges::equal(wanted.records, answer.records, {}, &Record::header, &Record::header))
        return "other records";
    if (wanted.formats != answer.formats) return "other formats";
    const bool identified = wanted.identification && answer.identification;
    if (identified && wanted.identification->base_url != answer.identification->base_url)
        return "another baseURL, " + answer.identification->base_url;
    return wanted.verb == answer.verb ? ""
                                      : fmt::format("{} in place of {}", answer.verb, wanted.verb);
}

// Whether the later answer has the same content. Tokens are not compared.
bool has_same_content(const Answer& then, const Answer& now) {
    return why_unusable(then) == why_unusable(now) && difference(then, now).empty() &&
           then.sets == now.sets && size_of(then) == size_of(now) &&
           has_next_page(then) == has_next_page(now) && earliest_of(then) == earliest_of(now) &&
           std::equal(then.records.begin(), then.records.end(), now.records.begin(),
                      now.records.end(), is_unchanged_record);
}

bool is_unchanged(Session& session, const Evidence& evidence) {
    const Answer& now = session.repeat(evidence.question);
    return evidence.identifier.empty() ? has_same_content(*evidence.said, now)
                                       : has_same_record(*evidence.said, now, evidence.identifier);
}

// Repeats the requests whose responses were compared. If all are unchanged, all responses were
// valid at the same moment, so the finding is not caused by a change of the repository.
bool is_confirmed(Session& session, const Finding& found) {
    return std::all_of(
        found.evidence.begin(), found.evidence.end(),
        [&](const Evidence& e) { return is_unchanged(session, e); });
}

// A response that cannot be checked, and why.
struct Unusable {
    std::string why;
    const Answer& answer;
};

Finding run_once(const Check& check, Session& session) {
    try {
        return check.run(session);
    } catch (const Skip& skip) {
        return skipped(skip.what());
    } catch (const Unusable& unusable) {
        return wrong(unusable.why, unusable.answer);
    }
}

Finding run_comparing(const Check& check, Session& session) {
    for (int i = 0; i < kMaxAttempts; ++i) {
        Finding found = run_once(check, session);
        if (found.kind != Finding::Kind::wrong || is_confirmed(session, found)) return found;
        session.forget();
    }
    return skipped("the records that it compares changed during each attempt");
}

Finding run_one(const Check& check, Session& session) {
    try {
        if (check.rule == nullptr) return run_comparing(check, session);
        request_basics(session);
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

// Aborts if there is neither a request nor a function.
Check check_of(const CheckText& text) {
    Check check{text.id, text.title, demand(text.demand), nullptr};
    if (!text.codes.empty()) {
        check.run = [&text](Session& session) { return request_refused(session, text); };
        return check;
    }
    for (const auto& table :
         {identify_checks(), record_checks(), request_checks(), response_checks(), token_checks()})
        for (const CheckFunction& function : table) {
            if (function.id != text.id) continue;
            if (function.run != nullptr) check.run = function.run;
            check.rule = function.rule;
            return check;
        }
    std::abort();
}

std::vector<Group> read_groups() {
    std::vector<Group> groups;
    for (const CheckText& text : check_texts()) {
        if (groups.empty() || groups.back().name != text.group) groups.push_back({text.group});
        groups.back().checks.push_back(check_of(text));
    }
    return groups;
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

std::string join_codes(const ErrorCodes& codes) {
    std::string out;
    for (const std::string_view code : codes) out.append(out.empty() ? "" : " or ").append(code);
    return out;
}

std::string error_excerpt(const Answer& answer) {
    const std::size_t at = answer.reply.body.find("<error");
    return answer.reply.body.substr(at == std::string::npos ? 0 : at, 400);
}

}  // namespace

const Demand& demand(std::string_view name) {
    for (const Demand& demand : demands())
        if (demand.name == name) return demand;
    std::abort();
}

std::string print_place(const Demand& demand) {
    std::string out(demand.document);
    for (const std::string_view part : {demand.section, demand.place})
        if (!part.empty()) out.append(", ").append(part);
    return out;
}

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
    static const std::vector<Group> kGroups = read_groups();
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

const Answer& usable(const Answer& answer) {
    if (std::string why = why_unusable(answer); !why.empty())
        throw Unusable{std::move(why), answer};
    return answer;
}

const Record& live_record(Session& session) {
    const Record* const record = session.live_record();
    if (record == nullptr) throw Skip("no record was found");
    return *record;
}

Finding not_applicable() { return skipped(""); }
std::string start_of(const Answer& answer) { return answer.reply.body.substr(0, kExcerptBytes); }

std::string why_unusable(const Answer& answer) {
    if (answer.reply.status == 0) return "no answer: " + answer.reply.error;
    if (answer.reply.status != 200) return fmt::format("HTTP status {}", answer.reply.status);
    if (!answer.well_formed()) return "not well-formed: " + answer.broken;
    return answer.root == "OAI-PMH" ? ""
                                    : "the answer is <" + answer.root + ">, no response of OAI-PMH";
}

Finding expect_error(const Answer& answer, const ErrorCodes& codes) {
    if (std::string why = why_unusable(answer); !why.empty())
        return wrong(std::move(why), answer, error_excerpt(answer));
    if (std::any_of(codes.begin(), codes.end(),
                    [&](std::string_view code) { return answer.has_error(code); }))
        return fine();
    if (answer.errors.empty())
        return wrong(fmt::format("no error, where {} is due", join_codes(codes)), answer,
                     error_excerpt(answer));
    return wrong(fmt::format("{}, where {} is due", answer.error_codes(), join_codes(codes)),
                 answer, error_excerpt(answer));
}

Finding expect_error(Session& session, const std::string& arguments, const ErrorCodes& codes) {
    return expect_error(session.get(arguments), codes);
}

Finding expect_refusal(const Answer& answer, const ErrorCodes& codes) {
    return is_refused_by_http(answer) ? fine() : expect_error(answer, codes);
}

bool is_refused_by_http(const Answer& answer) {
    return answer.question.refusable && answer.reply.status >= 400 && answer.reply.status < 500;
}

Finding expect_same(const Answer& wanted, const Answer& answer, const std::string& what) {
    if (std::string why = why_unusable(answer); !why.empty())
        return wrong(what + ": " + why, answer, error_excerpt(answer));
    const std::string other = difference(wanted, answer);
    return other.empty() ? fine()
                         : wrong(what + ": " + other, answer,
                                 answer.errors.empty() ? "" : error_excerpt(answer))
                               .against(wanted);
}

Finding expect_same(Session& session, const Question& wanted, const Question& question,
                    const std::string& what) {
    const Answer& first = session.ask(wanted);
    return expect_same(first, session.ask(question), what);
}

bool has_same_record(const Answer& then, const Answer& now, std::string_view identifier) {
    const Record* was = record_of(then, identifier);
    const Record* is = record_of(now, identifier);
    return was != nullptr && is != nullptr && is_unchanged_record(*was, *is);
}

const Record* record_of(const Answer& answer, std::string_view identifier) {
    const auto found =
        std::find_if(answer.records.begin(), answer.records.end(),
                     [&](const Record& record) { return record.header.identifier == identifier; });
    return found == answer.records.end() ? nullptr : &*found;
}

std::string get_record(const Session& session, std::string_view identifier) {
    return "verb=GetRecord&metadataPrefix=" + url_encode(session.scope().prefix) +
           "&identifier=" + url_encode(identifier);
}

const Format* find_format(const std::vector<Format>& formats, std::string_view prefix) {
    const auto found = std::find_if(formats.begin(), formats.end(),
                                    [&](const Format& f) { return f.prefix == prefix; });
    return found == formats.end() ? nullptr : &*found;
}

bool uses_namespace(const Payload& metadata, std::string_view name_space) {
    std::string declared = "\"";
    xml::append_attribute(declared, name_space);
    return metadata.text.find(declared + '"') != std::string::npos;
}

std::string argument_of(const Answer& answer, std::string_view name) {
    bool well_encoded = true;
    for (const Argument& argument : split_arguments(answer.question.arguments, &well_encoded))
        if (argument.name == name) return argument.value;
    return "";
}

bool is_within(const std::vector<std::string>& sets, const std::string& set) {
    return std::any_of(
        sets.begin(), sets.end(),
        [&](const std::string& s) { return s == set || s.starts_with(set + ":"); });
}

bool is_list(const Answer& answer) {
    return answer.verb == "ListIdentifiers" || answer.verb == "ListRecords";
}

}  // namespace oai::validate
