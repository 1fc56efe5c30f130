// SPDX-License-Identifier: MIT
// The data of one request for its log line, the metrics and the statistics of harvesters. Not
// thread-safe: used by the thread that handles the request.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/concurrency_limit.h"
#include "protocol/arguments.h"
#include "verb/request_stats.h"
#include "web/client_address.h"
#include "web/request.h"
#include "web/response.h"

namespace oai {

struct RequestLog {
    const Request& request;
    ClientAddress client{};
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
    ParsedArguments parsed{};
    RequestStats stats{};
    std::string errors{};  // the OAI-PMH error codes, separated by commas
    // "health", "metrics", "status", "schema", "browse", "changes" or "none"; "": OAI-PMH
    std::string page{};
    bool limited = false;               // refused because the client exceeded its rate limit
    std::size_t document_bytes = 0;     // size of the OAI-PMH document before compression
    std::chrono::nanoseconds write{0};  // time spent sending the response to the web server
    bool sent = true;                   // whether the web server received the whole response
    ConcurrencyLimit::Turn
        turn{};  // held by requests that need the database, until the response is sent
};

// The list (or the format of the record) that a request asks for: the arguments sealed in a valid
// resumptionToken, else as the client sent them, even if they are invalid.
struct RequestedList {
    std::string prefix, set, from, until;  // "": not given
    bool resumed;                          // by a resumptionToken
};
RequestedList requested_list(const RequestLog& log);

// The outcome of the request that was answered with this HTTP status: "ok", "not_modified", the
// first OAI-PMH error code, "limited" (over the client's rate), "unavailable" (503), "broken"
// (other 5xx) or "refused" (4xx). A view into the log or of static text.
std::string_view outcome_of(const RequestLog& log, int status);

// The request's verb, "page" (RequestLog::page) or "none". Static text.
std::string_view verb_of(const RequestLog& log);

// Writes the request's line to the log, and before it a line for each bad record and for a record
// that a compiled stylesheet made differently from libxslt. oai.fcgi(8) describes their keys.
void write_request_log(const RequestLog& log, const Response& response);

// The activity of a harvester, identified by address and User-Agent: its latest list with its
// progress, and its errors.
struct Harvester {
    std::string address, agent;
    std::int64_t requests = 0, records = 0;
    // Requests that failed, on either level (HTTP or OAI-PMH). noRecordsMatch does not count: it is
    // the regular answer to an incremental harvest when nothing is new.
    std::int64_t errors = 0;
    std::string last_error{};  // as outcome_of() names it; "": there was none
    Seconds failed{};          // time of last_error
    Seconds seen{};            // time of the last request
    Seconds came{};  // start of the last visit: first request after a pause of ten minutes
    std::chrono::seconds usual{
        0};  // average time between visits, weighted towards the latest; 0: unknown
    // The last successful request, and the progress of its list. verb "": none has succeeded yet.
    std::string verb{}, prefix{}, set{}, from{}, until{};
    Seconds began{};  // when the first page of the list was requested; 0: not by this server
    std::int64_t delivered = 0;  // records of the list up to and including the last page
    std::int64_t size = -1;      // completeListSize; -1: unknown
    bool more = false;           // the list goes on after the last page
    double weight = 0;  // number of requests, decaying with a half-life of ten minutes, at `seen`
};

// Statistics of a bounded number of harvesters; a new one replaces the least active. Thread-safe.
class HarvesterStats {
  public:
    explicit HarvesterStats(std::size_t max_harvesters = 500) : max_harvesters_(max_harvesters) {}

    // Counts a request that was answered with this HTTP status, unless it was for a page.
    void note(const RequestLog& log, int status, Seconds now);

    // Returns at most n harvesters, the busiest (by weight at `now`) first.
    std::vector<Harvester> busiest(std::size_t n, Seconds now) const;

  private:
    using Key = std::pair<std::string, std::string>;  // address, agent
    Harvester& find_or_add(const ClientAddress& client, Seconds now);

    const std::size_t max_harvesters_;
    mutable std::mutex mutex_;
    std::map<Key, Harvester> harvesters_;
};

}  // namespace oai
