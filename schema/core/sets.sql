-- SPDX-License-Identifier: MIT
-- A set that ever held an item keeps its place and its setSpec, which are in headers that harvesters have.
-- Its name and its description are in ListSets alone, and can be mended.

create or replace function oai.place_set() returns trigger language plpgsql as $$
declare above oai.set;
begin
    if tg_op = 'UPDATE' and (new.id, new.parent, new.spec, new.path)
           is not distinct from (old.id, old.parent, old.spec, old.path) then
        return new;
    end if;
    if tg_op = 'UPDATE' and (old.held or old.item_count > 0 or new.id <> old.id
                             or exists (select from oai.set s where s.parent = old.id)) then
        raise exception 'set % holds or held items or sets: its id, setSpec and parent are in records '
            'already given out', old.spec using hint = 'Make a new set and move the items to it.';
    end if;
    new.path := array[new.id];
    if new.parent is not null then
        select * into above from oai.set where id = new.parent;
        new.path := above.path || new.id;
    end if;
    if coalesce(above.spec, '') <> regexp_replace(new.spec, ':?[^:]*$', '') then
        raise exception 'setSpec % does not lie below its parent %', new.spec, coalesce(above.spec, '(none)');
    end if;
    return new;
end $$;
create or replace trigger place_set before insert or update of id, parent, spec, path on oai.set
    for each row execute function oai.place_set();

create or replace function oai.refuse_counting() returns trigger language plpgsql as $$
begin
    raise exception 'set %: the publisher alone counts its items', new.spec
        using hint = 'Leave out the columns item_count and held.';
end $$;
create or replace trigger refuse_counted before insert on oai.set for each row
    when ((new.item_count <> 0 or new.held) and current_setting('oai.publisher', true) is distinct from 'on')
    execute function oai.refuse_counting();
create or replace trigger refuse_counting before update on oai.set for each row
    when ((new.item_count <> old.item_count or new.held <> old.held)
          and current_setting('oai.publisher', true) is distinct from 'on')
    execute function oai.refuse_counting();

create or replace function oai.refuse_removing_set() returns trigger language plpgsql as $$
begin
    raise exception 'sets that hold or held items are not removed, since their setSpecs are in records '
        'already given out' using hint = 'An empty set does no harm.';
end $$;
create or replace trigger refuse_removing before delete on oai.set
    for each row when ((old.held or old.item_count > 0)
                       and current_setting('oai.publisher', true) is distinct from 'on')
    execute function oai.refuse_removing_set();
create or replace trigger refuse_truncate before truncate on oai.set
    for each statement execute function oai.refuse_removing_set();

-- A set by its setSpec, and those above it; makes what is missing.
create or replace function oai.make_set(wanted text) returns integer language plpgsql strict as $$
declare found_id integer;
begin
    select s.id into found_id from oai.set s where s.spec = wanted;
    if not found then
        insert into oai.set (parent, spec, name)
        values (oai.make_set(nullif(regexp_replace(wanted, ':?[^:]*$', ''), '')), wanted,
                regexp_replace(wanted, '^.*:', '')) on conflict (spec) do nothing;
        select s.id into found_id from oai.set s where s.spec = wanted;
    end if;
    return found_id;
end $$;
