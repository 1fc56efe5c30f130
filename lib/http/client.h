// SPDX-License-Identifier: MIT
// A polite HTTP client over libcurl: one request at a time, connections kept, redirects followed, no protocol
// but http and https, bounds for everything. Asks once: retry.h asks again. One client is not thread-safe;
// several may be used at the same time. Proxies are those of the environment (http_proxy, no_proxy).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "http/handle.h"
#include "http/message.h"

namespace oai::http {

inline constexpr const char* kUserAgent = "oai-fcgi/0.1";

struct Options {
    std::string user_agent = kUserAgent;
    std::string from = {};  // mail address of whoever runs it; "" says none
    std::chrono::milliseconds connect_timeout{30'000};
    std::chrono::seconds stall_timeout{60};  // without a byte
    std::chrono::milliseconds timeout{0};    // for a request with its redirects; 0 as long as bytes come
    std::int64_t most_bytes = std::int64_t{64} << 20;  // of a body, decoded
    int most_redirects = 5;
};

class Client {
  public:
    explicit Client(Options options);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // Throws Error. Any status is an answer. A POST that is redirected by 301, 302 or 303 goes on as GET.
    Answer send(const Request& request);
    // The same, with the body of a 2xx answer given to `receiver`; most_bytes bounds that, too. Of the body
    // of another status answer.body has the first 64 KiB.
    Answer send(const Request& request, const Receiver& receiver);

    const Options& options() const { return options_; }

  private:
    Answer perform(const Request& request, const Receiver* receiver);
    Options options_;
    CurlHandle curl_;
};

// The absolute URL that a reference in a document of `base` means; "" if it is none of
// http and https.
std::string resolved(const std::string& base, const std::string& reference);

// What may stand in a query: all but A-Za-z0-9-._~ as %HH.
std::string query_escaped(const std::string& value);

}  // namespace oai::http
