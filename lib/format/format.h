// SPDX-License-Identifier: MIT
// Maps each metadataPrefix to a stylesheet (OAI-PMH 2.0, 3.4). A format is one file of the formats
// directory that describes itself (description.h); nothing else needs to be edited. A registry is
// immutable; thread-safe.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/description.h"
#include "format/record_xml.h"
#include "protocol/record.h"
#include "protocol/repository.h"
#include "store/record_batch.h"
#include "store/record_values.h"
#include "transform/program.h"
#include "transform/record_view.h"
#include "transform/stylesheet.h"

namespace oai {

// How the stylesheet of a format is executed: as a compiled program (transform/program.h) if it
// uses only the supported subset, else by libxslt, which stays the reference. The output of the
// program is compared with that of libxslt for every record of a trial (trial.h); in service, for
// one record in check_every and for each that is the first to reach some operation, branch or
// outcome of a condition. After a difference libxslt is used until the stylesheet is loaded again.
struct CompiledOptions {
    bool compiled = true;  // false: always use libxslt
    // 0: no record is compared.
    int check_every = 10'000;
};

// Thread-safe.
class CompiledFormat {
  public:
    // `required`: columns to read in addition to those that the stylesheet names.
    CompiledFormat(const transform::Stylesheet& stylesheet, const std::string& root_namespace,
                   const std::vector<std::string>& required);

    // Of one that gets each record alone, in a form of which the compiler knows nothing, for the
    // reason given. `columns`: that it reads; empty: unknown.
    CompiledFormat(std::string why_not, std::vector<std::string> columns);

    // Returns "" if the compiled program is used, else why libxslt is: "file:line: construct" that
    // is not supported, or that a difference was found.
    std::string why_not() const;
    // nullptr: libxslt is used.
    const transform::Program* program() const { return runs() ? &*program_ : nullptr; }
    // What the program reads, and those required. REQUIRES: the stylesheet was compiled.
    const std::vector<std::string>& program_columns() const { return columns_; }
    // The columns that the stylesheet reads, and those required; nullptr: not known.
    const std::vector<std::string>* stylesheet_columns() const {
        const bool unknown = program_ ? !program_->fallback.empty() : columns_.empty();
        return unknown ? nullptr : &columns_;
    }

    // Counts the records of a batch. Returns how many the format had rendered before.
    std::uint64_t count(int records) const {
        return counted_.fetch_add(static_cast<std::uint64_t>(records), std::memory_order_relaxed);
    }
    // What has been executed by records that were compared.
    transform::Coverage compared() const;
    void add_compared(const transform::Coverage& coverage) const;
    void switch_off() const { differed_.store(true, std::memory_order_relaxed); }

    // Returns "" if libxslt may be given many records in one document, else why it gets each in one
    // of its own: "file:line: construct". What was compiled cannot look beyond its record.
    const std::string& why_alone() const {
        return program_ && why_not_.empty() ? program_->fallback : why_not_;
    }

  private:
    bool runs() const { return why_not_.empty() && !differed_.load(std::memory_order_relaxed); }

    std::optional<transform::Program> program_;
    std::vector<std::string> columns_;
    std::string why_not_;
    mutable std::mutex compared_mutex_;
    mutable transform::Coverage compared_;
    mutable std::atomic<std::uint64_t> counted_{0};
    mutable std::atomic<bool> differed_{false};
};

// The columns that a program reads, of the record that the values have read last. Returns nullopt
// if one does not fit (xml where text is read, text where XML is copied, or two arrays of one
// name); libxslt must then be used. metadata_namespace: see disseminate() below. Both the values
// and it must outlive the view.
std::optional<transform::RecordView> view_of(const transform::Program& program,
                                             const RecordValues& values,
                                             std::string_view metadata_namespace = {});

struct Format : FormatDescription {
    transform::Stylesheet stylesheet;
    std::unique_ptr<const Input> input{};      // nullptr: the internal XML, without parameters
    std::unique_ptr<CompiledFormat> compiled;  // never nullptr

    // All that it was made from: path first.
    std::vector<std::string> files() const;
};

// A registry and its successors share the formats that did not change; a request uses one.
class FormatRegistry {
  public:
    // REQUIRES: no two formats have a name in common.
    explicit FormatRegistry(std::vector<std::shared_ptr<const Format>> formats);

    const Format* find(std::string_view prefix_or_alias) const;  // nullptr: cannotDisseminateFormat
    // oai_dc first, then by prefix.
    const std::vector<std::shared_ptr<const Format>>& formats() const { return formats_; }
    // By file name.
    const std::vector<std::shared_ptr<const Format>>& abouts() const { return abouts_; }
    // The about stylesheets that go with the format, in the order of their elements.
    std::vector<const Format*> abouts_of(const Format& format) const;

  private:
    std::vector<std::shared_ptr<const Format>> formats_;
    std::vector<std::shared_ptr<const Format>> abouts_;
};

// A prefix or alias that both formats have; nullptr: none.
const std::string* name_in_common(const Format& a, const Format& b);

// Whether the name is the prefix or an alias of the format.
bool is_named(const FormatDescription& format, std::string_view name);

// The metadata of each record of a slice: exactly one element in the root_namespace of the format,
// serialised, or a failure. If an about stylesheet yields none, the piece is empty and there is no
// failure; if it yields many (description.h), kBetweenAbouts stands between them.
struct RenderedRecords {
    std::string text;  // the metadata of all records, one after the other
    struct Piece {
        std::size_t begin, end;
    };                          // empty: deleted, failed or without output
    std::vector<Piece> pieces;  // one for each record of the slice
    using Failure = RecordXml::Failure;
    std::vector<Failure> failures;  // ordered by index; `why` is a message of libxslt or of ours
    std::chrono::nanoseconds comparing{};  // how long libxslt ran for comparisons
    // A record for which the program and libxslt differ; `why` shows how.
    std::optional<Failure> difference;
    std::string_view of(int i) const {
        const Piece p = pieces[static_cast<std::size_t>(i)];
        return std::string_view(text).substr(p.begin, p.end - p.begin);
    }
};

inline constexpr std::string_view kBetweenAbouts = "</about><about>";

// What a stylesheet may read beside the record.
struct TransformContext {
    // Of an about stylesheet: that of the format, which it reads as /records/@metadataNamespace.
    std::string_view metadata_namespace{};
    std::string_view base_url{};  // for parameters (record_xml.h)
};

// A record's metadata depend on that record alone: a stylesheet that was not compiled as a whole,
// and so may look beyond it, is given one record at a time (CompiledFormat), at twice the cost.
// Others get one transform for the slice where libxslt runs them; if that fails, the slice is
// redone record by record, so that one bad record costs only itself. Throws Fault if oai.record
// breaks its contract (record_xml.h), but not for a fault of a record. A slice takes at most 15 s.
RenderedRecords disseminate(const Format& format, const RecordBatch& batch,
                            std::string_view identifier_prefix, CompiledOptions options = {},
                            const TransformContext& surroundings = {});

// The columns that disseminate() reads; nullopt: it may read any.
ColumnNames columns_of(const Format& format);

// How disseminate() executes the format: "compiled", or "by libxslt: " and why.
std::string way_of(const Format& format, bool compiled);

// A change of the stylesheet changes every record in that format, with the datestamp that it gives
// as `since`: returns it once the horizon has reached it, as with any datestamp, else nullopt.
inline std::optional<Seconds> since_of(const Format& format, const Horizon& horizon) {
    return format.since && *format.since <= horizon.h ? format.since : std::nullopt;
}

// Whether harvesters see the record: deleted ones are hidden if deletedRecord=no.
inline bool is_shown(const Repository& repository, const Header& header) {
    return !header.deleted || repository.facts.deleted_record != DeletedRecord::no;
}

// Whether the record is available in the format: always if it is deleted, since harvesters must
// learn of that, else if it has a value in each column that the format requires. REQUIRES: the
// batch contains the columns of the model if the format requires any.
inline bool has_format(const Format& format, const RecordBatch& batch, int i) {
    if (batch.header(i).deleted) return true;
    const auto is_there = [&](const std::string& name) {
        for (int column = 0; column < batch.columns(); ++column)
            if (batch.column(column).shown_name == name && batch.has_value(i, column)) return true;
        return false;
    };
    return std::all_of(format.requires_columns.begin(), format.requires_columns.end(), is_there);
}

}  // namespace oai
