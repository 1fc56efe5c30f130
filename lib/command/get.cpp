// SPDX-License-Identifier: MIT
// oai get 'verb=Identify': answers one request as the server would, without a web server.
#include <fmt/format.h>

#include <cstdio>
#include <map>

#include "base/log.h"
#include "command/command.h"
#include "monitor/request_log.h"
#include "server/service.h"
#include "xml/document.h"

namespace oai::command {
namespace {

struct GetOptions {
    std::vector<std::string> query;
    bool headers = false;
    bool post = false;
    std::string method;
    std::string content_type = "application/x-www-form-urlencoded";
    std::string accept_encoding;
};

GetOptions read_get_options(const Invocation& invocation) {
    GetOptions options;
    parse(invocation, "Answers a request as the server would.",
          {{"query", &options.query, "the query string, as in a URL; several are joined by '&'"},
           {"--headers", &options.headers, "also print the status and the headers"},
           {"--post", &options.post, "send the query as the body of a POST"},
           {"--method", &options.method, "the HTTP method, instead of GET or POST"},
           {"--content-type", &options.content_type, "the Content-Type of the body", kShowDefault},
           {"--accept-encoding", &options.accept_encoding, "the Accept-Encoding header"}});
    return options;
}

using Variables = std::map<std::string, std::string, std::less<>>;

Variables cgi_variables(const GetOptions& options, const std::string& query,
                        const std::string& path) {
    Variables v{{"REQUEST_METHOD", !options.method.empty() ? options.method
                                   : options.post          ? "POST"
                                                           : "GET"},
                {"HTTP_ACCEPT_ENCODING", options.accept_encoding},
                {"HTTP_USER_AGENT", "oai get"},
                {"REMOTE_ADDR", "127.0.0.1"}};
    const std::string in_url = options.post ? "" : query;
    v["QUERY_STRING"] = in_url;
    v["REQUEST_URI"] = in_url.empty() ? path : path + "?" + in_url;
    if (options.post) {
        v["CONTENT_TYPE"] = options.content_type;
        v["CONTENT_LENGTH"] = std::to_string(query.size());
    }
    return v;
}

Response answer(Service& service, const Variables& variables, const std::string& body,
                std::size_t post_limit_bytes) {
    const CgiVariables cgi = [&](std::string_view name) -> std::string_view {
        const auto found = variables.find(name);
        return found == variables.end() ? std::string_view() : found->second;
    };
    const Request none;
    RequestLog log{none};
    const auto length = body_length(cgi, post_limit_bytes);
    if (const auto* refusal = std::get_if<Refusal>(&length)) return service.refuse(*refusal, log);
    const auto request =
        read_request(cgi, std::string_view(body).substr(0, std::get<std::size_t>(length)));
    if (const auto* refusal = std::get_if<Refusal>(&request)) return service.refuse(*refusal, log);
    return service.answer(std::get<Request>(request));
}

}  // namespace

int command_get(const Invocation& invocation) {
    const GetOptions options = read_get_options(invocation);
    const Config config = configuration(invocation);
    log::set_level(log::Level::warning);  // the answer is printed, so the log line adds nothing
    xml::initialise();
    const SystemClock clock;
    Service service(config, clock);
    try {
        service.read_horizon();
    } catch (const std::exception& e) {
        print_problem(std::string("get: ") + e.what(), "OAI-1201");
        // and go on: the server answers without a database too
    }
    std::string query;
    for (const std::string& part : options.query) query += (query.empty() ? "" : "&") + part;
    const std::string path(mount_of(config.repository.base_url));
    const Response response =
        answer(service, cgi_variables(options, query, path.empty() ? "/" : path),
               options.post ? query : "", static_cast<std::size_t>(config.server.post_limit_bytes));
    const std::string out = (options.headers ? cgi_head(response) : "") + response.body;
    if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size() || std::fflush(stdout) != 0)
        throw std::runtime_error("standard output cannot be written");
    return response.status == 200 ? kFine : kRefused;
}

}  // namespace oai::command
