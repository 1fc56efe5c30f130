// SPDX-License-Identifier: MIT
#include "page/own_asker.h"

#include <map>

#include "page/page_address.h"

namespace oai {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

constexpr const char* kForm = "application/x-www-form-urlencoded";
constexpr std::size_t kMostBytes = 65'536;  // of a body

Variables variables_of(const validate::Question& question, const std::string& path) {
    const bool post = question.method == "POST";
    const std::string query = post ? "" : question.arguments;
    Variables v{{"REQUEST_METHOD", question.method}, {"QUERY_STRING", query}, {"REQUEST_URI", query.empty() ? path : path + "?" + query}};
    if (!post) return v;
    v["CONTENT_TYPE"] = question.content_type.empty() ? kForm : question.content_type;
    v["CONTENT_LENGTH"] = std::to_string(question.arguments.size());
    return v;
}

Response refused(const Refusal& refusal) { return plain_response(refusal.status, refusal.reason); }

}  // namespace

validate::Reply OwnAsker::ask(const validate::Question& question) {
    const auto begin = std::chrono::steady_clock::now();
    const Variables variables = variables_of(question, mount_of(repository_.facts.base_url));
    const CgiVariables cgi = [&](std::string_view name) -> std::string_view {
        const auto found = variables.find(name);
        return found == variables.end() ? std::string_view() : found->second;
    };
    const auto length = body_length(cgi, kMostBytes);
    const auto* too_long = std::get_if<Refusal>(&length);
    const auto request = too_long != nullptr ? *too_long : read_request(cgi, question.method == "POST" ? question.arguments : "");
    const auto* refusal = std::get_if<Refusal>(&request);
    Response response = refusal != nullptr ? refused(*refusal) : ask_(std::get<Request>(request), repository_);
    validate::Reply reply{.status = response.status, .headers = std::move(response.headers), .body = std::move(response.body)};
    reply.took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    return reply;
}

}  // namespace oai
