-- SPDX-License-Identifier: MIT
-- Readers and the publisher see the model's tables through the views in schema oai alone.
grant select on all tables in schema oai to oai_reader, oai_publisher;
grant update on oai.item to oai_publisher;
grant select on oai.record to oai_rule;
grant select on oai.item to oai_loader;
grant select (id, deleted), update (deleted) on oai.item_row to oai_loader;   -- for oai.change_deleted

select oai.grant_functions();
grant execute on function oai.remove_items, oai.index_search to oai_publisher;
