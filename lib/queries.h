// SPDX-License-Identifier: MIT
// Every statement of the reading side, named, once. They read the schema oai alone (schema/001-contract.sql) and
// are of bounded cost: each walks an index from a number, or finds one row. `true`: asked all day, prepared once by each
// connection.
#pragma once

#include "pg/connection.h"

namespace oai::queries {

// $1 from, $2 until (seconds since 1970), $3 setSpec, $4 after, $5 upto, $6 count limit; each may be null.
inline constexpr pg::Statement kPosition{"position", R"(
    select h, last_seq, epoch, earliest, set_id, set_exists, after_seq, upto_seq, upto_fixed, size
    from oai.position(to_timestamp($1::bigint), to_timestamp($2::bigint), $3::text, $4::bigint, $5::bigint, $6::int))", true};

// The four lists. $1 after, $2 upto, $3 rows; a list of a set has $1 set id before these.
inline constexpr pg::Statement kHeaders{"headers", R"(
    declare page no scroll cursor for
    select id, seq, local_id, datestamp, deleted, set_ids
    from oai.item where seq > $1::bigint and seq <= $2::bigint order by seq limit $3::int)", true};

inline constexpr pg::Statement kRecords{"records", R"(
    declare page no scroll cursor for
    select * from oai.record where seq > $1::bigint and seq <= $2::bigint order by seq limit $3::int)", true};

// A number that no item has any more gives a row of nulls beside its position, so that the reader knows how far it
// came. `offset 0` keeps the join what it is: one index probe for each number, in the order of the numbers.
inline constexpr pg::Statement kSetHeaders{"set_headers", R"(
    declare page no scroll cursor for
    select s.position, r.*
    from oai.set_page($1::int, $2::bigint, $3::bigint, $4::int) s(position)
    left join lateral (select id, seq, local_id, datestamp, deleted, set_ids
                       from oai.item where seq = s.position offset 0) r on true
    limit $4::int)", true};

inline constexpr pg::Statement kSetRecords{"set_records", R"(
    declare page no scroll cursor for
    select s.position, r.*
    from oai.set_page($1::int, $2::bigint, $3::bigint, $4::int) s(position)
    left join lateral (select * from oai.record where seq = s.position offset 0) r on true
    limit $4::int)", true};

// $1 local_id. One row: the horizon, and beside it the item, or nulls where none is published under this name.
inline constexpr pg::Statement kGetHeader{"get_header", R"(
    select p.h, p.last_seq, p.epoch, p.earliest, r.*
    from oai.position(null, null, null, null, null, null) p
    left join lateral (select id, seq, local_id, datestamp, deleted, set_ids from oai.item
                       where id = oai.find_item($1::text) and seq <= p.last_seq offset 0) r on true)", true};

inline constexpr pg::Statement kGetRecord{"get_record", R"(
    select p.h, p.last_seq, p.epoch, p.earliest, r.*
    from oai.position(null, null, null, null, null, null) p
    left join lateral (select * from oai.record
                       where id = oai.find_item($1::text) and seq <= p.last_seq offset 0) r on true)", true};

// $1 id of the last set before, $2 rows. At least one row, of nulls where there is no further set: the horizon is beside
// each.
inline constexpr pg::Statement kSets{"sets", R"(
    select p.h, p.last_seq, p.epoch, p.earliest, s.*
    from oai.position(null, null, null, null, null, null) p
    left join lateral (select id, spec, name, description from oai.set
                       where id > $1::int order by id limit $2::int) s on true)", true};

// $1 ids.
inline constexpr pg::Statement kSetSpecs{"set_specs", "select id, spec from oai.set where id = any ($1::int[])", true};

// $1 ids. A model without columns of the dictionary need not have the view.
inline constexpr pg::Statement kNames{"names", "select id, kind, name from oai.dictionary where id = any ($1::int[])", true};

// How many changes wait to be published: up to 1,000 of them by counting, more by the numbers at the queue's ends, which
// is no less. Of bounded cost: the first thousand entries, and the last one.
inline constexpr pg::Statement kQueued{"queued", R"(
    select case when q.n < 1000 then q.n
                else greatest(q.n, (select n from oai.queue order by n desc limit 1) - q.first + 1) end
    from (select count(*) as n, min(x.n) as first from (select n from oai.queue order by n limit 1000) x) q)", true};

inline constexpr pg::Statement kExclusionsVersion{"exclusions_version", "select version from oai.exclusions", true};

// Those of versions that are still published.
inline constexpr pg::Statement kExclusions{"exclusions", R"(
    select e.prefix, e.seq from oai.excluded e
    cross join lateral (select from oai.item i where i.id = e.id and i.seq = e.seq offset 0) i)"};

}  // namespace oai::queries
