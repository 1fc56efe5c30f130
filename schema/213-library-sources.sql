-- SPDX-License-Identifier: MIT
-- How each harvested repository is: whether it answers, since when it does not, whether it is still what it was when it was
-- harvested. `oai harvest` writes the columns, harvest.health makes a word of them, oai.source shows it to people.
alter table harvest.repository
    add column began_at timestamptz,           -- the last run; the next one is due so long after it
    add column succeeded_at timestamptz,       -- the last run that was complete
    add column failing_since timestamptz,      -- the first run since then that failed or was incomplete
    add column refused boolean not null default false,   -- the last run was answered by HTTP 401 or 403
    add column faults text,                    -- what came in the last run and was not asked for
    -- It was set back behind what was harvested: what it no longer has is still here, until the whole is harvested again and
    -- what is missing there is deleted here.
    add column set_back text,
    add column set_back_since timestamptz,
    add column full_every_seconds integer check (full_every_seconds > 0),   -- null: all of it is harvested once
    add column full_at timestamptz;            -- the last run that harvested all of it
update harvest.repository r
set began_at = ran_at, succeeded_at = (select max(l.complete_at) from harvest.list l where l.id_repository = r.id),
    failing_since = case when outcome in ('failed', 'incomplete') then ran_at end;

-- When ListSets named it no more; it stays while records here are in it.
alter table harvest.set add column gone_since timestamptz;
create index set_gone on harvest.set (id_repository) where gone_since is not null;

-- The record with the latest datestamp: one that was set back no longer has it.
alter table harvest.list
    add column newest_identifier text not null default '',
    add column newest_datestamp  text not null default '';

-- Sets that a repository has no more, though it is to be harvested by them, or records here are still in them.
create function harvest.note_lost_sets(repository integer, named text[]) returns void language plpgsql as $$
begin
    update harvest.set s set gone_since = case when s.spec = any (named) then null else coalesce(s.gone_since, now()) end
    where s.id_repository = repository and (s.gone_since is null) <> (s.spec = any (named));
end $$;

create function harvest.forget_lost_sets(repository integer) returns void language plpgsql as $$
begin
    if not exists (select from harvest.set where id_repository = repository and gone_since is not null) then
        return;
    end if;
    delete from harvest.set s using harvest.repository r
    where s.id_repository = repository and s.gone_since is not null and r.id = repository and s.spec <> all (r.sets)
          and not exists (
              select from library.collection c
              join library.item_collection m on m.id_collection = c.id
              join library.item i on i.id = m.id_item
              join harvest.record h on h.id_item = i.id and h.id_repository = repository
              where c.name = r.name || ':' || s.spec and not i.deleted);
end $$;

-- One word for each, the gravest that applies, and since when. `stale`: what is here is not what is there. `gone`: no answer of
-- OAI-PMH for seven intervals.
create view harvest.health as
    select r.id, r.name, h.state,
           case when h.state in ('refused', 'gone', 'failing') then r.failing_since
                when h.state = 'stale' then least(r.set_back_since, s.gone_since)
                when h.state = 'overdue' then r.began_at end as since,
           s.specs as lost_sets
    from harvest.repository r
    cross join lateral (select array_agg(s.spec order by s.spec) as specs, min(s.gone_since) as gone_since
                        from harvest.set s where s.id_repository = r.id and s.gone_since is not null) s
    cross join lateral (
        select case when r.ran_at is null then 'new'
                    when r.failing_since is not null and r.refused then 'refused'
                    when r.failing_since is not null
                         and greatest(r.told_at, r.failing_since) <= now() - 7 * r.every_seconds * interval '1 second'
                        then 'gone'
                    when r.failing_since is not null then 'failing'
                    when r.set_back is not null or s.specs is not null then 'stale'
                    when r.faults is not null then 'lying'
                    when r.began_at < now() - (3 * r.every_seconds) * interval '1 second' then 'overdue'
                    else 'healthy' end as state) h;

-- The contract of a model that knows where its items come from: for people, so without addresses' passwords and queries, and
-- without what programs said. records: those of its set, deleted ones included.
create view oai.source as
    select r.name, coalesce(nullif(r.title, ''), r.name) as title,
           regexp_replace(regexp_replace(r.base_url, '^(https?://)[^/?#]*@', '\1', 'i'), '[?#].*$', '') as base_url,
           h.state, h.since, r.succeeded_at, s.spec as set_spec, coalesce(s.item_count, 0) as records
    from harvest.repository r
    join harvest.health h on h.id = r.id
    left join oai.set s on s.spec = 'col:' || r.name;

revoke execute on function harvest.note_lost_sets, harvest.forget_lost_sets from public;
grant execute on function harvest.note_lost_sets, harvest.forget_lost_sets to oai_loader;
grant select on harvest.health to oai_loader;
grant select on oai.source to oai_reader;
