-- SPDX-License-Identifier: MIT
-- What servers of a view ask (core/views.sql): schema oai_view has those relations and functions of schema
-- oai that tell of items, as the view that the session has set (oai.view) has them. All else is that of oai.
create schema if not exists oai_view;

create or replace view oai_view.this as
    select v.* from oai.view v where v.name = current_setting('oai.view', true);
create or replace view oai_view.horizon as
    select case when v.is_filled then o.h end as h, v.last_seq, v.item_count, v.epoch
    from (select n.h from oai.horizon n order by n.h desc nulls last limit 1) o
         left join oai_view.this v on true;
create or replace view oai_view.earliest as select v.earliest as datestamp from oai_view.this v;
create or replace view oai_view.calendar as
    select c.datestamp, c.before from oai.view_calendar c where c.view = (select v.id from oai_view.this v);
create or replace view oai_view.fork as select f.datestamp, 0::bigint as seq from oai.fork f;
create or replace view oai_view.set as
    select w.id, w.parent, s.spec, s.name, s.description, w.item_count, w.path
    from oai.view_set w join oai.set s on s.id = w.set_id where w.view = (select v.id from oai_view.this v);
-- What formats require is asked of each record. What is wrong with rules would name items.
create or replace view oai_view.rule as select r.* from oai.rule r where false;
create or replace view oai_view.rule_problem as select p.* from oai.rule_problem p where false;
create or replace view oai_view.words_state as select v.epoch, v.last_seq as seq from oai_view.this v;
create or replace function oai_view.find_item(local_id text) returns bigint language sql stable as $$
    select s.seq from oai.shown s
    where s.id = oai.find_item(local_id) and s.view = (select v.id from oai_view.this v)
$$;

do $$
declare
    replaced constant text[] := '{oai.seq_before,oai.page_before,oai.list_position,oai.search_words,'
        'oai.search,oai.captures,oai.capture_position,oai.capture_calendar,oai.captured_urls}';
    part     record;
    names    text;
begin
    -- Numbers of items would tell how many there are, so they are those of the view. Of what had left the
    -- view before it was withdrawn, no reason is told.
    for part in
        select c.relname, string_agg(case
                   when a.attname = 'id' and c.relname in ('item', 'record') then 's.seq as id'
                   when a.attname in ('seq', 'datestamp', 'deleted', 'set_ids') then 's.' || a.attname
                   when a.attname = 'withdrawn'
                   then 'case when s.datestamp = r.datestamp then r.withdrawn end as withdrawn'
                   when a.attname = 'shown' then 'r.shown and not s.deleted as shown'
                   else 'r.' || quote_ident(a.attname) end, ', ' order by a.attnum) as columns
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.oid::regclass::text = any ('{oai.item,oai.record,oai.item_words,oai.capture}')
        group by c.relname
    loop
        perform oai.define(format('create or replace view oai_view.%1$s as select %2$s
            from oai.shown s join oai.%1$s r on r.id = s.id
            where s.view = (select v.id from oai_view.this v)%3$s',
            part.relname, part.columns, case when part.relname = 'item_words' then ' and not s.deleted' end));
    end loop;
    select string_agg(n, '|') into names
    from (select c.relname::text from pg_class c where c.relnamespace = 'oai_view'::regnamespace
          union select substr(r, 5) from unnest(replaced) r) x(n);
    perform set_config('check_function_bodies', 'off', true);   -- they call each other
    for part in select pg_get_functiondef(p.oid) as text from pg_proc p
                where p.oid = any (select to_regproc(r) from unnest(replaced) r) loop
        execute regexp_replace(part.text, '\moai\.(' || names || ')\M', 'oai_view.\1', 'g');
    end loop;
end $$;

revoke execute on all functions in schema oai_view from public;
grant usage on schema oai_view to oai_reader;
grant select on all tables in schema oai_view to oai_reader;
grant execute on all functions in schema oai_view to oai_reader;
