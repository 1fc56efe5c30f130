// SPDX-License-Identifier: MIT
// An HTTP client over libcurl: sends one request at a time, keeps connections, follows redirects,
// speaks http and https only, and limits time and size. It does not retry; retry.h does. A client
// is not thread-safe, but several clients may be used at the same time. Proxies are taken from the
// environment (http_proxy, no_proxy).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tools/http_client/handle.h"
#include "tools/http_client/message.h"

namespace oai::http {

inline constexpr const char* kUserAgent = "oai-fcgi/0.1";

struct ClientOptions {
    std::string user_agent = kUserAgent;
    std::string from = {};  // mail address for the header From; "": no such header
    std::chrono::milliseconds connect_timeout{30'000};
    std::chrono::seconds stall_timeout{60};  // time without receiving a byte
    // Of a request with its redirects; 0: no limit while bytes arrive.
    std::chrono::milliseconds timeout{0};
    std::int64_t max_bytes = std::int64_t{64} << 20;  // of a body, decoded
    int max_redirects = 5;
};

class Client {
  public:
    explicit Client(ClientOptions options);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // Throws Error. Any status is an answer. A POST that is redirected by 301, 302 or 303 goes on
    // as GET, unless the request says otherwise.
    ClientResponse send(const ClientRequest& request);
    // The same, with the body of a 2xx answer given to `receiver`; most_bytes bounds that, too. Of
    // the body of another status answer.body has the first 64 KiB.
    ClientResponse send(const ClientRequest& request, const BodyReceiver& receiver);

    const ClientOptions& options() const { return options_; }

  private:
    ClientResponse perform(const ClientRequest& request, const BodyReceiver* receiver);
    ClientOptions options_;
    CurlHandle curl_;
};

// Resolves a reference in a document at `base` to an absolute URL; "" if that is not http or https.
std::string resolve_reference(const std::string& base, const std::string& reference);

// Escapes a value for use in a query: all bytes but A-Za-z0-9-._~ become %HH.
std::string escape_query_value(const std::string& value);

}  // namespace oai::http
