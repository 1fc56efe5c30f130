-- SPDX-License-Identifier: MIT

-- 'cz:webarchiv:www' -> 'www.webarchiv.cz'; 'ip:192.0.2.1' -> '192.0.2.1'; 'image:svg~2Bxml' ->
-- 'image/svg+xml'
create or replace function webarchiv.title_of(tree text, name text) returns text
language plpgsql immutable as $$
declare
    plain text := name;
    code  text;
begin
    if tree = 'dom' then
        return case when name like 'ip:%' then substr(name, 4)
                    else (select string_agg(label, '.' order by o desc)
                          from unnest(string_to_array(name, ':')) with ordinality l(label, o)) end;
    elsif tree = 'mim' then
        for code in select distinct m[1] from regexp_matches(name, '~([2-7][0-9A-F])', 'g') m loop
            plain := replace(plain, '~' || code, chr(('x' || code)::bit(8)::integer));
        end loop;
        return replace(plain, ':', '/');
    end if;
    return name;
end $$;

-- Fills in the title of a name that has none, before oai.place_name() makes its set. The argument is the
-- setSpec of the root of the tree.
create or replace function webarchiv.fill_title() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
begin
    new.title := coalesce(new.title, webarchiv.title_of(tg_argv[0], new.name));
    return new;
end $$;

-- Checks for all rows of a statement at once what foreign keys would check row by row. The publisher's
-- updates are not checked, because it changes none of these columns. As in 102-webarchiv-triggers.sql, but a
-- writer that only says that it is the publisher is checked, too.
create or replace function webarchiv.check_names() returns trigger language plpgsql security definer
set search_path = pg_catalog as $$
declare
    missing record;
begin
    if oai.is_publishing() then
        return null;
    end if;
    select x.name_table, x.id into missing
    from (select 'arc' as name_table, c.id from (select distinct id_arc as id from changed) c
          where not exists (select from webarchiv.arc n where n.id = c.id)
          union all
          select 'domain', c.id from (select distinct id_domain as id from changed) c
          where not exists (select from webarchiv.domain n where n.id = c.id)
          union all
          select 'mimetype', c.id from (select distinct id_mimetype as id from changed) c
          where not exists (select from webarchiv.mimetype n where n.id = c.id)) x
    where x.id is not null;
    if found then
        raise foreign_key_violation using
            message = format('webarchiv.doc: there is no row %s in webarchiv.%s', missing.id,
                             missing.name_table);
    end if;
    return null;
end $$;
create or replace trigger fill_title before insert on webarchiv.domain
    for each row execute function webarchiv.fill_title('dom');
create or replace trigger fill_title before insert on webarchiv.mimetype
    for each row execute function webarchiv.fill_title('mim');
create or replace trigger fill_title before insert on webarchiv.collection
    for each row execute function webarchiv.fill_title('col');
create or replace trigger check_names_of_inserted after insert on webarchiv.doc
    referencing new table as changed
    for each statement execute function webarchiv.check_names();
create or replace trigger check_names_of_updated after update on webarchiv.doc
    referencing new table as changed
    for each statement execute function webarchiv.check_names();

select oai.track_items('webarchiv.doc');
select oai.track_names('webarchiv.domain', 'dom');
select oai.track_names('webarchiv.mimetype', 'mim');
select oai.track_names('webarchiv.collection', 'col');
select oai.protect_names('webarchiv.arc');
