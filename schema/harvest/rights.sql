-- SPDX-License-Identifier: MIT
grant usage on schema harvest to oai_loader;
grant usage on all sequences in schema harvest to oai_loader;
grant select, insert, update, delete on harvest.repository, harvest.set, harvest.list, harvest.record,
    harvest.refused, harvest.format to oai_loader;
grant select on harvest.health to oai_loader;
grant select on oai.source to oai_reader, oai_publisher, oai_loader;
revoke execute on function oai.source_state from public;
grant execute on function oai.source_state to oai_reader, oai_publisher;
grant select (source) on library.map_log to oai_reader, oai_publisher;
revoke execute on all functions in schema harvest from public;
grant execute on all functions in schema harvest to oai_loader;
