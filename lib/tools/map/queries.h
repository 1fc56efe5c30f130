// SPDX-License-Identifier: MIT
// Every statement of `oai map` that is not made for a mapping, named, once.
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

// $1 a query -> what it is, gives and reads: kind, name, type or oid, element type, columns
inline constexpr pg::Statement kReads{"map_reads", "select * from oai.map_reads($1::text)"};

// -> whether there is the model, whether it has what follows tables, whether there are other items
inline constexpr pg::Statement kState{"map_state", R"sql(
    select to_regclass('library.item') is not null, to_regproc('oai.map_apply') is not null,
           to_regclass('oai.item') is not null)sql"};

// -> items not deleted, waiting to be published, rows refused, items held
inline constexpr pg::Statement kCounts{"map_counts", R"sql(
    select records, (select count(distinct id) from oai.queue), refused, held from oai.source where base_url is null)sql"};

inline constexpr pg::Statement kIsMappable{"map_is_mappable",
                                           "select to_regproc('oai.map_follow') is not null"};
inline constexpr pg::Statement kIsMapped{
    "map_is_mapped", "select exists (select from oai.source where base_url is null)"};

// $1 rows at most, $2 whether to believe that many are gone -> compared, written, gone, ended
inline constexpr pg::Statement kPoll{"map_poll",
                                     "select * from oai.map_poll($1::integer, $2::boolean)"};
// The same, round by round until all has been looked at.
inline constexpr pg::Statement kLook{"map_look", "call oai.map_look($1::integer, $2::boolean)"};
inline constexpr pg::Statement kDrop{"map_drop", "select oai.map_drop()"};
// -> local_id of an item, or a table; what is wrong
inline constexpr pg::Statement kProblems{"map_problems",
                                         "select * from oai.map_problems(null::integer)"};

}  // namespace oai::mapping::queries
