-- SPDX-License-Identifier: MIT

-- What readers, who have no rights in schema library, may know of the index.
create or replace view oai.item_words as
    select w.id, w.seq, w.set_ids, w.year, null::text as language, w.words from library.item_words w;

create or replace view oai.found_item as
    select i.id, i.local_id, i.kind, array_to_string(i.title[1:2], ' = ') as title,
           array_to_string(i.creator[1:4], '; ') as creator,
           coalesce(i.date[1], i.year) as date, i.landing_page as address
    from oai.record i where not i.deleted and i.seq is not null;

create or replace view oai.facet_root as
    select * from (values ('type', 'kind'), ('lang', 'language')) r(root, facet);

create or replace function oai.index_search(n integer) returns bigint
language plpgsql security definer set search_path = pg_catalog
set client_min_messages = error set jit = off set random_page_cost = 1.1 as $$
declare w record;
begin
    select * into w from oai.next_words(n);
    if w.upto is null then return 0; end if;
    delete from library.item_words d using library.item i
    where i.seq > w.after and i.seq <= w.upto and (i.deleted or i.hidden) and d.id = i.id;
    insert into library.item_words (id, seq, set_ids, year, words)
    -- no function for the words: calling one takes longer than making them
    select i.id, i.seq, i.set_ids, i.year,
           setweight(to_tsvector('oai.words', oai.plain_text(left(
               coalesce(array_to_string(i.title, E'\n'), ''), 20000))), 'A')
           || setweight(to_tsvector('oai.words', oai.plain_text(left(concat_ws(
               E'\n', array_to_string(i.creator, E'\n'), array_to_string(i.contributor, E'\n')), 20000))),
                   'B')
           || setweight(to_tsvector('oai.words', oai.plain_text(left(
               coalesce(array_to_string(i.subject, E'\n'), ''), 20000))), 'C')
           || array_to_tsvector(array(select distinct lower(left(v, 300))
                  from unnest(array[ltrim(i.local_id, ':'), i.doi, i.urn, i.landing_page, i.year::text]
                              || i.identifier[1:50]) v where v <> ''
                  union select translate(lower(left(v, 300)), '- ', '')
                        from unnest(i.isbn[1:50] || i.issn[1:50]) v where translate(v, '- ', '') <> ''
                  union select '~s' || p from oai.set s, unnest(s.path) p where s.id = any (i.set_ids)
                  union select '~y' || i.year where i.year is not null))
    from library.item i
    where i.seq > w.after and i.seq <= w.upto and not i.deleted and not i.hidden order by i.seq
    on conflict (id) do update set seq = excluded.seq, set_ids = excluded.set_ids, year = excluded.year,
        words = excluded.words;
    return w.passed;
end $$;

-- An item that is gone altogether has no number any more by which the index could learn of it.
select oai.remove_with('forget_words', 'library.item_words', 'id', 'library.item');
