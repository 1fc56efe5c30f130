// SPDX-License-Identifier: MIT
// The model of harvests (run_state.h): the records that a harvester holds, those that it should
// hold, and the comparison of the two.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "pg/binary.h"
#include "pg/connection.h"
#include "protocol/record.h"
#include "t/lib/harvest_model/run_state.h"

namespace oai::harvest_model {

inline constexpr std::string_view kIdentifierBegin = "oai:example.org:";

// A record in the state in which a harvester received it.
struct HeldRecord {
    std::int64_t datestamp = 0;  // Unix seconds
    std::int64_t version = 0;  // the last part of its url; 0: not known (headers, deleted records)
    std::uint64_t sets = 0;    // sum of the hashes of its setSpecs
    bool deleted = false;
    bool operator==(const HeldRecord&) const = default;
    std::string text() const {
        return print_datestamp(Seconds{std::chrono::seconds{datestamp}}) + " version " +
               std::to_string(version) + (deleted ? " deleted" : "") + " sets " +
               std::to_string(sets);
    }
};

inline std::uint64_t hash_of(std::string_view spec) { return std::hash<std::string_view>()(spec); }

// http://www.example.cz/<id>/<version>
inline std::int64_t version_of(std::string_view url) {
    const auto slash = url.rfind('/');
    return slash == url.npos ? 0 : std::atoll(std::string(url.substr(slash + 1)).c_str());
}

// Everything that one harvester has received. For one thread at a time.
class Holdings {
  public:
    // I4. A committed change is visible at once, but its datestamp and sets change only when it is
    // published. So a new version or deletion may be seen twice, the first time with the record's
    // old datestamp; by the end of the run it must have been seen with the new one. Datestamps
    // never go back, and sets never change without a new datestamp.
    void add(std::int64_t id, const HeldRecord& seen, const std::string& harvester,
             RunState& state) {
        const auto [it, is_new] = records_.try_emplace(id, seen);
        if (is_new) return;
        const HeldRecord before = it->second;
        if (seen == before) return;
        if (seen.datestamp < before.datestamp ||
            (seen.datestamp == before.datestamp && seen.sets != before.sets))
            state.findings.add(kMoves, harvester + ": " + std::to_string(id) + " was " +
                                           before.text() + ", is " + seen.text());
        if (seen.datestamp == before.datestamp) {
            early_changes_.insert(id);
            state.counts.add("changes seen before they were published");
        } else {
            early_changes_.erase(id);
            state.counts.add("changes seen");
        }
        it->second = seen;
    }
    // Reports the changes seen only with an old datestamp. Call it when everything is published and
    // harvested.
    void require_moved(const std::string& harvester, RunState& state) const {
        for (const auto id : early_changes_)
            state.findings.add(
                kMoves, harvester + ": " + std::to_string(id) + " changed and kept its datestamp");
    }
    const std::unordered_map<std::int64_t, HeldRecord>& all() const { return records_; }

    static constexpr const char* kMoves =
        "I4: the datestamp of a record grows with every change seen";

  private:
    std::unordered_map<std::int64_t, HeldRecord> records_;
    std::unordered_set<std::int64_t> early_changes_;  // seen with an old datestamp, see add()
};

// The records that the model's tables define when everything is published, of the repository or of
// its view. Whether they are there, and the sets of those that are, come from the model's own
// tables and dates, not from what the publisher wrote; a deleted record keeps the sets that it had.
struct ExpectedRecords {
    struct Record {
        HeldRecord held;
        std::vector<int> set_ids;  // of its leaf sets
    };
    std::unordered_map<std::int64_t, Record> records;
    std::unordered_map<int, std::string> specs;  // by the id of the set

    static ExpectedRecords read(pg::Connection& connection, const RepositoryModel& model,
                                bool of_view = false) {
        static constexpr pg::Statement kSets{"sets", "select id, spec from oai.set"};
        const std::string digit = "right(d." + model.url + ", 1) ";
        const std::string items =
            "select m.local_id::bigint, x.datestamp, not x.shown, d." + model.url +
            ", case when x.shown then m.sets_now || array(select set_id from oai.rule where name = "
            "'lucky' and " +
            digit + kRule + ") else x.set_ids end from " + model.items +
            " d join oai.membership m using (id), lateral (select not d.deleted and "
            "coalesce(d.visible_from <= now(), true) and coalesce(d.visible_until > now(), true)) "
            "v(is_there), lateral (" +
            (of_view
                 ? "select w.datestamp, coalesce(v.is_there and " + digit + kView +
                       ", false) as shown, array(select s.set_id from oai.view_set s where s.view "
                       "= w.view and s.id = any (w.set_ids)) as set_ids from (select) one left "
                       "join oai.view_item w on w.view = oai.view_id('partners') and w.id = d.id"
                 : "select d.datestamp, v.is_there as shown, d.set_ids") +
            ") x where x.shown or x.datestamp is not null";
        ExpectedRecords expected;
        const pg::Result sets = connection.query(kSets);
        for (int i = 0; i < sets.rows(); ++i)
            expected.specs[static_cast<int>(pg::read_integer(sets.bytes(i, 0)))] = sets.bytes(i, 1);
        const pg::Result rows = connection.query({"items", items.c_str()});
        for (int i = 0; i < rows.rows(); ++i) expected.add(rows, i);
        return expected;
    }
    // Whether the record is in the set or in one of its descendants. An empty setSpec stands for
    // the whole repository.
    bool belongs(const Record& record, const std::string& set) const {
        return set.empty() || std::any_of(
                                  record.set_ids.begin(), record.set_ids.end(),
                                  [&](int id) {
                                      const std::string& spec = specs.at(id);
                                      return spec == set || spec.starts_with(set + ":");
                                  });
    }

  private:
    void add(const pg::Result& rows, int i) {
        Record& record = records[pg::read_integer(rows.bytes(i, 0))];
        HeldRecord& held = record.held;
        if (!rows.is_null(i, 1))
            held.datestamp = pg::read_timestamptz(rows.bytes(i, 1)).time_since_epoch().count();
        held.deleted = pg::read_bool(rows.bytes(i, 2));
        if (!held.deleted) held.version = version_of(rows.bytes(i, 3));
        pg::read_int4_array(rows.bytes(i, 4), record.set_ids);
        for (const int id : record.set_ids) held.sets += hash_of(specs.at(id));
    }
};

// What a harvester has requested.
struct Scope {
    bool versions = true;  // false: headers only
    std::string set = {};  // empty: the whole repository
    // A harvester that polls a set does not learn that a record has left it, so such records are
    // not compared. But a set harvested once, while nothing changes, contains no other record.
    bool one_harvest = false;
};

// Adds a finding to the check for each difference. Returns the number of expected records.
inline long compare(const Holdings& holdings, const ExpectedRecords& expected, const Scope& scope,
                    const std::string& check, RunState& state) {
    state.findings.declare(check);
    holdings.require_moved(check, state);
    long compared = 0;
    for (const auto& [id, record] : expected.records) {
        const auto it = holdings.all().find(id);
        const bool is_held = it != holdings.all().end();
        if (!expected.belongs(record, scope.set)) {
            if (scope.one_harvest && is_held)
                state.findings.add(check, std::to_string(id) + " is not in " + scope.set);
            continue;
        }
        ++compared;
        HeldRecord wanted = record.held;
        if (!scope.versions) wanted.version = 0;
        if (!is_held)
            state.findings.add(check,
                               std::to_string(id) + " was never seen; it is " + wanted.text());
        else if (it->second != wanted)
            state.findings.add(check, std::to_string(id) + " is held as " + it->second.text() +
                                          ", it is " + wanted.text());
    }
    for (const auto& [id, record] : holdings.all())
        if (!expected.records.contains(id))
            state.findings.add(check,
                               std::to_string(id) + " has been seen, but is gone without a trace");
    return compared;
}

// Checks what the publisher has written. Call it when the queue is empty.
inline void check_database(pg::Connection& connection, RunState& state) {
    static constexpr pg::Statement kChunks{
        "chunks",
        "select (select count(*) from oai.check_chunks()) + (select count(*) from "
        "oai.check_calendar()) + (select count(*) from oai.check_views())"};
    static constexpr pg::Statement kUnpublished{
        "unpublished",
        "select count(*) from oai.membership where seq is null and deleted is not null"};
    static constexpr pg::Statement kFalling{
        "falling",
        "select count(*) from (select datestamp < lag(datestamp) over (order by seq) as falls from "
        "oai.item where seq is not null) x where falls"};
    for (const auto& [statement, check] :
         {std::pair{kChunks, "the chunks of all sets, the calendar and the view are consistent"},
          std::pair{kUnpublished, "no item is left unpublished"},
          std::pair{kFalling, "datestamps never fall as seq grows"}}) {
        const auto n = pg::read_integer(connection.query(statement).bytes(0, 0));
        state.findings.require(n == 0, check, std::to_string(n));
    }
}

}  // namespace oai::harvest_model
