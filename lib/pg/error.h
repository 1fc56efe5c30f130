// SPDX-License-Identifier: MIT
// An error of the database, with what the caller needs to react: whether a later attempt may
// succeed, the statement, and the SQLSTATE. Knows nothing of OAI-PMH.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace oai::pg {

// SQLSTATE
inline constexpr char kUniqueViolation[] = "23505";
// "cached plan must not change result type": a view has other columns than when the statement that
// reads it was prepared. Connection prepares it anew at the next attempt.
inline constexpr char kColumnsDiffer[] = "0A000";

class Error : public std::runtime_error {
  public:
    // sqlstate: five characters, or "" if the server sent none, as when its process was killed.
    Error(const std::string& what, std::string statement, std::string sqlstate, bool unavailable)
        : std::runtime_error(what),
          statement_(std::move(statement)),
          sqlstate_(std::move(sqlstate)),
          unavailable_(unavailable) {}
    // The name of the statement in queries.h, or "connect".
    const std::string& statement() const { return statement_; }
    const std::string& sqlstate() const { return sqlstate_; }
    // Whether a later attempt may succeed: the connection is broken, libpq failed without an answer
    // of the server, the class of the SQLSTATE is 08, 40, 53 or 57, a lock was not granted in
    // time, or the schema is missing or incomplete.
    bool unavailable() const { return unavailable_; }

  private:
    std::string statement_, sqlstate_;
    bool unavailable_;
};

}  // namespace oai::pg
