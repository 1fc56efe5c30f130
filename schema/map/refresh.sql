-- SPDX-License-Identifier: MIT
-- How a change of these tables reaches the items.

--- refresh
-- Brings the items of some keys to what the tables hold, and queues them.
drop function if exists oai.map_refresh;   -- the types of the keys may be others
create or replace function oai.map_refresh(@key_arrays@) returns void
language plpgsql security definer set search_path = pg_catalog set jit = off as $body$
begin
    insert into oai.set (parent, spec, name)
    select r.id, s.spec, s.name
    from (select u.spec, min(u.name) as name
          from @unnested@ join oai.mapped m on @m_is_k@, unnest(m.specs, m.set_names) u(spec, name) group by
              u.spec) s
         join oai.set r on r.spec = split_part(s.spec, ':', 1)
    where not exists (select from oai.set o where o.spec = s.spec)
    order by s.spec   -- as all do, so that no two wait for each other
    on conflict (spec) do nothing;
    insert into oai.item (local_id, datestamp, @keys@)
    select m.local_id, m.brought, @m_keys@ from @unnested@ join oai.mapped m on @m_is_k@
    where length(m.local_id) between 1 and 1000 and not exists (select from oai.item i
        where i.local_id = m.local_id)
          and not exists (select from oai.withheld w where w.local_id = m.local_id)
    on conflict (local_id) do nothing;
    -- What no harvester has seen leaves nothing behind. Before the next statement, which sees what the
    -- publisher has done meanwhile.
    delete from oai.item i using @unnested@
    where i.local_id = @k_local_id@ and i.seq is null and not i.deleted
          and not exists (select from oai.mapped m where @m_is_i@ and m.local_id = i.local_id);
    with item as (
        select i.id, i.deleted,
               not exists (select from oai.mapped m where @m_is_i@ and m.local_id = i.local_id)
               or exists (select from oai.withheld w where w.local_id = i.local_id) as gone
        from @unnested@ join oai.item i on i.local_id = @k_local_id@),
    turned as (update oai.item i set deleted = t.gone from item t where i.id = t.id
        and t.deleted <> t.gone returning i.id)
    insert into oai.queue (id) select t.id from item t where not t.deleted union select t.id from turned t;
end $body$;

--- refresh_all
-- The same for all items. What was published is queued only if it is different now.
create or replace function oai.map_refresh_all() returns void
language plpgsql security definer set search_path = pg_catalog set jit = off as $body$
begin
    insert into oai.set (parent, spec, name)
    select r.id, s.spec, s.name
    from (select u.spec, min(u.name) as name from oai.mapped m, unnest(m.specs, m.set_names) u(spec, name)
        group by u.spec) s
         join oai.set r on r.spec = split_part(s.spec, ':', 1)
    where not exists (select from oai.set o where o.spec = s.spec)
    order by s.spec   -- as all do, so that no two wait for each other
    on conflict (spec) do nothing;
    insert into oai.item (local_id, datestamp, @keys@)
    select m.local_id, m.brought, @m_keys@ from oai.mapped m
    where length(m.local_id) between 1 and 1000 and not exists (select from oai.item i
        where i.local_id = m.local_id)
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
    turned as (update oai.item i set deleted = t.gone from item t where i.id = t.id
        and t.deleted <> t.gone returning i.id)
    insert into oai.queue (id)
    select i.id from item i
    where not i.deleted and not i.gone
          and case when i.seq is null then true
                   else i.checksum is distinct from (select m.checksum from oai.mapped m where @m_is_i@
                       limit 1) end
    union all select t.id from turned t;
end $body$;

--- note_checksum
-- What harvesters were told of, for oai.map_problems() and oai.map_refresh_all().
create or replace function oai.map_note_checksum() returns trigger
language plpgsql security definer set search_path = pg_catalog as $body$
begin
    new.checksum := (select m.checksum from oai.mapped m where @m_is_new@ limit 1);
    return new;
end $body$;
create or replace trigger note_checksum before update of seq on oai.item for each row
    when (new.seq is distinct from old.seq and not new.deleted) execute function oai.map_note_checksum();

--- trigger
-- Runs with the rights of its owner, so that programs which write the table need none in schema
-- oai.
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
