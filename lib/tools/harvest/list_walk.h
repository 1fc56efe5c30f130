// SPDX-License-Identifier: MIT
// Walks one list of a repository from its position to its end (OAI-PMH 2.0, 3.5, 4.5). If a token
// fails in mid-list, it is sent again, and after that the list begins anew. Continuing from the
// last datestamp would need lists ordered by datestamp, which is not promised.
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

// Sends requests to one repository, and retries those that may succeed later, waiting as
// Retry-After says. Knows HTTP and the form of an answer; nothing of lists. Not thread-safe.

// The repository gave no OAI-PMH answer. what(): one line.
class NoAnswer : public std::runtime_error {
  public:
    NoAnswer(const std::string& what, std::string bytes, int status = 0)
        : std::runtime_error(what), bytes_(std::move(bytes)), status_(status) {}
    // The body of the last answer with status 200 that could not be parsed; "" if there was none.
    const std::string& bytes() const { return bytes_; }
    bool is_refusal() const { return status_ == 401 || status_ == 403; }

  private:
    std::string bytes_;
    int status_;  // of HTTP; 0: unknown
};

// Thrown when the listener wants to stop.
struct StopRequest {};

class Provider {
  public:
    // The references must outlive it.
    Provider(http::Client& client, std::string url, const RetryLimits& retry_limits,
             HarvestListener& listener)
        : client_(client), url_(std::move(url)), retry_limits_(retry_limits), listener_(listener) {}

    // Returns the answer, which may consist of OAI-PMH errors alone. A damaged answer is requested
    // again, from then on without compression. A static repository is fetched once and answers all
    // that follows. tries: 0 for RetryLimits::tries. Throws NoAnswer, StopRequest.
    ParsedAnswer ask(const RequestArguments& arguments, int tries = 0);

    const std::string& url() const { return url_; }
    const RetryLimits& retry_limits() const { return retry_limits_; }
    std::int64_t repaired() const { return repaired_; }  // characters, in all answers so far
    // Waits by the listener. Throws StopRequest.
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
    std::string static_file_;  // the static repository; "" it is none
};

// The URL of this request to a base URL, which may have a query of its own.
std::string request_url(const std::string& base_url, const RequestArguments& arguments);

// Counts what comes of a list, and what of it should not have come: records that are not of the set
// or of the dates asked for, and records that came before with the same datestamp (one that has
// changed in between may come again). All of them are taken nevertheless: a repository may have
// sets that it does not name in headers, and what it says of itself may be wrong in other ways.
// OAI-PMH 2.0, 2.5 (headers), 2.7 (selective harvesting). Not thread-safe.

class RecordCounter {
  public:
    // Up to this many records are remembered, by some 80 bytes each; whether one repeats a later
    // one is not known. Nor are those of an earlier run.
    static constexpr std::size_t kMaxRemembered = std::size_t{1} << 21;

    // Adds the record to the counts. first_date: the responseDate of the list's first answer.
    void count(const Record& record, const ListSelection& list, const std::string& first_date,
               ListCounts& counts);
    // Hashes of the records that came, by identifier and datestamp.
    using Seen = std::unordered_set<std::size_t>;
    static std::size_t hash_of(const Record& record);
    const Seen& seen() const { return seen_; }

    // Identifiers of the first records that should not have come; "" if there is none in this run.
    struct Examples {
        std::string outside_set, outside_dates, repeated;
    };
    const Examples& examples() const { return examples_; }

  private:
    void count_set(const Record& record, const std::string& spec, ListCounts& counts);
    Seen seen_, names_;  // names_: of the identifiers alone
    Examples examples_;
};

// Lists of more records than this are not walked again because they moved.
inline constexpr std::int64_t kMostWalkedAgain = 100'000;

class ListWalk {
  public:
    // The references must outlive it. identity: what the repository has just said of itself.
    ListWalk(Provider& provider, const HarvestRequest& request, const RepositoryIdentity& identity,
             Sink& sink, HarvestListener& listener)
        : provider_(provider),
          request_(request),
          has_seconds_(identity.has_seconds()),
          now_(identity.response_date),
          sink_(sink),
          listener_(listener) {}

    // Returns the result for this list alone. If the repository no longer answers, or the listener
    // wants to stop, the list stays unfinished at its position. Throws what the sink throws.
    // verb: or ListIdentifiers, whose headers are given to the sink as records without metadata.
    HarvestResult list(const std::string& prefix, const std::string& set_spec,
                       const std::string& verb = "ListRecords");

  private:
    // Functions that return bool return false if there is nothing more to do.
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
    Found ask_for(const std::string& identifier, const ListPosition& position,
                  std::vector<Record>& found);
    Found ask_for_nameless(const std::string& name, const ListPosition& position,
                           std::vector<Record>& found);
    void ask_for_unmet(ListPosition& position);
    void ask_for_refused(const ListPosition& position);
    void refuse(const ListPosition& position, const std::string& identifier,
                const std::string& why);
    bool take(const ParsedAnswer& answer, ListPosition& position);
    bool goes_on(const ParsedAnswer& answer, bool has_new, const ListPosition& position);
    void sum_up(const ListPosition& position);
    void note_maladies(const ListPosition& position);
    bool close(ListPosition& position);
    bool give_up(const ListPosition& position, const std::string& why);

    Provider& provider_;
    const HarvestRequest& request_;
    const bool has_seconds_;
    const std::string now_;  // by the repository's clock
    Sink& sink_;
    HarvestListener& listener_;
    HarvestResult result_;
    std::unordered_set<std::string> tokens_;  // that this walk has had
    RecordCounter counter_;
    std::string verb_;
    std::string first_date_;  // responseDate of this walk's first answer
    // What the walk before this one brought, and this one has not yet; nullopt: there was none.
    std::optional<RecordCounter::Seen> before_;
    bool resumed_ = false;       // this walk was begun by an earlier run, which knew what came then
    std::string witness_;        // a record that was there lately
    bool page_damaged_ = false;  // the current page lacks records
    int lost_tokens_ = 0;        // successive answers that reject the token
    int restarts_ = 0;
    int idle_pages_ = 0;  // in a row, without a record that had not come before
};

}  // namespace oai::harvest
