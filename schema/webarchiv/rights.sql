-- SPDX-License-Identifier: MIT
grant select on oai.capture to oai_reader;
grant usage on schema webarchiv to oai_loader;
grant usage on all sequences in schema webarchiv to oai_loader;
grant select, insert, update, delete on webarchiv.domain, webarchiv.mimetype, webarchiv.collection,
    webarchiv.arc, webarchiv.doc_collection, webarchiv.doc to oai_loader;
select oai.protect_items('webarchiv.doc');   -- but for the publisher's columns

revoke execute on all functions in schema webarchiv from public;
grant execute on function oai.captures, oai.capture_position, oai.capture_calendar, oai.captured_urls
    to oai_reader;
grant execute on function webarchiv.make_staging, webarchiv.analyze_staged, webarchiv.prepare_slice,
    webarchiv.begin_fill, webarchiv.begin_writing, webarchiv.make_index, webarchiv.end_fill,
    webarchiv.file_staged to oai_loader;
