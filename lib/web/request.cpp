// SPDX-License-Identifier: MIT
#include "web/request.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "web/response.h"

namespace oai {
namespace {

constexpr std::string_view kFormType = "application/x-www-form-urlencoded";

// Ignores the parameters of Content-Type, such as charset, since a form is ASCII (RFC 1866, 8.2.1).
bool is_form(std::string_view content_type) {
    return text::lower_ascii(text::trim(content_type.substr(0, content_type.find(';')))) ==
           kFormType;
}

bool is_number(std::string_view s) {
    return !s.empty() && s.find_first_not_of("0123456789") == std::string_view::npos;
}

Argument split_pair(std::string_view pair, bool* well_encoded) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view name = pair.substr(0, equals);
    const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
    auto decoded_name = text::percent_decode(name);
    auto decoded_value = text::percent_decode(value);
    *well_encoded = *well_encoded && decoded_name && decoded_value;
    return {decoded_name.value_or(std::string(name)), decoded_value.value_or(std::string(value))};
}

// Apache passes on no QUERY_STRING if it was too long.
bool query_was_dropped(std::string_view request_uri, std::string_view query) {
    const std::size_t mark = request_uri.find('?');
    return query.empty() && mark != std::string_view::npos && mark + 1 < request_uri.size();
}

std::optional<Refusal> check_request(const CgiVariables& cgi, std::string_view body) {
    const std::string_view method = cgi("REQUEST_METHOD");
    if (method != "GET" && method != "HEAD" && method != "POST")
        return Refusal{405, "This repository answers GET, HEAD and POST only."};
    if (query_was_dropped(cgi("REQUEST_URI"), cgi("QUERY_STRING")))
        return Refusal{414, "The query string is too long: send it as the body of a POST."};
    const std::string_view length = cgi("CONTENT_LENGTH");
    if (method == "POST" && is_number(length) && text::to_integer(length) != std::ssize(body))
        return Refusal{400, "The body is shorter than its Content-Length says."};
    return std::nullopt;
}

}  // namespace

std::variant<std::size_t, Refusal> body_length(const CgiVariables& cgi,
                                               std::size_t post_limit_bytes) {
    if (cgi("REQUEST_METHOD") != "POST") return std::size_t{0};
    const std::string_view length = cgi("CONTENT_LENGTH");
    if (length.empty() && cgi("HTTP_TRANSFER_ENCODING").empty()) return std::size_t{0};
    if (length.empty()) return Refusal{411, "A POST must say its Content-Length."};
    if (!is_number(length)) return Refusal{400, "The Content-Length is not a number."};
    const auto bytes = text::to_integer(length);  // nullopt: the number exceeds 64 bits
    if (!bytes || std::cmp_greater(*bytes, post_limit_bytes))
        return Refusal{413, "The body of a POST may have at most " +
                                std::to_string(post_limit_bytes) + " bytes."};
    if (*bytes > 0 && !is_form(cgi("CONTENT_TYPE")))
        return Refusal{415,
                       std::string("The body of a POST must be of type ").append(kFormType) + "."};
    return static_cast<std::size_t>(*bytes);
}

std::vector<Argument> split_arguments(std::string_view query, bool* well_encoded) {
    std::vector<Argument> arguments;
    for (const std::string_view pair : text::split(query, '&'))
        if (!pair.empty()) arguments.push_back(split_pair(pair, well_encoded));
    return arguments;
}

std::string_view argument_of(const Request& request, std::string_view name) {
    for (const Argument& argument : request.arguments)
        if (argument.name == name) return argument.value;
    return {};
}

Request read_head(const CgiVariables& cgi) {
    const std::string_view uri = cgi("REQUEST_URI");
    Request request;
    request.method = cgi("REQUEST_METHOD");
    request.path = uri.substr(0, uri.find('?'));
    request.accepts_gzip = accepts_gzip(cgi("HTTP_ACCEPT_ENCODING"));
    request.if_none_match = cgi("HTTP_IF_NONE_MATCH");
    request.client = cgi("REMOTE_ADDR");
    request.forwarded_for = cgi("HTTP_X_FORWARDED_FOR");
    request.user_agent = cgi("HTTP_USER_AGENT");
    request.accept_language = cgi("HTTP_ACCEPT_LANGUAGE");
    request.accept = cgi("HTTP_ACCEPT");
    request.accept_datetime = cgi("HTTP_ACCEPT_DATETIME");
    request.fetch_dest = cgi("HTTP_SEC_FETCH_DEST");
    return request;
}

std::variant<Request, Refusal> read_request(const CgiVariables& cgi, std::string_view body) {
    if (auto refusal = check_request(cgi, body)) return *std::move(refusal);
    Request request = read_head(cgi);
    request.query = cgi("QUERY_STRING");
    const bool has_form = request.method == "POST" && !body.empty();
    request.arguments = split_arguments(has_form ? body : request.query, &request.well_encoded);
    return request;
}

std::string_view mount_of(std::string_view base_url) {
    const std::size_t host = base_url.find("://");
    const std::size_t path = host == std::string_view::npos ? host : base_url.find('/', host + 3);
    if (path == std::string_view::npos) return "";
    return without_last_slash(base_url.substr(path));
}

std::string_view without_last_slash(std::string_view base_url) {
    return base_url.substr(0, base_url.find_last_not_of('/') + 1);
}

}  // namespace oai
