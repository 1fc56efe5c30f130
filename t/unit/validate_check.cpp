// SPDX-License-Identifier: MIT
// The conformance test against a repository that is right, and against one for each thing that can be wrong.
#include "validate/check.h"

#include <catch2/catch.hpp>
#include <set>

#include "validate_mutations.h"
#include "xml/document.h"

using namespace oai;
using namespace oai::test;
using validate::Verdict;

namespace {

constexpr validate::Limits kLimits{.max_pages = 5, .pause = std::chrono::milliseconds{0}, .total = std::chrono::seconds{60}};

std::vector<validate::Outcome> run(validate::Asker& asker, const std::vector<std::string>& only = {}) {
    xml::initialise();
    static validate::Schemas schemas;
    const FixedClock clock(kNow);
    validate::Session session(asker, kBase, {}, kLimits, clock, schemas, [](std::chrono::milliseconds) {});
    return validate::run_checks(session, only);
}

// "ID: why <- request" of what is wrong.
std::vector<std::string> wrong_ones(const std::vector<validate::Outcome>& outcomes) {
    std::vector<std::string> wrong;
    for (const validate::Outcome& o : outcomes)
        if (o.verdict == Verdict::fail || o.verdict == Verdict::warn) wrong.push_back(std::string(o.check->id) + ": " + o.why + " <- " + o.request);
    return wrong;
}

// Takes those of the check out; how many there were.
std::size_t take(std::vector<std::string>& wrong, const std::string& check) {
    return std::erase_if(wrong, [&](const std::string& line) { return line.starts_with(check + ": "); });
}

// Of those checks that ask for themselves.
bool asks(std::string_view id) {
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

}  // namespace

TEST_CASE("a repository that is right passes") {
    std::set<std::string> passed;
    for (const Provider::Kind kind : {Provider::Kind{}, Provider::Kind{.days = true}, Provider::Kind{.sets = false}}) {
        Provider provider(kind);
        const auto outcomes = run(provider);
        CHECK(wrong_ones(outcomes) == std::vector<std::string>{});
        for (const auto& o : outcomes)
            if (o.verdict == Verdict::pass) passed.insert(std::string(o.check->id));
    }
    std::set<std::string> wanted = all_ids();
    wanted.erase("http.retry-after");  // it is never overloaded
    CHECK(passed == wanted);
}

namespace {

std::set<std::string> with_verdict(const std::vector<validate::Outcome>& outcomes, Verdict verdict) {
    std::set<std::string> ids;
    for (const auto& o : outcomes)
        if (o.verdict == verdict) ids.insert(std::string(o.check->id));
    return ids;
}

// Changes behind some of its answers, which are counted from 1.
Mutate changing(int& asked, std::function<bool(int)> when) {
    return [&asked, when](const Question&, Reply&, Provider& provider) {
        if (when(++asked)) provider.change();
    };
}

}  // namespace

TEST_CASE("a repository that changes at any moment passes") {
    int questions = 0;
    Mutant quiet({}, changing(questions, [](int) { return false; }));
    const auto skipped = with_verdict(run(quiet), Verdict::skip);
    for (int moment = 1; moment <= questions; ++moment) {
        INFO("after question " << moment << " of " << questions);
        int asked = 0;
        Mutant mutant({}, changing(asked, [&](int n) { return n == moment; }));
        const auto outcomes = run(mutant);
        CHECK(wrong_ones(outcomes) == std::vector<std::string>{});
        CHECK(with_verdict(outcomes, Verdict::skip) == skipped);
    }
}

TEST_CASE("one that never stands still has no fault either") {
    for (const int pace : {1, 2, 3, 5, 11}) {
        INFO("after each " << pace << ". question");
        int asked = 0;
        Mutant mutant({}, changing(asked, [&](int n) { return n % pace == 0; }));
        const auto outcomes = run(mutant);
        CHECK(wrong_ones(outcomes) == std::vector<std::string>{});
        CHECK(with_verdict(outcomes, Verdict::pass).size() > 100);
    }
}

TEST_CASE("each check has an id of its own, and says one thing of either kind") {
    std::size_t n = 0;
    for (const validate::Group& group : validate::groups()) {
        for (const validate::Check& check : group.checks) {
            ++n;
            CHECK((check.run == nullptr) != (check.rule == nullptr));
            CHECK_FALSE(check.title.empty());
            CHECK_FALSE(check.section.empty());
        }
    }
    CHECK(all_ids().size() == n);
    CHECK(n > 100);
}

TEST_CASE("each check finds its fault, and no other does") {
    std::set<std::string> left = all_ids();
    for (const Mutation& mutation : mutations()) {
        INFO(mutation.check);
        Mutant mutant(mutation.kind, mutation.mutate);
        auto wrong = wrong_ones(run(mutant));
        CHECK(take(wrong, mutation.check) == 1);
        for (const std::string& other : mutation.also) take(wrong, other);
        CHECK(wrong == std::vector<std::string>{});
        left.erase(mutation.check);
    }
    CHECK(left == std::set<std::string>{});
}

TEST_CASE("a check that is run alone finds as much") {
    const std::set<std::string> counting{"token.after-others", "http.retry-after"};  // faults of the n-th question
    for (const Mutation& mutation : mutations()) {
        if (!asks(mutation.check) || counting.contains(mutation.check)) continue;
        INFO(mutation.check);
        Mutant mutant(mutation.kind, mutation.mutate);
        auto wrong = wrong_ones(run(mutant, {mutation.check}));
        CHECK(take(wrong, mutation.check) == 1);
    }
}
