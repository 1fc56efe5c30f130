-- SPDX-License-Identifier: MIT
-- What belongs to the publisher: the numbers, datestamps and published sets of items, and the counters of sets. If a
-- writer changed them, a record could vanish from the lists or come back under an old datestamp, and no harvester would
-- learn of it. Writers have no rights on these columns; triggers refuse such changes by the owners of the tables and
-- by superusers, who have every right. The triggers come with the data of a dump only after the data, like all
-- triggers, so that pg_restore is not disturbed.

-- Returns whether this transaction publishes: it has said so by the setting oai.publisher, and it holds the row of
-- oai.horizon, which no writer may lock. The setting alone proves nothing, because every role may change it.
create function oai.is_publishing() returns boolean language plpgsql volatile security definer set search_path = pg_catalog as $$
declare
    own xid := pg_current_xact_id_if_assigned()::xid;
begin
    return current_setting('oai.publisher', true) is not distinct from 'on'
        and exists (select from oai.horizon o where o.xmin = own or o.xmax = own);
end $$;

-- The same triggers as in 007-triggers.sql, which trusted the setting alone.
create or replace function oai.queue_updated() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
begin
    if not oai.is_publishing() then
        insert into oai.queue (id) select c.id from was w join changed c using (id) where w *<> c;
    end if;
    return null;
end $$;

-- Refuses a change of the publisher's columns. The conditions are those of the triggers that call it.
create function oai.refuse_numbering() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' and new.id <> old.id then
        raise exception '%.%: the id of item % cannot become %', tg_table_schema, tg_table_name, old.id, new.id
            using hint = 'Delete the item, which leaves a tombstone, and insert it anew.';
    end if;
    raise exception '%.%, item %: the publisher alone writes seq, set_ids and, once the item is published, its datestamp and identifier',
        tg_table_schema, tg_table_name, new.id
        using hint = 'Leave these columns out; a changed item is published by itself, with a new number.';
end $$;

-- Protects the columns of a table of items (oai.track_items) that belong to the publisher. Roles that may write the
-- whole table may from then on write all columns that it has now but these. May be called again, and has to be after
-- a role was granted INSERT or UPDATE on the whole table.
create function oai.protect_items(items regclass) returns void language plpgsql set search_path = pg_catalog as $protect$
declare
    new_local_id text := case when exists (select from pg_attribute where attrelid = items and attname = 'local_id')
                              then ' or old.local_id <> new.local_id' else '' end;
    writer       record;
begin
    execute format($create$
        create or replace trigger refuse_numbering before update on %1$s for each row
            when ((old.id <> new.id or old.seq is distinct from new.seq or old.set_ids is distinct from new.set_ids
                   or (old.seq is not null and (old.datestamp is distinct from new.datestamp%2$s)))
                  and current_setting('oai.publisher', true) is distinct from 'on')
            execute function oai.refuse_numbering();
        create or replace trigger refuse_numbered before insert on %1$s for each row
            when ((new.seq is not null or new.set_ids <> '{}')
                  and coalesce(current_setting('oai.publisher', true), '') not in ('on', 'tombstones'))
            execute function oai.refuse_numbering()$create$, items, new_local_id);
    for writer in
        select g.privilege_type as privilege, case when g.grantee = 0 then 'public' else quote_ident(r.rolname) end as role,
               (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
                where a.attrelid = items and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                  and a.attname <> all (case g.privilege_type when 'INSERT' then '{seq,set_ids}'
                                                              else '{id,seq,set_ids,datestamp}' end::name[])) as columns
        from pg_class c cross join lateral aclexplode(c.relacl) g left join pg_roles r on r.oid = g.grantee
        where c.oid = items and g.privilege_type in ('INSERT', 'UPDATE') and g.grantee <> c.relowner
          and r.rolname is distinct from 'oai_publisher'
    loop
        execute format('revoke %s on %s from %s', writer.privilege, items, writer.role);
        execute format('grant %s (%s) on %s to %s', writer.privilege, writer.columns, items, writer.role);
    end loop;
end $protect$;

-- As in 007-triggers.sql, and protects the columns. Tombstones are inserted with the number that the item has.
create or replace function oai.track_items(items regclass) returns void language plpgsql set search_path = pg_catalog as $track$
declare
    -- DELETE leaves a tombstone of each item that was published. Items that were never published are simply gone, and
    -- so are tombstones that are purged (005-deletion.sql). The columns are not listed, because a model may get
    -- further ones later.
    keep_tombstones text := oai.make_trigger_function(items, 'keep_tombstones', format($body$
declare
    setting text := coalesce(current_setting('oai.publisher', true), '');
begin
    if not oai.is_publishing() then
        perform set_config('oai.publisher', 'tombstones', true);
        insert into %1$s
        select t.* from was w, jsonb_populate_record(w::%1$s, '{"deleted": true}') t where w.seq is not null;
        perform set_config('oai.publisher', setting, true);
    end if;
    return null;
end $body$, items));
begin
    execute format('select id, seq, deleted, set_ids from %s limit 0', items);   -- Fails now, not on writes.
    execute format($create$
        create or replace trigger queue_inserted after insert on %1$s referencing new table as changed
            for each statement execute function oai.queue_inserted();
        create or replace trigger queue_updated after update on %1$s referencing old table as was new table as changed
            for each statement execute function oai.queue_updated();
        create or replace trigger keep_tombstones after delete on %1$s referencing old table as was
            for each statement execute function %2$s();
        create or replace trigger refuse_truncate before truncate on %1$s
            for each statement execute function oai.refuse_truncate()$create$, items, keep_tombstones);
    perform oai.protect_items(items);
end $track$;

-- Sets. A set that ever held an item keeps its place, its setSpec and its name: harvesters have them, and running
-- servers remember them.
alter table oai.set add column held boolean not null default false;   -- whether it ever held an item; written by the publisher
-- Which sets were emptied before this column existed is not known.
update oai.set set held = true where (select h is not null or filling is not null from oai.horizon);

create or replace function oai.place_set() returns trigger language plpgsql as $$
declare
    above oai.set;
begin
    if tg_op = 'UPDATE' and (old.held or old.item_count > 0 or new.id <> old.id
                             or exists (select from oai.set s where s.parent = old.id)) then
        raise exception 'set % holds or held items or sets: its id, setSpec, name and parent are in records already given out',
            old.spec using hint = 'Make a new set and move the items to it.';
    end if;
    new.path := array[new.id];
    if new.parent is not null then
        select * into above from oai.set where id = new.parent;
        new.path := above.path || new.id;
    end if;
    if coalesce(above.spec, '') <> regexp_replace(new.spec, ':?[^:]*$', '') then
        raise exception 'setSpec % does not lie below its parent %', new.spec, coalesce(above.spec, '(none)');
    end if;
    return new;
end $$;

create function oai.refuse_counting() returns trigger language plpgsql as $$
begin
    raise exception 'set %: the publisher alone counts its items', new.spec
        using hint = 'Leave out the columns item_count and held.';
end $$;
create trigger refuse_counted before insert on oai.set for each row
    when ((new.item_count <> 0 or new.held) and current_setting('oai.publisher', true) is distinct from 'on')
    execute function oai.refuse_counting();
create trigger refuse_counting before update on oai.set for each row
    when ((new.item_count <> old.item_count or new.held <> old.held)
          and current_setting('oai.publisher', true) is distinct from 'on')
    execute function oai.refuse_counting();

create function oai.refuse_removing_set() returns trigger language plpgsql as $$
begin
    raise exception 'sets that hold or held items are not removed, since their setSpecs are in records already given out'
        using hint = 'An empty set does no harm.';
end $$;
create trigger refuse_removing before delete on oai.set for each row when (old.held or old.item_count > 0)
    execute function oai.refuse_removing_set();
create trigger refuse_truncate before truncate on oai.set for each statement execute function oai.refuse_removing_set();

-- As in 002-publisher.sql, and notes that a set holds items.
create or replace function oai.move_numbers() returns void language plpgsql as $$
begin
    perform oai.collect_postings();
    update oai.set s set item_count = s.item_count + cardinality(p.come) - cardinality(p.gone), held = true
    from pg_temp.posting p where s.id = p.set_id and (cardinality(p.come) <> cardinality(p.gone) or not s.held);
    with place as materialized (   -- so that each number is looked up only once
        select p.set_id, k.first_seq, k.seqs, u.seq
        from pg_temp.posting p, unnest(p.gone) u(seq),
             lateral (select k.first_seq, k.seqs from oai.set_chunk k
                      where k.set_id = p.set_id and k.first_seq <= u.seq order by k.first_seq desc limit 1) k),
    gone as (
        select set_id, first_seq, max(seqs) as seqs, array_agg(seq) as gone from place group by 1, 2),
    kept as (
        select set_id, first_seq,
               case when cardinality(gone) = 1 then array_remove(seqs, gone[1])   -- the usual case, and faster
                    else array(select n from unnest(seqs) with ordinality u(n, o) where n <> all (gone) order by o)
               end as seqs
        from gone),
    come as (
        select p.set_id, p.come, k.first_seq, k.seqs
        from pg_temp.posting p left join lateral (
            select k.first_seq, k.seqs from oai.set_chunk k
            where k.set_id = p.set_id order by k.first_seq desc limit 1) k
        on cardinality(k.seqs) + cardinality(p.come) <= 128
        where p.come <> '{}'),
    changed as (
        select set_id, first_seq, coalesce(kept.seqs, t.seqs) || coalesce(t.come, '{}') as seqs
        from kept full join (select * from come where first_seq is not null) t using (set_id, first_seq)),
    emptied as (
        delete from oai.set_chunk k using changed c
        where k.set_id = c.set_id and k.first_seq = c.first_seq and cardinality(c.seqs) = 0),
    added as (
        insert into oai.set_chunk (set_id, first_seq, seqs)
        select c.set_id, c.come[i], c.come[i : i + 127]
        from come c, generate_series(1, cardinality(c.come), 128) i
        where c.first_seq is null)
    update oai.set_chunk k set seqs = c.seqs from changed c
    where k.set_id = c.set_id and k.first_seq = c.first_seq and cardinality(c.seqs) > 0;
end $$;

-- Returns the items that the publisher will not bring into order by itself, because they were changed behind its back:
-- before this file was installed, with triggers switched off, or by a publisher's mistake. Reads everything: meant for
-- `oai check`. An id that was changed shows only where the item was in a set by its old id.
create function oai.check_items() returns table (id bigint, problem text) language plpgsql stable as $$
#variable_conflict use_column
begin
    return query
    with o as materialized (select n.h, n.last_seq, n.keep_deleted from oai.horizon n),
    item as (select m.*, exists (select from oai.queue q where q.id = m.id) as queued from oai.membership m)
    select i.id, p.problem
    from item i, o,
         lateral (values
            (i.seq > o.last_seq or i.seq < 1, format('has the number %s, but the publisher has given out 1 to %s', i.seq, o.last_seq)),
            (i.seq is null and not i.queued and o.h is not null and (not i.deleted or o.keep_deleted), 'is neither published nor queued'),
            (i.seq is not null and i.datestamp is null, 'is published without a datestamp'),
            (i.seq is not null and i.datestamp > o.h, format('has the datestamp %s, which is later than the horizon', i.datestamp)),
            (i.seq is null and not i.deleted and i.set_ids <> '{}', 'has sets as if it were published, but no number'),
            (i.seq is not null and not i.deleted and not i.queued
             and not (i.set_ids @> i.sets_now and i.set_ids <@ i.sets_now), 'is published in other sets than it belongs to now')
         ) p(found, problem)
    where p.found
    union all
    select x.id, format('has the datestamp %s, but an earlier number has a later one', x.datestamp)
    from (select i.id, i.datestamp, lag(i.datestamp) over (order by i.seq) as previous from oai.item i where i.seq is not null) x
    where x.datestamp < x.previous;
end $$;

-- Returns the sets that do not stand where their setSpec or their name in the model says. A model that keeps names of
-- sets in tables of its own (oai.track_names) has a view oai.set_place (id, spec) of what their setSpecs must be.
create function oai.check_sets() returns table (spec text, problem text) language plpgsql stable as $$
#variable_conflict use_column
begin
    return query
    select s.spec::text, 'does not lie below its parent'
    from oai.set s left join oai.set a on a.id = s.parent
    where coalesce(a.spec, '') <> regexp_replace(s.spec, ':?[^:]*$', '') or s.path is distinct from coalesce(a.path, '{}') || s.id;
    if to_regclass('oai.set_place') is not null then
        return query execute 'select s.spec::text, ''was renamed: the model has the name of '' || p.spec
            from oai.set_place p join oai.set s on s.id = p.id where s.spec <> p.spec';
    end if;
end $$;

revoke execute on function oai.is_publishing, oai.refuse_numbering, oai.protect_items, oai.refuse_counting, oai.refuse_removing_set,
    oai.check_items, oai.check_sets from public;
grant execute on function oai.check_items, oai.check_sets to oai_reader, oai_publisher;
revoke update on oai.set from oai_publisher;
grant update (item_count, held) on oai.set to oai_publisher;

-- A repository with tables of its own is already there.
do $$
begin
    if (select relkind from pg_class where oid = to_regclass('oai.item')) in ('r', 'p') then
        perform oai.protect_items('oai.item');
    end if;
    if to_regclass('oai.membership') is not null then
        grant select on oai.membership to oai_reader;
    end if;
end $$;
