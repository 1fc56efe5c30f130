// SPDX-License-Identifier: MIT
#include "store/record_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "pg/binary.h"
#include "pg/error.h"
#include "protocol/error.h"
#include "store/queries.h"
#include "store/rows.h"

namespace oai {
namespace {

constexpr std::size_t kMaxLists = 1000;

// A blank can stand neither in a setSpec nor in the name of a column that a format requires.
std::string key_of(const ListQuery& query) {
    return fmt::format("{} {}", query.set.value_or(""), fmt::join(query.required, " "));
}

// Records come as many at a time as one transform of a stylesheet does best. Headers of the whole
// list lie side by side and are short: each fetch less saves a plan or a wake-up, and what is read
// ahead of the next page is most of it. Those of a set may lie anywhere, and a page of them should
// end soon after its time is spent.
int batch_rows(const ListQuery& query) {
    constexpr int kRecords = 100, kHeaders = 1000;
    return query.with_records || query.set || !query.required.empty() ? kRecords : kHeaders;
}

constexpr int kMaxCredit = 16;
constexpr int kRefusals = 32;  // until one is tried in spite of the others

}  // namespace

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

int note_fetched(PageProgress& progress, const Fetch& fetch, int rows, int records, int numbers) {
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

std::optional<ListSets> KnownLists::find(const ListQuery& query) const {
    if (!query.set && query.required.empty()) return ListSets{};
    const std::lock_guard lock(mutex_);
    const auto found = lists_.find(key_of(query));
    return found == lists_.end() ? std::nullopt : std::optional(found->second);
}

void KnownLists::note(const ListQuery& query, const ListSets& sets) {
    if (!query.set && query.required.empty()) return;
    const std::lock_guard lock(mutex_);
    if (lists_.size() >= kMaxLists) lists_.clear();
    lists_[key_of(query)] = sets;
}

RecordCursor::RecordCursor(const Source& source, ListQuery query)
    : source_(source), query_(std::move(query)), batch_rows_(batch_rows(query_)) {}

PageProgress RecordCursor::no_progress(bool commit_first) const {
    return {.remaining = query_.records, .commit_first = commit_first, .batch_rows = batch_rows_};
}

bool RecordCursor::ask(pg::Pool::Lease lease) {
    lease_.emplace(std::move(lease));
    progress_ = no_progress(is_short());
    if (ask_to_resume()) return true;
    lease_.reset();
    return false;
}

// The only fetch of a short page carries the COMMIT. Should numbers without items have taken up
// places in it, the page is read anew in another snapshot, which stays open while it is filled up:
// nothing has been given out yet.
void RecordCursor::open() {
    if (!lease_) lease_.emplace(source_.pool.take());
    pg::retry(
        pg::kRetryOtherColumns,
        [this] {
            if (!begin(is_short())) begin(false);
            while (is_short() && !progress_.more) read_batch();
        },
        [this] {
            under_way_.reset();
            snapshot_.reset();
        });
    end_if_settled();
}

// Returns false if the snapshot has ended before the page was settled, and nothing is under way.
bool RecordCursor::begin(bool commit_first) {
    if (!under_way_) {
        progress_ = no_progress(commit_first);
        ready_.clear();
        ask_to_resume();
    }
    if (!resume()) find_position();
    progress_.by_set = position_.set_id || position_.required_id;
    last_seq_ = position_.after;
    if (!position_.set_exists || position_.after >= position_.upto)
        progress_.more = false;
    else
        read_batch();
    return progress_.more || under_way_ || !snapshot_->is_committed();
}

void RecordCursor::find_position() {
    snapshot_ = std::make_unique<pg::Snapshot>(**lease_);
    const pg::Result row = snapshot_->query(queries::kPosition, rows::position_parameters(query_));
    position_ = rows::read_position(row, source_.replica_lag);
    // Names that strangers make up are not remembered.
    if (position_.set_exists)
        source_.known_lists.note(query_, {position_.set_id, position_.required_id});
}

// A page that goes on with a list: its first rows are asked for together with its position, from
// where the list is expected. Returns false if that is not known; nothing is under way then.
bool RecordCursor::ask_to_resume() {
    snapshot_.reset();
    const auto known = source_.known_lists.find(query_);
    if (!known || !query_.after || (query_.until && query_.upto == 0) || query_.want_size)
        return false;
    snapshot_ = std::make_unique<pg::Snapshot>(**lease_);
    snapshot_->ask(queries::kResume, rows::resume_parameters(query_));
    // All that the snapshot has is published, so an open list ends with it.
    position_ = {};
    position_.set_id = known->set_id;
    position_.required_id = known->required_id;
    position_.upto = query_.upto > 0 ? query_.upto : std::numeric_limits<std::int64_t>::max();
    progress_.by_set = known->set_id || known->required_id;
    last_seq_ = *query_.after;
    fetch();
    return true;
}

// Returns false if nothing has been asked for, or the list was not where it was expected; nothing
// is under way then.
bool RecordCursor::resume() {
    if (!under_way_) return false;
    const ListSets expected{position_.set_id, position_.required_id};
    position_ = rows::read_resumed_position(snapshot_->answer(), query_, source_.replica_lag);
    if (ListSets{position_.set_id, position_.required_id} == expected) return true;
    under_way_.reset();
    progress_ = no_progress(progress_.commit_first);
    snapshot_->commit();
    snapshot_.reset();
    return false;
}

// While the caller works on the batch the database reads the next one, if the page needs it.
void RecordCursor::read_batch() {
    if (!under_way_) fetch();
    const Fetch fetched = *std::exchange(under_way_, std::nullopt);
    pg::Result result = snapshot_->receive();
    const int rows = result.rows();
    // The numbers of a set that have no item any more have been read, too.
    std::optional<std::int64_t> last_row_seq;
    int numbers = 0;
    if (progress_.by_set && rows > 0) {
        last_row_seq = pg::read_integer(result.bytes(rows - 1, 0));
        numbers = static_cast<int>(pg::read_integer(result.bytes(rows - 1, 1)));
    }
    const RecordSchema& schema = source_.schemas.of(result);
    RecordBatch batch(std::move(result), schema);
    check_order(batch);
    if (last_row_seq) last_seq_ = *last_row_seq;
    batch.keep(note_fetched(progress_, fetched, rows, batch.size(), numbers));
    if (can_fetch_ahead(progress_) && !snapshot_->is_committed()) fetch();
    source_.references.resolve(
        batch, [this]() -> auto& { return snapshot_->connection(); });
    if (batch.size() > 0) ready_.push_back(std::move(batch));
}

// Asks for the next rows, of another cursor if there is none that has them; for those of a short
// page at once.
void RecordCursor::fetch() {
    const Fetch next = next_fetch(progress_);
    const bool at_once = next.open_rows > 0 && next.commit;  // a cursor would have nothing to do
    if (next.open_rows > 0) {
        const bool by_set = progress_.by_set;
        auto [set_id, required_id] = std::pair(position_.set_id, position_.required_id);
        if (!set_id) std::swap(set_id, required_id);
        pg::Parameters parameters;
        if (by_set) parameters.add(set_id);
        parameters.add(last_seq_).add(position_.upto);
        if (by_set || !at_once) parameters.add(next.open_rows);
        if (by_set) parameters.add(required_id);
        const pg::Statement& statement =
            query_.with_records
                ? source_.statements.of(by_set ? queries::kSetRecords : queries::kRecords,
                                        query_.columns)
            : by_set ? queries::kSetHeaders
                     : queries::kHeaders;
        if (at_once)
            snapshot_->request_all(source_.statements.at_once(statement, next.open_rows),
                                   parameters);
        else
            snapshot_->open(statement, std::move(parameters));
    }
    using After = pg::Snapshot::After;
    if (!at_once) snapshot_->request(next.rows, next.commit ? After::commit : After::keep_open);
    under_way_ = next;
}

// A token says "after this number": a list out of order would lose records or never end.
void RecordCursor::check_order(const RecordBatch& batch) {
    for (int i = 0; i < batch.size(); ++i) {
        if (batch.header(i).seq <= last_seq_)
            throw Fault("the numbers of a list do not ascend: run oai check");
        last_seq_ = batch.header(i).seq;
    }
}

// A full page reads on only to know whether the list does. Then others can have the connection;
// rows under way are thrown away.
void RecordCursor::end_if_settled() {
    while (progress_.remaining == 0 && !progress_.more) read_batch();
    if (!progress_.more || !lease_) return;
    under_way_.reset();
    snapshot_->commit();
    snapshot_.reset();
    lease_.reset();
}

RecordBatch RecordCursor::next() {
    while (ready_.empty() && !progress_.more) read_batch();
    end_if_settled();
    if (ready_.empty()) return {};
    RecordBatch batch = std::move(ready_.front());
    ready_.pop_front();
    return batch;
}

void RecordCursor::stop() {
    if (more()) progress_.more = true;
    ready_.clear();
    progress_.remaining = 0;
    end_if_settled();
}

bool RecordPrefetcher::wants() {
    const std::lock_guard lock(mutex_);
    if (static_cast<int>(pages_.size()) >= max_pages_) return false;
    if (credit_ == 0 && ++refused_ % kRefusals != 0) return false;
    credit_ = std::max(credit_ - 1, 0);
    return true;
}

void RecordPrefetcher::add(std::unique_ptr<RecordCursor> asked) {
    {
        const std::lock_guard lock(mutex_);
        ++stats_.asked;
        pages_.push_back({std::move(asked), Clock::now() + lifetime_});
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
    ++stats_.taken;
    credit_ = std::min(credit_ + 2, kMaxCredit);
    return cursor;
}

// What is dropped may have to be waited for, by no other thread.
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

}  // namespace oai
