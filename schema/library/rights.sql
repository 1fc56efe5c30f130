-- SPDX-License-Identifier: MIT
-- Readers and the publisher see the items through the views in schema oai alone.
grant select on oai.item, oai.record, oai.dictionary, oai.membership, oai.set_place, oai.item_words,
    oai.words_state, oai.found_item, oai.facet_root, oai.mapping to oai_reader;
grant select on oai.mapping to oai_publisher;
grant select, update on oai.item to oai_publisher;
grant select on oai.record, oai.membership to oai_publisher;
grant select on oai.record to oai_rule;
grant select on oai.item to oai_loader;
grant usage on schema library to oai_loader;
grant usage on all sequences in schema library to oai_loader;
grant select, insert, update, delete on library.collection, library.kind, library.language,
    library.language_code, library.item_collection, library.item to oai_loader;
select oai.protect_items('library.item');   -- but for the publisher's columns

revoke execute on all functions in schema oai from public;
grant execute on function oai.find_item to oai_reader, oai_loader;
grant execute on function oai.mark_deleted to oai_loader;
grant execute on function oai.remove_items, oai.index_search to oai_publisher;
grant execute on function oai.search to oai_reader;
grant execute on function oai.map_poll, oai.map_follow, oai.map_note_problem to oai_publisher;
revoke execute on function library.language_ids, library.make_staging, library.analyze_staged,
    library.prepare_slice, library.publish_slice, library.insert_loaded, library.insert_staged,
    library.update_staged, library.staged, library.forget_words, library.own_set,
    library.note_withheld, library.note_removed, library.make_load_item
    from public;
grant execute on function library.language_ids, library.make_staging, library.analyze_staged,
    library.prepare_slice, library.publish_slice, library.insert_staged, library.update_staged,
    library.staged to oai_loader;
