-- SPDX-License-Identifier: MIT
-- Readers and the publisher see the model's tables through the views in schema oai alone.
grant select on oai.item, oai.record, oai.dictionary, oai.membership, oai.set_place, oai.item_words,
    oai.words_state, oai.found_item, oai.facet_root to oai_reader;
grant select, update on oai.item to oai_publisher;
grant select on oai.record, oai.membership to oai_publisher;
grant select on oai.record to oai_rule;
grant select on oai.item to oai_loader;
grant select (id, deleted), update (deleted) on oai.item_row to oai_loader;   -- for oai.mark_deleted

revoke execute on all routines in schema oai from public;
grant execute on function oai.find_item to oai_reader, oai_loader;
grant execute on function oai.mark_deleted to oai_loader;
grant execute on function oai.remove_items, oai.index_search to oai_publisher;
grant execute on function oai.search to oai_reader;
