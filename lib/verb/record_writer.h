// SPDX-License-Identifier: MIT
// Records of a batch as <header> or <record> elements of one format: what GetRecord,
// ListIdentifiers and ListRecords share. Knows no paging and no SQL.
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

// cannotDisseminateFormat for a metadataPrefix that nobody knows.
OaiError unknown_format(std::string_view prefix);

class RecordWriter {
  public:
    // with_metadata: <record>, else <header> alone. The arguments must outlive the writer.
    RecordWriter(const Context& context, const Format& format, bool with_metadata);

    // The columns that batches must have; nullopt: all.
    ColumnNames columns() const;

    // Turns to the next batch, which must outlive its write() calls. `since`: since_of(), the same
    // for all batches of one answer. REQUIRES: the batch has columns().
    void begin(const RecordBatch& batch, std::optional<Seconds> since);

    // left_out: not shown, or not in this format. failed: no metadata could be made, or an about
    // stylesheet failed; noted in the stats.
    enum class Outcome { written, left_out, failed };
    // Appends record i of the batch to the envelope's body, 0 first.
    Outcome write(Envelope& out, int i);

    // Records written, time spent in stylesheets, and what went wrong, so far.
    const RequestStats& stats() const { return stats_; }

  private:
    // What one stylesheet makes of the batch.
    struct StylesheetOutput {
        const Format& stylesheet;
        RenderedRecords records{};

        const std::string* failure(int i) const;  // nullptr: none
    };

    void transform(StylesheetOutput& output);
    std::string why_not(int i) const;
    void append_parts(std::string& body, int i) const;
    const Context& context_;
    const Format& format_;
    const bool with_metadata_;
    RequestStats stats_;
    const RecordBatch* batch_ = nullptr;
    std::optional<Seconds> since_;
    StylesheetOutput metadata_;
    std::vector<StylesheetOutput> abouts_;
    std::vector<std::string_view> set_specs_;  // of the record that is written
};

}  // namespace oai
