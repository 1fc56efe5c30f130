// SPDX-License-Identifier: MIT
// Captures of a web archive for programs: base_url/captures?url=..., which takes what CDX servers
// take and gives what they give (deploy/manual/replay.md has its parameters and fields), and what
// Memento (RFC 7089) asks: base_url/timemap/link/URL, base_url/timegate/URL. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/search.h"
#include "transform/stylesheet.h"
#include "web/response.h"

namespace re2 {
class RE2;
}

namespace oai {

struct CapturesQuestion {
    SearchQueries& search;
    const Request& request;
    const std::string& base;               // base_url without a slash at its end
    const std::string& replay;             // [browse] replay
    const transform::Stylesheet& wayback;  // makes OpenWayback's XML
    Seconds now;
    CachePolicy closed;  // of lists that end in the past
    // What follows base_url/timemap/ and base_url/timegate/ with its query, as it was sent.
    std::string_view subject;
    bool gzip;
};

// What is not answered: 400 where parameters are wrong or not known; 404 where there is no capture,
// or where nobody says by [browse] replay at which address it is shown; 503 where the database took
// too long.
struct Refused {
    std::string why;  // a sentence without its dot
    int status = 400;
};
Refused late();

// All throw Refused, and as SearchQueries do.
using CapturesAnswer = Response(const CapturesQuestion& question);
CapturesAnswer list_captures, timemap, timegate;
// What one of them answers, or why not, with the headers that all share.
Response respond(const CapturesQuestion& question, CapturesAnswer* answer);

// Where a list goes on behind this capture, with what it was collapsed by; nullopt: it is none.
std::string place_text(const CapturePlace& place, const std::string& collapsed = "");
std::optional<CapturePlace> read_place(std::string_view text, std::string* collapsed = nullptr);

// Of this thread, so that what it bounds is whole on a busy machine as well.
std::chrono::nanoseconds processor_time();

// The address at which a replay service shows content: the pattern of [browse] replay with each
// {name} replaced by that value; "" where one is "". The pattern has passed kReplay of
// base/config_keys.h, so no value can choose the host.
using ReplayValue = std::function<std::string(std::string_view name)>;
std::string replay_address(std::string_view pattern, const ReplayValue& value);
// The same with the two columns that every capture has.
std::string capture_replay(std::string_view pattern, const Capture& capture);

std::string digits_of(Seconds time);  // 20100305120000
std::string http_date(Seconds time);  // Fri, 05 Mar 2010 12:00:00 GMT

// What captures are told by. A field has several names, since CDX servers name it differently.
struct CaptureField {
    std::string_view names;                        // with blanks between them
    std::string (*value)(const Capture& capture);  // or "-"
};
struct CaptureColumn {
    const CaptureField* field;
    std::string name;  // the one that it was asked by
    std::string value(const Capture& capture) const { return field->value(capture); }
};
// nullptr: there is no such field. A number is the place of a field in the eleven columns of CDX.
const CaptureField* find_capture_field(std::string_view name);
std::string cdx_line(const Capture& capture);  // of these columns

enum class CaptureOutput { text, cdxj, json, ndjson, xml };
enum class MatchType { exact, prefix, host, domain, range };
enum class Sort { ascending, closest, reverse };

constexpr std::int64_t kMaxLimit = CaptureWalk::kMostCaptures;
constexpr std::int64_t kBlock = 1'000, kMostBlocks = kMaxLimit / kBlock;  // pages are made of these
constexpr std::int64_t kMostPaged = 300'000;

// [!][=|~][FIELD:]VALUE. The makers of CDX servers do not agree on what a value means without a
// sign, or with ~: a capture passes by what either of them would find.
struct Filter {
    bool inverted = false, equal = false, at_start = false;
    const CaptureField* field = nullptr;  // nullptr: the whole line
    std::string text;
    std::shared_ptr<const re2::RE2> expression{};
};

struct Collapse {
    const CaptureField* field;
    std::size_t characters;
};

// What a CDX server is asked.
struct CdxQuery {
    Seconds now;
    std::string url{}, key{}, method{}, body{};
    std::optional<MatchType> match{};
    std::int64_t limit = kMaxLimit, offset = 0;
    CaptureTimes times{};
    std::optional<Seconds> closest{};
    Sort sort = Sort::ascending;
    std::vector<Filter> filters{};
    std::vector<Collapse> collapse{};
    bool last_of_equal = false;  // collapsed captures are shown by the last one
    std::optional<CapturePlace> after{};
    std::string collapsed{};  // what the list before ended with
    bool shows_key = false, counts_pages = false, gzip = true;
    std::optional<std::int64_t> page{};
    std::int64_t blocks = kMostBlocks;
    CaptureOutput output = CaptureOutput::text;
    std::vector<CaptureColumn> columns{};  // empty: those that programs expect of this output
    // OpenWayback's, and what its XML repeats of them.
    std::string q{}, type{};
    std::optional<std::int64_t> start_page{};
    std::int64_t first = 0, requested = 0;
    std::optional<Seconds> date{};
};
CdxQuery read_query(const CapturesQuestion& question);  // throws Refused

// The captures in the form that was asked for; resume_key: "" if it is not shown.
Response write_captures(const CapturesQuestion& question, const CdxQuery& query,
                        const std::vector<Capture>& captures, const std::string& resume_key);

}  // namespace oai
