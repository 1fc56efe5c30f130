-- SPDX-License-Identifier: MIT
-- Deletion, rights, and what an earlier mapping has left.

--- deletion
-- `oai delete`, undelete and purge (schema/core/deletion.sql).
create or replace function oai.mark_deleted(ids bigint[], mark boolean) returns setof bigint
language sql security definer set search_path = pg_catalog as $body$
    with wanted as (
        select i.id, i.local_id,
               mark or not exists (select from oai.copy m where m.local_id = i.local_id) as gone
        from oai.item i where i.id = any (ids) and i.deleted <> mark),
    withheld as (insert into oai.withheld (local_id) select w.local_id from wanted w where mark
        on conflict do nothing),
    given as (delete from oai.withheld h using wanted w where h.local_id = w.local_id and not mark),
    marked as (update oai.item i set deleted = mark from wanted w where i.id = w.id and w.gone = mark
        returning i.id),
    queued as (insert into oai.queue (id) select m.id from marked m)
    select m.id from marked m
$body$;
create or replace function oai.remove_items(ids bigint[]) returns void
language sql security definer set search_path = pg_catalog as $body$
    delete from oai.item where id = any (ids) and deleted
$body$;

--- rights
revoke execute on function oai.map_refresh, oai.map_note_checksum, oai.map_take, oai.map_depart, oai.map_poll,
    oai.map_follow, oai.map_note_problem, oai.mark_deleted, oai.remove_items from public;
grant execute on function oai.map_poll, oai.map_follow, oai.map_note_problem to oai_publisher;
grant select on oai.item, oai.record, oai.membership, oai.mapped to oai_reader;
grant select on oai.item, oai.record, oai.membership to oai_publisher;
grant select on oai.record to oai_rule;
grant update on oai.item to oai_publisher;
grant select on oai.item to oai_loader;
grant execute on function oai.find_item to oai_reader, oai_publisher, oai_loader;
grant execute on function oai.mark_deleted to oai_loader;
grant execute on function oai.remove_items to oai_publisher;
select oai.protect_items('oai.item');

--- note
-- The file, as it was applied. What has changed since the copy was made is looked for once.
insert into oai.mapping (definition, looks) values (@definition@, @looks@)
    on conflict (single) do update set definition = excluded.definition, applied_at = now(),
        looks = excluded.looks, tables = null,
        problem = null, polled_after = null, compared_after = null;

--- drop_old
-- What an earlier mapping has made and this one has not. The triggers go with their functions.
do $body$
declare
    old regprocedure;
begin
    for old in select p.oid from pg_proc p
               where p.pronamespace = 'oai'::regnamespace and p.proname like 'map\_%'
                   and p.oid <> all (@functions@::regprocedure[])
    loop
        execute format('drop function %s cascade', old);
    end loop;
end $body$;
