// SPDX-License-Identifier: MIT
// A read-only snapshot and a server-side cursor within it, both for one request: BEGIN ISOLATION
// LEVEL REPEATABLE READ READ ONLY; DECLARE ... NO SCROLL CURSOR; FETCH n; COMMIT. They use libpq's
// pipeline mode so that a short page takes two round trips: BEGIN is sent with the first statement,
// DECLARE with the first FETCH, COMMIT with the last. Knows nothing of OAI-PMH. Throws Error.
#pragma once

#include "pg/connection.h"

namespace oai::pg {

// A Connection has at most one Snapshot at a time. The destructor rolls back unless it was
// committed.
class Snapshot {
  public:
    explicit Snapshot(Connection& connection) : connection_(connection) {}
    ~Snapshot();
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

    // Runs a statement; the first one takes BEGIN along in the same round trip. REQUIRES: not
    // committed.
    Result query(const Statement& statement, const Parameters& parameters);
    void commit();  // a second commit does nothing
    bool is_committed() const { return done_; }
    Connection& connection() { return connection_; }

  private:
    friend class Cursor;
    int send_begin();  // sends BEGIN once; returns the number of results that it adds
    Connection& connection_;
    bool begun_ = false;
    bool done_ = false;
};

class Cursor {
  public:
    // `statement` is "DECLARE page NO SCROLL CURSOR FOR SELECT ... LIMIT $n". It always needs a
    // LIMIT, without which the planner may sort everything. It is sent together with the first
    // fetch, in one round trip. A Snapshot has one open cursor at a time.
    Cursor(Snapshot& snapshot, const Statement& statement, Parameters parameters);

    enum class After { keep_open, commit };  // what happens to the snapshot after a fetch
    // Requests up to n rows and returns at once, so the database reads them while the caller works.
    // After::commit ends the snapshot in the same round trip. Until receive() or buffer() no other
    // statement may use the connection. REQUIRES: no fetch is pending.
    void request(int n, After after = After::keep_open);
    // Waits for the requested rows; fewer than n mean the end. REQUIRES: request() was called.
    Result receive();
    // Waits for the requested rows and keeps them for receive(), so that other statements can use
    // the connection. REQUIRES: request() was called, and receive() not since.
    void buffer() { buffered_ = read_result(); }
    Result fetch(int n, After after = After::keep_open) {
        request(n, after);
        return receive();
    }
    // Closes the cursor, so that another can be declared in the same snapshot. Does nothing after a
    // commit. REQUIRES: no fetch is pending.
    void close();

  private:
    Result read_result();
    Snapshot& snapshot_;
    Statement statement_;
    Parameters parameters_;
    bool declared_ = false;
    int preceding_ = 0;  // number of results that precede the requested rows
    After after_ = After::keep_open;
    std::optional<Result> buffered_;
};

}  // namespace oai::pg
