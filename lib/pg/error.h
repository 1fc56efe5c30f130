// SPDX-License-Identifier: MIT
// What went wrong at the database, so that the caller can act: is it worth asking again, which statement was it,
// which SQLSTATE. Knows no OAI.
#pragma once

#include <stdexcept>
#include <string>

namespace oai::pg {

class Error : public std::runtime_error {
  public:
    // sqlstate: five characters, or "" where the server sent none (a killed backend does not).
    Error(const std::string& what, std::string statement, std::string sqlstate, bool unavailable)
        : std::runtime_error(what), statement_(std::move(statement)), sqlstate_(std::move(sqlstate)),
          unavailable_(unavailable) {}
    const std::string& statement() const { return statement_; }  // its name in queries.h, or "connect"
    const std::string& sqlstate() const { return sqlstate_; }
    // The connection is broken (PQstatus first), the server said nothing (libpq itself failed), the class is 08, 40, 53
    // or 57, or the schema is not (wholly) there: ask again later. Else a fault.
    bool unavailable() const { return unavailable_; }

  private:
    std::string statement_, sqlstate_;
    bool unavailable_;
};

}  // namespace oai::pg
