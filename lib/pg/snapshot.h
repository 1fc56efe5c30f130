// SPDX-License-Identifier: MIT
// A read-only snapshot for one request, and a server-side cursor within it, by libpq's pipeline
// mode: BEGIN is sent with the first statement, DECLARE with the first FETCH, COMMIT with the last.
// Knows nothing of OAI-PMH. Throws Error.
#pragma once

#include <optional>

#include "pg/connection.h"

namespace oai::pg {

// At most one at a time per Connection. The destructor rolls back unless it was committed.
class Snapshot {
  public:
    explicit Snapshot(Connection& connection) : connection_(connection) {}
    ~Snapshot();
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

    // Runs a statement; the first one takes BEGIN along in the same round trip. REQUIRES: not
    // committed, and no rows are under way.
    Result query(const Statement& statement, const Parameters& parameters);

    // Sends a statement together with the next request(), in one round trip; its result comes by
    // answer(), which is called once between request() and receive(). REQUIRES: as query().
    void ask(const Statement& statement, const Parameters& parameters);
    Result answer();

    // Declares the cursor for the next request(), replacing the last. `statement` is "DECLARE page
    // NO SCROLL CURSOR FOR SELECT ... LIMIT $n"; without a LIMIT the planner may sort everything.
    // REQUIRES: as query().
    void open(const Statement& statement, Parameters parameters);

    enum class After { keep_open, commit };  // what happens to the snapshot after a fetch
    // Requests up to n rows of the cursor and returns at once, so the database reads them while the
    // caller works. After::commit ends the snapshot in the same round trip. REQUIRES: a cursor is
    // open, and no rows are under way: that they are, until receive().
    void request(int n, After after = After::keep_open);
    // The same for all rows that a statement gives, without a cursor, whose plan PostgreSQL would
    // not keep; ends the snapshot. REQUIRES: as query().
    void request_all(const Statement& statement, const Parameters& parameters);
    // Waits for the requested rows; fewer than n mean the end. REQUIRES: rows are under way.
    Result receive();
    Result fetch(int n, After after = After::keep_open) {
        request(n, after);
        return receive();
    }

    // For other statements: waits for requested rows and buffers them for receive().
    Connection& connection();

    // Discards requested rows. A second commit does nothing.
    void commit();
    bool is_committed() const { return committed_; }

  private:
    int send_begin();  // sends BEGIN once; returns the number of results that it adds
    Result read_rows();
    Connection& connection_;
    bool begun_ = false;
    int before_answer_ = 0;  // results that come before that of ask()
    bool committed_ = false;
    Statement declaration_{};
    Parameters parameters_;  // of the declaration
    bool declared_ = false;
    struct Request {
        int preceding;  // results that come before the rows
        After after;
    };
    std::optional<Request> under_way_;
    std::optional<Result> buffered_;  // the rows under way, if they have been read
};

}  // namespace oai::pg
