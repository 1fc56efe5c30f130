// SPDX-License-Identifier: MIT
// The response to a request that failed; the log gets one line event=fault with what happened and
// where. Thread-safe.
#pragma once

#include "web/response.h"

namespace oai {

// For the exception that is being handled, whatever it is: 503 with Retry-After if a retry may
// succeed (NoConnectionFree, Unavailable, a database that cannot be reached), else 500. The
// response does not reveal the cause. REQUIRES: called within a catch block.
Response error_response(int retry_after_seconds) noexcept;

}  // namespace oai
