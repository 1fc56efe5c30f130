-- SPDX-License-Identifier: MIT
-- Protects the columns of library.item that belong to the publisher (008-protection.sql).
select oai.track_items('library.item');

-- As in 204-library-harvest.sql, and lets the loader write the new column: its rights on library.item name the columns.
create or replace function harvest.keep_format(prefix text) returns text language plpgsql security definer
set search_path = pg_catalog set lock_timeout = '300ms' as $$
declare
    wanted     text := harvest.column_of(prefix);
    definition text := pg_get_viewdef('oai.record'::regclass);
    extended   text;
begin
    if prefix !~ '^[A-Za-z0-9_.-]{1,50}$' then
        raise exception 'metadataPrefix % cannot name a column', prefix;
    end if;
    if exists (select from pg_attribute where attrelid = 'oai.record'::regclass and attname = wanted) then
        return wanted;
    end if;
    extended := regexp_replace(definition, '\s+FROM library\.item i;?\s*$', format(', i.%I FROM library.item i', wanted));
    if extended = definition then
        raise exception 'oai.record is not the view of model library that it was: add library.item.% to both by hand', wanted;
    end if;
    execute format('alter table library.item add column if not exists %I xml', wanted);
    execute format('grant insert (%1$I), update (%1$I) on library.item to oai_loader', wanted);
    execute 'create or replace view oai.record as ' || extended;
    return wanted;
end $$;

-- What the setSpecs of named sets must be, for oai.check_sets().
create view oai.set_place as
    select id, 'col:' || name as spec from library.collection
    union all select id, 'type:' || name from library.kind
    union all select id, 'lang:' || name from library.language;
grant select on oai.set_place, oai.membership to oai_reader;
