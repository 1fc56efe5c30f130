// SPDX-License-Identifier: MIT
// Every SQL statement of the first fill of model webarchiv (schema/109-webarchiv-fill.sql), named,
// once.
#pragma once

#include "pg/connection.h"

namespace oai::load::queries {

inline constexpr pg::Statement kFillTry{
    "fill_try", "select pg_try_advisory_lock(hashtextextended('oai load fill', 0))"};
inline constexpr pg::Statement kFillWait{
    "fill_wait", "select pg_advisory_lock(hashtextextended('oai load fill', 0))"};
inline constexpr pg::Statement kFillLeave{
    "fill_leave", "select pg_advisory_unlock(hashtextextended('oai load fill', 0))"};
// -> is the repository empty? files and captures that were read before; were some lost?
// $1: captured datestamps?
inline constexpr pg::Statement kFillBegin{"fill_begin",
                                          "select * from webarchiv.begin_fill($1::boolean)"};

// $1 path, $2 bytes -> the captures of that file, if it was read before.
inline constexpr pg::Statement kFillKnown{
    "fill_known",
    "select captures from webarchiv.fill_file where path = $1::text and bytes = $2::bigint"};
inline constexpr pg::Statement kFillCopy{
    "fill_copy", "copy webarchiv.fill_block (bucket, captures, rows) from stdin"};
// $1 path, $2 bytes, $3 captures, $4 captured datestamps?
inline constexpr pg::Statement kFillFile{
    "fill_file",
    "insert into webarchiv.fill_file values ($1::text, $2::bigint, $3::bigint, $4::boolean) on "
    "conflict (path) do update set bytes = excluded.bytes"};

// -> the buckets in their order, the captures of each, and their bytes.
inline constexpr pg::Statement kFillBuckets{"fill_buckets",
                                            "select bucket, sum(captures)::bigint, "
                                            "sum(octet_length(rows))::bigint from "
                                            "webarchiv.fill_block group by bucket order by bucket"};
// $1 bucket, $2 the last block that was read of it -> blocks that follow, in the order of reading.
inline constexpr pg::Statement kFillBlocks{
    "fill_blocks",
    "select n, rows from webarchiv.fill_block where bucket = $1::integer and n > $2::bigint "
    "order by n limit 256",
    true};

// -> id, path, of all sets.
inline constexpr pg::Statement kFillSets{"fill_sets", "select id, path from oai.set"};
// $1: captured datestamps? -> the datestamp of the fill, as seconds; first id
inline constexpr pg::Statement kFillOpen{
    "fill_open",
    "select extract(epoch from t)::bigint, first_id from webarchiv.begin_writing($1::boolean)"};
inline constexpr pg::Statement kFillDocs{"fill_docs", R"(
    copy webarchiv.doc (id, seq, datestamp, archived_time, status, digest, length, doc_offset, id_arc, id_domain, id_mimetype, url,
                        surt, title, language, description, set_ids)
    from stdin with (freeze))"};
inline constexpr pg::Statement kFillChunks{
    "fill_chunks", "copy oai.set_chunk (set_id, first_seq, seqs) from stdin with (freeze)"};
inline constexpr pg::Statement kFillCalendar{"fill_calendar",
                                             "copy oai.calendar (datestamp, before) from stdin"};
// $1: make one? -> the name of the next one, or null.
inline constexpr pg::Statement kFillIndex{"fill_index", "select webarchiv.make_index($1::boolean)"};
inline constexpr pg::Statement kFillBackend{"fill_backend", "select pg_backend_pid()::bigint"};
// $1: the backend that makes an index -> at which phase it is, how much of that is done, of how
// much: tuples, or else blocks. No row while it counts neither.
inline constexpr pg::Statement kFillIndexProgress{"fill_index_progress", R"(
    select regexp_replace(phase, '^building index: ', ''), case when tuples_total > 0 then tuples_done else blocks_done end,
           case when tuples_total > 0 then tuples_total else blocks_total end
    from pg_stat_progress_create_index where pid = $1::bigint and (tuples_total > 0 or blocks_total > 0))"};
// $1 records, $2 first id, $3 datestamp in seconds, $4 captured?, $5 sets, $6 their sizes.
inline constexpr pg::Statement kFillEnd{"fill_end", R"(
    select webarchiv.end_fill($1::bigint, $2::bigint, to_timestamp($3::bigint), $4::boolean, $5::integer[], $6::bigint[]))"};

}  // namespace oai::load::queries
