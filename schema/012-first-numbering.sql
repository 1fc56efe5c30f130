-- SPDX-License-Identifier: MIT
-- As in 002-publisher.sql, but a datestamp before the year 1, such as '-infinity', counts as none: OAI-PMH cannot say it,
-- and a list that met it failed. Such an item gets the datestamp of its first publication, as one without.
create or replace function oai.begin_filling() returns void language plpgsql as $$
declare
    year_1 constant timestamptz := timestamptz '0001-01-01 00:00:00Z' - interval '1 microsecond';   -- oai.publish() has it, too
begin
    create temporary table filling on commit drop as
        select q.id from (select id, min(n) as n from oai.queue group by id) q join oai.item i on i.id = q.id
        order by case when i.datestamp > year_1 then i.datestamp end nulls last, q.n;
    delete from oai.queue;
    insert into oai.queue (id) select id from filling;
    update oai.horizon set filling = year_1;
end $$;
