-- SPDX-License-Identifier: MIT

-- Makes the temporary tables in which a slice, a batch of changed items, passes through the functions below.
-- They are temporary so that nothing of them is written to the WAL.
--   taken    the items that were taken from the queue
--   slice    for each item, what the lists hold now (old_...) and what they shall hold (new_...)
--   posting  for each set, the numbers that leave it (gone) and that are added to it (come)
-- As in 002-publisher.sql, with the tables that oai.take_changed() needs.
--   candidate  entries of the queue that this round looks at
--   taken      the items that were taken from the queue
--   slice      for each item, what the lists hold now (old_...) and what they shall hold (new_...)
--   posting    for each set, the numbers that leave it (gone) and that are added to it (come)
-- As in 009-lanes.sql, with another table for postings. A session that has the earlier one gets the new one.
--   posting  for each set, the numbers that leave it (gone), and the differences to `base` of those that are
--            added (come)
create or replace function oai.make_slice() returns void language plpgsql as $$
begin
    if to_regclass('pg_temp.candidate') is null then
        create temporary table candidate (batch bigint, n bigint, id bigint) on commit delete rows;
    end if;
    if to_regclass('pg_temp.slice') is null then
        create temporary table taken (id bigint, n bigint) on commit delete rows;
        create temporary table slice (
            id bigint, datestamp timestamptz, kept boolean, old_seq bigint, new_seq bigint,
                old_sets integer[],
            new_sets integer[]) on commit delete rows;
    end if;
    if to_regclass('pg_temp.posting') is not null
       and not exists (select from pg_attribute where attrelid = to_regclass('pg_temp.posting')
                       and attname = 'base') then
        drop table pg_temp.posting;
    end if;
    if to_regclass('pg_temp.posting') is null then
        create temporary table posting (set_id integer, gone bigint[], base bigint,
                                        come integer[]) on commit delete rows;
    end if;
end $$;

-- Gives the items in pg_temp.taken their numbers and datestamps, and writes these to the sets and the items.
-- The datestamp is t; but during the first numbering an item that comes with a datestamp keeps it if the
-- order of the list allows that. Returns true if all items of the slice kept theirs. As in
-- 012-first-numbering.sql and 002-publisher.sql: gives the items in pg_temp.taken their numbers and
-- datestamps.
create or replace function oai.number_slice(before oai.horizon, t timestamptz,
                                            keep_deleted boolean) returns boolean
language plpgsql as $$
declare
    records constant bigint := (select count(*) from pg_temp.taken);
    last    bigint := before.last_seq;   -- the slice has the numbers from the next one on
begin
    if oai.base_of(last + 1) <> oai.base_of(last + records) then
        last := oai.base_of(last + records) - 1;
    end if;
    analyze pg_temp.taken;
    insert into pg_temp.slice
    select x.id, case when x.kept then date_trunc('second', x.brought) else t end, x.kept, x.seq,
           case when x.listed then last + row_number() over (order by x.listed desc, x.kept desc, x.brought,
                                                             x.n) end,
           x.set_ids,
           case when x.deleted and x.set_ids <> '{}' then x.set_ids else x.sets_now end
    from (select c.id, c.n, i.seq, i.set_ids, i.sets_now, i.deleted, number_slice.keep_deleted
          or not i.deleted as listed,
                 k.kept, case when k.kept then i.datestamp end as brought
          from pg_temp.taken c join oai.membership i on i.id = c.id,
               lateral (select before.h is null and i.seq is null
                               and coalesce(i.datestamp between before.filling and t, false)) k(kept)) x;
    analyze pg_temp.slice;
    perform oai.move_numbers();
    update oai.item i
    set seq = s.new_seq, datestamp = case when s.new_seq is not null then s.datestamp end,
        set_ids = s.new_sets
    from pg_temp.slice s where i.id = s.id;
    return not exists (select from pg_temp.slice where not kept);
end $$;

-- Begins the first numbering: queues all items in the order of the datestamps that they come with, which the
-- repository may have given out before. As in 002-publisher.sql, but a datestamp before the year 1, such as
-- '-infinity', counts as none: OAI-PMH cannot say it, and a list that met it failed. Such an item gets the
-- datestamp of its first publication, as one without.
create or replace function oai.begin_filling() returns void language plpgsql as $$
declare
    -- oai.publish() has it, too
    year_1 constant timestamptz := timestamptz '0001-01-01 00:00:00Z' - interval '1 microsecond';
begin
    create temporary table filling on commit drop as
        select q.id from (select id, min(n) as n from oai.queue group by id) q join oai.item i on i.id = q.id
        order by case when i.datestamp > year_1 then i.datestamp end nulls last, q.n;
    delete from oai.queue;
    insert into oai.queue (id) select id from filling;
    update oai.horizon set filling = year_1;
end $$;

-- Applies a change of the deletion policy: queues the tombstones that leave the lists (keep is false) or come
-- back into them.
create or replace function oai.apply_policy(keep boolean) returns void language plpgsql as $$
begin
    if (select keep_deleted is not null from oai.horizon) then
        insert into oai.queue (id) select id from oai.item where deleted and (seq is null) = keep;
    end if;
    update oai.horizon set keep_deleted = keep;
end $$;
