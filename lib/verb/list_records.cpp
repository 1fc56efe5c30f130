// SPDX-License-Identifier: MIT
// ListIdentifiers and ListRecords (OAI-PMH 2.0, 4.3, 4.5): a loop over a record cursor, from which
// a page is written until its budget is spent. list_request.h says what is asked of the database,
// page_writer.h what is written.
#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/timing.h"
#include "verb/handler.h"
#include "verb/list_request.h"
#include "verb/page_writer.h"

namespace oai {
namespace {

class ListPage {
  public:
    ListPage(const Context& context, const ParsedArguments& parsed, const ListRequest& request,
             const Format& format)
        : context_(context),
          request_(request),
          format_(format),
          reach_(required_reach(request, context.floor)),
          writer_(context, parsed, format) {}

    // Never throws Fault: what ends the page is the result's, with the stats of what came before.
    VerbResult read();

  private:
    VerbResult read_page();
    ListQuery query(std::optional<Seconds> since) const;
    std::optional<VerbResult> begin(const Position& position, std::optional<Seconds> since);
    bool fill(RecordCursor& cursor);
    void require_end(const Horizon& latest) const;
    VerbResult finish(const Horizon& latest, bool more);
    VerbResult refuse(OaiError error) const {
        return {.errors = {std::move(error)}, .horizon = position_.horizon};
    }

    const Context& context_;
    const ListRequest& request_;
    const Format& format_;
    const ReplicaPosition reach_;  // how far the answer must go
    PageWriter writer_;
    // Of the page's first snapshot: an older responseDate is safe, a newer one is not.
    Position position_;
    std::chrono::nanoseconds database_{0};
};

VerbResult ListPage::read() {
    VerbResult result;
    try {
        result = read_page();
    } catch (const Fault& fault) {
        result = {.horizon = position_.horizon, .fault = fault.what()};
    }
    RequestStats stats = writer_.stats();
    stats.database = database_;
    stats.cursor = request_.start.cursor;
    stats.size = result.stats.size;
    stats.more = !result.next_token.empty();
    result.stats = std::move(stats);
    return result;
}

ListQuery ListPage::query(std::optional<Seconds> since) const {
    return first_query(request_, format_, since, writer_.budget().records,
                       context_.repository.lists.count_limit);
}

// One query as a rule; another for a format whose `since` the horizon has not reached, though the
// clock has, and more as long as they give nothing that belongs to the page.
VerbResult ListPage::read_page() {
    std::optional<Seconds> since =
        format_.since && *format_.since <= context_.clock.now() ? format_.since : std::nullopt;
    ListQuery query = this->query(since);
    for (bool begun = false;;) {
        RecordCursor cursor = measure(database_, [&] { return context_.store.list(query); });
        const Position& position = cursor.position();
        if (!begun) {
            const auto assumed = std::exchange(since, since_of(format_, position.horizon));
            if (since != assumed && request_.first) {
                query = this->query(since);
                continue;
            }
            if (auto refusal = begin(position, since)) return *std::move(refusal);
            begun = true;
        } else if (position.horizon.epoch != position_.horizon.epoch) {
            throw Unavailable("the numbering was begun anew");
        }
        const bool more = fill(cursor);
        if (!more || writer_.records() > 0) return finish(position.horizon, more);
        // Reading on is for a bad patch. A repository of nothing else would keep the request for
        // hours.
        if (writer_.is_hopeless())
            throw Fault("no record could be disseminated as " + format_.prefix + " between seq " +
                        std::to_string(request_.start.after) + " and " +
                        std::to_string(writer_.last_seq()));
        query = further_query(query, writer_.last_seq());
    }
}

// Judges what only the database knows, and begins the document.
std::optional<VerbResult> ListPage::begin(const Position& position, std::optional<Seconds> since) {
    position_ = position;
    if (auto error = judge_position(request_, position, since, reach_))
        return refuse(*std::move(error));
    writer_.begin(position.horizon, since);
    return std::nullopt;
}

// Reads, from one snapshot, up to the end of the budget or of the list. Returns true if the list
// goes on.
bool ListPage::fill(RecordCursor& cursor) {
    while (!writer_.is_full()) {
        const RecordBatch batch = measure(database_, [&] { return cursor.next(); });
        if (batch.size() == 0) return cursor.more();
        if (writer_.write(batch) < batch.size()) return true;
    }
    measure(database_, [&] { cursor.stop(); });
    return cursor.more();
}

// A list may be read from a database that is behind, but not ended by it. A list whose `until` is
// past ends where it was told to.
void ListPage::require_end(const Horizon& latest) const {
    ReplicaPosition end = furthest(reach_, replica_position_of(latest));
    if (position_.upto_fixed) end.seq = std::min(end.seq, position_.upto);
    require_position(latest, end);
}

// latest: of the page's last snapshot, which may be another database's than the first one.
VerbResult ListPage::finish(const Horizon& latest, bool more) {
    if (!more) require_end(latest);
    if (writer_.records() == 0) return refuse(no_records(request_));
    const std::int64_t size = corrected_size(request_.first ? position_.size : request_.start.size,
                                             writer_.left_out(), writer_.undelivered());
    const Seconds now = context_.clock.now();
    const std::chrono::seconds lifetime{context_.repository.lists.token_lifetime_seconds};
    std::string token;
    if (more)
        token = context_.sealer.seal(next_token(request_, position_,
                                                furthest(reach_, replica_position_of(latest)),
                                                writer_.last_seq(), writer_.records(), size, now));
    VerbResult result = writer_.finish(std::move(token), now + lifetime, request_.first && !more,
                                       request_.start.cursor, size);
    result.horizon = position_.horizon;
    result.stats.size = size;
    result.closed = position_.upto_fixed;
    return result;
}

}  // namespace

VerbResult verb_list(const Context& context, const ParsedArguments& parsed) {
    const ListRequest request = list_request(parsed.arguments);
    const Format* format = context.formats->find(request.start.metadata_prefix);
    OaiErrors errors = judge_request(request, format, context.repository.facts.sets);
    if (!errors.empty()) return {.errors = std::move(errors), .horizon = context.last_horizon()};
    return ListPage(context, parsed, request, *format).read();
}

}  // namespace oai
