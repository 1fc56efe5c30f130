-- SPDX-License-Identifier: MIT
-- Readers and the publisher see the model's tables through the views in schema oai alone.
grant select on all tables in schema oai to oai_reader, oai_publisher;
grant update on oai.item to oai_publisher;
grant select on oai.record to oai_rule;
grant select on oai.item to oai_loader;
grant select (id, deleted, visible_until, hidden_why), update (deleted, visible_until, hidden_why)
    on oai.item_row to oai_loader;

select oai.grant_functions();
grant execute on function oai.remove_items, oai.index_search, oai.turn_items to oai_publisher;

grant usage on schema oai_view to oai_reader, oai_publisher;
grant select on all tables in schema oai_view to oai_reader, oai_publisher;
grant insert, update, delete on oai_view.set_chunk, oai_view.set, oai_view.rule, oai_view.calendar
    to oai_publisher;
