// SPDX-License-Identifier: MIT
// The requests of a test to one repository, within limits: pages of a list, time between requests,
// time for all of them. Answers are cached by their question, so that checks share them until they
// are forgotten. Not thread-safe.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "tools/validate/answer.h"

namespace oai::validate {

struct Limits {
    int max_pages = 3;                     // of one list
    std::chrono::milliseconds pause{250};  // between two requests
    std::chrono::seconds total{300};       // for all of them
};

// Which records are tested.
struct Scope {
    std::string prefix = "oai_dc";
    std::string set = "";  // "" for all
};

// A request cannot be answered within the limits: the time for all requests is spent, the answers
// so far, all of which are kept in memory, are larger than 512 MiB, the repository is busy (503
// with Retry-After, or 429) and asks to come again later, or it does not answer any more.
class LimitReached : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The pages of a list, as many as the limits allow.
struct Walk {
    std::vector<const Answer*> pages{};  // at least one
    std::vector<const Record*> records{};
    std::vector<const Set*> sets{};
    bool ended = false;  // the last page was reached
};

// As a user would write it: "http://...?verb=Identify", "POST http://... verb=Identify".
std::string print_question(const std::string& base_url, const Question& question);

class Session {
  public:
    using Sleep = std::function<void(std::chrono::milliseconds)>;

    // base_url: as harvesters know it. All referenced objects must outlive the session.
    Session(Transport& transport, std::string base_url, Scope scope, Limits limits,
            const Clock& clock, Schemas& schemas, Sleep sleep);

    // References to answers are valid as long as the session. Throw LimitReached. A 503
    // with Retry-After and a 429 are retried twice, and a request without an answer once, if
    // Identify has one. repeat() ignores the cache and does not change it.
    const Answer& get(std::string_view arguments) {
        return ask({.arguments = std::string(arguments)});
    }
    const Answer& ask(const Question& question);
    const Answer& repeat(const Question& question);
    // Empties the cache. References to walks become invalid; those to answers stay valid.
    void forget();

    const std::string& base_url() const { return base_url_; }
    const Scope& scope() const { return scope_; }
    const Limits& limits() const { return limits_; }
    Seconds now() const { return clock_.now(); }
    const std::deque<Answer>& answers() const { return answers_; }
    const std::vector<Reply>& refusals() const { return refusals_; }  // answers by 503

    // The answer to Identify; empty if it cannot be read.
    const Identification& identification();
    bool in_days() { return identification().granularity == "YYYY-MM-DD"; }
    // The arguments of a list in the scope: "verb=ListRecords&metadataPrefix=oai_dc".
    std::string list(std::string_view verb) const;
    const Walk& walk(const std::string& first_arguments);
    const Walk& records() { return walk(list("ListRecords")); }
    const Walk& headers() { return walk(list("ListIdentifiers")); }
    const Walk& sets() { return walk("verb=ListSets"); }
    const std::vector<Format>& formats() { return get("verb=ListMetadataFormats").formats; }
    // The first record of the lists that is not deleted, or is; nullptr if there is none.
    const Record* live_record();
    const Record* deleted_record();
    // The answer that contains the record, which must be one of this session.
    const Answer& page_of(const Record& record) const;

    std::string print(const Question& question) const {
        return print_question(base_url_, question);
    }

  private:
    Reply ask_with_retries(const Question& question);
    Reply retry_silent(const Question& question, Reply reply);
    void wait(std::chrono::milliseconds time);

    Transport& transport_;
    const std::string base_url_;
    const Scope scope_;
    const Limits limits_;
    const Clock& clock_;
    Schemas& schemas_;
    const Sleep sleep_;
    const std::chrono::steady_clock::time_point deadline_;
    std::deque<Answer> answers_;
    std::map<std::string, const Answer*, std::less<>> answers_by_question_;
    std::map<std::string, Walk, std::less<>> walks_;
    std::vector<Reply> refusals_;
    std::size_t bytes_ = 0;  // of the bodies of all answers
};

// The value in a query: %HH for all bytes but A-Za-z0-9-._~
std::string url_encode(std::string_view value);

}  // namespace oai::validate
