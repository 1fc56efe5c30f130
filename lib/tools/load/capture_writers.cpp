// SPDX-License-Identifier: MIT
#include "tools/load/capture_writers.h"

#include <algorithm>
#include <utility>

namespace oai::load {
namespace {

constexpr int kConnections = 2;
constexpr std::size_t kFirstSlice = 10'000, kLeftSlice = 20'000;
// A slice that publishes itself takes a second of its own, so a small one is left to the publisher,
// which publishes many at once.
constexpr std::size_t kLeastPublished = 2000;
// The horizon does not move while a slice is published: see Publisher, too.
constexpr std::size_t kLockMilliseconds = 750;

}  // namespace

CaptureWriters::CaptureWriters(const std::string& conninfo, const CaptureWritersOptions& options)
    : most_records_(static_cast<std::size_t>(options.slice_records)),
      leave_to_publisher_(options.leave_to_publisher),
      slice_records_(std::min(leave_to_publisher_ ? kLeftSlice : kFirstSlice, most_records_)) {
    std::vector<CaptureStaging> stagings;
    for (int i = 0; i < kConnections; ++i)
        stagings.emplace_back(pg::Connection(conninfo, "oai load"), options.staging);
    for (CaptureStaging& staging : stagings)
        threads_.emplace_back([this, staging = std::move(staging)](std::stop_token stop) mutable {
            work(staging, std::move(stop));
        });
}

CaptureWriters::~CaptureWriters() = default;

SliceCounts CaptureWriters::write(std::vector<CanonicalCapture>& captures) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !next_ || failure_; });
    rethrow(lock);
    next_ = std::move(captures);
    changed_.notify_all();
    return take_counts();
}

SliceCounts CaptureWriters::finish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_idle() || failure_; });
    rethrow(lock);
    return take_counts();
}

void CaptureWriters::rethrow(std::unique_lock<std::mutex>& lock) {
    if (!failure_) return;
    changed_.wait(lock, [this] { return is_idle(); });
    counts_ = {};
    std::rethrow_exception(std::exchange(failure_, nullptr));
}

void CaptureWriters::work(CaptureStaging& staging, std::stop_token stop) {
    for (;;) {
        std::vector<CanonicalCapture> captures;
        {
            std::unique_lock lock(mutex_);
            if (!changed_.wait(lock, stop, [this] { return next_.has_value(); })) return;
            captures = std::move(*next_);
            next_.reset();
            ++busy_;
        }
        changed_.notify_all();
        SliceCounts counts;
        std::exception_ptr failure;
        try {
            counts = write_one(staging, captures).counts;
        } catch (...) {
            failure = std::current_exception();
        }
        {
            const std::lock_guard lock(mutex_);
            --busy_;
            counts_.inserted += counts.inserted;
            counts_.updated += counts.updated;
            if (failure && !failure_) failure_ = failure;
        }
        changed_.notify_all();
    }
}

WrittenSlice CaptureWriters::write_one(CaptureStaging& staging,
                                       const std::vector<CanonicalCapture>& captures) {
    if (leave_to_publisher_ || captures.size() < kLeastPublished) return staging.write(captures);
    WrittenSlice written = staging.publish(captures);
    if (written.locked && written.counts.inserted > 0)
        adapt(static_cast<std::size_t>(written.counts.inserted), *written.locked);
    return written;
}

void CaptureWriters::adapt(std::size_t records, std::chrono::milliseconds locked) {
    const std::size_t now = slice_records_;
    const std::size_t fitting = records * kLockMilliseconds /
                                std::max<std::size_t>(static_cast<std::size_t>(locked.count()), 1);
    // Go only half of the way, and at most double the size: one slice may be an exception.
    const std::size_t next = std::min((now + fitting) / 2, 2 * now);
    slice_records_ = std::clamp(next, std::min(kLeastPublished, most_records_), most_records_);
}

}  // namespace oai::load
