-- SPDX-License-Identifier: MIT
-- The functions of a loader of items that publishes its own slices (core/loading.sql): make_staging once;
-- then for each slice COPY into load_item, analyze_staged, prepare_slice, oai.publish_loaded; or, for what is
-- left to the publisher, insert_staged and update_staged, which work with the rights of the caller.

-- Some SQL for each column of content that load_item has but `others`, or of `these` alone: %1$I is its name.
create or replace function library.staged(template text, others name[] default '{}',
    these name[] default null, separator text default ', ') returns text language sql stable as $$
    select string_agg(format(template, a.attname), separator order by a.attnum)
    from pg_catalog.pg_attribute a
    where a.attrelid = to_regclass('pg_temp.load_item') and a.attnum > 0 and not a.attisdropped
      and a.attname <> all (others || '{local_id,datestamp,deleted,id,fresh,changed}'::name[]
                                   || '{collection_ids,all_collections,all_payloads}'::name[])
      and (these is null or a.attname = any (these))
$$;

create or replace function library.make_load_item(content name[]) returns void language plpgsql as $$
begin
    execute 'create temporary table load_item on commit delete rows as
             select local_id, datestamp, deleted, '
            || (select string_agg(quote_ident(c), ', ') from unnest(content) c)
            || ' from library.item with no data';
    -- A row is a new item with an id of its own unless it is copied with one: no row is written twice.
    alter table pg_temp.load_item add collection_ids integer[], add all_collections boolean,
        add all_payloads boolean, add id bigint not null default nextval('library.item_id_seq'),
        add fresh boolean not null default true, add changed boolean not null default false;
end $$;

-- load_item has these columns of library.item, the content that the loader brings.
create or replace function library.make_staging(content name[] default '{kind,language}') returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform oai.check_load_tables();
    if to_regclass('pg_temp.load_item') is not null then return; end if;
    begin
        -- a slice of items, which else goes through files
        perform set_config('temp_buffers', '64MB', false);
    exception when invalid_parameter_value then   -- the session has used temporary tables before
    end;
    perform oai.make_slice();
    perform library.make_load_item(content);
    create temporary table load_new (
        place integer, id bigint, kind_id integer, language_ids integer[], filed integer[], set_ids integer[]
    ) on commit delete rows;
    grant select, insert, update on pg_temp.load_item to oai_loader;
end $$;

-- So that plans know how much was staged. Statistics of all columns would cost as much as their COPY.
create or replace function library.analyze_staged() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform oai.check_load_tables();
    analyze pg_temp.load_item (id);
end $$;

-- What of the slice needs no lock, for the rows that are fresh and not deleted. Returns how many there are.
-- Kinds and languages should be there already: who needs one that this transaction makes waits for its end.
create or replace function library.prepare_slice() returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    records bigint;
    missing integer;
begin
    perform oai.check_load_tables();
    with kind as materialized (   -- each but once: there are few
        select k.name, oai.name_id('library.kind', k.name) as id
        from (select distinct i.kind as name from pg_temp.load_item i) k),
    spoken as materialized (select l.given, library.language_ids(l.given) as ids
        from (select distinct i.language as given from pg_temp.load_item i) l),
    filed as materialized (select c.given, array(select distinct f from unnest(c.given) f order by 1) as ids
        from (select distinct i.collection_ids as given from pg_temp.load_item i) c)
    insert into pg_temp.load_new
    select row_number() over (), i.id, k.id, coalesce(l.ids, '{}'), coalesce(c.ids, '{}'),
           array_remove(array[k.id], null) || coalesce(l.ids, '{}') || coalesce(c.ids, '{}')
    from pg_temp.load_item i left join kind k on k.name = i.kind left join spoken l on l.given = i.language
         left join filed c on c.given = i.collection_ids where i.fresh and i.deleted is not true;
    get diagnostics records = row_count;
    analyze pg_temp.load_new (id);
    select f.id into missing
    from (select distinct unnest(n.filed) as id from (select distinct l.filed from pg_temp.load_new l) n) f
    where not exists (select from library.collection c where c.id = f.id) limit 1;
    if found then
        raise foreign_key_violation using message =
            format('library.item_collection: there is no collection %s', missing);
    end if;
    perform oai.collect_loaded();
    return records;
end $$;

create or replace function oai.insert_loaded(before oai.horizon, t timestamptz, last bigint) returns void
language plpgsql as $$
begin
    execute 'insert into library.item (id, seq, datestamp, set_ids, local_id, kind_id, language_ids, '
            || library.staged('%I') || ')
        select n.id, $1 + n.place, $2, n.set_ids, i.local_id, n.kind_id, n.language_ids, '
            || library.staged('i.%I') || '
        from pg_temp.load_item i join pg_temp.load_new n on n.id = i.id' using last, t;
    insert into library.item_collection (id_item, id_collection)
    select n.id, c from pg_temp.load_new n, unnest(n.filed) c;
end $$;

-- Returns how many: others may have inserted some meanwhile. The datestamp counts in the first fill only.
create or replace function library.insert_staged() returns bigint language plpgsql as $$
declare inserted bigint;
begin
    execute 'insert into library.item (id, local_id, datestamp, deleted, ' || library.staged('%I') || ')
        select id, local_id, datestamp, coalesce(deleted, false), ' || library.staged('%I') || '
        from load_item where fresh order by local_id on conflict (local_id) do nothing';
    get diagnostics inserted = row_count;
    return inserted;
end $$;

-- The origins of an item, in their order, without that of one format: each says its format by the namespace.
create or replace function library.origins_beside(origins xml, namespace text) returns xml
language sql stable as $$
    select xmlagg(o order by n)
    from unnest(xpath('/o/*', xmlelement(name o, origins))) with ordinality u(o, n)
    where xmlelement(name x, (xpath('/p:originDescription/p:metadataNamespace/text()', o,
                                    '{{p,http://www.openarchives.org/OAI/2.0/provenance}}'))[1])::text
          <> xmlelement(name x, namespace)::text   -- both escaped
$$;

-- What is deleted here stays deleted unless the file says that it exists. xml has no equality, so it is
-- compared as text. A new origin, which comes before those of other formats, is no change by itself.
create or replace function library.update_staged() returns void language plpgsql as $$
declare
    dates    constant name[] := '{access,access_from,visible_from,visible_until}';
    payloads constant name[] := '{marc,mods,fields}';
    special  constant name[] := 'origin'::name || dates || payloads;
    dated    constant text := library.staged(', %1$I = case when s.all_collections is null or s.%1$I '
        'is not null then s.%1$I else i.%1$I end', '{}', dates, '');   -- a map may take a date away
    differs  constant text := library.staged('s.%1$I is distinct from i.%1$I and '
        '(s.all_collections is null or s.%1$I is not null) or ', '{}', dates, '');
    kept     constant text := library.staged('%1$I = case when s.all_payloads then s.%1$I else i.%1$I end',
                                             '{}', payloads);
    changes  constant text := library.staged(
        's.all_payloads and s.%1$I::text is distinct from i.%1$I::text', '{}', payloads, ' or ');
begin
    execute 'with updated as (update library.item i
            set ' || library.staged('%1$I = s.%1$I', special) || coalesce(dated, '') || ', ' || kept || ',
                origin = case when s.origin is null then i.origin
                    else xmlconcat(s.origin, library.origins_beside(
                        i.origin, ''http://www.openarchives.org/OAI/2.0/oai_dc/'')) end,
                deleted = coalesce(s.deleted, i.deleted)
            from load_item s where i.id = s.id and not s.fresh and s.deleted is distinct from true
              and (not i.deleted or not s.deleted)
              and (' || coalesce(differs, '') || changes || ' or coalesce(s.deleted, i.deleted) <> i.deleted
                   or (' || library.staged('i.%I', special) || ')
                  is distinct from (' || library.staged('s.%I', special) || '))
            returning i.id)
        update load_item s set changed = true where s.id in (select id from updated)';
end $$;
