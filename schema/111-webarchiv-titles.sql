-- SPDX-License-Identifier: MIT
-- What an archived document says of itself: its title, its language and a description. The loader reads them from HTML pages;
-- any program may write them, and a change is published like any other. They are null where nobody knows them, as of captures
-- that were loaded from an index alone.
alter table webarchiv.doc
    add column title       text,   -- in one line
    add column language    text,   -- BCP 47, in lower case: cs, pt-br
    add column description text;   -- in one line
-- "not valid" spares the upgrade reading the whole table: every row has null in columns that are new.
alter table webarchiv.doc
    add constraint doc_title check (char_length(title) between 1 and 500) not valid,
    add constraint doc_language check (language ~ '^[a-z]{2,3}(-[a-z0-9]{1,8})*$' and char_length(language) <= 35) not valid,
    add constraint doc_description check (char_length(description) between 1 and 2000) not valid;

-- How far the index of titles is (113-webarchiv-words.sql): one row. What is published has no titles, for the columns are new.
create table webarchiv.words_state (
    single boolean primary key default true check (single),
    epoch  bigint not null,   -- of oai.horizon
    seq    bigint not null
);
insert into webarchiv.words_state (epoch, seq) select coalesce(max(o.epoch), 0), coalesce(max(o.last_seq), 0) from oai.horizon o where o.h is not null;

-- Who may use the other columns may use these (008-protection.sql).
do $$
declare
    writer record;
begin
    for writer in
        select g.privilege_type as privilege, case when g.grantee = 0 then 'public' else quote_ident(r.rolname) end as role
        from pg_attribute a cross join lateral aclexplode(a.attacl) g left join pg_roles r on r.oid = g.grantee
        where a.attrelid = 'webarchiv.doc'::regclass and a.attname = 'url'
    loop
        execute format('grant %s (title, language, description) on webarchiv.doc to %s', writer.privilege, writer.role);
    end loop;
end $$;

create or replace view oai.record as
    select d.id, d.seq, d.id::text as local_id, d.datestamp, d.deleted, d.set_ids,
           d.url, d.archived_time, d.id_mimetype as mimetype_id, d.status, d.digest, d.length, -d.id_arc as arc_id,
           d.doc_offset as arc_offset, d.surt, d.id_domain as domain_id, d.set_ids as collections_id,
           d.title, d.language, d.description
    from webarchiv.doc d;

-- A first fill that was broken off begins anew: its blocks have no titles.
do $$
begin
    if to_regclass('webarchiv.fill_file') is not null then
        drop table webarchiv.fill_block, webarchiv.fill_file;
    end if;
end $$;

-- As in 106-webarchiv-loading.sql and 108-webarchiv-filing.sql, with the new columns.
create or replace function webarchiv.make_staging() returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform oai.check_load_tables('{load_capture,load_doc,load_horizon}');
    if to_regclass('pg_temp.load_capture') is not null then
        return;
    end if;
    perform oai.make_load_tables();
    -- Every row is a new doc with an id of its own until another one is found: most rows are new, and a row that is not
    -- updated costs nothing more.
    create temporary table load_capture (
        url text, surt text collate "C", archived_time timestamptz, status smallint, digest text, length bigint,
        doc_offset bigint, id_arc integer, id_domain integer, id_mimetype integer,
        title text, language text, description text,
        id bigint default nextval('webarchiv.doc_id_seq'), fresh boolean not null default true,
        changed boolean not null default false
    ) on commit delete rows;
    create temporary table load_doc (
        place integer, id bigint, archived_time timestamptz, doc_offset bigint, length bigint, id_arc integer,
        id_domain integer, id_mimetype integer, status smallint, url text, surt text collate "C", digest text, title text, language text,
        description text, set_ids integer[]
    ) on commit delete rows;
    create temporary table load_horizon (last_seq bigint) on commit delete rows;
    grant select, insert, update on pg_temp.load_capture to oai_loader;
end $$;

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
    select row_number() over (order by c.surt, c.archived_time, c.digest), c.id, c.archived_time, c.doc_offset, c.length, c.id_arc,
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
          select 'collection', c from unnest(filed) c where not exists (select from webarchiv.collection n where n.id = c)) x
    where x.id is not null;
    if found then
        raise foreign_key_violation using message = format('there is no row %s in webarchiv.%s', missing.id, missing.kind);
    end if;
    perform oai.collect_loaded('load_doc');
    return records;
end $$;

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
    perform set_config('oai.publisher', 'on', true), set_config('jit', 'off', true), set_config('random_page_cost', '1.1', true),
        set_config('work_mem', '64MB', true), set_config('lock_timeout', '100ms', true),
        set_config('idle_in_transaction_session_timeout', '5s', true);
    -- The index does not find a capture with a digest that others have loaded without it, or the other way round.
    if exists (select from webarchiv.doc d join pg_temp.load_doc l on l.surt = d.surt and l.archived_time = d.archived_time
               where d.seq > (select s.last_seq from pg_temp.load_horizon s) and d.seq <= (slice.before).last_seq
                 and (l.digest = d.digest
                      or ((l.digest is null or d.digest is null)
                          and l.id_arc is not distinct from d.id_arc and l.doc_offset is not distinct from d.doc_offset))) then
        raise serialization_failure using message = 'another loader has published one of the captures';
    end if;
    begin   -- ON CONFLICT would look up each row in three indexes first
        insert into webarchiv.doc (id, seq, datestamp, archived_time, doc_offset, length, id_arc, id_domain, id_mimetype, status,
                                   url, surt, digest, title, language, description, set_ids)
        select l.id, slice.last + l.place, slice.t, l.archived_time, l.doc_offset, l.length, l.id_arc, l.id_domain, l.id_mimetype,
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
