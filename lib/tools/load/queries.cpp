// SPDX-License-Identifier: MIT
#include "tools/load/queries.h"

namespace oai::load::queries {

const pg::Statement kModel{"load_model", "select to_regclass('webarchiv.doc') is not null"};

// Statements of a slice are too short for JIT to pay off. (enable_seqscan and the like stay on: the
// cost of 1e10 that "off" adds to the staging table's only path hides all other costs from the
// planner.)
const pg::Statement kSession{"load_session", R"(
    select set_config('jit', 'off', false), set_config('work_mem', '64MB', false))"};

const pg::Statement kStaging{"load_staging", "select webarchiv.make_staging()"};

const pg::Statement kBegin{"load_begin", "begin"};
const pg::Statement kCommit{"load_commit", "commit"};

// One lock for all loaders. Slices that are left to the publisher are written one after the other,
// so that they can neither deadlock nor insert the same capture twice. Those that publish
// themselves find out by the numbers what others have published meanwhile.
const pg::Statement kOneLoader{"load_one_loader",
                               "select pg_advisory_xact_lock(hashtextextended('oai load', 0))"};

const pg::Statement kLoaders{
    "load_loaders", "select pg_advisory_xact_lock_shared(hashtextextended('oai load', 0))"};

const pg::Statement kBegun{"load_begun",
                           "select h is not null or filling is not null from oai.horizon"};

const NameTable kArcs{
    {"load_arcs", "select file, id from webarchiv.arc where file = any ($1::text[])"},
    {"load_add_arcs", R"(
        insert into webarchiv.arc (file) select f from unnest($1::text[]) f order by f on conflict (file) do nothing)"}};
const NameTable kDomains{
    {"load_domains", "select name, id from webarchiv.domain where name = any ($1::text[])"},
    {"load_add_domains", R"(
        insert into webarchiv.domain (name) select n from unnest($1::text[]) n order by n
        on conflict (name) do nothing)"}};
const NameTable kMimetypes{
    {"load_mimetypes", "select name, id from webarchiv.mimetype where name = any ($1::text[])"},
    {"load_add_mimetypes", R"(
        insert into webarchiv.mimetype (name) select n from unnest($1::text[]) n order by n
        on conflict (name) do nothing)"}};
const NameTable kCollections{
    {"load_collections", "select name, id from webarchiv.collection where name = any ($1::text[])"},
    {"load_add_collections", R"(
        insert into webarchiv.collection (name) select n from unnest($1::text[]) n order by n
        on conflict (name) do nothing)"}};

const pg::Statement kCopy{"load_copy", R"(
    copy load_capture (url, surt, archived_time, status, digest, length, doc_offset, id_arc, id_domain, id_mimetype,
                       title, language, description)
    from stdin)"};

const pg::Statement kAnalyze{"load_analyze", "select webarchiv.analyze_staged()"};

// The same capture has the same SURT, time and digest; where one side has no digest, the same place
// in the archive instead of it.
const pg::Statement kMatch{"load_match", R"(
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

// Fills in only what is missing, so that the result does not depend on the order in which an index
// and its archive are loaded, nor on how often. File, offset and length belong together. A doc
// without a digest stays without a place if it has none, since that is part of its identity.
const pg::Statement kFill{"load_fill", R"(
    with better as (
        select distinct on (o.id) o.id,
               coalesce(o.id_arc, case when p.fits then s.id_arc end) as id_arc,
               coalesce(o.doc_offset, case when p.fits then s.doc_offset end) as doc_offset,
               coalesce(o.length, case when p.fits then s.length end) as length,
               coalesce(o.id_domain, s.id_domain) as id_domain,
               coalesce(o.id_mimetype, s.id_mimetype) as id_mimetype,
               coalesce(o.status, s.status) as status,
               coalesce(o.digest, s.digest) as digest,
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
            title = b.title, language = b.language, description = b.description
        from better b
        where d.id = b.id
          and (d.id_arc, d.doc_offset, d.length, d.id_domain, d.id_mimetype, d.status, d.digest, d.title, d.language,
               d.description)
              is distinct from
              (b.id_arc, b.doc_offset, b.length, b.id_domain, b.id_mimetype, b.status, b.digest, b.title, b.language,
               b.description)
        returning d.id)
    update load_capture s set changed = true where s.id in (select id from filled))"};

const pg::Statement kInsert{"load_insert", R"(
    insert into webarchiv.doc (id, datestamp, archived_time, doc_offset, length, id_arc, id_domain, id_mimetype, status,
                               url, surt, digest, title, language, description)
    select id, case when $1::boolean then archived_time end, archived_time, doc_offset, length, id_arc, id_domain,
           id_mimetype, status, url, surt, digest, title, language, description
    from load_capture where fresh order by surt, archived_time, digest
    on conflict do nothing)"};

// By the indexes for whose sake kInsert has left rows out.
const pg::Statement kRematch{"load_rematch", R"(
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

const pg::Statement kFile{"load_file",
                          "select webarchiv.file_staged($1::integer[], not $2::boolean)"};

const pg::Statement kCount{"load_count", R"(
    select count(*) filter (where fresh), count(distinct id) filter (where changed and not fresh) from load_capture)"};

const pg::Statement kPrepare{"load_prepare", "select webarchiv.prepare_slice($1::integer[])"};
const pg::Statement kPublish{"load_publish",
                             "select turn, milliseconds from webarchiv.publish_slice()", true};

}  // namespace oai::load::queries
