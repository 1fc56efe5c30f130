// SPDX-License-Identifier: MIT
#include "store/record_cursor.h"

#include <algorithm>
#include <limits>
#include <set>

#include "pg/binary.h"
#include "pg/snapshot.h"
#include "protocol/error.h"
#include "store/queries.h"

namespace oai {
namespace {

constexpr std::size_t kMaxLists = 1000;

bool is_whole_list(const ListQuery& query) { return !query.set && query.required.empty(); }

// For records, the number that one transform handles most efficiently. Headers of the whole list
// are short and adjacent on disk, so fewer and larger fetches are cheaper. Headers of a set may be
// scattered, and with large fetches a page could exceed its time by far.
int batch_rows(const ListQuery& query) {
    constexpr int kRecords = 100, kHeaders = 1000;
    return query.with_records || !is_whole_list(query) ? kRecords : kHeaders;
}

constexpr int kMaxCredit = 16;
constexpr int kRefusals = 32;  // after so many refusals one page is read ahead as a test

Position read_position(const pg::Result& row, std::chrono::seconds lag) {
    Position position;
    position.horizon = read_horizon(row, lag);
    if (!row.is_null(0, 3)) position.set_id = pg::read_integer(row.bytes(0, 3));
    position.set_exists = pg::read_bool(row.bytes(0, 4));
    position.after = pg::read_integer(row.bytes(0, 5));
    position.upto = pg::read_integer(row.bytes(0, 6));
    position.upto_fixed = pg::read_bool(row.bytes(0, 7));
    position.size = row.is_null(0, 8) ? -1 : pg::read_integer(row.bytes(0, 8));
    position.lost = pg::read_bool(row.bytes(0, 9));
    if (!row.is_null(0, 10)) position.required_id = pg::read_integer(row.bytes(0, 10));
    return position;
}

// Reads the result of kResume; the bounds of the list are those of the query.
Position read_resumed_position(const pg::Result& row, const ListQuery& query,
                               std::chrono::seconds lag) {
    Position position;
    position.horizon = read_horizon(row, lag);
    position.lost = pg::read_bool(row.bytes(0, 3));
    if (!row.is_null(0, 4)) position.set_id = pg::read_integer(row.bytes(0, 4));
    if (!row.is_null(0, 5)) position.required_id = pg::read_integer(row.bytes(0, 5));
    position.set_exists = !query.set || position.set_id;
    position.after = query.after.value_or(0);
    position.upto_fixed = query.upto > 0;
    position.upto = position.upto_fixed ? query.upto : position.horizon.last_seq;
    return position;
}

}  // namespace

Horizon read_horizon(const pg::Result& row, std::chrono::seconds lag) {
    if (row.rows() == 0) throw Fault("oai.horizon has no row: install the schema");
    if (row.is_null(0, 0))
        throw Unavailable(
            "the repository is being numbered for the first time, or there is no view [repository] "
            "only: lists begin when oai publish is through");
    Horizon horizon{.h = pg::read_timestamptz(row.bytes(0, 0)),
                    .last_seq = pg::read_integer(row.bytes(0, 1)),
                    .epoch = static_cast<std::uint64_t>(pg::read_integer(row.bytes(0, 2)))};
    horizon.lag = lag;
    return horizon;
}

void add_seen(pg::Parameters& parameters, const std::optional<SeenPosition>& seen) {
    if (seen)
        parameters.add(seen->seq).add(seen->h);
    else
        parameters.add_null().add_null();
}

pg::Parameters position_parameters(const ListQuery& query) {
    pg::Parameters p;
    p.add(query.from).add(query.until).add(query.set).add(query.after);
    query.upto > 0 ? p.add(query.upto) : p.add_null();
    query.want_size ? p.add(query.count_limit) : p.add_null();
    add_seen(p, query.seen);
    p.add(pg::array_literal(query.required));
    return p;
}

Fetch next_fetch(const PageProgress& progress) {
    const int batch = progress.batch_rows;
    const bool open = progress.cursor_rows == 0;
    const bool first_cursor = progress.cursors + (open ? 1 : 0) == 1;
    const bool last = progress.remaining <= batch;
    Fetch fetch;
    if (open)
        fetch.open_rows =
            (first_cursor ? progress.remaining : std::max(progress.remaining, batch)) + 1;
    const int available = open ? fetch.open_rows : progress.cursor_rows;
    const int wanted = !first_cursor ? batch + 1 : last ? progress.remaining + 1 : batch;
    fetch.rows = std::min(available, wanted);
    fetch.commit = last && (!progress.by_set || progress.commit_first);
    return fetch;
}

int update_progress(PageProgress& progress, const Fetch& fetch, int rows, int records,
                    int numbers) {
    if (fetch.open_rows > 0) {
        ++progress.cursors;
        progress.cursor_rows = progress.cursor_numbers = fetch.open_rows;
        progress.numbers = 0;
    }
    progress.cursor_rows -= rows;
    if (rows > 0)
        progress.numbers =
            progress.by_set ? numbers : progress.cursor_numbers - progress.cursor_rows;
    const bool cursor_ended = rows < fetch.rows;
    if (records > progress.remaining)
        progress.more = true;
    else if (cursor_ended && progress.numbers < progress.cursor_numbers)
        progress.more = false;
    else if (cursor_ended)
        progress.cursor_rows = 0;
    const int taken = std::min(records, progress.remaining);
    progress.remaining -= taken;
    return taken;
}

bool can_fetch_ahead(const PageProgress& progress) {
    return !progress.more && progress.remaining > 0 && progress.cursor_rows > 0;
}

std::optional<ListSource> KnownLists::find(const ListQuery& query) const {
    if (is_whole_list(query)) return ListSource{};
    const std::lock_guard lock(mutex_);
    const auto found = lists_.find({query.set, query.required});
    return found == lists_.end() ? std::nullopt : std::optional(found->second);
}

void KnownLists::remember(const ListQuery& query, const ListSource& sets) {
    if (is_whole_list(query)) return;
    const std::lock_guard lock(mutex_);
    if (lists_.size() >= kMaxLists) lists_.clear();
    lists_[{query.set, query.required}] = sets;
}

RecordCursor::RecordCursor(Database& database, ListQuery query)
    : database_(database), query_(std::move(query)), batch_rows_(batch_rows(query_)) {}

RecordCursor::RecordCursor(RecordCursor&&) noexcept = default;
RecordCursor::~RecordCursor() = default;

PageProgress RecordCursor::new_progress(bool commit_first) const {
    return {.remaining = query_.records, .commit_first = commit_first, .batch_rows = batch_rows_};
}

bool RecordCursor::start(pg::Pool::Lease lease) {
    lease_.emplace(std::move(lease));
    progress_ = new_progress(is_short());
    if (send_resume()) return true;
    lease_.reset();
    return false;
}

// A short page is read by one fetch that includes the COMMIT. If that returns too few records,
// because numbers without items took up some of its rows, the page is read again in another
// snapshot that stays open for further fetches. This is safe since no record has been returned yet.
void RecordCursor::open() {
    if (!lease_) lease_.emplace(database_.connection());
    for (bool is_second = false;; is_second = true) {
        try {
            if (!read_first_rows(is_short())) read_first_rows(false);
            while (is_short() && !progress_.more) read_batch();
            break;
        } catch (const pg::Error& e) {
            pending_fetch_.reset();
            snapshot_.reset();
            // Prepared again, since the columns of oai.record have changed.
            if (is_second || e.sqlstate() != pg::kColumnsDiffer) throw;
        }
    }
    release_if_done();
}

// Returns false if the snapshot ended before the page was complete, so that it must be read again.
bool RecordCursor::read_first_rows(bool commit_first) {
    if (!pending_fetch_) {
        progress_ = new_progress(commit_first);
        ready_.clear();
        send_resume();
    }
    if (!receive_resume()) find_position();
    progress_.by_set = position_.set_id || position_.required_id;
    last_seq_ = position_.after;
    if (!position_.set_exists || position_.after >= position_.upto)
        progress_.more = false;
    else
        read_batch();
    return progress_.more || pending_fetch_ || !snapshot_->is_committed();
}

void RecordCursor::find_position() {
    snapshot_ = std::make_unique<pg::Snapshot>(**lease_);
    const pg::Result row = snapshot_->query(queries::kPosition, position_parameters(query_));
    position_ = read_position(row, database_.replica_lag);
    // Names of sets that do not exist are not remembered, since clients could make up any number.
    if (position_.set_exists) database_.known_lists.remember(query_, position_);
}

// For a page after the first: sends the queries for the position and for the first rows together,
// assuming that the list is still read by the sets of KnownLists. Returns false, with nothing sent,
// if they are not known.
bool RecordCursor::send_resume() {
    snapshot_.reset();
    const auto known = database_.known_lists.find(query_);
    if (!known || !query_.after || (query_.until && query_.upto == 0) || query_.want_size)
        return false;
    snapshot_ = std::make_unique<pg::Snapshot>(**lease_);
    const std::set<std::string> required(query_.required.begin(), query_.required.end());
    pg::Parameters parameters;
    add_seen(parameters, query_.seen);
    parameters.add(query_.set).add(pg::array_literal({required.begin(), required.end()}));
    snapshot_->ask(queries::kResume, parameters);
    // Every number in the snapshot is published, so a list without `upto` ends with the last one.
    position_ = {*known};
    position_.upto = query_.upto > 0 ? query_.upto : std::numeric_limits<std::int64_t>::max();
    progress_.by_set = *known != ListSource{};
    last_seq_ = *query_.after;
    fetch();
    return true;
}

// Receives the position that send_resume() requested. Returns false, with nothing pending, if
// there was no request or its assumption was wrong.
bool RecordCursor::receive_resume() {
    if (!pending_fetch_) return false;
    const ListSource expected = position_;
    position_ = read_resumed_position(snapshot_->answer(), query_, database_.replica_lag);
    if (static_cast<const ListSource&>(position_) == expected) return true;
    pending_fetch_.reset();
    progress_ = new_progress(progress_.commit_first);
    snapshot_->commit();
    snapshot_.reset();
    return false;
}

// Receives a batch. If the page needs another, requests it at once, so that the database reads it
// while the caller works.
void RecordCursor::read_batch() {
    if (!pending_fetch_) fetch();
    const Fetch fetched = *std::exchange(pending_fetch_, std::nullopt);
    pg::Result result = snapshot_->receive();
    const int rows = result.rows();
    // For a set, the last row may be a number without an item, which has been read as well.
    std::optional<std::int64_t> last_row_seq;
    int numbers = 0;
    if (progress_.by_set && rows > 0) {
        last_row_seq = pg::read_integer(result.bytes(rows - 1, 0));
        numbers = static_cast<int>(pg::read_integer(result.bytes(rows - 1, 1)));
    }
    const RecordSchema& schema = database_.schemas.of(result);
    RecordBatch batch(std::move(result), schema);
    check_order(batch);
    if (last_row_seq) last_seq_ = *last_row_seq;
    batch.truncate(update_progress(progress_, fetched, rows, batch.size(), numbers));
    if (can_fetch_ahead(progress_) && !snapshot_->is_committed()) fetch();
    if (!database_.references.resolve(batch))
        database_.references.resolve(batch, &snapshot_->connection());
    if (batch.size() > 0) ready_.push_back(std::move(batch));
}

// Requests rows, from a new cursor if the current one is exhausted; a short page needs none.
void RecordCursor::fetch() {
    const Fetch next = next_fetch(progress_);
    const bool at_once =
        next.open_rows > 0 && next.commit;  // one fetch suffices, so no cursor is needed
    if (next.open_rows > 0) {
        const bool by_set = progress_.by_set;
        auto [set_id, required_id] = std::pair(position_.set_id, position_.required_id);
        if (!set_id) std::swap(set_id, required_id);
        pg::Parameters parameters;
        if (by_set) parameters.add(set_id);
        parameters.add(last_seq_).add(position_.upto);
        if (by_set || !at_once) parameters.add(next.open_rows);
        if (by_set) parameters.add(required_id);
        const pg::Statement& statement = database_.statements.of(
            by_set ? RecordRows::of_set : RecordRows::of_list, query_.with_records, query_.columns,
            at_once ? next.open_rows : 0);
        if (at_once)
            snapshot_->request_all(statement, parameters);
        else
            snapshot_->open(statement, std::move(parameters));
    }
    using After = pg::Snapshot::After;
    if (!at_once) snapshot_->request(next.rows, next.commit ? After::commit : After::keep_open);
    pending_fetch_ = next;
}

// Throws Fault unless seq ascends: tokens continue after a number, so a list out of order would
// lose records or never end.
void RecordCursor::check_order(const RecordBatch& batch) {
    for (int i = 0; i < batch.size(); ++i) {
        if (batch.header(i).seq <= last_seq_)
            throw Fault("the numbers of a list do not ascend: run oai check");
        last_seq_ = batch.header(i).seq;
    }
}

// For a full page, reads on until it is known whether the list goes on. Once that is known,
// discards pending rows and returns the connection to the pool.
void RecordCursor::release_if_done() {
    while (progress_.remaining == 0 && !progress_.more) read_batch();
    if (!progress_.more || !lease_) return;
    pending_fetch_.reset();
    snapshot_->commit();
    snapshot_.reset();
    lease_.reset();
}

RecordBatch RecordCursor::next() {
    while (ready_.empty() && !progress_.more) read_batch();
    release_if_done();
    if (ready_.empty()) return {};
    RecordBatch batch = std::move(ready_.front());
    ready_.pop_front();
    return batch;
}

void RecordCursor::stop() {
    if (more()) progress_.more = true;
    ready_.clear();
    progress_.remaining = 0;
    release_if_done();
}

bool RecordPrefetcher::should_prefetch() {
    const std::lock_guard lock(mutex_);
    if (static_cast<int>(pages_.size()) >= max_pages_) return false;
    if (credit_ == 0 && ++refused_ % kRefusals != 0) return false;
    credit_ = std::max(credit_ - 1, 0);
    return true;
}

void RecordPrefetcher::add(std::unique_ptr<RecordCursor> cursor) {
    {
        const std::lock_guard lock(mutex_);
        ++stats_.started;
        pages_.push_back({std::move(cursor), Clock::now() + lifetime_});
        if (!thread_.joinable())
            thread_ = std::jthread([this](const std::stop_token& stop) { drop_expired(stop); });
        if (!resting_) return;
    }
    added_.notify_one();
}

std::unique_ptr<RecordCursor> RecordPrefetcher::take(const ListQuery& query) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(
        pages_, [&](const Page& page) { return page.cursor->query() == query; });
    if (found == pages_.end()) return nullptr;
    auto cursor = std::move(found->cursor);
    pages_.erase(found);
    ++stats_.used;
    credit_ = std::min(credit_ + 2, kMaxCredit);
    return cursor;
}

// The cursor is destroyed after the lock is released, since that may wait for the database.
void RecordPrefetcher::drop_oldest() {
    std::unique_ptr<RecordCursor> dropped;
    const std::lock_guard lock(mutex_);
    if (pages_.empty()) return;
    dropped = std::move(pages_.front().cursor);
    pages_.pop_front();
}

RecordPrefetcher::Stats RecordPrefetcher::stats() const {
    const std::lock_guard lock(mutex_);
    return stats_;
}

void RecordPrefetcher::drop_expired(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        resting_ = true;
        added_.wait(lock, stop, [&] { return !pages_.empty(); });
        resting_ = false;
        if (pages_.empty()) return;
        const auto expires = pages_.front().expires;
        added_.wait_until(lock, stop, expires, [] { return false; });
        if (pages_.empty() || pages_.front().expires > Clock::now()) continue;
        auto dropped = std::move(pages_.front().cursor);
        pages_.pop_front();
        lock.unlock();
        dropped.reset();
        lock.lock();
    }
}

pg::Pool::Lease Database::connection() {
    if (pool.is_exhausted()) prefetcher.drop_oldest();
    return pool.acquire();
}

}  // namespace oai
