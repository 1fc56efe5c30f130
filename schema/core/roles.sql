-- SPDX-License-Identifier: MIT
-- Schema oai is what servers read and what the publisher writes. A model (webarchiv, library) adds what
-- differs from repository to repository:
--   oai.item        id, seq, local_id, datestamp, deleted, set_ids: a table, or a simple view that can be
--                   updated. local_id is what follows oai:NAMESPACE: in the identifier. One that begins with
--                   a colon belongs to an item that keeps its identifier from elsewhere: what follows the
--                   colon is that whole identifier.
--   oai.record      the same six columns, then the model's own: what stylesheets see. A column NAME_lang
--                   text[] beside NAME text[] holds the languages of its entries, NULL where none is known;
--                   stylesheets see them as the attribute lang of the elements NAME.
--   oai.dictionary  id integer, kind, name: the meaning of the numbers in those columns of oai.record that
--                   are named KIND_id and have the type integer or integer[]; stylesheets see the names, as
--                   KIND. A name never changes. A number has only one kind: if an array also holds numbers of
--                   other kinds, these are not shown. Needed only if oai.record has such columns.
--   oai.membership  the columns of oai.item, and sets_now: the leaf sets that the item belongs to now.
--                   deleted is null where harvesters never had the item, and are not to know of it.
--   oai.set_place   id, spec: what the setSpecs of names that make sets must be (oai.check_sets). Optional.
--   oai.find_item   (local_id text) -> id, or null.
--   oai.item_row, oai.remove_items, and the search: see deletion.sql and models/search.sql.
-- and triggers that put the id of every changed item into oai.queue (track.sql).
create schema if not exists oai;

-- Roles belong to the cluster: another repository may have made them.
do $$
declare wanted text;
begin
    foreach wanted in array
        array['oai_reader', 'oai_publisher', 'oai_loader', 'oai_rule', 'oai_source'] loop
        if not exists (select from pg_roles where rolname = wanted) then
            begin
                execute format('create role %I %s', wanted,
                               case when wanted in ('oai_rule', 'oai_source') then 'nologin'
                                   else 'login' end);
            exception when duplicate_object or unique_violation then   -- by another installation
            end;
        end if;
    end loop;
end $$;
