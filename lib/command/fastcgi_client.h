// SPDX-License-Identifier: MIT
// One question to a FastCGI server over its socket, without a web server. Knows nothing of what is asked.
#pragma once

#include <string>
#include <string_view>

namespace oai::command {

// The body of GET `uri`, a path with or without a query, whatever the status. Throws std::runtime_error with words for the administrator: nobody listens
// there, the socket is closed to this user, no whole answer within `patience_seconds`, an answer of more than 64 MB.
std::string get_by_fastcgi(const std::string& socket, std::string_view uri, int patience_seconds = 10);
// The same with its head, "Status: ..." first.
std::string ask_by_fastcgi(const std::string& socket, std::string_view uri, int patience_seconds = 10);

// The records of one request (FastCGI 1.0, 3.3 and 5): begin, its variables, an empty body.
std::string fastcgi_request(std::string_view uri);
// What a responder wrote, out of its records; one that is cut short counts as far as it goes.
std::string fastcgi_output(std::string_view records);

}  // namespace oai::command
