// SPDX-License-Identifier: MIT
// One list of a repository, from where it stands to its end (OAI-PMH 2.0, 3.5, 4.5). Where a token fails in mid-list, it
// is asked for again, and then the list from its start: going on from the last datestamp seen would only be safe in a
// list that is ordered by datestamp, which no repository has to promise.
#pragma once

#include <string>
#include <vector>

#include "harvest/circle.h"
#include "harvest/provider.h"
#include "harvest/salvage.h"

namespace oai::harvest {

class Walk {
  public:
    // All must outlive it. `seconds`: the repository's granularity.
    Walk(Provider& provider, const Wish& wish, bool seconds, Sink& sink, Listener& listener)
        : provider_(provider), wish_(wish), seconds_(seconds), sink_(sink), listener_(listener) {}

    // What became of this list alone. Where the repository does not answer any more, or the listener wants an end, it
    // stays where it stands. Throws what the sink throws.
    Outcome list(const std::string& prefix, const std::string& set_spec);

  private:
    Position start(const std::string& prefix, const std::string& set_spec);
    bool step(Position& position);
    Answer page(const Position& position);
    Answer mended(Remains remains, const Position& position);
    bool fetch_alone(const std::string& identifier, const Position& position, Answer& page);
    bool refused(const Answer& answer, Position& position);
    bool restart(Position& position, const std::string& why);
    bool take(const Answer& answer, Position& position);
    bool is_endless(const Answer& answer, const Position& position);
    bool close(const Position& position);
    bool give_up(const Position& position, const std::string& why);

    Provider& provider_;
    const Wish& wish_;
    const bool seconds_;
    Sink& sink_;
    Listener& listener_;
    Outcome outcome_;
    Circle circle_;
    bool damaged_ = false;  // the page at hand lacks something
    int lost_tokens_ = 0;   // answers in a row that do not know the token
    int restarts_ = 0, empty_pages_ = 0;
};

}  // namespace oai::harvest
