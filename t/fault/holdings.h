// SPDX-License-Identifier: MIT
// The records that a harvester holds, those that it should hold, and the comparison of the two.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "ledger.h"
#include "pg/binary.h"
#include "pg/connection.h"
#include "protocol/datestamp.h"

namespace oai::fault {

inline constexpr std::string_view kIdentifierBegin = "oai:example.org:";

// A record in the state in which a harvester received it.
struct Held {
    std::int64_t datestamp = 0;  // Unix seconds
    std::int64_t version = 0;  // the last part of its url; 0: not known (headers, deleted records)
    std::uint64_t sets = 0;    // sum of the hashes of its setSpecs
    bool deleted = false;
    bool operator==(const Held&) const = default;
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

class Holdings {
  public:
    // I4. A committed change is visible at once, but its datestamp and sets change only when it is
    // published. So a new version or deletion may be seen twice, the first time with the record's
    // old datestamp; by the end of the run it must have been seen with the new one. Datestamps
    // never go back, and sets never change without a new datestamp.
    void take(std::int64_t id, const Held& seen, const std::string& whose, Fire& fire) {
        const auto [it, fresh] = held_.try_emplace(id, seen);
        if (fresh) return;
        const Held before = it->second;
        if (seen == before) return;
        if (seen.datestamp < before.datestamp ||
            (seen.datestamp == before.datestamp && seen.sets != before.sets))
            fire.findings.wrong(kMoves, whose + ": " + std::to_string(id) + " was " +
                                            before.text() + ", is " + seen.text());
        if (seen.datestamp == before.datestamp) {
            early_.insert(id);
            fire.counts.add("changes seen before they were published");
        } else {
            early_.erase(id);
            fire.counts.add("changes seen");
        }
        it->second = seen;
    }
    // Reports the changes seen only with an old datestamp. Call it when everything is published and
    // harvested.
    void require_moved(const std::string& whose, Fire& fire) const {
        for (const auto id : early_)
            fire.findings.wrong(
                kMoves, whose + ": " + std::to_string(id) + " changed and kept its datestamp");
    }
    const std::unordered_map<std::int64_t, Held>& all() const { return held_; }

    static constexpr const char* kMoves =
        "I4: the datestamp of a record grows with every change seen";

  private:
    std::unordered_map<std::int64_t, Held> held_;
    std::unordered_set<std::int64_t> early_;
};

// The records that the model's tables define when everything is published. The sets of records that
// are not deleted come from the model's own tables, not from what the publisher wrote; a deleted
// record keeps the sets that it had.
struct Truth {
    struct Record {
        Held held;
        bool in_collection = false;
    };
    std::unordered_map<std::int64_t, Record> records;

    static Truth read(pg::Connection& connection) {
        static constexpr pg::Statement kSets{"sets", "select id, spec from oai.set"};
        static constexpr pg::Statement kDocuments{
            "documents",
            "select d.id, d.datestamp, d.deleted, d.url, case when "
            "d.deleted then d.set_ids else m.sets_now end"
            " from webarchiv.doc d join oai.membership m using (id)"};
        std::unordered_map<int, std::string> specs;
        const pg::Result sets = connection.query(kSets);
        for (int i = 0; i < sets.rows(); ++i)
            specs[static_cast<int>(pg::read_integer(sets.bytes(i, 0)))] = sets.bytes(i, 1);
        Truth truth;
        const pg::Result rows = connection.query(kDocuments);
        for (int i = 0; i < rows.rows(); ++i) truth.add(rows, i, specs);
        return truth;
    }

    void add(const pg::Result& rows, int i, const std::unordered_map<int, std::string>& specs) {
        Record& record = records[pg::read_integer(rows.bytes(i, 0))];
        Held& held = record.held;
        if (!rows.is_null(i, 1))
            held.datestamp = pg::read_timestamptz(rows.bytes(i, 1)).time_since_epoch().count();
        held.deleted = pg::read_bool(rows.bytes(i, 2));
        if (!held.deleted) held.version = version_of(rows.bytes(i, 3));
        std::vector<int> ids;
        pg::read_int4_array(rows.bytes(i, 4), ids);
        for (const int id : ids) {
            held.sets += hash_of(specs.at(id));
            record.in_collection = record.in_collection || specs.at(id).starts_with("col:");
        }
    }
};

// The part of the repository that a harvester requests.
struct Scope {
    bool versions = true;      // false: headers only
    bool collections = false;  // only set=col; records that have left the set are not compared
};

inline void compare(const Holdings& holdings, const Truth& truth, const Scope& scope,
                    const std::string& check, Fire& fire) {
    fire.findings.declare(check);
    holdings.require_moved(check, fire);
    long expected = 0;
    for (const auto& [id, record] : truth.records) {
        if (scope.collections && !record.in_collection) continue;
        ++expected;
        Held want = record.held;
        if (!scope.versions) want.version = 0;
        const auto it = holdings.all().find(id);
        if (it == holdings.all().end())
            fire.findings.wrong(check,
                                std::to_string(id) + " was never seen; it is " + want.text());
        else if (it->second != want)
            fire.findings.wrong(check, std::to_string(id) + " is held as " + it->second.text() +
                                           ", it is " + want.text());
    }
    for (const auto& [id, held] : holdings.all())
        if (!truth.records.contains(id))
            fire.findings.wrong(check,
                                std::to_string(id) + " has been seen, but is gone without a trace");
    fire.findings.note(check + ": " + std::to_string(expected) + " records compared");
}

}  // namespace oai::fault
