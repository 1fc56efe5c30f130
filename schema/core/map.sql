-- SPDX-License-Identifier: MIT
-- What `oai map` makes identifiers and setSpecs of.

-- A value as a part of an identifier, which is a URI (OAI-PMH 2.0, section 2.4): %HH for each byte but what
-- RFC 2396 allows in one (uric in the guidelines for oai-identifiers). A colon at the beginning is encoded,
-- since it would mean an identifier from elsewhere; so is / if the value is one of several, which /
-- separates. These functions are not strict and have no subquery, so that they are inlined.
create or replace function oai.encode_bytes(value text, kept text, mark text) returns text
language sql immutable strict parallel safe set search_path = pg_catalog as $$
    select coalesce(string_agg(case when c ~ kept then c
                    else upper(regexp_replace(encode(convert_to(c, 'UTF8'), 'hex'), '(..)', mark
                                              || '\1', 'g'))
               end, '' order by n), '')
    from regexp_split_to_table(value, '') with ordinality s(c, n)
$$;

create or replace function oai.percent_encode(value text, is_whole boolean) returns text
language sql immutable parallel safe as $$
    select case when value ~ '^[A-Za-z0-9_.!~*''();?@&=+$,-][A-Za-z0-9_.!~*''();?:@&=+$,-]*$' then value
        when is_whole and value ~ '^[A-Za-z0-9_.!~*''();/?@&=+$,-][A-Za-z0-9_.!~*''();/?:@&=+$,-]*$'
        then value
        else regexp_replace(oai.encode_bytes(value, case when is_whole then '[A-Za-z0-9_.!~*''();/?:@&=+$,-]'
                 else '[A-Za-z0-9_.!~*''();?:@&=+$,-]' end, '%'), '^:', '%3A') end
$$;

-- A whole setSpec, which may have colons.
create or replace function oai.set_spec(value text) returns text language sql immutable parallel safe as $$
    select case when value ~ '^[A-Za-z0-9_.!~*''()-]+(:[A-Za-z0-9_.!~*''()-]+)*$' then value
        else trim(both ':' from regexp_replace(oai.encode_bytes(value, '[A-Za-z0-9_.!~*''():-]', '~'),
                                               ':+', ':', 'g')) end
$$;

-- As ISO 8601 has it: the year before 1 is 0, that of 44 BC -43. What is infinite is no date.
create or replace function oai.iso_time(value timestamp, pattern text) returns text
language sql immutable parallel safe as $$
    select case when value >= '0001-01-01' and isfinite(value) then to_char(value, 'YYYY-MM-DD' || pattern)
        when isfinite(value)
        then ltrim(to_char(extract(year from value) + 1, 'FMS0000'), '+')
             || to_char(value, '-MM-DD' || pattern) end
$$;

-- A value as a label of a setSpec: ~HH for each byte that no setSpec has, and for ~.
create or replace function oai.set_label(value text) returns text language sql immutable parallel safe as $$
    select case when value ~ '^[A-Za-z0-9_.!*''()-]*$' then value
        else oai.encode_bytes(value, '[A-Za-z0-9_.!*''()-]', '~') end
$$;
