-- SPDX-License-Identifier: MIT

-- Makes the temporary tables that slices of a loader pass through, beside those of oai.make_slice(). They
-- belong to the owner of this file's functions, so that no trigger, view or policy of the caller's own can
-- stand in their place.
--   load_posting  for each set, the places within the slice of those items that belong to it
create or replace function oai.make_load_tables() returns void language plpgsql as $$
begin
    perform oai.make_slice();
    create temporary table load_posting (set_id integer, places integer[]) on commit delete rows;
end $$;

-- Refuses temporary tables that a caller has made under these names.
create or replace function oai.check_load_tables(names name[]) returns void language plpgsql as $$
begin
    if exists (select from pg_catalog.pg_class c join pg_catalog.pg_roles r on r.oid = c.relowner
               where c.relnamespace = pg_catalog.pg_my_temp_schema() and r.rolname <> current_user
                 and c.relname = any (names || '{load_posting,candidate,taken,slice,posting}'::name[])) then
        raise exception 'a temporary table of this session stands in the place of one of the loader''s'
            using errcode = 'insufficient_privilege';
    end if;
end $$;

-- Fills load_posting from a temporary table with the columns place, which counts from 1, and set_ids, the
-- leaf sets.
create or replace function oai.collect_loaded(items name) returns void language plpgsql as $$
declare
    leaves integer[];
begin
    execute format('select array(select distinct unnest(set_ids) from pg_temp.%I)', items) into leaves;
    delete from pg_temp.load_posting;
    execute format('
        insert into pg_temp.load_posting
        select p.set_id, array_agg(distinct u.place)
        from (select l.leaf, array_agg(i.place) as places
              from pg_temp.%I i, unnest(i.set_ids) l(leaf) group by 1) l
             join (select o.id, o.path from oai.set o where o.id = any ($1) offset 0) o on o.id = l.leaf,
             unnest(o.path) p(set_id), unnest(l.places) u(place)
        group by 1', items) using leaves;
end $$;

-- Takes the row of oai.horizon and the second t that is over, for one slice of `records` items, whose numbers
-- follow `last`. Otherwise turn says why not, and nothing is locked:
--   wait   the second is not over, or is somebody else's: to be called again soon
--   queue  the repository is not numbered yet, or was moved: rows are to be inserted without numbers, for the
--          publisher
create or replace function oai.begin_loaded_slice(records bigint, out turn text, out before oai.horizon,
                                                  out t timestamptz, out last bigint)
language plpgsql as $$
declare
    now       timestamptz := clock_timestamp();
    turn_ends interval;   -- from the beginning of the second: until then it is the publisher's turn
begin
    select * into before from oai.horizon o order by o.h desc nulls last limit 1;
    t := date_trunc('second', now) - interval '1 second';
    turn_ends := case when before.published >= t - interval '30 seconds'
        and before.published < t - interval '2 seconds'
                      then interval '0.5 seconds' else interval '0.04 seconds' end;
    if before.h is null or before.place is distinct from oai.place() then
        turn := 'queue';
    elsif t <= before.h or exists (select from oai.fork f where f.datestamp > t)
          or (before.loaded = before.h and now < t + interval '1 second' + turn_ends) then
        turn := 'wait';
    else
        select * into before from oai.horizon for update skip locked;
        if not found then
            turn := 'wait';
        elsif t <= before.h then   -- somebody was faster; but now the row is locked, and the next second is this caller's
            perform pg_sleep(extract(epoch from date_trunc('second',
                                                           clock_timestamp()) + interval '1.001 seconds' - clock_timestamp()));
            t := date_trunc('second', clock_timestamp()) - interval '1 second';
        end if;
    end if;
    if turn is null then
        last := before.last_seq;
        -- as the publisher does (014-numbers.sql)
        if oai.base_of(last + 1) <> oai.base_of(last + records) then
            last := oai.base_of(last + records) - 1;
        end if;
    end if;
end $$;

-- Ends the slice: load_posting goes to the chunks, and the items, which are in oai.item now, to what formats
-- require. pg_temp.slice has the items if there are requirements.
create or replace function oai.end_loaded_slice(before oai.horizon, t timestamptz, last bigint,
                                                records bigint) returns void
language plpgsql as $$
declare
    base constant bigint := oai.base_of(last + 1);
begin
    delete from pg_temp.posting;
    insert into pg_temp.posting
    select p.set_id, '{}', base, array(select n + (last - base)::integer from unnest(p.places) n)
    from pg_temp.load_posting p;
    update oai.set s set item_count = s.item_count + cardinality(p.come), held = true
    from pg_temp.posting p where s.id = p.set_id;
    perform oai.move_postings();
    if exists (select from pg_temp.slice) then
        perform oai.meet_requirements();
    end if;
    insert into oai.calendar (datestamp, before)
    select end_loaded_slice.t, last
    where last / 16 > coalesce((select c.before / 16 from oai.calendar c order by c.datestamp desc
                                limit 1), -1);
    update oai.horizon o
    set h = end_loaded_slice.t, loaded = end_loaded_slice.t, last_seq = last + records,
        item_count = o.item_count + records,
        closed = pg_current_xact_id();
end $$;

-- Whether formats require something, so that pg_temp.slice has to be filled.
create or replace function oai.has_requirements() returns boolean language sql stable as $$
    select exists (select from oai.requirement r where r.columns is not null and r.examined is null)
$$;
