// SPDX-License-Identifier: MIT
// The document of one page of a list: its records until the budget is spent, then the
// resumptionToken. Knows no paging beyond that, and no SQL. Belongs to one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "protocol/envelope.h"
#include "verb/handler.h"
#include "verb/record_writer.h"

namespace oai {

// A page ends when one of these is spent. It is never empty: until it has a record, nothing is
// spent.
struct PageBudget {
    int records;
    std::size_t bytes;
    std::chrono::milliseconds time;

    bool is_spent(int records_written, std::size_t bytes_written,
                  std::chrono::nanoseconds elapsed) const {
        return records_written > 0 &&
               (records_written >= records || bytes_written >= bytes || elapsed >= time);
    }
};
PageBudget page_budget(const Config::Lists& lists, const Format& format);

class PageWriter {
  public:
    // All must outlive the writer. The time of the budget begins here.
    PageWriter(const Context& context, const ParsedArguments& parsed, const Format& format);

    // Begins the document. `since`: since_of(), by which datestamps are printed.
    void begin(const Horizon& horizon, std::optional<Seconds> since);
    // Writes records of the batch until the budget is spent; returns how many were taken (written,
    // left out or failed), at least one. Throws Fault where a record fails
    // and the policy is on_bad_record = fail. REQUIRES: begin() came before; the batch is not empty
    // and the budget is not spent.
    int write(const RecordBatch& batch);
    bool is_full() const;
    // The page has used up ten times its budget of time.
    bool is_hopeless() const;

    const PageBudget& budget() const { return budget_; }
    int records() const { return writer_.stats().records; }
    // The numbers of the first and last record that was taken; 0: there was none.
    std::int64_t first_seq() const { return first_seq_; }
    std::int64_t last_seq() const { return last_seq_; }
    // Records were left out that the format does not have, though the database counts them.
    bool left_out() const { return left_out_; }
    // Records of the format that could not be written.
    int undelivered() const { return undelivered_; }

    // Ends the document with the token ("": the list ends here), if it is not the list's only page.
    // The result has document, records, next_token and the numbers.
    VerbResult finish(std::string token, Seconds expires, bool only_page, std::int64_t cursor,
                      std::int64_t size);
    // What the page has cost and delivered so far.
    const RequestStats& stats() const { return writer_.stats(); }

  private:
    using Stopwatch = std::chrono::steady_clock;

    const Context& context_;
    const ParsedArguments& parsed_;
    const Format& format_;
    const PageBudget budget_;
    const Stopwatch::time_point began_ = Stopwatch::now();
    RecordWriter writer_;
    std::optional<Seconds> since_;
    std::optional<Envelope> out_;
    std::size_t records_begin_ = 0;  // in the document
    std::int64_t first_seq_ = 0;
    std::int64_t last_seq_ = 0;
    bool left_out_ = false;
    int undelivered_ = 0;
};

}  // namespace oai
