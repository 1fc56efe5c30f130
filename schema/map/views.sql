-- SPDX-License-Identifier: MIT
-- What harvesters see of tables that a repository has already: the items, and the views that the server
-- reads.
--
-- The files of this room are texts of which `oai map` makes SQL for the tables that it is told of. A text
-- begins
-- at a line `--- name`, and the comments below it explain it to whoever reads it here. @name@ stands for SQL
-- that
-- lib/tools/map/script.cpp makes, with every name of the repository's own quoted. The functions are called
-- oai.map_..., so that those of an earlier mapping are found.

--- items
-- Items have rows of their own, which stay when those of the tables go; local_id is what they are known by.
create table if not exists oai.item (
    id        bigint generated always as identity primary key,
    seq       bigint,                             -- the publisher's, as datestamp and set_ids
    local_id  text not null unique,
    datestamp timestamptz,
    deleted   boolean not null default false,
    set_ids   integer[] not null default '{}',
    checksum  bigint                              -- of what oai.record had when it was published
);
create unique index if not exists item_seq on oai.item (seq) where seq is not null;
-- What has changed: triggers append here, and do nothing else; the publisher takes it (oai.map_follow).
create table if not exists oai.map_log (
    source integer not null,   -- the table, by its place in map.ini
    keys   text[]              -- of its columns that lead to items; null: all of it
);
-- looks: all of the source is to be looked at, page by page; problem: why it cannot be read; tables: those
-- that were looked at.
alter table oai.mapping add column if not exists looks boolean not null default false,
    add column if not exists problem text, add column if not exists tables oid[];

--- drop_views
drop view if exists oai.record, oai.membership;
drop view if exists oai.mapped;
drop view if exists oai.source;
drop table if exists oai.copy;

--- rows
-- A row for each item that there is now, whether published or not.
    select @keys_as@,
           @local_id@ as local_id,
           @datestamp@ as brought,
           @specs@ as specs,
           @set_names@ as set_names@elements@
    from @items_table@
    where @is_item@

--- make_copy
-- What is given out is a copy, so that pages wait for nobody who works on the tables. It is made before
-- these are locked for a moment. Rows that share a key are left out: oai.map_problems() names them.
set local datestyle = 'ISO';
set local intervalstyle = 'iso_8601';
set local timezone = 'UTC';
set local extra_float_digits = 1;
create table oai.copy_next as
    select @s_columns@ from (select s.*, count(*) over (partition by @s_keys@) as map_n from (@rows@) s) s
    where map_n = 1;
alter table oai.copy_next add missing_since timestamptz, add primary key (@keys@);
create unique index on oai.copy_next (local_id);
create index on oai.copy_next (missing_since) where missing_since is not null;
analyze oai.copy_next;
do $body$
declare
    live bigint := (select count(*) from oai.item where not deleted);
    gone bigint := (select count(*) from oai.item i where not i.deleted
                    and not exists (select from oai.copy_next c where c.local_id = i.local_id));
begin
    if gone > 10 and gone * 2 > live and not @believe@ then
        raise exception '% of % items would become deleted records; nothing is changed', gone, live
            using hint = 'If that is right: oai map --believe';
    end if;
end $body$;

--- views
alter table oai.copy_next rename to copy;
create view oai.mapped as
    select m.*, hash_record_extended(row(m.specs@hashed@), 0) as checksum from oai.copy m;
create view oai.membership as
    select i.id, i.seq, i.local_id, i.datestamp, i.deleted, i.set_ids,
           array(select s.id from oai.set s where s.spec = any (m.specs)) as sets_now
    from oai.item i left join oai.copy m on m.local_id = i.local_id;
create view oai.record as
    select i.id, i.seq, i.local_id, i.datestamp, i.deleted, i.set_ids@m_elements@
    from oai.item i left join oai.copy m on m.local_id = i.local_id;
create or replace function oai.find_item(local_id text) returns bigint language plpgsql stable as $body$
begin
    return (select i.id from oai.item i where i.local_id = find_item.local_id);
end $body$;
