// SPDX-License-Identifier: MIT
// Waits for the second in which a prepared slice may publish itself (schema/015-loading.sql).
#pragma once

#include <chrono>
#include <optional>

#include "pg/connection.h"

namespace oai::load {

// publish: -> one row: turn, milliseconds, as library.publish_slice() gives them; asked again while
// it is somebody else's turn. Returns how long the row of oai.horizon was locked, and is so until
// the caller commits, at once. Returns nothing, after 15 s at most, if the slice is to be left to
// the publisher. REQUIRES: the slice's transaction is open. Throws pg::Error.
std::optional<std::chrono::milliseconds> take_turn(pg::Connection& connection,
                                                   const pg::Statement& publish);

}  // namespace oai::load
