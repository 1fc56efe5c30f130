-- SPDX-License-Identifier: MIT
-- How library.item follows tables of the repository's own (`oai map`). A trigger appends to library.map_log;
-- the publisher reads the log, then the source, and writes what differs through the staging of loaders
-- (loading.sql). The source is a text that is executed, so nothing of ours depends on those tables.

create or replace function oai.map_columns() returns name[] language sql immutable as $$
    select '{title,creator,subject,description,publisher,contributor,date,type,format,identifier,source,'
        'language,relation,coverage,rights,kind,doi,urn,landing_page,licence,year,isbn,issn,marc,mods,origin,'
        'sets,fields,access,access_from,visible_from,visible_until}'::name[]
$$;

-- What the source does not say of the times of an item stays, and what was taken down (oai withdraw).
create or replace function oai.map_timed(content jsonb, i library.item) returns jsonb
language sql stable as $$
    select to_jsonb(d) || content || case when i.hidden_why is null then '{}' else to_jsonb(u) end
    from (select i.access, i.access_from, i.visible_from, i.visible_until) d, (select i.visible_until) u
$$;

-- Temporary tables of a round, anew: rows of the source, and keys that are looked for.
create or replace function oai.map_begin(map integer) returns void language plpgsql as $$
begin
    drop table if exists pg_temp.map_page, pg_temp.map_keys, pg_temp.map_taken, pg_temp.load_item;
    perform library.make_load_item(oai.map_columns());
    create temporary table map_page on commit drop as select * from oai.map_unpacked('{}');
    create temporary table map_keys (key text[]) on commit drop;
    create temporary table map_taken (source integer, keys text[]) on commit drop;
    grant select on pg_temp.map_taken to oai_source;
    perform oai.map_open(map);
    perform set_config('oai.maps', 'on', true);   -- until what is written here is written
end $$;

-- What is no item yet is only noted, with the time to look again.
create or replace function oai.map_read(map integer, page jsonb[]) returns void language plpgsql as $$
begin
    delete from pg_temp.map_page;
    insert into pg_temp.map_page select * from oai.map_unpacked(page);
    with waits as (delete from pg_temp.map_page p where p.again > now() and p.content is null returning *)
    insert into library.mapped (mapping, local_id, key, again, gone)
    select map, w.local_id, w.key, w.again, true from waits w
    on conflict (mapping, local_id) do update set key = excluded.key, again = excluded.again;
end $$;

-- Until the rows change, or until an item from elsewhere has gone.
create or replace function oai.map_refuse(map integer, numbers bigint[], why text default null) returns void
language plpgsql as $$
begin
    with refused as (delete from pg_temp.map_page p where p.n = any (numbers) returning *)
    insert into library.mapped (mapping, local_id, key, checksum, refused)
    select map, r.local_id, r.key, case when why is not null then r.checksum end,
           coalesce(why, 'is an item from elsewhere already') from refused r
    on conflict (mapping, local_id) do update set key = excluded.key, checksum = excluded.checksum,
        refused = excluded.refused;
end $$;

-- Where the library cannot hold all rows, by halves, down to the one that is refused by name.
create or replace function oai.map_write(map integer, first bigint, last bigint) returns void
language plpgsql as $$
declare content constant name[] := oai.map_columns();
begin
    delete from pg_temp.load_item;
    execute format('insert into pg_temp.load_item (local_id, datestamp, deleted, all_payloads, fresh, id, %s)
        select p.local_id, p.brought, p.deleted, true, i.id is null,
               coalesce(i.id, nextval(''library.item_id_seq'')), %s
        from pg_temp.map_page p left join library.item i on i.local_id = p.local_id,
             jsonb_populate_record(case when p.deleted then i end, oai.map_timed(p.content, i)) r
        where p.n between $1 and $2',
        array_to_string(content, ', '), 'r.' || array_to_string(content, ', r.')) using first, last;
    perform library.insert_staged();
    perform oai.map_refuse(map, array(select p.n   -- somebody else's since map_take looked
        from pg_temp.map_page p join pg_temp.load_item l using (local_id)
        where l.fresh and not exists (select from library.item i where i.id = l.id)));
    perform library.update_staged();
    update library.item i set deleted = true from pg_temp.load_item l
    where i.id = l.id and l.deleted and not i.deleted;
exception when data_exception or integrity_constraint_violation or program_limit_exceeded then
    if first = last then
        perform oai.map_refuse(map, array[first], sqlerrm);
    else
        perform oai.map_write(map, first, (first + last) / 2),
                oai.map_write(map, (first + last) / 2 + 1, last);
    end if;
end $$;

-- What pg_temp.map_page has of the source goes into the library. Rows with one identifier are left out; of a
-- row that is refused, what was there before stays. Returns how many were new or changed.
create or replace function oai.map_take(map integer) returns bigint language plpgsql as $$
declare written bigint;
begin
    -- What no index takes, nor the library; it cannot even be noted by its name.
    delete from pg_temp.map_page p where length(p.local_id) > 500 or octet_length(p.key::text) > 2000;
    update library.mapped m set key = p.key, again = p.again, missing_since = null,
        gone = m.gone and (p.deleted or not m.withheld)
    from pg_temp.map_page p
    where m.mapping = map and m.local_id = p.local_id
        and (m.missing_since is not null or m.key is distinct from p.key
        or m.again is distinct from p.again or (m.gone and m.withheld and not p.deleted));
    delete from pg_temp.map_page p using pg_temp.map_page o where o.local_id = p.local_id and o.n <> p.n;
    update oai.set s set name = p.name
    from (select u.spec, min(u.name) as name from pg_temp.map_page p, jsonb_each_text(p.names) u(spec, name)
          group by u.spec) p
    where s.spec = p.spec and s.name <> p.name;
    delete from pg_temp.map_page p using library.mapped m
    where m.mapping = map and m.local_id = p.local_id and m.gone = p.deleted
          and (m.withheld or m.checksum = p.checksum);
    insert into oai.set (parent, spec, name)
    select oai.make_set(nullif(regexp_replace(u.spec, ':?[^:]*$', ''), '')), u.spec, min(u.name)
    from pg_temp.map_page p, jsonb_each_text(p.names) u(spec, name)
    where not exists (select from oai.set s where s.spec = u.spec)
    group by u.spec order by u.spec on conflict (spec) do nothing;
    perform oai.map_refuse(map, array(select p.n from pg_temp.map_page p join library.item i using (local_id)
        where not exists (select from library.mapped m where m.mapping = map and m.id = i.id)));
    perform oai.map_write(map, min(p.n), max(p.n)) from pg_temp.map_page p having count(*) > 0;
    insert into library.mapped (mapping, local_id, id, key, again, checksum, gone)
    select map, p.local_id, i.id, p.key, p.again, p.checksum, p.deleted
    from pg_temp.map_page p join library.item i on i.local_id = p.local_id
    on conflict (mapping, local_id) do update set id = excluded.id, key = excluded.key,
        again = excluded.again, checksum = excluded.checksum, gone = excluded.gone, refused = null;
    get diagnostics written = row_count;
    return written;
end $$;

create or replace function oai.map_read_keys(m library.mapping, only_keys boolean) returns void
language plpgsql as $$
begin
    perform oai.map_read(m.id, oai.map_found(m, (select array_agg(k.key) from pg_temp.map_keys k),
                                             only_keys));
    update library.mapped d set missing_since = now() from pg_temp.map_keys k
    where d.mapping = m.id and d.key = k.key and d.missing_since is null and not d.gone
          and not exists (select from pg_temp.map_page p where p.key = k.key);
end $$;

-- Items whose rows are missing become deleted records, unless they are more than ten, and than half of all,
-- or of the `looked` that were looked for on the way through all: those wait so long (null: for ever), or for
-- somebody who says that it is right. What no harvester has seen leaves nothing behind.
create or replace function oai.map_depart(map integer, hold interval, looked bigint default null)
returns bigint language plpgsql as $$
declare
    due     timestamptz := 'infinity';
    missing bigint;
    here    bigint;
begin
    select count(m.missing_since), count(*) into missing, here from library.mapped m
    where m.mapping = map and (not m.gone or m.missing_since is not null);
    if missing = 0 then return 0; end if;
    if missing > 10 and missing * 2 > least(looked, here) then
        due := coalesce(now() - hold, '-infinity');
    end if;
    delete from library.item i using library.mapped m
    where i.id = m.id and m.mapping = map and m.missing_since <= due and i.seq is null and not i.deleted;
    delete from library.mapped m where m.mapping = map and m.missing_since <= due and not m.withheld
        and m.again is null and not exists (select from library.item i where i.id = m.id);
    with departed as (update library.mapped m set gone = true, missing_since = null
                      where m.mapping = map and m.missing_since <= due returning m.id)
    update library.item i set deleted = true from departed d where i.id = d.id and not i.deleted;
    return missing - (select count(m.missing_since) from library.mapped m where m.mapping = map);
end $$;

-- Bounded by `page_rows` each: reads on in the source, and looks there for as many of the items. Keys are
-- compared where they are, so that servers may sort them otherwise. looks: there is more to look at.
create or replace function oai.map_poll(map integer, page_rows integer, believe boolean, out compared bigint,
    out written bigint, out gone bigint, out ended boolean, out looks boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off
set client_min_messages = warning set timezone = 'UTC' as $$
declare
    m    library.mapping;
    page jsonb[];
    last text[];
    upto text;
begin
    select * into m from library.mapping n where n.id = map for update;
    if not found then return; end if;
    perform oai.map_begin(map);
    page := oai.map_next(m, m.polled_after, page_rows);
    compared := cardinality(page);
    last := oai.map_key(page[compared]);
    ended := compared < page_rows;
    perform oai.map_read(map, page);
    written := oai.map_take(map);
    if ended then   -- what has no key was not met since the map has other keys
        update library.mapped d set missing_since = now()
        where d.mapping = map and d.key is null and d.missing_since is null and not d.gone;
    end if;
    with next as (select d.local_id, d.key from library.mapped d
                  where d.mapping = map and d.local_id > coalesce(m.compared_after, '')
                        and d.key is not null and not d.gone
                  order by d.local_id limit page_rows),
    looked_for as (insert into pg_temp.map_keys select s.key from next s)
    select max(s.local_id) into upto from next s having count(*) = page_rows;
    perform oai.map_read_keys(m, true);
    looks := m.looks and not (ended and upto is null);
    -- Where all is looked at, the walk that ends first waits for the other, behind the last of all.
    update library.mapping n set looks = map_poll.looks,
        polled_after = case when not map_poll.ended then last when map_poll.looks then '{}' end,
        compared_after = case when upto is not null then upto when map_poll.looks then chr(127) end,
        problem = case when map_poll.looks then n.problem end   -- it stays until all has been looked at
    where n.id = map;
    gone := oai.map_depart(map, case when believe then interval '0' end,
                           case when upto is not null then page_rows end);
    perform set_config('oai.maps', '', true);
end $$;

-- What tables and views are: others if they were restored, dropped and made anew, or are other queries now.
create or replace function oai.map_seen(tables jsonb) returns text language sql stable as $$
    select string_agg(concat_ws(' ', c.oid, (select max(w.xmin::text) from pg_rewrite w
                                             where w.ev_class = c.oid)), ',' order by t.n)
    from jsonb_array_elements(tables) with ordinality t(t, n)
         left join pg_class c on c.oid = to_regclass(t.t ->> 'relation')
$$;

-- What the publisher calls in each round. The rows of the log that have been committed lead to keys of items
-- as the tables are now. Nothing is missed: whoever breaks or makes a way from an item to a row leaves a row
-- in the log, too, and all is read after the log. A mapping that cannot be read keeps no other from being
-- followed; its items are served on, and its log waits. Returns whether there is more to look at.
create or replace function oai.map_follow(out more boolean, out held bigint, out problems text)
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off
set lock_timeout = '300ms' set client_min_messages = warning set timezone = 'UTC' as $$
declare
    most  constant bigint := 100000;   -- rows of the log, or items; of more, all is looked at
    map   integer;
    m     library.mapping;
    moved boolean;
    looks boolean;
begin
    more := false;
    for map, moved in select n.id, n.seen is distinct from oai.map_seen(n.tables)
                      from library.mapping n where n.source is not null order by n.id loop
    begin
        select * into m from library.mapping n where n.id = map and (moved or n.looks or n.problem is not null
            or exists (select from library.map_log l
                       where l.source = -map or l.source between 1000 * map - 1000 and 1000 * map - 1)
            or exists (select from library.mapped d where d.mapping = map
                       and (d.missing_since <= now() - n.hold or d.again <= now())))
        for update skip locked;   -- oai map has it
        continue when not found;
        perform oai.map_begin(map);
        -- A look at all that has begun ends before the next one begins.
        with taken as (delete from library.map_log l
                       where (l.source = -map or l.source between 1000 * map - 1000 and 1000 * map - 1)
                             and (l.keys is not null or not m.looks)
                       returning source, keys),
        due as (update library.mapped d set again = null where d.mapping = map and d.again <= now()
                returning -1, d.key)
        insert into pg_temp.map_taken
        select case when source < 0 then -1 else source % 1000 end, keys from taken union select * from due
        limit most + 1;
        -- After a lock that was not had in time the log is as it was, and tells what has changed.
        looks := moved or (coalesce(m.problem, 'SQLSTATE 55P03') not like '%SQLSTATE 55P03%' and not m.looks)
            or (select count(*) > most or bool_or(t.keys is null) from pg_temp.map_taken t);
        if not looks then
            begin
                insert into pg_temp.map_keys
                select array(select jsonb_array_elements_text(k))
                from unnest(oai.map_query(format(
                    E'select coalesce(array_agg(to_jsonb(w.key)), ''{}'') from (%s\n) w(key)', m.ways))) k;
                looks := (select count(*) > most from pg_temp.map_keys);
            exception when lock_not_available then raise;
                when others then looks := true;   -- a column has another type or name now
            end;
        end if;
        if looks then
            update library.mapping n set looks = true, polled_after = null, compared_after = null,
                seen = oai.map_seen(n.tables) where n.id = map;
        elsif exists (select from pg_temp.map_keys) then
            perform oai.map_read_keys(m, false);
            perform oai.map_take(map);
        end if;
        if looks or m.looks then
            more := (select p.looks from oai.map_poll(map, 10000, false) p) or more;
            continue;
        end if;
        update library.mapping n set problem = null where n.id = map and n.problem is not null;
        perform oai.map_depart(map, m.hold), set_config('oai.maps', '', true);
    exception when others or query_canceled then
        perform oai.map_note_problem(map, sqlerrm, sqlstate);
    end;
    end loop;
    select count(*) into held from library.mapped d where d.missing_since is not null;
    select string_agg(n.name || ': ' || n.problem, chr(10) order by n.id) into problems
    from library.mapping n;
end $$;

create or replace function oai.map_causes(map integer) returns table (relation text, problem text)
language sql stable as $$
    select t.relation, format(case when c.oid is null then 'is not there any more; bring it back, or mend %s'
        else 'has no column %2$s any more; mend %3$s' end || ', and run oai map', t.place, u.name, u.place)
    from library.map_table t left join pg_class c on c.oid = to_regclass(t.relation)
         left join unnest(t.used, t.places) u(name, place) on c.oid is not null
    where t.mapping = map and (c.oid is null or (u.name is not null and not exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = u.name and not a.attisdropped)))
$$;

-- Why the source cannot be read, with what to do. What is wrong already stays as it is told.
create or replace function oai.map_note_problem(map integer, what text, state text) returns void
language sql as $$
    update library.mapping m set problem = p.problem
    from (select format('%s (SQLSTATE %s); %s', regexp_replace(what, ' "\S+/\S+"', ''), state, coalesce(
              (select string_agg(c.relation || ' ' || c.problem, '; ') from oai.map_causes(map) c),
              case when state = '42501'
                       then 'grant to oai_source usage on its schema, and select on the table'
                   when state = '55P03' then 'somebody has locked it, and the publisher tries again'
                   when state like '53%' then 'make room for it; the publisher tries again'
                   when state like '22%' and n.condition is not null
                       then 'mend the rows, or the condition at ' || n.condition
                   else 'mend what it names, or the map, and run oai map' end)) as problem
          from library.mapping n where n.id = map for update skip locked) p
    where m.id = map and m.problem is distinct from p.problem
$$;

-- What `oai delete` takes back stays so while its row is there, and after it, as does what is deleted from
-- the table of items; `oai undelete` of an item whose row is gone gives nothing back.
create or replace function library.note_withheld() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare m library.mapped;
begin
    update library.mapped set withheld = tg_op = 'DELETE' or new.deleted, checksum = null where id = old.id
    returning * into m;
    if tg_op = 'DELETE' then return old; end if;
    if m.gone and not new.deleted then
        new.deleted := true;
    elsif not new.deleted and m.key is not null then
        insert into library.map_log (source, keys) values (-m.mapping, m.key);
    end if;
    return new;
end $$;
create or replace trigger note_withheld before update of deleted on library.item for each row
    when (old.deleted <> new.deleted and current_setting('oai.maps', true) is distinct from 'on')
    execute function library.note_withheld();
create or replace trigger note_removed before delete on library.item for each row
    when (not old.deleted and current_setting('oai.maps', true) is distinct from 'on')
    execute function library.note_withheld();
