-- SPDX-License-Identifier: MIT
-- Deleting items, and purging their tombstones, in oai.item_row and by oai.remove_items (models/model.sql).

--- Sets the flag `deleted` of the items with these identifiers, and returns for each distinct identifier
--- whether an item has it and whether that item has changed.
-- withdraws: takes down, or ends that; `why`: what the record's page says of it.
create or replace function oai.change_deleted(local_ids text[], mark boolean,
    withdraws boolean default false, why text default null)
    returns table (local_id text, known boolean, changed boolean) language plpgsql as $$
#variable_conflict use_column
begin
    return query
    with wanted as materialized (select w.local_id, i.id
        from (select distinct l as local_id from unnest(local_ids) l) w
        left join oai.item i on i.id = oai.find_item(w.local_id)),
    marked as (update oai.item_row r set deleted = case when withdraws then r.deleted else mark end,
            visible_until = case when not withdraws then r.visible_until
                                 when mark then least(r.visible_until, now()) end,
            hidden_why = case when withdraws then why else r.hidden_why end
        where r.id = any (array(select w.id from wanted w order by 1)) and case when withdraws
            then (r.visible_until <= now()) is true <> mark or r.hidden_why is distinct from why
            else r.deleted <> mark end returning r.id)
    select w.local_id, w.id is not null, exists (select from marked m where m.id = w.id) from wanted w;
end $$;

--- Removes the tombstones with a datestamp before `before` among the next `numbers` numbers after `after`.
--- purged: how many were removed; upto: `after` for the next call, null when no such number is left.
-- In a transaction of its own. What waits to be published again is kept: harvesters have yet to learn of it.
create or replace function oai.purge(before timestamptz, after bigint, numbers integer,
                                     out purged integer, out upto bigint) language plpgsql
set jit = off set random_page_cost = 1.1 as $$
declare
    o    oai.horizon;
    last bigint;
begin
    perform set_config('oai.publisher', 'on', true), oai.make_slice();
    select * into o from oai.horizon for update;
    last := least(after + numbers, oai.seq_before(before, o.last_seq));
    purged := 0;
    if last <= after then return; end if;
    upto := last;
    insert into pg_temp.slice (id, old_seq, old_sets, new_sets)
    select i.id, i.seq, i.set_ids, '{}' from oai.item i
    where i.seq > after and i.seq <= last and i.deleted
      and not exists (select from oai.queue q where q.id = i.id)
    for update of i skip locked;
    get diagnostics purged = row_count;
    if purged > 0 then
        perform oai.move_numbers();
        perform oai.remove_items(array(select s.id from pg_temp.slice s order by 1));
        perform oai.leave_views(array(select s.id from pg_temp.slice s));
        update oai.horizon set item_count = item_count - purged;
    end if;
end $$;
