// SPDX-License-Identifier: MIT
// Writes slices of captures by two connections, each in a thread of its own: while one waits for
// its second and publishes, the other prepares the next slice, and the caller reads on. Adapts the
// size of slices to the time for which they lock the horizon. Knows no files. For one thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tools/load/capture_staging.h"

namespace oai::load {

struct CaptureWritersOptions {
    CaptureStagingOptions staging;
    int slice_records = 50'000;  // at most
    bool leave_to_publisher = false;
};

class CaptureWriters {
  public:
    using Slice = CaptureSlice;
    // Throws as CaptureStaging's constructor.
    CaptureWriters(const std::string& conninfo, const CaptureWritersOptions& options);
    ~CaptureWriters();  // what was not finished is rolled back, or written

    std::size_t slice_records() const { return slice_records_; }
    // Takes the captures, and returns what became of earlier slices since the last call. Waits
    // while both connections are busy. Throws what the writing of an earlier slice threw.
    SliceCounts write(std::vector<CanonicalCapture>& captures);
    SliceCounts finish();  // the same once all slices are written

  private:
    void work(CaptureStaging& staging, std::stop_token stop);
    WrittenSlice write_one(CaptureStaging& staging, const std::vector<CanonicalCapture>& captures);
    void adapt(std::size_t records, std::chrono::milliseconds locked);
    // Throws what the writing of a slice threw, once no other is being written.
    void rethrow(std::unique_lock<std::mutex>& lock);
    bool is_idle() const { return !next_ && busy_ == 0; }
    SliceCounts take_counts() { return std::exchange(counts_, {}); }

    const std::size_t most_records_;
    const bool leave_to_publisher_;
    std::atomic<std::size_t> slice_records_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::optional<std::vector<CanonicalCapture>> next_;
    int busy_ = 0;  // threads that write
    SliceCounts counts_;
    std::exception_ptr failure_;
    std::vector<std::jthread> threads_;  // last, so that they end first
};

}  // namespace oai::load
