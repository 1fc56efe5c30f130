// SPDX-License-Identifier: MIT
// An error of the database, with what the caller needs to react: whether a later attempt may
// succeed, the statement, and the SQLSTATE. Knows nothing of OAI-PMH.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace oai::pg {

// SQLSTATE
inline constexpr char kUniqueViolation[] = "23505";
// "cached plan must not change result type": a view has other columns than when the statement that
// reads it was prepared. Connection prepares it anew at the next attempt.
inline constexpr char kColumnsDiffer[] = "0A000";
// "invalid SQL statement name": of a session that others prepare statements in.
inline constexpr char kSharedSession[] = "26000";

class Error : public std::runtime_error {
  public:
    // sqlstate: five characters, or "" if the server sent none, as when its process was killed.
    // is_lost: the connection is of no use any more.
    Error(const std::string& what, std::string statement, std::string sqlstate, bool is_lost)
        : std::runtime_error(what),
          statement_(std::move(statement)),
          sqlstate_(std::move(sqlstate)),
          is_lost_(is_lost) {}
    // The name of the statement in queries.h, or "connect".
    const std::string& statement() const { return statement_; }
    const std::string& sqlstate() const { return sqlstate_; }
    bool is_lost() const { return is_lost_; }
    // Whether a later attempt may succeed.
    bool unavailable() const;

  private:
    std::string statement_, sqlstate_;
    bool is_lost_;
};

// A kind of trouble that a database has.
struct Trouble {
    std::string_view sqlstate;  // its beginning
    bool is_temporary;          // a later attempt may succeed
    std::string_view what;      // for clients: a part of a sentence without details
    std::string_view remedy;    // for the administrator
};
// Pure. An error without a SQLSTATE means a lost connection, or that none could be made.
const Trouble& trouble_of(const Error& error);
// The message, and for an Error what to do.
std::string with_remedy(const std::exception& error);

}  // namespace oai::pg
