// SPDX-License-Identifier: MIT
// The questions the verbs ask; rows become values. Every answer of a list and its horizon come from one snapshot.
// Knows no XML and no HTTP. Throws pg::Error, pg::Busy, Unavailable (horizon not started), Fault (oai.record does
// not keep its contract). Thread-safe; a Listing belongs to one thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dictionary.h"
#include "pg/cursor.h"
#include "pg/pool.h"
#include "record.h"

namespace oai {

// Rows of one fetch: headers, and for record lists the model's columns. Owns what its views point to; so it moves
// but does not copy.
class Slice {
  public:
    Slice() = default;
    // `rows`: any columns of the store's own, then the six of oai.item (id, seq, local_id, datestamp, deleted,
    // set_ids), then the model's. A row whose id is NULL is a number that no item has any more: left out.
    // `stop_row`: rows from there on are left out. Throws Fault if the six are not what the contract says.
    Slice(std::shared_ptr<const pg::Result> rows, int first_row, int stop_row);
    Slice(Slice&&) noexcept = default;
    Slice& operator=(Slice&&) noexcept = default;

    // Forgets all but the first n records.
    void keep(int n);

    int size() const { return static_cast<int>(headers_.size()); }
    const Header& header(int i) const { return headers_[static_cast<std::size_t>(i)]; }

    // The model's columns of oai.record: what follows the six columns of oai.item. 0 for header lists.
    int columns() const;
    std::string_view column_name(int column) const;
    unsigned column_type(int column) const;  // pg::TypeOid
    bool is_null(int i, int column) const;
    bool has_value(int i, int column) const;  // neither NULL nor an array without entries
    std::string_view bytes(int i, int column) const;  // PostgreSQL binary format

    // A column whose numbers stand for names of oai.dictionary: integer or integer[], and its name ends in "_id".
    bool is_named(int column) const;
    // What the internal XML and formats call the column: its name, without "_id" where it is_named().
    std::string_view shown_name(int column) const;
    // The column NAME_lang beside NAME, both text[]: the languages of its entries, one for one. -1: there is none.
    int language_column(int column) const;
    bool is_language(int column) const;  // it is such a NAME_lang
    std::vector<int> named_ids() const;  // of all such columns, ascending, without repetition
    // Of named_ids(), for the slices that the Store gives; the views live as long as the Store.
    const Names& names() const { return names_; }
    void set_names(Names names) { names_ = std::move(names); }

  private:
    std::shared_ptr<const pg::Result> rows_;
    int first_column_ = 0;      // of oai.item's six
    std::vector<int> row_of_;
    std::vector<Header> headers_;
    std::vector<int> set_ids_;  // of all headers, one after the other
    Names names_;
};

// What earlier pages of a list have shown: numbers up to seq, and that these were all up to the second h.
struct Seen {
    std::int64_t seq = 0;
    Seconds h{};
};

struct ListQuery {
    bool with_records = false;     // false: headers only
    std::optional<Seconds> from{};   // first second
    std::optional<Seconds> until{};  // last second
    std::optional<std::string> set{};
    int records = 100;             // at most so many; at least 1
    // Going on with a list (from its token):
    std::optional<std::int64_t> after{};
    std::int64_t upto = 0;         // 0: open
    std::optional<Seen> seen{};
    bool want_size = false;        // first page: count
    int count_limit = 10'000;
};

// Where a list stands, read in the snapshot of its page.
struct Position {
    Horizon horizon;
    bool set_exists = true;       // false: no such set, and the list is empty
    bool lost = false;            // some of what ListQuery::seen had seen (oai.fork in schema/001-contract.sql)
    std::int64_t after = 0;
    std::int64_t upto = 0;        // show seq <= this
    bool upto_fixed = false;      // `until` lies before the horizon: this bound will not move any more
    std::int64_t size = -1;       // completeListSize, -1 unknown or not asked for
};

// One page being read. Gives its connection back as soon as the last row that it needs has been fetched: for a page
// of up to 100 records before Store::list() returns, after two round trips in all. A page of more keeps it, and its
// snapshot, while the caller works on the slices before the last. REQUIRES: the Store outlives it.
class Listing {
  public:
    const Position& position() const { return position_; }
    // The next up to ~100 records; an empty Slice: the page or the list has ended.
    Slice next();
    // True: the list has a record beyond those that next() gave. Valid once next() has given an empty Slice or
    // ListQuery::records records in all, and after stop().
    bool more() const;
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

// A version of a record that a format does not have.
struct Exclusion {
    std::string prefix;
    std::int64_t seq;
};

// The store adds its own settings to the pool's: it can only read, and no plan can sort or scan a whole table.
struct StoreOptions {
    pg::PoolOptions pool;
    // A statement that takes longer is ended (pg::Error, unavailable), and so is a connection that sits in a
    // snapshot for longer without asking anything. 0: never. Set per session, as all settings of the pool.
    std::chrono::milliseconds statement_timeout{30'000};
    std::chrono::seconds replica_lag{0};  // becomes Horizon::lag
};

class Store {
  public:
    explicit Store(StoreOptions options);

    Horizon horizon();  // throws Unavailable while the first numbering has not ended

    // Position and first rows are read at once; the rows come by Listing::next().
    Listing list(const ListQuery& query);

    // The record of an item, in a Slice of one with the horizon of the same snapshot. An empty Slice: no such item is
    // published.
    struct Found { Horizon horizon; Slice slice; };
    Found get(std::string_view local_id, bool with_record = true);

    // schema/006-exclusion.sql. The number changes whenever the exclusions do.
    std::int64_t exclusions_version();
    std::vector<Exclusion> exclusions();

    // Changes that wait to be published: exact up to 1,000, beyond that no less than there are.
    std::int64_t queued();

    // Sets with id > after_id, by id, at most limit, with the horizon of the same snapshot; `lost` as in Position.
    struct Sets { Horizon horizon; bool lost; std::vector<Set> sets; };
    Sets sets(int after_id, int limit, const std::optional<Seen>& seen = {});

    // Appends the setSpecs of a header's set_ids. Known for all that list() and get() gave: they ask the database for
    // those not yet seen; a set's spec never changes. The views live as long as the Store. Unknown ids throw Fault.
    void set_specs(std::span<const int> ids, std::vector<std::string_view>& out) const;

    pg::Pool& pool() { return pool_; }
    const pg::Pool& pool() const { return pool_; }

  private:
    friend class Listing;
    static void add_seen(pg::Parameters& p, const std::optional<Seen>& seen);  // the number and the second
    Horizon read_horizon(const pg::Result& row) const;  // columns 0 to 3 of its row 0
    // What a slice refers to by number: in columns of the dictionary, and what of it is not known yet.
    struct Referred {
        std::vector<int> ids, unknown_sets, unknown_names{};
        bool has_unknown() const { return !unknown_sets.empty() || !unknown_names.empty(); }
    };
    Referred referred(const Slice& slice) const;
    void learn(pg::Connection& connection, const Referred& referred);  // REQUIRES: has_unknown()
    void name(Slice& slice, const Referred& referred) const;           // REQUIRES: nothing is unknown any more
    std::vector<int> unknown_sets(const Slice& slice) const;
    const std::chrono::seconds replica_lag_;
    pg::Pool pool_;
    mutable std::shared_mutex sets_mutex_;
    std::unordered_map<int, std::string> set_specs_;
    Dictionary dictionary_;
};

}  // namespace oai
