-- SPDX-License-Identifier: MIT
-- What schema oai asks of a model (core/roles.sql) and is the same in both. oai.item_row is the model's table
-- of items, as deletion (core/deletion.sql) and nobody else writes it.

comment on view oai.item is 'One row for each item: id, seq, local_id, datestamp, deleted, set_ids.';
comment on view oai.membership is 'The columns of oai.item, and sets_now: its leaf sets as they are now.';
comment on view oai.record is 'The columns of oai.item, then those of the model: what stylesheets see.';
comment on view oai.dictionary is 'id, kind, name: what KIND_id in oai.record means; stylesheets see KIND.';
comment on view oai.set_place is 'What the setSpecs of names that make sets must be.';
comment on view oai.item_words is 'The index of words, as oai.search sees it.';
comment on view oai.found_item is 'What is shown of an item that was found.';
comment on view oai.facet_root is 'Of which facet the sets below a root are.';
comment on view oai.item_row is 'The columns of the model''s table of items that deletion writes.';

create or replace function oai.remove_items(ids bigint[]) returns void
language sql security definer set search_path = pg_catalog as $$
    delete from oai.item_row where id = any (ids) and deleted;
    -- What is hidden stays, as if harvesters had never had it.
    update oai.item_row set seq = null, set_ids = '{}' where id = any (ids) and hidden
$$;
