-- SPDX-License-Identifier: MIT
-- Readers and the publisher see the model's tables through the views in schema oai alone.
grant select on oai.item, oai.record, oai.dictionary, oai.membership, oai.set_place, oai.item_words,
    oai.words_state, oai.found_item, oai.facet_root to oai_reader;
grant select, update on oai.item to oai_publisher;
grant select on oai.record, oai.membership to oai_publisher;
grant select on oai.record to oai_rule;
grant select on oai.item to oai_loader;
-- For oai.mark_deleted and oai.withdraw.
grant select (id, deleted, visible_until, hidden_why), update (deleted, visible_until, hidden_why)
    on oai.item_row to oai_loader;

revoke execute on all routines in schema oai from public;
grant execute on function oai.find_item to oai_reader, oai_loader;
grant execute on function oai.mark_deleted to oai_loader;
grant execute on function oai.remove_items, oai.index_search to oai_publisher;
grant execute on function oai.search to oai_reader;

grant usage on schema oai_view to oai_reader, oai_publisher;
grant select on all tables in schema oai_view to oai_reader, oai_publisher;
grant insert, update, delete on oai_view.set_chunk, oai_view.set, oai_view.rule to oai_publisher;
revoke execute on all functions in schema oai_view from public;
grant execute on all functions in schema oai_view to oai_reader, oai_publisher;
revoke execute on function oai_view.collect_postings, oai_view.move_postings, oai_view.move_numbers
    from oai_reader;
