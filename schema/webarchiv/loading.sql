-- SPDX-License-Identifier: MIT

-- Makes the temporary tables of a session. load_doc has the new docs as they will be inserted, load_horizon
-- how far the repository was published before known captures were looked for. As in 106-webarchiv-loading.sql
-- and 108-webarchiv-filing.sql, with the new columns.
create or replace function webarchiv.make_staging() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform oai.check_load_tables('{load_capture,load_doc,load_horizon}');
    if to_regclass('pg_temp.load_capture') is not null then
        return;
    end if;
    perform oai.make_load_tables();
    -- Every row is a new doc with an id of its own until another one is found: most rows are new, and a row
    -- that is not updated costs nothing more.
    create temporary table load_capture (
        url text, surt text collate "C", archived_time timestamptz, status smallint, digest text,
            length bigint,
        doc_offset bigint, id_arc integer, id_domain integer, id_mimetype integer,
        title text, language text, description text,
        id bigint default nextval('webarchiv.doc_id_seq'), fresh boolean not null default true,
        changed boolean not null default false
    ) on commit delete rows;
    create temporary table load_doc (
        place integer, id bigint, archived_time timestamptz, doc_offset bigint, length bigint, id_arc integer,
        id_domain integer, id_mimetype integer, status smallint, url text, surt text collate "C", digest text,
            title text, language text,
        description text, set_ids integer[]
    ) on commit delete rows;
    create temporary table load_horizon (last_seq bigint) on commit delete rows;
    grant select, insert, update on pg_temp.load_capture to oai_loader;
end $$;

-- So that plans know how much was staged.
create or replace function webarchiv.analyze_staged() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform oai.check_load_tables('{load_capture,load_doc,load_horizon}');
    analyze pg_temp.load_capture;
    insert into pg_temp.load_horizon select o.last_seq from oai.horizon o;
end $$;

-- Prepares everything of the slice that needs no lock; the docs will be in these collections. Returns how
-- many are new.
create or replace function webarchiv.prepare_slice(collections integer[]) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    filed   constant integer[] := array(select distinct c from unnest(collections) c order by 1);
    records bigint;
    missing record;
begin
    perform oai.check_load_tables('{load_capture,load_doc,load_horizon}');
    perform set_config('jit', 'off', true);
    insert into pg_temp.load_doc
    select row_number() over (order by c.surt, c.archived_time, c.digest), c.id, c.archived_time,
        c.doc_offset, c.length, c.id_arc,
           c.id_domain, c.id_mimetype, c.status, c.url, c.surt, c.digest, c.title, c.language, c.description,
           array_remove(array[c.id_domain, c.id_mimetype], null) || filed
    from pg_temp.load_capture c where c.fresh order by 1;
    get diagnostics records = row_count;
    select x.kind, x.id into missing
    from (select 'arc' as kind, d.id from (select distinct id_arc as id from pg_temp.load_doc) d
          where not exists (select from webarchiv.arc n where n.id = d.id)
          union all
          select 'domain', d.id from (select distinct id_domain as id from pg_temp.load_doc) d
          where not exists (select from webarchiv.domain n where n.id = d.id)
          union all
          select 'mimetype', d.id from (select distinct id_mimetype as id from pg_temp.load_doc) d
          where not exists (select from webarchiv.mimetype n where n.id = d.id)
          union all
          select 'collection', c from unnest(filed) c
          where not exists (select from webarchiv.collection n where n.id = c)) x
    where x.id is not null;
    if found then
        raise foreign_key_violation using message = format('there is no row %s in webarchiv.%s', missing.id,
                                                           missing.kind);
    end if;
    perform oai.collect_loaded('load_doc');
    return records;
end $$;

-- Publishes the docs of load_doc. turn: null, or why it is not the caller's turn (oai.begin_loaded_slice);
-- milliseconds: how long the row of oai.horizon was locked. The caller commits at once; one that does not
-- within five seconds is ended. Waits for no other lock longer than 0.1 s (SQLSTATE 55P03), and fails with
-- 40001 if others have published or inserted one of the docs meanwhile: the transaction is then to be run
-- anew.
create or replace function webarchiv.publish_slice(out turn text, out milliseconds bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    records  constant bigint := (select count(*) from pg_temp.load_doc);
    setting  constant text := coalesce(current_setting('oai.publisher', true), '');
    slice    record;
    began    timestamptz;
begin
    perform oai.check_load_tables('{load_capture,load_doc,load_horizon}');
    select * into slice from oai.begin_loaded_slice(records);
    turn := slice.turn;
    if turn is not null then
        return;
    end if;
    began := clock_timestamp();
    perform set_config('oai.publisher', 'on', true), set_config('jit', 'off', true),
        set_config('random_page_cost', '1.1', true),
        set_config('work_mem', '64MB', true), set_config('lock_timeout', '100ms', true),
        set_config('idle_in_transaction_session_timeout', '5s', true);
    -- The index does not find a capture with a digest that others have loaded without it, or the other way
    -- round.
    if exists (select from webarchiv.doc d join pg_temp.load_doc l on l.surt = d.surt
               and l.archived_time = d.archived_time
               where d.seq > (select s.last_seq from pg_temp.load_horizon s)
                   and d.seq <= (slice.before).last_seq
                 and (l.digest = d.digest
                      or ((l.digest is null or d.digest is null)
                          and l.id_arc is not distinct from d.id_arc and l.doc_offset is not distinct
                              from d.doc_offset))) then
        raise serialization_failure using message = 'another loader has published one of the captures';
    end if;
    begin   -- ON CONFLICT would look up each row in three indexes first
        insert into webarchiv.doc (id, seq, datestamp, archived_time, doc_offset, length, id_arc, id_domain,
                                   id_mimetype, status,
                                   url, surt, digest, title, language, description, set_ids)
        select l.id, slice.last + l.place, slice.t, l.archived_time, l.doc_offset, l.length, l.id_arc,
            l.id_domain, l.id_mimetype,
               l.status, l.url, l.surt, l.digest, l.title, l.language, l.description, l.set_ids
        from pg_temp.load_doc l;
    exception when unique_violation then
        raise serialization_failure using message = 'another program has inserted one of the captures';
    end;
    if oai.has_requirements() then
        insert into pg_temp.slice (id, datestamp, kept, new_seq, old_sets, new_sets)
        select l.id, slice.t, false, slice.last + l.place, '{}', l.set_ids from pg_temp.load_doc l;
    end if;
    perform oai.end_loaded_slice(slice.before, slice.t, slice.last, records);
    perform set_config('oai.publisher', setting, true);
    milliseconds := 1000 * extract(epoch from clock_timestamp() - began);
end $$;
