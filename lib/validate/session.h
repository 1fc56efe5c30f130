// SPDX-License-Identifier: MIT
// A conversation with a repository, in bounds: how many pages of a list, how long between requests, how long in all. A
// question that was asked is not asked again, so checks ask what they need and share what comes, until that is forgotten.
// Not thread-safe.
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
#include "validate/answer.h"

namespace oai::validate {

struct Limits {
    int max_pages = 3;                     // of one list
    std::chrono::milliseconds pause{250};  // between two requests
    std::chrono::seconds total{300};       // for all of them
};

// Whose records are looked at.
struct Scope {
    std::string prefix = "oai_dc";
    std::string set = "";  // "" all
};

// No more may be asked.
class OutOfTime : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The pages of a list as far as the bounds allow.
struct Walk {
    std::vector<const Answer*> pages{};   // at least one
    std::vector<const Record*> records{};
    std::vector<const Set*> sets{};
    bool ended = false;                   // the last page has come
};

// How the question looks to whoever asks it: "http://...?verb=Identify", "POST http://... verb=Identify".
std::string printed(const std::string& base_url, const Question& question);

class Session {
  public:
    using Sleep = std::function<void(std::chrono::milliseconds)>;

    // base_url: as it is known to harvesters. All that is referred to must outlive the session.
    Session(Asker& asker, std::string base_url, Scope scope, Limits limits, const Clock& clock, Schemas& schemas, Sleep sleep);

    // References to answers stay good as long as the session. Throw OutOfTime. A 503 with Retry-After is waited for twice.
    const Answer& get(std::string_view arguments) { return ask({.arguments = std::string(arguments)}); }
    const Answer& ask(const Question& question);
    const Answer& ask_anew(const Question& question);
    // All is asked again from now on. Walks are gone; answers stay.
    void forget();

    const std::string& base_url() const { return base_url_; }
    const Scope& scope() const { return scope_; }
    const Limits& limits() const { return limits_; }
    bool over_http() const { return asker_.over_http(); }
    Seconds now() const { return clock_.now(); }
    const std::deque<Answer>& answers() const { return answers_; }
    const std::vector<Reply>& refusals() const { return refusals_; }  // 503s that were waited for

    // What Identify says; an empty one where it cannot be read.
    const Identification& identification();
    bool in_days() { return identification().granularity == "YYYY-MM-DD"; }
    // The arguments of a list in the scope: "verb=ListRecords&metadataPrefix=oai_dc".
    std::string list(std::string_view verb) const;
    const Walk& walk(const std::string& first_arguments);
    const Walk& records() { return walk(list("ListRecords")); }
    const Walk& headers() { return walk(list("ListIdentifiers")); }
    const Walk& sets() { return walk("verb=ListSets"); }
    const std::vector<Format>& formats() { return get("verb=ListMetadataFormats").formats; }
    // The first of the sample that is not deleted (or is); nullptr: none is met.
    const Record* live();
    const Record* deleted();
    // The answer that has the record; it must be of this session.
    const Answer& page_of(const Record& record) const;

    std::string print(const Question& question) const { return printed(base_url_, question); }

  private:
    Reply ask_patiently(const Question& question);
    void wait(std::chrono::milliseconds time);

    Asker& asker_;
    const std::string base_url_;
    const Scope scope_;
    const Limits limits_;
    const Clock& clock_;
    Schemas& schemas_;
    const Sleep sleep_;
    const std::chrono::steady_clock::time_point deadline_;
    std::deque<Answer> answers_;
    std::map<std::string, const Answer*, std::less<>> asked_;
    std::map<std::string, Walk, std::less<>> walks_;
    std::vector<Reply> refusals_;
};

// A value in a query: %HH for all but A-Za-z0-9-._~
std::string escaped(std::string_view value);

}  // namespace oai::validate
