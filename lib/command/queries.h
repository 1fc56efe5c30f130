// SPDX-License-Identifier: MIT
// Every statement of the subcommands, each once and with a name.
#pragma once

#include "pg/connection.h"

namespace oai::command::queries {

// Allows one installation at a time; the lock ends with the connection.
inline constexpr pg::Statement kLockSchema{
    "schema_lock", "select pg_advisory_lock(hashtext('oai.schema_version'))"};
inline constexpr pg::Statement kTryLockSchema{
    "schema_try_lock", "select pg_try_advisory_lock(hashtext('oai.schema_version'))"};
// Whether oai.schema_version exists, whether this role may read it, and why the role cannot install
// or change the schema, '' if it can.
inline constexpr pg::Statement kSchemaState{"schema_state", R"sql(
    select v.there, v.there and v.readable,
           coalesce((select format('role %s may not change schema %s, which belongs to role %s; run this as that role or as a superuser',
                                   quote_ident(current_user), n.nspname, quote_ident(pg_get_userbyid(n.nspowner)))
                     from pg_namespace n
                     where n.nspname in ('oai', 'oai_view', 'webarchiv', 'library', 'harvest') and not pg_has_role(n.nspowner, 'usage')
                     order by n.nspname limit 1),
                    (select format('role %s may not create schemas in database %s, which belongs to role %s; run this as that role'
                                   ' or as a superuser', quote_ident(current_user), quote_ident(d.datname),
                                   quote_ident(pg_get_userbyid(d.datdba)))
                     from pg_database d where d.datname = current_database()
                          and not has_database_privilege(d.oid, 'create') and to_regnamespace('oai') is null), '')
    from (select count(*) > 0 as there, coalesce(bool_and(has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')), false)
              as readable
          from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'oai' and c.relname = 'schema_version') v)sql"};
// Test versions had no column release.
inline constexpr pg::Statement kSchemaVersions{"schema_versions", R"sql(
    select file, checksum, coalesce(to_jsonb(v) ->> 'release', '0'), applied_at from oai.schema_version v order by file)sql"};
inline constexpr pg::Statement kHorizonExists{"schema_horizon",
                                              "select exists (select from oai.horizon)"};
// kind, display name, and bare name, which is '' for objects that belong to others: indexes of
// constraints, sequences of columns, functions of triggers, members of extensions.
inline constexpr pg::Statement kSchemaObjects{"schema_objects", R"sql(
    with ours as (select oid, nspname::text as schema from pg_namespace
                  where nspname in ('oai', 'oai_view', 'webarchiv', 'library', 'harvest')),
    relation as (select c.*, o.schema from pg_class c join ours o on o.oid = c.relnamespace where c.relkind <> 't')
    select case r.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'i' then 'index' when 'I' then 'index'
                          when 'S' then 'sequence' when 'c' then 'type' when 'f' then 'foreign table' else 'table' end,
           r.schema || '.' || r.relname,
           case when exists (select from pg_constraint k where k.conindid = r.oid)
                     or exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = r.oid
                                       and d.deptype in ('a', 'i', 'e') and r.relkind = 'S')
                then '' else r.relname::text end
    from relation r
    union all
    select 'function', format('%s.%s(%s)', o.schema, p.proname, pg_get_function_identity_arguments(p.oid)),
           case when exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
                     or exists (select from pg_trigger t where t.tgfoid = p.oid) then '' else p.proname::text end
    from pg_proc p join ours o on o.oid = p.pronamespace
    union all
    select 'trigger', format('%s on %s.%s', t.tgname, r.schema, r.relname), t.tgname::text
    from pg_trigger t join relation r on r.oid = t.tgrelid where not t.tgisinternal
    union all
    select distinct 'grant', g.name, g.name
    from (select format('to %s on %s.%s', coalesce(quote_ident(a.rolname), 'public'), r.schema, r.relname) as name, r.relowner,
                 x.grantee, a.rolname
          from relation r cross join lateral aclexplode(r.relacl) x left join pg_roles a on a.oid = x.grantee) g
    where g.grantee <> g.relowner and coalesce(g.rolname, '') <> all (array['oai_reader', 'oai_publisher', 'oai_loader',
                                                                            'oai_rule', 'oai_source'])
    order by 1, 2)sql"};
// Creates a view, trigger or comment, unless the database has an identical one.
inline constexpr pg::Statement kDefine{"schema_define", "select oai.define($1::text)"};
// $1: file, $2: checksum, $3: release
inline constexpr pg::Statement kRecordSchemaFile{"schema_record", R"sql(
    insert into oai.schema_version as v (file, checksum, release, applied_at) values ($1::text, $2::text, $3::text, now())
    on conflict (file) do update set checksum = excluded.checksum, release = excluded.release, applied_at = excluded.applied_at
    where (v.checksum, v.release) is distinct from (excluded.checksum, excluded.release) and v.file not like 'upgrade/%')sql"};
// Deletes the entries of files other than $1, the files of this release.
inline constexpr pg::Statement kForgetSchemaFiles{"schema_forget", R"sql(
    delete from oai.schema_version where file <> all ($1::text[]) and file not like 'upgrade/%')sql"};
inline constexpr pg::Statement kQuietMessages{"schema_messages",
                                              "set client_min_messages = warning"};
// A statement that waits for a lock on a table blocks all later ones, also those of readers.
inline constexpr pg::Statement kShortLocks{"schema_short_locks",
                                           "set local lock_timeout = '300ms'"};

// $1: text[] of local_ids; $2: deleted, or withdrawn if $3; $4: the reason, or null -> local_id,
// known, changed
inline constexpr pg::Statement kChangeDeleted{"change_deleted", R"(
    select * from oai.change_deleted($1::text[], $2::boolean, $3::boolean, $4::text))"};
// $1 prefix -> schema and namespace of a format according to a source
inline constexpr pg::Statement kNotedFormat{
    "noted_format", "select schema, name_space from harvest.format where prefix = $1::text"};
// $1: tombstones before this; $2, $3: among the numbers from $2 + 1 to $2 + $3 -> purged, upto
inline constexpr pg::Statement kPurge{
    "purge", "select * from oai.purge($1::timestamptz, $2::bigint, $3::integer)"};

inline constexpr pg::Statement kBegin{"begin", "begin"};
inline constexpr pg::Statement kCommit{"commit", "commit"};
inline constexpr pg::Statement kRollback{"rollback", "rollback"};

inline constexpr pg::Statement kHorizon{
    "check_horizon",
    "select h, extract(epoch from clock_timestamp() - h)::bigint from oai.horizon"};
// The same on a replica.
inline constexpr pg::Statement kWhichDatabase{"check_database", R"sql(
    select format('%s, number %s of cluster %s', datname, d.oid, system_identifier)
    from pg_database d, pg_control_system() where datname = current_database())sql"};
// False as well if the publisher's role may not read it.
inline constexpr pg::Statement kHorizonThere{"check_horizon_there",
                                             "select to_regclass('oai.horizon') is not null"};
inline constexpr pg::Statement kPublisherRuns{"check_publisher_runs", R"sql(
    select exists (select from pg_stat_activity where datname = current_database() and application_name = 'oai publish'))sql"};
// Sessions that have held a lock that blocks writers of our tables for more than five seconds, and
// prepared transactions, which may have been forgotten. The duration requires pg_read_all_stats.
inline constexpr pg::Statement kLockHolders{"check_lock_holders", R"sql(
    select concat_ws(' ', 'pid', l.pid, '(role', a.usename || ',', nullif(a.application_name, '') || ')', 'has locked',
                     string_agg(l.relation::regclass::text, ', ' order by l.relation), 'in', min(l.mode)) || coalesce('; its query: '
               || left(regexp_replace(a.query, '\s+', ' ', 'g'), 200), '') || '; let it end, or select pg_terminate_backend(' || l.pid || ')'
    from pg_locks l join pg_class c on c.oid = l.relation join pg_namespace n on n.oid = c.relnamespace
         join pg_stat_activity a on a.pid = l.pid
    where l.granted and l.database = (select oid from pg_database where datname = current_database()) and l.pid <> pg_backend_pid()
          and n.nspname in ('oai', 'oai_view', 'webarchiv', 'library', 'harvest') and c.relkind in ('r', 'p')
          and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
          and coalesce(a.xact_start < clock_timestamp() - interval '5 seconds', true)
    group by l.pid, a.usename, a.application_name, a.query
    union all
    select format('prepared transaction %L of role %s has been left for %s s: what it changed is not published, and it holds its locks;'
                  ' commit prepared %1$L or rollback prepared %1$L', gid, owner, extract(epoch from clock_timestamp() - prepared)::bigint)
    from pg_prepared_xacts where database = current_database() and prepared < clock_timestamp() - interval '10 seconds'
    order by 1)sql"};
inline constexpr pg::Statement kPatientLocks{"check_locks", "set local lock_timeout = '5s'"};
inline constexpr pg::Statement kHoldHorizon{"check_hold_horizon",
                                            "select h, keep_deleted from oai.horizon for update"};
inline constexpr pg::Statement kWaitForSecond{"check_wait_for_second", R"sql(
    select pg_sleep_until(date_trunc('second', clock_timestamp()) + interval '1.02 s'))sql"};
// $1: deleted records are kept -> seconds behind the clock, and those of changes behind a lock
inline constexpr pg::Statement kTryPublish{"check_try_publish", R"sql(
    select coalesce(lag, 0)::bigint, coalesce(blocked_seconds, 0)::bigint from oai.publish(1, $1::boolean))sql"};
// At most $1 rows, since many rows usually have the same cause.
inline constexpr pg::Statement kChunkProblems{"check_chunks", R"sql(
    select format('%s%s', set_id, ', chunk from ' || first_seq), problem from oai.check_chunks() limit $1::bigint)sql"};
inline constexpr pg::Statement kCalendarProblems{
    "check_calendar", "select datestamp::text, problem from oai.check_calendar() limit $1::bigint"};
inline constexpr pg::Statement kItemProblems{
    "check_items", "select id::text, problem from oai.check_items() limit $1::bigint"};
inline constexpr pg::Statement kSetProblems{
    "check_sets", "select spec, problem from oai.check_sets() limit $1::bigint"};
inline constexpr pg::Statement kRuleMisfits{
    "check_rules",
    "select concat_ws(', ', spec, local_id), problem from oai.check_rules() union all "
    "select concat_ws(', ', spec, local_id), problem from oai.check_views() limit $1::bigint"};
// $1: a view -> is it there?
inline constexpr pg::Statement kViewThere{
    "check_view", "select exists (select from oai.view where name = $1::text)"};
// Sets by a rule whose current version is not used, or fails on items; views without their set.
inline constexpr pg::Statement kRuleProblems{"rule_problems", R"(
    select name, problem from oai.rule_problem
    union all select name || '.set', problem from oai.rule where problem is not null and name is not null
    union all select name || '.set', problem from oai.view where problem is not null
    union all select name || '.set', 'there is no set ' || spec || ', so the view shows nothing'
              from oai.view where condition is not null and spec not in (select s.spec from oai.set s) order by 1)"};
inline constexpr pg::Statement kAllSets{"all_sets", R"(
    select s.spec, s.item_count,
           case when r.set_id is null then 'the tables' when r.name is null then 'is being removed'
                else r.name || '.set' || case when r.examined is null then '' else ', being filled' end end, s.name
    from oai.set s left join oai.rule r on r.set_id = s.id order by s.spec)"};
// $1: spec, $2: condition, $3: the set that a view shows, or '' -> items, matching, enter, leave,
// failing, milliseconds, examples, problem; whether there is no set $3
inline constexpr pg::Statement kTryRule{"try_rule", R"(
    select t.*, $3::text <> '' and $3 not in (select spec from oai.set)
    from oai.try_rule($1::text, $2::text) t)"};
// -> whether the model has the view of items' sources
inline constexpr pg::Statement kSourcesExist{"check_has_sources", R"(
    select exists (select from pg_attribute
                   where attrelid = to_regclass('oai.source') and attname = 'refused'))"};
inline constexpr pg::Statement kSourceProblems{"check_sources_refused", R"(
    select name::text, refused || ' of its records could not be taken; oai repository status names them'
    from oai.source where refused > 0 order by 1 limit $1::bigint)"};
// Triggers that do not fire, or not for replicating sessions, on tables that have some of ours.
inline constexpr pg::Statement kTriggerProblems{"check_triggers", R"(
    select t.tgrelid::regclass::text, format('its trigger %1$s %2$s, so changes may remain unseen; alter table %3$s enable %4$strigger %1$I,'
               ' and %5$s', t.tgname, case when t.tgenabled = 'O' then 'does not see sessions that replicate' else 'is switched off' end,
               t.tgrelid::regclass, case when m.of_map then 'always ' end,
               case when m.of_map then 'run oai map' else 'touch what has changed since' end)
    from pg_trigger t,
         lateral (select bool_or(p.oid = t.tgfoid and p.proname ~ '^oai_map_[0-9]+$') as of_map
                  from pg_trigger o join pg_proc p on p.oid = o.tgfoid
                  where o.tgrelid = t.tgrelid and (p.pronamespace = 'oai'::regnamespace or p.proname ~ '^oai_map_[0-9]+$')) m
    where not t.tgisinternal and (t.tgenabled in ('D', 'R') and m.of_map is not null or t.tgenabled = 'O' and m.of_map)
    order by 1, t.tgname limit $1::bigint)"};
// Schemas in our search path in which other roles than the owner may create functions.
inline constexpr pg::Statement kSearchPathProblems{"check_search_path", R"(
    select n.nspname::text, coalesce(r.rolname, 'every role') || ' may create functions there, which the publisher and the servers would call;'
           || ' revoke create on schema ' || quote_ident(n.nspname)
           || ' from ' || coalesce(quote_ident(r.rolname), 'public')
    from unnest(current_schemas(false) || '{oai}') s(name) join pg_namespace n on n.nspname = s.name
         cross join lateral aclexplode(n.nspacl) g left join pg_roles r on r.oid = g.grantee
    where g.privilege_type = 'CREATE' and g.grantee <> n.nspowner and not coalesce(r.rolsuper, false)
    order by 1, 2 limit $1::bigint)"};
inline constexpr pg::Statement kIsMapped{"check_is_mapped", R"sql(
    select coalesce(has_function_privilege(to_regprocedure('oai.map_problems(integer)'), 'execute'), false))sql"};
// $1 how many items and rows to look at, $2 rows at most -> local_id or table, problem
inline constexpr pg::Statement kMapProblems{"check_map", R"sql(
    select distinct coalesce(local_id, relation), problem from oai.map_problems($1::integer) order by 1 limit $2::bigint)sql"};
// Mapped tables, which are a source, too. $1 name, null: all -> name, state, number of live,
// refused and held records, problem
inline constexpr pg::Statement kOwnTables{"own_tables", R"(
    select name, state, records, refused, held, coalesce(E'\n  ' || problem, '') from oai.source
    where base_url is null and ($1::text is null or name = $1::text))"};
// $1 name of a source, $2 new name or null, $3 for how many seconds missing records are kept or
// null -> a row if the source is mapped tables
inline constexpr pg::Statement kChangeTables{"own_tables_change", R"(
    with harvested as (update harvest.repository set hold = $3::bigint * interval '1 second'
                       where name = $1::text and $3::bigint is not null)
    update library.mapping set name = coalesce($2::text, name), hold = coalesce($3::bigint * interval '1 second', hold)
    where name = $1::text returning name)"};
// $1 name, $2 whether their items become deleted records
inline constexpr pg::Statement kRemoveTables{
    "own_tables_remove",
    "select oai.map_drop(id, $2::boolean) from library.mapping where name = $1::text"};
// In the text format of Prometheus; names of sources need no escaping.
inline constexpr pg::Statement kSourceMetrics{"source_metrics", R"(
    select format(E'# HELP %1$s %2$s\n# TYPE %1$s gauge\n', m.metric, m.help) || coalesce(
        (select string_agg(format(E'%s{source="%s",state="%s"} %s\n', m.metric, s.name, s.state, v.value), '' order by s.name)
         from oai.source s left join harvest.repository r on r.name = s.name,
              lateral (select case m.n when 1 then (select count(*) from harvest.record h join library.item i on i.id = h.id_item
                                                    where h.id_repository = r.id and h.prefix = 'oai_dc' and not i.deleted)
                                                   + case when r.id is null then s.records else 0 end
                                       when 2 then s.refused when 3 then s.held
                                       when 4 then coalesce(extract(epoch from r.changed_at)::bigint, 0)
                                       else coalesce(r.usual_seconds, 0) end as value) v), '')
    from (values (1, 'oai_source_items', 'Items that come from the source and are not deleted.'),
                 (2, 'oai_source_refused_records', 'Records that could not be taken.'),
                 (3, 'oai_source_held_records', 'Records that are gone with most others, and stay for a while.'),
                 (4, 'oai_source_changed_seconds', 'When it last changed something, in seconds since 1970; 0: unknown.'),
                 (5, 'oai_source_usual_seconds', 'Time after which it usually changes again; 0: unknown.')) m(n, metric, help)
    order by m.n)"};
// $1 prefix -> column
inline constexpr pg::Statement kColumnOf{"harvest_column_of", "select harvest.column_of($1::text)"};
// $1 prefix -> a payload kept in that format; no row if there is none
inline constexpr pg::Statement kSample{"harvest_sample", R"(
    select unnest(xpath('/table/row/p/*', query_to_xml(format('select %1$I as p from library.item where %1$I is not null limit 1',
                                                        a.attname), false, false, '')))
    from pg_attribute a where a.attrelid = 'library.item'::regclass and a.attname = harvest.column_of($1::text))"};
// -> reason, value, first, other
inline constexpr pg::Statement kDuplicates{
    "harvest_duplicates",
    "select reason, value, first_local_id, local_id from harvest.duplicates()"};
inline constexpr pg::Statement kSetDescriptions{
    "check_set_descriptions",
    "select spec, description from oai.set where description is not null order by id"};

}  // namespace oai::command::queries
