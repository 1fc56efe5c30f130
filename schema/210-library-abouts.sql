-- SPDX-License-Identifier: MIT
-- What the records of a static repository say about themselves is kept beside them: the column about_PREFIX of an item has an
-- element <abouts> with the content of each <about> of its record in that format, in order.

-- The body of keep_format of 207-library-protection.sql, for any column.
create function harvest.add_column(wanted text) returns text language plpgsql security definer
set search_path = pg_catalog as $$
declare
    definition text := pg_get_viewdef('oai.record'::regclass);
    extended   text;
begin
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

create function harvest.refuse_prefix(prefix text) returns void language plpgsql as $$
begin
    if prefix !~ '^[A-Za-z0-9_.-]{1,50}$' then
        raise exception 'metadataPrefix % cannot name a column', prefix;
    end if;
end $$;

create or replace function harvest.keep_format(prefix text) returns text language plpgsql security definer
set search_path = pg_catalog set lock_timeout = '300ms' as $$
begin
    perform harvest.refuse_prefix(prefix);
    return harvest.add_column(harvest.column_of(prefix));
end $$;

-- The same for what the records of the format say about themselves.
create function harvest.keep_abouts(prefix text) returns text language plpgsql security definer
set search_path = pg_catalog set lock_timeout = '300ms' as $$
begin
    perform harvest.refuse_prefix(prefix);
    return harvest.add_column('about_' || prefix);
end $$;

-- The formats that have such a column.
create function harvest.kept_abouts() returns setof text language sql stable as $$
    select substr(attname, 7) from pg_attribute
    where attrelid = 'library.item'::regclass and attname like 'about\_%' and not attisdropped
$$;

-- Returns how many items had others, or none. null: the record says nothing.
create function harvest.write_abouts(prefix text, ids bigint[], abouts text[]) returns bigint language plpgsql as $$
declare
    changed bigint;
begin
    execute format($update$
        update library.item i set %1$I = a.abouts::xml
        from (select * from unnest($1, $2) u(id, abouts) order by id) a
        where i.id = a.id and i.%1$I::text is distinct from a.abouts $update$, 'about_' || prefix)
    using ids, abouts;
    get diagnostics changed = row_count;
    return changed;
end $$;

revoke execute on function harvest.add_column, harvest.refuse_prefix, harvest.keep_abouts, harvest.kept_abouts, harvest.write_abouts
    from public;
grant execute on function harvest.keep_abouts, harvest.kept_abouts, harvest.write_abouts to oai_loader;
