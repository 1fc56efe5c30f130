// SPDX-License-Identifier: MIT
// Sends bytes to a server on a connection of their own and takes what comes back, whatever it is:
// for what libcurl itself would not let through, such as several requests at once or a body after
// HEAD. Follows no redirect and decodes nothing.
#pragma once

#include <chrono>
#include <string>

namespace oai::http {

struct RawResponse {
    std::string bytes;    // 1 MiB at most
    bool closed = false;  // by the server; else it was silent, slow, or sent more
};

// url: http or https; its host and port are connected to, by TLS for https. `patience`: for the
// connection, and for each wait for bytes; it takes three times as long in all at most. Throws
// TransferError if there is no connection.
RawResponse send_raw(const std::string& url, const std::string& bytes,
                     std::chrono::milliseconds patience);

// The value of Host for the URL, and what stands behind it: {"example.org:81", "/oai"}.
struct UrlParts {
    std::string host, path;
};
UrlParts split_url(const std::string& url);

}  // namespace oai::http
