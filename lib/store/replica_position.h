// SPDX-License-Identifier: MIT
// How far an answer must go. Answers come from several databases where there are replicas, and one
// of them may be behind another: a list must not end, nor a record be missing, before what an
// earlier answer has promised by its responseDate. Older is safe there, too: an answer may come
// from an older snapshot as long as it says nothing of what lies beyond. Plain values.
#pragma once

#include "protocol/error.h"
#include "protocol/record.h"

namespace oai {

// What some snapshot had: numbers up to seq, which were all that was published up to the second h.
struct ReplicaPosition {
    std::uint64_t epoch = 0;  // 0: nothing is known, and everything reaches it
    std::int64_t seq = 0;
    Seconds h{};
    bool operator==(const ReplicaPosition&) const = default;
};

ReplicaPosition replica_position_of(const Horizon& horizon);

// The farther one; of different numberings the second.
ReplicaPosition furthest(const ReplicaPosition& a, const ReplicaPosition& b);

// A snapshot with this horizon holds all that one of that reach did. By its number: nothing was
// published between them. By its second, with the lag that responseDate allows for: what it lacks
// has a datestamp that no answer has promised yet; or those numbers are lost, after a failover to a
// replica that had not got them, and given out anew.
bool reaches(const Horizon& horizon, const ReplicaPosition& reach);

// The database behind this connection has not replayed so far yet; soon it will have, or another
// has.
class ReplicaLagging : public Unavailable {
    using Unavailable::Unavailable;
};

void require_position(const Horizon& horizon,
                      const ReplicaPosition& reach);  // throws ReplicaLagging

}  // namespace oai
