// SPDX-License-Identifier: MIT
// Sends one request to a FastCGI server over its socket, without a web server. Knows nothing of the
// content of requests and responses.
#pragma once

#include <string>
#include <string_view>

namespace oai::command {

// Sends GET `uri`, a path with or without a query, and returns the body of the response, whatever
// its status. Throws std::runtime_error with a message for the administrator: no server listens on
// the socket, permission denied, no complete response within `timeout_seconds`, or more than 64 MB.
std::string get_by_fastcgi(const std::string& socket, std::string_view uri,
                           int timeout_seconds = 10);
// Returns the header too, which begins with "Status: ...".
std::string get_with_header_by_fastcgi(const std::string& socket, std::string_view uri,
                                       int timeout_seconds = 10);

// The FastCGI records of one request (FastCGI 1.0, 3.3 and 5): begin, variables, empty body.
std::string fastcgi_request(std::string_view uri);
// The standard output in the FastCGI records of a responder; a truncated record counts.
std::string fastcgi_output(std::string_view records);

}  // namespace oai::command
