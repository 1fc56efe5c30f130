// SPDX-License-Identifier: MIT
#include "store/rows.h"

#include <algorithm>

#include "pg/binary.h"
#include "protocol/error.h"
#include "protocol/set_spec.h"

namespace oai::rows {
namespace {

std::optional<std::int64_t> seconds(const std::optional<Seconds>& t) {
    if (!t) return std::nullopt;
    return t->time_since_epoch().count();
}

int read_id(const pg::Result& rows, int row, int column) {
    return static_cast<int>(pg::read_integer(rows.bytes(row, column)));
}

}  // namespace

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
    horizon.earliest = row.is_null(0, 3) ? horizon.h : pg::read_timestamptz(row.bytes(0, 3));
    return horizon;
}

PositionRow read_position(const pg::Result& row, std::chrono::seconds lag) {
    PositionRow out;
    if (!row.is_null(0, 4)) out.set_id = pg::read_integer(row.bytes(0, 4));
    Position& position = out.position;
    position.horizon = read_horizon(row, lag);
    position.set_exists = pg::read_bool(row.bytes(0, 5));
    position.after = pg::read_integer(row.bytes(0, 6));
    position.upto = pg::read_integer(row.bytes(0, 7));
    position.upto_fixed = pg::read_bool(row.bytes(0, 8));
    position.size = row.is_null(0, 9) ? -1 : pg::read_integer(row.bytes(0, 9));
    position.lost = pg::read_bool(row.bytes(0, 10));
    return out;
}

pg::Parameters position_parameters(const ListQuery& query) {
    pg::Parameters p;
    p.add(seconds(query.from)).add(seconds(query.until));
    if (query.set)
        p.add(std::string_view(*query.set));
    else
        p.add_null();
    p.add(query.after);
    if (query.upto > 0)
        p.add(query.upto);
    else
        p.add_null();
    if (query.want_size)
        p.add(std::int64_t{query.count_limit});
    else
        p.add_null();
    add_seen(p, query.seen);
    return p;
}

std::vector<Set> read_sets(const pg::Result& rows) {
    std::vector<Set> sets;
    sets.reserve(static_cast<std::size_t>(rows.rows()));
    for (int i = 0; i < rows.rows() && !rows.is_null(i, 5); ++i)
        sets.push_back({.id = read_id(rows, i, 5),
                        .spec = std::string(rows.bytes(i, 6)),
                        .name = std::string(rows.bytes(i, 7)),
                        .description = std::string(rows.bytes(i, 8))});
    // The statement promises no order: to ask for one would have the planner sort what an index has
    // given in order.
    std::sort(sets.begin(), sets.end(), [](const Set& a, const Set& b) { return a.id < b.id; });
    return sets;
}

std::vector<SetSpecs::Row> read_set_specs(const pg::Result& rows) {
    std::vector<SetSpecs::Row> out;
    for (int i = 0; i < rows.rows(); ++i) {
        if (!is_set_spec(rows.bytes(i, 1)))
            throw Fault("oai.set: no setSpec: " + std::string(rows.bytes(i, 1)));
        out.push_back({read_id(rows, i, 0), std::string(rows.bytes(i, 1))});
    }
    return out;
}

std::vector<Dictionary::Row> read_names(const pg::Result& rows) {
    std::vector<Dictionary::Row> out;
    for (int i = 0; i < rows.rows(); ++i)
        out.push_back(
            {read_id(rows, i, 0), std::string(rows.bytes(i, 1)), std::string(rows.bytes(i, 2))});
    return out;
}

void add_seen(pg::Parameters& parameters, const std::optional<SeenPosition>& seen) {
    if (seen)
        parameters.add(seen->seq).add(std::int64_t{seen->h.time_since_epoch().count()});
    else
        parameters.add_null().add_null();
}

std::string array_of(const std::vector<int>& ids) {
    std::string out = "{";
    for (const int id : ids) (out += std::to_string(id)) += ',';
    out.back() = '}';
    return out;
}

}  // namespace oai::rows
