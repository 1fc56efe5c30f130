// SPDX-License-Identifier: MIT
// Owning handles of libcurl objects. Its free functions are called only here.
#pragma once

#include <curl/curl.h>

#include <memory>

namespace oai::http {

struct CloseCurl {
    void operator()(CURL* c) const noexcept { curl_easy_cleanup(c); }
};
struct FreeCurlText {
    void operator()(char* s) const noexcept { curl_free(s); }
};
struct FreeCurlList {
    void operator()(curl_slist* l) const noexcept { curl_slist_free_all(l); }
};

using CurlHandle = std::unique_ptr<CURL, CloseCurl>;
using CurlTextHandle = std::unique_ptr<char, FreeCurlText>;
using CurlListHandle = std::unique_ptr<curl_slist, FreeCurlList>;

}  // namespace oai::http
