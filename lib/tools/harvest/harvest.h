// SPDX-License-Identifier: MIT
// Harvests one repository: Identify, then every requested list page by page into a sink. It copes
// with what repositories do wrong (deploy/manual/harvest.md): it waits as Retry-After says,
// requests again what arrived damaged, repairs forbidden characters, leaves out and reports a
// record that cannot be had, and never takes a truncated or endless list for a complete one.
// OAI-PMH 2.0, 3.5 (flow control), 4 (verbs). To harvest several repositories at a time, call it
// from one thread for each, with a client of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/harvest/sink.h"

namespace oai::http {
class Client;
}

namespace oai::harvest {

// How often and how long to retry.
struct RetryLimits {
    int tries = 5;  // of one request
    // Of one request that is answered by 429 or 503 with Retry-After; these do not count as tries.
    int busy_tries = 30;
    int restarts = 3;     // of one list, when the repository no longer knows its own token
    int idle_pages = 50;  // in a row, with nothing new, before the list counts as endless
    int walks_again = 2;  // through a list that moved while it was walked
    // The wait between tries doubles each time, unless Retry-After says how long it is.
    std::chrono::seconds first_wait{2};
    std::chrono::seconds longest_wait{600};  // upper bound of every wait, of Retry-After too
};

struct HarvestRequest {
    std::string url;                     // base URL
    std::vector<std::string> prefixes;   // metadataPrefix; empty: oai_dc
    std::vector<std::string> set_specs;  // empty: the whole repository
    std::string from, until;             // as in OAI-PMH; from "": since the last complete harvest
    bool full = false;                   // from the beginning, whatever was harvested before
    bool whole = false;                  // likewise, but a walk like this that stopped is resumed
    bool with_sets = false;              // also send ListSets
    // Of a harvest by sets: also follow, by the headers of the whole repository, which records have
    // left these sets or are deleted. Nobody tells the harvester of a set that a record left it.
    bool departures = false;
    // The next harvest begins this long before the responseDate of the last one.
    std::chrono::seconds overlap{0};
    // Stop after this many records of each list; the next call resumes there. 0: no limit.
    std::int64_t max_records = 0;
    RetryLimits retry_limits;
};

struct HarvestResult {
    // In order of severity.
    enum class Kind {
        complete,    // every requested list was read to its end
        incomplete,  // read to its end, but pages are missing: the next harvest requests the same
                     // period again
        stopped,     // by max_records or by the listener: the next call resumes there
        failed,      // gave up; what was taken is kept, and the next call resumes where possible
    };
    Kind kind = Kind::complete;
    std::string why;           // the first reason, one line; "" when complete, and nothing moved
    std::int64_t records = 0;  // taken in this call, deleted ones included
    std::int64_t pages = 0;
    // Of the same lists since they were begun, by this call or an earlier one.
    std::int64_t all_records = 0, all_deleted = 0, all_pages = 0;
    std::int64_t pages_missing = 0;
    // Records that should not have come, and were taken, likewise (list_walk.h).
    std::int64_t outside_set = 0, outside_dates = 0, repeated = 0;
    std::int64_t moved = 0;        // lists that moved each time that they were walked
    std::int64_t asked = 0;        // records in doubt that were asked for one by one
    std::int64_t wrong_sizes = 0;  // lists whose completeListSize was not what came
    std::int64_t repaired = 0;     // characters that XML forbids, replaced by U+FFFD
    bool unreachable = false;      // failed, and the repository gave no OAI-PMH answer at all
    bool refused = false;          // likewise, but for HTTP status 401 or 403
    bool whole = true;             // every list was requested from its beginning to its end
};

const char* word_of(HarvestResult::Kind kind);  // "complete"
// "5 records not of the set asked for, 1 repeated"; "" if all that came should have come.
std::string maladies_of(const HarvestResult& result);

// Does not throw for anything the repository does: that is in the result. Throws what the sink
// throws. REQUIRES: xml::initialise(). The client, which only this call may use meanwhile, limits
// the bytes and the seconds of an answer and holds the User-Agent.
HarvestResult harvest(http::Client& client, const HarvestRequest& request, Sink& sink,
                      HarvestListener& listener);

// A record that the repository has had.
struct KnownRecord {
    std::string prefix, identifier, datestamp;
};
// Looks for signs that the repository was set back, as by a backup that was restored: it does not
// have the record that it has had (unless it says that it does not tell deletions), or an older
// version of it. Before it is believed, its GetRecord has to agree with its own list on a record
// that is there. Returns one line, "" if there is no such sign. Throws as the following ones.
std::string find_setback(http::Client& client, const std::string& url,
                         const RetryLimits& retry_limits, HarvestListener& listener,
                         const KnownRecord& known, const std::string& deleted_record);

// One request alone, with the same retries. Throw std::runtime_error, one line.
RepositoryIdentity identify(http::Client& client, const std::string& url,
                            const RetryLimits& retry_limits, HarvestListener& listener);
std::vector<FormatInfo> list_formats(http::Client& client, const std::string& url,
                                     const RetryLimits& retry_limits, HarvestListener& listener);
// All pages.
std::vector<SetInfo> list_sets(http::Client& client, const std::string& url,
                               const RetryLimits& retry_limits, HarvestListener& listener);

}  // namespace oai::harvest
