// SPDX-License-Identifier: MIT
// How a format's stylesheet runs: compiled (xml/emit.h), if it is of the plain subset, passed its trial and is switched
// on; else by libxslt, which stays the reference: in service too, one record in so many is made both ways, and a
// difference ends the compiled way until the stylesheet is loaded again. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record_values.h"
#include "xml/emit.h"
#include "xml/stylesheet.h"

namespace oai {

struct CompiledOptions {
    bool compiled = true;      // false: always by libxslt
    int check_every = 10'000;  // one record in so many is made by libxslt too; 0: none
};

class CompiledFormat {
  public:
    // Compiles and tries the stylesheet. Throws xml::Error if libxslt fails on a record of the trial.
    // `required`: columns that are read beside those that the stylesheet names.
    CompiledFormat(const xml::Stylesheet& stylesheet, const std::string& root_namespace,
                   const std::vector<std::string>& required);

    // "" compiled; or why libxslt runs it: "file:line: construct", the failed trial, a difference found in service.
    std::string why_not() const;
    // nullptr: libxslt runs it.
    const xml::Emission* emission() const { return runs() ? &*emission_ : nullptr; }
    // The columns that the emission reads, and those required. REQUIRES: it was compiled.
    const std::vector<std::string>& reads() const { return reads_; }
    // The columns that the stylesheet reads, and those required; nullptr: not known.
    const std::vector<std::string>* wanted() const { return emission_ && emission_->leaves.empty() ? &reads_ : nullptr; }

    // Counts `records` more; is(i): it is the turn of the i-th of them, one in `every`, to be made by libxslt too.
    class Turn {
      public:
        bool is(int i) const { return every_ > 0 && (first_ + static_cast<std::uint64_t>(i)) % every_ == every_ - 1; }

      private:
        friend class CompiledFormat;
        std::uint64_t first_ = 0, every_ = 0;
    };
    Turn count(int records, int every) const;
    void switch_off() const { differed_.store(true, std::memory_order_relaxed); }

  private:
    bool runs() const { return why_not_.empty() && !differed_.load(std::memory_order_relaxed); }

    std::optional<xml::Emission> emission_;
    std::vector<std::string> reads_;
    std::string why_not_;
    mutable std::atomic<std::uint64_t> counted_{0};
    mutable std::atomic<bool> differed_{false};
};

// The slots of an emission in the values of a slice.
class Binding {
  public:
    // nullopt: a column does not fit: xml where text is read, text where XML is copied, or two arrays of one name. Then
    // libxslt has to run it. metadata_namespace: as disseminate() has it (format.h); must outlive the binding.
    static std::optional<Binding> bind(const xml::Emission& emission, const RecordValues& values,
                                       std::string_view metadata_namespace = {});
    // Of the record that the values have read last. The view is good until they read the next.
    const xml::RecordView& view(const RecordValues& values);

  private:
    static constexpr std::size_t kAbsent = SIZE_MAX;
    std::vector<std::size_t> attributes_, children_, trees_;  // indices of columns
    xml::RecordView view_;
};

}  // namespace oai
