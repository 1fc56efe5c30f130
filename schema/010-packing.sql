-- SPDX-License-Identifier: MIT
-- Keeps oai.set_chunk small. Chunks get sparse when items change, since their numbers leave old chunks; and the table grows,
-- since a slice that changes most of its rows needs room for the new versions beside the old ones. In each round the
-- publisher merges some sparse chunks. After each VACUUM, which finds out where there is room, it moves chunks from the end
-- of the table to its front, a few pages in a round, so that the next VACUUM cuts the end off.
alter table oai.walk
    add column packed_set     integer not null default 0,   -- chunks were merged up to this set
    add column packed_seq     bigint not null default 0,    -- and this number in it
    add column packed_from    bigint not null default -1,   -- last_seq when merging began with the first set
    add column packed_block   bigint,    -- chunks were moved down to this page of the table; null: none are being moved
    add column packed_floor   bigint,    -- to be moved down to this page
    add column packed_vacuums bigint;    -- VACUUMs of the table when the moving began

-- Merges neighbouring chunks of a set that fit into one, among the next `chunks` ones in the order of the key. Rests
-- between the end of the table and the next publication.
create function oai.merge_chunks(inout w oai.walk, last_seq bigint, chunks integer) language plpgsql as $$
declare
    chunk  oai.set_chunk;
    merged oai.set_chunk;
    gone   bigint[] := '{}';
    looked integer := 0;
begin
    if w.packed_set = 0 then
        if w.packed_from = last_seq then
            return;
        end if;
        w.packed_from := last_seq;
    end if;
    for chunk in
        select * from (select k.* from oai.set_chunk k where (k.set_id, k.first_seq) >= (w.packed_set, w.packed_seq)
                       order by k.set_id, k.first_seq limit chunks) k
        union all select null, null, '{}'   -- writes the last one
    loop
        if chunk.set_id = merged.set_id and cardinality(merged.seqs) + cardinality(chunk.seqs) <= 128 then
            merged.seqs := merged.seqs || chunk.seqs;
            gone := gone || chunk.first_seq;
        else
            if cardinality(gone) > 0 then
                delete from oai.set_chunk k where k.set_id = merged.set_id and k.first_seq = any (gone);
                update oai.set_chunk k set seqs = merged.seqs where k.set_id = merged.set_id and k.first_seq = merged.first_seq;
                gone := '{}';
            end if;
            exit when chunk.set_id is null;
            merged := chunk;
        end if;
        looked := looked + 1;
    end loop;
    -- The last chunk may fit together with the next one.
    w.packed_set := case when looked = chunks then merged.set_id else 0 end;
    w.packed_seq := case when looked = chunks then merged.first_seq else 0 end;
end $$;

-- Moves the chunks of the last `pages` pages to where there is room, if the table is larger than it should be.
create function oai.move_chunks(inout w oai.walk, pages integer) language plpgsql as $$
declare
    page_bytes constant integer := current_setting('block_size')::integer;
    vacuums    constant bigint  := pg_stat_get_vacuum_count('oai.set_chunk'::regclass)
                                   + pg_stat_get_autovacuum_count('oai.set_chunk'::regclass);
    low        bigint;
    moved      bigint;
    in_front   bigint;
begin
    if w.packed_block is null then
        if vacuums is not distinct from w.packed_vacuums then
            return;
        end if;
        w.packed_vacuums := vacuums;
        w.packed_block := pg_relation_size('oai.set_chunk') / page_bytes;
        -- What full chunks would take in full pages: 4 bytes for each number, 72 for each row.
        select 1.1 * sum(4 * s.item_count + 72 * ((s.item_count + 127) / 128)) / page_bytes + 8 into w.packed_floor from oai.set s;
        if w.packed_block < 1.1 * w.packed_floor then
            w.packed_block := null;
            return;
        end if;
    end if;
    low := greatest(w.packed_block - pages, w.packed_floor);
    with gone as (
        delete from oai.set_chunk k
        where k.ctid >= format('(%s,0)', low)::tid and k.ctid < format('(%s,0)', w.packed_block)::tid returning k.*),
    come as (insert into oai.set_chunk select * from gone returning (ctid::text::point)[0] as page)
    select count(*), count(*) filter (where page < low) into moved, in_front from come;
    -- If most of them went to the end again, there is no room before the next VACUUM.
    w.packed_block := case when low > w.packed_floor and 2 * in_front >= moved then low end;
end $$;

-- As in 009-lanes.sql, and packs chunks: many if there is little to publish.
create or replace function oai.publish_slice(inout w oai.walk, before oai.horizon, t timestamptz, records integer, keep_deleted boolean,
                                             avoid boolean, out published integer, out kept boolean, out more boolean)
language plpgsql as $$
declare
    round record;
begin
    select * into round from oai.take_changed(w, records);
    w := round.w;
    published := round.taken;
    more := round.more;
    kept := before.h is null and w.filling is not null;
    if published > 0 and avoid then
        w.blocked_set := oai.put_back_blocked();
        select count(*) into published from pg_temp.taken;
    end if;
    if published > 0 then
        kept := oai.number_slice(before, t, keep_deleted);
        perform oai.note_datestamps(before);
    end if;
    if before.h is not null then
        w := oai.merge_chunks(w, before.last_seq, case when published < records / 4 then 2000 else 500 end);
        w := oai.move_chunks(w, case when published < records / 4 then 64 else 8 end);
    end if;
end $$;

revoke execute on function oai.merge_chunks, oai.move_chunks from public;
grant execute on function oai.merge_chunks, oai.move_chunks to oai_publisher;
