// SPDX-License-Identifier: MIT
// Every statement of `oai map` that is not made for a mapping, named, once.
#pragma once

#include "pg/connection.h"

namespace oai::mapping::queries {

// -> names of all tables, for the one that was meant
inline constexpr pg::Statement kAllTables{"map_all_tables", R"sql(
    select format('%I.%I', n.nspname, c.relname)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema', 'oai')
          and n.nspname !~ '^pg_(toast|temp)' order by 1 limit 5000)sql"};

// $1 a name as SQL has it -> oid, qualified name, bare name, relkind, whether a subscription fills
// it; no row if there is none
inline constexpr pg::Statement kTable{"map_table", R"sql(
    select c.oid::text, format('%I.%I', n.nspname, c.relname), c.relname::text, c.relkind::text,
           exists (select from pg_subscription_rel s where s.srrelid = c.oid)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = to_regclass($1::text))sql"};
// $1 oid -> name, type without domain, element type or ''
inline constexpr pg::Statement kColumns{"map_columns", R"sql(
    select a.attname::text, b.oid::regtype::text, case when b.typcategory = 'A' then b.typelem::regtype::text else '' end
    from pg_attribute a join pg_type t on t.oid = a.atttypid
         join pg_type b on b.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
    where a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped order by a.attnum)sql"};
// $1 oid -> columns, whether they are unique; indexes over expressions or a part of the rows are
// left out
inline constexpr pg::Statement kIndexes{"map_indexes", R"sql(
    select array(select a.attname::text from unnest(i.indkey::smallint[]) with ordinality k(n, o)
                 join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.n
                 where k.o <= i.indnkeyatts order by k.o),
           i.indisunique and i.indisvalid
    from pg_index i where i.indrelid = $1::oid and i.indpred is null and i.indexprs is null
    order by not i.indisprimary, i.indexrelid)sql"};
// $1 oid -> columns, oid of the other table, its columns
inline constexpr pg::Statement kForeignKeys{"map_foreign_keys", R"sql(
    select array(select a.attname::text from unnest(c.conkey) with ordinality k(n, o)
                 join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.n order by k.o),
           c.confrelid::text,
           array(select a.attname::text from unnest(c.confkey) with ordinality k(n, o)
                 join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.n order by k.o)
    from pg_constraint c where c.conrelid = $1::oid and c.contype = 'f' order by c.oid)sql"};
// $1 oid -> qualified name and relkind of the table and of all its partitions and heirs
inline constexpr pg::Statement kParts{"map_parts", R"sql(
    with recursive part as (select $1::oid as oid
                            union select i.inhrelid from pg_inherits i join part p on p.oid = i.inhparent)
    select format('%I.%I', n.nspname, c.relname), c.relkind::text
    from part p join pg_class c on c.oid = p.oid join pg_namespace n on n.oid = c.relnamespace
    order by p.oid <> $1::oid, 1)sql"};

// -> whether there is the model, whether it has what follows tables, whether there are other items
inline constexpr pg::Statement kState{"map_state", R"sql(
    select to_regclass('library.item') is not null, to_regproc('oai.map_apply') is not null,
           to_regclass('oai.item') is not null)sql"};

// -> items that are not deleted, items that wait to be published, rows that are refused, items that
// are held
inline constexpr pg::Statement kCounts{"map_counts", R"sql(
    select records, (select count(distinct id) from oai.queue), refused, held from oai.source where base_url is null)sql"};

// -> whether there may be a mapping; whether there is one
inline constexpr pg::Statement kIsMappable{"map_is_mappable",
                                           "select to_regproc('oai.map_follow') is not null"};
inline constexpr pg::Statement kIsMapped{
    "map_is_mapped", "select exists (select from oai.source where base_url is null)"};

// $1 rows at most in one round, $2 whether to believe that many rows are gone -> compared, written,
// gone, whether a walk through the source has ended
inline constexpr pg::Statement kPoll{"map_poll",
                                     "select * from oai.map_poll($1::integer, $2::boolean)"};
// The same, round by round until all has been looked at.
inline constexpr pg::Statement kLook{"map_look", "call oai.map_look($1::integer, $2::boolean)"};
inline constexpr pg::Statement kDrop{"map_drop", "select oai.map_drop()"};
inline constexpr pg::Statement kSnapshot{"map_snapshot",
                                         "begin isolation level repeatable read read only"};
// $1 how many are looked at; null: all -> local_id of an item, or a table; what is wrong
inline constexpr pg::Statement kDeclareProblems{"map_problems", R"sql(
    declare difference no scroll cursor for select local_id, relation, problem from oai.map_problems($1::integer))sql"};
inline constexpr pg::Statement kFetchProblems{"map_fetch", "fetch 1000 from difference"};

}  // namespace oai::mapping::queries
