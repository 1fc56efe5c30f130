// SPDX-License-Identifier: MIT
#include "store/search.h"

#include <algorithm>

#include "base/text.h"
#include "pg/binary.h"
#include "protocol/identifier.h"
#include "store/queries.h"

namespace oai {
namespace {

constexpr char kAfterKey = '\x01';  // sorts before every character of a SURT
constexpr std::int64_t kBeforeAll = -62'135'596'800'000'000;  // the year 1
constexpr std::string_view kQueryCanceled = "57014";
constexpr int kMostAtOnce = 2000, kFewestAtOnce = 20;  // captures read by one query
constexpr int kCalendarCaptures = 10'000;              // counted
constexpr int kCapturesOfUrl = 50;                     // counted in a list of URLs

std::string text_at(const pg::Result& rows, int row, int column) {
    return std::string(rows.bytes(row, column));  // "" for NULL
}

std::optional<std::int64_t> number_at(const pg::Result& rows, int row, int column) {
    if (rows.is_null(row, column)) return std::nullopt;
    return pg::read_integer(rows.bytes(row, column));
}

Capture read_capture(std::string_view prefix, const pg::Result& rows, int i) {
    return {.place = {.key = text_at(rows, i, 0),
                      .moment = pg::read_integer(rows.bytes(i, 1)),
                      .id = pg::read_integer(rows.bytes(i, 2))},
            .identifier = identifier_text(prefix, rows.bytes(i, 3)),
            .url = text_at(rows, i, 5),
            .media_type = text_at(rows, i, 6),
            .digest = text_at(rows, i, 8),
            .file = text_at(rows, i, 10),
            .captured_at = pg::read_timestamptz(rows.bytes(i, 4)),
            .status = number_at(rows, i, 7),
            .length = number_at(rows, i, 9),
            .offset = number_at(rows, i, 11),
            .request = text_at(rows, i, 12),
            .revisit = pg::read_bool(rows.bytes(i, 13)),
            .shown = pg::read_bool(rows.bytes(i, 14))};
}

WordMatches::Extent extent_of(std::string_view word) {
    return word == "newest"   ? WordMatches::Extent::newest
           : word == "capped" ? WordMatches::Extent::capped
                              : WordMatches::Extent::all;
}

void read_part(WordMatches& matches, std::string_view prefix, const pg::Result& rows, int i) {
    const std::string part = text_at(rows, i, 0);
    const std::int64_t number = number_at(rows, i, 3).value_or(0);
    if (part == "found") {
        matches.extent = extent_of(rows.bytes(i, 1));
        matches.found = number;
        matches.looked = text::to_integer(rows.bytes(i, 2)).value_or(0);
    } else if (part == "record") {
        matches.records.push_back({.identifier = identifier_text(prefix, rows.bytes(i, 1)),
                                   .kind = text_at(rows, i, 2),
                                   .title = text_at(rows, i, 4),
                                   .creator = text_at(rows, i, 5),
                                   .date = text_at(rows, i, 6),
                                   .address = text_at(rows, i, 7)});
    } else if (part == "next") {
        matches.next = text_at(rows, i, 1);
    } else if (part == "behind") {
        matches.behind = number;
    } else if (part != "nothing") {
        matches.facets.push_back({part, text_at(rows, i, 1), text_at(rows, i, 2), number});
    }
}

constexpr std::int64_t kMicroseconds = 1'000'000;

std::optional<std::int64_t> moment_of(const std::optional<Seconds>& time, std::int64_t more = 0) {
    if (!time) return std::nullopt;
    return time->time_since_epoch().count() * kMicroseconds + more;
}

}  // namespace

// Sends all statements in one round trip. The timeout is local to the transaction.
std::optional<pg::Result> SearchQueries::ask(const pg::Statement& statement,
                                             const pg::Parameters& values) {
    const auto connection = store_.connection();
    connection->send(queries::kSearchBegin);
    connection->send(queries::kSearchLimit);
    connection->send(statement, values);
    connection->send(queries::kSearchEnd);
    connection->flush();
    try {
        connection->take();
        connection->take();
        pg::Result rows = connection->take();
        connection->take();
        return rows;
    } catch (const pg::Error& e) {
        if (e.sqlstate() != kQueryCanceled) throw;
        return std::nullopt;
    }
}

SearchOffers SearchQueries::offers() {
    const pg::Result row = store_.connection()->query(queries::kSearchOffers);
    return {.words = pg::read_bool(row.bytes(0, 0)), .captures = pg::read_bool(row.bytes(0, 1))};
}

std::optional<WordMatches> SearchQueries::words(const WordSearch& search) {
    pg::Parameters p;
    p.add(search.words).add(pg::array_literal(search.filters)).add(search.after);
    p.add(search.records).add(search.newest_only ? "true" : "false");
    const auto rows = ask(queries::kSearchWords, p);
    if (!rows) return std::nullopt;
    WordMatches matches;
    for (int i = 0; i < rows->rows(); ++i) read_part(matches, identifier_prefix_, *rows, i);
    return matches;
}

CaptureWalk::CaptureWalk(SearchQueries& queries, Bounds bounds, int wanted)
    : queries_(queries),
      bounds_(std::move(bounds)),
      chunk_(std::clamp(wanted, kFewestAtOnce, kMostAtOnce)) {}

const Capture* CaptureWalk::next() {
    const CaptureTimes& times = bounds_.times;
    for (;;) {
        if (next_ == captures_.size()) read();
        if (next_ == captures_.size()) return nullptr;
        Capture& capture = captures_[next_++];
        ++looked_at_;
        bounds_.after = capture.place;
        if ((times.since && capture.captured_at < *times.since) ||
            (times.until && capture.captured_at > *times.until))
            capture.shown = false;
        return &capture;
    }
}

// The first query is small, since most walks are short. If a query times out, smaller parts are
// requested; by then, the database has some of the rows in memory.
void CaptureWalk::read() {
    if (at_end_ || cut_short_) return;
    if (looked_at_ >= kMostCaptures) {
        cut_short_ = true;
        return;
    }
    const CaptureRange& range = bounds_.range;
    const bool one_key = range.before == range.first + kAfterKey;
    const auto since = moment_of(bounds_.times.since);
    const auto until = moment_of(bounds_.times.until, kMicroseconds - 1);
    std::string low = range.first, high = one_key ? range.first : range.before;
    std::optional<std::int64_t> low_at = since, high_at = until, id;
    if (!one_key) high_at = kBeforeAll;
    if (bounds_.after) {
        (bounds_.backwards ? high : low) = bounds_.after->key;
        (bounds_.backwards ? high_at : low_at) = bounds_.after->moment;
        id = bounds_.after->id;
    }
    const int n = std::min(chunk_, kMostCaptures - looked_at_);
    pg::Parameters p;
    p.add(low).add(low_at).add(high).add(high_at).add(id);
    const auto rows = queries_.ask(queries::kCaptures, p.add(bounds_.backwards ? "t" : "f").add(n));
    if (!rows) {
        late_ = true;
        cut_short_ = chunk_ == kFewestAtOnce;
        chunk_ = std::max(chunk_ / 10, kFewestAtOnce);
        return read();
    }
    captures_.clear();
    next_ = 0;
    for (int i = 0; i < rows->rows(); ++i)
        captures_.push_back(read_capture(queries_.identifier_prefix_, *rows, i));
    at_end_ = rows->rows() < n;
    if (!late_) chunk_ = std::min(chunk_ * 4, kMostAtOnce);
}

std::optional<SearchQueries::Position> SearchQueries::position(const CaptureRange& range,
                                                               std::int64_t passed,
                                                               std::int64_t most) {
    const auto rows =
        ask(queries::kCapturePosition,
            pg::Parameters().add(range.first).add(range.before).add(passed).add(most));
    if (!rows) return std::nullopt;
    Position position{.captures = pg::read_integer(rows->bytes(0, 0))};
    // Before all captures of that moment.
    if (!rows->is_null(0, 1))
        position.place = CapturePlace{text_at(*rows, 0, 1), pg::read_integer(rows->bytes(0, 2)), 0};
    return position;
}

std::optional<CaptureCalendar> SearchQueries::calendar(std::string_view key) {
    const auto rows = ask(queries::kCaptureDays, pg::Parameters().add(key).add(kCalendarCaptures));
    if (!rows) return std::nullopt;
    CaptureCalendar calendar;
    std::int64_t scanned = 0;
    for (int i = 0; i < rows->rows(); ++i) {
        const auto number = [&](int column) {
            return static_cast<int>(pg::read_integer(rows->bytes(i, column)));
        };
        scanned += number(4);
        calendar.captures += number(3);
        if (number(3) > 0) calendar.days.push_back({number(0), number(1), number(2), number(3)});
    }
    calendar.capped = scanned >= kCalendarCaptures;
    return calendar;
}

std::optional<CapturedUrls> SearchQueries::urls(const CaptureRange& range, std::string_view after,
                                                int n) {
    pg::Parameters p;
    p.add(range.first).add(range.before);
    if (after.empty())
        p.add_null();
    else
        p.add(after);
    const auto rows = ask(queries::kCapturedUrls, p.add(n).add(kCapturesOfUrl));
    if (!rows) return std::nullopt;
    CapturedUrls urls;
    for (int i = 0; i < rows->rows(); ++i) {
        if (i + 1 == n) urls.next = text_at(*rows, i, 0);
        const std::int64_t captures = pg::read_integer(rows->bytes(i, 3));
        if (captures == 0) continue;  // all were deleted
        urls.found.push_back({text_at(*rows, i, 0), text_at(*rows, i, 1),
                              pg::read_timestamptz(rows->bytes(i, 2)), captures,
                              pg::read_integer(rows->bytes(i, 4)) == kCapturesOfUrl});
    }
    return urls;
}

}  // namespace oai
