-- SPDX-License-Identifier: MIT
-- What schema oai asks of a model (core/roles.sql) and is the same in both. oai.item_row is the model's table
-- of items, as these functions and nobody else write it.

comment on view oai.item is 'One row for each item: id, seq, local_id, datestamp, deleted, set_ids.';
comment on view oai.membership is 'The columns of oai.item, and sets_now: its leaf sets as they are now.';
comment on view oai.record is 'The columns of oai.item, then those of the model: what stylesheets see.';
comment on view oai.dictionary is 'id, kind, name: what KIND_id in oai.record means; stylesheets see KIND.';
comment on view oai.set_place is 'What the setSpecs of names that make sets must be.';
comment on view oai.item_words is 'The index of words, as oai.search sees it.';
comment on view oai.found_item is 'What is shown of an item that was found.';
comment on view oai.facet_root is 'Of which facet the sets below a root are.';
comment on view oai.item_row is 'The columns of the model''s table of items that deletion writes.';

create or replace function oai.mark_deleted(ids bigint[], mark boolean) returns setof bigint
language sql as $$
    update oai.item_row set deleted = mark where id = any (ids) and deleted <> mark returning id
$$;

create or replace function oai.remove_items(ids bigint[]) returns void
language sql security definer set search_path = pg_catalog as $$
    delete from oai.item_row where id = any (ids) and deleted;
    -- What is hidden stays, as if harvesters had never had it.
    update oai.item_row set seq = null, set_ids = '{}' where id = any (ids) and hidden
$$;

create or replace function oai.search(words text, filters text[], after text, n integer,
    newest_only boolean default false) returns table (part text, value text, label text, number bigint,
    title text, creator text, date text, address text) language sql stable set search_path = pg_catalog as $$
    select * from oai.search_words(words, filters, after, n, newest_only)
$$;

-- How far the index of words is to be brought: oai.words_state says so from now on. passed: the publications
-- from after + 1 to upto, about n; upto is null if there are none, or another publisher is at it.
create or replace function oai.next_words(n integer, out after bigint, out upto bigint, out passed bigint,
                                          out last_seq bigint) language plpgsql as $$
declare
    state oai.words_state;
    o     oai.horizon;
begin
    select * into state from oai.words_state for update skip locked;
    select * into o from oai.horizon h order by h.h desc nulls last limit 1;
    after := case when state.epoch = o.epoch then state.seq else 0 end;   -- else numbered anew
    if state.seq is null or o.h is null or after >= o.last_seq then
        passed := 0;
        return;
    end if;
    last_seq := o.last_seq;
    select count(*), max(s.seq) into passed, upto
    from (select i.seq from oai.item i where i.seq > after and i.seq <= o.last_seq order by i.seq limit n) s;
    if passed < n then upto := o.last_seq; end if;
    update oai.words_state set epoch = o.epoch, seq = upto;
end $$;
