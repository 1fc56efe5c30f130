// SPDX-License-Identifier: MIT
#include "page/conformance.h"

#include "datestamp.h"
#include "page/markup.h"
#include "validate/report.h"

namespace oai {
namespace {

constexpr int kPages = 3;

void append_outcome(std::string& out, const validate::Outcome& outcome) {
    markup::open(out, "check",
                 {{"id", outcome.check->id},
                  {"title", outcome.check->title},
                  {"section", outcome.check->section},
                  {"verdict", validate::verdict_name(outcome.verdict)}});
    if (!outcome.why.empty()) markup::element(out, "why", outcome.why);
    if (!outcome.request.empty()) markup::element(out, "request", outcome.request);
    markup::close(out, "check");
}

std::string printed(const std::vector<validate::Outcome>& outcomes, Seconds made) {
    const validate::Counts counts = validate::count(outcomes);
    std::string out;
    markup::open(out, "report",
                 {{"made", print_datestamp(made)},
                  {"passed", std::int64_t{counts.passed}},
                  {"failed", std::int64_t{counts.failed}},
                  {"warned", std::int64_t{counts.warned}},
                  {"skipped", std::int64_t{counts.skipped}}});
    for (const validate::Group& group : validate::groups()) {
        markup::open(out, "group", {{"name", group.name}});
        for (const validate::Outcome& outcome : outcomes)
            if (outcome.group == &group) append_outcome(out, outcome);
        markup::close(out, "group");
    }
    markup::close(out, "report");
    return out;
}

std::string make_report(const AskOwn& ask, const Repository& repository, const std::string& schema_folder, const Clock& clock) {
    OwnAsker asker(ask, repository);
    validate::Schemas schemas(schema_folder);
    const validate::Limits limits{kPages, std::chrono::milliseconds{0}, Conformance::kMost};
    validate::Session session(asker, repository.facts.base_url, {}, limits, clock, schemas, [](std::chrono::milliseconds) {});
    return printed(validate::run_checks(session, {}), clock.now());
}

}  // namespace

std::string Conformance::report(const AskOwn& ask, const Repository& repository, const std::string& schemas, const Clock& clock) {
    {
        const std::lock_guard lock(mutex_);
        if (busy_ || clock.now() < due_) return report_;
        busy_ = true;
        due_ = clock.now() + kPause;
    }
    std::string anew;
    try {
        anew = make_report(ask, repository, schemas, clock);
    } catch (...) {
        const std::lock_guard lock(mutex_);
        busy_ = false;
        throw;
    }
    const std::lock_guard lock(mutex_);
    busy_ = false;
    due_ = clock.now() + kKept;
    return report_ = std::move(anew);
}

}  // namespace oai
