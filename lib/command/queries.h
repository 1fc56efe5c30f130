// SPDX-License-Identifier: MIT
// Every statement of the subcommands, named, once.
#pragma once

#include "pg/connection.h"

namespace oai::command::queries {

// One installation at a time; the lock goes with the connection.
inline constexpr pg::Statement kLockSchema{
    "schema_lock", "select pg_advisory_lock(hashtext('oai.schema_version'))"};
inline constexpr pg::Statement kSchemaExists{
    "schema_exists", "select to_regclass('oai.schema_version') is not null"};
inline constexpr pg::Statement kSchemaVersions{
    "schema_versions", "select file, checksum, applied_at from oai.schema_version order by file"};
inline constexpr pg::Statement kRecordSchemaFile{
    "schema_record",
    "insert into oai.schema_version (file, checksum, applied_at) values ($1, $2, now())"};
// A statement that waits for a lock on a table makes all later ones wait, readers too.
inline constexpr pg::Statement kShortLocks{"schema_short_locks",
                                           "set local lock_timeout = '300ms'"};
// Does not refer to the roles: they are made by a schema file that may not have run yet.
inline constexpr pg::Statement kCreateSchemaVersion{"schema_create", R"sql(
create schema if not exists oai;
create table if not exists oai.schema_version (
    file text primary key,
    checksum text not null,
    applied_at timestamptz not null
);
comment on table oai.schema_version is 'Schema files applied by oai schema install; written by nothing else.';
)sql"};
// `oai check` runs in the reader's role, which must see what is installed.
inline constexpr pg::Statement kGrantSchemaVersion{"schema_grant", R"sql(
do $$
begin
    if exists (select from pg_roles where rolname = 'oai_reader') then
        grant usage on schema oai to oai_reader;
        grant select on oai.schema_version to oai_reader;
    end if;
    -- What 004-rights.sql revoked is gone in a database that was brought to PostgreSQL 17, where these functions have an
    -- argument more.
    if (select rolsuper from pg_roles where rolname = current_user) then
        execute (select format('revoke execute on function %s from public', string_agg(oid::regprocedure::text, ', '))
                 from pg_proc where proname = 'pg_logical_emit_message' and pronamespace = 'pg_catalog'::regnamespace);
    end if;
end
$$;
)sql"};

// $1: text[] of local_ids; $2: deleted? -> local_id, known, changed
inline constexpr pg::Statement kChangeDeleted{
    "change_deleted", "select * from oai.change_deleted($1::text[], $2::boolean)"};
// $1: name of a collection of the model library -> local_id of those that are not deleted
inline constexpr pg::Statement kItemsOfCollection{"items_of_collection", R"sql(
    select i.local_id from library.item i
    join library.item_collection f on f.id_item = i.id join library.collection c on c.id = f.id_collection
    where c.name = $1::text and not i.deleted order by 1)sql"};
// $1: tombstones before this; $2, $3: among the numbers from $2 + 1 to $2 + $3 -> purged, upto
inline constexpr pg::Statement kPurge{
    "purge", "select * from oai.purge($1::timestamptz, $2::bigint, $3::integer)"};

inline constexpr pg::Statement kBegin{"begin", "begin"};
inline constexpr pg::Statement kCommit{"commit", "commit"};
inline constexpr pg::Statement kRollback{"rollback", "rollback"};

inline constexpr pg::Statement kRecordExists{"check_record_exists",
                                             "select to_regclass('oai.record') is not null"};
// Names and types of the view's columns, as Store sees them.
inline constexpr pg::Statement kRecordColumns{"check_record", "select * from oai.record limit 0"};
inline constexpr pg::Statement kHorizon{
    "check_horizon",
    "select h, extract(epoch from clock_timestamp() - h)::bigint from oai.horizon"};
// At most $1 rows: more of one cause do not tell an administrator more.
inline constexpr pg::Statement kChunkProblems{
    "check_chunks", "select set_id, first_seq, problem from oai.check_chunks() limit $1::bigint"};
inline constexpr pg::Statement kCalendarProblems{
    "check_calendar", "select datestamp::text, problem from oai.check_calendar() limit $1::bigint"};
inline constexpr pg::Statement kItemProblems{
    "check_items", "select id::text, problem from oai.check_items() limit $1::bigint"};
inline constexpr pg::Statement kSetProblems{
    "check_sets", "select spec, problem from oai.check_sets() limit $1::bigint"};
// Triggers that do not fire, on tables that have some of ours.
inline constexpr pg::Statement kTriggerProblems{"check_triggers", R"(
    select t.tgrelid::regclass::text, 'its trigger ' || t.tgname || ' is switched off, so changes may remain unseen;'
           || ' alter table ' || t.tgrelid::regclass || ' enable trigger ' || quote_ident(t.tgname) || ', and touch what has changed since'
    from pg_trigger t
    where t.tgenabled in ('D', 'R') and not t.tgisinternal and exists (
        select from pg_trigger o join pg_proc p on p.oid = o.tgfoid
        where o.tgrelid = t.tgrelid and p.pronamespace = 'oai'::regnamespace)
    order by 1, t.tgname limit $1::bigint)"};
// Schemas where others than their owners may put functions that our statements would find.
inline constexpr pg::Statement kSearchPathProblems{"check_search_path", R"(
    select n.nspname::text, coalesce(r.rolname, 'every role') || ' may create functions there, which the publisher and the servers would call;'
           || ' revoke create on schema '
           || quote_ident(n.nspname) || ' from ' || coalesce(quote_ident(r.rolname), 'public')
    from unnest(current_schemas(false) || '{oai}') s(name) join pg_namespace n on n.nspname = s.name
         cross join lateral aclexplode(n.nspacl) g left join pg_roles r on r.oid = g.grantee
    where g.privilege_type = 'CREATE' and g.grantee <> n.nspowner and not coalesce(r.rolsuper, false)
    order by 1, 2 limit $1::bigint)"};
inline constexpr pg::Statement kIsMapped{"check_is_mapped",
                                         "select to_regproc('oai.map_problems') is not null"};
// $1 how many items and rows to look at, $2 rows at most -> local_id or table, problem
inline constexpr pg::Statement kMapProblems{"check_map", R"sql(
    select distinct coalesce(local_id, relation), problem from oai.map_problems($1::integer) order by 1 limit $2::bigint)sql"};
inline constexpr pg::Statement kSetDescriptions{
    "check_set_descriptions",
    "select spec, description from oai.set where description is not null order by id"};

// $1 prefix, $2 seq, $3 why.
inline constexpr pg::Statement kExclude{"exclude", R"sql(
    insert into oai.excluded as e (prefix, seq, id, why)
    select $1::text, i.seq, i.id, $3::text from oai.item i where i.seq = $2::bigint
    on conflict (prefix, seq) do update set why = excluded.why where e.why <> excluded.why)sql"};
// $1 prefix, $2 seqs that stay.
inline constexpr pg::Statement kIncludeOthers{"include_others",
                                              "select oai.include_others($1::text, $2::bigint[])"};

}  // namespace oai::command::queries
