-- SPDX-License-Identifier: MIT
-- Views: repositories over one database, each with the items that meet a condition (a file NAME.set with the
-- section [view]). To its harvesters a view is a repository of its own. It has numbers, datestamps, sets and
-- counters of its own, in which what it does not have leaves no trace: an item is numbered there as it is
-- published, if it meets the condition then, or as it ceases to, when it becomes a deleted record there, and
-- stays as it is whatever happens to the item meanwhile. So a view changes no datestamp of the repository.
-- Servers of a view have oai_view (models/views.sql) before oai in their search_path, where the relations
-- and functions that they ask for have the same names.

-- Registers the views of files: what is missing among them, and is not named in `kept`, is given up.
create or replace function oai.register_views(wanted jsonb, kept text[]) returns void language plpgsql as $$
begin
    if not exists (select from oai.given_sets(wanted) g full join
                       (select * from oai.view w where w.name <> all (kept)) v using (name)
                   where g.condition is distinct from v.condition) then
        return;
    end if;
    perform set_config('lock_timeout', '10s', true);
    perform from oai.horizon for update;
    update oai.view v set name = null
    where v.name <> all (kept) and v.name not in (select g.name from oai.given_sets(wanted) g);
    insert into oai.view as v (name, condition) select g.name, g.condition from oai.given_sets(wanted) g
    on conflict (name) do update set condition = excluded.condition, problem = null, examined = 0
    where v.condition <> excluded.condition;
end $$;

-- Brings these items into the view or out of it. With t, only those that enter or leave, with that datestamp;
-- otherwise they come with their own, which are no earlier than those that the view has given out.
create or replace function oai.show(inout v oai.view, ids bigint[], t timestamptz)
language plpgsql set enable_seqscan = off as $$
declare
    keep_deleted constant boolean := (select coalesce(o.keep_deleted, true) from oai.horizon o);
    last  bigint := v.last_seq;
    above record;
begin
    if cardinality(ids) = 0 then return; end if;
    if oai.base_of(last + 1) <> oai.base_of(last + cardinality(ids)) then   -- as in oai.number_slice
        last := oai.base_of(last + cardinality(ids)) - 1;
    end if;
    delete from pg_temp.met;
    insert into pg_temp.met select * from oai.rule_matches(array[oai.condition_of(v.condition)], ids);
    v.problem := coalesce((select min(m.problem) from pg_temp.met m), v.problem);
    delete from pg_temp.slice;
    -- kept: the item is there; otherwise it is deleted, or its row goes.
    insert into pg_temp.slice
    select y.id, greatest(y.datestamp, t), y.is_met, y.seq,
           case when y.is_listed then last + row_number() over (order by y.is_listed desc, y.number) end,
           coalesce(y.set_ids, '{}'), case when y.is_met then y.sets_now else coalesce(y.set_ids, '{}') end
    from (select x.*, x.number is not null and (x.is_met or keep_deleted) as is_listed
          from (select u.id, i.seq as number, i.datestamp, i.set_ids as sets_now, s.seq, s.set_ids,
                       s.deleted is false as is_live,
                       coalesce(i.seq > 0 and (m.id is not null or is_broken and not s.deleted),
                                false) as is_met
                from unnest(ids) u(id)
                     cross join (select count(*) > 0 from pg_temp.met b where b.id is null) b(is_broken)
                     left join oai.item i on i.id = u.id
                     left join oai.shown s on s.view = v.id and s.id = u.id
                     left join pg_temp.met m on m.id = u.id and m.problem is null) x
          where case when x.number is null then x.seq is not null
                     when t is null then x.is_met or x.is_live else x.is_met <> x.is_live end) y;
    if not exists (select from pg_temp.slice) then return; end if;
    for above in
        select a.id, a.parent
        from (select distinct unnest(s.new_sets) as leaf from pg_temp.slice s where s.kept) l,
             lateral (select b.path from oai.set b where b.id = l.leaf offset 0) b, unnest(b.path) p(id),
             lateral (select c.* from oai.set c where c.id = p.id offset 0) a
        where not exists (select from oai.view_set w where w.view = v.id and w.set_id = a.id)
        group by a.id, a.parent, a.spec order by a.spec
    loop
        insert into oai.view_set (id, view, set_id, path)
        select n, v.id, above.id, coalesce((select w.path from oai.view_set w where w.view = v.id
                                                   and w.set_id = above.parent), '{}') || n::integer
        from nextval('oai.rule_set_id_seq') n;
    end loop;
    update pg_temp.slice s
    set new_sets = array(select w.id from unnest(s.new_sets) u(id),
                             lateral (select x.id from oai.view_set x where x.view = v.id and x.set_id = u.id
                                      offset 0) w order by 1)
    where s.kept and s.new_sets <> '{}';
    perform oai.collect_postings(false);
    update oai.view_set w set item_count = w.item_count + cardinality(p.come) - cardinality(p.gone)
    from pg_temp.posting p where p.set_id = w.id and cardinality(p.come) <> cardinality(p.gone);
    perform oai.move_postings();
    delete from oai.shown s using pg_temp.slice p where s.view = v.id and s.id = p.id;
    insert into oai.shown
    select v.id, p.new_seq, p.id, p.datestamp, not p.kept, p.new_sets
    from pg_temp.slice p where p.new_seq is not null order by p.new_seq;
    insert into oai.view_calendar
    select distinct on (b.last / 16) v.id, b.datestamp, b.last
    from (select p.datestamp, min(p.new_seq) - 1 as last from pg_temp.slice p
          where p.new_seq is not null and p.datestamp > coalesce(v.latest, '-infinity')
          group by p.datestamp) b
    where b.last / 16 > coalesce((select c.before / 16 from oai.view_calendar c where c.view = v.id
                                  order by c.datestamp desc limit 1), -1)
    order by b.last / 16, b.last;
    select greatest(v.last_seq, max(p.new_seq)), v.item_count + count(p.new_seq) - count(p.old_seq),
           coalesce(v.earliest, min(p.datestamp) filter (where p.new_seq is not null)),
           greatest(v.latest, max(p.datestamp) filter (where p.new_seq is not null))
    into v.last_seq, v.item_count, v.earliest, v.latest from pg_temp.slice p;
end $$;

-- Shows in each view what pg_temp.slice has published; then, until the time `until` has come, examines items
-- for views that came or changed, with the datestamp t for those that enter or leave; and removes a part of
-- what views have left that were given up. Returns whether there is more to do.
create or replace function oai.publish_views(t timestamptz, until timestamptz default null) returns boolean
language plpgsql as $$
declare
    v    oai.view;
    part record;
    more boolean := false;
begin
    if not exists (select from oai.view) then return false; end if;
    insert into pg_temp.whole select * from pg_temp.slice;
    for v in select * from oai.view w where w.name is not null order by w.id loop
        -- What has a number is met by the walk, as long as that has not come to its end once.
        v := oai.show(v, array(select w.id from pg_temp.whole w where v.is_filled or w.new_seq is null),
                      null);
        while v.examined is not null and clock_timestamp() < until loop
            select array_agg(x.id) as ids, max(x.seq) as last into part
            from (select i.id, i.seq from oai.item i where i.seq > v.examined order by i.seq limit 5000) x;
            v := oai.show(v, coalesce(part.ids, '{}'), case when v.is_filled then t end);
            v.examined := case when cardinality(part.ids) = 5000 then part.last end;
            v.is_filled := v.is_filled or v.examined is null;
        end loop;
        update oai.view w set (examined, is_filled, last_seq, item_count, earliest, latest, problem)
            = (v.examined, v.is_filled, v.last_seq, v.item_count, v.earliest, v.latest, v.problem)
        where w.id = v.id;
        more := more or v.examined is not null;
    end loop;
    delete from pg_temp.slice;
    insert into pg_temp.slice select * from pg_temp.whole;
    delete from pg_temp.whole;
    for v in select * from oai.view w where w.name is null and until is not null loop
        more := true;
        delete from oai.set_chunk k
        using (select c.set_id, c.first_seq from oai.view_set w join oai.set_chunk c on c.set_id = w.id
               where w.view = v.id limit 5000) g
        where k.set_id = g.set_id and k.first_seq = g.first_seq;
        continue when found;
        delete from oai.shown s where s.view = v.id and s.seq = any (array(
            select x.seq from oai.shown x where x.view = v.id order by x.seq limit 20000));
        continue when found;
        delete from oai.view_set w where w.view = v.id;
        delete from oai.view_calendar c where c.view = v.id;
        delete from oai.view w where w.id = v.id;
    end loop;
    return more;
end $$;
