// SPDX-License-Identifier: MIT
// A request as the web server handed it over: CGI variables and a form body become arguments. Split, THEN
// decoded; order and duplicates kept. Knows nothing of verbs.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace oai {

struct Argument {
    std::string name;
    std::string value;
    bool operator==(const Argument&) const = default;
};

struct Request {
    std::string method;  // "GET", "HEAD" or "POST"
    std::string path;    // REQUEST_URI up to '?', raw
    std::vector<Argument> arguments;
    bool well_encoded = true;  // false: some %HH was broken; its argument is kept undecoded, the answer is badArgument
    bool accepts_gzip = false;
    std::string if_none_match{};  // the header, "" if absent
    std::string client{};         // REMOTE_ADDR: the peer of the web server
    std::string forwarded_for{};  // X-Forwarded-For, the last of several: whom proxies in between name (client.h)
    std::string user_agent{};     // for the log
    std::string accept_language{};  // the header, "" if absent
    std::string fetch_dest{};       // Sec-Fetch-Dest: "document" where a browser navigates; "" if absent
};

// Refused before OAI-PMH is reached.
struct Refusal {
    int status;          // 400, 405, 411, 413, 414, 415
    std::string reason;  // one sentence, plain text
    bool operator==(const Refusal&) const = default;
};

// A CGI variable by name, "" if unset. The view lives as long as the callee's request.
using CgiVariables = std::function<std::string_view(std::string_view name)>;

// The number of body bytes the caller must read before read_request: 0 unless the method is POST. A Refusal when
// CONTENT_LENGTH is missing though HTTP_TRANSFER_ENCODING announces a body (411), is not a number (400) or is beyond
// post_limit_bytes (413), or when a body that is not empty is not application/x-www-form-urlencoded, with or without
// parameters (415). A POST with neither has no body (RFC 9112, 6.3).
std::variant<std::size_t, Refusal> body_length(const CgiVariables& cgi, std::size_t post_limit_bytes);

// Methods other than GET, HEAD, POST: 405. REQUEST_URI with '?' but no QUERY_STRING: 414 (Apache drops long ones
// silently). POST: the arguments of the body, then those of the query string are ignored (OAI-PMH 2.0, 3.1.1.2:
// the URL of a POST carries none) unless the body is empty. Names and values may hold any bytes, NUL included:
// arguments.h judges them. A body that is not as long as CONTENT_LENGTH says: 400, so that a request cut short is not
// taken for another one. Thread-safe, pure.
std::variant<Request, Refusal> read_request(const CgiVariables& cgi, std::string_view body);

// The pairs of one query string, separated by '&' alone. Empty ones ("a=1&&b=2") do not count; one without '=' has an
// empty value. Sets *well_encoded to false where a %HH is broken and leaves that name or value as it was sent.
std::vector<Argument> split_arguments(std::string_view query, bool* well_encoded);

}  // namespace oai
