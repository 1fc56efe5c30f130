// SPDX-License-Identifier: MIT
#include "command/http_asker.h"

namespace oai::command {
namespace {

constexpr std::chrono::seconds kPatience{120};  // for one answer
constexpr const char* kForm = "application/x-www-form-urlencoded";

http::Request to_http(const std::string& base_url, const validate::Question& question) {
    http::Request request;
    request.method = question.method;
    request.url = base_url;
    if (question.method == "POST") {
        request.body = question.arguments;
        request.headers.add("Content-Type", question.content_type.empty() ? kForm : question.content_type);
    } else if (!question.arguments.empty()) {
        request.url += "?" + question.arguments;
    }
    if (!question.accept.empty()) request.headers.add("Accept", question.accept);
    if (question.gzip) request.accept_encoding = "gzip";
    return request;
}

http::Options options() {
    http::Options options;
    options.timeout = kPatience;
    return options;
}

}  // namespace

HttpAsker::HttpAsker(std::string base_url) : base_url_(std::move(base_url)), client_(options()) {}

validate::Reply HttpAsker::ask(const validate::Question& question) {
    const auto begin = std::chrono::steady_clock::now();
    validate::Reply reply;
    try {
        http::Answer answer = client_.send(to_http(base_url_, question));
        reply.status = answer.status;
        reply.headers = answer.headers.fields();
        reply.body = std::move(answer.body);
        reply.url = std::move(answer.url);
    } catch (const http::Error& e) {
        reply.trouble = e.what();
    }
    reply.took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    return reply;
}

std::string why_no_base_url(const std::string& url) {
    if (!url.starts_with("http://") && !url.starts_with("https://")) return url + ": a base URL begins with http:// or https://";
    if (url.find_first_of("?# ") != std::string::npos) return url + ": a base URL has no query, the arguments come after it";
    return "";
}

}  // namespace oai::command
