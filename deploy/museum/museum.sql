-- SPDX-License-Identifier: MIT
-- A repository by views and triggers of one's own, for what `oai map` cannot do: a museum whose tables have
-- no model of ours. It has museum.room (id, name) and museum.object (inventory, label, maker, made, room),
-- and programs that write them; neither changes. Install the core alone, `oai schema install` without
-- --model, change what follows to your tables, and run it as the owner of the schema; `oai check` then
-- tells whether all of it holds. The first format is oai_dc.xsl beside this file.

-- The server reads only schema oai: the tables of sets and numbers, which the publisher keeps, and four
-- things that say what is different in a repository. The first is a row for each object that harvesters
-- have seen, which stays when the object goes.
create table oai.item (
    id        bigint generated always as identity primary key,
    seq       bigint,                                -- the publisher's, as datestamp and set_ids
    local_id  text not null unique,
    datestamp timestamptz,
    deleted   boolean not null default false,
    set_ids   integer[] not null default '{}');
create unique index item_seq on oai.item (seq) where seq is not null;

-- Views say in which sets an item is, and what stylesheets see of it: scalars become attributes, arrays and
-- xml elements. A page is read by seq: join by keys, and it costs the same at any depth.
create view oai.membership as
    select i.*, array(select s.id from museum.object o join oai.set s on s.spec = 'room:' || o.room
                      where o.inventory = i.local_id) as sets_now
    from oai.item i;
create view oai.record as
    select i.*, o.label, o.maker, o.made as year
    from oai.item i left join museum.object o on o.inventory = i.local_id;
create function oai.find_item(local_id text) returns bigint language sql stable as $$
    select i.id from oai.item i where i.local_id = find_item.local_id
$$;

-- Triggers put the id of whatever changes into the publisher's queue: inserted objects become items,
-- changed ones are published again, deleted ones leave tombstones, and a new room becomes a set below
-- `room`. They run with the rights of whoever made them, so programs that write the museum's tables need
-- none in schema oai.
create function museum.publish_objects() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
begin
    if tg_op = 'INSERT' then
        with present as (insert into oai.item (local_id) select c.inventory from changed c
                         on conflict (local_id) do update set deleted = false returning id)
        insert into oai.queue (id) select p.id from present p;
    elsif tg_op = 'DELETE' then
        with gone as (update oai.item i set deleted = true from was w where i.local_id = w.inventory returning i.id)
        insert into oai.queue (id) select g.id from gone g;
    else   -- the same objects with other contents, and those with another number
        insert into oai.queue (id) select i.id from was w join changed c using (inventory)
        join oai.item i on i.local_id = w.inventory where w *<> c;
        with gone as (update oai.item i set deleted = true from was w where i.local_id = w.inventory
                      and not exists (select from changed c where c.inventory = w.inventory) returning i.id),
        present as (insert into oai.item (local_id) select c.inventory from changed c
                    where not exists (select from was w where w.inventory = c.inventory)
                    on conflict (local_id) do update set deleted = false returning id)
        insert into oai.queue (id) select g.id from gone g union all select p.id from present p;
    end if;
    return null;
end $$;
create trigger publish_inserted after insert on museum.object referencing new table as changed
    for each statement execute function museum.publish_objects();
create trigger publish_updated after update on museum.object referencing old table as was new table as changed
    for each statement execute function museum.publish_objects();
create trigger publish_deleted after delete on museum.object referencing old table as was
    for each statement execute function museum.publish_objects();
create function museum.add_set() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
begin
    insert into oai.set (parent, spec, name)
    select s.id, 'room:' || new.id, new.name from oai.set s where s.spec = 'room';
    return null;
end $$;
create trigger add_set after insert on museum.room for each row execute function museum.add_set();
revoke execute on function museum.publish_objects, museum.add_set from public;

-- What is there already, and who may do what. The last line keeps id, seq and set_ids, and the datestamp
-- and local_id of published items, for the publisher alone. Call it again after a role was made that may
-- write the table, or the table got a column.
insert into oai.set (spec, name) values ('room', 'Rooms');
insert into oai.set (parent, spec, name)
    select s.id, 'room:' || r.id, r.name from museum.room r, oai.set s where s.spec = 'room';
insert into oai.item (local_id) select inventory from museum.object order by inventory;
insert into oai.queue (id) select id from oai.item order by id;
grant select on oai.item, oai.record to oai_reader;
grant select, update on oai.item to oai_publisher;
grant select on oai.membership, oai.record to oai_publisher;
grant select on oai.record to oai_rule;                               -- for conditions of sets and formats
grant select on oai.membership to oai_reader;                          -- for oai check
select oai.protect_items('oai.item');

-- `oai delete`, `undelete` and `purge` need two functions more.
create function oai.mark_deleted(ids bigint[], mark boolean) returns setof bigint
language sql security definer set search_path = pg_catalog as $$
    with marked as (update oai.item set deleted = mark where id = any (ids) and deleted <> mark returning id),
         queued as (insert into oai.queue (id) select id from marked)
    select id from marked
$$;
create function oai.remove_items(ids bigint[]) returns void
language sql security definer set search_path = pg_catalog as $$
    delete from oai.item where id = any (ids) and deleted
$$;
revoke execute on function oai.mark_deleted, oai.remove_items from public;
grant select on oai.item to oai_loader;
grant execute on function oai.mark_deleted to oai_loader;
grant execute on function oai.remove_items to oai_publisher;

-- The pages for people search by words where there is a function oai.search. Its rows say by `part` what
-- they are:
--   found       number: how many match; value: all, capped (there are more), or newest of `label` that were looked through
--   record      value: the local_id; title, creator, date and address, a URL; the best first, at most n
--   next        value: what to pass as `after` for the records that follow; no such row: there are none
--   kind, language, year, collection   value, for `filters` as kind=VALUE; label for people; number of those found
--   behind      number: so many publications are not in the index yet
--   nothing     there is nothing in the words that could be looked for
-- For as many objects as one index scan ranks in 0.3 seconds this does; oai.word_query makes a query of
-- what was typed.
create index object_words on museum.object
    using gin (to_tsvector('oai.words', coalesce(label, '') || ' ' || coalesce(maker, '')));
create view oai.object_words as select inventory, label, maker, made from museum.object;
create function oai.search(words text, filters text[], after text, n integer, newest_only boolean default false)
returns table (part text, value text, label text, number bigint, title text, creator text, date text, address text)
language sql stable set search_path = pg_catalog set enable_bitmapscan = on as $$
    with found as materialized (
        select i.local_id, o.label, o.maker, o.made
        from oai.object_words o join oai.item i on i.local_id = o.inventory
        where to_tsvector('oai.words', coalesce(o.label, '') || ' ' || coalesce(o.maker, '')) @@ oai.word_query(words)
          and i.seq is not null and not i.deleted limit 1000)
    select 'found', case when count(*) < 1000 then 'all' else 'capped' end, null, count(*), null, null, null, null from found
    union all
    (select 'record', f.local_id, null, null, f.label, f.maker, f.made::text, null from found f order by f.label limit n)
$$;
revoke execute on function oai.search from public;
grant select on oai.object_words to oai_reader;
grant execute on function oai.search to oai_reader;

-- A table whose rows are the items themselves, with the columns of oai.item among its own, needs no table
-- beside it, only a view oai.item; then oai.track_items takes the place of these triggers and of
-- oai.protect_items. Both shipped models are made so, with oai.track_names for names that make a tree of
-- sets, and the library also with oai.track_filing for a table that puts items into sets; \df+ oai.track_*
-- shows what each takes.
