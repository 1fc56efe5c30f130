-- SPDX-License-Identifier: MIT
-- How the items follow the copy, and what triggers leave for it.

--- refresh
-- Brings items to what the copy holds, and queues those that differ from what was published.
drop function if exists oai.map_refresh;
create function oai.map_refresh(local_ids text[]) returns void
language plpgsql security definer set search_path = pg_catalog set jit = off as $body$
begin
    insert into oai.set (parent, spec, name)
    select r.id, s.spec, s.name
    from (select u.spec, min(u.name) as name
          from unnest(local_ids) k(local_id) join oai.copy m on m.local_id = k.local_id,
               unnest(m.specs, m.set_names) u(spec, name) group by u.spec) s
         join oai.set r on r.spec = split_part(s.spec, ':', 1)
    where not exists (select from oai.set o where o.spec = s.spec)
    order by s.spec   -- as all do, so that no two wait for each other
    on conflict (spec) do nothing;
    insert into oai.item (local_id, datestamp)
    select m.local_id, m.brought from unnest(local_ids) k(local_id) join oai.copy m on m.local_id = k.local_id
    where length(m.local_id) between 1 and 1000
          and not exists (select from oai.withheld w where w.local_id = m.local_id)
    order by m.local_id
    on conflict (local_id) do nothing;
    -- What no harvester has seen leaves nothing behind. Before the next statement, which sees what the
    -- publisher has done meanwhile.
    delete from oai.item i using unnest(local_ids) k(local_id)
    where i.local_id = k.local_id and i.seq is null and not i.deleted
          and not exists (select from oai.copy m where m.local_id = i.local_id);
    with item as (
        select i.id, i.seq, i.deleted, i.checksum, m.checksum as checksum_now,
               m.local_id is null or exists (select from oai.withheld w where w.local_id = i.local_id) as gone
        from unnest(local_ids) k(local_id) join oai.item i on i.local_id = k.local_id
             left join oai.mapped m on m.local_id = i.local_id),
    turned as (update oai.item i set deleted = t.gone from item t where i.id = t.id
        and t.deleted <> t.gone returning i.id)
    insert into oai.queue (id)
    select t.id from item t
    where not t.deleted and not t.gone and (t.seq is null or t.checksum is distinct from t.checksum_now)
    union select t.id from turned t
    order by 1;
end $body$;

--- note_checksum
-- What harvesters were told of, for oai.map_problems() and oai.map_refresh().
create or replace function oai.map_note_checksum() returns trigger
language plpgsql security definer set search_path = pg_catalog as $body$
begin
    new.checksum := (select m.checksum from oai.mapped m where m.local_id = new.local_id);
    return new;
end $body$;
create or replace trigger note_checksum before update of seq on oai.item for each row
    when (new.seq is distinct from old.seq and not new.deleted) execute function oai.map_note_checksum();

--- trigger
-- Appends the columns that lead to items, as text, and nothing else: nothing here waits or fails. Where a
-- column has another name now, or is gone, all of the table is looked at. Runs with the rights of its owner,
-- so that programs which write the table need none in schema oai.
create or replace function oai.@function@() returns trigger
language plpgsql security definer set search_path = pg_catalog as $body$
begin
    if tg_op = 'TRUNCATE' or @count@ <> (select count(*) from pg_attribute a where a.attrelid = tg_relid
            and a.attname = any (array[@names@]::name[]) and not a.attisdropped) then
        insert into oai.map_log (source) values (@source@);
    elsif tg_op = 'INSERT' then
        insert into oai.map_log select @source@, array[@columns@] from changed x;
    elsif tg_op = 'DELETE' then
        insert into oai.map_log select @source@, array[@columns@] from was x;
    else
        insert into oai.map_log select @source@, array[@columns@] from was x
        union all select @source@, array[@columns@] from changed x;
    end if;
    return null;
end $body$;

--- create_triggers
create or replace trigger @oai_insert@ after insert on @part@ referencing new table as changed
    for each statement execute function oai.@function@();
create or replace trigger @oai_update@ after update
    on @part@ referencing old table as was new table as changed
    for each statement execute function oai.@function@();
create or replace trigger @oai_delete@ after delete on @part@ referencing old table as was
    for each statement execute function oai.@function@();
create or replace trigger @oai_truncate@ after truncate on @part@
    for each statement execute function oai.@function@();
alter table @part@ enable always trigger @oai_insert@, enable always trigger @oai_update@,
    enable always trigger @oai_delete@, enable always trigger @oai_truncate@;
