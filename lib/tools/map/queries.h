// SPDX-License-Identifier: MIT
// Every statement of `oai map`, except those generated for a mapping, each once and with a name.
#pragma once

#include "pg/connection.h"

namespace oai::mapping::queries {

// $1 a name as SQL has it -> what the catalog says of the table; no row if there is none:
// table: qualified name, oid, relkind, {bare name, why triggers do not tell of all its changes}
// unique or index: '', '', '', its columns; those over expressions or a part are left out
inline constexpr pg::Statement kTable{"map_table", R"sql(
    with recursive t as (select c.*, n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
                         where c.oid = to_regclass($1::text)),
    part as (select t.oid from t union select i.inhrelid from pg_inherits i join part p on p.oid = i.inhparent)
    (select 'table', format('%I.%I', t.nspname, t.relname), t.oid::text, t.relkind::text,
           array[t.relname::text, case
               when exists (select from pg_subscription_rel s where s.srrelid = t.oid)
               then 'is filled by logical replication, which runs no such triggers'
               else coalesce((
                   select case when c.oid = t.oid then 'is' else 'has a partition that is' end || case c.relkind
                       when 'f' then ' a foreign table, whose changes PostgreSQL does not tell'
                       when 'm' then ' a materialized view, which has no triggers'
                       else ' a view, which has no such triggers' end
                   from part p join pg_class c on c.oid = p.oid
                   where c.relkind in ('f', 'm', 'v') order by c.oid <> t.oid limit 1), '') end]
     from t)
    union all
    (select case when i.indisunique and i.indisvalid then 'unique' else 'index' end, '', '', '',
            array(select a.attname::text from unnest(i.indkey::smallint[]) with ordinality k(n, o)
                  join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.n
                  where k.o <= i.indnkeyatts order by k.o)
     from t join pg_index i on i.indrelid = t.oid and i.indpred is null and i.indexprs is null
     order by not i.indisprimary, i.indexrelid))sql"};

inline constexpr char kTrial[] =
    "begin; set local client_min_messages = warning; create temporary view map_trial as ";
inline constexpr char kEndTrial[] = "rollback";
// Behind these: of the view its text with all names in full, its columns, the tables behind it with
// the columns that are read, functions (F) that may read others, whether it depends on the time ->
// kind, name, type or oid, element type, columns
inline constexpr pg::Statement kReads{"map_reads", R"sql(
    with recursive trial as (select to_regclass('pg_temp.map_trial')::oid as id, set_config('search_path', 'pg_catalog', true)),
    reached as (
        select 'pg_class'::regclass::oid as class, id from trial
        union select d.refclassid, d.refobjid
        from reached r left join pg_rewrite w on r.class = 'pg_class'::regclass and w.ev_class = r.id
             join pg_depend d on case when w.oid is not null then d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
                 else r.class <> 'pg_class'::regclass and d.classid = r.class and d.objid = r.id end
        where d.refclassid in ('pg_class'::regclass, 'pg_proc'::regclass, 'pg_operator'::regclass)),
    used as (select d.refobjid as id, d.refobjsubid as n
             from reached r join pg_rewrite w on w.ev_class = r.id
                  join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid)
    select 'text', rtrim(pg_get_viewdef(id), ';'), '', '', '{}'::text[] from trial
    union all
    (select 'column', a.attname::text, b.oid::regtype::text,
            case when b.typcategory = 'A' then b.typelem::regtype::text else '' end, '{}'
     from trial join pg_attribute a on a.attrelid = id and a.attnum > 0 join pg_type t on t.oid = a.atttypid
          join pg_type b on b.oid = coalesce(nullif(t.typbasetype, 0), t.oid) order by a.attnum)
    union all
    select c.relkind::text, c.oid::regclass::text, c.oid::text, '', array(
        select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and (c.oid, a.attnum) in (select u.id, u.n from used u))
    from reached r join pg_class c on c.oid = r.id
    where r.class = 'pg_class'::regclass and c.oid not in (select id from trial)
          and c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relnamespace <> 'pg_catalog'::regnamespace
    union all
    select 'F', p.oid::regproc::text, p.oid::text, '', '{}'
    from reached r join pg_proc p on p.oid = r.id join pg_language l on l.oid = p.prolang
    where p.provolatile <> 'i' and p.prosqlbody is null and l.lanname not in ('internal', 'c')
          and r.class = 'pg_proc'::regclass and p.pronamespace <> 'oai'::regnamespace
    union all
    select distinct 'time', '', '', '', '{}'::text[] from reached r
    where r.class = 'pg_class'::regclass
          and pg_get_viewdef(r.id) ~* '\m(current_(date|time)|localtime|(now|[a-z]+_timestamp)\(\))')sql"};

// -> whether there is the model, whether it has what follows tables, whether there are other items
inline constexpr pg::Statement kState{"map_state", R"sql(
    select to_regclass('library.item') is not null, to_regproc('oai.map_apply') is not null,
           to_regclass('oai.item') is not null)sql"};

// $1 part -> items not deleted, waiting to be published, rows refused, items held
inline constexpr pg::Statement kCounts{"map_counts", R"sql(
    select s.records, (select count(distinct id) from oai.queue), s.refused, s.held
    from oai.source s join library.mapping m using (name) where m.part = $1::text)sql"};

// $1 a part, null: all -> part, name
inline constexpr pg::Statement kMappings{"map_mappings", R"sql(
    select part, name from library.mapping where source is not null and ($1::text is null or part = $1::text) order by part)sql"};

// $1 a map (script.h, map_json)
inline constexpr pg::Statement kApply{"map_apply", "select oai.map_apply($1::jsonb)"};
inline constexpr pg::Statement kChange{"map_change", "select oai.map_change($1::jsonb)"};
// $1 part: reads the first rows.
inline constexpr pg::Statement kTry{"map_try", R"sql(
    select oai.map_open(m.id), cardinality(oai.map_next(m, null, 1000)) from library.mapping m where m.part = $1::text)sql"};
// $1 part, $2 rows at most, $3 whether to believe that many are gone -> compared, written, gone,
// ended, whether there is more to look at
inline constexpr pg::Statement kPoll{"map_poll", R"sql(
    select p.* from library.mapping m, oai.map_poll(m.id, $2::integer, $3::boolean) p where m.part = $1::text)sql"};
inline constexpr pg::Statement kDrop{
    "map_drop", "select oai.map_drop(m.id) from library.mapping m where m.part = $1::text"};
// -> local_id of an item, or a table; what is wrong
inline constexpr pg::Statement kProblems{"map_problems",
                                         "select * from oai.map_problems(null::integer)"};

}  // namespace oai::mapping::queries
