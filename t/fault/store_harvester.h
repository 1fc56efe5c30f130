// SPDX-License-Identifier: MIT
// A harvester that runs the store's statements instead of sending requests, and therefore sees the
// publication numbers, too.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "store/store.h"
#include "t/lib/harvest_model/harvester.h"

namespace oai::harvest_model {

// Lists headers by the store's statements, in pages of 1 to 700.
class StoreHarvester {
  public:
    StoreHarvester(RunState& state, Store& store, FromPolicy policy, SeenRecords& seen_records,
                   unsigned seed)
        : state_(state), store_(store), from_(policy), seen_records_(seen_records), random_(seed) {}

    void run_until_stop() {
        while (!state_.stop) {
            unless_locked(state_, [this] { harvest(); });
            state_.pause(random_);
        }
    }
    void harvest() {
        const auto began = WallClock::now();
        in_list_.clear();
        from_.harvest_ended(began, list(from_.value()), state_);
        state_.counts.add("harvests");
    }
    // I5: a list read from its beginning contains every record that had been seen before, even
    // though records move to its end meanwhile.
    void check_whole_list() {
        const std::vector<std::int64_t> known = seen_records_.all();
        in_list_.clear();
        list(std::nullopt);
        for (const auto id : known)
            if (!in_list_.contains(id))
                state_.findings.add(kNeverAbsent, "a whole list lacks " + std::to_string(id));
        state_.counts.add("whole lists");
    }
    const Holdings& holdings() const { return holdings_; }

    static constexpr const char* kNeverAbsent = "I5: a record once seen is never absent";

  private:
    // Reads a list and returns the responseDate of its first page.
    std::int64_t list(const std::optional<std::int64_t>& from) {
        ListQuery query;
        if (from) query.from = Seconds{std::chrono::seconds{*from}};
        std::optional<std::int64_t> date;
        std::int64_t last_seq = 0, last_datestamp = 0;
        query.records = static_cast<int>(random_.between(1, 700));
        for (bool more = true; more;) {
            RecordCursor cursor = store_.list(query);
            const Horizon& horizon = cursor.position().horizon;
            if (!date) date = response_date(horizon).time_since_epoch().count();
            query.after = cursor.position().after;
            for (RecordBatch batch = cursor.next(); batch.size() > 0; batch = cursor.next())
                for (int i = 0; i < batch.size(); ++i) {
                    const Header& header = batch.header(i);
                    const auto datestamp = header.datestamp.time_since_epoch().count();
                    if (header.seq <= last_seq || datestamp < last_datestamp ||
                        header.seq > horizon.last_seq)
                        state_.findings.add(ServiceHarvester::kOrder,
                                            "seq " + std::to_string(header.seq) + " after " +
                                                std::to_string(last_seq));
                    last_seq = header.seq;
                    last_datestamp = datestamp;
                    query.after = header.seq;
                    take(batch, header);
                }
            more = cursor.more();
            query.records = static_cast<int>(random_.between(1, 700));
            if (more && random_.between(0, 1) == 0) store_.prefetch(query);
            state_.counts.add("pages");
        }
        return *date;
    }
    void take(const RecordBatch& batch, const Header& header) {
        HeldRecord seen{.datestamp = header.datestamp.time_since_epoch().count(),
                        .deleted = header.deleted};
        for (const int id : header.set_ids) seen.sets += hash_of(batch.set_spec(id));
        const auto id = std::atoll(std::string(header.local_id).c_str());
        holdings_.add(id, seen, "store", state_);
        seen_records_.add(id, seen.datestamp);
        in_list_.insert(id);
    }

    RunState& state_;
    Store& store_;
    NextFrom from_;
    SeenRecords& seen_records_;
    RandomNumbers random_;
    Holdings holdings_;
    std::unordered_set<std::int64_t> in_list_;
};

}  // namespace oai::harvest_model
