// SPDX-License-Identifier: MIT
// The questions of people who look for something: by words, or by URL in a web archive
// (schema/models/search.sql says what a model offers). No question takes the database longer than
// 0.3 seconds: an answer that is not there by then is nullopt. Each takes a connection of the
// Store's pool and throws as Store's do. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "store/store.h"

namespace oai {

struct SearchOffers {
    bool words = false, captures = false;
};

struct WordSearch {
    std::string_view words{};
    std::vector<std::string> filters{};  // "kind=type:book"
    std::string_view after{};            // WordMatches::next of the page before
    int records = 25;
    bool newest_only = false;
};

struct WordMatches {
    enum class Extent {
        nothing,  // there was nothing to look for
        all,
        capped,  // more match than were looked at
        newest,  // only the newest were looked at
    };
    struct Record {
        std::string local_id, kind, title, creator, date, address;
    };
    struct Facet {
        std::string name, value, label;
        std::int64_t records;
    };
    Extent extent = Extent::nothing;
    std::int64_t found = 0;   // how many match, of those that were looked at
    std::int64_t looked = 0;  // of Extent::newest: how many were
    std::int64_t behind = 0;  // publications that cannot be found yet
    std::vector<Record> records{};
    std::vector<Facet> facets{};
    std::string next{};  // "": there are no further ones
};

// Keys: web/surt.h.
struct CaptureRange {
    std::string first, before;  // first <= key < before
};
// Where a list goes on: behind this capture.
struct CapturePlace {
    std::string key;
    std::int64_t moment = 0;  // microseconds since 1970
    std::int64_t id = 0;
};
// Whether it is a time that PostgreSQL has: from 4714 BC on, and up to 9999.
constexpr bool is_moment(std::int64_t microseconds) {
    return microseconds >= -210'866'803'200'000'000 && microseconds < 253'402'300'800'000'000;
}
struct CaptureTimes {
    std::optional<Seconds> since{}, until{};
};

struct Capture {
    CapturePlace place;
    std::string local_id, url, media_type, digest, file;  // "": not known
    Seconds captured_at{};
    std::optional<std::int64_t> status, length, offset;
    std::string request;   // "POST a=1": method and body of what was asked; "": GET
    bool revisit = false;  // the content lies in another record, which the archive has found equal
    bool shown = true;     // false: deleted, or not published
};

// The captures of a range in the order of key, time and id, or backwards, whether they are shown or
// not, and so many at most, since a list must end whatever is in it.
class SearchQueries;
class CaptureWalk {
  public:
    static constexpr int kMostCaptures = 10'000;
    struct Bounds {
        CaptureRange range;
        CaptureTimes times{};                 // each capture's; of one key they are bounds, too
        std::optional<CapturePlace> after{};  // where the walk goes on
        bool backwards = false;
    };
    // wanted: about how many captures will be looked at.
    CaptureWalk(SearchQueries& queries, Bounds bounds, int wanted);
    // nullptr at the end, or when the walk is over. Throws as SearchQueries do.
    const Capture* next();
    // Whether it is over before the end: as many captures as may be were looked at, or the database
    // did not have the next ones in time.
    bool is_cut_short() const { return cut_short_; }
    bool is_late() const { return late_ && looked_at_ == 0; }  // there was not one in time

  private:
    void read();
    SearchQueries& queries_;
    Bounds bounds_;
    int chunk_, looked_at_ = 0;
    std::vector<Capture> captures_{};
    std::size_t next_ = 0;
    bool at_end_ = false, cut_short_ = false, late_ = false;
};

struct CaptureMonth {
    int year, month;
    std::int64_t captures;
};
struct CaptureCalendar {
    std::vector<CaptureMonth> months{};
    std::int64_t captures = 0;
    bool capped = false;  // there are earlier captures
};

struct CapturedUrl {
    std::string key, url;
    Seconds latest{};
    std::int64_t captures;
    bool capped;  // at least so many
};
struct CapturedUrls {
    std::vector<CapturedUrl> found{};
    std::string next{};  // "": there are no further ones
};

class SearchQueries {
  public:
    explicit SearchQueries(Store& store) : store_(store) {}

    SearchOffers offers();
    std::optional<WordMatches> words(const WordSearch& search);
    // Where the captures of a range begin that follow so many others, and how many there are, of
    // `most` at most, whether they are shown or not.
    struct Position {
        std::optional<CapturePlace> place{};
        std::int64_t captures = 0;
    };
    std::optional<Position> position(const CaptureRange& range, std::int64_t passed,
                                     std::int64_t most);
    std::optional<CaptureCalendar> calendar(std::string_view key);
    std::optional<CapturedUrls> urls(const CaptureRange& range, std::string_view after, int n);

  private:
    friend class CaptureWalk;
    std::optional<pg::Result> ask(const pg::Statement& statement, const pg::Parameters& values);
    Store& store_;
};

}  // namespace oai
