// SPDX-License-Identifier: MIT
// The queries of the search: by words, or by URL in a web archive (schema/models/search.sql has the
// functions that a model may offer). The database ends each after 0.3 seconds; the result is then
// nullopt. Each uses a connection of the Store's pool and throws as Store does. Thread-safe.
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
        nothing,  // the query has no word to search for
        all,
        capped,  // not all matches were examined
        newest,  // only the newest records were examined
    };
    struct Record {
        std::string identifier, kind, title, creator, date, address;
    };
    struct Facet {
        std::string name, value, label;
        std::int64_t records;
    };
    Extent extent = Extent::nothing;
    std::int64_t found = 0;   // number of matches among the examined records
    std::int64_t looked = 0;  // number of examined records, for Extent::newest
    std::int64_t behind = 0;  // publications that are not indexed yet
    std::vector<Record> records{};
    std::vector<Facet> facets{};
    std::string next{};  // "": there are no further ones
};

// Keys: web/surt.h.
struct CaptureRange {
    std::string first, before;  // first <= key < before
};
// A position in a list of captures: after this one.
struct CapturePlace {
    std::string key;
    std::int64_t moment = 0;  // microseconds since 1970
    std::int64_t id = 0;
};
// Whether PostgreSQL can represent the time: from 4714 BC up to the year 9999.
constexpr bool is_moment(std::int64_t microseconds) {
    return microseconds >= -210'866'803'200'000'000 && microseconds < 253'402'300'800'000'000;
}
struct CaptureTimes {
    std::optional<Seconds> since{}, until{};
};

struct Capture {
    CapturePlace place;
    std::string identifier, url, media_type, digest, file;  // "": unknown
    Seconds captured_at{};
    std::optional<std::int64_t> status, length, offset;
    std::string request;   // method and body, "POST a=1"; "": GET
    bool revisit = false;  // the content is in another record, found equal when archived
    bool shown = true;     // false: deleted, or not published
};

// Iterates over the captures of a range in the order of key, time and id, or backwards; hidden ones
// are included. Ends after kMostCaptures, so that every list ends.
class SearchQueries;
class CaptureWalk {
  public:
    static constexpr int kMostCaptures = 10'000;
    struct Bounds {
        CaptureRange range;
        CaptureTimes times{};  // captures outside are not shown; for one key they bound the range
        std::optional<CapturePlace> after{};  // begin after this capture
        bool backwards = false;
    };
    // wanted: the approximate number of captures that the caller needs.
    CaptureWalk(SearchQueries& queries, Bounds bounds, int wanted);
    // Returns nullptr at the end or when the walk was cut short. Throws as SearchQueries does.
    const Capture* next();
    // Whether the walk ended early, after kMostCaptures or a timeout of the database.
    bool is_cut_short() const { return cut_short_; }
    bool is_late() const { return late_ && looked_at_ == 0; }  // timed out before the first capture

  private:
    void read();
    SearchQueries& queries_;
    Bounds bounds_;
    int chunk_, looked_at_ = 0;
    std::vector<Capture> captures_{};
    std::size_t next_ = 0;
    bool at_end_ = false, cut_short_ = false, late_ = false;
};

struct CaptureDay {
    int year, month, day;
    std::int64_t captures;
};
struct CaptureCalendar {
    std::vector<CaptureDay> days{};
    std::int64_t captures = 0;
    bool capped = false;  // earlier captures exist but are not counted
};

struct CapturedUrl {
    std::string key, url;
    Seconds latest{};
    std::int64_t captures;
    bool capped;  // `captures` is a lower bound
};
struct CapturedUrls {
    std::vector<CapturedUrl> found{};
    std::string next{};  // "": there are no further ones
};

class SearchQueries {
  public:
    SearchQueries(Store& store, std::string_view identifier_prefix)
        : store_(store), identifier_prefix_(identifier_prefix) {}

    SearchOffers offers();
    std::optional<WordMatches> words(const WordSearch& search);
    // The place after the first `passed` captures of a range, and their number, counted up to
    // `most`. Hidden ones are included.
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
    const std::string_view identifier_prefix_;
};

}  // namespace oai
