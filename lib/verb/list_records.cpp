// SPDX-License-Identifier: MIT
// ListIdentifiers and ListRecords (OAI-PMH 2.0, 4.3, 4.5): writes the records of a cursor to a page
// until its budget is spent. list_request.h makes the query, the errors and the next token;
// record_writer.h writes the records.
#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "verb/handler.h"
#include "verb/list_request.h"
#include "verb/record_writer.h"

namespace oai {
namespace {

using Stopwatch = std::chrono::steady_clock;

constexpr std::chrono::seconds kPrefetchWithin{1};
constexpr int kGiveUpTimes = 10;  // times the time budget of a page
// Reading the clock costs a fifth of writing a header, so it is not read for each record. Slow
// steps are done for a whole batch.
constexpr int kRecordsByClock = 16;

// Builds one page in result_.
class ListPage {
  public:
    // Starts the time budget.
    ListPage(const Context& context, const ParsedArguments& parsed, const ListRequest& request,
             const Format& format)
        : context_(context),
          parsed_(parsed),
          request_(request),
          format_(format),
          budget_(page_budget(context.repository.lists, format)),
          reach_(required_reach(request, context.floor)),
          writer_(context, format, request.with_metadata) {}

    // To be called once. A Fault becomes result.fault, so that the stats are kept.
    VerbResult read();

  private:
    void read_page();
    ListQuery query() const;
    bool begin_document(const Position& position);
    bool fill(RecordCursor& cursor);
    void prefetch(const Horizon& latest, std::int64_t last_seq);
    int write(const RecordBatch& batch);
    void finish(const Horizon& latest, bool more);
    void require_end(const Horizon& latest) const;

    int records() const { return writer_.stats().records; }
    bool is_full(bool by_clock = true) {
        if (by_clock) spent_ = Stopwatch::now() - began_;
        return budget_.is_spent(records(), out_->bytes(), spent_);
    }

    const Context& context_;
    const ParsedArguments& parsed_;
    const ListRequest& request_;
    const Format& format_;
    const PageBudget budget_;
    const Stopwatch::time_point began_ = Stopwatch::now();
    Stopwatch::duration spent_{};  // at the last reading of the clock
    const ReplicaPosition reach_;  // which the database must have reached
    RecordWriter writer_;
    std::optional<Seconds> since_;  // the earliest datestamp to print, see since_of()
    // In the page's first snapshot, since an older responseDate is safe, a newer one is not.
    Position position_;
    std::optional<Envelope> out_;
    // Whether records were read that are not in the list, though completeListSize counts them; and
    // how many records of the list could not be disseminated.
    bool left_out_ = false;
    int undelivered_ = 0;
    VerbResult result_;
};

VerbResult ListPage::read() {
    result_.stats.cursor = request_.start.cursor;
    try {
        read_page();
    } catch (const Fault& fault) {
        result_.fault = fault.what();
    }
    result_.stats.add(writer_.stats());
    return std::move(result_);
}

ListQuery ListPage::query() const {
    ListQuery query = first_query(request_, format_, since_, budget_.records,
                                  context_.repository.lists.count_limit);
    query.columns = writer_.columns();
    return query;
}

// One query is usually enough. It is repeated if the horizon turns out not to have reached the
// format's `since`, though the clock has; and further queries follow as long as none of the records
// read can be written.
void ListPage::read_page() {
    if (format_.since && *format_.since <= context_.clock.now()) since_ = format_.since;
    ListQuery query = this->query();
    for (;;) {
        RecordCursor cursor =
            measure(result_.stats.database, [&] { return context_.store.list(query, reach_); });
        const Position& position = cursor.position();
        if (!out_) {
            const auto assumed = std::exchange(since_, since_of(format_, position.horizon));
            if (since_ != assumed && request_.first) {
                query = this->query();
                continue;
            }
            if (!begin_document(position)) return;
        } else if (position.horizon.epoch != position_.horizon.epoch) {
            throw Unavailable("the numbering was begun anew");
        }
        const bool more = fill(cursor);
        if (!more || records() > 0) return finish(position.horizon, more);
        // The loop is for a run of bad records, not for a repository without others.
        if (Stopwatch::now() - began_ >= kGiveUpTimes * budget_.time)
            throw Fault("no record could be disseminated as " + format_.prefix + " between seq " +
                        std::to_string(request_.start.after) + " and " +
                        std::to_string(result_.last_seq));
        query = further_query(query, result_.last_seq);
    }
}

// Checks what depends on the database, and begins the document. False: there is an error.
bool ListPage::begin_document(const Position& position) {
    position_ = position;
    result_.horizon = position.horizon;
    if (auto error = check_position(request_, position, since_, reach_)) {
        result_.errors.push_back(*std::move(error));
        return false;
    }
    out_.emplace(response_date(position.horizon), context_.repository.facts.base_url, parsed_.echo);
    result_.records.begin = out_->bytes();
    out_->open(parsed_.arguments.verb);
    // Without reserve() a growing page would be copied about ten times. The sizes are of large
    // records; reserved memory that is never written costs nothing.
    constexpr std::size_t kHeaderBytes = 300, kRecordBytes = 4000;
    const std::size_t guess = static_cast<std::size_t>(budget_.records) *
                              (request_.with_metadata ? kRecordBytes : kHeaderBytes);
    out_->body().reserve(std::min(guess, budget_.bytes));
    return true;
}

// Writes records of one snapshot. Returns whether the list goes on after the page.
bool ListPage::fill(RecordCursor& cursor) {
    while (!is_full()) {
        const RecordBatch batch = measure(result_.stats.database, [&] { return cursor.next(); });
        if (batch.size() == 0) return cursor.more();
        if (cursor.is_read() && cursor.more())
            prefetch(cursor.position().horizon, batch.header(batch.size() - 1).seq);
        if (write(batch) < batch.size()) return true;
    }
    measure(result_.stats.database, [&] { cursor.stop(); });
    return cursor.more();
}

// Lets the database read the next page, after `last_seq`, while this one is written and sent. Only
// for a harvester that requested this page within a second after the one before.
void ListPage::prefetch(const Horizon& latest, std::int64_t last_seq) {
    if (request_.first || context_.clock.now() - request_.start.issued > kPrefetchWithin) return;
    const ReplicaPosition reach = furthest(reach_, replica_position_of(latest));
    const ListRequest next{
        .first = false,
        .start = next_token(request_, position_, reach, last_seq, 0, 0, context_.clock.now()),
        .with_metadata = request_.with_metadata};
    ListQuery query =
        first_query(next, format_, since_, budget_.records, context_.repository.lists.count_limit);
    query.columns = writer_.columns();
    context_.store.prefetch(query);
}

// Writes records until the budget is spent. Returns how many were processed, at least one.
int ListPage::write(const RecordBatch& batch) {
    using Outcome = RecordWriter::Outcome;
    writer_.begin(batch, since_);
    int i = 0;
    do {
        const Outcome outcome = writer_.write(*out_, i);
        result_.last_seq = batch.header(i).seq;
        left_out_ = left_out_ || outcome == Outcome::left_out;
        undelivered_ += outcome == Outcome::failed;
        if (outcome == Outcome::failed &&
            context_.repository.lists.on_bad_record == OnBadRecord::fail) {
            const BadRecord& bad = writer_.stats().bad_records.back();
            throw Fault("on_bad_record = fail, and " + bad.identifier +
                        " cannot be disseminated as " + format_.prefix + ": " + bad.why);
        }
        ++i;
    } while (i < batch.size() && !is_full(i % kRecordsByClock == 0));
    return i;
}

// latest: of the page's last snapshot, which may come from another replica than the first.
void ListPage::finish(const Horizon& latest, bool more) {
    if (!more) require_end(latest);
    if (records() == 0) {
        result_.errors.push_back(no_records(request_));
        return;
    }
    const std::int64_t size = corrected_size(request_.first ? position_.size : request_.start.size,
                                             left_out_, undelivered_);
    const Seconds now = context_.clock.now();
    const std::chrono::seconds lifetime{context_.repository.lists.token_lifetime_seconds};
    if (more)
        result_.next_token = context_.sealer.seal(
            next_token(request_, position_, furthest(reach_, replica_position_of(latest)),
                       result_.last_seq, records(), size, now));
    result_.records.end = out_->bytes();
    if (more || !request_.first)
        out_->resumption_token(result_.next_token, now + lifetime, request_.start.cursor, size);
    out_->close(parsed_.arguments.verb);
    result_.document = out_->finish();
    result_.stats.size = size;
    result_.stats.more = more;
    result_.closed = position_.upto_fixed;
}

// Throws ReplicaLagging if the database may lack the end of the list: a page may come from a
// replica that is behind, but not the last page. With `until` in the past, it ends at
// position_.upto.
void ListPage::require_end(const Horizon& latest) const {
    ReplicaPosition end = furthest(reach_, replica_position_of(latest));
    if (position_.upto_fixed) end.seq = std::min(end.seq, position_.upto);
    require_position(latest, end);
}

}  // namespace

VerbResult list_records(const Context& context, const ParsedArguments& parsed) {
    const ListRequest request = list_request(parsed.arguments);
    const Format* format = context.formats->find(request.start.metadata_prefix);
    OaiErrors errors = check_request(request, format, context.repository.facts.sets);
    if (!errors.empty()) return {.errors = std::move(errors), .horizon = context.last_horizon()};
    return ListPage(context, parsed, request, *format).read();
}

}  // namespace oai
