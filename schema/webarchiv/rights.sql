-- SPDX-License-Identifier: MIT
grant usage on schema webarchiv to oai_loader;
grant usage on all sequences in schema webarchiv to oai_loader;
grant select, insert, update, delete on webarchiv.domain, webarchiv.mimetype, webarchiv.collection,
    webarchiv.arc, webarchiv.doc_collection to oai_loader;
grant select, delete on webarchiv.doc to oai_loader;

grant execute on function webarchiv.make_staging, webarchiv.analyze_staged, webarchiv.prepare_slice,
    webarchiv.begin_fill, webarchiv.begin_writing, webarchiv.end_fill,
    webarchiv.file_staged to oai_loader;
