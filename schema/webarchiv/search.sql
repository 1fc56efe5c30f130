-- SPDX-License-Identifier: MIT
-- The search of a web archive by URL and by words (models/search.sql). A urlkey is a SURT as lib/web/surt.h
-- makes them, a moment the microseconds since 1970.

-- `scan` captures from the one moment of a key to the other, both included, in the order of urlkey, moment
-- and id or backwards; at the moment where that order begins, those behind place_id. Without enable_sort in
-- the order of the index: of a host whose size the statistics do not know, all would be read and sorted.
create or replace function oai.captures(low_key text, low_moment bigint, high_key text, high_moment bigint,
    place_id bigint, backwards boolean, scan integer) returns table (urlkey text, moment bigint, id bigint,
    local_id text, captured_at timestamptz, url text, media_type text, status integer, digest text,
    length bigint, file text, file_offset bigint, request text, revisit boolean, shown boolean)
    language plpgsql stable set search_path = oai, pg_temp set enable_sort = off set jit = off as $$
#variable_conflict use_column
declare
    low_at  constant timestamptz := coalesce(
        timestamptz 'epoch' + low_moment * interval '1 microsecond', '-infinity');
    high_at constant timestamptz := coalesce(
        timestamptz 'epoch' + high_moment * interval '1 microsecond', 'infinity');
begin
    return query
    select s.surt, (extract(epoch from s.archived_time) * 1000000)::bigint, s.id, s.id::text,
           s.archived_time, s.url, m.name, s.status::integer, s.digest, s.length, a.name, s.doc_offset,
           s.request, s.revisit, s.shown
    from (select c.*, row_number() over () as place
          from ((select * from capture d where not backwards and isfinite(d.archived_time)
                   and (d.surt, d.archived_time) >= (low_key, low_at)
                   and (d.surt, d.archived_time) <= (high_key, high_at)
                   and (place_id is null or (d.surt, d.archived_time, d.id) > (low_key, low_at, place_id))
                 order by d.surt, d.archived_time, d.id limit scan)
                union all
                (select * from capture d where backwards and isfinite(d.archived_time)
                   and (d.surt, d.archived_time) >= (low_key, low_at)
                   and (d.surt, d.archived_time) <= (high_key, high_at)
                   and (place_id is null or (d.surt, d.archived_time, d.id) < (high_key, high_at, place_id))
                 order by d.surt desc, d.archived_time desc, d.id desc limit scan)) c) s
    left join dictionary m on m.id = s.id_mimetype and m.kind = 'mimetype'
    left join dictionary a on a.id = -s.id_arc and a.kind = 'arc'
    order by s.place;
end $$;

-- How many captures there are, `most` at most, and which is there when so many have passed.
create or replace function oai.capture_position(first_key text, before_key text, passed bigint, most bigint,
    out captures bigint, out urlkey text, out moment bigint)
language plpgsql stable set search_path = oai, pg_temp as $$
begin
    select count(*) into captures
    from (select from capture d where d.surt >= first_key and d.surt < before_key limit most) c;
    select d.surt, (extract(epoch from d.archived_time) * 1000000)::bigint into urlkey, moment
    from capture d where d.surt >= first_key and d.surt < before_key and passed < captures
    order by d.surt, d.archived_time offset passed limit 1;
end $$;

create or replace function oai.capture_days(key text, scan integer) returns table (day date,
    captures bigint, scanned bigint) language plpgsql stable set search_path = oai, pg_temp as $$
begin
    return query
    select (c.archived_time at time zone 'UTC')::date, count(*) filter (where c.shown), count(*)
    from (select d.archived_time, d.shown from capture d where d.surt = key
          order by d.archived_time desc limit capture_days.scan) c group by 1 order by 1;
end $$;

-- URLs in order, with how many of their newest `scan` captures are shown.
create or replace function oai.captured_urls(first_key text, before_key text, after_key text, n integer,
    scan integer) returns table (urlkey text, url text, latest timestamptz, captures integer, scanned integer)
    language plpgsql stable set search_path = oai, pg_temp as $$
#variable_conflict use_variable
begin
    first_key := coalesce(after_key || E'\x01', first_key);   -- the least text behind it
    for i in 1 .. n loop
        select d.surt into urlkey from capture d where d.surt >= first_key and d.surt < before_key
        order by d.surt, d.archived_time limit 1;
        exit when not found;
        first_key := urlkey || E'\x01';
        select count(*) filter (where c.shown), count(*), max(c.archived_time) filter (where c.shown),
               (array_agg(c.url order by c.archived_time desc) filter (where c.shown))[1]
        into captures, scanned, latest, url
        from (select * from capture d where d.surt = urlkey order by d.archived_time desc limit scan) c;
        return next;
    end loop;
end $$;

create or replace view oai.item_words as select w.id, w.seq, w.set_ids, w.year, w.language, w.words
    from webarchiv.page_words w where w.view = 0;

create or replace view oai.found_item as
    select d.id, d.id::text as local_id, m.name as kind, d.title, null::text as creator,
           to_char(d.archived_time at time zone 'UTC', 'YYYY-MM-DD') as date, d.url as address
    from webarchiv.doc d left join oai.dictionary m on m.id = d.id_mimetype and m.kind = 'mimetype'
    where not d.deleted and d.seq is not null;

create or replace view oai.facet_root as
    select * from (values ('dom', null), ('mim', 'kind')) r(root, facet);

-- Of each URL the newest with a title among its newest 1,000 captures.
create or replace function webarchiv.index_pages(of_view integer, surts text[]) returns void
language plpgsql set search_path = pg_catalog as $$
declare last_seq constant bigint := (select max(h.last_seq) from oai.horizon h);
begin
    with newest as materialized (select s.surt as address, md5(s.surt)::uuid as key, d.*,
               extract(year from d.archived_time at time zone 'UTC')::integer as year
        from unnest(surts) s(surt) left join lateral (
            select c.* from (select * from webarchiv.doc c where c.surt = s.surt
                             order by c.archived_time desc limit 1000) c
            where c.title is not null and not c.deleted and c.seq <= last_seq
              and (of_view = 0 or exists (select from oai.view_item i
                                          where i.view = of_view and i.id = c.id and not i.deleted))
            order by c.archived_time desc limit 1) d on true),
    gone as (delete from webarchiv.page_words w using newest d
             where d.id is null and w.view = of_view and w.key = d.key)
    insert into webarchiv.page_words as w (view, key, id, seq, set_ids, year, language, words)
    select of_view, d.key, d.id, d.seq, d.set_ids, d.year, d.language,
           setweight(to_tsvector('oai.words', oai.plain_text(d.title)), 'A')
           || setweight(to_tsvector('oai.words', oai.plain_text(coalesce(d.description, ''))), 'C')
           || setweight(to_tsvector('oai.words', oai.plain_text(
                  translate(split_part(left(d.address, 300), ')', 1), ',_', '  '))), 'D')
           || array_to_tsvector(array(
                  select distinct '~s' || p from oai.set t, unnest(t.path) p where t.id = any (d.set_ids)
                  union select '~y' || d.year
                  union select '~l' || d.language where d.language is not null))
    from newest d where d.id is not null
    on conflict (view, key) do update set id = excluded.id, seq = excluded.seq, set_ids = excluded.set_ids,
        year = excluded.year, language = excluded.language, words = excluded.words;
end $$;

-- The index of each view follows the view's own numbers. What there is of one that is gone goes.
create or replace function oai.index_search(n integer) returns bigint
language plpgsql security definer set search_path = pg_catalog
set client_min_messages = error set jit = off set random_page_cost = 1.1 as $$
declare
    due    record;
    v      record;
    part   record;
    passed bigint;
begin
    select * into due from oai.next_words(n);
    passed := coalesce(due.passed, 0);
    if due.upto is not null then
        perform webarchiv.index_pages(0, array(
            select distinct d.surt from webarchiv.doc d where d.seq > due.after and d.seq <= due.upto
              and ((d.title is not null and not d.deleted)
                   or exists (select from webarchiv.page_words p where p.id = d.id and p.view = 0))));
    end if;
    insert into oai.words_state (view)
    select w.id from oai.view w where w.is_filled and w.condition is not null on conflict do nothing;
    for v in select s.view, case when s.epoch = w.epoch then s.seq else 0 end as seq, w.epoch
             from oai.words_state s left join oai.view w on w.id = s.view and w.condition is not null
             where s.view <> 0 for update of s skip locked loop
        if v.epoch is null then
            delete from webarchiv.page_words w where w.ctid = any (array(
                select p.ctid from webarchiv.page_words p where p.view = v.view limit 10000));
            if not found then delete from oai.words_state s where s.view = v.view; end if;
            continue;
        end if;
        select array_agg(distinct d.surt) as surts, max(i.seq) as last, count(*) as items into part
        from (select i.id, i.seq from oai.view_item i where i.view = v.view and i.seq > v.seq
              order by i.seq limit n) i join webarchiv.doc d on d.id = i.id;
        continue when part.last is null;
        perform webarchiv.index_pages(v.view, part.surts);
        update oai.words_state s set epoch = v.epoch, seq = part.last where s.view = v.view;
        passed := passed + part.items;
    end loop;
    return passed;
end $$;

-- A capture that is gone altogether has no number any more by which the index could learn of it.
create or replace function webarchiv.forget_words() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
declare p record;
begin
    for p in select w.view, array_agg(distinct g.surt) as surts
             from gone g join webarchiv.page_words w on w.id = g.id group by 1 loop
        perform webarchiv.index_pages(p.view, p.surts);
    end loop;
    return null;
end $$;
create or replace trigger forget_words after delete on webarchiv.doc referencing old table as gone
    for each statement execute function webarchiv.forget_words();
