// SPDX-License-Identifier: MIT
#include "tools/validate/session.h"

#include <cstdlib>
#include <utility>

#include "base/text.h"

namespace oai::validate {
namespace {

constexpr int kMaxRetries = 2;  // after a 503 or 429
constexpr std::chrono::seconds kMaxWait{60};
constexpr std::chrono::seconds kUsualWait{10};  // after a 429 that does not say (RFC 6585, 4)
constexpr std::chrono::seconds kPatience{30};
constexpr std::size_t kMaxBytes = std::size_t{512} << 20;  // of all answers, which are kept

std::string key_of(const Question& q) {
    return q.method + '\n' + q.arguments + '\n' + q.accept + (q.gzip ? "\ngzip" : "");
}

}  // namespace

Session::Session(Transport& transport, std::string base_url, Scope scope, Limits limits,
                 const Clock& clock, Schemas& schemas, Sleep sleep)
    : transport_(transport),
      base_url_(std::move(base_url)),
      scope_(std::move(scope)),
      limits_(limits),
      clock_(clock),
      schemas_(schemas),
      sleep_(std::move(sleep)),
      deadline_(std::chrono::steady_clock::now() + limits.total) {}

void Session::wait(std::chrono::milliseconds time) {
    if (std::chrono::steady_clock::now() + time > deadline_)
        throw LimitReached("the time for all requests is spent");
    if (time.count() > 0) sleep_(time);
}

Reply Session::ask_with_retries(const Question& question) {
    if (bytes_ > kMaxBytes) throw LimitReached("the answers so far are larger than 512 MiB");
    wait(answers_.empty() ? std::chrono::milliseconds{0} : limits_.pause);
    for (int i = 0;; ++i) {
        Reply reply = transport_.send(question);
        if (reply.status == 0 && !answers_.empty())
            reply = retry_silent(question, std::move(reply));
        if (reply.status == 503) refusals_.push_back(reply);
        if (reply.status == 429 && !reply.retry_after) reply.retry_after = kUsualWait;
        if ((reply.status != 503 && reply.status != 429) || !reply.retry_after) return reply;
        if (i == kMaxRetries || *reply.retry_after > kMaxWait)
            throw LimitReached("the repository is busy, and asks to come again in " +
                               std::to_string(reply.retry_after->count()) + " s");
        wait(*reply.retry_after);
    }
}

// Repeats a request without a response if Identify has one. If Identify fails as well, keeps the
// failure, so that the rules report it once for all.
Reply Session::retry_silent(const Question& question, Reply reply) {
    const bool was_long = reply.duration > kPatience;  // then do not try a third time
    if (transport_.send({.arguments = "verb=Identify"}).status != 0)
        return was_long ? reply : transport_.send(question);
    const std::string why = "the repository does not answer any more: " + reply.error;
    answers_.push_back(read_answer(question, std::move(reply), schemas_));
    throw LimitReached(why);
}

const Answer& Session::repeat(const Question& question) {
    Reply reply = ask_with_retries(question);
    bytes_ += reply.body.size();
    return answers_.emplace_back(read_answer(question, std::move(reply), schemas_));
}

const Answer& Session::ask(const Question& question) {
    const std::string key = key_of(question);
    const auto found = answers_by_question_.find(key);
    if (found != answers_by_question_.end()) return *found->second;
    const Answer& answer = repeat(question);
    answers_by_question_.emplace(key, &answer);
    return answer;
}

void Session::forget() {
    answers_by_question_.clear();
    walks_.clear();
}

const Identification& Session::identification() {
    static const Identification kNothing{};
    const Answer& answer = get("verb=Identify");
    return answer.identification ? *answer.identification : kNothing;
}

std::string Session::list(std::string_view verb) const {
    std::string arguments =
        "verb=" + std::string(verb) + "&metadataPrefix=" + url_encode(scope_.prefix);
    if (!scope_.set.empty()) arguments += "&set=" + url_encode(scope_.set);
    return arguments;
}

const Walk& Session::walk(const std::string& first_arguments) {
    const auto found = walks_.find(first_arguments);
    if (found != walks_.end()) return found->second;
    Walk walk;
    const std::string verb = first_arguments.substr(0, first_arguments.find('&'));
    for (std::string arguments = first_arguments;
         !walk.ended && std::ssize(walk.pages) < limits_.max_pages;) {
        const Answer& page = get(arguments);
        walk.pages.push_back(&page);
        for (const Record& record : page.records) walk.records.push_back(&record);
        for (const Set& set : page.sets) walk.sets.push_back(&set);
        walk.ended = !page.token || page.token->value.empty();
        if (!walk.ended) arguments = verb + "&resumptionToken=" + url_encode(page.token->value);
    }
    return walks_.emplace(first_arguments, std::move(walk)).first->second;
}

const Record* Session::live_record() {
    for (const Record* record : records().records)
        if (!record->header.deleted) return record;
    return nullptr;
}

const Record* Session::deleted_record() {
    for (const Walk* walk : {&records(), &headers()})
        for (const Record* record : walk->records)
            if (record->header.deleted) return record;
    return nullptr;
}

const Answer& Session::page_of(const Record& record) const {
    const std::less<const Record*> before;
    for (const Answer& answer : answers_) {
        const Record* const first = answer.records.data();
        if (!before(&record, first) && before(&record, first + answer.records.size()))
            return answer;
    }
    std::abort();
}

std::string print_question(const std::string& base_url, const Question& question) {
    if (question.method == "POST") return "POST " + base_url + " " + question.arguments;
    const std::string url = base_url + (question.arguments.empty() ? "" : "?" + question.arguments);
    return question.method == "GET" ? url : question.method + " " + url;
}

std::string url_encode(std::string_view value) { return text::percent_encode(value); }

}  // namespace oai::validate
