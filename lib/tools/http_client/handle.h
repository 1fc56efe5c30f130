// SPDX-License-Identifier: MIT
// Owning handles of libcurl objects. Its free functions are called only here.
#pragma once

#include <curl/curl.h>

#include <memory>

#include "base/owner.h"

namespace oai::http {

using CurlHandle = std::unique_ptr<CURL, Released<curl_easy_cleanup>>;
using CurlUrlHandle = std::unique_ptr<CURLU, Released<curl_url_cleanup>>;
using CurlTextHandle = std::unique_ptr<char, Released<curl_free>>;
using CurlListHandle = std::unique_ptr<curl_slist, Released<curl_slist_free_all>>;

}  // namespace oai::http
