// SPDX-License-Identifier: MIT
// Walks one list of a repository from its position to its end (OAI-PMH 2.0, 3.5, 4.5). If a token
// fails in mid-list, it is sent again, and after that the list begins anew. Continuing from the
// last datestamp would be safe only in lists ordered by datestamp, which the protocol does not
// promise.
#pragma once

#include <string>
#include <vector>

#include "tools/harvest/cycle_detector.h"
#include "tools/harvest/provider.h"
#include "tools/harvest/record_counter.h"
#include "tools/harvest/salvage.h"

namespace oai::harvest {

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
    HarvestResult list(const std::string& prefix, const std::string& set_spec);

  private:
    // Functions that return bool return false if there is nothing more to do.
    ListPosition start(const std::string& prefix, const std::string& set_spec);
    std::string from_last(const std::string& last);
    bool step(ListPosition& position);
    ParsedAnswer page(const ListPosition& position);
    ParsedAnswer fetch_broken(SalvagedPage salvaged, const ListPosition& position);
    bool fetch_record(const std::string& identifier, const ListPosition& position,
                      ParsedAnswer& page);
    bool handle_errors(const ParsedAnswer& answer, ListPosition& position);
    bool restart(ListPosition& position, const std::string& why);
    bool take(const ParsedAnswer& answer, ListPosition& position);
    bool is_endless(const ParsedAnswer& answer, const ListPosition& position);
    bool goes_on(bool has_new, const ListPosition& position);
    void sum_up(const ListPosition& position);
    void note_maladies(const ListPosition& position);
    bool close(const ListPosition& position);
    bool give_up(const ListPosition& position, const std::string& why);

    Provider& provider_;
    const HarvestRequest& request_;
    const bool has_seconds_;
    const std::string now_;  // by the repository's clock
    Sink& sink_;
    HarvestListener& listener_;
    HarvestResult result_;
    CycleDetector cycle_;
    RecordCounter counter_;
    bool page_damaged_ = false;  // the current page lacks records
    int lost_tokens_ = 0;        // successive answers that reject the token
    int restarts_ = 0;
    int idle_pages_ = 0;  // in a row, without a record that had not come before
};

}  // namespace oai::harvest
