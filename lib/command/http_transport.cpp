// SPDX-License-Identifier: MIT
#include "command/http_transport.h"

#include <fmt/format.h>

#include <thread>

#include "base/text.h"

namespace oai::command {
namespace {

constexpr std::chrono::seconds kAnswerTimeout{120};  // for one answer
constexpr const char* kForm = "application/x-www-form-urlencoded";

http::ClientRequest to_http(const std::string& base_url, const validate::Question& question) {
    http::ClientRequest request;
    request.method = question.method;
    request.own_connection = question.method == "HEAD";
    request.url = base_url;
    if (question.method == "POST") {
        request.body = question.arguments;
        request.post_again = true;
        request.headers.add("Content-Type", kForm);
    } else if (!question.arguments.empty()) {
        request.url += "?" + question.arguments;
    }
    if (!question.accept.empty()) request.headers.add("Accept", question.accept);
    if (question.gzip) request.accept_encoding = "gzip";
    return request;
}

http::ClientOptions options() {
    http::ClientOptions options;
    options.timeout = kAnswerTimeout;
    return options;
}

}  // namespace

HttpTransport::HttpTransport(std::string base_url)
    : base_url_(std::move(base_url)), client_(options()) {}

validate::Reply HttpTransport::send(const validate::Question& question) {
    const auto begin = std::chrono::steady_clock::now();
    validate::Reply reply;
    try {
        http::ClientResponse answer = client_.send(to_http(base_url_, question));
        reply.status = answer.status;
        reply.headers = answer.headers.fields();
        reply.body = std::move(answer.body);
        reply.url = std::move(answer.url);
        reply.retry_after = answer.retry_after;
    } catch (const http::TransferError& e) {
        reply.error = e.what();
    }
    reply.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begin);
    return reply;
}

std::string why_no_base_url(const std::string& url) {
    const std::string scheme = text::lower_ascii(url.substr(0, url.find(':') + 3));
    if (scheme != "http://" && scheme != "https://")
        return url + ": a base URL begins with http:// or https://";
    if (url.find_first_of("?# ") != std::string::npos)
        return url + ": a base URL has no query, the arguments come after it";
    return "";
}

void print_and_wait(std::chrono::seconds wait, const std::string& why) {
    fmt::print(stderr, "waiting {} s: {}\n", wait.count(), why);
    std::this_thread::sleep_for(wait);
}

}  // namespace oai::command
