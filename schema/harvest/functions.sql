-- SPDX-License-Identifier: MIT
-- Harvested formats, duplicates, lost sets, and how each repository is.

select oai.remove_with('forget_items', 'harvest.record', 'id_item', 'library.item');
select oai.remove_with('forget_repositories', 'harvest.record', 'id_repository', 'harvest.repository');

create or replace function harvest.column_of(prefix text) returns text language sql immutable as $$
    select case when prefix in ('marc21', 'marcxml') then 'marc'
                when prefix in ('mods', 'oai_mods') then 'mods'
                else 'kept_' || prefix end
$$;

-- The column comes at the end of oai.record; its name becomes that of an element in the internal XML. Needs
-- an exclusive lock of the table for a moment.
create or replace function harvest.keep_format(prefix text) returns text language plpgsql security definer
set search_path = pg_catalog set lock_timeout = '300ms' as $$
declare wanted constant text := harvest.column_of(prefix);
begin
    if prefix !~ '^[A-Za-z0-9_.-]{1,50}$' then
        raise exception 'metadataPrefix % cannot name a column', prefix;
    end if;
    if quote_ident(wanted) <> all (oai.columns_of('oai.record')) then
        execute format('alter table library.item add column if not exists %I xml', wanted);
        execute format('grant insert (%1$I), update (%1$I) on library.item to oai_loader', wanted);
        perform library.define_record(), oai.define_view_record();
    end if;
    return wanted;
end $$;

-- Keeps payloads of one format beside their items, or lets go of them (null). Items that have just these stay
-- untouched, with the origin that they have. Returns how many were changed.
create or replace function harvest.keep(prefix text, ids bigint[], payloads text[], namespaces text[],
    origins text[]) returns bigint language plpgsql as $$
declare changed bigint;
begin
    execute format($update$
        update library.item i
        set %1$I = p.payload::xml, origin = nullif(xmlconcat(library.origins_beside(
                i.origin, coalesce(p.namespace, (xpath('namespace-uri(/*)', i.%1$I))[1]::text)),
                    p.origin::xml)::text, '')::xml
        from (select * from unnest($1, $2, $3, $4) u(id, payload, namespace, origin) order by id) p
        where i.id = p.id and i.%1$I::text is distinct from p.payload $update$, harvest.column_of(prefix))
    using ids, payloads, namespaces, origins;
    get diagnostics changed = row_count;
    return changed;
end $$;

-- Items whose records are deleted at their source become deleted records, unless they are most of what it
-- has: those wait until the night is over, or for somebody who says that it is right. What comes again was
-- never gone. Returns how many became deleted records, and how many wait.
create or replace function harvest.depart(repository integer, believe boolean, out gone bigint,
    out held bigint) language plpgsql as $$
declare since timestamptz;
begin
    select count(*), min(departing_since), 0 into held, since, gone from harvest.record
    where id_repository = repository and departing_since is not null;
    if held = 0 or (held > 10 and not believe
            and since > now() - (select r.hold from harvest.repository r where r.id = repository)
            and held * 2 > (select count(*) from library.item i where not i.deleted
            and i.id in (select id_item from harvest.record where id_repository = repository))) then
        return;
    end if;
    with departed as (update harvest.record set departing_since = null
                      where id_repository = repository and departing_since is not null returning id_item)
    update library.item i set deleted = true from departed d where i.id = d.id_item and not i.deleted;
    get diagnostics gone = row_count;
    held := 0;
end $$;

-- Compares all items that are not deleted, each with the first that it has a mark in common with: a DOI and
-- a URN without regard to case, an identifier as it is, and the title's letters and digits with the year; a
-- short title tells too little. A mark that more than 20 items have says nothing about any of them.
create or replace function harvest.duplicates()
    returns table (reason text, value text, first_local_id text, local_id text) language sql stable
set work_mem = '256MB' set jit = off as $$
    select g.reason, g.value, g.ids[1], u.id
    from (select m.reason, m.value, array_agg(i.local_id order by i.id) as ids
          from library.item i, lateral (select 'doi', lower(i.doi) where i.doi is not null
              union select 'urn', lower(i.urn) where i.urn is not null
              union select 'identifier', n from unnest(i.identifier) n   -- those two have marks already
                    where n !~* '^(https?://(dx\.)?doi\.org/|doi:|urn:)' and length(n) <= 500
              union select 'title', t.letters || ' ' || i.year
                    from (select left(regexp_replace(lower(normalize(i.title[1], nfkd) collate "und-x-icu"),
                                                     '[^[:alnum:]]+', '', 'g'), 300) as letters) t
                    where length(t.letters) >= 16 and i.year is not null) m(reason, value)
          where not i.deleted group by m.reason, m.value having count(*) between 2 and 20) g,
         unnest(g.ids[2:]) u(id)
    order by 3, 4, 1, 2
$$;

-- They stay where the repository is to be harvested by them, or records here are in them.
create or replace function harvest.forget_lost_sets(repository integer) returns void language sql as $$
    delete from harvest.set s using harvest.repository r
    where s.id_repository = repository and s.gone_since is not null and r.id = repository
        and s.spec <> all (r.sets) and not exists (select from library.collection c
              join library.item_collection m on m.id_collection = c.id
              join library.item i on i.id = m.id_item
              join harvest.record h on h.id_item = i.id and h.id_repository = repository
              where c.name = r.label || ':' || s.spec and not i.deleted)
$$;

-- One word for each, the gravest that applies, and since when. `stale`: what is here is not what is there.
-- `gone`: no answer of OAI-PMH for seven intervals. `moving`: a list changed each time that it was walked.
-- `quiet`: nothing has changed for three times as long as usual.
create or replace view harvest.health as select r.id, r.name, h.state,
           case when h.state in ('refused', 'gone', 'failing') then r.failing_since
                when h.state = 'stale' then least(r.set_back_since, s.gone_since)
                when h.state = 'quiet' then r.changed_at
                when h.state = 'overdue' then r.began_at end as since,
           s.specs as lost_sets
    from harvest.repository r
    cross join lateral (select array_agg(s.spec order by s.spec) as specs, min(s.gone_since) as gone_since
                        from harvest.set s where s.id_repository = r.id and s.gone_since is not null) s
    cross join lateral (select case when r.ran_at is null then 'new'
                    when r.failing_since is not null and r.refused then 'refused'
                    when r.failing_since is not null and greatest(r.told_at, r.failing_since)
                             <= now() - 7 * r.every_seconds * interval '1 second'
                        then 'gone'
                    when r.failing_since is not null then 'failing'
                    when r.set_back is not null or s.specs is not null then 'stale'
                    when exists (select from harvest.list l where l.id_repository = r.id
                                 and (l.counts->>'unquiet')::bigint > 0) then 'moving'
                    when r.faults is not null then 'lying'
                    when r.began_at < now() - (3 * r.every_seconds) * interval '1 second' then 'overdue'
                    when r.changed_at < now() - 3 * r.usual_seconds * interval '1 second' then 'quiet'
                    else 'healthy' end as state) h;
comment on view harvest.health is 'How each repository is, in a word.';
comment on column harvest.health.state is 'healthy, new, quiet, overdue, lying, moving, stale, '
    'failing, gone or refused.';
comment on column harvest.health.since is 'When it became so.';

-- The contract of a model that knows where its items come from: for people, so without addresses' passwords
-- and queries. records: those of its set, deleted ones included (of own tables, which have no base_url, live
-- ones); refused: those that could not be taken; held: those that are gone with most others, for a while.
create or replace view oai.source as select r.name, coalesce(nullif(r.title, ''), r.name) as title,
           regexp_replace(regexp_replace(r.base_url, '^(https?://)[^/?#]*@', '\1', 'i'), '[?#].*$',
                          '') as base_url,
           h.state, h.since, r.succeeded_at, s.spec as set_spec, coalesce(s.item_count, 0) as records,
           (select count(*) from harvest.refused f where f.id_repository = r.id and f.tries > 0) as refused,
           (select count(*) from harvest.record d   -- since before the last run ended
            where d.id_repository = r.id and d.departing_since <= r.ran_at) as held, r.hold, null as problem
    from harvest.repository r
    join harvest.health h on h.id = r.id
    left join oai.set s on s.spec = 'col:' || r.label
    union all
    select m.name, m.name, null, case when m.problem is not null then 'failing' when d.held > 0 then 'stale'
               else 'healthy' end, d.since, null, null,
           d.records, d.refused, d.held, m.hold, m.problem
    from library.mapping m, lateral (
        select count(g.missing_since) as held, min(g.missing_since) as since, count(g.refused) as refused,
               count(*) filter (where not g.gone and not g.withheld and g.id is not null) as records
        from library.mapped g where g.mapping = m.id) d
    where m.source is not null;
comment on view oai.source is 'Where items come from: base_url, state, since, records, refused, held.';

-- For servers, each second: changes of own tables that wait (the first thousand), held items, what is wrong.
create or replace function oai.source_state(out waiting bigint, out held bigint, out problems text)
language sql stable set search_path = pg_catalog, pg_temp as $$
    select (select count(*) from (select from library.map_log limit 1000) l), coalesce(sum(s.held), 0),
           string_agg(concat_ws('; ', s.name || ': ' || s.problem, case when s.held > 0 then format('%s: %s '
               'items are gone at once; they stay for %s, or until %s --believe', s.name, s.held, s.hold,
               coalesce('oai harvest ' || left(s.base_url, 0) || s.name, 'oai map')) end), chr(10))
    from oai.source s where s.held > 0 or s.problem is not null
$$;
