-- SPDX-License-Identifier: MIT
grant usage on schema harvest to oai_loader;
grant usage on all sequences in schema harvest to oai_loader;
grant select, insert, update, delete on all tables in schema harvest to oai_loader;
grant select on oai.source to oai_loader;
grant select (source) on library.map_log to oai_reader, oai_publisher;
grant execute on function oai.source_state to oai_reader, oai_publisher;
grant execute on function harvest.keep_format to oai_loader;
