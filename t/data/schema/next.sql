-- SPDX-License-Identifier: MIT
create or replace function oai.home_of(wanted text) returns text stable language sql as $$
    select home from oai.set where spec = wanted
$$;
revoke execute on function oai.home_of from public;
grant execute on function oai.home_of to oai_reader;
create or replace function oai.fill_home() returns trigger language plpgsql as $$
begin
    new.home := coalesce(new.home, 'http://example.org/' || new.spec);
    return new;
end $$;
create or replace trigger fill_home before insert on oai.set for each row execute function oai.fill_home();
