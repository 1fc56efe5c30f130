// SPDX-License-Identifier: MIT
#include "store/search.h"

#include "base/text.h"
#include "pg/binary.h"
#include "store/queries.h"

namespace oai {
namespace {

constexpr std::string_view kQueryCanceled = "57014";
constexpr int kScannedCaptures = 2000;     // looked at for one page
constexpr int kCalendarCaptures = 10'000;  // counted
constexpr int kCapturesOfUrl = 50;         // counted in a list of URLs

std::string text_at(const pg::Result& rows, int row, int column) {
    return std::string(rows.bytes(row, column));  // "" for NULL
}

std::optional<std::int64_t> number_at(const pg::Result& rows, int row, int column) {
    if (rows.is_null(row, column)) return std::nullopt;
    return pg::read_integer(rows.bytes(row, column));
}

Capture read_capture(const pg::Result& rows, int i) {
    return {.place = {.key = text_at(rows, i, 0),
                      .moment = pg::read_integer(rows.bytes(i, 1)),
                      .id = pg::read_integer(rows.bytes(i, 2))},
            .local_id = text_at(rows, i, 3),
            .url = text_at(rows, i, 5),
            .media_type = text_at(rows, i, 6),
            .digest = text_at(rows, i, 8),
            .file = text_at(rows, i, 10),
            .captured_at = pg::read_timestamptz(rows.bytes(i, 4)),
            .status = number_at(rows, i, 7),
            .length = number_at(rows, i, 9),
            .offset = number_at(rows, i, 11)};
}

// n: as many rows as were wanted; one more was asked for.
Captures read_captures(const pg::Result& rows, int n) {
    enum { kShown = 12, kFinal };
    Captures captures;
    for (int i = 0; i < rows.rows(); ++i) {
        Capture capture = read_capture(rows, i);
        if (std::ssize(captures.found) == n) {
            captures.next = captures.found.back().place;
            break;
        }
        if (pg::read_bool(rows.bytes(i, kFinal))) captures.next = capture.place;
        if (pg::read_bool(rows.bytes(i, kShown))) captures.found.push_back(std::move(capture));
    }
    return captures;
}

std::vector<CaptureHost> read_hosts(const pg::Result& rows) {
    std::vector<CaptureHost> hosts;
    for (int i = 0; i < rows.rows(); ++i)
        hosts.push_back(
            {text_at(rows, i, 0), text_at(rows, i, 1), pg::read_integer(rows.bytes(i, 2))});
    return hosts;
}

WordMatches::Extent extent_of(std::string_view word) {
    return word == "newest"   ? WordMatches::Extent::newest
           : word == "capped" ? WordMatches::Extent::capped
                              : WordMatches::Extent::all;
}

void read_part(WordMatches& matches, const pg::Result& rows, int i) {
    const std::string part = text_at(rows, i, 0);
    const std::int64_t number = number_at(rows, i, 3).value_or(0);
    if (part == "found") {
        matches.extent = extent_of(rows.bytes(i, 1));
        matches.found = number;
        matches.looked = text::to_integer(rows.bytes(i, 2)).value_or(0);
    } else if (part == "record") {
        matches.records.push_back({.local_id = text_at(rows, i, 1),
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

pg::Parameters& add_place(pg::Parameters& p, const std::optional<CapturePlace>& place) {
    if (!place) return p.add_null().add_null();
    return p.add(place->moment).add(place->id);
}

}  // namespace

// One round trip. The timeout ends with the transaction.
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
    for (int i = 0; i < rows->rows(); ++i) read_part(matches, *rows, i);
    return matches;
}

std::optional<Captures> SearchQueries::captures(const CaptureRange& range,
                                                const std::optional<CapturePlace>& after,
                                                const CaptureTimes& times, int n) {
    pg::Parameters p;
    p.add(range.first).add(range.before);
    if (after)
        p.add(after->key);
    else
        p.add_null();
    add_place(p, after).add(times.since).add(times.until).add(n + 1).add(kScannedCaptures);
    const auto rows = ask(queries::kCaptures, p);
    if (!rows) return std::nullopt;
    return read_captures(*rows, n);
}

std::optional<Captures> SearchQueries::captures_of(std::string_view key,
                                                   const std::optional<CapturePlace>& before,
                                                   const CaptureTimes& times, int n) {
    pg::Parameters p;
    p.add(key);
    add_place(p, before).add(times.since).add(times.until).add(n + 1).add(kScannedCaptures);
    const auto rows = ask(queries::kCapturesOf, p);
    if (!rows) return std::nullopt;
    return read_captures(*rows, n);
}

std::optional<CaptureCalendar> SearchQueries::calendar(std::string_view key) {
    const auto rows =
        ask(queries::kCaptureCalendar, pg::Parameters().add(key).add(kCalendarCaptures));
    if (!rows) return std::nullopt;
    CaptureCalendar calendar;
    std::int64_t scanned = 0;
    for (int i = 0; i < rows->rows(); ++i) {
        const std::int64_t captures = pg::read_integer(rows->bytes(i, 2));
        scanned += pg::read_integer(rows->bytes(i, 3));
        calendar.captures += captures;
        if (captures > 0)
            calendar.months.push_back({static_cast<int>(pg::read_integer(rows->bytes(i, 0))),
                                       static_cast<int>(pg::read_integer(rows->bytes(i, 1))),
                                       captures});
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
        if (captures == 0) continue;  // they were deleted
        urls.found.push_back({text_at(*rows, i, 0), text_at(*rows, i, 1),
                              pg::read_timestamptz(rows->bytes(i, 2)), captures,
                              pg::read_integer(rows->bytes(i, 4)) == kCapturesOfUrl});
    }
    return urls;
}

std::optional<std::vector<CaptureHost>> SearchQueries::hosts(std::string_view beginning,
                                                             std::string_view after, int n) {
    const auto rows =
        ask(queries::kCaptureHosts, pg::Parameters().add(beginning).add(after).add(n));
    if (!rows) return std::nullopt;
    return read_hosts(*rows);
}

std::optional<std::vector<CaptureHost>> SearchQueries::hosts_named(std::string_view label, int n) {
    const auto rows = ask(queries::kHostsNamed, pg::Parameters().add(label).add(n));
    if (!rows) return std::nullopt;
    return read_hosts(*rows);
}

}  // namespace oai
