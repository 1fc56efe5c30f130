// SPDX-License-Identifier: MIT
// What a harvester holds, what the repository should have given it, and the comparison of the two.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "datestamp.h"
#include "ledger.h"
#include "pg/binary.h"
#include "pg/connection.h"

namespace oai::fault {

inline constexpr std::string_view kIdentifierBegin = "oai:example.org:";

// A record as a harvester knows it.
struct Held {
    std::int64_t datestamp = 0;  // Unix seconds
    std::int64_t version = 0;    // the last part of its url; 0: not known (headers, deleted records)
    std::uint64_t sets = 0;      // sum of the hashes of its setSpecs
    bool deleted = false;
    bool operator==(const Held&) const = default;
    std::string text() const {
        return print_datestamp(Seconds{std::chrono::seconds{datestamp}}) + " version " +
               std::to_string(version) + (deleted ? " deleted" : "") + " sets " + std::to_string(sets);
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
    // I4. What a writer has committed shows at once, its datestamp and sets when it is published; so a new
    // version or deletion may be met twice, the first time under the datestamp that the record had before. By
    // the end of the run the second must have come. Datestamps never go back, and sets never change without
    // them.
    void take(std::int64_t id, const Held& seen, const std::string& whose, Fire& fire) {
        const auto [it, fresh] = held_.try_emplace(id, seen);
        if (fresh) return;
        const Held before = it->second;
        if (seen == before) return;
        if (seen.datestamp < before.datestamp ||
            (seen.datestamp == before.datestamp && seen.sets != before.sets))
            fire.findings.wrong(
                kMoves, whose + ": " + std::to_string(id) + " was " + before.text() + ", is " + seen.text());
        if (seen.datestamp == before.datestamp) {
            early_.insert(id);
            fire.counts.add("changes seen before they were published");
        } else {
            early_.erase(id);
            fire.counts.add("changes seen");
        }
        it->second = seen;
    }
    // Once everything is published and harvested.
    void require_moved(const std::string& whose, Fire& fire) const {
        for (const auto id : early_)
            fire.findings.wrong(kMoves,
                                whose + ": " + std::to_string(id) + " changed and kept its datestamp");
    }
    const std::unordered_map<std::int64_t, Held>& all() const { return held_; }

    static constexpr const char* kMoves = "I4: the datestamp of a record moves with every change seen";

  private:
    std::unordered_map<std::int64_t, Held> held_;
    std::unordered_set<std::int64_t> early_;
};

// What the model's tables say once everything is published: the sets of those that are not deleted by the
// model's own tables, not by what the publisher wrote. A deleted record keeps the sets it had.
struct Truth {
    struct Record {
        Held held;
        bool in_collection = false;
    };
    std::unordered_map<std::int64_t, Record> records;

    static Truth read(pg::Connection& connection) {
        static constexpr pg::Statement kSets{"sets", "select id, spec from oai.set"};
        static constexpr pg::Statement kDocuments{"documents",
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

// What of the repository a harvester asked for.
struct Scope {
    bool versions = true;      // false: headers only
    bool collections = false;  // only set=col; what has left it meanwhile is nobody's business
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
            fire.findings.wrong(check, std::to_string(id) + " was never seen; it is " + want.text());
        else if (it->second != want)
            fire.findings.wrong(
                check, std::to_string(id) + " is held as " + it->second.text() + ", it is " + want.text());
    }
    for (const auto& [id, held] : holdings.all())
        if (!truth.records.contains(id))
            fire.findings.wrong(check, std::to_string(id) + " has been seen, but is gone without a trace");
    fire.findings.note(check + ": " + std::to_string(expected) + " records compared");
}

}  // namespace oai::fault
