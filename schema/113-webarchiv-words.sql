-- SPDX-License-Identifier: MIT
-- Search of a web archive by words (021-search.sql): those of the titles and descriptions of its pages. A page that was archived
-- a hundred times is found once, by its newest capture that has a title. As in 212-library-search.sql the index follows the
-- publication numbers, so that it slows down nobody who writes.
create table webarchiv.page_words (
    key      uuid primary key,      -- md5 of the SURT, which may be longer than an index takes
    id       bigint not null,       -- webarchiv.doc
    seq      bigint not null,
    set_ids  integer[] not null,    -- leaf sets
    year     integer not null,
    language text,
    words    tsvector not null      -- also ~s12, ~y1999 and ~lcs
);
create index page_words_seq on webarchiv.page_words (seq);
create index page_words_id on webarchiv.page_words (id);
create index page_words_words on webarchiv.page_words using gin (words) with (gin_pending_list_limit = 1024);

create view oai.item_words as select w.id, w.seq, w.set_ids, w.year, w.language, w.words from webarchiv.page_words w;
create view oai.words_state as select s.epoch, s.seq from webarchiv.words_state s;
create view oai.found_item as
    select d.id, d.id::text as local_id, m.name as kind, d.title, null::text as creator,
           to_char(d.archived_time at time zone 'UTC', 'YYYY-MM-DD') as date, d.url as address
    from webarchiv.doc d left join oai.dictionary m on m.id = d.id_mimetype and m.kind = 'mimetype' where not d.deleted and d.seq is not null;
create view oai.facet_root as select * from (values ('dom', null), ('mim', 'kind')) r(root, facet);
grant select on oai.item_words, oai.words_state, oai.found_item, oai.facet_root to oai_reader;

-- Makes what the index has of these URLs: of each the newest capture with a title, among its newest 1,000 captures.
create function webarchiv.index_pages(surts text[], last_seq bigint) returns void language plpgsql set search_path = pg_catalog as $$
begin
    delete from webarchiv.page_words w
    where w.key = any (array(select md5(s)::uuid from unnest(surts) s)) and not exists (
        select from webarchiv.doc d where d.id = w.id and not d.deleted and d.title is not null and d.seq <= last_seq);
    insert into webarchiv.page_words as w (key, id, seq, set_ids, year, language, words)
    select md5(s)::uuid, d.id, d.seq, d.set_ids, extract(year from d.archived_time at time zone 'UTC'), d.language,
           setweight(to_tsvector('oai.words', oai.plain_text(d.title)), 'A') || setweight(to_tsvector('oai.words', oai.plain_text(coalesce(d.description, ''))), 'C')
           || setweight(to_tsvector('oai.words', oai.plain_text(translate(split_part(left(s, 300), ')', 1), ',_', '  '))), 'D')
           || array_to_tsvector(array(
                  select distinct '~s' || p from oai.set t, unnest(t.path) p where t.id = any (d.set_ids)
                  union select '~y' || extract(year from d.archived_time at time zone 'UTC')
                  union select '~l' || d.language where d.language is not null))
    from unnest(surts) s,
        lateral (select c.* from (select * from webarchiv.doc c where c.surt = s order by c.archived_time desc limit 1000) c
                 where c.title is not null and not c.deleted and c.seq <= last_seq order by c.archived_time desc limit 1) d
    on conflict (key) do update set id = excluded.id, seq = excluded.seq, set_ids = excluded.set_ids, year = excluded.year,
        language = excluded.language, words = excluded.words;
end $$;

create function oai.index_search(n integer) returns bigint language plpgsql security definer set search_path = pg_catalog
set client_min_messages = error set jit = off set random_page_cost = 1.1 as $$
declare
    state  webarchiv.words_state;
    o      oai.horizon;
    upto   bigint;
    passed bigint;
    surts  text[];
begin
    select * into state from webarchiv.words_state for update skip locked;
    if not found then
        return 0;   -- another publisher is at it
    end if;
    select * into o from oai.horizon h order by h.h desc nulls last limit 1;
    if o.h is null then
        return 0;
    end if;
    if state.epoch <> o.epoch then   -- numbered anew
        state.seq := 0;
    end if;
    if state.seq >= o.last_seq then
        return 0;
    end if;
    select count(*), max(d.seq), array_agg(distinct d.surt) filter (where d.is_page) into passed, upto, surts
    from (select d.seq, d.surt, (d.title is not null and not d.deleted) or exists (select from webarchiv.page_words w where w.id = d.id) as is_page
          from webarchiv.doc d where d.seq > state.seq and d.seq <= o.last_seq order by d.seq limit n) d;
    if passed < n then
        upto := o.last_seq;
    end if;
    if surts is not null then
        perform webarchiv.index_pages(surts, o.last_seq);
    end if;
    update webarchiv.words_state set epoch = o.epoch, seq = upto;
    return passed;
end $$;

-- A capture that is gone altogether has no number any more by which the index could learn of it.
create function webarchiv.forget_words() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
declare
    surts constant text[] := array(select distinct g.surt from gone g join webarchiv.page_words w on w.id = g.id);
begin
    if cardinality(surts) > 0 then
        perform webarchiv.index_pages(surts, (select max(h.last_seq) from oai.horizon h));
    end if;
    return null;
end $$;
create trigger forget_words after delete on webarchiv.doc referencing old table as gone
    for each statement execute function webarchiv.forget_words();

create function oai.search(words text, filters text[], after text, n integer, newest_only boolean default false)
returns table (part text, value text, label text, number bigint, title text, creator text, date text, address text)
language sql stable set search_path = pg_catalog as $$
    select * from oai.search_words(words, filters, after, n, newest_only)
$$;

revoke execute on function webarchiv.index_pages, webarchiv.forget_words, oai.index_search, oai.search from public;
grant execute on function oai.index_search to oai_publisher;
grant execute on function oai.search to oai_reader;
