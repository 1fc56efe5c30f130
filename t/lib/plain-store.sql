-- SPDX-License-Identifier: MIT
-- A store of sets with a row for each membership, the reference with which oai.set_chunk is compared. Installed over an
-- existing schema, it is filled by the same slices in the same transactions, and read by a function with the same parameters,
-- plain.set_page(). It shares no code with the chunks: sets are found by their setSpecs.
create schema plain;

create table plain.member (
    set_id integer,
    seq    bigint,
    primary key (set_id, seq)
);
create index on plain.member (seq);

alter function oai.move_numbers() rename to move_numbers_of_chunks;
create function oai.move_numbers() returns void language plpgsql as $$
begin
    perform oai.move_numbers_of_chunks();
    delete from plain.member m using pg_temp.slice s where m.seq = s.old_seq;
    insert into plain.member
    select distinct above.id, s.new_seq
    from pg_temp.slice s
    join oai.set leaf on leaf.id = any (s.new_sets)
    join oai.set above on starts_with(leaf.spec || ':', above.spec || ':')
    where s.new_seq is not null;
end $$;

create function plain.set_page(set_id integer, after bigint, upto bigint, n integer)
returns setof bigint language sql stable as $$
    select m.seq from plain.member m
    where m.set_id = set_page.set_id and m.seq > after and m.seq <= upto order by m.seq limit n
$$;
