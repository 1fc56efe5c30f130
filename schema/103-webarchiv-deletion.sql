-- SPDX-License-Identifier: MIT
-- The functions that 005-deletion.sql requires of a model.
create function oai.mark_deleted(ids bigint[], mark boolean) returns setof bigint language sql as $$
    update webarchiv.doc set deleted = mark where id = any (ids) and deleted <> mark returning id
$$;

create function oai.remove_items(ids bigint[]) returns void language sql security definer set search_path = pg_catalog as $$
    delete from webarchiv.doc where id = any (ids) and deleted
$$;

revoke execute on function oai.mark_deleted, oai.remove_items from public;
grant execute on function oai.mark_deleted, oai.find_item to oai_loader;
grant execute on function oai.remove_items to oai_publisher;
grant select on oai.item to oai_loader;
