// SPDX-License-Identifier: MIT
// Walks one list of a repository from its position to its end (OAI-PMH 2.0, 3.5, 4.5). If a token
// fails in the middle of a list, it is sent again; if it fails again, the list is restarted.
// Continuing from the last datestamp would require lists ordered by datestamp, which is not
// guaranteed.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tools/harvest/answer.h"
#include "tools/harvest/harvest.h"
#include "tools/harvest/sink.h"
#include "tools/http_client/client.h"

namespace oai::harvest {

// Sends requests to one repository and retries them, waiting as Retry-After says. Knows HTTP and
// the form of responses, but no lists. Not thread-safe.

// The repository sent no OAI-PMH response. what(): one line.
class NoAnswer : public std::runtime_error {
  public:
    NoAnswer(const std::string& what, std::string bytes, int status = 0)
        : std::runtime_error(what), bytes_(std::move(bytes)), status_(status) {}
    // The body of the last response with status 200 that could not be parsed; "" if there was none.
    std::string&& take_bytes() { return std::move(bytes_); }
    bool is_refusal() const { return status_ == 401 || status_ == 403; }

  private:
    std::string bytes_;
    int status_;  // HTTP status; 0: unknown
};

// Thrown when the listener wants to stop.
struct StopRequest {};

class Provider {
  public:
    // The references must outlive it.
    Provider(http::Client& client, std::string url, const RetryLimits& retry_limits,
             HarvestListener& listener)
        : client_(client), url_(std::move(url)), retry_limits_(retry_limits), listener_(listener) {}

    // Returns the response, which may consist of OAI-PMH errors alone. After a damaged response the
    // request is repeated, from then on without compression. A static repository is fetched once
    // and used for all further requests. tries: 0 for the usual limit. Throws NoAnswer,
    // StopRequest.
    ParsedAnswer ask(const RequestArguments& arguments, int tries = 0);

    const std::string& url() const { return url_; }
    const RetryLimits& retry_limits() const { return retry_limits_; }
    std::int64_t repaired() const { return repaired_; }  // characters, in all responses so far
    // Waits by HarvestListener::wait(). Throws StopRequest.
    void wait(std::chrono::seconds time, const std::string& why);

  private:
    struct Attempt;
    void attempt(const http::ClientRequest& request, const RequestArguments& arguments,
                 Attempt& attempt);
    void read_response(http::ClientResponse response, const RequestArguments& arguments,
                       Attempt& attempt) const;

    http::Client& client_;
    const std::string url_;
    const RetryLimits retry_limits_;
    HarvestListener& listener_;
    std::int64_t repaired_ = 0;
    std::string static_file_;  // the text of a static repository; "": it is none
};

// The URL of a request. The base URL may have a query.
std::string request_url(const std::string& base_url, const RequestArguments& arguments);

// Counts the records of a list, and those that do not match the request: records outside of the
// requested set or dates, and repeated records with the same datestamp (a record that has changed
// may be repeated). They are stored nevertheless, since a repository may have sets that its headers
// do not name, and its other statements may be wrong, too. OAI-PMH 2.0, 2.5 (headers), 2.7
// (selective harvesting). Not thread-safe.

class RecordCounter {
  public:
    // Up to this many records of this run are remembered, at about 80 bytes each.
    static constexpr std::size_t kMaxRemembered = std::size_t{1} << 21;

    // Adds the record to the counts. first_date: the responseDate of the list's first answer.
    void count(const Record& record, const ListSelection& list, const std::string& first_date,
               ListCounts& counts);
    // Hashes of identifier and datestamp of the received records.
    using Seen = std::unordered_set<std::size_t>;
    static std::size_t hash_of(const Record& record);
    const Seen& seen() const { return seen_; }

    // The identifier of the first record of each kind that does not match the request; "" if there
    // was none in this run.
    struct Examples {
        std::string outside_set, outside_dates, repeated;
    };
    const Examples& examples() const { return examples_; }

  private:
    void count_set(const Record& record, const std::string& spec, ListCounts& counts);
    Seen seen_, names_;  // names_: of the identifiers alone
    Examples examples_;
};

// Longer lists are not repeated if they moved.
inline constexpr std::int64_t kMostWalkedAgain = 100'000;

class ListWalk {
  public:
    // The references must outlive it. identity: the repository's current Identify.
    ListWalk(Provider& provider, const HarvestRequest& request, const RepositoryIdentity& identity,
             Sink& sink, HarvestListener& listener)
        : provider_(provider),
          request_(request),
          has_seconds_(identity.has_seconds()),
          now_(identity.response_date),
          sink_(sink),
          listener_(listener) {}

    // Walks one list and returns its result. If the repository no longer responds, or the listener
    // stops the harvest, the list stays unfinished at its position. Passes on exceptions of the
    // sink. verb: ListRecords, or ListIdentifiers, whose headers become records without metadata.
    HarvestResult list(const std::string& prefix, const std::string& set_spec,
                       const std::string& verb = "ListRecords");

  private:
    // Functions that return bool return false when the walk has ended.
    ListPosition start(const std::string& prefix, const std::string& set_spec);
    std::string from_last(const std::string& last);
    bool step(ListPosition& position);
    ParsedAnswer page(const ListPosition& position);
    ParsedAnswer fetch_broken(SalvagedPage salvaged, const ListPosition& position);
    bool handle_errors(const ParsedAnswer& answer, ListPosition& position);
    bool restart(ListPosition& position, const std::string& why);
    void begin_anew(ListPosition& position);
    bool is_moved(const ListPosition& position) const;
    bool walk_again(ListPosition& position);
    enum class Found { there, gone, unknown };
    Found request_record(const std::string& identifier, const ListPosition& position,
                         std::vector<Record>& found);
    Found request_nameless(const std::string& name, const ListPosition& position,
                           std::vector<Record>& found);
    void request_unmet(ListPosition& position);
    void retry_refused(const ListPosition& position);
    void refuse(const ListPosition& position, const std::string& identifier,
                const std::string& why);
    bool take(const ParsedAnswer& answer, ListPosition& position);
    bool goes_on(const ParsedAnswer& answer, bool has_new, const ListPosition& position);
    void sum_up(const ListPosition& position);
    void report_mismatches(const ListPosition& position);
    bool close(ListPosition& position);
    bool give_up(const ListPosition& position, const std::string& why);

    Provider& provider_;
    const HarvestRequest& request_;
    const bool has_seconds_;
    const std::string now_;  // by the repository's clock
    Sink& sink_;
    HarvestListener& listener_;
    HarvestResult result_;
    std::unordered_set<std::string> tokens_;  // of this walk
    RecordCounter counter_;
    std::string verb_;
    std::string first_date_;  // responseDate of this walk's first response
    // Records of the previous walk that this one has not met yet; nullopt: there was none.
    std::optional<RecordCounter::Seen> before_;
    bool resumed_ = false;  // this walk was begun by an earlier run, whose records are not known
    std::string witness_;   // a record that existed lately
    bool page_damaged_ = false;  // the current page lacks records
    int lost_tokens_ = 0;        // successive responses that reject the token
    std::int64_t left_out_ = 0;  // records of this walk, which completeListSize counts
    int restarts_ = 0;
    int idle_pages_ = 0;  // successive pages without a new record
};

}  // namespace oai::harvest
