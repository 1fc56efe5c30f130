// SPDX-License-Identifier: MIT
// Every SQL statement of the loader of captures and of its first fill, named, once, and those that
// all loaders share. All but the first three, and those of the fill, run within the transaction of
// a slice.
#pragma once

#include "pg/connection.h"

namespace oai::load::queries {

// -> one row: is the model webarchiv there?
inline constexpr pg::Statement kModel{"load_model",
                                      "select to_regclass('webarchiv.doc') is not null"};
// Settings of the connection; shared.
// Statements of a slice are too short for JIT to pay off. (enable_seqscan and the like stay on: the
// cost of 1e10 that "off" adds to the staging table's only path hides all other costs from the
// planner.)
inline constexpr pg::Statement kSession{"load_session", R"(
    select set_config('jit', 'off', false), set_config('work_mem', '64MB', false))"};
// Makes the temporary table load_capture, emptied by a commit.
inline constexpr pg::Statement kStaging{"load_staging", "select webarchiv.make_staging()"};

// Shared.
inline constexpr pg::Statement kBegin{"load_begin", "begin"};
inline constexpr pg::Statement kCommit{"load_commit", "commit"};
// Shared; waits until no other loader is within a slice.
// One lock for all loaders. Slices that are left to the publisher are written one after the other,
// so that they can neither deadlock nor insert the same capture twice. Those that publish
// themselves find out by the numbers what others have published meanwhile.
inline constexpr pg::Statement kOneLoader{
    "load_one_loader", "select pg_advisory_xact_lock(hashtextextended('oai load', 0))"};
// Waits until no loader is within a slice of kOneLoader.
inline constexpr pg::Statement kLoaders{
    "load_loaders", "select pg_advisory_xact_lock_shared(hashtextextended('oai load', 0))"};
// -> one row: has the first numbering begun?
inline constexpr pg::Statement kBegun{
    "load_begun", "select h is not null or filling is not null from oai.horizon"};

// $1: text[] of names. find -> name, id; add inserts those that are missing, with their ancestors.
struct NameTable {
    pg::Statement find, add;
};
inline constexpr NameTable kArcs{
    {"load_arcs", "select file, id from webarchiv.arc where file = any ($1::text[])"},
    {"load_add_arcs", R"(
        insert into webarchiv.arc (file) select f from unnest($1::text[]) f order by f on conflict (file) do nothing)"}};
inline constexpr NameTable kDomains{
    {"load_domains", "select name, id from webarchiv.domain where name = any ($1::text[])"},
    {"load_add_domains", R"(
        insert into webarchiv.domain (name) select n from unnest($1::text[]) n order by n
        on conflict (name) do nothing)"}};
inline constexpr NameTable kMimetypes{
    {"load_mimetypes", "select name, id from webarchiv.mimetype where name = any ($1::text[])"},
    {"load_add_mimetypes", R"(
        insert into webarchiv.mimetype (name) select n from unnest($1::text[]) n order by n
        on conflict (name) do nothing)"}};
inline constexpr NameTable kCollections{
    {"load_collections", "select name, id from webarchiv.collection where name = any ($1::text[])"},
    {"load_add_collections", R"(
        insert into webarchiv.collection (name) select n from unnest($1::text[]) n order by n
        on conflict (name) do nothing)"}};

inline constexpr pg::Statement kCopy{"load_copy", R"(
    copy load_capture (url, surt, archived_time, status, digest, length, doc_offset, id_arc, id_domain, id_mimetype,
                       request, revisit, title, language, description)
    from stdin)"};
// So that plans know how much was staged.
inline constexpr pg::Statement kAnalyze{"load_analyze", "select webarchiv.analyze_staged()"};
// Sets load_capture.id to the doc that is the same capture; affected(): how many there are.
// The same capture has the same SURT, time and digest; where one side has no digest, the same place
// in the archive instead of it.
inline constexpr pg::Statement kMatch{"load_match", R"(
    update load_capture s set id = m.id, fresh = false
    from (select c.id as own, d.id
          from load_capture c
          cross join lateral (
              select d.id from webarchiv.doc d
              where d.surt = c.surt and d.archived_time = c.archived_time
                and (d.digest = c.digest
                     or ((d.digest is null or c.digest is null)
                         and d.id_arc is not distinct from c.id_arc
                         and d.doc_offset is not distinct from c.doc_offset))
              order by d.digest is null, d.id limit 1) d) m
    where s.id = m.own)"};
// Fills in what such docs lack.
// Fills in only what is missing, so that the result does not depend on the order in which an index
// and its archive are loaded, nor on how often. File, offset and length belong together. A doc
// without a digest stays without a place if it has none, since that is part of its identity.
inline constexpr pg::Statement kFill{"load_fill", R"(
    with better as (
        select distinct on (o.id) o.id,
               coalesce(o.id_arc, case when p.fits then s.id_arc end) as id_arc,
               coalesce(o.doc_offset, case when p.fits then s.doc_offset end) as doc_offset,
               coalesce(o.length, case when p.fits then s.length end) as length,
               coalesce(o.id_domain, s.id_domain) as id_domain,
               coalesce(o.id_mimetype, s.id_mimetype) as id_mimetype,
               coalesce(o.status, s.status) as status,
               coalesce(o.digest, s.digest) as digest,
               coalesce(o.request, s.request) as request, o.revisit or s.revisit as revisit,
               coalesce(o.title, s.title) as title,
               coalesce(o.language, s.language) as language,
               coalesce(o.description, s.description) as description
        from load_capture s
        cross join lateral (select * from webarchiv.doc d where d.id = s.id and not d.deleted offset 0) o
        cross join lateral (
            select (o.id_arc is null or o.id_arc = s.id_arc)
                   and (o.doc_offset is null or o.doc_offset = s.doc_offset)
                   and coalesce(o.digest, s.digest) is not null as fits) p
        where not s.fresh),
    filled as (
        update webarchiv.doc d
        set id_arc = b.id_arc, doc_offset = b.doc_offset, length = b.length, id_domain = b.id_domain,
            id_mimetype = b.id_mimetype, status = b.status, digest = b.digest,
            request = b.request, revisit = b.revisit, title = b.title, language = b.language,
            description = b.description
        from better b
        where d.id = b.id
          and (d.id_arc, d.doc_offset, d.length, d.id_domain, d.id_mimetype, d.status, d.digest, d.request,
               d.revisit, d.title, d.language, d.description)
              is distinct from
              (b.id_arc, b.doc_offset, b.length, b.id_domain, b.id_mimetype, b.status, b.digest, b.request,
               b.revisit, b.title, b.language, b.description)
        returning d.id)
    update load_capture s set changed = true where s.id in (select id from filled))"};
// $1: does the capture's time become the datestamp? affected(): rows.
inline constexpr pg::Statement kInsert{"load_insert", R"(
    insert into webarchiv.doc (id, datestamp, archived_time, doc_offset, length, id_arc, id_domain, id_mimetype, status,
                               url, surt, digest, request, revisit, title, language, description)
    select id, case when $1::boolean then archived_time end, archived_time, doc_offset, length, id_arc, id_domain,
           id_mimetype, status, url, surt, digest, request, revisit, title, language, description
    from load_capture where fresh order by surt, archived_time, digest
    on conflict do nothing)"};
// Matches rows again that other programs have inserted. -> one row: how many have the id of another
// capture, and were not inserted for that reason.
// By the indexes for whose sake kInsert has left rows out.
inline constexpr pg::Statement kRematch{"load_rematch", R"(
    with rematched as (
        update load_capture s set fresh = false,
            id = coalesce((select d.id from webarchiv.doc d
                           where d.surt = s.surt and d.archived_time = s.archived_time
                             and right(d.digest, 7) = right(s.digest, 7)),
                          (select d.id from webarchiv.doc d
                           where d.digest is null and s.digest is null and d.id_arc = s.id_arc
                             and d.doc_offset = s.doc_offset))
        where fresh and not exists (select from webarchiv.doc d
                                    where d.id = s.id and d.surt = s.surt and d.archived_time = s.archived_time
                                      and d.digest is not distinct from s.digest)
        returning s.id)
    select count(*) filter (where id is null) from rematched)"};
// For the administrator: ids then go on behind those that there are.
inline constexpr char kSetSequence[] =
    "select setval('webarchiv.doc_id_seq', (select max(id) from webarchiv.doc))";
// $1: int[] of collections, to file the docs in; $2: only those that are not new?
inline constexpr pg::Statement kFile{
    "load_file", "select webarchiv.file_staged($1::integer[], not $2::boolean)"};
// -> one row: inserted, updated
inline constexpr pg::Statement kCount{"load_count", R"(
    select count(*) filter (where fresh), count(distinct id) filter (where changed and not fresh) from load_capture)"};

// schema/webarchiv/loading.sql. $1: int[] of collections.
// -> one row: how many docs are new
inline constexpr pg::Statement kPrepare{"load_prepare",
                                        "select webarchiv.prepare_slice($1::integer[])"};
// -> one row: turn, null once published; milliseconds
inline constexpr pg::Statement kPublish{
    "load_publish", "select turn, milliseconds from webarchiv.publish_slice()", true};

// The first fill of model webarchiv (schema/webarchiv/fill.sql).

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
                        surt, request, revisit, title, language, description, set_ids)
    from stdin with (freeze))"};
inline constexpr pg::Statement kFillChunks{
    "fill_chunks", "copy oai.set_chunk (set_id, first_seq, seqs) from stdin with (freeze)"};
inline constexpr pg::Statement kFillCalendar{"fill_calendar",
                                             "copy oai.calendar (datestamp, before) from stdin"};
// $1: make one? -> the name of the next one, or null.
inline constexpr pg::Statement kFillIndex{"fill_index", "select webarchiv.make_index($1::boolean)"};
// $1 records, $2 first id, $3 datestamp in seconds, $4 captured?, $5 sets, $6 their sizes.
inline constexpr pg::Statement kFillEnd{"fill_end", R"(
    select webarchiv.end_fill($1::bigint, $2::bigint, to_timestamp($3::bigint), $4::boolean, $5::integer[], $6::bigint[]))"};

}  // namespace oai::load::queries
