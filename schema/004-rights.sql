-- SPDX-License-Identifier: MIT
-- The reader can only read schema oai; the publisher writes what is the publisher's.
grant usage on schema oai to oai_reader, oai_publisher, oai_loader;
grant select on oai.set, oai.set_chunk, oai.horizon, oai.calendar, oai.queue to oai_reader, oai_publisher;
grant select on oai.set, oai.horizon to oai_loader;
grant update on oai.set, oai.horizon to oai_publisher;
grant insert, update, delete on oai.set_chunk to oai_publisher;
grant insert on oai.calendar to oai_publisher;
grant insert, delete on oai.queue to oai_publisher;
revoke execute on all functions in schema oai from public;
grant execute on all functions in schema oai to oai_publisher;
grant execute on function oai.position, oai.seq_before, oai.set_page, oai.count_set, oai.list_size,
    oai.check_chunks, oai.check_calendar, oai.numbers_used to oai_reader;
