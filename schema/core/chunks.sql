-- SPDX-License-Identifier: MIT
-- Keeps oai.set_chunk small. Chunks get sparse when items change, and the table grows, since a slice that
-- changes most of its rows needs room for new versions beside old ones. In each round the publisher merges
-- some sparse chunks. After each VACUUM, which finds out where there is room, it moves chunks from the end of
-- the table to its front, a few pages in a round: the next VACUUM cuts it off.

-- Among the next `chunks` ones in the order of the key. Rests at its end until something is published.
create or replace function oai.merge_chunks(inout packed_set integer, inout packed_seq bigint,
    inout packed_from bigint, last_seq bigint, chunks integer)
language plpgsql set search_path = oai, pg_temp as $$
declare
    chunk  set_chunk;
    merged set_chunk;
    gone   bigint[] := '{}';
    looked integer := 0;
begin
    if packed_set = 0 then
        if packed_from = last_seq then return; end if;
        packed_from := last_seq;
    end if;
    for chunk in select * from (select k.* from set_chunk k
                       where (k.set_id, k.first_seq) >= (packed_set, packed_seq)
                       order by k.set_id, k.first_seq limit chunks) k
        union all select null, null, '{}'   -- writes the last one
    loop
        if chunk.set_id = merged.set_id and cardinality(merged.seqs) + cardinality(chunk.seqs) <= 128
           and oai.base_of(merged.first_seq) = oai.base_of(chunk.first_seq) then
            merged.seqs := merged.seqs || chunk.seqs;
            gone := gone || chunk.first_seq;
        else
            if cardinality(gone) > 0 then
                delete from set_chunk k where k.set_id = merged.set_id and k.first_seq = any (gone);
                update set_chunk k set seqs = merged.seqs
                where k.set_id = merged.set_id and k.first_seq = merged.first_seq;
                gone := '{}';
            end if;
            exit when chunk.set_id is null;
            merged := chunk;
        end if;
        looked := looked + 1;
    end loop;
    -- The last chunk may fit together with the next one.
    packed_set := case when looked = chunks then merged.set_id else 0 end;
    packed_seq := case when looked = chunks then merged.first_seq else 0 end;
end $$;

create or replace function oai.move_chunks(inout w oai.walk, pages integer) language plpgsql as $$
declare
    page_bytes constant integer := current_setting('block_size')::integer;
    vacuums    constant bigint  := pg_stat_get_vacuum_count('oai.set_chunk'::regclass)
                                   + pg_stat_get_autovacuum_count('oai.set_chunk'::regclass);
    low        bigint;
    moved      bigint;
    in_front   bigint;
begin
    if w.packed_block is null then
        if vacuums is not distinct from w.packed_vacuums then return; end if;
        w.packed_vacuums := vacuums;
        w.packed_block := pg_relation_size('oai.set_chunk') / page_bytes;
        -- What full chunks would take in full pages: 4 bytes for each number, 72 for each row.
        select 1.1 * sum(4 * n.items + 72 * ((n.items + 127) / 128)) / page_bytes + 8 into w.packed_floor
        from (select s.item_count as items from oai.set s union all select r.item_count from oai.rule r) n;
        if w.packed_block < 1.1 * w.packed_floor then
            w.packed_block := null;
            return;
        end if;
    end if;
    low := greatest(w.packed_block - pages, w.packed_floor);
    with gone as (delete from oai.set_chunk k where k.ctid >= format('(%s,0)', low)::tid
            and k.ctid < format('(%s,0)', w.packed_block)::tid returning k.*),
    come as (insert into oai.set_chunk select * from gone returning (ctid::text::point)[0] as page)
    select count(*), count(*) filter (where page < low) into moved, in_front from come;
    -- If most of them went to the end again, there is no room before the next VACUUM.
    w.packed_block := case when low > w.packed_floor and 2 * in_front >= moved then low end;
end $$;
