// SPDX-License-Identifier: MIT
// Gathers records and writes them into the database slice by slice, whatever the model; counts in a
// report what became of them. Slice: CaptureSlice or ItemSlice. Staging: the class that writes it,
// by write(records); one that writes a slice while the next is gathered (CaptureWriters,
// ItemWriters) also has slice_records(), and finish(), which waits.
#pragma once

#include <cstddef>
#include <utility>

#include "tools/load/report.h"

namespace oai::load {

template <class Slice, class Staging>
class SliceWriter {
  public:
    // A slice is written when it has slice_records records, or 64 MiB. All must outlive the writer.
    SliceWriter(Staging& staging, std::size_t slice_records, LoadReport& report)
        : staging_(staging), slice_records_(slice_records), report_(report) {}

    // Throws as Staging::write().
    template <class Record>
    void add(Record record) {
        ++report_.records;
        slice_.add(std::move(record));
        if constexpr (requires { staging_.slice_records(); })
            slice_records_ = staging_.slice_records();
        if (slice_.size() >= slice_records_ || slice_.bytes() >= kMaxBytes) flush();
    }

    // To be called at the end: writes what is left.
    void finish() {
        flush();
        if constexpr (requires { staging_.finish(); }) report_.add(staging_.finish());
    }

  private:
    void flush() {
        if (slice_.size() == 0) return;
        report_.add(staging_.write(slice_.records()));
        slice_.clear();
    }

    static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
    Staging& staging_;
    std::size_t slice_records_;
    LoadReport& report_;
    Slice slice_;
};

}  // namespace oai::load
