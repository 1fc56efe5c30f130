-- SPDX-License-Identifier: MIT
-- A column of a table that every answer reads, filled for the rows that are there.
alter table oai.set add column home text;
update oai.set set home = 'http://example.org/' || spec;
comment on table oai.set is 'Sets; those of the next version have a home.';
