-- SPDX-License-Identifier: MIT

-- Only roles that need temporary tables may create them, and no role (but superusers) large objects; where
-- there are tables of others, their programs may need both.
do $$
begin
    execute format('grant temporary on database %I to oai_publisher, oai_loader', current_database());
    if exists (select from pg_tables where schemaname
               !~ '^(oai|oai_view|library|webarchiv|harvest|pg_.*|information_schema)$') then
        return;
    end if;
    execute format('revoke temporary on database %I from public', current_database());
    if (select rolsuper from pg_roles where rolname = current_user) then
        revoke execute on function lo_creat, lo_create, lo_from_bytea, lo_put, lo_truncate, lo_truncate64,
            lo_unlink, lowrite
            from public;
        -- Its arguments are others from one PostgreSQL to the next.
        execute (select format('revoke execute on function %s from public',
                               string_agg(oid::regprocedure::text, ', '))
                 from pg_proc where proname = 'pg_logical_emit_message'
                     and pronamespace = 'pg_catalog'::regnamespace);
    end if;
end $$;

grant usage on schema oai to oai_reader, oai_publisher, oai_loader;
grant select on all tables in schema oai to oai_reader, oai_publisher;
grant select on all sequences in schema oai to oai_reader, oai_publisher;
grant select on oai.set, oai.horizon to oai_loader;
grant insert, delete, update (item_count, held, name, description) on oai.set to oai_publisher;
grant update (name, description) on oai.set to oai_loader;
grant update on oai.horizon to oai_publisher;
grant insert, update, delete on oai.set_chunk, oai.walk, oai.rule, oai.rule_problem, oai.view, oai.view_item,
    oai.view_set, oai.view_chunk, oai.view_calendar, oai.view_move to oai_publisher;
grant insert, update on oai.fork, oai.set_move to oai_publisher;
grant insert, delete on oai.queue, oai.calendar to oai_publisher;
grant update (batch, n) on oai.queue to oai_publisher;
grant delete on oai.batch to oai_publisher;

-- What a function does with the rights of its caller gives nobody more than he has. Everybody may call those
-- that only read; the publisher those of its schema that write, and the loader those of the model. What is
-- run with the rights of its owner, nobody may execute but who is named.
create or replace function oai.grant_functions() returns void
language plpgsql set search_path = pg_catalog as $$
declare f record;
begin
    for f in select p.oid::regprocedure as name, n.nspname as room, p.prosecdef, p.provolatile
             from pg_proc p join pg_namespace n on n.oid = p.pronamespace
             where n.nspname in ('oai', 'oai_view', 'webarchiv', 'library', 'harvest')
               and pg_has_role(p.proowner, 'usage')
    loop
        execute format('revoke execute on routine %s from public', f.name);
        if not f.prosecdef then
            execute format('grant execute on routine %s to %s', f.name,
                           case when f.provolatile <> 'v' then 'oai_reader, oai_publisher, oai_loader'
                                when f.room in ('oai', 'oai_view') then 'oai_publisher'
                                else 'oai_loader' end);
        end if;
    end loop;
end $$;
select oai.grant_functions();
grant execute on function oai.publish_loaded, oai.change_deleted, oai.name_id to oai_loader;

-- Lets a function run with the rights of a role, which has no other. Who gives it one needs a right in the
-- role: since PostgreSQL 16 it is not enough to be a member.
create or replace function oai.run_as(role regrole, called regproc) returns void language plpgsql as $$
begin
    if not pg_has_role(role, case when current_setting('server_version_num')::integer < 160000 then 'member'
                                  else 'set' end) then
        execute format('grant %s to %I', role, current_user);
    end if;
    execute format('grant usage, create on schema oai to %1$s; alter function %2$s owner to %1$s;'
                   'revoke create on schema oai from %1$s', role, called);
exception when insufficient_privilege then
    raise warning '% runs with the rights of %', called, current_user
        using hint = format('As a superuser: grant %s to %I; then install the schema again.', role,
                            current_user);
end $$;
-- Conditions of rules are asked so.
select oai.run_as('oai_rule', 'oai.rule_matches');
grant execute on function oai.rule_matches to oai_publisher;
