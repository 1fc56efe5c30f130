// SPDX-License-Identifier: MIT
// What the questions of the store throw when the database fails, for those who know no PostgreSQL.
#pragma once

#include "pg/error.h"
#include "pg/pool.h"

namespace oai {

using DatabaseError =
    pg::Error;  // the database refused or did not answer; says whether a retry may help
using NoConnectionFree = pg::Busy;  // all connections were in use for too long

}  // namespace oai
