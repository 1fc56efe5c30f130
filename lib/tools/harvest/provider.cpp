// SPDX-License-Identifier: MIT
// Implements Provider and RecordCounter of list_walk.h.
#include <algorithm>
#include <functional>

#include "protocol/record.h"
#include "tools/harvest/list_walk.h"
#include "tools/http_client/client.h"
#include "xml/document.h"

namespace oai::harvest {
namespace {

bool is_in(const std::string& spec, const std::string& set) {
    return spec.starts_with(set) && (spec.size() == set.size() || spec[set.size()] == ':');
}

// An invalid datestamp does not count as outside.
bool is_outside(const std::string& datestamp, const ListSelection& list) {
    const auto is = date_meant_by(datestamp);
    const auto from = parse_datestamp(list.from), until = parse_datestamp(list.until);
    return is && ((from && is->last() < from->first) || (until && is->first > until->last()));
}

std::string now_text() {
    using namespace std::chrono;
    return print_datestamp(time_point_cast<seconds>(system_clock::now()));
}

void keep_first(std::string& example, const Record& record) {
    if (example.empty()) example = record.identifier;
}

}  // namespace

// The result of one request.
struct Provider::Attempt {
    std::optional<ParsedAnswer> answer;
    std::string why;     // why there is no response
    bool again = false;  // a retry may succeed
    bool busy = false;   // the repository said when to retry
    std::optional<std::chrono::seconds> retry_after;
    std::string bytes;  // a body that could not be parsed, or a static repository
    int status = 0;
};

void Provider::read_response(http::ClientResponse response, const RequestArguments& arguments,
                             Attempt& attempt) const {
    attempt.again = http::is_temporary(response.status) || response.status >= 500;
    attempt.busy = response.retry_after && (response.status == 429 || response.status == 503);
    attempt.retry_after = response.retry_after;
    attempt.status = response.status;
    attempt.why = "HTTP status " + std::to_string(response.status);
    if (http::is_temporary(response.status)) return;
    try {
        ParsedAnswer read = read_answer(response.body, arguments, now_text());
        if (read.identity.is_static) attempt.bytes = std::move(response.body);
        // Some repositories send OAI-PMH errors with status 400, 404 or 422.
        if (response.status < 300 || !read.errors.empty()) attempt.answer = std::move(read);
    } catch (const xml::Error& e) {
        if (response.status >= 300) return;
        attempt.why = e.what();
        if (response.headers.find("Content-Encoding")) attempt.why += "; compressed, perhaps cut";
        attempt.again = true;
        attempt.bytes = std::move(response.body);
    }
}

void Provider::attempt(const http::ClientRequest& request, const RequestArguments& arguments,
                       Attempt& attempt) {
    try {
        read_response(client_.send(request), arguments, attempt);
    } catch (const http::TransferError& e) {
        const std::string_view what = e.what(), url = request.url;
        attempt.why =
            what.starts_with(url) ? what.substr(std::min(what.size(), url.size() + 2)) : what;
        attempt.again = http::is_temporary(e.kind()) || e.kind() == http::FailureKind::answer;
    }
}

ParsedAnswer Provider::ask(const RequestArguments& arguments, int tries) {
    if (!static_file_.empty()) return read_answer(static_file_, arguments, now_text());
    http::ClientRequest request;
    request.url = request_url(url_, arguments);
    request.headers.add("Accept", "text/xml, application/xml;q=0.9, */*;q=0.1");
    request.accept_encoding = "gzip, deflate";
    const http::RetryPolicy policy{.first_wait = retry_limits_.first_wait,
                                   .longest_wait = retry_limits_.longest_wait};
    std::string damaged;
    for (int busy = 0, tried = 0;;) {
        if (listener_.should_stop()) throw StopRequest{};
        Attempt now;
        damaged = {};  // so that two large bodies are never in memory at once
        attempt(request, arguments, now);
        if (now.answer) {
            if (now.answer->identity.is_static) static_file_ = std::move(now.bytes);
            repaired_ += now.answer->repaired;
            return std::move(*now.answer);
        }
        damaged = std::move(now.bytes);
        const bool more = now.busy ? ++busy < retry_limits_.busy_tries
                                   : ++tried < (tries > 0 ? tries : retry_limits_.tries);
        if (!now.again || !more)
            throw NoAnswer(request.url + ": " + now.why, std::move(damaged), now.status);
        if (!now.busy) request.accept_encoding.clear();  // the compression may be what damages it
        wait(http::retry_wait(policy, std::max(tried, 1), now.retry_after), now.why);
    }
}

void Provider::wait(std::chrono::seconds time, const std::string& why) {
    listener_.wait(time, why);
    if (listener_.should_stop()) throw StopRequest{};
}

std::string request_url(const std::string& base_url, const RequestArguments& arguments) {
    std::string url = base_url;
    if (url.ends_with('?') || url.ends_with('&')) url.pop_back();
    char separator = url.find('?') == url.npos ? '?' : '&';
    for (const auto& [name, value] : arguments) {
        url.append(1, separator).append(name).append("=").append(http::escape_query_value(value));
        separator = '&';
    }
    return url;
}

void RecordCounter::count(const Record& record, const ListSelection& list,
                          const std::string& first_date, ListCounts& counts) {
    if (record.deleted) ++counts.deleted;
    if (!list.set_spec.empty()) count_set(record, list.set_spec, counts);
    if (is_outside(record.datestamp, list)) {
        ++counts.outside_dates;
        keep_first(examples_.outside_dates, record);
    }
    const bool is_full = seen_.size() >= kMaxRemembered;
    const std::size_t hash = hash_of(record), name = std::hash<std::string>()(record.identifier);
    if (is_full ? seen_.contains(hash) : !seen_.insert(hash).second) {
        ++counts.repeated;
        keep_first(examples_.repeated, record);
    }
    const auto later = seconds_between(first_date, record.datestamp);
    if ((later && later->count() >= 0) ||
        (is_full ? names_.contains(name) : !names_.insert(name).second))
        ++counts.moved;
}

void RecordCounter::count_set(const Record& record, const std::string& set, ListCounts& counts) {
    const bool is_member = std::any_of(record.set_specs.begin(), record.set_specs.end(),
                                       [&](const std::string& spec) { return is_in(spec, set); });
    if (is_member) {
        ++counts.in_set;
        return;
    }
    ++(record.set_specs.empty() ? counts.without_sets : counts.in_other_sets);
    keep_first(examples_.outside_set, record);
}

std::size_t RecordCounter::hash_of(const Record& record) {
    return std::hash<std::string>()(record.identifier + ' ' + record.datestamp +
                                    (record.deleted ? " deleted" : ""));
}

}  // namespace oai::harvest
