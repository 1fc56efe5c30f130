-- SPDX-License-Identifier: MIT
-- What servers of a view read (core/views.sql): schema oai_view has what they ask of schema oai, under the
-- same names, and is all of their search_path: what it lacks, a view has not. The functions are those of
-- schema oai that name no schema.
create schema if not exists oai_view;

create or replace view oai_view.item as
    select id, seq, local_id, datestamp, deleted, set_ids from oai.view_item where view = oai.view_id();
create or replace view oai_view.set as
    select w.id, w.parent, w.spec, (select s.name from oai.set s where s.id = w.set_id) as name,
           (select s.description from oai.set s where s.id = w.set_id) as description, w.item_count, w.path,
           w.held
    from oai.view_set w where w.view = oai.view_id();
create or replace view oai_view.set_chunk as
    select set_id, first_seq, seqs from oai.view_chunk where view = oai.view_id();
create or replace view oai_view.calendar as
    select datestamp, before from oai.view_calendar where view = oai.view_id();
create or replace view oai_view.set_move as
    select id, set_id, entered from oai.view_move where view = oai.view_id();
create or replace view oai_view.horizon as
    select case when v.is_filled and v.condition is not null then o.h end as h,
           coalesce(v.last_seq, 0) as last_seq, v.item_count, coalesce(v.epoch, 0) as epoch
    from (select n.h from oai.horizon n order by n.h desc nulls last limit 1) o
         left join oai.view v on v.id = oai.view_id();
-- What formats require is not known here: the server looks at each record.
create or replace view oai_view.rule as select * from oai.rule where false;
create or replace view oai_view.rule_problem as select name, problem from oai.rule_problem
    union all select name, name || '.set: ' || problem from oai.view where problem is not null;
create or replace view oai_view.found_item as
    select f.* from oai.found_item f join oai_view.item i on i.id = f.id and not i.deleted;
-- Records have numbers of sets that no model has named.
create or replace view oai_view.dictionary as
    select id, kind, name from oai.dictionary
    union all select s.id, '', '' from oai.set s
              where not exists (select from oai.dictionary d where d.id = s.id);

-- Of an item that has left the view nothing is shown; of one that was deleted, what was published with that.
-- To be called again when oai.record has got columns.
create or replace function oai.define_view_record() returns void language plpgsql as $$
declare columns constant text[] := oai.columns_of('oai.record');
begin
    if columns is not distinct from oai.columns_of(to_regclass('oai_view.record')) then return; end if;
    execute format('create or replace view oai_view.record as select i.id, i.seq, i.local_id, i.datestamp, '
                   'i.deleted or r.id is null as deleted, i.set_ids, r.%s from oai_view.item i '
                   'left join oai.record r on r.id = i.id and r.deleted = i.deleted '
                   'and (not i.deleted or r.datestamp = i.datestamp)', array_to_string(columns[7:], ', r.'));
end $$;

do $$
declare f record;
begin
    perform oai.define_view_record();
    -- A web archive has words of one capture of each address: of the newest that the view shows.
    perform oai.define(format('create or replace view oai_view.item_words as '
        'select w.id, i.seq, i.set_ids, w.year, w.language, w.words '
        'from %s w join oai_view.item i on i.id = w.id and not i.deleted',
        case when to_regclass('webarchiv.page_words') is null then 'oai.item_words'
             else '(select * from webarchiv.page_words p where p.view = oai.view_id())' end));
    if to_regclass('oai.capture') is not null then
        perform oai.define(format(
            'create or replace view oai_view.capture as select c.%s and not i.deleted as shown '
            'from oai.capture c join oai_view.item i on i.id = c.id',
            array_to_string(oai.columns_of('oai.capture'), ', c.')));   -- shown is the last
    end if;
    -- The functions that name no schema, with another search_path.
    for f in
        select replace(replace(pg_get_functiondef(p.oid), 'FUNCTION oai.', 'FUNCTION oai_view.'),
                       'search_path TO ''oai''', 'search_path TO ''oai_view''') as text
        from pg_proc p
        where p.pronamespace = 'oai'::regnamespace and 'search_path=oai, pg_temp' = any (p.proconfig)
    loop
        execute f.text;
    end loop;
end $$;

-- Numbers of a view are lost with those of all items.
create or replace view oai_view.fork as
    select f.datestamp, oai_view.seq_before(f.datestamp, h.last_seq) as seq
    from oai.fork f, oai_view.horizon h;
-- What an index of all items lacks are the items of the view that were published since.
create or replace view oai_view.words_state as
    select 0 as view, h.epoch,
           coalesce((select v.seq from oai.words_state v where v.view = oai.view_id()), h.last_seq - (
               select count(*) from (select from oai.item i join oai_view.item w on w.id = i.id
                                     where i.seq > case when s.epoch = o.epoch then s.seq else 0 end
                                     limit 1000) x)) as seq
    from oai.words_state s, oai.horizon o, oai_view.horizon h where s.view = 0;

select oai.define(format('comment on view oai_view.%s is ''As oai.%1$s, of the view of the setting '
                         'oai.view.''', c.relname))
from pg_class c where c.relnamespace = 'oai_view'::regnamespace;
