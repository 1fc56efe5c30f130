-- SPDX-License-Identifier: MIT

create or replace function oai.exclusions_changed() returns trigger language plpgsql as $$
begin
    update oai.exclusions set version = version + 1;
    return null;
end $$;

-- Ends the exclusions of the format whose numbers are not among `seqs`, and returns how many ended. If the
-- record has not changed since it was excluded, it works now because the stylesheet was corrected. It is then
-- published again, since harvesters would otherwise never ask for it.
create or replace function oai.include_others(format_prefix text, seqs bigint[]) returns bigint
language plpgsql as $$
declare
    ended bigint;
begin
    with gone as (
        delete from oai.excluded e where e.prefix = format_prefix and not e.seq = any (seqs)
        returning e.id, e.seq),
    again as (
        insert into oai.queue (id) select i.id from gone g join oai.item i on i.id = g.id and i.seq = g.seq
        where not i.deleted)
    select count(*) into ended from gone;
    return ended;
end $$;
create or replace trigger exclusions_changed after insert or update or delete or truncate on oai.excluded
for each statement execute function oai.exclusions_changed();
