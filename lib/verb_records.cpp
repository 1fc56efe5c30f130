// SPDX-License-Identifier: MIT
// GetRecord, ListIdentifiers and ListRecords (OAI-PMH 2.0, 4.1, 4.3, 4.5). Records are written by
// record_writer; this file knows which ones: arguments or a token become a query, a page ends by its budget,
// what is left becomes the next token.
#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/timing.h"
#include "identifier.h"
#include "record_writer.h"
#include "slice_maker.h"
#include "verb.h"

namespace oai {

namespace {

using Stopwatch = std::chrono::steady_clock;

constexpr int kLongestReach = 10'000;  // rows of one snapshot; the page itself keeps its own limit

OaiError unknown_format(std::string_view prefix) {
    return {ErrorCode::cannot_disseminate_format, "The metadataPrefix " + std::string(prefix) +
                                                      " is unknown here; ListMetadataFormats lists them."};
}

// What a list is, whether it begins or goes on: a first request is a token with nothing behind it yet.
Token start_of(const Arguments& arguments) {
    if (arguments.token) return *arguments.token;
    Token token{};
    token.verb = arguments.verb;
    token.metadata_prefix = arguments.metadata_prefix.value_or("");
    token.set = arguments.set.value_or("");
    if (arguments.from) token.from = arguments.from->first;
    if (arguments.until) token.until = arguments.until->last();
    return token;
}

class ListPage {
  public:
    ListPage(const Context& context, const ParsedArguments& parsed, const Format& format, Account& account);
    VerbResult answer();

  private:
    ListQuery first_query() const;
    bool begin(const Position& position);
    void reserve_page();
    bool reconsider_since(const Horizon& horizon);
    bool read_on();
    int append(const Slice& slice, RecordWriter::Made made);
    bool spent() const;
    void give_up_if_hopeless() const;
    void require_end() const;
    VerbResult finish(bool more);
    std::string next_token() const;
    VerbResult nothing() const;
    VerbResult refuse(ErrorCode code, const char* why) const {
        return {.errors = {{code, why}}, .horizon = position_.horizon};
    }

    const Context& context_;
    const ParsedArguments& parsed_;
    const Format& format_;
    Account& account_;
    const bool first_;  // of the list's pages
    const Token start_;
    const bool with_metadata_;
    const int limit_;
    const Stopwatch::time_point began_ = Stopwatch::now();
    RecordWriter writer_;
    std::optional<Seconds> since_;  // of the format, where it counts already
    ListQuery query_;
    Position position_;  // of the page's first snapshot: an older responseDate is safe, a newer one is not
    Horizon latest_;     // of its last one, which may be another database's
    Reach reach_;        // of the list, as far as it is known
    std::optional<Envelope> out_;
    std::optional<VerbResult> refusal_;
    std::int64_t size_ = -1;
};

ListPage::ListPage(const Context& context, const ParsedArguments& parsed, const Format& format,
                   Account& account)
    : context_(context),
      parsed_(parsed),
      format_(format),
      account_(account),
      first_(!parsed.arguments.token),
      start_(start_of(parsed.arguments)),
      with_metadata_(parsed.arguments.verb == Verb::list_records),
      limit_(format.records > 0 ? format.records : context.repository.lists.records),
      writer_(context, format, with_metadata_, account),
      since_(format.since && *format.since <= context.clock.now() ? format.since : std::nullopt),
      query_(first_query()) {
    account_.cursor = start_.cursor;
    if (!first_) reach_ = {start_.epoch, start_.reach, start_.horizon};
    reach_ = farther(reach_, context.floor);
}

ListQuery ListPage::first_query() const {
    ListQuery query;
    query.with_records = writer_.needs_records();
    // Every record's datestamp is at least `since` in this format: a lower bound up to there bounds nothing. An
    // upper bound before it lets nothing through; begin() sees to that.
    if (start_.from && !(since_ && *start_.from <= *since_)) query.from = start_.from;
    query.until = start_.until;
    if (!start_.set.empty()) query.set = start_.set;
    query.records = limit_;
    if (!first_) {
        query.after = start_.after;
        query.upto = start_.upto;
        query.seen = Seen{start_.reach, start_.horizon};
    }
    // The database counts items; where a format leaves some of them out, no number is better than a wrong
    // one.
    query.want_size = first_ && format_.requires_columns.empty();
    query.count_limit = context_.repository.lists.count_limit;
    return query;
}

VerbResult ListPage::answer() {
    bool more = read_on();
    while (more && account_.records == 0) {
        give_up_if_hopeless();
        query_.want_size = false;
        query_.records =
            std::min(2 * query_.records, kLongestReach);  // a rare format is found in longer strides
        more = read_on();
    }
    if (refusal_) return *refusal_;
    reach_ = farther(reach_, reach_of(latest_));
    if (!more) require_end();
    return account_.records == 0 ? nothing() : finish(more);
}

// Judges what only the database knows, and begins the document.
bool ListPage::begin(const Position& position) {
    position_ = position;
    size_ = first_ ? position.size : start_.size;
    if (!first_ && start_.epoch != position.horizon.epoch) {
        refusal_ =
            refuse(ErrorCode::bad_resumption_token,
                   "The repository has been rebuilt since this token was issued; begin the list again.");
    } else if (position.lost) {
        refusal_ = refuse(ErrorCode::bad_resumption_token,
                          "The repository has lost what this list has shown; begin it again.");
    } else if (!position.set_exists) {
        require_reach(position.horizon, reach_);  // it may be newer than this
        refusal_ = first_ ? refuse(ErrorCode::no_records_match, "There is no such set; ListSets lists them.")
                          : refuse(ErrorCode::bad_resumption_token, "The set of this list is gone.");
    } else if (first_ && start_.until && since_ && *start_.until < *since_) {
        refusal_ = nothing();  // a list that goes on is ended as it began: nobody is told half of it
    }
    if (refusal_) return false;
    out_.emplace(response_date(position.horizon), context_.repository.facts.base_url, parsed_.echo);
    out_->open(parsed_.arguments.verb);
    reserve_page();
    return true;
}

// A page that grows from nothing is copied some ten times.
void ListPage::reserve_page() {
    constexpr std::size_t kHeaderBytes = 300, kRecordBytes = 1200;  // guesses: what is not written to, costs nothing
    const std::size_t guess = static_cast<std::size_t>(limit_) * (with_metadata_ ? kRecordBytes : kHeaderBytes);
    out_->body().reserve(std::min(guess, static_cast<std::size_t>(context_.repository.lists.page_bytes)));
}

// The first query was made by the clock; the horizon of its snapshot decides. True: they differ, and the list has to
// be asked for anew.
bool ListPage::reconsider_since(const Horizon& horizon) {
    const auto assumed = std::exchange(since_, since_of(format_, horizon));
    if (since_ == assumed || !first_) return false;
    query_ = first_query();
    return true;
}

// Reads, from one snapshot, up to the end of the budget or of the list. True: the list goes on.
bool ListPage::read_on() {
    Listing listing = timed(account_.database, [&] { return context_.store.list(query_); });
    latest_ = listing.position().horizon;
    if (!out_ && reconsider_since(listing.position().horizon)) return read_on();
    if (!out_ && !begin(listing.position())) return false;
    if (listing.position().horizon.epoch != position_.horizon.epoch)
        throw Unavailable("the numbering was begun anew");
    SliceMaker slices(listing, writer_, context_.spare, account_.database);
    for (;;) {
        auto [slice, made] = slices.next();
        if (slice.size() == 0) return listing.more();
        const int taken = append(slice, std::move(made));
        query_.after = slice.header(taken - 1).seq;
        if (taken < slice.size()) return true;
        if (!spent()) continue;
        timed(account_.database, [&] { listing.stop(); });
        return slices.has_more() || listing.more();
    }
}

// Returns how many records of the slice were taken (written, left out or failed), at least one.
int ListPage::append(const Slice& slice, RecordWriter::Made made) {
    writer_.begin(slice, since_, std::move(made));
    int i = 0;
    do {
        const RecordWriter::Outcome outcome = writer_.write(*out_, i);
        if (outcome == RecordWriter::Outcome::left_out) size_ = -1;  // it was counted, so the count is wrong
        // Counted, and not delivered: so that at the end of the list cursor and size meet.
        if (outcome == RecordWriter::Outcome::failed || outcome == RecordWriter::Outcome::excluded)
            size_ -= size_ > 0 ? 1 : 0;
        if (outcome == RecordWriter::Outcome::failed &&
            context_.repository.lists.on_bad_record == OnBadRecord::fail) {
            const BadRecord& bad = account_.bad_records.back();
            throw Fault("on_bad_record = fail, and " + bad.identifier + " cannot be disseminated as " +
                        format_.prefix + ": " + bad.why);
        }
        ++i;
    } while (i < slice.size() && !spent());
    return i;
}

bool ListPage::spent() const {
    if (account_.records == 0) return false;  // a page is never empty
    const Config::Lists& budget = context_.repository.lists;
    return account_.records >= limit_ || out_->bytes() >= static_cast<std::size_t>(budget.page_bytes) ||
           Stopwatch::now() - began_ >= std::chrono::milliseconds{budget.page_milliseconds};
}

// Reading on is for a bad patch. A repository of nothing else would keep the request for hours.
void ListPage::give_up_if_hopeless() const {
    const std::chrono::milliseconds budget{context_.repository.lists.page_milliseconds};
    if (Stopwatch::now() - began_ < 10 * budget) return;
    throw Fault("no record could be disseminated as " + format_.prefix + " between seq " +
                std::to_string(start_.after) + " and " + std::to_string(query_.after.value_or(0)));
}

// A list may be read from a database that is behind, but not ended by it. A list whose `until` is past ends where it was
// told to.
void ListPage::require_end() const {
    Reach end = reach_;
    if (position_.upto_fixed) end.seq = std::min(end.seq, position_.upto);
    require_reach(latest_, end);
}

// The list that a token goes on with may have ended meanwhile: its last records were changed, have moved
// beyond its `until`, and the next harvest meets them. noRecordsMatch says just that; badResumptionToken
// would start it anew.
VerbResult ListPage::nothing() const {
    return refuse(ErrorCode::no_records_match,
                  first_ ? "No record matches." : "No record is left in this list.");
}

VerbResult ListPage::finish(bool more) {
    account_.size = size_;
    account_.more = more;
    const std::chrono::seconds lifetime{context_.repository.lists.token_lifetime_seconds};
    if (more || !first_) {
        out_->resumption_token(more ? next_token() : "", context_.clock.now() + lifetime, start_.cursor,
                               size_);
    }
    out_->close(parsed_.arguments.verb);
    return {.errors = {},
            .horizon = position_.horizon,
            .document = out_->finish(),
            .closed = position_.upto_fixed};
}

std::string ListPage::next_token() const {
    Token next = start_;
    next.epoch = position_.horizon.epoch;
    next.reach = reach_.seq;
    next.horizon = reach_.h;
    next.after = *query_.after;
    if (next.upto == 0 && position_.upto_fixed) next.upto = position_.upto;
    next.cursor = start_.cursor + account_.records;
    next.size = size_;
    next.issued = context_.clock.now();
    return context_.sealer.seal(next);
}

// What is wrong with a list's arguments without asking the database.
OaiErrors judge_list(const Context& context, const Arguments& arguments, const Token& start,
                     const Format* format) {
    const bool set_without_sets = !start.set.empty() && !context.repository.facts.sets;
    OaiErrors errors;
    if (arguments.token && (format == nullptr || set_without_sets)) {
        errors.push_back({ErrorCode::bad_resumption_token, "The format or set of this list is gone."});
        return errors;
    }
    if (format == nullptr) errors.push_back(unknown_format(start.metadata_prefix));
    if (set_without_sets) errors.push_back({ErrorCode::no_set_hierarchy, "This repository has no sets."});
    return errors;
}

// The one record found, as GetRecord's document.
VerbResult record_document(const Context& context, const ParsedArguments& parsed, const Format& format,
                           const Store::Found& found, Account& account) {
    Envelope out(response_date(found.horizon), context.repository.facts.base_url, parsed.echo);
    out.open(Verb::get_record);
    RecordWriter writer(context, format, true, account);
    writer.begin(found.slice, since_of(format, found.horizon), writer.make(found.slice));
    if (writer.write(out, 0) != RecordWriter::Outcome::written) {
        return {.errors = {{ErrorCode::cannot_disseminate_format,
                            "This record is not available as " + format.prefix + "."}},
                .horizon = found.horizon};
    }
    out.close(Verb::get_record);
    return {.errors = {}, .horizon = found.horizon, .document = out.finish()};
}

}  // namespace

VerbResult verb_get_record(const Context& context, const ParsedArguments& parsed, Account& account) {
    const Format* format = context.formats->find(*parsed.arguments.metadata_prefix);
    const std::string local_id = local_id_in(context.repository.identifier_prefix, *parsed.arguments.identifier);
    const Store::Found found = timed(account.database, [&] {
        return !local_id.empty() ? context.store.get(local_id, format != nullptr) : Store::Found{context.last_horizon(), Slice()};
    });
    if (!local_id.empty()) require_reach(found.horizon, context.floor);
    OaiErrors errors;
    if (found.slice.size() == 0 || !is_shown(context.repository, found.slice.header(0))) {
        errors.push_back({ErrorCode::id_does_not_exist, "There is no record of this identifier."});
    }
    if (format == nullptr) errors.push_back(unknown_format(*parsed.arguments.metadata_prefix));
    if (!errors.empty()) return {.errors = std::move(errors), .horizon = found.horizon};
    return record_document(context, parsed, *format, found, account);
}

VerbResult verb_list(const Context& context, const ParsedArguments& parsed, Account& account) {
    const Token start = start_of(parsed.arguments);
    const Format* format = context.formats->find(start.metadata_prefix);
    OaiErrors errors = judge_list(context, parsed.arguments, start, format);
    if (!errors.empty()) return {.errors = std::move(errors), .horizon = context.last_horizon()};
    return ListPage(context, parsed, *format, account).answer();
}

}  // namespace oai
