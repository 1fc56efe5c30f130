// SPDX-License-Identifier: MIT
// Writes the records of a batch as <header> or <record> elements, for GetRecord, ListIdentifiers
// and ListRecords. Knows no paging and no SQL.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/format.h"
#include "protocol/envelope.h"
#include "store/store.h"
#include "verb/handler.h"

namespace oai {

// cannotDisseminateFormat for an unknown metadataPrefix.
OaiError unknown_format(std::string_view prefix);

class RecordWriter {
  public:
    // with_metadata: <record>, else <header> alone. The arguments must outlive the writer.
    RecordWriter(const Context& context, const Format& format, bool with_metadata);

    // The columns that batches must have; nullopt: all.
    ColumnNames columns() const;

    // Starts a batch, which must outlive its write() calls. `since`: since_of(), the same for all
    // batches of a response. REQUIRES: the batch has columns().
    void begin(const RecordBatch& batch, std::optional<Seconds> since);

    // left_out: the record is hidden, or not available in this format. failed: the format's
    // stylesheet or one for <about> failed, and stats().bad_records names the record.
    enum class Outcome { written, left_out, failed };
    // Appends record i of the batch to the envelope. REQUIRES: called in ascending order from 0.
    Outcome write(Envelope& out, int i);

    // Counts, times and bad records of all batches so far.
    const RequestStats& stats() const { return stats_; }

  private:
    // The output of one stylesheet for the batch.
    struct StylesheetOutput {
        const Format& stylesheet;
        RenderedRecords records{};

        const std::string* failure(int i) const;  // nullptr: none
    };

    void transform(StylesheetOutput& output);
    std::string why_failed(int i) const;
    void append_parts(std::string& body, int i) const;
    const Context& context_;
    const Format& format_;
    const bool with_metadata_;
    RequestStats stats_;
    const RecordBatch* batch_ = nullptr;
    std::optional<Seconds> since_;
    StylesheetOutput metadata_;
    std::vector<StylesheetOutput> abouts_;
    std::vector<std::string_view> set_specs_;  // of the current record
};

}  // namespace oai
