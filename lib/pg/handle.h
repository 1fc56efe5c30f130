// SPDX-License-Identifier: MIT
// Owners of libpq's handles. PQfinish and PQclear are called only here.
#pragma once

#include <libpq-fe.h>

#include <memory>

namespace oai::pg {

struct FinishConnection {
    void operator()(PGconn* c) const noexcept { PQfinish(c); }
};
struct ClearResult {
    void operator()(PGresult* r) const noexcept { PQclear(r); }
};

using ConnectionHandle = std::unique_ptr<PGconn, FinishConnection>;
using ResultHandle = std::unique_ptr<PGresult, ClearResult>;

}  // namespace oai::pg
