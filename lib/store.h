// SPDX-License-Identifier: MIT
// The questions the verbs ask; rows become values. Every answer of a list and its horizon come from one snapshot.
// Knows no XML and no HTTP. Throws pg::Error, pg::Busy, Unavailable (horizon not started), Fault (oai.record does
// not keep its contract). Thread-safe; a Listing belongs to one thread.
#pragma once

#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pg/cursor.h"
#include "pg/pool.h"
#include "record.h"

namespace oai {

// Rows of one fetch: headers, and for record lists the model's columns. Owns what its views point to.
class Slice {
  public:
    Slice() = default;
    // `stop`: rows from there on are left out (the look-ahead).
    Slice(std::shared_ptr<const pg::Result> rows, int first_row, int stop_row);

    int size() const { return static_cast<int>(headers_.size()); }
    const Header& header(int i) const { return headers_[static_cast<std::size_t>(i)]; }

    // The model's columns of oai.record: what follows the six columns of oai.item. 0 for header lists.
    int columns() const;
    std::string_view column_name(int column) const;
    unsigned column_type(int column) const;  // pg::TypeOid
    bool is_null(int i, int column) const;
    std::string_view bytes(int i, int column) const;  // PostgreSQL binary format

  private:
    std::shared_ptr<const pg::Result> rows_;
    std::vector<int> row_of_;  // numbers that no item has any more are skipped
    std::vector<Header> headers_;
    std::vector<int> set_ids_;
};

struct ListQuery {
    bool with_records = false;     // false: headers only
    std::optional<Seconds> from;   // first second
    std::optional<Seconds> until;  // last second
    std::optional<std::string> set;
    int records = 100;             // at most so many
    // Going on with a list (from its token):
    std::optional<std::int64_t> after;
    std::int64_t upto = 0;         // 0: open
    bool want_size = false;        // first page: count
    int count_limit = 10'000;
};

// Where a list stands, read in the snapshot of its page.
struct Position {
    Horizon horizon;
    bool set_exists = true;
    std::int64_t after = 0;
    std::int64_t upto = 0;        // show seq <= this
    bool upto_fixed = false;      // `until` lies before the horizon: this bound will not move any more
    std::int64_t size = -1;       // completeListSize, -1 unknown or not asked for
};

// One page being read. Gives its connection back as soon as the last row it will need has been fetched.
class Listing {
  public:
    const Position& position() const { return position_; }
    // The next up to ~100 records; an empty Slice: the page or the list has ended.
    Slice next();
    // True once it is known that the list has a record beyond those that next() gave. Valid after next() returned
    // an empty Slice or the page is full.
    bool more();
    // The caller's budget is spent: read no further, except to know more(). Then the connection is free.
    void stop();
    ~Listing();
    Listing(Listing&&) noexcept;

  private:
    friend class Store;
    struct State;
    explicit Listing(std::unique_ptr<State> state);
    Position position_;
    std::unique_ptr<State> state_;
};

struct StoreOptions {
    pg::PoolOptions pool;
};

class Store {
  public:
    explicit Store(StoreOptions options);

    Horizon horizon();  // throws Unavailable while the first numbering has not ended

    // The whole first page position is known at once; rows follow by Listing::next().
    Listing list(const ListQuery& query);

    // The record of an item, in a Slice of one with the horizon of the same snapshot. Empty: no such item is published.
    struct Found { Horizon horizon; Slice slice; };
    Found get(std::string_view local_id, bool with_record = true);

    // Sets with id > after_id, by id, at most limit. Throws as above.
    std::vector<Set> sets(int after_id, int limit);

    // setSpecs of headers. Filled from the database by list(), get() for ids not yet known; a name never changes.
    // The views live as long as the Store. Unknown ids throw Fault.
    void set_specs(std::span<const int> ids, std::vector<std::string_view>& out) const;

    pg::Pool& pool() { return pool_; }

  private:
    friend class Listing;
    void learn_sets(pg::Connection& connection, const Slice& slice);
    pg::Pool pool_;
    mutable std::shared_mutex sets_mutex_;
    std::unordered_map<int, std::string> set_specs_;
};

}  // namespace oai
