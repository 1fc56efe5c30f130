-- SPDX-License-Identifier: MIT
-- Readers and the publisher see the archive through the views in schema oai alone.
grant select on oai.item, oai.record, oai.dictionary, oai.membership, oai.set_place, oai.capture,
    oai.item_words, oai.words_state, oai.found_item, oai.facet_root to oai_reader;
grant select, update on oai.item to oai_publisher;
grant select on oai.record, oai.membership to oai_publisher;
grant select on oai.record to oai_rule;
grant select on oai.item to oai_loader;
grant usage on schema webarchiv to oai_loader;
grant usage on all sequences in schema webarchiv to oai_loader;
grant select, insert, update, delete on webarchiv.domain, webarchiv.mimetype, webarchiv.collection,
    webarchiv.arc, webarchiv.doc_collection, webarchiv.doc to oai_loader;
select oai.protect_items('webarchiv.doc');   -- but for the publisher's columns

revoke execute on all functions in schema oai from public;
grant execute on function oai.find_item to oai_reader, oai_loader;
grant execute on function oai.mark_deleted to oai_loader;
grant execute on function oai.remove_items, oai.index_search to oai_publisher;
grant execute on function oai.captures, oai.capture_position, oai.capture_calendar, oai.captured_urls,
    oai.search to oai_reader;
revoke execute on function webarchiv.make_staging, webarchiv.analyze_staged, webarchiv.prepare_slice,
    webarchiv.publish_slice, webarchiv.insert_loaded, webarchiv.is_unfilled, webarchiv.begin_fill,
    webarchiv.begin_writing, webarchiv.make_index, webarchiv.end_fill, webarchiv.refile,
    webarchiv.write_filing, webarchiv.queue_refiled, webarchiv.file_staged, webarchiv.end_refiling,
    webarchiv.remove_refiling, webarchiv.index_pages, webarchiv.forget_words from public;
grant execute on function webarchiv.make_staging, webarchiv.analyze_staged, webarchiv.prepare_slice,
    webarchiv.publish_slice, webarchiv.begin_fill, webarchiv.begin_writing, webarchiv.make_index,
    webarchiv.end_fill, webarchiv.file_staged to oai_loader;
