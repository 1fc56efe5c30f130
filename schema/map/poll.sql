-- SPDX-License-Identifier: MIT
-- How changes are found where PostgreSQL does not tell of them.

--- poll
-- Bounded by `rows` each: reads on in the source, from the key where it was; looks there for as
-- many rows of the copy. Keys are compared where they are, so that servers may sort them otherwise.
create or replace function oai.map_poll(page_rows integer, believe boolean, out compared bigint, out written
    bigint, out gone bigint,
                                        out ended boolean)
language plpgsql security definer set search_path = pg_catalog as $body$
declare
    state oai.mapping;
    last  text[];
    @key_variables@
begin
    select * into state from oai.mapping for update;
    create temporary table map_page (like oai.copy, map_n bigint) on commit drop;
    if state.polled_after is null then
        insert into pg_temp.map_page
        select p.*, row_number() over () from (select s.* from oai.source s order by @s_keys@
            limit page_rows) p;
    else
        insert into pg_temp.map_page
        select p.*, row_number() over ()
        from (select s.* from oai.source s where (@s_keys@) > (@after@) order by @s_keys@ limit page_rows) p;
    end if;
    select array[@p_keys_text@] into last from pg_temp.map_page p order by p.map_n desc limit 1;
    select count(*) into compared from pg_temp.map_page;
    ended := compared < page_rows;
    update oai.mapping set polled_after = case when not ended then last end;
    with differing as (
        select @p_columns@ from pg_temp.map_page p left join oai.copy c on @c_is_p@
        where c.key_1 is null or row(@c_columns@)::record *<> row(@p_columns@)::record),
    put as (insert into oai.copy (@columns@) select * from differing on conflict (@keys@) do update
        set @assignments@ returning @keys@)
    select @collected@, count(*) into @variables@, written from put k;
    if written > 0 then
        perform oai.map_refresh(@variables@);
    end if;

    delete from pg_temp.map_page;
    if state.compared_after is null then
        insert into pg_temp.map_page select c.*, row_number() over () from oai.copy c order by @c_keys@
            limit page_rows;
    else
        insert into pg_temp.map_page
        select c.*, row_number() over () from oai.copy c where (@c_keys@) > (@compared_after@)
            order by @c_keys@ limit page_rows;
    end if;
    last := null;
    select array[@p_keys_text@] into last from pg_temp.map_page p order by @p_keys@ desc limit 1;
    update oai.mapping set compared_after = case when (select count(*) from pg_temp.map_page) >= page_rows
        then last end;
    select @collected@ into @variables@ from pg_temp.map_page k;
    with there as materialized (select @s_keys@ from oai.source s where @s_any@),
    removed as (
        delete from oai.copy c using pg_temp.map_page p
        where @c_is_p@ and not exists (select from there s where @s_is_c@) returning @returned_c_keys@)
    select @collected@, count(*) into @variables@, gone from removed k;
    if gone > 10 and not believe and gone * 2 > (select count(*) from pg_temp.map_page) then
        raise exception '% of % rows are gone from the source', gone, (select count(*) from pg_temp.map_page)
            using hint = 'If that is right: oai map --poll --believe';
    end if;
    if gone > 0 then
        perform oai.map_refresh(@variables@);
    end if;
end $body$;
revoke execute on function oai.map_poll from public;
grant execute on function oai.map_poll to oai_publisher;
