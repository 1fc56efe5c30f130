-- SPDX-License-Identifier: MIT
-- Drops the keys, constraints and indexes of the two large tables before they are filled. t/bench/fill creates them again
-- from bench.saved, foreign keys last, which also checks that the tables are consistent. After an interrupted run,
-- bench.saved already exists and lists all of them.
\set ON_ERROR_STOP on
set client_min_messages = warning;
begin;
create schema if not exists bench;
create table if not exists bench.saved (n integer generated always as identity, ddl text not null);
create temporary table big on commit drop as
    select unnest(array['webarchiv.doc', 'oai.set_chunk']::regclass[]) as t;
insert into bench.saved (ddl)
select ddl from (
    select 1 as step, pg_get_indexdef(i.indexrelid) as ddl
    from pg_index i join big on i.indrelid = t
    where not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype = 'p')
    union all
    select case c.contype when 'f' then 3 else 2 end,
           format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
    from pg_constraint c join big on c.conrelid = t where c.contype in ('p', 'f')) x
where not exists (select from bench.saved)
order by step, ddl;
select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname)
from pg_constraint c join big on c.conrelid = t where c.contype in ('p', 'f') order by c.contype \gexec
select format('drop index %s', i.indexrelid::regclass) from pg_index i join big on i.indrelid = t \gexec
commit;
