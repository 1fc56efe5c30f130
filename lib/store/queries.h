// SPDX-License-Identifier: MIT
// Every statement of the server, each once and with a name, except those that read records, which
// record_batch.h makes for their columns. They read the schema oai alone (schema/core/roles.sql)
// and have a bounded cost: each walks an index from a number, or finds one row. `true`: each
// connection prepares the statement once, since it is used often.
#pragma once

#include "pg/connection.h"

namespace oai::queries {

// The horizon alone, with the first datestamp ever assigned.
inline constexpr pg::Statement kHorizon{"horizon", R"(
    select n.h, n.last_seq, n.epoch,
           coalesce((select c.datestamp from calendar c order by c.datestamp limit 1), n.h)
    from (select h, last_seq, epoch from horizon order by h desc nulls last limit 1) n)",
                                        true};

// $1 from, $2 until (seconds since 1970), $3 setSpec, $4 after, $5 upto, $6 count limit, $7 the
// number and $8 the second up to which the list was shown, $9 the columns that the format requires;
// each may be null.
inline constexpr pg::Statement kPosition{"position", R"(
    select h, last_seq, epoch, set_id, set_exists, after_seq, upto_seq, upto_fixed, size, lost, required_id
    from list_position(to_timestamp($1::bigint), to_timestamp($2::bigint), $3::text, $4::bigint, $5::bigint, $6::int,
                      $7::bigint, to_timestamp($8::bigint), $9::text[]))",
                                         true};

// For a page after the first: the horizon, whether numbers that the list has shown are lost, and by
// which sets it is read. It is sent together with the statement for the rows; a function would cost
// more than the rest of the page. $1 the number and $2 the second up to which the list was shown,
// $3 setSpec, $4 the columns that the format requires, sorted; each may be null.
inline constexpr pg::Statement kResume{"resume", R"(
    select n.h, n.last_seq, n.epoch,
           coalesce(n.h >= to_timestamp($2::bigint) and n.last_seq < $1::bigint, false)
           or exists (select from fork f where $1::bigint > f.seq and to_timestamp($2::bigint) < f.datestamp)
           or coalesce((select i.datestamp from item i where i.seq <= $1::bigint order by i.seq desc limit 1)
                       > to_timestamp($2::bigint), false)
           or coalesce((select c.before from calendar c where c.datestamp > to_timestamp($2::bigint)
                        order by c.datestamp limit 1) < $1::bigint, false),
           (select s.id from set s where s.spec = $3::text),
           (select case when q.examined is null and not q.is_universal then q.set_id end
            from rule q where q.name = ($4::text[])::text)
    from (select h, last_seq, epoch from horizon order by h desc nulls last limit 1) n)",
                                       true};

// Returns no row, only the columns of records.
inline constexpr pg::Statement kRecordSchema{"record_schema", "select * from record limit 0", true};

// $1 id after which to begin, $2 rows, $3 and $4 as $7 and $8 of kPosition. Each row has the
// horizon; if there is no further set, one row with nulls in the set's columns.
inline constexpr pg::Statement kSets{"sets", R"(
    select p.h, p.last_seq, p.epoch, p.lost, s.*
    from list_position(null, null, null, null, null, null, $3::bigint, to_timestamp($4::bigint)) p
    left join lateral (select id, spec, name, description from set
                       where id > $1::int order by id limit $2::int) s on true)",
                                     true};

// $1 ids.
inline constexpr pg::Statement kSetSpecs{
    "set_specs", "select id, spec from set where id = any ($1::int[])", true};

// $1 ids. A model that has no column of such numbers need not have the view.
inline constexpr pg::Statement kNames{
    "names", "select id, kind, name from dictionary where id = any ($1::int[])", true};

// The number of changes that wait to be published, who holds a lock that they wait for, the
// problems of sets by a rule, the number of items that are missing in their sources but still kept,
// and the problems of these sources. The cost is bounded, since at most the first thousand entries
// of each of a hundred batches are counted (schema/core/queue.sql).
inline constexpr pg::Statement kQueueState{"queue_state", R"(
    select changes, blocked_seconds, blocked_by,
           (select string_agg(p.problem, chr(10) order by p.problem)
            from (select problem from rule_problem
                  union all select name || '.set: ' || problem from rule where problem is not null) p),
           coalesce(held, 0), source_problems
    from oai.queue_state())",
                                           true};

// The statements of pages for people (browse_queries.h).

// The number of records.
inline constexpr pg::Statement kTotal{
    "total", "select size from list_position(null, null, null, null, null, 0)", true};

// $1 setSpec: its ancestors from the root, and itself.
inline constexpr pg::Statement kSetPath{"set_path", R"(
    select a.id, a.spec, a.name, a.item_count, a.description
    from (select path from set where spec = $1::text) s, unnest(s.path) p(id),
         lateral (select * from set where id = p.id offset 0) a)",
                                        true};

// $1 spec after which to begin, $2 rows, $3 parent.
inline constexpr pg::Statement kRootSets{"root_sets", R"(
    select s.id, s.spec, s.name, s.item_count, null, exists (select from set c where c.parent = s.id)
    from set s where s.parent is null and s.spec > $1::text order by s.parent, s.spec limit $2::int)"};

inline constexpr pg::Statement kChildSets{"child_sets", R"(
    select s.id, s.spec, s.name, s.item_count, null, exists (select from set c where c.parent = s.id)
    from set s where s.parent = $3::int and s.spec > $1::text order by s.spec limit $2::int)"};

// The same, with the prefix of the specs in $3. DEL sorts after every character of a setSpec.
inline constexpr pg::Statement kSetsByPrefix{"sets_by_prefix", R"(
    select s.id, s.spec, s.name, s.item_count, null, exists (select from set c where c.parent = s.id)
    from set s where s.spec > $1::text and s.spec >= $3::text and s.spec < $3::text || chr(127)
    order by s.spec limit $2::int)"};

// $1 ids: for each of these sets, its ancestors from the root, and itself.
inline constexpr pg::Statement kSetPaths{"set_paths", R"(
    select s.id, a.id, a.spec, a.name, a.item_count
    from unnest($1::int[]) g(id), lateral (select * from set where id = g.id offset 0) s, unnest(s.path) p(id),
         lateral (select * from set where id = p.id offset 0) a)",
                                         true};

// $1 a number, $2 rows: the number before the $2 items that end with $1; no row if there are fewer.
inline constexpr pg::Statement kPageBefore{
    "page_before",
    "select seq from item where seq <= $1::bigint order by seq desc offset $2::int limit 1", true};

// $1 width of a part: for each part with records, the number before it and its latest datestamp.
inline constexpr pg::Statement kParts{"parts", R"(
    select g.part * $1::bigint, i.datestamp
    from list_position(null, null, null, null, null, null) p, generate_series(0, (p.last_seq - 1) / $1::bigint) g(part),
         lateral (select datestamp from item where seq > g.part * $1::bigint and seq <= (g.part + 1) * $1::bigint
                                                       and seq <= p.last_seq
                  order by seq desc limit 1) i)"};

// $1 after, $2 upto: for these items, the leaf sets that they entered after their first
// publication, and the sets that they left, with ancestors.
inline constexpr pg::Statement kSetMoves{"set_moves", R"(
    select distinct i.seq, a.spec, case when m.entered then 'Add' else 'Remove' end
    from (select id, seq, set_ids from item where seq > $1::bigint and seq <= $2::bigint offset 0) i,
         lateral (select set_id, entered from set_move where id = i.id offset 0) m,
         lateral (select path from set where id = m.set_id offset 0) s, unnest(s.path) p(id),
         lateral (select spec from set where id = p.id offset 0) a
    where case when m.entered then p.id = m.set_id
          else not exists (select from set c where c.id = any (i.set_ids) and p.id = any (c.path)) end)",
                                         true};

// The statements of the search (schema/models/search.sql). Each runs in a transaction of its own
// between kSearchBegin with kSearchLimit and kSearchEnd.

inline constexpr pg::Statement kSearchBegin{"search_begin", "begin read only", true};
inline constexpr pg::Statement kSearchLimit{"search_limit", "set local statement_timeout = 300",
                                            true};
inline constexpr pg::Statement kSearchEnd{"search_end", "commit", true};

// Whether the model offers a search by words, and one by URL.
inline constexpr pg::Statement kSearchOffers{"search_offers", R"(
    select to_regproc('search') is not null, to_regproc('captures') is not null)"};

// $1 words, $2 filters, $3 after, $4 rows, $5 newest only.
inline constexpr pg::Statement kSearchWords{"search_words", R"(
    select part, value, label, number, title, creator, date, address
    from search($1::text, $2::text[], $3::text, $4::int, $5::boolean))",
                                            true};

// From $1 key and $2 moment up to $3 key and $4 moment, after the capture with the id $5 at that
// moment, or null; $6 whether backwards, $7 how many captures to read at most.
inline constexpr pg::Statement kCaptures{"captures", R"(
    select urlkey, moment, id, local_id, captured_at, url, media_type, status, digest, length, file, file_offset, request, revisit, shown
    from captures($1::text, $2::bigint, $3::text, $4::bigint, $5::bigint, $6::boolean, $7::int))",
                                         true};

// $1 first key, $2 key before which the range ends, $3 captures to skip, $4 captures to count.
inline constexpr pg::Statement kCapturePosition{"capture_position", R"(
    select captures, urlkey, moment from capture_position($1::text, $2::text, $3::bigint, $4::bigint))",
                                                true};

// $1 key, $2 how many captures to read at most.
inline constexpr pg::Statement kCaptureDays{"capture_days", R"(
    select extract(year from day)::int, extract(month from day)::int, extract(day from day)::int, captures, scanned
    from capture_days($1::text, $2::int))",
                                            true};

// $1 first key, $2 key before which the range ends, $3 key after which to begin, $4 rows, $5
// captures to count of each.
inline constexpr pg::Statement kCapturedUrls{"captured_urls", R"(
    select urlkey, url, latest, captures, scanned
    from captured_urls($1::text, $2::text, $3::text, $4::int, $5::int))",
                                             true};

}  // namespace oai::queries
