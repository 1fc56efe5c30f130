// SPDX-License-Identifier: MIT
// The SQL that is made for a mapping, with @names@ for what depends on it (script.cpp fills them
// in). Together with schema/016-map.sql. All functions are called oai.map_..., so that those of an
// earlier mapping are found.
#pragma once

#include <string_view>

namespace oai::mapping::templates {

// Items have rows of their own, which stay when those of the tables go. key_N is the key as the
// table has it, for the join.
inline constexpr std::string_view kItems = R"sql(
create table if not exists oai.item (
    id        bigint generated always as identity primary key,
    seq       bigint,                             -- the publisher's, as datestamp and set_ids
    local_id  text not null unique,
    datestamp timestamptz,
    deleted   boolean not null default false,
    set_ids   integer[] not null default '{}',
    checksum  bigint                              -- of what oai.record had when it was published
);
create unique index if not exists item_seq on oai.item (seq) where seq is not null;
)sql";

inline constexpr std::string_view kDropViews = R"sql(
drop view if exists oai.record, oai.membership;
drop view if exists oai.mapped;
drop view if exists oai.source;
drop table if exists oai.copy;
)sql";

// A row for each item that there is now, whether published or not.
inline constexpr std::string_view kRows = R"sql(
    select @keys_as@,
           @local_id@ as local_id,
           @datestamp@ as brought,
           @specs@ as specs,
           @set_names@ as set_names@elements@
    from @items_table@
    where @is_item@)sql";

inline constexpr std::string_view kMapped = R"sql(
create view oai.mapped as
    select m.*, hash_record_extended(row(m.specs@hashed@), 0) as checksum
    from (@rows@) m;
)sql";

// Where PostgreSQL does not tell of changes, what is given out is a copy, which `oai map --poll`
// brings up to date: pages do not wait for a foreign server. It is made before the views are
// locked.
inline constexpr std::string_view kMakeCopy = R"sql(
create view oai.source_next as @rows@;
create table oai.copy_next as table oai.source_next;
alter table oai.copy_next add primary key (@keys@);
analyze oai.copy_next;
)sql";
inline constexpr std::string_view kMappedCopy = R"sql(
alter view oai.source_next rename to source;
alter table oai.copy_next rename to copy;
create view oai.mapped as
    select m.*, hash_record_extended(row(m.specs@hashed@), 0) as checksum from oai.copy m;
)sql";

inline constexpr std::string_view kViews = R"sql(
create view oai.membership as
    select i.id, i.seq, i.local_id, i.datestamp, i.deleted, i.set_ids,
           array(select s.id from oai.set s where s.spec = any (m.specs)) as sets_now
    from oai.item i left join oai.mapped m on @m_is_i@;
create view oai.record as
    select i.id, i.seq, i.local_id, i.datestamp, i.deleted, i.set_ids@m_elements@
    from oai.item i left join oai.mapped m on @m_is_i@;
create or replace function oai.find_item(local_id text) returns bigint language plpgsql stable as $body$
begin
    return (select i.id from oai.item i where i.local_id = find_item.local_id);
end $body$;
)sql";

// Brings the items of some keys to what the tables hold, and queues them.
inline constexpr std::string_view kRefresh = R"sql(
drop function if exists oai.map_refresh;   -- the types of the keys may be others
create or replace function oai.map_refresh(@key_arrays@) returns void
language plpgsql security definer set search_path = pg_catalog set jit = off as $body$
begin
    insert into oai.set (parent, spec, name)
    select r.id, s.spec, s.name
    from (select u.spec, min(u.name) as name
          from @unnested@ join oai.mapped m on @m_is_k@, unnest(m.specs, m.set_names) u(spec, name) group by u.spec) s
         join oai.set r on r.spec = split_part(s.spec, ':', 1)
    where not exists (select from oai.set o where o.spec = s.spec)
    order by s.spec   -- as all do, so that no two wait for each other
    on conflict (spec) do nothing;
    insert into oai.item (local_id, datestamp, @keys@)
    select m.local_id, m.brought, @m_keys@ from @unnested@ join oai.mapped m on @m_is_k@
    where length(m.local_id) between 1 and 1000 and not exists (select from oai.item i where i.local_id = m.local_id)
          and not exists (select from oai.withheld w where w.local_id = m.local_id)
    on conflict (local_id) do nothing;
    -- What no harvester has seen leaves nothing behind. Before the next statement, which sees what the publisher has done meanwhile.
    delete from oai.item i using @unnested@
    where i.local_id = @k_local_id@ and i.seq is null and not i.deleted
          and not exists (select from oai.mapped m where @m_is_i@ and m.local_id = i.local_id);
    with item as (
        select i.id, i.deleted,
               not exists (select from oai.mapped m where @m_is_i@ and m.local_id = i.local_id)
               or exists (select from oai.withheld w where w.local_id = i.local_id) as gone
        from @unnested@ join oai.item i on i.local_id = @k_local_id@),
    turned as (update oai.item i set deleted = t.gone from item t where i.id = t.id and t.deleted <> t.gone returning i.id)
    insert into oai.queue (id) select t.id from item t where not t.deleted union select t.id from turned t;
end $body$;
)sql";

// The same for all items. What was published is queued only if it is different now.
inline constexpr std::string_view kRefreshAll = R"sql(
create or replace function oai.map_refresh_all() returns void
language plpgsql security definer set search_path = pg_catalog set jit = off as $body$
begin
    insert into oai.set (parent, spec, name)
    select r.id, s.spec, s.name
    from (select u.spec, min(u.name) as name from oai.mapped m, unnest(m.specs, m.set_names) u(spec, name) group by u.spec) s
         join oai.set r on r.spec = split_part(s.spec, ':', 1)
    where not exists (select from oai.set o where o.spec = s.spec)
    order by s.spec   -- as all do, so that no two wait for each other
    on conflict (spec) do nothing;
    insert into oai.item (local_id, datestamp, @keys@)
    select m.local_id, m.brought, @m_keys@ from oai.mapped m
    where length(m.local_id) between 1 and 1000 and not exists (select from oai.item i where i.local_id = m.local_id)
          and not exists (select from oai.withheld w where w.local_id = m.local_id)
    order by @m_keys@
    on conflict (local_id) do nothing;
    delete from oai.item i
    where i.seq is null and not i.deleted
          and not exists (select from oai.mapped m where @m_is_i@ and m.local_id = i.local_id);
    with item as (
        select i.id, i.seq, i.deleted, i.checksum, @i_keys@,
               not exists (select from oai.mapped m where @m_is_i@ and m.local_id = i.local_id)
               or exists (select from oai.withheld w where w.local_id = i.local_id) as gone
        from oai.item i),
    turned as (update oai.item i set deleted = t.gone from item t where i.id = t.id and t.deleted <> t.gone returning i.id)
    insert into oai.queue (id)
    select i.id from item i
    where not i.deleted and not i.gone
          and case when i.seq is null then true
                   else i.checksum is distinct from (select m.checksum from oai.mapped m where @m_is_i@ limit 1) end
    union all select t.id from turned t;
end $body$;
)sql";

// What harvesters were told of, for oai.map_problems() and oai.map_refresh_all().
inline constexpr std::string_view kNoteChecksum = R"sql(
create or replace function oai.map_note_checksum() returns trigger
language plpgsql security definer set search_path = pg_catalog as $body$
begin
    new.checksum := (select m.checksum from oai.mapped m where @m_is_new@ limit 1);
    return new;
end $body$;
create or replace trigger note_checksum before update of seq on oai.item for each row
    when (new.seq is distinct from old.seq and not new.deleted) execute function oai.map_note_checksum();
)sql";

// Runs with the rights of its owner, so that programs which write the table need none in schema
// oai.
inline constexpr std::string_view kTrigger = R"sql(
create or replace function oai.@function@() returns trigger
language plpgsql security definer set search_path = pg_catalog as $body$
declare
    @key_variables@
begin
    if tg_op = 'INSERT' then
        select @collected@ into @variables@ from (@keys_of_inserted@) k;
    elsif tg_op = 'DELETE' then
        select @collected@ into @variables@ from (@keys_of_deleted@) k;
    elsif tg_op = 'UPDATE' then
        select @collected@ into @variables@ from (@keys_of_updated@) k;
    else
        perform oai.map_refresh_all();
    end if;
    if keys_1 is not null then
        perform oai.map_refresh(@variables@);
    end if;
    return null;
end $body$;
)sql";
inline constexpr std::string_view kCreateTriggers = R"sql(
create or replace trigger @oai_insert@ after insert on @part@ referencing new table as changed
    for each statement execute function oai.@function@();
create or replace trigger @oai_update@ after update on @part@ referencing old table as was new table as changed
    for each statement execute function oai.@function@();
create or replace trigger @oai_delete@ after delete on @part@ referencing old table as was
    for each statement execute function oai.@function@();
create or replace trigger @oai_truncate@ after truncate on @part@
    for each statement execute function oai.@function@();
alter table @part@ enable always trigger @oai_insert@, enable always trigger @oai_update@,
    enable always trigger @oai_delete@, enable always trigger @oai_truncate@;
)sql";

// Bounded by `rows` each: reads on in the source, from the key where it was; looks there for as
// many rows of the copy. Keys are compared where they are, so that servers may sort them otherwise.
inline constexpr std::string_view kPoll = R"sql(
create or replace function oai.map_poll(page_rows integer, believe boolean, out compared bigint, out written bigint, out gone bigint,
                                        out ended boolean)
language plpgsql security definer set search_path = pg_catalog as $body$
declare
    state oai.mapping;
    last  text[];
    @key_variables@
begin
    select * into state from oai.mapping for update;
    create temporary table map_page (like oai.copy, map_n bigint) on commit drop;
    if state.polled_after is null then
        insert into pg_temp.map_page
        select p.*, row_number() over () from (select s.* from oai.source s order by @s_keys@ limit page_rows) p;
    else
        insert into pg_temp.map_page
        select p.*, row_number() over ()
        from (select s.* from oai.source s where (@s_keys@) > (@after@) order by @s_keys@ limit page_rows) p;
    end if;
    select array[@p_keys_text@] into last from pg_temp.map_page p order by p.map_n desc limit 1;
    select count(*) into compared from pg_temp.map_page;
    ended := compared < page_rows;
    update oai.mapping set polled_after = case when not ended then last end;
    with differing as (
        select @p_columns@ from pg_temp.map_page p left join oai.copy c on @c_is_p@
        where c.key_1 is null or row(@c_columns@)::record *<> row(@p_columns@)::record),
    put as (insert into oai.copy (@columns@) select * from differing on conflict (@keys@) do update set @assignments@ returning @keys@)
    select @collected@, count(*) into @variables@, written from put k;
    if written > 0 then
        perform oai.map_refresh(@variables@);
    end if;

    delete from pg_temp.map_page;
    if state.compared_after is null then
        insert into pg_temp.map_page select c.*, row_number() over () from oai.copy c order by @c_keys@ limit page_rows;
    else
        insert into pg_temp.map_page
        select c.*, row_number() over () from oai.copy c where (@c_keys@) > (@compared_after@) order by @c_keys@ limit page_rows;
    end if;
    last := null;
    select array[@p_keys_text@] into last from pg_temp.map_page p order by @p_keys@ desc limit 1;
    update oai.mapping set compared_after = case when (select count(*) from pg_temp.map_page) >= page_rows then last end;
    select @collected@ into @variables@ from pg_temp.map_page k;
    with there as materialized (select @s_keys@ from oai.source s where @s_any@),
    removed as (
        delete from oai.copy c using pg_temp.map_page p
        where @c_is_p@ and not exists (select from there s where @s_is_c@) returning @returned_c_keys@)
    select @collected@, count(*) into @variables@, gone from removed k;
    if gone > 10 and not believe and gone * 2 > (select count(*) from pg_temp.map_page) then
        raise exception '% of % rows are gone from the source', gone, (select count(*) from pg_temp.map_page)
            using hint = 'If that is right: oai map --poll --believe';
    end if;
    if gone > 0 then
        perform oai.map_refresh(@variables@);
    end if;
end $body$;
revoke execute on function oai.map_poll from public;
grant execute on function oai.map_poll to oai_publisher;
)sql";

// Differences between what harvesters see and what the tables hold, of an item or of a table.
// `sample`: look at about so many items and rows; null: at all.
inline constexpr std::string_view kProblems = R"sql(
create or replace function oai.map_problems(sample integer) returns table (local_id text, relation text, problem text)
language plpgsql security definer set search_path = pg_catalog set jit = off as $body$
#variable_conflict use_column
declare
    ids     bigint[];
    percent real;
    @key_variables@
begin
    if sample is null then
        return query @all_items@;
        return query @all_rows@;@all_source@
    else
        ids := array(select o.low + (random() * (o.high - o.low))::bigint
                      from (select min(id) as low, max(id) as high from oai.item) o, generate_series(1, sample));
        percent := (select least(100, 300.0 * sample / greatest(1, c.reltuples)) from pg_class c where c.oid = @sampled@::regclass);
        return query @some_items@;
        return query @some_rows@;@some_source@
    end if;@triggers@
end $body$;
revoke execute on function oai.map_problems from public;
grant execute on function oai.map_problems to oai_reader, oai_publisher;
)sql";
inline constexpr std::string_view kItemProblems = R"sql(
        select i.local_id, null::text, p.problem
        from (select i.*, m.key_1 is not null and m.local_id = i.local_id as is_there, m.checksum as checksum_now
              from oai.item i left join oai.mapped m on @m_is_i@ where @which@) i,
             lateral (values
                (not i.deleted and not i.is_there, 'has no row any more, but is not deleted'),
                (i.deleted and i.is_there and not exists (select from oai.withheld w where w.local_id = i.local_id),
                 'is deleted, but has a row'),
                (not i.deleted and i.is_there and i.seq is not null and i.checksum is distinct from i.checksum_now
                 and not exists (select from oai.queue q where q.id = i.id), 'has changed, and harvesters were not told')
             ) p(found, problem)
        where p.found)sql";
inline constexpr std::string_view kRowProblems = R"sql(
        select m.local_id, null::text, p.problem
        from @from@,
             lateral (
                select 'has a row, but is no item' as problem
                where length(m.local_id) between 1 and 1000 and not exists (select from oai.item i where i.local_id = m.local_id)
                      and not exists (select from oai.withheld w where w.local_id = m.local_id)
                union all
                select format('belongs to %s, which is no row of oai.set', s.spec) from unnest(m.specs) s(spec)
                where not exists (select from oai.set o where o.spec = s.spec)
             ) p)sql";
inline constexpr std::string_view kSourceProblems = R"sql(
        return query
        select coalesce(s.local_id, c.local_id), null::text,
               case when c.key_1 is null then 'is in the source, but was not polled yet'
                    when s.key_1 is null then 'is gone from the source since it was polled'
                    else 'has changed in the source since it was polled' end
        from (select * from oai.copy c where @c_any@) c full join (select * from oai.source s where @s_any@) s on @s_is_c@
        where c.key_1 is null or s.key_1 is null or row(@c_columns@)::record *<> row(@s_columns@)::record;)sql";
// The keys of a sample, before that.
inline constexpr std::string_view kSampledKeys = R"sql(
        select @collected@ into @variables@ from (select * from oai.copy tablesample system (percent) limit sample) k;)sql";
inline constexpr std::string_view kTriggerProblems = R"sql(
    return query
    with recursive part as (
        select unnest(@tables@::regclass[])::oid as oid
        union select i.inhrelid from pg_inherits i join part p on p.oid = i.inhparent)
    select null::text, p.oid::regclass::text, 'lacks triggers that tell of changes; run oai map again'
    from part p
    where 4 > (select count(*) from pg_trigger t join pg_proc f on f.oid = t.tgfoid
               where t.tgrelid = p.oid and t.tgenabled in ('O', 'A') and f.pronamespace = 'oai'::regnamespace
                     and f.proname like 'map\_%\_changed')
    union all
    select null::text, r.srrelid::regclass::text, 'lacks triggers that logical replication runs; write changes = poll, and run oai map again'
    from part p join pg_subscription_rel r on r.srrelid = p.oid
    union all
    select null::text, u.relation, format('has no column %s any more, so that programs which write it may fail; mend map.ini, and run oai map', u.name)
    from (values @columns@) u(relation, name)
    where not exists (select from pg_attribute a where a.attrelid = u.relation::regclass and a.attname = u.name and not a.attisdropped)
    union all
    select null::text, k.relation, 'has no unique index on the key any more, and rows with the same key are one item; make one again, and run oai map'
    from (values (@table@, @key@::name[])) k(relation, key)
    where not exists (
        select from pg_index x where x.indrelid = k.relation::regclass and x.indisunique and x.indisvalid and x.indpred is null
            and not exists (
                select from generate_series(0, x.indnkeyatts - 1) n(n)
                where not exists (select from pg_attribute a where a.attrelid = x.indrelid and a.attnum = x.indkey[n.n] and a.attname = any (k.key))));)sql";

// `oai delete`, undelete and purge (schema/005-deletion.sql).
inline constexpr std::string_view kDeletion = R"sql(
create or replace function oai.mark_deleted(ids bigint[], mark boolean) returns setof bigint
language sql security definer set search_path = pg_catalog as $body$
    with wanted as (
        select i.id, i.local_id,
               mark or not exists (select from oai.mapped m where @m_is_i@ and m.local_id = i.local_id) as gone
        from oai.item i where i.id = any (ids) and i.deleted <> mark),
    withheld as (insert into oai.withheld (local_id) select w.local_id from wanted w where mark on conflict do nothing),
    given as (delete from oai.withheld h using wanted w where h.local_id = w.local_id and not mark),
    marked as (update oai.item i set deleted = mark from wanted w where i.id = w.id and w.gone = mark returning i.id),
    queued as (insert into oai.queue (id) select m.id from marked m)
    select m.id from marked m
$body$;
create or replace function oai.remove_items(ids bigint[]) returns void
language sql security definer set search_path = pg_catalog as $body$
    delete from oai.item where id = any (ids) and deleted
$body$;
)sql";

inline constexpr std::string_view kRights = R"sql(
revoke execute on function oai.map_refresh, oai.map_refresh_all, oai.map_note_checksum, oai.mark_deleted, oai.remove_items
    from public;
grant select on oai.item, oai.record, oai.membership, oai.mapped to oai_reader;
grant select on oai.item, oai.record, oai.membership to oai_publisher;
grant update on oai.item to oai_publisher;
grant select on oai.item to oai_loader;
grant execute on function oai.find_item to oai_reader, oai_publisher, oai_loader;
grant execute on function oai.mark_deleted to oai_loader;
grant execute on function oai.remove_items to oai_publisher;
select oai.protect_items('oai.item');
)sql";

// The file, as it was applied.
inline constexpr std::string_view kNote = R"sql(
insert into oai.mapping (definition) values (@definition@)
    on conflict (single) do update set definition = excluded.definition, applied_at = now(), polled_after = null,
        compared_after = null;
)sql";

// What an earlier mapping has made and this one has not. The triggers go with their functions.
inline constexpr std::string_view kDropOld = R"sql(
do $body$
declare
    old regprocedure;
begin
    for old in select p.oid from pg_proc p
               where p.pronamespace = 'oai'::regnamespace and p.proname like 'map\_%' and p.oid <> all (@functions@::regprocedure[])
    loop
        execute format('drop function %s cascade', old);
    end loop;
end $body$;
)sql";

}  // namespace oai::mapping::templates
