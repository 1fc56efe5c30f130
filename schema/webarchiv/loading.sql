-- SPDX-License-Identifier: MIT
-- The functions of a loader of captures that publishes its own slices (core/loading.sql): make_staging once;
-- then for each slice COPY into load_capture, analyze_staged, matching with known captures, prepare_slice,
-- oai.publish_loaded.

-- load_horizon: as it was before known captures were looked for.
create or replace function webarchiv.make_staging() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform oai.check_load_tables();
    if to_regclass('pg_temp.load_capture') is not null then return; end if;
    perform oai.make_slice();
    -- Every row is a new doc with an id of its own until another one is found: most rows are new, and a row
    -- that is not updated costs nothing more.
    create temporary table load_capture (
        url text, surt text collate "C", archived_time timestamptz, status smallint, digest text,
        length bigint, doc_offset bigint, id_arc integer, id_domain integer, id_mimetype integer,
        request text, revisit boolean not null default false, title text, language text, description text,
        id bigint default nextval('webarchiv.doc_id_seq'),
        fresh boolean not null default true, changed boolean not null default false) on commit delete rows;
    create temporary table load_new on commit delete rows as
        select null::integer as place, null::integer[] as set_ids, c.*
        from pg_temp.load_capture c with no data;
    create temporary table load_horizon (last_seq bigint) on commit delete rows;
    grant select, insert, update on pg_temp.load_capture to oai_loader;
end $$;

create or replace function webarchiv.analyze_staged() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform oai.check_load_tables();
    analyze pg_temp.load_capture;
    insert into pg_temp.load_horizon select o.last_seq from oai.horizon o;
end $$;

-- What of the slice needs no lock. Returns how many are new.
create or replace function webarchiv.prepare_slice(collections integer[]) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    filed   constant integer[] := array(select distinct c from unnest(collections) c order by 1);
    records bigint;
begin
    perform oai.check_load_tables();
    insert into pg_temp.load_new
    select row_number() over (order by c.surt, c.archived_time, c.digest),
           array_remove(array[c.id_domain, c.id_mimetype], null) || filed, c.*
    from pg_temp.load_capture c where c.fresh order by 1;
    get diagnostics records = row_count;
    perform webarchiv.check_ids(array(select distinct n.id_arc from pg_temp.load_new n),
        array(select distinct n.id_domain from pg_temp.load_new n),
        array(select distinct n.id_mimetype from pg_temp.load_new n), filed);
    perform oai.collect_loaded();
    return records;
end $$;

create or replace function oai.insert_loaded(before oai.horizon, t timestamptz, last bigint)
    returns void language plpgsql as $$
begin
    -- The index does not find a capture with a digest that others have loaded without it, or vice versa.
    if exists (select from webarchiv.doc d
               join pg_temp.load_new l on l.surt = d.surt and l.archived_time = d.archived_time
               where d.seq > (select s.last_seq from pg_temp.load_horizon s) and d.seq <= before.last_seq
                 and (l.digest = d.digest
                      or ((l.digest is null or d.digest is null) and l.id_arc is not distinct from d.id_arc
                          and l.doc_offset is not distinct from d.doc_offset))) then
        raise serialization_failure using message = 'another loader has published one of the captures';
    end if;
    -- ON CONFLICT would look up each row in three indexes first.
    insert into webarchiv.doc (id, seq, datestamp, archived_time, doc_offset, length, id_arc, id_domain,
                               id_mimetype, status, url, surt, digest, request, revisit, title,
                               language, description, set_ids)
    select l.id, last + l.place, t, l.archived_time, l.doc_offset, l.length, l.id_arc, l.id_domain,
           l.id_mimetype, l.status, l.url, l.surt, l.digest, l.request,
           l.revisit, l.title, l.language, l.description, l.set_ids
    from pg_temp.load_new l;
end $$;
