-- SPDX-License-Identifier: MIT
-- Values of the columns of library.item: what their checks call stands before the tables.
create schema if not exists library;

-- Values of one element: at least one, none NULL or empty; as many languages (BCP 47, or NULL) if any.
create or replace function library.fits(entries text[], languages text[] default null) returns boolean
language sql stable parallel safe as $$   -- one expression, so that the checks below have it inlined
    select (entries is null or (cardinality(entries) > 0 and array_position(entries, null) is null
                                and array_position(entries, '') is null))
       and (languages is null or
            (cardinality(languages) = coalesce(cardinality(entries), 0)
             and array_to_string(languages, ',') ~ '^([A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*(,|$))*$'))
$$;
