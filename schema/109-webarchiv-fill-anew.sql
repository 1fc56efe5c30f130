-- SPDX-License-Identifier: MIT
-- A first fill after a failover. A replica that has become the primary has the tables of a fill that was begun before, but empty,
-- as unlogged tables are, and the sequence of one of them may be damaged (PostgreSQL 15: "bad magic number in sequence"). So they
-- are made anew. And it is another database to the repository (oai.place()) until the publisher has noticed, within seconds.

-- As in 107-webarchiv-fill.sql, but tables of which nothing is of use are dropped, not truncated; and if everything is empty, the
-- publisher is given a few seconds to notice a failover.
create or replace function webarchiv.begin_fill(out is_empty boolean, out files bigint, out captures bigint, out lost boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    for attempt in 1 .. 50 loop
        is_empty := webarchiv.is_unfilled();
        exit when is_empty or exists (select from webarchiv.doc)
                  or (select o.last_seq > 0 or coalesce(o.place = oai.place(), true) from oai.horizon o);
        perform pg_sleep(0.2);
    end loop;
    lost := false;
    if to_regclass('webarchiv.fill_file') is not null then
        if is_empty then
            lost := not exists (select from webarchiv.fill_file);
        end if;
        if lost or not is_empty then
            drop table webarchiv.fill_capture, webarchiv.fill_file;
        end if;
    end if;
    if not is_empty then
        return;
    end if;
    if to_regclass('webarchiv.fill_file') is null then
        create unlogged table webarchiv.fill_file (path text primary key, bytes bigint not null, captures bigint not null);
        create unlogged table webarchiv.fill_capture (
            n bigint generated always as identity, url text not null, surt text collate "C" not null, archived_time timestamptz not null,
            status smallint, digest text, length bigint, doc_offset bigint, id_arc integer, id_domain integer, id_mimetype integer);
        grant select, insert, update on webarchiv.fill_file, webarchiv.fill_capture to oai_loader;
    end if;
    select count(*), coalesce(sum(f.captures), 0) into files, captures from webarchiv.fill_file f;
end $$;
