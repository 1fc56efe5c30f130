-- SPDX-License-Identifier: MIT
-- Views over the tables of InvenioRDM, for the map inveniordm.ini beside this file.
create schema give;
create function give.list(document jsonb, path jsonpath) returns text[] language sql immutable as $$
  select array(select v #>> '{}' from jsonb_path_query(document, path) v)
$$;
create view give.record as
  select r.json ->> 'id' as id, r.updated, r.parent_id, r.json #>> '{metadata,title}' as title,
    give.list(r.json, '$.metadata.creators[*].person_or_org.name') as creator,
    give.list(r.json, '$.metadata.subjects[*].subject') as subject,
    r.json #>> '{metadata,publication_date}' as date, r.json #>> '{pids,doi,identifier}' as identifier
  from public.rdm_records_metadata r where r.deletion_status = 'P' and r.json #>> '{access,record}' = 'public';
create index on public.rdm_records_metadata ((json ->> 'id'));
