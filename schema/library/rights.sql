-- SPDX-License-Identifier: MIT
grant usage on schema library to public;   -- so that triggers of mapped tables can ask for the log
grant usage on all sequences in schema library to oai_loader;
grant select, insert, update, delete on library.collection, library.kind, library.language,
    library.language_code, library.item_collection to oai_loader;
grant select, delete on library.item to oai_loader;

grant execute on function library.fits to public;   -- checks run with the rights of whoever writes
grant execute on function library.make_staging, library.analyze_staged, library.prepare_slice to oai_loader;
-- Who owns tables maps them as a member of oai_loader, and makes what is beside them with his own rights.
grant execute on function oai.map_leave, oai.map_apply, oai.map_open, oai.map_watch, oai.map_change,
    oai.map_next, oai.map_rows, oai.map_query, oai.read_source, oai.map_poll, oai.map_drop,
    oai.map_problems to oai_loader;
grant execute on function oai.map_poll, oai.map_follow to oai_publisher;
grant select on library.mapping, library.mapped, library.map_table, library.map_piece, oai.map_trigger
    to oai_loader;
grant select (id) on oai.queue to oai_loader;
grant select (id, part, name, source) on library.mapping to oai_reader, oai_publisher;
grant update (name, hold) on library.mapping to oai_loader;
