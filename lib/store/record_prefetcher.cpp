// SPDX-License-Identifier: MIT
#include "store/record_prefetcher.h"

#include <algorithm>
#include <utility>

namespace oai {
namespace {

constexpr int kMaxCredit = 16;
constexpr int kRefusals = 32;  // until one is tried in spite of the others

}  // namespace

bool RecordPrefetcher::wants() {
    const std::lock_guard lock(mutex_);
    if (static_cast<int>(pages_.size()) >= max_pages_) return false;
    if (credit_ == 0 && ++refused_ % kRefusals != 0) return false;
    credit_ = std::max(credit_ - 1, 0);
    return true;
}

void RecordPrefetcher::add(std::unique_ptr<RecordCursor> asked) {
    {
        const std::lock_guard lock(mutex_);
        ++stats_.asked;
        pages_.push_back({std::move(asked), Clock::now() + lifetime_});
        if (!thread_.joinable())
            thread_ = std::jthread([this](const std::stop_token& stop) { drop_expired(stop); });
        if (!resting_) return;
    }
    added_.notify_one();
}

std::unique_ptr<RecordCursor> RecordPrefetcher::take(const ListQuery& query) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(
        pages_, [&](const Page& page) { return page.cursor->query() == query; });
    if (found == pages_.end()) return nullptr;
    auto cursor = std::move(found->cursor);
    pages_.erase(found);
    ++stats_.taken;
    credit_ = std::min(credit_ + 2, kMaxCredit);
    return cursor;
}

// What is dropped may have to be waited for, by no other thread.
void RecordPrefetcher::drop_oldest() {
    std::unique_ptr<RecordCursor> dropped;
    const std::lock_guard lock(mutex_);
    if (pages_.empty()) return;
    dropped = std::move(pages_.front().cursor);
    pages_.pop_front();
}

RecordPrefetcher::Stats RecordPrefetcher::stats() const {
    const std::lock_guard lock(mutex_);
    return stats_;
}

void RecordPrefetcher::drop_expired(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        resting_ = true;
        added_.wait(lock, stop, [&] { return !pages_.empty(); });
        resting_ = false;
        if (pages_.empty()) return;
        const auto expires = pages_.front().expires;
        added_.wait_until(lock, stop, expires, [] { return false; });
        if (pages_.empty() || pages_.front().expires > Clock::now()) continue;
        auto dropped = std::move(pages_.front().cursor);
        pages_.pop_front();
        lock.unlock();
        dropped.reset();
        lock.lock();
    }
}

}  // namespace oai
