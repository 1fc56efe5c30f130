-- SPDX-License-Identifier: MIT
grant usage on schema library to public;   -- so that triggers of mapped tables can ask for the log
grant usage on all sequences in schema library to oai_loader;
grant select, insert, update, delete on library.collection, library.kind, library.language,
    library.language_code, library.item_collection to oai_loader;
grant select, delete on library.item to oai_loader;

grant execute on function library.fits to public;   -- checks run with the rights of whoever writes
grant execute on function oai.map_drop, library.make_staging, library.analyze_staged, library.prepare_slice
    to oai_loader;
grant execute on function oai.map_poll, oai.map_follow, oai.map_note_problem to oai_publisher;
grant select on library.mapping, library.mapped to oai_loader;   -- which refuses what a map has
grant update (name, hold) on library.mapping to oai_loader;
