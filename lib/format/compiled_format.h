// SPDX-License-Identifier: MIT
// How the stylesheet of a format is executed: as a compiled program (transform/program.h) if it
// uses only the supported subset and compilation is switched on, else by libxslt, which stays the
// reference. The output of the program is compared with that of libxslt for every record of a trial
// (trial.h); in service, for one record in check_every and for each record that is the first to
// reach some operation, branch or outcome of a condition. So a stylesheet can be compiled without
// records, and code that no record of the trial reached is checked when a record first reaches it.
// After a difference libxslt is used until the stylesheet is loaded again. In the same way a record
// that libxslt made among others is compared with what it makes of that record alone. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "store/record_values.h"
#include "transform/program.h"
#include "transform/record_view.h"
#include "transform/stylesheet.h"

namespace oai {

struct CompiledOptions {
    bool compiled = true;  // false: always use libxslt
    // One record in so many is also made by libxslt and compared, and so is each record that
    // executes something for the first time. 0: none.
    int check_every = 10'000;
};

class CompiledFormat {
  public:
    // `required`: columns to read in addition to those that the stylesheet names.
    CompiledFormat(const transform::Stylesheet& stylesheet, const std::string& root_namespace,
                   const std::vector<std::string>& required);

    // Of one that is given the XML of a required column, as a document of its own; why_alone says
    // so.
    CompiledFormat(const transform::Stylesheet& stylesheet, const std::string& root_namespace,
                   const std::vector<std::string>& required, const std::string& document,
                   std::string why_alone);

    // Of one that gets each record alone, in a form of which the compiler knows nothing, for the
    // reason given. `columns`: that it reads; empty: unknown.
    CompiledFormat(std::string why_not, std::vector<std::string> columns);

    // Returns "" if the compiled program is used, else why libxslt is: "file:line: construct" that
    // is not supported, or that a difference was found.
    std::string why_not() const;
    // nullptr: libxslt is used.
    const transform::Program* program() const { return runs() ? &*program_ : nullptr; }
    // The columns that the program reads, and those required. REQUIRES: the stylesheet was
    // compiled.
    const std::vector<std::string>& program_columns() const { return columns_; }
    // The columns that the stylesheet reads, and those required; nullptr if the compiler could not
    // determine them.
    const std::vector<std::string>* stylesheet_columns() const {
        const bool unknown = program_ ? !program_->fallback.empty() : columns_.empty();
        return unknown ? nullptr : &columns_;
    }

    // Picks the records of a batch that libxslt makes too: one in `every` of all records that the
    // format has rendered.
    class Sampler {
      public:
        bool picks(int i) const {
            return every_ > 0 && (first_ + static_cast<std::uint64_t>(i)) % every_ == every_ - 1;
        }

      private:
        friend class CompiledFormat;
        std::uint64_t first_ = 0, every_ = 0;
    };
    Sampler sampler(int records, int every) const;
    // What has been executed by records that were compared.
    transform::Coverage compared() const;
    void add_compared(const transform::Coverage& coverage) const;
    void switch_off() const { differed_.store(true, std::memory_order_relaxed); }

    // Returns "" if libxslt may be given many records in one document, else why it gets each in one
    // of its own: "FILE:LINE: expression" that may look beyond the record (transform/scope.h), or
    // that a record was found to come out otherwise among others.
    std::string why_alone() const;
    bool runs_alone() const {
        return !place_beyond_.empty() || depends_.load(std::memory_order_relaxed);
    }
    void run_alone() const { depends_.store(true, std::memory_order_relaxed); }

  private:
    bool runs() const { return why_not_.empty() && !differed_.load(std::memory_order_relaxed); }

    std::optional<transform::Program> program_;
    std::vector<std::string> columns_;
    std::string why_not_;
    std::string place_beyond_;
    mutable std::mutex compared_mutex_;
    mutable transform::Coverage compared_;
    mutable std::atomic<std::uint64_t> counted_{0};
    mutable std::atomic<bool> differed_{false};
    mutable std::atomic<bool> depends_{false};
};

// Maps the columns that a program reads to the values of a batch.
class Binding {
  public:
    // Returns nullopt if a column does not fit (xml where text is read, text where XML is copied,
    // or two arrays of one name); libxslt must then be used. metadata_namespace: see disseminate()
    // in format.h. Both the values and it must outlive the binding.
    static std::optional<Binding> bind(const transform::Program& program,
                                       const RecordValues& values,
                                       std::string_view metadata_namespace = {});
    // The view of the record that the values have read last.
    const transform::RecordView& view() const { return view_; }

  private:
    transform::RecordView view_;
};

}  // namespace oai
