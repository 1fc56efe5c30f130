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

    // For a stylesheet with an input or parameters of its own, which the compiler does not support,
    // as why_not says. `columns`: those that it reads; empty: unknown.
    CompiledFormat(std::string why_not, std::vector<std::string> columns);

    // Returns "" if the compiled program is used, else why not: "file:line: construct" for an
    // unsupported construct, or that a difference was found.
    std::string why_not() const;
    // nullptr: libxslt is used.
    const transform::Program* program() const { return runs() ? &*program_ : nullptr; }
    // The columns that the program reads, and the required ones. REQUIRES: program().
    const std::vector<std::string>& program_columns() const { return columns_; }
    // The columns that the stylesheet reads, and the required ones; nullptr: unknown.
    const std::vector<std::string>* stylesheet_columns() const {
        const bool unknown = program_ ? !program_->fallback.empty() : columns_.empty();
        return unknown ? nullptr : &columns_;
    }

    // Adds to the number of rendered records. Returns the previous number.
    std::uint64_t count(int records) const {
        return counted_.fetch_add(static_cast<std::uint64_t>(records), std::memory_order_relaxed);
    }
    // The coverage of the program by the records that were compared.
    transform::Coverage compared() const;
    void add_compared(const transform::Coverage& coverage) const;
    void switch_off() const { differed_.store(true, std::memory_order_relaxed); }

    // Returns "" if libxslt may transform several records in one document, else "file:line:
    // construct" for the construct that could read other records. A compiled stylesheet has none.
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

// The current record of `values` as the program reads it. Returns nullopt if a column has an
// unsuitable type (xml where text is read, text where XML is copied, two arrays of one name): use
// libxslt. metadata_namespace: see TransformContext. Both must outlive the view.
std::optional<transform::RecordView> view_of(const transform::Program& program,
                                             const RecordValues& values,
                                             std::string_view metadata_namespace = {});

struct Format : FormatDescription {
    transform::Stylesheet stylesheet;
    std::unique_ptr<const Input> input{};      // nullptr: the internal XML, without parameters
    std::unique_ptr<CompiledFormat> compiled;  // never nullptr

    // The files that it was compiled from: `path` and its imports.
    std::vector<std::string> files() const;
};

// The formats in service at one time. Immutable; a reload replaces the registry, and unchanged
// formats are shared.
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

// The result of disseminate() for a batch: for each record, exactly one serialised element in the
// root_namespace of the format, or a failure. An about stylesheet may make none, which is an empty
// piece and no failure, or several (description.h), which are separated by kBetweenAbouts.
struct RenderedRecords {
    std::string text;  // the metadata of all records, one after the other
    struct Piece {
        std::size_t begin, end;
    };                          // empty: deleted, failed or without output
    std::vector<Piece> pieces;  // one for each record of the batch
    using Failure = RecordXml::Failure;
    std::vector<Failure> failures;         // ordered by index
    std::chrono::nanoseconds comparing{};  // time that libxslt needed for comparisons
    // A record for which the program and libxslt differ; `why` shows how.
    std::optional<Failure> difference;
    std::string_view of(int i) const {
        const Piece p = pieces[static_cast<std::size_t>(i)];
        return std::string_view(text).substr(p.begin, p.end - p.begin);
    }
};

inline constexpr std::string_view kBetweenAbouts = "</about><about>";

// What a stylesheet may read in addition to the record.
struct TransformContext {
    // For an about stylesheet: the namespace of the format, which it reads as
    // /records/@metadataNamespace.
    std::string_view metadata_namespace{};
    std::string_view base_url{};  // for parameters (record_xml.h)
};

// Transforms the records of a batch. Metadata must depend on their own record alone: a stylesheet
// that was not compiled completely, and so might read other records, gets one record at a time, at
// twice the cost. Other stylesheets that run by libxslt get the whole batch; if that fails, it is
// repeated record by record, so that a bad record affects no other. Takes at most 15 s. Throws
// Fault if oai.record breaks its contract (record_xml.h), but not for an invalid record.
RenderedRecords disseminate(const Format& format, const RecordBatch& batch,
                            std::string_view identifier_prefix, CompiledOptions options = {},
                            const TransformContext& surroundings = {});

// The columns that disseminate() reads; nullopt: it may read any.
ColumnNames columns_of(const Format& format);

// How disseminate() runs the format, for log and status: "compiled", or "by libxslt: " and why.
std::string execution_of(const Format& format, bool compiled);

// A changed stylesheet changes every record of its format, as of the moment that it declares as
// `since`. Returns `since` once the horizon has reached it, else nullopt.
inline std::optional<Seconds> since_of(const Format& format, const Horizon& horizon) {
    return format.since && *format.since <= horizon.h ? format.since : std::nullopt;
}

// Whether harvesters may see the record: deleted records are hidden if deletedRecord=no.
inline bool is_visible(const Repository& repository, const Header& header) {
    return !header.deleted || repository.facts.deleted_record != DeletedRecord::no;
}

// Whether the record is available in the format: it has a value in each required column, or is
// deleted, since harvesters must learn of deletions. REQUIRES: the batch contains the model's
// columns if the format requires any.
inline bool has_format(const Format& format, const RecordBatch& batch, int i) {
    if (batch.header(i).deleted) return true;
    const auto is_there = [&](const std::string& name) {
        for (int column = 0; column < batch.columns(); ++column)
            if (batch.column(column).xml_name == name && batch.has_value(i, column)) return true;
        return false;
    };
    return std::all_of(format.requires_columns.begin(), format.requires_columns.end(), is_there);
}

}  // namespace oai
