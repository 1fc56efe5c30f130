-- SPDX-License-Identifier: MIT
-- What servers of a view read (core/views.sql): schema oai_view has what they ask of schema oai, under the
-- same names. The functions are those of schema oai, made over the views of this one.
create schema if not exists oai_view;

create or replace view oai_view.item as
    select id, seq, local_id, datestamp, deleted, set_ids from oai.view_item where view = oai.view_id();
create or replace view oai_view.set as
    select w.id, w.parent, w.spec, (select s.name from oai.set s where s.id = w.set_id) as name,
           (select s.description from oai.set s where s.id = w.set_id) as description, w.item_count, w.path,
           w.held, w.set_id as main_id
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
create or replace view oai_view.rule_problem as
    select name, problem from oai.rule_problem
    union all select name, name || '.set: ' || problem from oai.view where problem is not null;
create or replace view oai_view.found_item as
    select f.* from oai.found_item f join oai_view.item i on i.id = f.id and not i.deleted;
create or replace view oai_view.item_words as
    select w.id, i.seq, i.set_ids, w.year, w.language, w.words
    from oai.item_words w join oai_view.item i on i.id = w.id and not i.deleted;
create or replace view oai_view.facet_root as select * from oai.facet_root;
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
declare
    f record;
    -- what is no matter of a view
    common constant text := '\moai\.(?!(base_of|plain_text|whole_word|word_query|words|view_id)\M)';
begin
    perform oai.define_view_record();
    if to_regclass('oai.capture') is not null then
        perform oai.define(format(
            'create or replace view oai_view.capture as select c.%s and not i.deleted as shown '
            'from oai.capture c join oai_view.item i on i.id = c.id',
            array_to_string(oai.columns_of('oai.capture'), ', c.')));   -- shown is the last
    end if;
    for f in
        select replace(regexp_replace(pg_get_functiondef(p.oid), common, 'oai_view.', 'g'),
                       '~s'' || s.id', '~s'' || s.main_id') as text
        from pg_proc p where p.pronamespace = 'oai'::regnamespace and p.proname = any (
            '{seq_before,set_page,numbers_after,count_set,set_runs,position,move_postings,move_numbers,search,
              captures,capture_position,capture_calendar,captured_urls}')
          -- the index of words of a web archive has one capture of each address, which may be hidden
          and not (p.proname = 'search' and to_regclass('oai.capture') is not null)
    loop
        execute f.text;
    end loop;
    for f in select replace(pg_get_functiondef(p.oid), 'FUNCTION oai.', 'FUNCTION oai_view.') as text
             from pg_proc p
             where p.pronamespace = 'oai'::regnamespace and p.proname in ('queue_state', 'find_item') loop
        execute f.text;
    end loop;
end $$;

-- Numbers of a view are lost with those of all items.
create or replace view oai_view.fork as
    select f.datestamp, oai_view.seq_before(f.datestamp, h.last_seq) as seq
    from oai.fork f, oai_view.horizon h;
-- What the index lacks are the items of the view that were published since.
create or replace view oai_view.words_state as
    select h.epoch, h.last_seq - (
        select count(*) from (select from oai.item i join oai_view.item w on w.id = i.id
                              where i.seq > case when s.epoch = o.epoch then s.seq else 0 end
                              limit 1000) x) as seq
    from oai.words_state s, oai.horizon o, oai_view.horizon h;

do $$   -- their comments
declare name text;
begin
    for name in select c.relname from pg_class c where c.relnamespace = 'oai_view'::regnamespace loop
        perform oai.define(format('comment on view oai_view.%s is ''As oai.%1$s, of the view of the setting '
                                  'oai.view.''', name));
    end loop;
end $$;
