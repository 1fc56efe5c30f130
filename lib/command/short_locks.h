// SPDX-License-Identifier: MIT
// Changes of tables and views while others use them: a statement that waits for a lock makes all
// later ones wait, so the transaction gives up soon, and is tried again.
#pragma once

#include <functional>
#include <string>

#include "pg/connection.h"

namespace oai::command {

// Runs `work` in a transaction of its own, about a minute long again and again if it does not get
// its locks; says so once, with `what` waits. Throws pg::Error.
void with_short_locks(pg::Connection& connection, const std::string& what,
                      const std::function<void()>& work);

}  // namespace oai::command
