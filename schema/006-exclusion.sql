-- SPDX-License-Identifier: MIT
-- Records that are left out of a format because its stylesheet fails on them. `oai check --records --exclude` finds
-- and writes them, so that ListIdentifiers does not promise what ListRecords cannot deliver. An exclusion applies to
-- one version of a record: when the record changes it gets another number, and is tried again like any other.
create table oai.excluded (
    prefix text not null,
    seq    bigint not null,
    id     bigint not null,
    why    text not null,
    since  timestamptz not null default now(),
    primary key (prefix, seq)
);

-- Servers cache the exclusions and read them again only when this number has changed, so that they cost a page
-- nothing.
create table oai.exclusions (
    single  boolean primary key default true check (single),
    version bigint not null default 0
) with (fillfactor = 10);
insert into oai.exclusions default values;

create function oai.exclusions_changed() returns trigger language plpgsql as $$
begin
    update oai.exclusions set version = version + 1;
    return null;
end $$;
create trigger exclusions_changed after insert or update or delete or truncate on oai.excluded
for each statement execute function oai.exclusions_changed();

-- Ends the exclusions of the format whose numbers are not among `seqs`, and returns how many ended. If the record has
-- not changed since it was excluded, it works now because the stylesheet was corrected. It is then published again,
-- since harvesters would otherwise never ask for it.
create function oai.include_others(format_prefix text, seqs bigint[]) returns bigint language plpgsql as $$
declare
    ended bigint;
begin
    with gone as (
        delete from oai.excluded e where e.prefix = format_prefix and not e.seq = any (seqs) returning e.id, e.seq),
    again as (
        insert into oai.queue (id) select i.id from gone g join oai.item i on i.id = g.id and i.seq = g.seq
        where not i.deleted)
    select count(*) into ended from gone;
    return ended;
end $$;

revoke execute on function oai.exclusions_changed, oai.include_others from public;
grant select on oai.excluded, oai.exclusions to oai_reader, oai_publisher;
grant insert, update, delete on oai.excluded to oai_publisher;
grant update on oai.exclusions to oai_publisher;
grant execute on function oai.exclusions_changed, oai.include_others to oai_publisher;
