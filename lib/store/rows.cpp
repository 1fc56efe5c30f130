// SPDX-License-Identifier: MIT
#include "store/rows.h"

#include <algorithm>
#include <set>

#include "pg/binary.h"
#include "protocol/error.h"

namespace oai::rows {

Horizon read_horizon(const pg::Result& row, std::chrono::seconds lag) {
    if (row.rows() == 0) throw Fault("oai.horizon has no row: install the schema");
    if (row.is_null(0, 0))
        throw Unavailable(
            "the repository is being numbered for the first time: lists begin when oai publish is "
            "through");
    Horizon horizon{.h = pg::read_timestamptz(row.bytes(0, 0)),
                    .last_seq = pg::read_integer(row.bytes(0, 1)),
                    .epoch = static_cast<std::uint64_t>(pg::read_integer(row.bytes(0, 2)))};
    horizon.lag = lag;
    return horizon;
}

Position read_position(const pg::Result& row, std::chrono::seconds lag) {
    Position position;
    position.horizon = read_horizon(row, lag);
    if (!row.is_null(0, 3)) position.set_id = pg::read_integer(row.bytes(0, 3));
    position.set_exists = pg::read_bool(row.bytes(0, 4));
    position.after = pg::read_integer(row.bytes(0, 5));
    position.upto = pg::read_integer(row.bytes(0, 6));
    position.upto_fixed = pg::read_bool(row.bytes(0, 7));
    position.size = row.is_null(0, 8) ? -1 : pg::read_integer(row.bytes(0, 8));
    position.lost = pg::read_bool(row.bytes(0, 9));
    if (!row.is_null(0, 10)) position.required_id = pg::read_integer(row.bytes(0, 10));
    return position;
}

Position read_resumed_position(const pg::Result& row, const ListQuery& query,
                               std::chrono::seconds lag) {
    Position position;
    position.horizon = read_horizon(row, lag);
    position.lost = pg::read_bool(row.bytes(0, 3));
    if (!row.is_null(0, 4)) position.set_id = pg::read_integer(row.bytes(0, 4));
    if (!row.is_null(0, 5)) position.required_id = pg::read_integer(row.bytes(0, 5));
    position.set_exists = !query.set || position.set_id;
    position.after = query.after.value_or(0);
    position.upto_fixed = query.upto > 0;
    position.upto = position.upto_fixed ? query.upto : position.horizon.last_seq;
    return position;
}

pg::Parameters resume_parameters(const ListQuery& query) {
    pg::Parameters p;
    add_seen(p, query.seen);
    const std::set<std::string> required(query.required.begin(), query.required.end());
    p.add(query.set).add(pg::array_literal({required.begin(), required.end()}));
    return p;
}

pg::Parameters position_parameters(const ListQuery& query) {
    pg::Parameters p;
    p.add(query.from).add(query.until).add(query.set).add(query.after);
    query.upto > 0 ? p.add(query.upto) : p.add_null();
    query.want_size ? p.add(query.count_limit) : p.add_null();
    add_seen(p, query.seen);
    p.add(pg::array_literal(query.required));
    return p;
}

std::vector<Set> read_sets(const pg::Result& rows) {
    std::vector<Set> sets;
    sets.reserve(static_cast<std::size_t>(rows.rows()));
    for (int i = 0; i < rows.rows() && !rows.is_null(i, 4); ++i)
        sets.push_back({.id = static_cast<int>(pg::read_integer(rows.bytes(i, 4))),
                        .spec = std::string(rows.bytes(i, 5)),
                        .name = std::string(rows.bytes(i, 6)),
                        .description = std::string(rows.bytes(i, 7))});
    // The statement promises no order: to ask for one would have the planner sort what an index has
    // given in order.
    std::sort(sets.begin(), sets.end(), [](const Set& a, const Set& b) { return a.id < b.id; });
    return sets;
}

void add_seen(pg::Parameters& parameters, const std::optional<SeenPosition>& seen) {
    if (seen)
        parameters.add(seen->seq).add(seen->h);
    else
        parameters.add_null().add_null();
}

}  // namespace oai::rows
