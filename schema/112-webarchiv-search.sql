-- SPDX-License-Identifier: MIT
-- Search by URL (021-search.sql), all of it over the index doc_moment, which the model has anyhow.

-- What readers, who have no rights in schema webarchiv, may know of a doc for that.
create view oai.capture as
    select d.id, d.seq, d.deleted, d.surt, d.archived_time, d.url, d.id_mimetype, d.status, d.digest, d.length, d.id_arc, d.doc_offset
    from webarchiv.doc d;
grant select on oai.capture to oai_reader;

create function oai.captures(first_key text, before_key text, after_key text, after_moment bigint, after_id bigint,
                             since timestamptz, until timestamptz, n integer, scan integer)
returns table (urlkey text, moment bigint, id bigint, local_id text, captured_at timestamptz, url text, media_type text,
               status integer, digest text, length bigint, file text, file_offset bigint, shown boolean, final boolean)
language plpgsql stable set search_path = pg_catalog as $$
#variable_conflict use_column
declare
    begin_key constant text := coalesce(after_key, first_key);
    begin_at  constant timestamptz := case when after_key is null then '-infinity'
                                           else timestamptz 'epoch' + after_moment * interval '1 microsecond' end;
    begin_id  constant bigint := case when after_key is null then 0 else after_id end;
begin
    return query
    select s.surt, (extract(epoch from s.archived_time) * 1000000)::bigint, s.id, s.id::text, s.archived_time, s.url, m.name,
           s.status::integer, s.digest, s.length, a.name, s.doc_offset, s.shown, s.place = captures.scan
    from (select * from (
              select c.*, row_number() over () as place,
                     c.seq is not null and not c.deleted and (since is null or c.archived_time >= since)
                     and (until is null or c.archived_time <= until) and (c.surt, c.archived_time, c.id) > (begin_key, begin_at, begin_id) as shown
              from (select * from oai.capture d
                    where (d.surt, d.archived_time) >= (begin_key, begin_at) and d.surt < before_key
                    order by d.surt, d.archived_time, d.id limit captures.scan) c) p
          where p.shown or p.place = captures.scan limit captures.n) s
    left join oai.dictionary m on m.id = s.id_mimetype and m.kind = 'mimetype' left join oai.dictionary a on a.id = -s.id_arc and a.kind = 'arc'
    order by s.place;
end $$;

create function oai.captures_of(key text, before_moment bigint, before_id bigint, since timestamptz, until timestamptz,
                                n integer, scan integer)
returns table (urlkey text, moment bigint, id bigint, local_id text, captured_at timestamptz, url text, media_type text,
               status integer, digest text, length bigint, file text, file_offset bigint, shown boolean, final boolean)
language plpgsql stable set search_path = pg_catalog as $$
#variable_conflict use_column
declare
    begin_at constant timestamptz := least(case when before_moment is null then 'infinity'
                                                else timestamptz 'epoch' + before_moment * interval '1 microsecond' end,
                                           coalesce(until, 'infinity'));
    end_at   constant timestamptz := coalesce(since, '-infinity');
begin
    return query
    select s.surt, (extract(epoch from s.archived_time) * 1000000)::bigint, s.id, s.id::text, s.archived_time, s.url, m.name,
           s.status::integer, s.digest, s.length, a.name, s.doc_offset, s.shown, s.place = captures_of.scan
    from (select * from (
              select c.*, row_number() over () as place,
                     c.seq is not null and not c.deleted
                     and (before_moment is null or (c.archived_time, c.id)
                          < (timestamptz 'epoch' + before_moment * interval '1 microsecond', before_id)) as shown
              from (select * from oai.capture d
                    where d.surt = key and d.archived_time <= begin_at and d.archived_time >= end_at
                    order by d.archived_time desc, d.id desc limit captures_of.scan) c) p
          where p.shown or p.place = captures_of.scan limit captures_of.n) s
    left join oai.dictionary m on m.id = s.id_mimetype and m.kind = 'mimetype' left join oai.dictionary a on a.id = -s.id_arc and a.kind = 'arc'
    order by s.place;
end $$;

create function oai.capture_calendar(key text, scan integer) returns table (month date, captures bigint, scanned bigint)
language plpgsql stable set search_path = pg_catalog as $$
begin
    return query
    select date_trunc('month', c.archived_time at time zone 'UTC')::date, count(*) filter (where c.seq is not null and not c.deleted), count(*)
    from (select d.archived_time, d.seq, d.deleted from oai.capture d where d.surt = key
          order by d.archived_time desc limit capture_calendar.scan) c
    group by 1 order by 1;
end $$;

create function oai.captured_urls(first_key text, before_key text, after_key text, n integer, scan integer)
returns table (urlkey text, url text, latest timestamptz, captures integer, scanned integer)
language plpgsql stable set search_path = pg_catalog as $$
#variable_conflict use_variable
begin
    for i in 1 .. n loop
        if i = 1 and after_key is null then
            select d.surt into urlkey from oai.capture d where d.surt >= first_key and d.surt < before_key
            order by d.surt, d.archived_time limit 1;
        else
            select d.surt into urlkey from oai.capture d where d.surt > after_key and d.surt < before_key
            order by d.surt, d.archived_time limit 1;
        end if;
        exit when not found;
        after_key := urlkey;
        select count(*) filter (where c.seq is not null and not c.deleted), count(*), max(c.archived_time) filter (where c.seq is not null and not c.deleted),
               (array_agg(c.url order by c.archived_time desc) filter (where c.seq is not null and not c.deleted))[1]
        into captures, scanned, latest, url
        from (select * from oai.capture d where d.surt = urlkey order by d.archived_time desc limit scan) c;
        return next;
    end loop;
end $$;

create function oai.capture_hosts(beginning text, after text, n integer) returns table (spec text, name text, records bigint)
language plpgsql stable set search_path = pg_catalog as $$
#variable_conflict use_column
declare
    first constant text := 'dom:' || replace(beginning, ',', ':');
begin
    return query
    select s.spec, s.name, s.item_count from oai.set s
    where s.spec >= first and s.spec < first || chr(127) and s.spec > coalesce(after, '')
    order by s.spec limit capture_hosts.n;
end $$;

create function oai.hosts_named(label text, n integer) returns table (spec text, name text, records bigint)
language plpgsql stable set search_path = pg_catalog as $$
#variable_conflict use_column
begin
    return query
    select h.* from
        (select s.spec from oai.set s where s.parent = (select r.id from oai.set r where r.spec = 'dom') order by s.spec limit 300) t,
        lateral (select s.spec, s.name, s.item_count from oai.set s
                 where s.spec >= t.spec || ':' || label and s.spec < t.spec || ':' || label || chr(127)
                 order by s.spec limit 3) h
    order by h.item_count desc, h.spec limit hosts_named.n;
end $$;

revoke execute on function oai.captures, oai.captures_of, oai.capture_calendar, oai.captured_urls, oai.capture_hosts, oai.hosts_named from public;
grant execute on function oai.captures, oai.captures_of, oai.capture_calendar, oai.captured_urls, oai.capture_hosts, oai.hosts_named to oai_reader;
