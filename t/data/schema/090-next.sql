-- SPDX-License-Identifier: MIT
-- What a next version might bring (t/fault/migration.t): a column of a table that every answer reads, filled for the rows that
-- are there; a column of the view that stylesheets see; a function with its right.
alter table oai.set add column home text;
update oai.set set home = 'http://example.org/' || spec;

do $$
begin
    execute format('create or replace view oai.record as select before.*, ''next''::text as version from (%s) before',
                   rtrim(pg_get_viewdef('oai.record'::regclass), ';'));
end $$;

create function oai.home_of(wanted text) returns text stable language sql as 'select home from oai.set where spec = wanted';
revoke execute on function oai.home_of from public;
grant execute on function oai.home_of to oai_reader;
