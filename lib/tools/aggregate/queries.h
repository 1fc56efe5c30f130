// SPDX-License-Identifier: MIT
// Every statement of the aggregator (schema/harvest/tables.sql), named, once. Those of a batch
// run in its transaction, behind load::queries::kOneLoader.
#pragma once

#include "pg/connection.h"

namespace oai::aggregate::queries {

// Harvested repositories.
// settings of the connection
inline constexpr pg::Statement kSession{"harvest_session",
                                        "select set_config('synchronous_commit', 'off', false)"};
// -> one row: are the model's tables for it there?
inline constexpr pg::Statement kModel{"harvest_is_there",
                                      "select to_regclass('harvest.repository') is not null"};
// $1 names, null: all -> Source's columns, in order
inline constexpr pg::Statement kSources{"harvest_sources", R"(
    select id, name, base_url, formats, sets, identifiers = 'theirs', normalise, overlap_seconds, every_seconds,
           delete_missing, coalesce(full_every_seconds, 0), coalesce(began_at + every_seconds * d.slack <= now(), true),
           coalesce(full_at + full_every_seconds * d.slack <= now(), full_every_seconds is not null), label
    from harvest.repository, (select interval '1 second' * 5 / 6 as slack) d
    where $1::text[] is null or name = any ($1::text[])
    order by name)"};
// $1 name ... (see the text) -> id
inline constexpr pg::Statement kAddSource{"harvest_add", R"(
    insert into harvest.repository
        (name, label, base_url, formats, sets, identifiers, normalise, overlap_seconds, every_seconds, delete_missing,
         full_every_seconds)
    values ($1::text, $1::text, $2::text, $3::text[], $4::text[], case when $5::boolean then 'theirs' else 'ours' end, $6::text[],
            $7::int, $8::int, $9::boolean, nullif($10::int, 0))
    on conflict do nothing
    returning id)"};
// $1 label -> whether live items that no repository is known for are filed there
inline constexpr pg::Statement kOwnCollection{"harvest_own_collection", R"(
    select exists (select from library.collection c join library.item_collection m on m.id_collection = c.id
                   join library.item i on i.id = m.id_item
                   where (c.name = $1::text or c.name like $1::text || ':%') and not i.deleted
                         and not exists (select from harvest.record r where r.id_item = i.id)))"};
// $1 repository -> prefix, identifier, reason, tries of some, and how many could not be taken
inline constexpr pg::Statement kSomeRefused{"harvest_some_refused", R"(
    select prefix, identifier, reason, tries, count(*) filter (where tries > 0) over ()
    from harvest.refused where id_repository = $1::int order by tries = 0, since, identifier limit 10)"};
// $1 repository, $2 ... (see the text)
inline constexpr pg::Statement kChangeSource{"harvest_change", R"(
    update harvest.repository
    set base_url = $2::text, sets = $3::text[], overlap_seconds = $4::int, every_seconds = $5::int,
        delete_missing = $6::boolean, full_every_seconds = nullif($7::int, 0), name = $8::text
    where id = $1::int)"};
// $1 prefix -> column
inline constexpr pg::Statement kKeepFormat{"harvest_keep_format",
                                           "select harvest.keep_format($1::text)"};
// $1 name, null: all -> see sources.cpp
inline constexpr pg::Statement kStatus{"harvest_status", R"(
    select r.name, r.base_url, coalesce(r.title, ''), coalesce(r.outcome, 'never harvested'), coalesce(r.problem, ''),
           to_char(r.ran_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), coalesce(r.deleted_record, ''),
           coalesce(r.granularity, ''), coalesce(array_to_string(r.admin_emails, ' '), ''), h.state,
           to_char(h.since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
           to_char(r.succeeded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), coalesce(r.set_back, ''),
           coalesce(r.faults, ''), r.id, n.items, n.deleted,
           (select count(*) from harvest.record d where d.id_repository = r.id and d.departing_since is not null),
           coalesce(h.lost_sets, '{}'), r.full_every_seconds is not null
    from harvest.repository r join harvest.health h on h.id = r.id,
         lateral (select count(*) filter (where not i.deleted) as items, count(*) filter (where i.deleted) as deleted
                  from library.item i
                  where i.id in (select id_item from harvest.record where id_repository = r.id)) n
    where $1::text is null or r.name = $1::text
    order by r.name)"};
// $1 repository -> how far each list is, in words
inline constexpr pg::Statement kLists{"harvest_lists", R"(
    select concat(prefix, ' set=' || nullif(set_spec, ''), ': ', case when walking then 'stopped after ' end, records,
                  case when walking then ' of ' || list_size end, ' records', case when not walking then ' in the last harvest' end,
                  ', ' || nullif(pages_missing, 0) || ' pages missing', ', ' || coalesce('complete up to ' || complete, 'never complete'))
    from harvest.list where id_repository = $1::int order by prefix, set_spec)"};
// $1 repository, $2 names of collections -> of such items, how many are in none of them; and all
inline constexpr pg::Statement kCountOutside{"harvest_count_outside", R"(
    select count(*) filter (where not exists (
               select from library.item_collection m join library.collection c on c.id = m.id_collection,
                    unnest($2::text[]) u(name)
               where m.id_item = i.id and (c.name = u.name or starts_with(c.name, u.name || ':')))), count(*)
    from library.item i
    where not i.deleted and i.id in (select id_item from harvest.record where id_repository = $1::int))"};
// $1 repository: marks its items as deleted; affected(): how many.
inline constexpr pg::Statement kDeleteRecords{"harvest_delete_records", R"(
    update library.item i set deleted = true
    where not i.deleted and i.id in (select id_item from harvest.record where id_repository = $1::int))"};
// $1 repository
inline constexpr pg::Statement kRemoveSource{"harvest_remove",
                                             "delete from harvest.repository where id = $1::int"};
// $1 repository, $2 outcome, $3 problem or null, $4 how many seconds it took, $5 was it refused?,
// $6 what came and was not asked for, or null, $7 was all of it harvested?, $8 and what is missing
// there deleted here?, $9 signs of a setback, or null, $10 how many records it changed here
inline constexpr pg::Statement kNoteRun{"harvest_ran", R"(
    update harvest.repository
    set ran_at = now(), began_at = now() - $4::bigint * interval '1 second', outcome = $2::text, problem = $3::text,
        succeeded_at = case when $2::text = 'complete' then now() else succeeded_at end,
        failing_since = case when $2::text in ('failed', 'incomplete') then coalesce(failing_since, now())
                             when $2::text <> 'complete' then failing_since end,
        refused = $5::boolean,
        faults = case when $2::text = 'complete' then $6::text else faults end,
        full_at = case when $2::text = 'complete' and $7::boolean then now() else full_at end,
        changed_at = case when $10::bigint > 0 then now() else changed_at end,
        usual_seconds = case when $10::bigint > 0
            then (3 * coalesce(usual_seconds, d.seconds) + d.seconds) / 4 else usual_seconds end,
        set_back = case when not $8::boolean then coalesce($9::text, set_back) end,
        set_back_since = case when not $8::boolean and coalesce($9::text, set_back) is not null
                              then coalesce(set_back_since, now()) end
    from (select extract(epoch from now() - changed_at)::bigint as seconds from harvest.repository where id = $1::int) d
    where id = $1::int)"};
// $1 repository: those that no record here is in
inline constexpr pg::Statement kForgetLostSets{"harvest_forget_lost_sets",
                                               "select harvest.forget_lost_sets($1::int)"};
// $1 repository, $2 prefix -> identifier, datestamp; or no row
inline constexpr pg::Statement kNewestRecord{"harvest_newest", R"(
    select newest_identifier, newest_datestamp from harvest.list
    where id_repository = $1::int and prefix = $2::text and newest_identifier <> ''
    order by newest_datestamp desc limit 1)"};
// What a walk brings.
// $1 repository, $2 ... Identify -> granularity before
inline constexpr pg::Statement kIdentity{"harvest_identity", R"(
    with before as (select granularity from harvest.repository where id = $1::int)
    update harvest.repository r
    set told_at = now(), title = $2::text, granularity = $3::text, deleted_record = $4::text, admin_emails = $5::text[]
    from before where r.id = $1::int
    returning coalesce(before.granularity, ''), now()::text)"};
// $1 repository, $2 specs, $3 names: all of its sets
inline constexpr pg::Statement kSets{"harvest_sets", R"(
    insert into harvest.set (id_repository, spec, name)
    select distinct on (u.spec) $1::int, u.spec, u.name from unnest($2::text[], $3::text[]) u(spec, name)
    on conflict (id_repository, spec) do update set name = excluded.name)"};
// $1 repository, $2 specs: all others are not there
inline constexpr pg::Statement kNoteLostSets{"harvest_note_lost_sets", R"(
    update harvest.set s set gone_since = case when s.spec = any ($2::text[]) then null else coalesce(s.gone_since, now()) end
    where s.id_repository = $1::int and (s.gone_since is null) <> (s.spec = any ($2::text[])))"};
// $1 repository, $2 prefix, $3 setSpec -> Position's columns and the walk; no row if the last walk
// has ended, or is better begun again.
// Many repositories' tokens count the records of a list, which has moved on after some hours: what
// changed in it meanwhile stands at its end now, and as many others would be left out. So a list of
// changes, which is short, then begins again; the whole list is gone on with.
inline constexpr pg::Statement kUnfinished{"harvest_unfinished", R"(
    select asked_from, asked_until, token, response_date, records, pages, list_size, pages_missing, walk,
           counts::text, newest_identifier, newest_datestamp
    from harvest.list where id_repository = $1::int and prefix = $2::text and set_spec = $3::text and walking
          and (asked_from = '' or moved_at > now() - interval '6 hours'))"};
// $1 repository, $2 prefix, $3 setSpec -> responseDate of the last complete harvest; or no row.
inline constexpr pg::Statement kLastComplete{"harvest_complete", R"(
    select complete from harvest.list
    where id_repository = $1::int and prefix = $2::text and set_spec = $3::text and complete is not null)"};
// $1 repository, $2 prefix, $3 setSpec -> the number of a new walk; how many harvests in a row
// ended with a list that moved
inline constexpr pg::Statement kNewWalk{"harvest_new_walk", R"(
    select nextval('harvest.walk'),
           coalesce((select (counts->>'unquiet')::bigint from harvest.list
                     where id_repository = $1::int and prefix = $2::text and set_spec = $3::text), 0))"};
// $1 repository, $2 prefix, $3 responseDate of Identify: departures from its sets are followed from
// the first of their ends on, or, if they were never harvested, from before any record is taken.
inline constexpr pg::Statement kBeginDepartures{"harvest_begin_departures", R"(
    insert into harvest.list as l (id_repository, prefix, set_spec, complete)
    select $1::int, $2::text, '', coalesce(min(complete), nullif($3::text, '')) from harvest.list
    where id_repository = $1::int and prefix = $2::text and set_spec <> ''
    on conflict (id_repository, prefix, set_spec) do update set complete = excluded.complete where l.complete is null)"};
// $1 repository, $2 prefix, $3 local_ids -> of live ones: identifier, datestamp, collections
inline constexpr pg::Statement kFiled{"harvest_filed", R"(
    select r.identifier, r.datestamp, array(select c.name from library.item_collection m join library.collection c on c.id = m.id_collection
                               where m.id_item = i.id)
    from library.item i join harvest.record r on r.id_item = i.id and r.id_repository = $1::int and r.prefix = $2::text
    where i.local_id = any ($3::text[]) and not r.deleted)"};
// $1 repository, $2 prefix, $3 walk, $4 limit -> identifiers that are live and were not met
inline constexpr pg::Statement kUnmet{"harvest_unmet", R"(
    select identifier from harvest.record
    where id_repository = $1::int and prefix = $2::text and walk < $3::bigint and not deleted limit $4::int)"};

// $1 prefix, $2 schema, $3 namespace: notes what a source says of a format, unless another
// namespace is known for it -> the namespace that is known
inline constexpr pg::Statement kFormat{"harvest_format", R"(
    insert into harvest.format as f (prefix, schema, name_space) values ($1::text, $2::text, $3::text)
    on conflict (prefix) do update
    set schema = case when f.name_space = excluded.name_space then excluded.schema else f.schema end
    returning name_space)"};

// Records that could not be taken, by name.
// $1 repository, $2 prefixes, $3 identifiers, $4 reasons ('': as before), $5 tries
inline constexpr pg::Statement kRefuse{"harvest_refuse", R"(
    insert into harvest.refused as f (id_repository, prefix, identifier, reason, tries)
    select distinct on (u.prefix, left(u.identifier, 600)) $1::int, u.prefix, left(u.identifier, 600), u.reason, u.tries
    from unnest($2::text[], $3::text[], $4::text[], $5::int[]) u(prefix, identifier, reason, tries)
    on conflict (id_repository, prefix, identifier) do update
    set reason = coalesce(nullif(excluded.reason, ''), f.reason), tries = f.tries + excluded.tries, tried_at = now())"};
// $1 repository, $2 prefix, $3 limit -> identifiers that can be asked for
inline constexpr pg::Statement kRefused{"harvest_refused", R"(
    select identifier from harvest.refused
    where id_repository = $1::int and prefix = $2::text and tries > 0 and length(identifier) < 600
    order by tried_at limit $3::int)"};
// $1 repository, $2 prefix, $3 identifiers, $4 unless they were tried since
inline constexpr pg::Statement kForget{"harvest_forget", R"(
    delete from harvest.refused
    where id_repository = $1::int and prefix = $2::text and identifier = any ($3::text[]) and tried_at < $4::timestamptz)"};
// $1 repository, $2 prefix, $3 time: those that a whole harvest begun then has not met
inline constexpr pg::Statement kForgetOld{"harvest_forget_old", R"(
    delete from harvest.refused where id_repository = $1::int and prefix = $2::text and tried_at < $3::timestamptz)"};
// $1 repository, $2 prefix, $3 setSpec, $4 walk, $5 is it still going on?, $6 ... Position,
// $15 identifier and $16 datestamp of the newest record.
inline constexpr pg::Statement kPosition{"harvest_position", R"(
    insert into harvest.list (id_repository, prefix, set_spec, walk, walking, asked_from, asked_until, token, response_date,
                              records, pages, list_size, pages_missing, counts, newest_identifier, newest_datestamp,
                              moved_at)
    values ($1::int, $2::text, $3::text, $4::bigint, $5::boolean, $6::text, $7::text, $8::text, $9::text, $10::bigint,
            $11::bigint, $12::bigint, $13::bigint, $14::jsonb, $15::text, $16::text, now())
    on conflict (id_repository, prefix, set_spec) do update
    set walk = excluded.walk, walking = excluded.walking, asked_from = excluded.asked_from,
        asked_until = excluded.asked_until, token = excluded.token, response_date = excluded.response_date,
        records = excluded.records, pages = excluded.pages, list_size = excluded.list_size,
        pages_missing = excluded.pages_missing, counts = excluded.counts, newest_identifier = excluded.newest_identifier,
        newest_datestamp = excluded.newest_datestamp, moved_at = excluded.moved_at)"};
// $1 repository, $2 prefix, $3 setSpec, $4 responseDate
inline constexpr pg::Statement kSetComplete{"harvest_completed", R"(
    update harvest.list set complete = $4::text
    where id_repository = $1::int and prefix = $2::text and set_spec = $3::text)"};

// A batch. Arrays have an element for each of its records, in the same order.
// $1 repository -> a row if it is there; it cannot be removed before the end of the transaction.
inline constexpr pg::Statement kLockSource{
    "harvest_hold", "select from harvest.repository where id = $1::int for key share"};
// $1 repository, $2 prefix, $3 local_ids -> of those that are items: local_id, is it this
// repository's?, is it another one's?, is it deleted here alone?, does it follow an own table?
// Which of these are items already, made of records of this repository or of another one, and which
// are deleted here although the record is not deleted there.
inline constexpr pg::Statement kIdentifierUses{"harvest_known", R"(
    select i.local_id, coalesce(r.ours, false), coalesce(r.others, false) or m.follows, i.deleted and coalesce(r.alive, false),
           m.follows
    from (select distinct u.local_id from unnest($3::text[]) u(local_id)) u
    join library.item i on i.local_id = u.local_id
    cross join lateral (
        select bool_or(r.id_repository = $1::int) as ours, bool_or(r.id_repository <> $1::int) as others,
               bool_or(r.id_repository = $1::int and r.prefix = $2::text and not r.deleted) as alive
        from harvest.record r where r.id_item = i.id) r,
    lateral (select exists (select from library.mapped d join library.mapping m on m.id = d.mapping
                            where d.id = i.id and m.source is not null) as follows) m)"};
// $1 repository, $2 its name, $3 its title, $4 collections: adds those that are missing.
inline constexpr pg::Statement kTitles{"harvest_titles", R"(
    insert into library.collection (name, title)
    select c.name, case when c.name = $2::text then $3::text else s.name end
    from unnest($4::text[]) c(name)
    left join harvest.set s on s.id_repository = $1::int and s.spec = substr(c.name, length($2::text) + 2)
    where not exists (select from library.collection k where k.name = c.name)
    order by c.name
    on conflict (name) do nothing)"};
// $1 repository, $2 prefix, $3 walk, $4 does the walk find missing records?, $5 local_ids,
// $6 identifiers, $7 datestamps, $8 deleted.
// Rows that are as they should be are not written. The items are locked until the end of the
// transaction. Those that are deleted there depart (kDepart).
inline constexpr pg::Statement kRecords{"harvest_records", R"(
    insert into harvest.record (id_item, id_repository, prefix, identifier, datestamp, deleted, walk, departing_since)
    select i.id, $1::int, $2::text, u.identifier, u.datestamp, u.deleted, $3::bigint,
           case when d.departs then coalesce(r.departing_since, now()) end
    from unnest($5::text[], $6::text[], $7::text[], $8::boolean[]) u(local_id, identifier, datestamp, deleted)
    join library.item i on i.local_id = u.local_id
    left join harvest.record r on r.id_item = i.id and r.prefix = $2::text,
    lateral (select u.deleted and not i.deleted and $2::text = 'oai_dc' as departs) d
    where (r.id_repository, r.identifier, r.datestamp, r.deleted) is distinct from ($1::int, u.identifier, u.datestamp, u.deleted)
          or ($4::boolean and r.walk <> $3::bigint) or (d.departs and r.departing_since is null)
    order by i.id
    for key share of i
    on conflict (id_item, prefix) do update
    set id_repository = excluded.id_repository, identifier = excluded.identifier, datestamp = excluded.datestamp,
        deleted = excluded.deleted, walk = excluded.walk, departing_since = excluded.departing_since)"};
// $1 repository, $2 prefix, $3 walk, $4 local_ids: notes that the walk has met these.
inline constexpr pg::Statement kMarkMet{"harvest_met", R"(
    update harvest.record r set walk = $3::bigint
    from library.item i
    where i.local_id = any ($4::text[]) and r.id_item = i.id and r.prefix = $2::text and r.id_repository = $1::int)"};
// $1 local_ids -> those that are no items
inline constexpr pg::Statement kUnknownItems{"harvest_strangers", R"(
    select u.local_id from unnest($1::text[]) u(local_id)
    where not exists (select from library.item i where i.local_id = u.local_id))"};
// $1 prefix, $2 local_ids, $3 payloads, $4 namespaces, $5 origins -> how many were changed. An item
// that departs as a whole keeps what it has.
inline constexpr pg::Statement kKeep{"harvest_keep", R"(
    select harvest.keep($1::text, array_agg(i.id), array_agg(nullif(u.payload, '')),
                        array_agg(nullif(u.namespace, '')), array_agg(nullif(u.origin, '')))
    from unnest($2::text[], $3::text[], $4::text[], $5::text[]) u(local_id, payload, namespace, origin)
    join library.item i on i.local_id = u.local_id
    where u.payload <> '' or not exists (select from harvest.record r
                                         where r.id_item = i.id and r.prefix = 'oai_dc' and r.deleted))"};
// $1 repository, $2 prefix, $3 walk: what the walk has not met departs.
inline constexpr pg::Statement kMissing{"harvest_missing", R"(
    update harvest.record set deleted = true, departing_since = now()
    where id_repository = $1::int and prefix = $2::text and walk < $3::bigint and not deleted)"};
// $1 repository, $2 even if it is most of it? -> how many became deleted records, how many wait
inline constexpr pg::Statement kDepart{
    "harvest_depart", "select gone, held from harvest.depart($1::int, $2::boolean)"};

}  // namespace oai::aggregate::queries
