-- SPDX-License-Identifier: MIT
-- What `oai check` and `oai map --check` ask.

--- problems
-- Differences between what harvesters see and what the tables hold, of an item or of a table.
-- `sample`: look at about so many items and rows; null: at all.
create or replace function oai.map_problems(sample integer)
    returns table (local_id text, relation text, problem text)
language plpgsql security definer set search_path = pg_catalog set jit = off set datestyle = 'ISO'
set intervalstyle = 'iso_8601' set timezone = 'UTC' set extra_float_digits = 1 as $body$
#variable_conflict use_column
declare
    ids     bigint[];
    percent real;
    @key_variables@
begin
    return query select null::text, 'the source'::text, 'cannot be read: ' || m.problem from oai.mapping m
        where m.problem is not null;
    return query
        select null::text, 'the source'::text,
            format('has lost %s of %s rows, whose items stay for an hour, or until oai map --believe',
                   n.missing, n.rows)
        from (select count(c.missing_since) as missing, count(*) as rows from oai.copy c) n
        where n.missing > 0;
    @triggers@
    if sample is null then
        return query @all_items@;
        return query @all_rows@;
    else
        ids := array(select o.low + (random() * (o.high - o.low))::bigint
                      from (select min(id) as low, max(id) as high
                          from oai.item) o, generate_series(1, sample));
        percent := (select least(100, 300.0 * sample / greatest(1, c.reltuples)) from pg_class c
            where c.oid = 'oai.copy'::regclass);
        return query @some_items@;
        return query @some_rows@;
@sampled_keys@
    end if;
    begin
        return query @source_problems@;
    exception when others then
        return query select null::text, 'the source'::text,
            format('cannot be read now: %s (SQLSTATE %s)', sqlerrm, sqlstate);
    end;
end $body$;
revoke execute on function oai.map_problems from public;
grant execute on function oai.map_problems to oai_reader, oai_publisher;

--- item_problems
        select i.local_id, null::text, p.problem
        from (select i.*, m.local_id is not null as is_there, m.checksum as
            checksum_now
              from oai.item i left join oai.mapped m on m.local_id = i.local_id where @which@) i,
             lateral (values
                (not i.deleted and not i.is_there, 'has no row any more, but is not deleted'),
                (i.deleted and i.is_there and not exists (select from oai.withheld w
                    where w.local_id = i.local_id),
                 'is deleted, but has a row'),
                (not i.deleted and i.is_there and i.seq is not null and i.checksum is distinct
                    from i.checksum_now
                 and not exists (select from oai.queue q where q.id = i.id),
                     'has changed, and harvesters were not told')
             ) p(found, problem)
        where p.found

--- row_problems
        select m.local_id, null::text, p.problem
        from @from@,
             lateral (
                select 'has a row, but is no item' as problem
                where length(m.local_id) between 1 and 1000 and not exists (select from oai.item i
                    where i.local_id = m.local_id)
                      and not exists (select from oai.withheld w where w.local_id = m.local_id)
                union all
                select format('belongs to %s, which is no row of oai.set', s.spec)
                    from unnest(m.specs) s(spec)
                where not exists (select from oai.set o where o.spec = s.spec)
             ) p

--- source_problems
        select coalesce(s.local_id, c.local_id), null::text,
               case when c.local_id is null then 'is in the source, but has not come here yet'
                    when s.local_id is null then 'is gone from the source, but not here'
                    when s.map_n > 1 then 'shares its key with other rows, so they are left out'
                    else 'has changed in the source, but not here' end
        from (select * from oai.copy c where sample is null or (@c_any@)) c full join (
            select s.*, count(*) over (partition by @s_keys@) as map_n from (@rows@) s
            where sample is null or (@s_any@)) s
            on @s_is_c@
        where c.local_id is null or s.local_id is null or s.map_n > 1
              or row(@c_columns@)::record *<> row(@s_columns@)::record

--- sampled_keys
-- The keys of a sample, before that.
        select @collected@ into @variables@ from (select * from oai.copy tablesample system (percent)
            limit sample) k;

--- trigger_problems
    return query
    with recursive part as (
        select to_regclass(t)::oid as oid from unnest(@tables@) t
        union select i.inhrelid from pg_inherits i join part p on p.oid = i.inhparent)
    select null::text, p.oid::regclass::text, 'lacks triggers that tell of changes; run oai map again'
    from part p
    where p.oid is not null and 4 > (select count(*) from pg_trigger t join pg_proc f on f.oid = t.tgfoid
               where t.tgrelid = p.oid and t.tgenabled = 'A' and f.pronamespace = 'oai'::regnamespace
                     and f.proname like 'map\_%\_changed')
    union all
    select null::text, r.srrelid::regclass::text,
        'lacks triggers that logical replication runs; write changes = poll, and run oai map again'
    from part p join pg_subscription_rel r on r.srrelid = p.oid
    union all
    select null::text, u.relation,
        format('has no column %s any more; mend map.ini, and run oai map', u.name)
    from (values @columns@) u(relation, name)
    where not exists (select from pg_attribute a where a.attrelid = to_regclass(u.relation)
        and a.attname = u.name and not a.attisdropped)
    union all
    select null::text, k.relation,
        'has no unique index on the key any more, and rows with the same key are left out; '
        'make one again, and run oai map'
    from (values (@table@, @key@::name[])) k(relation, key)
    where not exists (
        select from pg_index x where x.indrelid = to_regclass(k.relation) and x.indisunique and x.indisvalid
            and x.indpred is null
            and not exists (
                select from generate_series(0, x.indnkeyatts - 1) n(n)
                where not exists (select from pg_attribute a where a.attrelid = x.indrelid
                    and a.attnum = x.indkey[n.n] and a.attname = any (k.key))));
