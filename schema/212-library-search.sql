-- SPDX-License-Identifier: MIT
-- Search by words (021-search.sql). The words of an item do not stand in library.item: writers and the publisher would make and
-- index them again with each change of anything. Instead the index follows the publication numbers, as a harvester does: whatever is published
-- or changed has a number that is higher than the last one that the index has. So it slows down nobody who writes, a repository that has
-- items already is brought over while it serves, and what is not published is not found.
create table library.item_words (
    id      bigint primary key,
    seq     bigint not null,       -- the number up to which the row is right
    set_ids integer[] not null,    -- leaf sets
    year    integer,
    words   tsvector not null      -- also ~s12 and ~y1999 for each set, ancestors included, and the year
);
create unique index item_words_seq on library.item_words (seq);
create index item_words_words on library.item_words using gin (words) with (gin_pending_list_limit = 1024);

-- How far the index is: one row.
create table library.words_state (
    single boolean primary key default true check (single),
    epoch  bigint not null default 0,   -- of oai.horizon
    seq    bigint not null default 0
);
insert into library.words_state default values;

-- What readers, who have no rights in schema library, may know of the index.
create view oai.item_words as select w.id, w.seq, w.set_ids, w.year, w.words from library.item_words w;
create view oai.words_state as select s.epoch, s.seq from library.words_state s;
grant select on oai.item_words, oai.words_state to oai_reader;

create function oai.index_search(n integer) returns bigint language plpgsql security definer set search_path = pg_catalog
set client_min_messages = error set jit = off set random_page_cost = 1.1 as $$
declare
    state  library.words_state;
    o      oai.horizon;
    upto   bigint;
    passed bigint;
begin
    select * into state from library.words_state for update skip locked;
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
    select count(*), max(s.seq) into passed, upto
    from (select i.seq from library.item i where i.seq > state.seq and i.seq <= o.last_seq order by i.seq limit n) s;
    if passed < n then
        upto := o.last_seq;
    end if;
    delete from library.item_words w using library.item i
    where i.seq > state.seq and i.seq <= upto and i.deleted and w.id = i.id;
    insert into library.item_words as w (id, seq, set_ids, year, words)
    select i.id, i.seq, i.set_ids, i.year,   -- no function for the words: calling one takes longer than making them
           setweight(to_tsvector('oai.words', left(coalesce(array_to_string(i.title, E'\n'), ''), 20000)), 'A')
           || setweight(to_tsvector('oai.words', left(concat_ws(E'\n', array_to_string(i.creator, E'\n'), array_to_string(i.contributor, E'\n')), 20000)), 'B')
           || setweight(to_tsvector('oai.words', left(coalesce(array_to_string(i.subject, E'\n'), ''), 20000)), 'C')
           || array_to_tsvector(array(
                  select distinct lower(left(v, 300)) from unnest(array[ltrim(i.local_id, ':'), i.doi, i.urn, i.landing_page] || i.identifier[1:50]) v where v <> ''
                  union select translate(lower(left(v, 300)), '- ', '') from unnest(i.isbn[1:50] || i.issn[1:50]) v where translate(v, '- ', '') <> ''
                  union select '~s' || p from oai.set s, unnest(s.path) p where s.id = any (i.set_ids)
                  union select '~y' || i.year where i.year is not null))
    from library.item i where i.seq > state.seq and i.seq <= upto and not i.deleted order by i.seq
    on conflict (id) do update set seq = excluded.seq, set_ids = excluded.set_ids, year = excluded.year, words = excluded.words;
    update library.words_state set epoch = o.epoch, seq = upto;
    return passed;
end $$;

-- An item that is gone altogether has no number any more by which the index could learn of it.
create function library.forget_words() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
begin
    delete from library.item_words w using gone g where w.id = g.id;
    return null;
end $$;
create trigger forget_words after delete on library.item referencing old table as gone
    for each statement execute function library.forget_words();

-- The words of a filter in the index; null: there is no such set.
create function oai.filter_word(given text) returns tsquery language sql stable set search_path = pg_catalog as $$
    select case when given ~ '^year=[0-9]{1,4}$' then ('''~y' || substr(given, 6)::integer || '''')::tsquery
                when given ~ '^(kind|language|collection)=' then
                    (select ('''~s' || s.id || '''')::tsquery from oai.set s where s.spec = substr(given, strpos(given, '=') + 1)) end
$$;

-- Finds records that match. Up to 20,000 are ranked as they are. Otherwise the newest 2,000 are looked through first: if they alone give a
-- page, the words are too common for the best to be sought among all.
create function oai.search(words text, filters text[], after text, n integer, newest_only boolean default false)
returns table (part text, value text, label text, number bigint, title text, creator text, date text, address text)
language plpgsql stable set search_path = pg_catalog set enable_bitmapscan = on set jit = off as $$
#variable_conflict use_column
declare
    few     constant integer := 20000;
    newest  constant integer := 2000;
    most    constant integer := 2000;
    wanted  constant tsquery := oai.word_query(words);
    sought  tsquery := wanted;
    filter  text;
    place   constant text[] := regexp_match(after, '^([nr]):([0-9]{1,3}(?:[.][0-9]{1,12})?(?:e-[0-2]?[0-9])?):([0-9]{1,18})$');
    is_newest boolean := newest_only;
    before  bigint := 9223372036854775807;
    top     real := 'infinity';
    ids     bigint[];
    seqs    bigint[];
    scores  real[];
    leaves  text[];   -- set_ids
    years   integer[];
    lowest  bigint;
    looked  integer;
begin
    return query select 'behind', null::text, null::text, greatest(o.last_seq - case when s.epoch = o.epoch then s.seq else 0 end, 0),
                        null::text, null::text, null::text, null::text
                 from oai.horizon o, oai.words_state s where o.h is not null;
    if wanted is null then
        return query select 'nothing', null::text, null::text, null::bigint, null::text, null::text, null::text, null::text;
        return;
    end if;
    foreach filter in array filters loop
        sought := sought && coalesce(oai.filter_word(filter), '''~none'''::tsquery);
    end loop;
    if place is not null then
        is_newest := is_newest or place[1] = 'n';
        before := place[3]::bigint;
        top := place[2]::real;
    end if;
    if is_newest or (place is null and (select count(*) from (select from oai.item_words limit few + 1) c) > few) then
        select count(*), min(c.seq), array_agg(c.id order by c.seq desc) filter (where c.matches),
               array_agg(c.seq order by c.seq desc) filter (where c.matches),
               array_agg(c.set_ids::text) filter (where c.matches), array_agg(c.year) filter (where c.matches)
        into looked, lowest, ids, seqs, leaves, years
        from (select w.id, w.seq, w.set_ids, w.year, w.words @@ sought as matches from oai.item_words w
              where w.seq < before order by w.seq desc limit newest) c;
        is_newest := is_newest or coalesce(cardinality(ids) >= n, false);
        scores := array_fill(0::real, array[coalesce(cardinality(ids), 0)]);
    end if;
    if not is_newest then
        select array_agg(c.id order by c.score desc, c.seq desc), array_agg(c.seq order by c.score desc, c.seq desc),
               array_agg(c.score order by c.score desc, c.seq desc), array_agg(c.set_ids::text), array_agg(c.year)
        into ids, seqs, scores, leaves, years
        from (select w.id, w.seq, w.set_ids, w.year, ts_rank(w.words, wanted, 1) as score from oai.item_words w where w.words @@ sought limit most + 1) c;
    end if;
    return query select 'found', case when is_newest then 'newest' when cardinality(ids) > most then 'capped' else 'all' end,
                        looked::text, least(coalesce(cardinality(ids), 0), most)::bigint, null::text, null::text, null::text, null::text;
    return query
    with page as materialized (
        select u.* from unnest(ids, seqs, scores) with ordinality u(id, seq, score, n)
        where is_newest or (u.score, u.seq) < (top, before) order by u.n limit search.n + 1),
    shown as (
        select 1 as place, p.n, 'record' as part, i.local_id as value, i.kind as label, p.seq as number, array_to_string(i.title[1:2], ' = ') as title,
               array_to_string(i.creator[1:4], '; ') as creator, coalesce(i.date[1], i.year) as date, i.landing_page as address
        from (select * from page order by page.n limit search.n) p join oai.record i on i.id = p.id where not i.deleted and i.seq is not null),
    further as (
        select 2, 0::bigint, 'next', case when is_newest then 'n:0:' else 'r:' || p.score || ':' end || p.seq, null::text, null::bigint, null::text, null::text, null::text, null::text
        from (select * from page order by page.n offset search.n - 1 limit 1) p where (select count(*) from page) > search.n
        union all
        select 2, 0, 'next', 'n:0:' || lowest, null, null, null, null, null, null
        where is_newest and looked = newest and (select count(*) from page) <= search.n),
    facet as (
        select 3, row_number() over (partition by f.part order by f.number desc, f.value), f.part, f.value, f.label, f.number, null::text, null::text, null::text, null::text
        from (select case split_part(s.spec, ':', 1) when 'type' then 'kind' when 'lang' then 'language' else 'collection' end as part,
                     s.spec as value, s.name as label, e.number
              from (select e.id, count(*) as number from unnest(leaves) l, unnest(l::integer[]) e(id) group by e.id) e join oai.set s on s.id = e.id
              union all
              select 'year', y::text, y::text, count(*) from unnest(years) y where y is not null group by y) f)
    select a.part, a.value, a.label, a.number, a.title, a.creator, a.date, a.address
    from (select * from shown union all select * from further union all select * from facet where row_number <= 10) a
    order by a.place, a.part, a.n;
end $$;

revoke execute on function library.forget_words, oai.filter_word, oai.index_search, oai.search from public;
grant execute on function oai.index_search to oai_publisher;
grant execute on function oai.filter_word, oai.search to oai_reader;
