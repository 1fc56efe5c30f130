-- SPDX-License-Identifier: MIT

-- Returns whether this transaction publishes: it has said so by the setting oai.publisher, and it holds the
-- row of oai.horizon, which no writer may lock. The setting alone proves nothing, because every role may
-- change it. As in 008-protection.sql, but a loader publishes only until its function returns: what its
-- transaction does behind that is a change like any other.
create or replace function oai.is_publishing() returns boolean
language plpgsql volatile security definer set search_path = pg_catalog as $$
declare
    own xid8 := pg_current_xact_id_if_assigned();
begin
    return current_setting('oai.publisher', true) is not distinct from 'on'
        and exists (select from oai.horizon o where (o.xmin = own::xid or o.xmax = own::xid)
                    and o.closed is distinct from own);
end $$;

-- Refuses a change of the publisher's columns. The conditions are those of the triggers that call it.
create or replace function oai.refuse_numbering() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' and new.id <> old.id then
        raise exception '%.%: the id of item % cannot become %', tg_table_schema, tg_table_name, old.id,
            new.id
            using hint = 'Delete the item, which leaves a tombstone, and insert it anew.';
    end if;
    raise exception '%.%, item %: the publisher alone writes seq, set_ids and, once the item is published, its datestamp and identifier',
        tg_table_schema, tg_table_name, new.id
        using hint = 'Leave these columns out; a changed item is published by itself, with a new number.';
end $$;

-- Protects the columns of a table of items (oai.track_items) that belong to the publisher. Roles that may
-- write the whole table may from then on write all columns that it has now but these. May be called again,
-- and has to be after a role was granted INSERT or UPDATE on the whole table.
create or replace function oai.protect_items(items regclass) returns void
language plpgsql set search_path = pg_catalog as $protect$
declare
    new_local_id text := case when exists (select from pg_attribute
                                           where attrelid = items and attname = 'local_id')
                              then ' or old.local_id <> new.local_id' else '' end;
    writer       record;
begin
    perform oai.define_all(format($create$
        create or replace trigger refuse_numbering before update on %1$s for each row
            when ((old.id <> new.id or old.seq is distinct from new.seq or old.set_ids is distinct
                   from new.set_ids
                   or (old.seq is not null and (old.datestamp is distinct from new.datestamp%2$s)))
                  and current_setting('oai.publisher', true) is distinct from 'on')
            execute function oai.refuse_numbering();
        create or replace trigger refuse_numbered before insert on %1$s for each row
            when ((new.seq is not null or new.set_ids <> '{}')
                  and coalesce(current_setting('oai.publisher', true), '') not in ('on', 'tombstones'))
            execute function oai.refuse_numbering()$create$, items, new_local_id));
    for writer in
        select g.privilege_type as privilege, case when g.grantee = 0 then 'public'
            else quote_ident(r.rolname) end as role,
               (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
                where a.attrelid = items and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                  and a.attname <> all (case g.privilege_type when 'INSERT' then '{seq,set_ids}'
                                                              else '{id,seq,set_ids,datestamp}' end::name[])) as columns
        from pg_class c cross join lateral aclexplode(c.relacl) g left join pg_roles r on r.oid = g.grantee
        where c.oid = items and g.privilege_type in ('INSERT', 'UPDATE') and g.grantee <> c.relowner
          and r.rolname is distinct from 'oai_publisher'
    loop
        execute format('revoke %s on %s from %s', writer.privilege, items, writer.role);
        execute format('grant %s (%s) on %s to %s', writer.privilege, writer.columns, items, writer.role);
    end loop;
end $protect$;
