// SPDX-License-Identifier: MIT
// The conformance test of a conforming repository, and of one repository for each possible fault.
#include "tools/validate/check.h"

#include <iterator>

#include "t/unit/tools/validate/mutations.h"
#include "t/unit/tools/validate/unusual.h"

using validate::Verdict;

namespace {

constexpr validate::Limits kLimits{.max_pages = 5, .pause = 0ms, .total = 60s};

std::vector<validate::Outcome> run(validate::Transport& transport, const Strings& only = {}) {
    static validate::Schemas schemas;
    const FixedClock clock(kNow);
    validate::Session session(transport, kBase, {}, kLimits, clock, schemas,
                              [](std::chrono::milliseconds) {});
    return validate::run_checks(session, only);
}

// "ID: why <- request" for each failure and warning.
Strings findings(const std::vector<validate::Outcome>& outcomes) {
    Strings wrong;
    for (const validate::Outcome& o : outcomes)
        if (validate::is_finding(o))
            wrong.push_back(std::string(o.check->id) + ": " + o.why + " <- " + o.request);
    return wrong;
}

Strings words(const char* text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

// Removes the findings of the check; returns their number. An answer to another question breaks two
// rules about <request>.
std::size_t take(Strings& wrong, const std::string& check) {
    if (check == kEcho) take(wrong, "xml.request-true");
    return std::erase_if(wrong,
                         [&](const std::string& line) { return line.starts_with(check + ": "); });
}

// Whether the check sends requests itself, rather than being a rule about answers.
bool sends_requests(std::string_view id) {
    for (const validate::Group& group : validate::groups())
        for (const validate::Check& check : group.checks)
            if (check.id == id) return check.run != nullptr;
    return false;
}

std::set<std::string> all_ids() {
    std::set<std::string> ids;
    for (const validate::Group& group : validate::groups())
        for (const validate::Check& check : group.checks) ids.insert(std::string(check.id));
    return ids;
}

std::set<std::string> with_verdict(const std::vector<validate::Outcome>& outcomes,
                                   Verdict verdict) {
    std::set<std::string> ids;
    for (const auto& o : outcomes)
        if (o.verdict == verdict) ids.insert(std::string(o.check->id));
    return ids;
}

// Whether it is the name of the check, or the part of it before the dot.
bool is_named(const std::string& id, const std::string& name) {
    return id == name || id.starts_with(name + ".");
}

// A repository that changes after those answers, counted from 1, for which `when` is true.
Mutate change_after(int& asked, std::function<bool(int)> when) {
    return [&asked, when](const Question&, Reply&, Provider& provider) {
        if (when(++asked)) provider.change();
    };
}

}  // namespace

TEST_CASE("a conforming repository passes") {
    std::set<std::string> passed;
    for (const Provider::Kind& kind :
         {Provider::Kind{}, Provider::Kind{.days = true}, Provider::Kind{.sets = false}}) {
        Provider provider(kind);
        const auto outcomes = run(provider);
        CHECK(findings(outcomes) == Strings{});
        passed.merge(with_verdict(outcomes, Verdict::pass));
    }
    std::set<std::string> wanted = all_ids();
    wanted.erase("http.retry-after");  // the repository never answers 503
    CHECK(passed == wanted);
}

TEST_CASE("a repository that changes once, after any request, passes") {
    int questions = 0;
    Mutant quiet({}, change_after(questions, [](int) { return false; }));
    const auto skipped = with_verdict(run(quiet), Verdict::skip);
    for (int moment = 1; moment <= questions; ++moment) {
        INFO("after question " << moment << " of " << questions);
        int asked = 0;
        Mutant mutant({}, change_after(asked, [&](int n) { return n == moment; }));
        const auto outcomes = run(mutant);
        CHECK(findings(outcomes) == Strings{});
        CHECK(with_verdict(outcomes, Verdict::skip) == skipped);
    }
}

TEST_CASE("a repository that changes all the time passes, too") {
    for (const int pace : {1, 2, 3, 5, 11}) {
        INFO("after each " << pace << ". question");
        int asked = 0;
        Mutant mutant({}, change_after(asked, [&](int n) { return n % pace == 0; }));
        const auto outcomes = run(mutant);
        CHECK(findings(outcomes) == Strings{});
        CHECK(with_verdict(outcomes, Verdict::pass).size() > 100);
    }
}

TEST_CASE("a repository that is unusual, but right, passes") {
    std::set<std::string> left = all_ids();
    for (const Unusual& unusual : kUnusual) {
        INFO(unusual.what);
        Mutant mutant(unusual.kind, unusual.mutate);
        const auto outcomes = run(mutant);
        CHECK(with_verdict(outcomes, Verdict::fail) == std::set<std::string>{});
        auto wrong = findings(outcomes);
        for (const std::string& warned : words(unusual.warned)) CHECK(take(wrong, warned) == 1);
        CHECK(wrong == Strings{});
        const std::set<std::string> passed = with_verdict(outcomes, Verdict::pass);
        for (const std::string& almost : words(unusual.almost)) {
            // One that names no check, or a check that was skipped, says nothing.
            INFO(almost);
            CHECK(std::any_of(
                passed.begin(), passed.end(),
                [&](const std::string& id) { return is_named(id, almost); }));
            std::erase_if(left, [&](const std::string& id) {
                return passed.contains(id) && is_named(id, almost);
            });
        }
    }
    CHECK(left == std::set<std::string>{});
}

TEST_CASE("each check has a unique id, and is either a check or a rule") {
    std::size_t n = 0;
    for (const validate::Group& group : validate::groups()) {
        for (const validate::Check& check : group.checks) {
            ++n;
            CHECK((check.run == nullptr) != (check.rule == nullptr));
            CHECK_FALSE(check.title.empty());
            const validate::Demand& demand = check.demand;
            CHECK_FALSE(demand.words.empty());
            CHECK(demand.harm.ends_with('.'));
            CHECK(demand.advice.ends_with('.'));
            CHECK(demand.section.empty() == (demand.document != "OAI-PMH 2.0"));
            // Only the protocol can be violated; registration and we can but ask.
            if (demand.document != "OAI-PMH 2.0")
                CHECK(demand.severity != validate::Severity::must);
            CHECK((demand.severity == validate::Severity::advice) == (demand.document == "advice"));
        }
    }
    CHECK(all_ids().size() == n);
    CHECK(n > 100);
}

TEST_CASE("each check finds its fault, and no other check does") {
    std::set<std::string> left = all_ids();
    for (const Mutation& mutation : mutations()) {
        INFO(mutation.check);
        Mutant mutant(mutation.kind, mutation.mutate);
        auto wrong = findings(run(mutant));
        CHECK(take(wrong, mutation.check) == 1);
        for (const std::string& other : words(mutation.also)) take(wrong, other);
        CHECK(wrong == Strings{});
        left.erase(mutation.check);
    }
    CHECK(left == std::set<std::string>{});
}

TEST_CASE("a repository that dies is found to be dead, and at fault in nothing else") {
    for (const int last : {1, 2, 10, 50, 100}) {
        INFO("after question " << last);
        int asked = 0;
        Mutant mutant({}, [&](const Question&, Reply& reply, Provider&) {
            if (++asked > last) reply = {.error = "Connection refused"};
        });
        const auto outcomes = run(mutant);
        const auto wrong = findings(outcomes);
        REQUIRE(wrong.size() == 1);
        CHECK(wrong[0].starts_with("http.status: no answer: Connection refused"));
        CHECK(with_verdict(outcomes, Verdict::skip).size() > 10);
    }
}

TEST_CASE("a long request is shortened in the report") {
    Mutant mutant({}, reply_as([](const Question& q) { return q.arguments.size() > 8000; },
                               [](Reply& reply) { reply.status = 500; }));
    const auto outcomes = run(mutant, {"argument.long-post"});
    REQUIRE(outcomes.size() == 1);
    CHECK(outcomes[0].request.starts_with(std::string("POST ") + kBase + " verb=ListIdentifiers"));
    CHECK(outcomes[0].request.size() < 1100);
    CHECK(outcomes[0].request.ends_with(" bytes)"));
}

TEST_CASE("a check that is run alone finds its fault, too") {
    const std::set<std::string> counting{"http.retry-after"};  // faults of the n-th question
    for (const Mutation& mutation : mutations()) {
        if (!sends_requests(mutation.check) || counting.contains(mutation.check)) continue;
        INFO(mutation.check);
        Mutant mutant(mutation.kind, mutation.mutate);
        auto wrong = findings(run(mutant, {mutation.check}));
        CHECK(take(wrong, mutation.check) == 1);
    }
}
