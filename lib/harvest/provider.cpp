// SPDX-License-Identifier: MIT
#include "harvest/provider.h"

#include <algorithm>

#include "http/client.h"
#include "http/retry.h"
#include "xml/error.h"

namespace oai::harvest {

// What came of asking once.
struct Provider::Attempt {
    std::optional<Answer> answer;
    std::string why;        // there is none
    bool again = false;     // it may be there next time
    bool busy = false;      // the repository says when
    std::optional<std::chrono::seconds> retry_after;
    std::string bytes;      // that could not be read
};

void Provider::judge(http::Answer answer, Attempt& attempt) const {
    attempt.again = http::passes(answer.status) || answer.status >= 500;
    attempt.busy = answer.retry_after && (answer.status == 429 || answer.status == 503);
    attempt.retry_after = answer.retry_after;
    attempt.why = "HTTP status " + std::to_string(answer.status);
    if (http::passes(answer.status)) return;
    try {
        Answer read = read_answer(answer.body);
        // Some repositories say their errors with 400, 404 or 422; nothing else counts there.
        if (answer.status < 300 || !read.errors.empty()) attempt.answer = std::move(read);
    } catch (const xml::Error& e) {
        if (answer.status >= 300) return;
        attempt.why = e.what();
        attempt.again = true;
        attempt.bytes = std::move(answer.body);
    }
}

void Provider::attempt(const http::Request& request, Attempt& attempt) {
    try {
        judge(client_.send(request), attempt);
    } catch (const http::Error& e) {
        const std::string_view what = e.what(), url = request.url;
        attempt.why = what.starts_with(url) ? what.substr(std::min(what.size(), url.size() + 2)) : what;
        attempt.again = http::passes(e.trouble()) || e.trouble() == http::Trouble::answer;
    }
}

Answer Provider::ask(const Arguments& arguments, int tries) {
    http::Request request;
    request.url = request_url(url_, arguments);
    request.headers.add("Accept", "text/xml, application/xml;q=0.9, */*;q=0.1");
    request.accept_encoding = "gzip, deflate";
    const http::RetryPolicy policy{.first_wait = patience_.first_wait, .longest_wait = patience_.longest_wait};
    std::string damaged;
    for (int busy = 0, tried = 0;;) {
        if (listener_.stop()) throw Stopped{};
        Attempt now;
        attempt(request, now);
        if (now.answer) {
            repaired_ += now.answer->repaired;
            return std::move(*now.answer);
        }
        if (!now.bytes.empty()) damaged = std::move(now.bytes);
        const bool more = now.busy ? ++busy < patience_.busy_tries : ++tried < (tries > 0 ? tries : patience_.tries);
        if (!now.again || !more) throw Unanswered(request.url + ": " + now.why, std::move(damaged));
        if (!now.busy) request.accept_encoding.clear();  // a damaged stream may be an encoder's fault
        wait(http::pause(policy, std::max(tried, 1), now.retry_after), now.why);
    }
}

void Provider::wait(std::chrono::seconds time, const std::string& why) {
    listener_.wait(time, why);
    if (listener_.stop()) throw Stopped{};
}

std::string request_url(const std::string& base_url, const Arguments& arguments) {
    std::string url = base_url;
    if (url.ends_with('?') || url.ends_with('&')) url.pop_back();
    char separator = url.find('?') == url.npos ? '?' : '&';
    for (const auto& [name, value] : arguments) {
        url.append(1, separator).append(name).append("=").append(http::query_escaped(value));
        separator = '&';
    }
    return url;
}

}  // namespace oai::harvest
