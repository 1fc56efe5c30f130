// SPDX-License-Identifier: MIT
// What is asked of the store for one page of a list of records, and where the list stands then.
// Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/record.h"
#include "store/record_statements.h"

namespace oai {

// What earlier pages of a list have shown: numbers up to seq, and that these were all that was
// published up to the second h.
struct SeenPosition {
    std::int64_t seq = 0;
    Seconds h{};
    bool operator==(const SeenPosition&) const = default;
};

struct ListQuery {
    bool with_records = false;       // false: headers only
    ColumnNames columns{};           // of the records, that are to be read
    std::optional<Seconds> from{};   // first second
    std::optional<Seconds> until{};  // last second
    std::optional<std::string> set{};
    // Columns in which the records must have a value. Helps to find them: unless all items have
    // one, or Position::required_id is given, records without may come as well.
    std::vector<std::string> required{};
    int records = 100;  // at most so many; at least 1
    // Going on with a list (from its token):
    std::optional<std::int64_t> after{};
    std::int64_t upto = 0;  // 0: open
    std::optional<SeenPosition> seen{};
    bool want_size = false;  // first page: count
    int count_limit = 10'000;
    bool operator==(const ListQuery&) const = default;
};

// Where a list stands, read in the snapshot of its page.
struct Position {
    Horizon horizon;
    bool set_exists = true;                // false: no such set, and the list is empty
    std::optional<std::int64_t> set_id{};  // of the query's set
    // Those items that have what the query requires are members of this, which is no set of the
    // repository (schema/013-requirements.sql).
    std::optional<std::int64_t> required_id{};
    bool lost = false;  // some of what ListQuery::seen names (oai.fork in schema/001-contract.sql)
    std::int64_t after = 0;
    std::int64_t upto = 0;    // show seq <= this
    bool upto_fixed = false;  // `until` lies before the horizon: this bound will not move any more
    std::int64_t size = -1;   // completeListSize, -1 unknown or not asked for
};

}  // namespace oai
