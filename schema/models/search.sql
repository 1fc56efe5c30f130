-- SPDX-License-Identifier: MIT
-- Search by words, for the pages for people; by URL, of a web archive: webarchiv/search.sql. The server asks
-- which of the functions are there. They run with the rights of the reader, over views in schema oai. Each is
-- of bounded cost, shows no record that is deleted or not published, and ends within 0.3 seconds or is ended.
-- A model has these views, and oai.index_search (n), which brings up to n publications into the index; the
-- publisher calls it between its rounds, in a transaction of its own, until it returns 0:
--   oai.item_words   (id, seq bigint, set_ids integer[], year integer, language text, words tsvector): the
--                    index. seq: the number up to which the row is right; set_ids: leaf sets; words: also
--                    ~s12 for each set, ancestors included, ~y1999 for the year and ~lcs for the language
--   oai.found_item   (id bigint, local_id, kind, title, creator, date, address text): what is shown of a
--                    record that is published
--   oai.facet_root   (root, facet text): of which facet the sets below a root are; null: of none. Others are
--                    collections

-- PostgreSQL's parser would take `<b>` for markup and drop it, `and/or` for the name of a file, `a.b` for
-- that of a host, and the end of 1939-1945 for a number below zero. Inlined.
create or replace function oai.plain_text(value text) returns text language sql immutable parallel safe
    return translate(value, '<>&/.:@-+~', '          ');

-- Of what a person has typed: words that a record has all of; "a phrase"; or between words; -word for one
-- that it has not; beginn* for words that begin so. A single word is also looked for as a whole, as an
-- identifier is stored, and so are the digits of an ISBN or ISSN. Null if there is nothing that an index
-- could find.
create or replace function oai.word_query(words text) returns tsquery language plpgsql stable
    set search_path = pg_catalog set client_min_messages = error as $$
declare
    one      constant text := trim(words);
    plain    text := '';
    given    text;
    plain_word text;
    whole    text;
    sought   tsquery := '';
    numbers  constant text := translate(upper(one), '- ', '');
begin
    foreach given in array regexp_split_to_array(one, '\s+') loop
        if given ~ '^[^"*-][^"*]{2,}\*$' then
            plain_word := replace(replace(oai.plain_text(rtrim(given, '*')), '\', '\\'), '''', '''''');
            sought := sought && coalesce(to_tsquery('oai.words', '''' || plain_word || ''':*'), ''::tsquery);
        else
            plain := plain || ' '
                     || case when given ~ '^-[^"]' then '-"' || oai.plain_text(substr(given, 2)) || '"'
                             when given ~ '^-' then '-' || oai.plain_text(substr(given, 2))
                             else oai.plain_text(given) end;
        end if;
    end loop;
    sought := sought && websearch_to_tsquery('oai.words', plain);
    if numbers ~ '^(ISBN|ISSN)?:?(97[89])?[0-9]{9}[0-9X]$' or numbers ~ '^(ISBN|ISSN)?:?[0-9]{7}[0-9X]$' then
        whole := regexp_replace(numbers, '^(ISBN|ISSN)?:?', '');
    elsif one !~ '\s' and one <> '' then
        whole := one;
    end if;
    sought := sought || coalesce(('''' || replace(replace(lower(left(whole, 300)), '\', '\\'), '''', '''''')
                                  || '''')::tsquery, '');
    if numnode(sought) = 0 or querytree(sought) in ('', 'T') then return null; end if;
    return sought;
end $$;

-- In an index of up to 20,000 all matches are ranked. Otherwise the newest 2,000 are looked through first: if
-- they alone give a page, the words are too common for the best to be sought among all.
create or replace function oai.search(words text, filters text[], after text, n integer,
    newest_only boolean default false) returns table (part text, value text, label text, number bigint,
    title text, creator text, date text, address text) language plpgsql stable set search_path = oai, pg_temp
    set enable_bitmapscan = on set jit = off as $$
#variable_conflict use_column
declare
    few     constant integer := 20000;
    newest  constant integer := 2000;
    most    constant integer := 2000;
    wanted  constant tsquery := oai.word_query(words);
    sought  tsquery := wanted;
    filter  text;
    place   constant text[] := regexp_match(
        after, '^([nr]):([0-9]{1,3}(?:[.][0-9]{1,12})?(?:e-[0-2]?[0-9])?):([0-9]{1,18})$');
    is_newest boolean := newest_only;
    before  bigint := 9223372036854775807;
    top     real := 'infinity';
    ids     bigint[];
    seqs    bigint[];
    scores  real[];
    leaves  text[];   -- set_ids
    years   integer[];
    languages text[];
    lowest  bigint;
    looked  integer;
begin
    part := 'behind';
    select greatest(o.last_seq - case when s.epoch = o.epoch then s.seq else 0 end, 0) into number
    from horizon o, words_state s where o.h is not null and s.view = 0;
    if found then return next; end if;
    if wanted is null then
        part := 'nothing';
        number := null;
        return next;
        return;
    end if;
    foreach filter in array filters loop
        sought := sought && case   -- the words of the filter in the index
            when filter ~ '^year=[0-9]{1,4}$' then ('''~y' || substr(filter, 6)::integer || '''')::tsquery
            when filter ~ '^language=[a-z0-9-]{2,35}$' then ('''~l' || substr(filter, 10) || '''')::tsquery
            else coalesce((select ('''~s' || s.id || '''')::tsquery from oai.set s
                           where filter ~ '^(kind|language|collection)='
                             and s.spec = substr(filter, strpos(filter, '=') + 1)), '''~none'''::tsquery) end;
    end loop;
    if place is not null then
        is_newest := is_newest or place[1] = 'n';
        before := place[3]::bigint;
        top := place[2]::real;
    end if;
    if is_newest
       or (place is null and (select count(*) from (select from item_words limit few + 1) c) > few) then
        select count(*), min(c.seq), array_agg(c.id order by c.seq desc) filter (where c.matches),
               array_agg(c.seq order by c.seq desc) filter (where c.matches),
               array_agg(c.set_ids::text) filter (where c.matches),
                   array_agg(c.year) filter (where c.matches),
               array_agg(c.language) filter (where c.matches)
        into looked, lowest, ids, seqs, leaves, years, languages
        from (select w.id, w.seq, w.set_ids, w.year, w.language, w.words @@ sought as matches
              from item_words w where w.seq < before order by w.seq desc limit newest) c;
        is_newest := is_newest or coalesce(cardinality(ids) >= n, false);
        scores := array_fill(0::real, array[coalesce(cardinality(ids), 0)]);
    end if;
    if not is_newest then
        select array_agg(c.id order by c.score desc, c.seq desc),
               array_agg(c.seq order by c.score desc, c.seq desc),
               array_agg(c.score order by c.score desc, c.seq desc), array_agg(c.set_ids::text),
               array_agg(c.year), array_agg(c.language)
        into ids, seqs, scores, leaves, years, languages
        from (select w.id, w.seq, w.set_ids, w.year, w.language, ts_rank(w.words, wanted, 1) as score
              from item_words w where w.words @@ sought limit most + 1) c;
    end if;
    part := 'found';
    value := case when is_newest then 'newest' when cardinality(ids) > most then 'capped' else 'all' end;
    label := looked;
    number := least(coalesce(cardinality(ids), 0), most);
    return next;
    return query
    with page as materialized (select u.* from unnest(ids, seqs, scores) with ordinality u(id, seq, score, n)
        where is_newest or (u.score, u.seq) < (top, before) order by u.n limit search.n + 1),
    shown as (select 1 as place, p.n, 'record' as part, i.local_id as value, i.kind as label, p.seq as number,
               i.title, i.creator, i.date, i.address
        from (select * from page order by page.n limit search.n) p
        join found_item i on i.id = p.id),
    further as (
        select 2, 0::bigint, 'next', case when is_newest then 'n:0:' else 'r:' || p.score || ':' end || p.seq,
               null::text, null::bigint, null::text, null::text, null::text, null::text
        from (select * from page order by page.n offset search.n - 1 limit 1) p
        where (select count(*) from page) > search.n
        union all
        select 2, 0, 'next', 'n:0:' || lowest, null, null, null, null, null, null
        where is_newest and looked = newest and (select count(*) from page) <= search.n),
    facet as (
        select 3, row_number() over (partition by f.part order by f.number desc, f.value), f.part, f.value,
               f.label, f.number, null::text, null::text, null::text, null::text
        from (select case when r.root is null then 'collection' else r.facet end as part, s.spec as value,
                     s.name as label, e.number
              from (select e.id, count(*) as number from unnest(leaves) l, unnest(l::integer[]) e(id)
                    group by e.id) e
              join set s on s.id = e.id left join oai.facet_root r on r.root = split_part(s.spec, ':', 1)
              union all
              select 'language', l, l, count(*) from unnest(languages) l where l is not null group by l
              union all
              select 'year', y::text, y::text, count(*) from unnest(years) y where y is not null group by y) f
        where f.part is not null)
    select a.part, a.value, a.label, a.number, a.title, a.creator, a.date, a.address
    from (select * from shown union all select * from further
          union all select * from facet where row_number <= 10) a order by a.place, a.part, a.n;
end $$;

-- By about n publications, `passed`. upto is null if there are none, or another publisher is at it.
create or replace function oai.next_words(n integer, out after bigint, out upto bigint, out passed bigint)
language plpgsql as $$
declare
    state oai.words_state;
    o     oai.horizon;
begin
    select * into state from oai.words_state s where s.view = 0 for update skip locked;
    select * into o from oai.horizon h order by h.h desc nulls last limit 1;
    after := case when state.epoch = o.epoch then state.seq else 0 end;   -- else numbered anew
    if state.seq is null or o.h is null or after >= o.last_seq then
        passed := 0;
        return;
    end if;
    select count(*), max(s.seq) into passed, upto
    from (select i.seq from oai.item i where i.seq > after and i.seq <= o.last_seq order by i.seq limit n) s;
    if passed < n then upto := o.last_seq; end if;
    update oai.words_state s set epoch = o.epoch, seq = upto where s.view = 0;
end $$;
