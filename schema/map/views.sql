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
-- Items have rows of their own, which stay when those of the tables go. key_N is the key as the
-- table has it, for the join.
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

--- mapped
create view oai.mapped as
    select m.*, hash_record_extended(row(m.specs@hashed@), 0) as checksum
    from (@rows@) m;

--- make_copy
-- Where PostgreSQL does not tell of changes, what is given out is a copy, which `oai map --poll`
-- brings up to date: pages do not wait for a foreign server. It is made before the views are
-- locked.
create view oai.source_next as @rows@;
create table oai.copy_next as table oai.source_next;
alter table oai.copy_next add primary key (@keys@);
analyze oai.copy_next;

--- mapped_copy
alter view oai.source_next rename to source;
alter table oai.copy_next rename to copy;
create view oai.mapped as
    select m.*, hash_record_extended(row(m.specs@hashed@), 0) as checksum from oai.copy m;

--- views
create view oai.membership as
    select i.id, i.seq, i.local_id, i.datestamp, i.deleted, i.set_ids,
           array(select s.id from oai.set s where s.spec = any (m.specs)) as sets_now
    from oai.item i left join oai.mapped m on @m_is_i@;
create view oai.record as
    select i.id, i.seq, i.local_id, i.datestamp, i.deleted, i.set_ids@m_elements@
    from oai.item i left join oai.mapped m on @m_is_i@;
create or replace function oai.find_item(local_id text) returns bigint language plpgsql stable as $body$
begin
    return (select i.id from oai.item i where i.local_id = find_item.local_id);
end $body$;
