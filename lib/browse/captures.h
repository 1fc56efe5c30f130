// SPDX-License-Identifier: MIT
// Captures of a web archive for programs: base_url/browse/captures?url=..., which takes and gives
// what CDX servers take and give (deploy/manual/people.md has its parameters and fields).
// Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "store/search.h"
#include "web/request.h"
#include "web/response.h"

namespace oai {

struct CapturesQuestion {
    Store& store;
    std::string_view identifier_prefix;
    std::string_view address;  // base_url/browse/captures
    const Request& request;
    bool gzip;
};

// 400 with a sentence for parameters that are wrong or not known, so that none is silently left
// out; 404 where the repository has no captures; 503 where the database took too long. Throws as
// SearchQueries do.
Response captures_response(const CapturesQuestion& question);

}  // namespace oai
