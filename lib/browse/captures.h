// SPDX-License-Identifier: MIT
// Captures of a web archive for programs: base_url/captures?url=..., which takes what CDX servers
// take and gives what they give (deploy/manual/replay.md has its parameters and fields), and what
// Memento (RFC 7089) asks: base_url/timemap/link/URL, base_url/timegate/URL. Thread-safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "store/search.h"
#include "transform/stylesheet.h"
#include "web/request.h"
#include "web/response.h"

namespace oai {

struct CapturesQuestion {
    Store& store;
    std::string_view identifier_prefix;
    std::string_view base;                 // base_url without a slash at its end
    std::string_view address;              // of what was asked, without its query
    std::string_view replay;               // [browse] replay
    const transform::Stylesheet& wayback;  // makes OpenWayback's XML
    const Request& request;
    Seconds now;
    CachePolicy closed;  // of lists that end in the past
    bool gzip;
};

// 400 with a sentence for parameters that are wrong or not known; 404 where the repository has no
// captures; 503 where the database took too long. Throws as SearchQueries do.
Response captures_response(const CapturesQuestion& question, std::string_view = {});

// path: what follows base_url/timemap/ and base_url/timegate/, as it was sent. 404 where there
// is no capture, or where nobody says by [browse] replay at which address it is shown. The same
// errors.
Response timemap_response(const CapturesQuestion& question, std::string_view path);
Response timegate_response(const CapturesQuestion& question, std::string_view path);

// Where a list goes on behind this capture, with what it was collapsed by; nullopt: it is none.
std::string place_text(const CapturePlace& place, const std::string& collapsed = "");
std::optional<CapturePlace> read_place(std::string_view text, std::string* collapsed = nullptr);

// Of this thread, so that what it bounds is whole on a busy machine as well.
std::chrono::nanoseconds processor_time();

Response late_response();  // 503: the database did not have it in time

// The address at which a replay service shows content: the pattern of [browse] replay with each
// {name} replaced by that value; "" where one is "". The pattern has passed kReplay of
// base/config_keys.h, so no value can choose the host.
using ReplayValue = std::function<std::string(std::string_view name)>;
std::string replay_address(std::string_view pattern, const ReplayValue& value);
// The same with the two columns that every capture has.
std::string capture_replay(std::string_view pattern, const Capture& capture);

// What captures are told by. A field has several names, since CDX servers name it differently.
struct CaptureField {
    std::string_view names;  // with blanks between them
    std::string (*value)(const Capture& capture, std::string_view identifier_prefix);  // or "-"
};
struct CaptureColumn {
    const CaptureField* field;
    std::string name;  // the one that it was asked by
    std::string value(const Capture& capture, std::string_view identifier_prefix) const {
        return field->value(capture, identifier_prefix);
    }
};
// nullptr: there is no such field. A number is the place of a field in the eleven columns of CDX.
const CaptureField* find_capture_field(std::string_view name);
std::vector<CaptureColumn> capture_columns(std::string_view names);  // REQUIRES: they are known

enum class CaptureOutput { text, cdxj, json, ndjson, xml };

struct CaptureRows {
    CaptureOutput output;
    std::vector<CaptureColumn> columns{};  // empty: those that programs expect of this output
    std::string_view identifier_prefix{};
    std::string resume_key{};  // "": it is not shown
    // Of XML: its stylesheet, and what it has of the request.
    const transform::Stylesheet* wayback = nullptr;
    std::string url{}, type{};
    std::int64_t first = 0, requested = 0;
    std::optional<Seconds> closest{};
};
Response write_captures(const CaptureRows& rows, const std::vector<Capture>& captures, bool gzip);

// A line of the eleven columns of CDX.
std::string cdx_line(const Capture& capture);
std::string digits_of(Seconds time);  // 20100305120000
std::string http_date(Seconds time);  // Fri, 05 Mar 2010 12:00:00 GMT

}  // namespace oai
