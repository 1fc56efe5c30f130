-- SPDX-License-Identifier: MIT
-- Makes webarchiv.doc of t/bench/data a table partitioned by archived_time: one partition with all present rows and an empty
-- one for 2031. Used by t/bench/load to measure whether a new partition is faster to load. This cannot be undone.
begin;
create temporary table view_of on commit drop as
    select c.oid::regclass::text as name, pg_get_viewdef(c.oid) as query
    from pg_class c where c.oid in ('oai.item'::regclass, 'oai.membership'::regclass, 'oai.record'::regclass);
create temporary table trigger_of on commit drop as
    select tgname as name, pg_get_triggerdef(oid) as definition
    from pg_trigger where tgrelid = 'webarchiv.doc'::regclass and not tgisinternal;
do $$
declare
    t text;
begin
    for t in select name from trigger_of loop
        execute format('drop trigger %I on webarchiv.doc', t);
    end loop;
end $$;

alter table webarchiv.doc rename to doc_before_2031;
create table webarchiv.doc (like webarchiv.doc_before_2031 including defaults) partition by range (archived_time);
alter table webarchiv.doc alter id set default nextval('webarchiv.doc_id_seq');
alter table webarchiv.doc attach partition webarchiv.doc_before_2031 for values from (minvalue) to ('2031-01-01');
create table webarchiv.doc_2031 partition of webarchiv.doc for values from ('2031-01-01') to ('2032-01-01');
-- The indexes of 101-webarchiv.sql, on the partition: a unique index on the whole table would have to contain archived_time.
create unique index on webarchiv.doc_2031 (id);
create unique index on webarchiv.doc_2031 (seq) where seq is not null;
create unique index on webarchiv.doc_2031 (surt, archived_time, digest);
create unique index on webarchiv.doc_2031 (id_arc, doc_offset) where digest is null;
grant select, insert, update, delete on webarchiv.doc to oai_loader;

do $$
declare
    v record;
    t text;
begin
    for v in select * from view_of loop
        execute format('create or replace view %s as %s', v.name, v.query);
    end loop;
    for t in select definition from trigger_of loop
        execute t;
    end loop;
end $$;
commit;
-- Autovacuum analyses only partitions, not the partitioned table itself.
analyze webarchiv.doc;
