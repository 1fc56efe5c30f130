-- SPDX-License-Identifier: MIT
-- Protects the columns of webarchiv.doc that belong to the publisher (008-protection.sql).
select oai.track_items('webarchiv.doc');

-- As in 102-webarchiv-triggers.sql, but a writer that only says that it is the publisher is checked, too.
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
            message = format('webarchiv.doc: there is no row %s in webarchiv.%s', missing.id, missing.name_table);
    end if;
    return null;
end $$;

-- What the setSpecs of named sets must be, for oai.check_sets().
create view oai.set_place as
    select id, 'dom:' || name as spec from webarchiv.domain
    union all select id, 'mim:' || name from webarchiv.mimetype
    union all select id, 'col:' || name from webarchiv.collection;
grant select on oai.set_place, oai.membership to oai_reader;
