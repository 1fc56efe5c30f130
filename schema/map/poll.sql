-- SPDX-License-Identifier: MIT
-- How the copy follows the tables: rows that triggers name, and all of them, by and by. The texts of the
-- source stand in functions alone, so that nothing of ours depends on a table that is not.

--- take
-- What pg_temp.map_page has of the source goes into the copy. Rows with one key are left out.
create or replace function oai.map_take() returns bigint
language plpgsql security definer set search_path = pg_catalog set jit = off as $body$
declare
    ids     text[];
    written bigint;
begin
    delete from pg_temp.map_page p where exists (select from pg_temp.map_page o where @o_is_p@
        and o.map_n <> p.map_n);
    update oai.copy c set missing_since = null from pg_temp.map_page p
        where @c_is_p@ and c.missing_since is not null;
    with differing as (
        select @p_columns@
        from pg_temp.map_page p left join oai.copy c on @c_is_p@
        where c.local_id is null or row(@c_columns@)::record *<> row(@p_columns@)::record),
    put as (insert into oai.copy (@columns@) select @columns@ from differing on conflict (@keys@) do update
        set @assignments@ returning 1)
    select array_agg(d.local_id), count(*) into ids, written from differing d;
    perform oai.map_refresh(ids);
    return written;
end $body$;

--- depart
-- Items whose rows are gone become deleted records, unless they are most of all: those wait for an hour, or
-- for somebody who says that it is right.
create or replace function oai.map_depart(believe boolean) returns bigint
language plpgsql security definer set search_path = pg_catalog set jit = off as $body$
declare
    missing bigint;
    since   timestamptz;
    ids     text[];
begin
    select count(*), min(c.missing_since) into missing, since from oai.copy c
    where c.missing_since is not null;
    if missing = 0 or (missing > 10 and not believe and since > now() - interval '1 hour'
                       and missing * 2 > (select count(*) from oai.copy)) then
        return 0;
    end if;
    with removed as (delete from oai.copy c where c.missing_since is not null returning c.local_id)
    select array_agg(r.local_id) into ids from removed r;
    perform oai.map_refresh(ids);
    return missing;
end $body$;

--- poll
-- Bounded by `page_rows` each: reads on in the source, from the key where it was; looks there for as
-- many rows of the copy. Keys are compared where they are, so that servers may sort them otherwise.
create or replace function oai.map_poll(page_rows integer, believe boolean, out compared bigint, out written
    bigint, out gone bigint, out ended boolean)
language plpgsql security definer set search_path = pg_catalog set jit = off set datestyle = 'ISO'
set intervalstyle = 'iso_8601' set timezone = 'UTC' set extra_float_digits = 1
set client_min_messages = warning as $body$
declare
    state oai.mapping;
    last  text[];
    @key_variables@
begin
    select * into state from oai.mapping for update;
    drop table if exists pg_temp.map_page;
    create temporary table map_page (like oai.copy, map_n bigint) on commit drop;
    if state.polled_after is null then
        insert into pg_temp.map_page (@columns@, map_n)
        select p.*, row_number() over () from (select s.* from (@rows@) s order by @s_keys@
            limit page_rows) p;
    else
        insert into pg_temp.map_page (@columns@, map_n)
        select p.*, row_number() over ()
        from (select s.* from (@rows@) s where (@s_keys@) > (@after@) order by @s_keys@ limit page_rows) p;
    end if;
    select array[@p_keys_text@] into last from pg_temp.map_page p order by p.map_n desc limit 1;
    select count(*) into compared from pg_temp.map_page;
    ended := compared < page_rows;
    update oai.mapping set polled_after = case when not ended then last end;
    written := oai.map_take();

    delete from pg_temp.map_page;
    if state.compared_after is null then
        insert into pg_temp.map_page (@columns@, map_n)
        select @c_columns@, 0 from oai.copy c order by @c_keys@ limit page_rows;
    else
        insert into pg_temp.map_page (@columns@, map_n)
        select @c_columns@, 0 from oai.copy c where (@c_keys@) > (@compared_after@) order by @c_keys@
            limit page_rows;
    end if;
    last := null;
    select array[@p_keys_text@] into last from pg_temp.map_page p order by @p_keys@ desc limit 1;
    if (select count(*) from pg_temp.map_page) < page_rows then last := null; end if;
    update oai.mapping set compared_after = last, looks = looks and not (ended and last is null);
    select @collected@ into @variables@ from pg_temp.map_page k;
    with there as materialized (select @s_keys@ from (@rows@) s where @s_any@)
    update oai.copy c set missing_since = now() from pg_temp.map_page p
    where @c_is_p@ and c.missing_since is null and not exists (select from there s where @s_is_c@);
    gone := oai.map_depart(believe);
end $body$;

--- follow
-- What the publisher calls in each round. The rows of the log that have been committed lead to keys of items
-- as the tables are now; what the source has for these keys goes into the copy. Nothing is missed: whoever
-- breaks or makes a way from an item to a row leaves a row in the log, too, and all is read after the log.
-- Returns whether there is more to look at.
create or replace function oai.map_follow() returns boolean
language plpgsql security definer set search_path = pg_catalog set jit = off set datestyle = 'ISO'
set intervalstyle = 'iso_8601' set timezone = 'UTC' set extra_float_digits = 1 set lock_timeout = '300ms'
set client_min_messages = warning as $body$
declare
    most constant bigint := 100000;   -- rows of the log; of more, all is looked at
    looks boolean;
    -- a restore, or who drops a table and makes it anew, leaves others
    there constant oid[] := array(select to_regclass(t)::oid from unnest(@tables@) t);
    @key_variables@
begin
    if there = (select m.tables from oai.mapping m) and not exists (select from oai.map_log)
       and not exists (select from oai.mapping m where m.looks or m.problem is not null)
       and not exists (select from oai.copy c where c.missing_since is not null) then
        return false;
    end if;
    select m.problem is not null or there is distinct from m.tables into looks from oai.mapping m for update;
    drop table if exists pg_temp.map_taken;
    create temporary table map_taken on commit drop as select * from oai.map_log with no data;
    with taken as (delete from oai.map_log returning source, keys)
    insert into pg_temp.map_taken select distinct t.source, t.keys from taken t limit most + 1;
    looks := looks or (select count(*) > most or bool_or(t.keys is null) from pg_temp.map_taken t);
    if not looks then
        begin
            select @collected@ into @variables@ from (@resolved@) k;
        exception when others then   -- a column has another type or name now
            looks := true;
        end;
    end if;
    if looks then
        update oai.mapping set looks = true, tables = there, problem = null, polled_after = null,
            compared_after = null;
    elsif keys_1 is not null then
        drop table if exists pg_temp.map_page;
        create temporary table map_page (like oai.copy, map_n bigint) on commit drop;
        insert into pg_temp.map_page (@columns@, map_n)
        select s.*, row_number() over () from (@rows@) s where @s_any@;
        update oai.copy c set missing_since = now()
        where @c_any@ and c.missing_since is null
              and not exists (select from pg_temp.map_page s where @s_is_c@);
        perform oai.map_take();
    end if;
    if exists (select from oai.mapping m where m.looks) then
        perform oai.map_poll(10000, false);
    else
        perform oai.map_depart(false);
    end if;
    return exists (select from oai.mapping m where m.looks);
end $body$;

-- Why the source cannot be read; the copy is served on.
create or replace function oai.map_note_problem(what text) returns void
language sql security definer set search_path = pg_catalog as $body$
    update oai.mapping set problem = what
$body$;
