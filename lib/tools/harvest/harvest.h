// SPDX-License-Identifier: MIT
// Harvests one repository: Identify, then every requested list page by page into a sink. It handles
// the faults of repositories (deploy/manual/harvest.md): it waits as Retry-After says, repeats
// requests whose response is damaged, repairs forbidden characters, leaves out and reports records
// that cannot be read, and never mistakes a truncated or endless list for a complete one. OAI-PMH
// 2.0, 3.5 (flow control), 4 (verbs). To harvest several repositories at a time, call it from one
// thread for each, with a client of its own.
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
    // Of one request that gets 429, or 503 with Retry-After; these do not count as tries.
    int busy_tries = 30;
    int restarts = 3;     // of one list, if the repository rejects its own token
    int idle_pages = 50;  // one after the other without a new record: the list has no end
    int walks_again = 2;  // repetitions of a list that moved during the walk
    // The wait between tries doubles each time, unless there is a Retry-After.
    std::chrono::seconds first_wait{2};
    std::chrono::seconds longest_wait{600};  // upper bound of every wait, of Retry-After too
};

struct HarvestRequest {
    std::string url;                     // base URL
    std::vector<std::string> prefixes;   // metadataPrefix; empty: oai_dc
    std::vector<std::string> set_specs;  // empty: the whole repository
    std::string from, until;             // as in OAI-PMH; from "": since the last complete harvest
    bool full = false;                   // from the beginning, regardless of earlier harvests
    bool whole = false;      // the same, but resumes such a harvest if it was interrupted
    bool with_sets = false;  // also send ListSets
    // For a harvest by sets: also reads all headers of the repository, to find records that have
    // left these sets or were deleted; OAI-PMH does not report that a record left a set.
    bool departures = false;
    // How long before the responseDate of the last harvest the next one begins.
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
        stopped,     // by max_records or the listener; the next call resumes there
        failed,      // gave up; the records so far are kept, and the next call resumes if possible
    };
    Kind kind = Kind::complete;
    std::string why;           // the first reason, one line; "" if complete and no list moved
    std::int64_t records = 0;  // received in this call, including deleted ones
    std::int64_t pages = 0;
    // The same for these lists since they were begun, by this call or an earlier one.
    std::int64_t all_records = 0, all_deleted = 0, all_pages = 0;
    std::int64_t pages_missing = 0;
    // Records that were received and stored though they do not match the request (list_walk.h).
    std::int64_t outside_set = 0, outside_dates = 0, repeated = 0;
    std::int64_t moved = 0;        // lists that moved during every walk
    std::int64_t asked = 0;        // doubtful records that were requested by GetRecord
    std::int64_t wrong_sizes = 0;  // lists of another completeListSize
    std::int64_t repaired = 0;     // characters that XML forbids, replaced by U+FFFD
    bool unreachable = false;      // failed without a single OAI-PMH response
    bool refused = false;          // the same, by HTTP status 401 or 403
    bool whole = true;             // every list was requested from its beginning to its end
};

const char* word_of(HarvestResult::Kind kind);  // "complete"
// "5 records not of the set asked for, 1 repeated"; "" if all records match the request.
std::string mismatches_text(const HarvestResult& result);

// Faults of the repository are part of the result and never thrown; exceptions of the sink are
// passed on. The client limits the size and the duration of responses. REQUIRES: xml::initialise();
// no other call uses the client.
HarvestResult harvest(http::Client& client, const HarvestRequest& request, Sink& sink,
                      HarvestListener& listener);

// A record that was harvested earlier.
struct KnownRecord {
    std::string prefix, identifier, datestamp;
};
// Looks for signs that the repository was reset, as from a backup: a known record is missing
// (unless the repository does not report deletions) or has an older datestamp. To exclude a faulty
// GetRecord, it is first compared with the repository's own list for one record. Returns a message
// of one line, or "" if there is no sign. Throws as the following functions.
std::string find_setback(http::Client& client, const std::string& url,
                         const RetryLimits& retry_limits, HarvestListener& listener,
                         const KnownRecord& known, const std::string& deleted_record);

// A single request, with the same retries. Throw std::runtime_error with a message of one line.
RepositoryIdentity identify(http::Client& client, const std::string& url,
                            const RetryLimits& retry_limits, HarvestListener& listener);
std::vector<FormatInfo> list_formats(http::Client& client, const std::string& url,
                                     const RetryLimits& retry_limits, HarvestListener& listener);
// Reads all pages of ListSets.
std::vector<SetInfo> list_sets(http::Client& client, const std::string& url,
                               const RetryLimits& retry_limits, HarvestListener& listener);

}  // namespace oai::harvest
