-- SPDX-License-Identifier: MIT

-- A loader that publishes brings the sets of kinds and languages, and has looked up the collections, for a
-- whole slice: nothing is checked row by row, or twice. Whoever else says that it publishes is refused once
-- for each statement.
create or replace function library.refuse_unchecked() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
begin
    if not oai.is_publishing() then
        raise exception '%.%: rows are inserted with oai.publisher set to on, and this transaction publishes nothing',
            tg_table_schema, tg_table_name using hint = 'Leave the setting alone.';
    end if;
    return null;
end $$;

-- Makes the temporary tables of a session, unless they are there. load_new has for each new item its place in
-- the slice, counted from 1, its collections, and all its sets.
create or replace function library.make_staging() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform oai.check_load_tables('{load_item,load_new}');
    if to_regclass('pg_temp.load_item') is not null then
        return;
    end if;
    begin
        -- a slice of items, which else goes through files
        perform set_config('temp_buffers', '64MB', false);
    exception when invalid_parameter_value then   -- the session has used temporary tables before
    end;
    perform oai.make_load_tables();
    -- A row is a new item with an id of its own unless it is copied with one, so that no row is written
    -- twice.
    create temporary table load_item (
        local_id text collate "C", datestamp timestamptz, deleted boolean, collection_ids integer[],
            all_collections boolean,
        kind text, title text[], title_lang text[], creator text[], creator_lang text[], subject text[],
            subject_lang text[],
        description text[], description_lang text[], publisher text[], publisher_lang text[],
            contributor text[],
        contributor_lang text[], date text[], type text[], type_lang text[], format text[], identifier text[],
            source text[],
        source_lang text[], language text[], relation text[], relation_lang text[], coverage text[],
            coverage_lang text[],
        rights text[], rights_lang text[], doi text, urn text, landing_page text, licence text, year integer,
            isbn text[],
        issn text[], marc xml, mods xml, origin xml, all_payloads boolean,
        id bigint not null default nextval('library.item_id_seq'), fresh boolean not null default true,
        changed boolean not null default false
    ) on commit delete rows;
    create temporary table load_new (
        place integer, id bigint, kind_id integer, language_ids integer[], filed integer[], set_ids integer[]
    ) on commit delete rows;
    grant select, insert, update on pg_temp.load_item to oai_loader;
end $$;

-- So that plans know how much was staged. Analyzes one column: statistics of all would cost as much as their
-- COPY.
create or replace function library.analyze_staged() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform oai.check_load_tables('{load_item,load_new}');
    analyze pg_temp.load_item (id);
end $$;

-- Prepares everything of the slice that needs no lock, for the rows that are fresh and not deleted, in the
-- order in which they were copied. Returns how many there are. Kinds and languages should be there already:
-- others that need one that this transaction makes wait for its end.
create or replace function library.prepare_slice() returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    records bigint;
    missing integer;
begin
    perform oai.check_load_tables('{load_item,load_new}');
    perform set_config('jit', 'off', true);
    with kind as materialized (   -- each but once: there are few
        select k.name, library.kind_id(k.name) as id from (select distinct i.kind as name
                                                           from pg_temp.load_item i) k),
    spoken as materialized (
        select l.given, library.language_ids(l.given) as ids from (select distinct i.language as given
                                                                   from pg_temp.load_item i) l),
    filed as materialized (
        select c.given, array(select distinct f from unnest(c.given) f order by 1) as ids
        from (select distinct i.collection_ids as given from pg_temp.load_item i) c)
    insert into pg_temp.load_new
    select row_number() over (), i.id, k.id, coalesce(l.ids, '{}'), coalesce(c.ids, '{}'),
           array_remove(array[k.id], null) || coalesce(l.ids, '{}') || coalesce(c.ids, '{}')
    from pg_temp.load_item i left join kind k on k.name = i.kind left join spoken l on l.given = i.language
         left join filed c on c.given = i.collection_ids
    where i.fresh and i.deleted is not true;
    get diagnostics records = row_count;
    analyze pg_temp.load_new (id);
    select f.id into missing from (select distinct unnest(n.filed) as id from (select distinct l.filed
        from pg_temp.load_new l) n) f
    where not exists (select from library.collection c where c.id = f.id) limit 1;
    if found then
        raise foreign_key_violation using message = format('library.item_collection: there is no collection %s', missing);
    end if;
    perform oai.collect_loaded('load_new');
    return records;
end $$;

-- Publishes the items of load_new. turn: null, or why it is not the caller's turn (oai.begin_loaded_slice);
-- milliseconds: how long the row of oai.horizon was locked. The caller commits at once; one that does not
-- within five seconds is ended. Waits for no other lock longer than 0.1 s (SQLSTATE 55P03), and fails with
-- 40001 if others have inserted one of the items meanwhile: the transaction is then to be run anew.
create or replace function library.publish_slice(out turn text, out milliseconds bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    records  constant bigint := (select count(*) from pg_temp.load_new);
    setting  constant text := coalesce(current_setting('oai.publisher', true), '');
    slice    record;
    began    timestamptz;
begin
    perform oai.check_load_tables('{load_item,load_new}');
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
    begin
        insert into library.item (
            id, seq, datestamp, set_ids, local_id, kind, kind_id, language_ids, title, title_lang, creator,
                creator_lang, subject,
            subject_lang, description, description_lang, publisher, publisher_lang, contributor,
                contributor_lang, date, type,
            type_lang, format, identifier, source, source_lang, language, relation, relation_lang, coverage,
                coverage_lang, rights,
            rights_lang, doi, urn, landing_page, licence, year, isbn, issn, marc, mods, origin)
        select n.id, slice.last + n.place, slice.t, n.set_ids, i.local_id, i.kind, n.kind_id, n.language_ids,
            i.title, i.title_lang,
            i.creator, i.creator_lang, i.subject, i.subject_lang, i.description, i.description_lang,
                i.publisher, i.publisher_lang,
            i.contributor, i.contributor_lang, i.date, i.type, i.type_lang, i.format, i.identifier, i.source,
                i.source_lang,
            i.language, i.relation, i.relation_lang, i.coverage, i.coverage_lang, i.rights, i.rights_lang,
                i.doi, i.urn,
            i.landing_page, i.licence, i.year, i.isbn, i.issn, i.marc, i.mods, i.origin
        from pg_temp.load_item i join pg_temp.load_new n on n.id = i.id;
    exception when unique_violation then
        raise serialization_failure using message = 'another program has inserted one of the items';
    end;
    insert into library.item_collection (id_item, id_collection) select n.id, c
    from pg_temp.load_new n, unnest(n.filed) c;
    if oai.has_requirements() then
        insert into pg_temp.slice (id, datestamp, kept, new_seq, old_sets, new_sets)
        select n.id, slice.t, false, slice.last + n.place, '{}', n.set_ids from pg_temp.load_new n;
    end if;
    perform oai.end_loaded_slice(slice.before, slice.t, slice.last, records);
    perform set_config('oai.publisher', setting, true);
    milliseconds := 1000 * extract(epoch from clock_timestamp() - began);
end $$;
create or replace trigger refuse_unchecked after insert on library.item for each statement
    when (current_setting('oai.publisher', true) is not distinct
          from 'on') execute function library.refuse_unchecked();
create or replace trigger refuse_unchecked after insert on library.item_collection for each statement
    when (current_setting('oai.publisher', true) is not distinct
          from 'on') execute function library.refuse_unchecked();
