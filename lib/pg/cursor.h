// SPDX-License-Identifier: MIT
// A read-only snapshot and a server-side cursor within it, both for the length of one request: BEGIN ISOLATION
// LEVEL REPEATABLE READ READ ONLY; DECLARE ... NO SCROLL CURSOR; FETCH n; COMMIT, in libpq pipeline mode so that a
// short page costs two round trips: BEGIN with the first statement, DECLARE with the first FETCH, COMMIT with the
// last. Knows no OAI. Throws Error.
#pragma once

#include "pg/connection.h"

namespace oai::pg {

// Exactly one per Connection at a time. The destructor rolls back if commit() was not reached.
class Snapshot {
  public:
    explicit Snapshot(Connection& connection) : connection_(connection) {}
    ~Snapshot();
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

    // BEGIN goes with the first statement, in one round trip. REQUIRES: not committed.
    Result query(const Statement& statement, const Parameters& parameters);
    void commit();  // a second commit does nothing
    bool committed() const { return done_; }
    Connection& connection() { return connection_; }

  private:
    friend class Cursor;
    int send_begin();   // once; how many results it adds
    Connection& connection_;
    bool begun_ = false;
    bool done_ = false;
};

class Cursor {
  public:
    // `statement` is "DECLARE page NO SCROLL CURSOR FOR SELECT ... LIMIT $n": with a LIMIT always, or the planner
    // may sort everything. Declared together with the first fetch, in one round trip. One cursor at a time.
    Cursor(Snapshot& snapshot, const Statement& statement, Parameters parameters);

    enum class Then { go_on, commit };
    // Asks for up to n rows and returns at once: the database reads them while the caller works. Then::commit ends the
    // snapshot in the same round trip. REQUIRES: nothing is asked for. Until take() the connection is the cursor's alone.
    void ask(int n, Then then = Then::go_on);
    // The rows asked for; fewer than n mean the end. REQUIRES: ask() came before.
    Result take();
    // Waits for the rows asked for and keeps them for take(): until the next ask() the connection is free for other
    // statements. REQUIRES: ask() came before, and take() not yet.
    void hold() { held_ = receive(); }
    Result fetch(int n, Then then = Then::go_on) {
        ask(n, then);
        return take();
    }
    // CLOSE, so that another cursor may be declared in the same snapshot. Nothing to do after a commit.
    // REQUIRES: nothing is asked for.
    void close();

  private:
    Result receive();
    Snapshot& snapshot_;
    Statement statement_;
    Parameters parameters_;
    bool declared_ = false;
    int before_ = 0;          // results that come before the rows asked for
    Then then_ = Then::go_on;
    std::optional<Result> held_;
};

}  // namespace oai::pg
