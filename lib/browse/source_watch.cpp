// SPDX-License-Identifier: MIT
#include "browse/source_watch.h"

namespace oai {
namespace {

constexpr std::int64_t kAskAgainSeconds = 60;

}  // namespace

bool SourceWatch::has_view(BrowseQueries& queries) {
    if (view_ == View::unknown) view_ = queries.has_source_view() ? View::present : View::missing;
    return view_ == View::present;
}

bool SourceWatch::has_sources(BrowseQueries& queries, Seconds now) {
    if (!has_view(queries)) return false;
    const std::int64_t seconds = now.time_since_epoch().count();
    if (seconds < next_ && seconds + kAskAgainSeconds >= next_) return any_;
    any_ = queries.has_sources();
    next_ = seconds + kAskAgainSeconds;
    return any_;
}

}  // namespace oai
