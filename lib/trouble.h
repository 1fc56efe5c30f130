// SPDX-License-Identifier: MIT
// What a harvester is told when a request went wrong, and the admin beside it: one log line event=fault with what happened
// and where. Thread-safe.
#pragma once

#include "response.h"

namespace oai {

// For the exception that is being handled, whatever it is: 503 with Retry-After where it is worth asking again (Busy,
// Unavailable, a database out of reach), else 500. Plain words, which tell nothing of the inside. REQUIRES: within a catch.
Response trouble_response(int retry_after_seconds) noexcept;

}  // namespace oai
