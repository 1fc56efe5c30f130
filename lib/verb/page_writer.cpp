// SPDX-License-Identifier: MIT
#include "verb/page_writer.h"

#include <algorithm>
#include <utility>

namespace oai {
namespace {

constexpr int kHopelessTimes = 10;  // the budget of time

bool has_metadata(const ParsedArguments& parsed) {
    return parsed.arguments.verb == Verb::list_records;
}

}  // namespace

PageBudget page_budget(const Config::Lists& lists, const Format& format) {
    return {.records = format.records > 0 ? format.records : lists.records,
            .bytes = static_cast<std::size_t>(lists.page_bytes),
            .time = std::chrono::milliseconds{lists.page_milliseconds}};
}

PageWriter::PageWriter(const Context& context, const ParsedArguments& parsed, const Format& format)
    : context_(context),
      parsed_(parsed),
      format_(format),
      budget_(page_budget(context.repository.lists, format)),
      writer_(context, format, has_metadata(parsed)) {}

void PageWriter::begin(const Horizon& horizon, std::optional<Seconds> since) {
    since_ = since;
    out_.emplace(response_date(horizon), context_.repository.facts.base_url, parsed_.echo);
    records_begin_ = out_->bytes();
    out_->open(parsed_.arguments.verb);
    // A page that grows from nothing is copied some ten times. The sizes are guesses: memory that
    // is not written to costs nothing.
    constexpr std::size_t kHeaderBytes = 300, kRecordBytes = 1200;
    const std::size_t guess = static_cast<std::size_t>(budget_.records) *
                              (has_metadata(parsed_) ? kRecordBytes : kHeaderBytes);
    out_->body().reserve(std::min(guess, budget_.bytes));
}

int PageWriter::write(const RecordBatch& batch) {
    using Outcome = RecordWriter::Outcome;
    writer_.begin(batch, since_);
    if (first_seq_ == 0) first_seq_ = batch.header(0).seq;
    int i = 0;
    do {
        const Outcome outcome = writer_.write(*out_, i);
        last_seq_ = batch.header(i).seq;
        left_out_ = left_out_ || outcome == Outcome::left_out;
        undelivered_ += outcome == Outcome::failed || outcome == Outcome::excluded;
        if (outcome == Outcome::failed &&
            context_.repository.lists.on_bad_record == OnBadRecord::fail) {
            const BadRecord& bad = stats().bad_records.back();
            throw Fault("on_bad_record = fail, and " + bad.identifier +
                        " cannot be disseminated as " + format_.prefix + ": " + bad.why);
        }
        ++i;
    } while (i < batch.size() && !is_full());
    return i;
}

bool PageWriter::is_full() const {
    return budget_.is_spent(records(), out_->bytes(), Stopwatch::now() - began_);
}

bool PageWriter::is_hopeless() const {
    return Stopwatch::now() - began_ >= kHopelessTimes * budget_.time;
}

VerbResult PageWriter::finish(std::string token, Seconds expires, bool only_page,
                              std::int64_t cursor, std::int64_t size) {
    VerbResult result{.records = {records_begin_, out_->bytes()},
                      .next_token = std::move(token),
                      .first_seq = first_seq_,
                      .last_seq = last_seq_};
    if (!only_page) out_->resumption_token(result.next_token, expires, cursor, size);
    out_->close(parsed_.arguments.verb);
    result.document = out_->finish();
    return result;
}

}  // namespace oai
