// SPDX-License-Identifier: MIT
// Store::list and Listing. A page is read by one cursor in one snapshot; a set's page is declared again where numbers
// that no item has any more took up its places.
#include <algorithm>
#include <deque>
#include <utility>

#include "error.h"
#include "pg/binary.h"
#include "queries.h"
#include "store.h"

namespace oai {
namespace {

constexpr int kSliceRows = 100;  // what one transform of a stylesheet does best

std::optional<std::int64_t> seconds(const std::optional<Seconds>& t) {
    if (!t) return std::nullopt;
    return t->time_since_epoch().count();
}

}  // namespace

struct Listing::State {
    State(Store& s, const ListQuery& q) : store(s), query(q), lease(s.pool_.take()) {}

    void start();
    bool open(bool commit_early);
    void keep_ready(Slice slice);
    pg::Parameters parameters() const;  // of kPosition
    void read_position();
    Slice read();
    void ask();
    void declare();
    void check_order(const Slice& slice);
    void learn(Slice& slice);
    void settle();
    // Nothing more needs to be read.
    bool finished() const { return more || ended; }

    Store& store;
    const ListQuery query;
    Position position;
    std::optional<std::int64_t> set_id;  // of query.set
    bool early = false;      // a set's short page: COMMIT goes with its only fetch
    int asked = 0;           // rows that the database is reading meanwhile; 0: none
    int remaining = 0;       // records the page may still give
    std::int64_t last = 0;   // the number up to which the list has been read
    int cursor_left = 0;     // rows the cursor may still give, by its LIMIT
    bool refill = false;     // the cursor is not the first
    bool more = false;       // a record beyond the page has been seen
    bool ended = false;      // there is none
    std::deque<Slice> ready;     // read by list(), not yet given out
    // In this order: the snapshot ends before its connection is given back.
    std::optional<pg::Pool::Lease> lease;
    std::optional<pg::Snapshot> snapshot;
    std::optional<pg::Cursor> cursor;
};

// The only fetch of a short page carries the COMMIT. Should numbers without items have taken up places in it, the
// page is read anew in another snapshot that stays open while it is filled on: nothing has been given out yet.
void Listing::State::start() {
    if (!open(true)) open(false);
    while (query.records <= kSliceRows && !finished()) keep_ready(read());
    settle();
}

void Listing::State::keep_ready(Slice slice) {
    if (slice.size() > 0) ready.push_back(std::move(slice));
}

bool Listing::State::open(bool commit_early) {
    cursor.reset();
    snapshot.reset();
    asked = 0;
    snapshot.emplace(**lease);
    early = commit_early && query.records <= kSliceRows;
    remaining = query.records;
    cursor_left = 0;
    refill = false;
    ready.clear();
    read_position();
    last = position.after;
    if (!position.set_exists || position.after >= position.upto)
        ended = true;
    else
        keep_ready(read());
    return finished() || !snapshot->committed();
}

pg::Parameters Listing::State::parameters() const {
    pg::Parameters p;
    p.add(seconds(query.from)).add(seconds(query.until));
    if (query.set) p.add(std::string_view(*query.set)); else p.add_null();
    p.add(query.after);
    if (query.upto > 0) p.add(query.upto); else p.add_null();
    if (query.want_size) p.add(std::int64_t{query.count_limit}); else p.add_null();
    Store::add_seen(p, query.seen);
    return p;
}

void Listing::State::read_position() {
    const pg::Result row = snapshot->query(queries::kPosition, parameters());
    position.horizon = store.read_horizon(row);
    set_id.reset();
    if (!row.is_null(0, 4)) set_id = pg::read_integer(row.bytes(0, 4));
    position.set_exists = pg::read_bool(row.bytes(0, 5));
    position.after = pg::read_integer(row.bytes(0, 6));
    position.upto = pg::read_integer(row.bytes(0, 7));
    position.upto_fixed = pg::read_bool(row.bytes(0, 8));
    position.size = row.is_null(0, 9) ? -1 : pg::read_integer(row.bytes(0, 9));
    position.lost = pg::read_bool(row.bytes(0, 10));
}

void Listing::State::declare() {
    refill = cursor.has_value();
    if (refill) cursor->close();
    cursor_left = refill ? std::max(remaining, kSliceRows) + 1 : remaining + 1;
    pg::Parameters p;
    if (set_id) p.add(*set_id);
    p.add(last).add(position.upto).add(std::int64_t{cursor_left});
    if (set_id)
        cursor.emplace(*snapshot, query.with_records ? queries::kSetRecords : queries::kSetHeaders, std::move(p));
    else
        cursor.emplace(*snapshot, query.with_records ? queries::kRecords : queries::kHeaders, std::move(p));
}

// The last fetch of a page asks for one record beyond it.
void Listing::State::ask() {
    if (cursor_left == 0) declare();
    const bool to_the_end = remaining <= kSliceRows;
    asked = std::min(cursor_left, refill ? kSliceRows + 1 : to_the_end ? remaining + 1 : kSliceRows);
    const bool commit = to_the_end && (!set_id || early);
    cursor->ask(asked, commit ? pg::Cursor::Then::commit : pg::Cursor::Then::go_on);
}

// One slice. While the caller works on it the database reads the next one, if the cursor has it.
Slice Listing::State::read() {
    if (asked == 0) ask();
    const int want = std::exchange(asked, 0);
    const auto rows = std::make_shared<const pg::Result>(cursor->take());
    const int got = rows->rows();
    cursor_left -= got;
    Slice slice(rows, 0, got);
    check_order(slice);
    ended = got < want;
    if (set_id && got > 0) last = pg::read_integer(rows->bytes(got - 1, 0));
    if (slice.size() > remaining) {
        more = true;
        slice.keep(remaining);
    }
    remaining -= slice.size();
    if (remaining > 0 && cursor_left > 0 && !finished() && !snapshot->committed()) ask();
    learn(slice);
    return slice;
}

// The next slice is under way already, and waits where names are to be asked for, as they are until all have been met.
void Listing::State::learn(Slice& slice) {
    const Store::Referred referred = store.referred(slice);
    if (referred.has_unknown()) {
        if (asked > 0) cursor->hold();
        store.learn(**lease, referred);
    }
    store.name(slice, referred);
}

// A token says "after this number": a list out of order would lose records or never end.
void Listing::State::check_order(const Slice& slice) {
    for (int i = 0; i < slice.size(); ++i) {
        if (slice.header(i).seq <= last) throw Fault("the numbers of a list do not ascend: run oai check");
        last = slice.header(i).seq;
    }
}

// A full page reads on only to know whether the list does; then the connection is free for others.
void Listing::State::settle() {
    while (remaining == 0 && !finished()) read();
    if (!finished() || !lease) return;
    if (std::exchange(asked, 0) > 0) cursor->take();   // the page ended by its budget
    snapshot->commit();
    cursor.reset();
    snapshot.reset();
    lease.reset();
}

Listing::Listing(std::unique_ptr<State> state) : position_(state->position), state_(std::move(state)) {}
Listing::Listing(Listing&&) noexcept = default;
Listing::~Listing() = default;

Slice Listing::next() {
    State& s = *state_;
    while (s.ready.empty() && !s.finished()) s.keep_ready(s.read());
    s.settle();
    if (s.ready.empty()) return {};
    Slice slice = std::move(s.ready.front());
    s.ready.pop_front();
    return slice;
}

bool Listing::more() const { return state_->more || !state_->ready.empty(); }

void Listing::stop() {
    State& s = *state_;
    if (more()) s.more = true;
    s.ready.clear();
    s.remaining = 0;
    s.settle();
}

Listing Store::list(const ListQuery& query) {
    auto state = std::make_unique<Listing::State>(*this, query);
    state->start();
    return Listing(std::move(state));
}

}  // namespace oai
