-- SPDX-License-Identifier: MIT
-- How library.item follows tables of the repository's own (`oai map`). A trigger appends to library.map_log,
-- and does nothing else; the publisher reads the log, then the source, and writes what differs through the
-- staging of loaders (loading.sql). The source is a text that is executed, so nothing of ours depends on
-- those tables.

-- What is compared: `sets`, the keys of `names`, belong to the content; the names of the sets do not.
create or replace function oai.map_whole(content jsonb, names jsonb) returns jsonb
language sql immutable as $$
    select content || jsonb_build_object('sets', (select jsonb_agg(k order by k)
                                                  from jsonb_object_keys(names) k))
$$;

-- The columns of the key in the source, and a condition that they are those of a relation with `key text[]`.
create or replace function oai.map_keys(types text[], template text, separator text default ', ') returns text
language sql immutable as $$
    select string_agg(format(template, n, t), separator order by n) from unnest(types) with ordinality u(t, n)
$$;
create or replace function oai.map_keyed(types text[], relation text) returns text
language sql immutable as $$
    select oai.map_keys(types, 's.key_%1$s = any (array(select (k.key)[%1$s]::%2$s from ' || relation
                        || ' k))', ' and ')
$$;

-- What an item has of the source.
create or replace function oai.map_columns() returns name[] language sql immutable as $$
    select '{title,creator,subject,description,publisher,contributor,date,type,format,identifier,source,'
        'language,relation,coverage,rights,kind,doi,urn,landing_page,licence,year,isbn,issn,marc,mods,origin,'
        'sets,fields}'::name[]
$$;

-- Temporary tables of a round, anew: rows of the source, and keys that are looked for.
create or replace function oai.map_begin() returns void language plpgsql as $$
begin
    drop table if exists pg_temp.map_page, pg_temp.map_keys, pg_temp.map_taken, pg_temp.load_item;
    perform library.make_load_item(oai.map_columns());
    create temporary table map_page (n bigint, key text[], local_id text collate "C", brought timestamptz,
        names jsonb, content jsonb, checksum bigint) on commit drop;
    create temporary table map_keys (key text[]) on commit drop;
    create temporary table map_taken (source integer, keys text[]) on commit drop;
end $$;

create or replace function oai.map_read(which text, only_keys boolean default false) returns void
language plpgsql as $$
declare m library.mapping;
begin
    select * into m from library.mapping;
    delete from pg_temp.map_page;
    execute format('insert into pg_temp.map_page select row_number() over (), array[%s]%s from '
                   || E'(select s.* from (%s\n) s %s) s',
        oai.map_keys(m.key_types, 's.key_%s::text collate "C"'),
        case when not only_keys then ', s.local_id, s.brought, s.names, oai.map_whole(s.content, s.names), '
            'hashtextextended(oai.map_whole(s.content, s.names)::text, 0)' else '' end, m.source, which);
end $$;

-- Writes the rows of pg_temp.map_page, or one of them, into library.item.
create or replace function oai.map_write(one text) returns void language plpgsql as $$
declare content constant name[] := oai.map_columns();
begin
    delete from pg_temp.load_item;
    execute format('insert into pg_temp.load_item (local_id, datestamp, deleted, all_payloads, fresh, id, %s)
        select p.local_id, p.brought, false, true, i.id is null,
               coalesce(i.id, nextval(''library.item_id_seq'')), %s
        from pg_temp.map_page p left join library.item i on i.local_id = p.local_id,
             jsonb_populate_record(null::library.item, p.content) r
        where p.local_id = $1 or $1 is null',
        array_to_string(content, ', '), 'r.' || array_to_string(content, ', r.')) using one;
    perform library.insert_staged();
    with others as (   -- somebody else's since map_take looked
        delete from pg_temp.map_page p using pg_temp.load_item l
        where l.local_id = p.local_id and l.fresh
              and not exists (select from library.item i where i.id = l.id)
        returning p.local_id, p.key)
    insert into library.mapped (local_id, key, refused)
    select o.local_id, o.key, 'is an item from elsewhere already' from others o
    on conflict (local_id) do update set key = excluded.key, refused = excluded.refused;
    perform library.update_staged();
end $$;

-- What pg_temp.map_page has of the source goes into the library. Rows with one identifier are left out; a row
-- that the library cannot hold is refused by name, and what was there before stays. Returns how many were new
-- or changed.
create or replace function oai.map_take() returns bigint language plpgsql as $$
declare
    r       record;
    written bigint;
begin
    -- What no index takes, nor the library; it cannot even be noted by its name.
    delete from pg_temp.map_page p where length(p.local_id) > 500 or octet_length(p.key::text) > 2000;
    delete from pg_temp.map_page p using pg_temp.map_page o where o.local_id = p.local_id and o.n <> p.n;
    update library.mapped m set key = p.key, missing_since = null, gone = m.gone and not m.withheld
    from pg_temp.map_page p
    where m.local_id = p.local_id and (m.missing_since is not null or m.key is distinct from p.key
                                       or (m.gone and m.withheld));
    update oai.set s set name = p.name
    from (select u.spec, min(u.name) as name from pg_temp.map_page p, jsonb_each_text(p.names) u(spec, name)
          group by u.spec) p
    where s.spec = p.spec and s.name <> p.name;
    delete from pg_temp.map_page p using library.mapped m
    where m.local_id = p.local_id and not m.gone and (m.withheld or m.checksum = p.checksum);
    insert into oai.set (parent, spec, name)
    select library.own_set(nullif(regexp_replace(u.spec, ':?[^:]*$', ''), '')), u.spec, min(u.name)
    from pg_temp.map_page p, jsonb_each_text(p.names) u(spec, name)
    where not exists (select from oai.set s where s.spec = u.spec)
    group by u.spec order by u.spec on conflict (spec) do nothing;
    with others as (
        delete from pg_temp.map_page p using library.item i
        where i.local_id = p.local_id and not exists (select from library.mapped m where m.id = i.id)
        returning p.local_id, p.key)
    insert into library.mapped (local_id, key, refused)
    select o.local_id, o.key, 'is an item from elsewhere already' from others o
    on conflict (local_id) do update set key = excluded.key, refused = excluded.refused;
    if not exists (select from pg_temp.map_page) then return 0; end if;
    begin
        perform oai.map_write(null);
    exception when data_exception or integrity_constraint_violation or program_limit_exceeded then
        for r in select p.local_id, p.key, p.checksum from pg_temp.map_page p loop
            begin
                perform oai.map_write(r.local_id);
            exception when data_exception or integrity_constraint_violation or program_limit_exceeded then
                insert into library.mapped (local_id, key, checksum, refused)
                values (r.local_id, r.key, r.checksum, sqlerrm)
                on conflict (local_id) do update set key = excluded.key, checksum = excluded.checksum,
                    refused = excluded.refused;
                delete from pg_temp.map_page p where p.local_id = r.local_id;
            end;
        end loop;
    end;
    insert into library.mapped (local_id, id, key, checksum)
    select p.local_id, i.id, p.key, p.checksum
    from pg_temp.map_page p join library.item i on i.local_id = p.local_id
    on conflict (local_id) do update set id = excluded.id, key = excluded.key, checksum = excluded.checksum,
        gone = false, refused = null;
    get diagnostics written = row_count;
    return written;
end $$;

-- Of pg_temp.map_keys, those that pg_temp.map_page has not are missing.
create or replace function oai.map_miss() returns void language plpgsql as $$
begin
    update library.mapped m set missing_since = now() from pg_temp.map_keys k
    where m.key = k.key and m.missing_since is null and not m.gone
          and not exists (select from pg_temp.map_page p where p.key = k.key);
end $$;

-- Items whose rows are missing become deleted records, unless they are most of all: those wait for an hour,
-- or for somebody who says that it is right. What no harvester has seen leaves nothing behind.
create or replace function oai.map_depart(believe boolean) returns bigint language plpgsql as $$
declare
    missing bigint;
    since   timestamptz;
begin
    select count(*), min(m.missing_since) into missing, since from library.mapped m
    where m.missing_since is not null;
    if missing = 0 or (missing > 10 and not believe and since > now() - interval '1 hour'
                       and missing * 2 > (select count(*) from library.mapped m where not m.gone)) then
        return 0;
    end if;
    delete from library.item i using library.mapped m
    where i.id = m.id and m.missing_since is not null and i.seq is null and not i.deleted;
    delete from library.mapped m where m.missing_since is not null and not m.withheld
        and not exists (select from library.item i where i.id = m.id);
    with departed as (update library.mapped m set gone = true, missing_since = null
                      where m.missing_since is not null returning m.id)
    update library.item i set deleted = true from departed d where i.id = d.id and not i.deleted;
    return missing;
end $$;

-- Bounded by `page_rows` each: reads on in the source, from the key where it was; looks there for as many of
-- the items. Keys are compared where they are, so that servers may sort them otherwise. looks: whether there
-- is more to look at.
create or replace function oai.map_poll(page_rows integer, believe boolean, out compared bigint, out written
    bigint, out gone bigint, out ended boolean, out looks boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off set datestyle = 'ISO'
set intervalstyle = 'iso_8601' set timezone = 'UTC' set extra_float_digits = 1
set client_min_messages = warning set oai.maps = 'on' as $$
declare
    m    library.mapping;
    last text[];
    upto text;
    keys text;
begin
    select * into m from library.mapping for update;
    if not found then return; end if;
    perform oai.map_begin();
    keys := oai.map_keys(m.key_types, 's.key_%s');
    perform oai.map_read(case when m.polled_after is not null then format('where (%s) > (%s)', keys,
        (select string_agg(format('%L::%s', a, t), ', ') from unnest(m.polled_after, m.key_types) u(a, t)))
        else '' end || format(' order by %s limit %s', keys, page_rows));
    select p.key into last from pg_temp.map_page p order by p.n desc limit 1;
    select count(*) into compared from pg_temp.map_page;
    ended := compared < page_rows;
    written := oai.map_take();
    if ended then   -- what has no key was not met since the map has other keys
        update library.mapped d set missing_since = now()
        where d.key is null and d.missing_since is null and not d.gone;
    end if;
    with next as (select d.local_id, d.key from library.mapped d
                  where d.local_id > coalesce(m.compared_after, '') and d.key is not null and not d.gone
                  order by d.local_id limit page_rows),
    looked_for as (insert into pg_temp.map_keys select s.key from next s)
    select max(s.local_id) into upto from next s having count(*) = page_rows;
    perform oai.map_read('where ' || oai.map_keyed(m.key_types, 'pg_temp.map_keys'), true);
    perform oai.map_miss();
    update library.mapping n set polled_after = case when not map_poll.ended then last end,
        compared_after = upto, looks = n.looks and not (map_poll.ended and upto is null),
        -- it stays until all has been looked at
        problem = case when n.looks and not (map_poll.ended and upto is null) then n.problem end
    returning n.looks into looks;
    gone := oai.map_depart(believe);
end $$;

-- What the publisher calls in each round. The rows of the log that have been committed lead to keys of items
-- as the tables are now; what the source has for these keys goes into the library. Nothing is missed: whoever
-- breaks or makes a way from an item to a row leaves a row in the log, too, and all is read after the log.
-- Returns whether there is more to look at.
create or replace function oai.map_follow() returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off set datestyle = 'ISO'
set intervalstyle = 'iso_8601' set timezone = 'UTC' set extra_float_digits = 1 set lock_timeout = '300ms'
set client_min_messages = warning set oai.maps = 'on' as $$
declare
    most  constant bigint := 100000;   -- rows of the log; of more, all is looked at
    m     library.mapping;
    -- a restore, or who drops a table and makes it anew, leaves others
    moved constant boolean := exists (select from library.map_table t
        where t.seen is distinct from to_regclass(t.relation)::oid);
    looks boolean;
begin
    select * into m from library.mapping;
    if not found or not (moved or m.looks or m.problem is not null or exists (select from library.map_log)
            or exists (select from library.mapped d
                       where d.missing_since <= now() - interval '1 hour')) then
        return false;
    end if;
    select * into m from library.mapping for update;
    if not found then return false; end if;
    perform oai.map_begin();
    with taken as (delete from library.map_log returning source, keys)
    insert into pg_temp.map_taken select distinct t.source, t.keys from taken t limit most + 1;
    looks := moved or (m.problem is not null and not m.looks)
        or (select count(*) > most or bool_or(t.keys is null) from pg_temp.map_taken t);
    if not looks then
        begin
            execute 'insert into pg_temp.map_keys ' || m.ways;
        exception when others then   -- a column has another type or name now
            looks := true;
        end;
    end if;
    if looks then
        update library.map_table t set seen = to_regclass(t.relation);
        update library.mapping set looks = true, polled_after = null, compared_after = null;
    elsif exists (select from pg_temp.map_keys) then
        perform oai.map_read('where ' || oai.map_keyed(m.key_types, 'pg_temp.map_keys'));
        perform oai.map_miss();
        perform oai.map_take();
    end if;
    if looks or m.looks then
        return (select p.looks from oai.map_poll(10000, false) p);
    end if;
    perform oai.map_depart(false);
    return false;
end $$;

-- Why the source cannot be read; what is here is served on.
create or replace function oai.map_note_problem(what text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    update library.mapping set problem = what
$$;

-- What `oai delete` takes back stays so while its row is there, and after it; `oai undelete` of an item whose
-- row is gone gives nothing back.
create or replace function library.note_withheld() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare m library.mapped;
begin
    update library.mapped set withheld = new.deleted, checksum = null where id = new.id returning * into m;
    if m.gone and not new.deleted then
        new.deleted := true;
    elsif not new.deleted and m.key is not null then
        insert into library.map_log (source, keys) values (0, m.key);
    end if;
    return new;
end $$;
create or replace trigger note_withheld before update of deleted on library.item for each row
    when (old.deleted <> new.deleted and current_setting('oai.maps', true) is distinct from 'on')
    execute function library.note_withheld();

-- An item that is deleted from its table is taken back, too.
create or replace function library.note_removed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    update library.mapped set withheld = true, checksum = null where id = old.id;
    return old;
end $$;
create or replace trigger note_removed before delete on library.item for each row
    when (not old.deleted and current_setting('oai.maps', true) is distinct from 'on')
    execute function library.note_removed();

-- The following are called by `oai map`, and may lock the tables for a moment.

-- The triggers of the table number `n`, which append the columns that lead to items, as text. Nothing in them
-- waits or fails. Where a column has another name now, or is gone, all of the table is looked at. They run
-- with the rights of their owner, so that programs which write the table need none here.
create or replace function oai.map_watch(n integer, leading_columns name[], used_columns name[]) returns void
language plpgsql set search_path = pg_catalog set client_min_messages = warning as $$
declare
    name    constant text := format('oai.map_%s_changed', n);
    columns constant text := (select string_agg(format('x.%I::text', c), ', ' order by o)
                              from unnest(leading_columns) with ordinality u(c, o));
    part    regclass;
    parts   oid[] := '{}';
    old     record;
begin
    execute format('create or replace function %s() returns trigger language plpgsql security definer '
                   'set search_path = pg_catalog, pg_temp as %L', name, format($body$
begin
    if tg_op = 'TRUNCATE' or %1$s <> (select count(*) from pg_attribute a where a.attrelid = tg_relid
            and a.attname = any (%2$L::name[]) and not a.attisdropped) then
        insert into library.map_log (source) values (%3$s);
    elsif tg_op = 'INSERT' then
        insert into library.map_log select %3$s, array[%4$s] from changed x;
    elsif tg_op = 'DELETE' then
        insert into library.map_log select %3$s, array[%4$s] from was x;
    else
        insert into library.map_log select %3$s, array[%4$s] from was x
        union all select %3$s, array[%4$s] from changed x;
    end if;
    return null;
end $body$, (select count(distinct c) from unnest(leading_columns) c), leading_columns, n, columns));
    execute format('revoke execute on function %s() from public', name);
    update library.map_table t set used = used_columns where t.n = map_watch.n;
    for part in
        with recursive part as (
            select t.seen as oid from library.map_table t where t.n = map_watch.n
            union select i.inhrelid from pg_inherits i join part p on p.oid = i.inhparent)
        select p.oid from part p order by p.oid
    loop
        parts := parts || part::oid;
        execute format($triggers$
            create or replace trigger oai_insert_%1$s after insert on %2$s referencing new table as changed
                for each statement execute function %3$s();
            create or replace trigger oai_update_%1$s after update on %2$s
                referencing old table as was new table as changed for each statement execute function %3$s();
            create or replace trigger oai_delete_%1$s after delete on %2$s referencing old table as was
                for each statement execute function %3$s();
            create or replace trigger oai_truncate_%1$s after truncate on %2$s
                for each statement execute function %3$s();
            alter table %2$s enable always trigger oai_insert_%1$s, enable always trigger oai_update_%1$s,
                enable always trigger oai_delete_%1$s, enable always trigger oai_truncate_%1$s
            $triggers$, n, part, name);
    end loop;
    for old in select t.tgname, t.tgrelid::regclass as relation from pg_trigger t
               where t.tgfoid = (name || '()')::regprocedure and t.tgrelid <> all (parts)
    loop
        execute format('drop trigger %I on %s', old.tgname, old.relation);
    end loop;
end $$;

-- Takes the triggers of the tables from number `first` on away, with their functions.
create or replace function oai.map_unwatch(first integer) returns void
language plpgsql set search_path = pg_catalog set client_min_messages = warning as $$
declare old regprocedure;
begin
    for old in select p.oid from pg_proc p where p.pronamespace = 'oai'::regnamespace
                   and substring(p.proname from '^map_([0-9]+)_changed$')::integer >= first
    loop
        execute format('drop function %s cascade', old);
    end loop;
end $$;

-- A map in place of the one that was there; all is looked at then.
create or replace function oai.map_apply(definition text, polled boolean, source text, ways text, keys name[],
    key_types text[], relations text[], believe boolean) returns void
language plpgsql set search_path = pg_catalog set datestyle = 'ISO' set intervalstyle = 'iso_8601'
set timezone = 'UTC' set extra_float_digits = 1 as $$
declare
    live bigint := (select count(*) from library.mapped m
                    where not m.gone and not m.withheld and m.id is not null);
    lost bigint;
begin
    execute format(E'select count(*) from library.mapped m where not m.gone and not m.withheld '
                   'and m.id is not null '
                   'and not exists (select from (%s\n) s where s.local_id = m.local_id)', source) into lost;
    if lost > 10 and lost * 2 > live and not believe then
        raise exception '% of % items would become deleted records; nothing is changed', lost, live
            using hint = 'If that is right: oai map --believe';
    end if;
    if not exists (select from library.mapping m where (m.keys, m.key_types) = (map_apply.keys,
            map_apply.key_types)) then
        update library.mapped m set key = null where m.key is not null;
    end if;
    delete from library.mapping;
    insert into library.mapping (definition, polled, source, ways, keys, key_types)
    values (definition, polled, source, ways, keys, key_types);
    -- Whoever only reads may call nothing else that has other rights, and this only where there is a map.
    grant execute on function oai.map_problems to oai_reader, oai_publisher;
    delete from library.map_table;
    insert into library.map_table (n, relation, seen)
    select r.n - 1, r.relation, to_regclass(r.relation) from unnest(relations) with ordinality r(relation, n);
end $$;

-- What `oai check` and `oai map --check` ask: differences between what is given out and what the tables
-- hold, of an item or of a table. `sample`: look at about so many items and rows; null: at all.
create or replace function oai.map_problems(sample integer)
    returns table (local_id text, relation text, problem text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off
set datestyle = 'ISO' set intervalstyle = 'iso_8601' set timezone = 'UTC' set extra_float_digits = 1 as $$
#variable_conflict use_column
declare
    m    library.mapping;
    part constant text := format('(select d.key from library.mapped d tablesample system (%s)
        where not d.gone and d.key is not null limit %s)', (select least(100, 300.0 * sample
            / greatest(1, c.reltuples)) from pg_class c where c.oid = 'library.mapped'::regclass), sample);
begin
    select * into m from library.mapping;
    if not found then return; end if;
    return query
        select null::text, 'the source'::text, 'cannot be read: ' || m.problem where m.problem is not null
        union all
        select null, 'the source', format('has lost %s of %s rows, whose items stay for an hour, or until '
            'oai map --believe', n.missing, n.rows)
        from (select count(d.missing_since) as missing, count(*) as rows from library.mapped d
              where not d.gone) n
        where n.missing > 0
        union all
        select d.local_id, null, 'is no item: ' || d.refused from library.mapped d
        where d.refused is not null;
    return query
        with recursive part as (
            select to_regclass(t.relation)::oid as oid from library.map_table t
            union select i.inhrelid from pg_inherits i join part p on p.oid = i.inhparent)
        select null::text, p.oid::regclass::text, 'lacks triggers that tell of changes; run oai map again'
        from part p
        where not m.polled and p.oid is not null and 4 > (
            select count(*) from pg_trigger t join pg_proc f on f.oid = t.tgfoid
            where t.tgrelid = p.oid and t.tgenabled = 'A' and f.pronamespace = 'oai'::regnamespace
                  and f.proname ~ '^map_[0-9]+_changed$')
        union all
        select null, r.srrelid::regclass::text,
            'lacks triggers that logical replication runs; write changes = poll, and run oai map again'
        from part p join pg_subscription_rel r on r.srrelid = p.oid where not m.polled
        union all
        select null, t.relation, format('has no column %s any more; mend map.ini, and run oai map', u.name)
        from library.map_table t, unnest(t.used) u(name)
        where not exists (select from pg_attribute a where a.attrelid = to_regclass(t.relation)
            and a.attname = u.name and not a.attisdropped)
        union all
        select null, t.relation, 'has no unique index on the key any more, and rows with the same key are '
            'left out; make one again, and run oai map'
        from library.map_table t
        where t.n = 0 and not m.polled and not exists (
            select from pg_index x where x.indrelid = to_regclass(t.relation) and x.indisunique
                and x.indisvalid and x.indpred is null
                and not exists (
                    select from generate_series(0, x.indnkeyatts - 1) n(n)
                    where not exists (select from pg_attribute a where a.attrelid = x.indrelid
                        and a.attnum = x.indkey[n.n] and a.attname = any (m.keys))));
    begin
        return query execute format($query$
            with k as materialized %1$s
            select coalesce(s.local_id, d.local_id), null::text,
                   case when d.local_id is null then 'is in the source, but has not come here yet'
                        when s.local_id is null then 'is gone from the source, but not here'
                        when s.same > 1 then 'shares its key with other rows, so they are left out'
                        else 'has changed in the source, but not here' end
            from (select d.* from library.mapped d where %2$s) d full join (
                select s.local_id, count(*) over (partition by s.local_id) as same,
                       hashtextextended(oai.map_whole(s.content, s.names)::text, 0) as checksum
                from (%3$s
                ) s where %4$s) s on s.local_id = d.local_id
            where d.withheld is not true and d.refused is null
                  and (d.local_id is null or s.local_id is null or s.same > 1 or d.checksum <> s.checksum
                       or d.checksum is null)$query$,
            case when sample is null then '(select null::text[] as key)' else part end,
            'not d.gone' || case when sample is null then '' else oai.map_keys(m.key_types,
                ' and d.key[%1$s] = any (array(select (k.key)[%1$s] from k))', '') end,
            m.source, case when sample is null then 'true' else oai.map_keyed(m.key_types, 'k') end);
    exception when others then
        return query select null::text, 'the source'::text,
            format('cannot be read now: %s (SQLSTATE %s)', sqlerrm, sqlstate);
    end;
end $$;

-- A mapping as a source, for people and for `oai map`.
create or replace view oai.mapping as
    select m.definition, m.applied_at, m.polled, m.looks, m.problem, d.items, d.missing, d.refused
    from library.mapping m, (select count(*) filter (where not d.gone and not d.withheld and d.id is not null)
        as items, count(d.missing_since) as missing, count(d.refused) as refused from library.mapped d) d;
