-- SPDX-License-Identifier: MIT
-- The role oai_reader can only read schema oai; oai_publisher can also write what the publisher keeps there.
-- PostgreSQL lets every role create temporary tables and large objects in a database. Here only the roles that need
-- temporary tables may create them, and no role (but superusers) may create large objects.
do $$
begin
    execute format('revoke temporary on database %I from public', current_database());
    execute format('grant temporary on database %I to oai_publisher, oai_loader', current_database());
    if (select rolsuper from pg_roles where rolname = current_user) then
        revoke execute on function lo_creat, lo_create, lo_from_bytea, lo_put, lo_truncate, lo_truncate64, lo_unlink, lowrite
            from public;
        -- Its arguments are others from one PostgreSQL to the next.
        execute (select format('revoke execute on function %s from public', string_agg(oid::regprocedure::text, ', '))
                 from pg_proc where proname = 'pg_logical_emit_message' and pronamespace = 'pg_catalog'::regnamespace);
    end if;
end $$;
grant usage on schema oai to oai_reader, oai_publisher, oai_loader;
grant select on oai.set, oai.set_chunk, oai.horizon, oai.fork, oai.calendar, oai.queue to oai_reader, oai_publisher;
grant select on oai.set, oai.horizon to oai_loader;
grant update on oai.set, oai.horizon to oai_publisher;
grant insert, update, delete on oai.set_chunk to oai_publisher;
grant insert on oai.calendar, oai.fork to oai_publisher;
grant insert, delete on oai.queue to oai_publisher;
revoke execute on all functions in schema oai from public;
grant execute on all functions in schema oai to oai_publisher;
grant execute on function oai.position, oai.seq_before, oai.set_page, oai.count_set, oai.list_size, oai.page_before,
    oai.estimate_list, oai.estimate_set, oai.histogram,
    oai.check_chunks, oai.check_calendar, oai.numbers_used to oai_reader;
