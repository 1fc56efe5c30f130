-- SPDX-License-Identifier: MIT
-- Search, for the pages for people. A model offers it by functions, each of which it may lack; the server asks which are there. They run
-- with the rights of the reader, over views in schema oai. Each is of bounded cost, shows no record that is deleted or not published, and ends within 0.3 seconds or is ended.
--
-- By words:
--   oai.search       (words text, filters text[], after text, n integer, newest_only boolean)
--                    -> part, value, label, number, title, creator, date, address: rows that each say by `part` what they are.
--                    Of `words` oai.word_query() makes what to look for. A filter is FACET=VALUE.
--       found        one row: number: how many records match. value: all; or capped, if there are more; or newest, if only the
--                    newest were looked through, since so many match: number is then of these, and label says how many they were
--       record       value: the local_id; title, creator, date, and address, a URL; the best first, at most n
--       next         value: what to pass as `after` to get the records that follow; no such row: there are none
--       kind, language, year, collection
--                    a facet of the records that were found. value: with that name before it, a filter; label: a name for
--                    people; number: how many of those found have it
--       behind       number: so many publications are not in the index yet
--       nothing      there is nothing in `words` that could be looked for
--   oai.index_search (n integer) -> how many publications were brought into the index, at most n; 0: it has them all. Called
--                    by the publisher between its rounds, in a transaction of its own.
--
-- By URL, of a web archive. A urlkey is a SURT as lib/web/surt.h makes them. moment: microseconds since 1970. A function that goes through
-- `scan` captures at most gives a row for the last of these, too: `final`. It is not `shown` if the record is deleted, not published or
-- was not asked for.
--   oai.captures     (first_key, before_key, after_key text, after_moment, after_id bigint, since, until timestamptz, n, scan integer)
--                    -> urlkey, moment, id, local_id, captured_at, url, media_type, status, digest, length, file, file_offset,
--                    shown, final: captures with first_key <= urlkey < before_key, in the order of urlkey, moment and id, that follow the
--                    one named
--   oai.captures_of  (key text, before_moment, before_id bigint, since, until timestamptz, n, scan integer)
--                    -> the same columns: captures of one URL that were made before the one named, the newest first
--   oai.capture_calendar (key text, scan integer) -> month date, captures bigint, scanned bigint: of the newest captures of a URL,
--                    `scan` at most
--   oai.captured_urls (first_key, before_key, after_key text, n, scan integer) -> urlkey, url, latest timestamptz, captures,
--                    scanned integer: URLs in order, with how many of their newest `scan` captures are shown
--   oai.capture_hosts (beginning, after text, n integer) -> spec, name text, records bigint: sets of the hosts whose names, written
--                    as in urlkeys, begin so, in the order of their specs
--   oai.hosts_named  (label text, n integer) -> the same columns: hosts whose name before the top-level domain begins so

-- What texts are made of for the search: words as they are, but without accents and capitals, in whatever language. `unaccent` comes
-- with PostgreSQL (in Debian with its very package), and the owner of a database may create it.
do $$
declare
    at text;
begin
    begin
        create extension if not exists unaccent with schema oai;
    exception when undefined_file or insufficient_privilege or feature_not_supported then
        raise warning 'the search will tell accented letters from others: %', sqlerrm
            using hint = 'Install the modules that come with PostgreSQL (postgresql-contrib), and see deploy/manual/people.md.';
    end;
    create text search configuration oai.words (copy = pg_catalog.simple);
    select n.nspname into at from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'unaccent';
    if found then
        execute format('alter text search configuration oai.words alter mapping for hword, hword_part, word, asciihword, '
                       'hword_asciipart, asciiword, numhword, numword with %I.unaccent, pg_catalog.simple', at);
        execute (select format('revoke execute on function %s from public', string_agg(p.oid::regprocedure::text, ', '))
                 from pg_depend d join pg_proc p on p.oid = d.objid join pg_extension e on e.oid = d.refobjid
                 where e.extname = 'unaccent' and d.classid = 'pg_proc'::regclass and d.deptype = 'e' and at = 'oai');
    end if;
end $$;

-- A value that is found as a whole, such as an identifier.
create function oai.whole_word(value text) returns tsquery language sql immutable parallel safe set search_path = pg_catalog as $$
    select ('''' || replace(replace(lower(left(value, 300)), '\', '\\'), '''', '''''') || '''')::tsquery
$$;

-- What to look for, of what a person has typed: words that a record has all of; "a phrase"; or between words; -word for one that it
-- has not; and beginn* for words that begin so, by three characters at least. A single word is also looked for as a whole, as an identifier
-- is stored, and so are the digits of an ISBN or ISSN. Null if there is nothing that an index could find.
create function oai.word_query(words text) returns tsquery language plpgsql stable set search_path = pg_catalog
set client_min_messages = error as $$
declare
    one      constant text := trim(words);
    plain    text := '';
    given    text;
    sought    tsquery;
    numbers  constant text := translate(upper(one), '- ', '');
begin
    sought := ''::tsquery;
    foreach given in array regexp_split_to_array(one, '\s+') loop
        if given ~ '^[^"*-][^"*]{2,}\*$' then
            sought := sought && coalesce(to_tsquery('oai.words', '''' || replace(replace(rtrim(given, '*'), '\', '\\'), '''', '''''') || ''':*'), ''::tsquery);
        else
            plain := plain || ' ' || given;
        end if;
    end loop;
    sought := sought && websearch_to_tsquery('oai.words', plain);
    if numbers ~ '^(ISBN|ISSN)?:?(97[89])?[0-9]{9}[0-9X]$' or numbers ~ '^(ISBN|ISSN)?:?[0-9]{7}[0-9X]$' then
        sought := sought || oai.whole_word(regexp_replace(numbers, '^(ISBN|ISSN)?:?', ''));
    elsif one !~ '\s' and one <> '' then
        sought := sought || oai.whole_word(one);
    end if;
    if numnode(sought) = 0 or querytree(sought) in ('', 'T') then
        return null;
    end if;
    return sought;
end $$;

revoke execute on function oai.whole_word, oai.word_query from public;
grant execute on function oai.whole_word, oai.word_query to oai_reader;
