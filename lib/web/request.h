// SPDX-License-Identifier: MIT
// A request as passed on by the web server: its arguments come from CGI variables and a form body.
// They are first split, then decoded, and keep their order and duplicates. Knows nothing of verbs.
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
    std::string query{};  // as the client sent it
    // False if some %HH was broken, which is kept undecoded: a badArgument.
    bool well_encoded = true;
    bool accepts_gzip = false;
    std::string if_none_match{};    // the header, "" if absent
    std::string client{};           // REMOTE_ADDR: the peer of the web server
    std::string forwarded_for{};    // X-Forwarded-For, "" if absent (client_address.h)
    std::string user_agent{};       // for the log
    std::string accept{};           // the header, "" if absent
    std::string accept_language{};  // the header, "" if absent
    std::string accept_datetime{};  // the header, "" if absent
    std::string fetch_dest{};  // Sec-Fetch-Dest: "document" where a browser navigates; "" if absent
};

// The first argument of that name, "" if there is none. A view into the request.
std::string_view argument_of(const Request& request, std::string_view name);

// The HTTP error for a request that is refused before OAI-PMH applies.
struct Refusal {
    int status;          // 400, 405, 411, 413, 414, 415
    std::string reason;  // one sentence, plain text
    bool operator==(const Refusal&) const = default;
};

// Returns a CGI variable by name, "" if it is unset. Valid as long as the request.
using CgiVariables = std::function<std::string_view(std::string_view name)>;

// The number of bytes of the body that the caller must read before read_request(); 0 unless the
// method is POST. A POST without a length and a transfer encoding has no body (RFC 9112, 6.3).
std::variant<std::size_t, Refusal> body_length(const CgiVariables& cgi,
                                               std::size_t post_limit_bytes);

// The arguments of a POST are those of its body; the query string is used only if the body is
// empty, since the URL of a POST has no arguments (OAI-PMH 2.0, 3.1.1.2). Names and values may
// contain any bytes, also NUL; parse_arguments() validates them. Pure, thread-safe.
std::variant<Request, Refusal> read_request(const CgiVariables& cgi, std::string_view body);

// The request without its arguments and query, for the log line of a rejected one.
Request read_head(const CgiVariables& cgi);

// Empty pairs ("a=1&&b=2") are ignored; a pair without '=' has an empty value. Sets *well_encoded
// to false if a %HH is broken, and leaves that name or value undecoded.
std::vector<Argument> split_arguments(std::string_view query, bool* well_encoded);

// Where the web server mounts the program. Pure.

// The path of base_url without a slash at its end: "/oai"; "" where it has none. A view into it.
std::string_view mount_of(std::string_view base_url);

// base_url itself without a slash at its end, a view into it: what addresses below it begin with.
std::string_view without_last_slash(std::string_view base_url);

}  // namespace oai
