// SPDX-License-Identifier: MIT
#include "tools/harvest/provider.h"

#include <algorithm>

#include "tools/http_client/client.h"
#include "xml/document.h"

namespace oai::harvest {

// The result of one request.
struct Provider::Attempt {
    std::optional<ParsedAnswer> answer;
    std::string why;     // why there is no answer
    bool again = false;  // a retry may succeed
    bool busy = false;   // the repository said when to retry
    std::optional<std::chrono::seconds> retry_after;
    std::string bytes;  // a body that could not be parsed
    int status = 0;
};

void Provider::read_response(http::ClientResponse response, Attempt& attempt) const {
    attempt.again = http::is_temporary(response.status) || response.status >= 500;
    attempt.busy = response.retry_after && (response.status == 429 || response.status == 503);
    attempt.retry_after = response.retry_after;
    attempt.status = response.status;
    attempt.why = "HTTP status " + std::to_string(response.status);
    if (http::is_temporary(response.status)) return;
    try {
        ParsedAnswer read = read_answer(response.body);
        // Some repositories send OAI-PMH errors with status 400, 404 or 422.
        if (response.status < 300 || !read.errors.empty()) attempt.answer = std::move(read);
    } catch (const xml::Error& e) {
        if (response.status >= 300) return;
        attempt.why = e.what();
        attempt.again = true;
        attempt.bytes = std::move(response.body);
    }
}

void Provider::attempt(const http::ClientRequest& request, Attempt& attempt) {
    try {
        read_response(client_.send(request), attempt);
    } catch (const http::TransferError& e) {
        const std::string_view what = e.what(), url = request.url;
        attempt.why =
            what.starts_with(url) ? what.substr(std::min(what.size(), url.size() + 2)) : what;
        attempt.again = http::is_temporary(e.kind()) || e.kind() == http::FailureKind::answer;
    }
}

ParsedAnswer Provider::ask(const RequestArguments& arguments, int tries) {
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
        attempt(request, now);
        if (now.answer) {
            repaired_ += now.answer->repaired;
            return std::move(*now.answer);
        }
        if (!now.bytes.empty()) damaged = std::move(now.bytes);
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

}  // namespace oai::harvest
