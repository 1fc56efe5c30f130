// SPDX-License-Identifier: MIT
// Owners of libpq's handles. PQfinish and PQclear are called only here.
#pragma once

#include <libpq-fe.h>

#include <memory>

#include "base/owner.h"

namespace oai::pg {

using ConnectionHandle = std::unique_ptr<PGconn, Released<PQfinish>>;
using ResultHandle = std::unique_ptr<PGresult, Released<PQclear>>;

}  // namespace oai::pg
