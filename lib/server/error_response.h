// SPDX-License-Identifier: MIT
// The response to a request that failed; the log gets one line event=fault with what happened and
// where. Thread-safe.
#pragma once

#include "web/response.h"

namespace oai {

// For the exception that is being handled, whatever it is: 503 with Retry-After where it is worth
// a retry (NoConnectionFree, Unavailable, a database out of reach), else 500. The response says
// nothing of the inside. REQUIRES: within a catch.
Response error_response(int retry_after_seconds) noexcept;

}  // namespace oai
