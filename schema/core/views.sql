-- SPDX-License-Identifier: MIT
-- Views: repositories that show the items that meet a rule, and nothing else. How many items a view hides,
-- what happens to them and which sets they make leaves no trace in it. It follows the list of all items by
-- number, in the transactions of the publisher: what enters, leaves or returns gets the view's next number
-- and the second of that transaction. Servers read it through schema oai_view (models/views.sql), which shows
-- the view of the setting oai.view.

create or replace function oai.view_id(name text default current_setting('oai.view')) returns integer
language sql stable as $$ select ('x' || substr(md5(name), 1, 7))::bit(28)::integer $$;

create or replace function oai.register_views(wanted jsonb, kept text[]) returns void language sql as $$
    update oai.view v set condition = null
    where v.condition is not null and v.name <> all (kept)
          and v.name not in (select g.name from oai.given_sets(wanted) g);
    insert into oai.view as v (id, name, spec, condition)
    select oai.view_id(g.name), g.name, g.spec, g.condition from oai.given_sets(wanted) g
    on conflict (id) do update set spec = excluded.spec, condition = excluded.condition, problem = null,
        examined = 0
        where v.condition is not null   -- one that is being removed is made anew afterwards
              and (v.condition, v.spec) is distinct from (excluded.condition, excluded.spec)
$$;

-- Also those on which the condition fails, as oai.rule_matches().
create or replace function oai.view_matches(v oai.view, ids bigint[]) returns table (id bigint, problem text)
language plpgsql stable as $$
begin
    return query select m.id, m.problem
    from oai.rule_matches(array[oai.condition_of(v.condition)], ids) m left join oai.item i on i.id = m.id
    where m.problem is not null or v.spec is null or exists (
        select from oai.set o where o.id = any (i.set_ids)
                                    and (o.spec = v.spec or starts_with(o.spec, v.spec || ':')));
end $$;

-- Brings pg_temp.slice into the view. kept: the item is deleted there, and new_sets are those of the view.
-- What has no new number is removed. Sets are made in the order in which the view meets them.
create or replace function oai.write_view(inout v oai.view) language plpgsql as $$
declare s record;
begin
    if not exists (select from pg_temp.slice) then return; end if;
    for s in select o.id, o.parent, o.spec
        from (select u.set_id, min(x.new_seq) as seq from pg_temp.slice x, unnest(x.new_sets) u(set_id)
              where not x.kept group by 1) l
             join oai.set e on e.id = l.set_id, unnest(e.path) p(id) join oai.set o on o.id = p.id
        where not exists (select from oai.view_set w where w.view = v.id and w.set_id = o.id)
        group by o.id order by min(l.seq), o.spec   -- a set comes before those below it
    loop
        v.last_set := v.last_set + 1;
        insert into oai.view_set (view, id, set_id, parent, spec, path)
        select v.id, v.last_set, s.id, a.id, s.spec, coalesce(a.path, '{}') || v.last_set
        from (select) x left join oai.view_set a on a.view = v.id and a.set_id = s.parent;
    end loop;
    update pg_temp.slice x set new_sets = array(
        select w.id from oai.view_set w where w.view = v.id and w.set_id = any (x.new_sets) order by 1)
    where not x.kept;
    insert into oai.view_move as m (view, id, set_id, entered)
    select distinct v.id, x.id, u.set_id, u.set_id = any (x.new_sets)
    from pg_temp.slice x, unnest(x.old_sets || x.new_sets) u(set_id)
    where x.old_seq is not null and x.new_seq is not null
      and (u.set_id = any (x.old_sets)) <> (u.set_id = any (x.new_sets))
    on conflict (view, id, set_id) do update set entered = excluded.entered;
    perform oai_view.move_numbers();
    delete from oai.view_item w using pg_temp.slice x
    where w.view = v.id and w.id = x.id and x.new_seq is null;
    insert into oai.view_item
    select v.id, x.id, x.new_seq, i.local_id, x.datestamp, x.kept, x.new_sets
    from pg_temp.slice x join oai.item i on i.id = x.id where x.new_seq is not null
    on conflict (view, id) do update set seq = excluded.seq, datestamp = excluded.datestamp,
        deleted = excluded.deleted, set_ids = excluded.set_ids;
    perform oai_view.note_dates(coalesce(v.latest, '-infinity'));
    select v.item_count + count(x.new_seq) - count(x.old_seq), greatest(v.last_seq, max(x.new_seq)),
           greatest(v.latest, max(x.datestamp) filter (where x.new_seq is not null))
    into v.item_count, v.last_seq, v.latest from pg_temp.slice x;
    delete from pg_temp.slice;
    update oai.view w set last_set = v.last_set, item_count = v.item_count, last_seq = v.last_seq,
        latest = v.latest where w.id = v.id;
end $$;

-- The next n items behind `after`; last: the number of the last one, null at the end. is_new: they are
-- published anew. Until the view is filled, they keep their datestamps.
create or replace function oai.show_items(inout v oai.view, after bigint, upto bigint, n integer,
    t timestamptz, keep_deleted boolean, is_new boolean, out last bigint) language plpgsql as $$
declare
    ids bigint[];
    bad record;
begin
    select array_agg(x.id order by x.seq), case when count(*) = n then max(x.seq) end into ids, last
    from (select i.id, i.seq from oai.item i where i.seq > after and i.seq <= upto order by i.seq
          limit n) x;
    if ids is null then return; end if;
    v.last_seq := oai.number_before(v.last_seq, n);
    delete from pg_temp.met;
    insert into pg_temp.met (id, problem) select * from oai.view_matches(v, ids);
    select bool_or(m.id is null) as is_broken, min(concat(
               'item ' || (select i.local_id from oai.item i where i.id = m.id) || ' is left out: ',
               m.problem)) as problem into bad from pg_temp.met m where m.problem is not null;
    v.problem := coalesce(bad.problem, v.problem);
    insert into pg_temp.slice (id, datestamp, kept, old_seq, new_seq, old_sets, new_sets)
    select x.id, case when v.is_filled then t else x.datestamp end, not x.is_shown, x.seq,
           case when x.stays then v.last_seq + row_number() over (order by x.stays desc, x.n) end, x.set_ids,
           case when x.is_shown then x.sets_now when x.stays then x.set_ids else '{}' end
    from (select i.id, i.seq as n, i.datestamp, i.set_ids as sets_now, w.seq,
                 coalesce(w.set_ids, '{}') as set_ids, coalesce(not w.deleted, false) as was_shown,
                 s.is_shown, s.is_shown or v.is_filled and keep_deleted as stays
          from oai.item i left join oai.view_item w on w.view = v.id and w.id = i.id
               left join pg_temp.met m on m.id = i.id and m.problem is null,
               lateral (select not i.deleted and (
                   m.id is not null or coalesce(bad.is_broken and not w.deleted, false))) s(is_shown)
          where i.id = any (ids)) x
    where (x.is_shown and is_new) or x.is_shown <> x.was_shown;
    v := oai.write_view(v);
end $$;

-- Removes items from all views, as if they had never been there.
create or replace function oai.leave_views(ids bigint[]) returns void language plpgsql as $$
declare v oai.view;
begin
    for v in select w.* from oai.view w where cardinality(ids) > 0 loop
        perform set_config('oai.view', v.name, true);
        delete from pg_temp.slice;
        insert into pg_temp.slice (id, kept, old_seq, old_sets, new_sets)
        select w.id, true, w.seq, w.set_ids, '{}' from oai.view_item w
        where w.view = v.id and w.id = any (ids);
        perform oai.write_view(v);
    end loop;
end $$;

-- What was given up goes: a part of the view, or from its deleted items the set of a rule.
create or replace function oai.drop_given_up(inout v oai.view, t timestamptz, n integer)
language plpgsql as $$
declare
    part text;
    gone bigint;
    s    record;
begin
    foreach part in array '{item,chunk,set,calendar,move}'::text[] loop
        exit when v.condition is not null;
        execute format('delete from oai.view_%s where ctid = any (array(
            select ctid from oai.view_%1$s where view = $1 limit 10000))', part) using v.id;
        get diagnostics gone = row_count;
        if gone = 10000 then return; end if;
    end loop;
    delete from oai.view w where w.id = v.id and v.condition is null;
    for s in select w.id from oai.rule r join oai.view_set w on w.set_id = r.set_id and w.view = v.id
             where r.name is null and w.item_count > 0 loop
        insert into pg_temp.slice (id, datestamp, kept, old_seq, new_seq, old_sets, new_sets)
        select w.id, t, true, w.seq, v.last_seq + row_number() over (order by w.seq), w.set_ids,
               array_remove(w.set_ids, s.id)
        from oai.view_item w where w.view = v.id and w.deleted and w.seq = any (array(
            select oai_view.set_page(s.id, 0, v.last_seq, n)));
        v := oai.write_view(v);
    end loop;
end $$;

-- First the items of pg_temp.slice that are not listed any more, then what is published anew, then, for a
-- while, items that were there before the view's condition. Returns whether there is more to do.
create or replace function oai.follow_views(t timestamptz, last_seq bigint, n integer, keep_deleted boolean)
returns boolean language plpgsql as $$
declare
    v     oai.view;
    part  record;
    until constant timestamptz := clock_timestamp() + interval '0.4 s';
begin
    if not exists (select from oai.view) then return false; end if;
    perform oai.leave_views(array(select s.id from pg_temp.slice s where s.new_seq is null));
    delete from pg_temp.slice;
    for v in select w.* from oai.view w order by w.id loop
        perform set_config('oai.view', v.name, true);
        v := oai.drop_given_up(v, t, n);
        continue when v.condition is null;
        while v.followed < last_seq or (v.examined is not null and v.is_filled) loop
            if v.followed < last_seq then
                select * into part from oai.show_items(v, v.followed, last_seq, n, t, keep_deleted, true);
                v := part.v;
                v.followed := coalesce(part.last, last_seq);
            else
                select * into part
                from oai.show_items(v, v.examined, last_seq, least(n, 1000), t, keep_deleted, false);
                v := part.v;
                v.examined := part.last;
            end if;
            exit when clock_timestamp() > until;
        end loop;
        select * into v.packed_set, v.packed_seq, v.packed_from
        from oai_view.merge_chunks(v.packed_set, v.packed_seq, v.packed_from, v.last_seq, 500);
        update oai.view w set followed = v.followed, examined = v.examined, problem = v.problem,
            is_filled = v.is_filled or v.followed = follow_views.last_seq,
            packed_set = v.packed_set, packed_seq = v.packed_seq, packed_from = v.packed_from
        where w.id = v.id and not (w.is_filled and v is not distinct from w);
    end loop;
    return exists (select from oai.view w where w.followed < follow_views.last_seq or w.examined is not null
                                                or w.condition is null);
end $$;

--- The published items that a view should show and does not, or the other way round. Reads everything.
create or replace function oai.check_views() returns table (spec text, local_id text, problem text)
language plpgsql stable as $$
declare v oai.view;
begin
    for v in select w.* from oai.view w
             where w.condition is not null and w.is_filled and w.examined is null loop
        return query select v.name::text, i.local_id,
                            case when w.deleted is false then 'is in the view, but does not meet its rule'
                                 else 'meets the rule of the view, but is not in it' end
        from oai.item i left join oai.view_item w on w.view = v.id and w.id = i.id
             left join oai.view_matches(v, array(select j.id from oai.item j where j.seq is not null)) m
             on m.id = i.id and m.problem is null
        where i.seq <= v.followed and not exists (select from oai.queue q where q.id = i.id)
              and coalesce(not w.deleted, false) <> (m.id is not null);
    end loop;
end $$;
