// SPDX-License-Identifier: MIT
// Writes slices of records by two stagings, each with a connection and a thread of its own: while
// one waits for its second and publishes, the other prepares the next slice, and the caller reads
// on. Adapts the size of slices to the time for which they lock the horizon. Knows no files and no
// model. For one thread.
//
// Staging has write(records), which returns SliceCounts, and publish(records), which returns a
// PublishedSlice. The namespace of
// Record has key_of(record): slices that have a key in common are written one after the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tools/load/progress.h"

namespace oai::load {

// How many records the next slice of a loader has, so that it locks the row of oai.horizon for
// 0.8 s at most: the horizon does not move meanwhile (see Publisher, too). Knows no clock.

struct SliceSizes {
    std::size_t first, least, most;  // records; a smaller slice than the least is left
    bool leave_to_publisher = false;
};

// now: the size so far; records: of the slice that locked the row for `locked`, which may have been
// gathered when the size was another. Goes half of the way to what fits, since one slice may be an
// exception, and at most to double the size. A slice that was short enough, because few of its
// records were new, makes no other shorter.
inline std::size_t next_slice_size(const SliceSizes& sizes, std::size_t now, std::size_t records,
                                   std::chrono::milliseconds locked) {
    constexpr std::size_t kMostMilliseconds = 750;
    const auto took = std::max<std::size_t>(static_cast<std::size_t>(locked.count()), 1);
    std::size_t fitting = records * kMostMilliseconds / took;
    if (took <= kMostMilliseconds) fitting = std::max(fitting, now);
    const std::size_t next = std::min((now + fitting) / 2, 2 * now);
    return std::clamp(next, std::min(sizes.least, sizes.most), sizes.most);
}

// Gathers records and writes them into the database slice by slice, whatever the model; counts in a
// report what became of them. Slice: CaptureSlice or ItemSlice. Staging: the class that writes it,
// by write(records); one that writes a slice while the next is gathered (CaptureWriters,
// ItemWriters) also has slice_records(), and finish(), which waits.

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

template <class Staging, class Record>
class ParallelWriters {
  public:
    // Each staging is made of these arguments. Throws as its constructor.
    template <class... Arguments>
    explicit ParallelWriters(SliceSizes sizes, const Arguments&... arguments)
        : sizes_(sizes), slice_records_(std::min(sizes.first, sizes.most)) {
        for (int i = 0; i < kConnectionCount; ++i) stagings_.emplace_back(arguments...);
        for (Staging& staging : stagings_)
            threads_.emplace_back(
                [this, &staging](std::stop_token stop) { work(staging, std::move(stop)); });
    }

    std::size_t slice_records() const { return slice_records_; }

    // Takes the records, and returns what became of earlier slices since the last call. Waits while
    // both connections are busy. Throws what the writing of an earlier slice threw.
    SliceCounts write(std::vector<Record>& records) {
        Keys keys = keys_of(records);
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return failure_ || (!next_ && !is_writing_any(keys)); });
        rethrow(lock);
        next_ = Slice{std::move(records), std::move(keys)};
        changed_.notify_all();
        return take_counts();
    }

    SliceCounts finish() {  // the same once all slices are written
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return is_idle() || failure_; });
        rethrow(lock);
        return take_counts();
    }

  private:
    using Keys = std::unordered_set<std::size_t>;  // hashes of keys
    struct Slice {
        std::vector<Record> records;
        Keys keys;
    };

    static Keys keys_of(const std::vector<Record>& records) {
        Keys keys;
        keys.reserve(records.size());
        for (const Record& record : records) {
            const auto& key = key_of(record);
            keys.insert(std::hash<std::decay_t<decltype(key)>>{}(key));
        }
        return keys;
    }

    bool is_writing_any(const Keys& keys) const {
        return std::any_of(
            busy_.begin(), busy_.end(),
            [&](const Keys* other) {
                return std::any_of(
                    keys.begin(), keys.end(),
                    [&](std::size_t key) { return other->contains(key); });
            });
    }

    void work(Staging& staging, std::stop_token stop) {
        for (;;) {
            Slice slice;
            {
                std::unique_lock lock(mutex_);
                if (!changed_.wait(lock, stop, [this] { return next_.has_value(); })) return;
                slice = std::move(*next_);
                next_.reset();
                busy_.push_back(&slice.keys);
            }
            changed_.notify_all();
            SliceCounts counts;
            std::exception_ptr failure;
            try {
                counts = write_one(staging, slice.records);
            } catch (...) {
                failure = std::current_exception();
            }
            {
                const std::lock_guard lock(mutex_);
                std::erase(busy_, &slice.keys);
                counts_ += counts;
                if (failure && !failure_) failure_ = failure;
            }
            changed_.notify_all();
        }
    }

    SliceCounts write_one(Staging& staging, const std::vector<Record>& records) {
        if (sizes_.leave_to_publisher || records.size() < sizes_.least)
            return staging.write(records);
        const PublishedSlice written = staging.publish(records);
        if (written.published > 0)
            slice_records_ =
                next_slice_size(sizes_, slice_records_, written.published, written.locked);
        return written.counts;
    }

    // Throws what the writing of a slice threw, once no other is being written.
    void rethrow(std::unique_lock<std::mutex>& lock) {
        if (!failure_) return;
        changed_.wait(lock, [this] { return is_idle(); });
        counts_ = {};
        std::rethrow_exception(std::exchange(failure_, nullptr));
    }

    bool is_idle() const { return !next_ && busy_.empty(); }
    SliceCounts take_counts() { return std::exchange(counts_, {}); }

    static constexpr int kConnectionCount = 2;

    const SliceSizes sizes_;
    std::atomic<std::size_t> slice_records_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::optional<Slice> next_;
    std::vector<const Keys*> busy_;  // of the slices that are being written
    SliceCounts counts_;
    std::exception_ptr failure_;
    std::deque<Staging> stagings_;
    std::vector<std::jthread> threads_;  // last, so that they end first
};

}  // namespace oai::load
