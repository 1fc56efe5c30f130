// SPDX-License-Identifier: MIT
// What a page of a list is read through: a connection of the pool, one snapshot in it and, one at a
// time, cursors in the snapshot. Knows which statements are under way, and nothing of records.
// Belongs to one thread. Throws pg::Error and pg::Busy.
#pragma once

#include <optional>

#include "pg/cursor.h"
#include "pg/pool.h"
#include "store/fetch_plan.h"

namespace oai {

class PageSession {
  public:
    // Takes a connection. REQUIRES: the pool outlives the session.
    explicit PageSession(pg::Pool& pool) : lease_(pool.take()) {}

    // Begins a snapshot, in place of the one before, by the first statement in it.
    pg::Result begin(const pg::Statement& statement, const pg::Parameters& parameters);

    // The cursor for the next fetch(), in place of the one before.
    void open(const pg::Statement& statement, pg::Parameters parameters);
    // Asks for the rows and returns at once: the database reads them while the caller works.
    // REQUIRES: a cursor is open; nothing is under way.
    void fetch(const Fetch& fetch);
    // The fetch whose rows have not been taken yet.
    const std::optional<Fetch>& under_way() const { return under_way_; }
    // Its rows. REQUIRES: a fetch is under way.
    pg::Result take();

    // For other statements: rows under way are waited for, and kept for take().
    pg::Connection& connection();

    // The snapshot has ended with its last fetch.
    bool committed() const { return snapshot_ && snapshot_->is_committed(); }
    // Ends the snapshot and gives the connection back, so that others can have it. Rows under way
    // are thrown away. A second call does nothing.
    void end();

  private:
    // In this order: the snapshot ends before its connection is given back.
    std::optional<pg::Pool::Lease> lease_;
    std::optional<pg::Snapshot> snapshot_;
    std::optional<pg::Cursor> cursor_;
    std::optional<Fetch> under_way_;
};

}  // namespace oai
