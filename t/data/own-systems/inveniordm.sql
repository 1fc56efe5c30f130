create table rdm_parents_metadata (id uuid primary key);
create table rdm_records_metadata (id uuid primary key, json jsonb, created timestamp, updated timestamp, version_id integer, parent_id uuid references rdm_parents_metadata, deletion_status char(1) not null default 'P');
create index on rdm_records_metadata (parent_id);
create table communities_metadata (id uuid primary key, json jsonb, slug varchar(255) unique);
create table rdm_parents_community (community_id uuid references communities_metadata, record_id uuid references rdm_parents_metadata, primary key (community_id, record_id));
create index on rdm_parents_community (record_id);
create function id(n integer) returns uuid language sql immutable as 'select lpad(n::text, 32, ''0'')::uuid';
insert into rdm_parents_metadata select id(n) from generate_series(1, 8) n;
insert into communities_metadata values (id(1), '{"metadata": {"title": "Physics"}}', 'physics'), (id(2), '{"metadata": {"title": "Bees"}}', 'bees');
insert into rdm_parents_community select id(1 + n % 2), id(n) from generate_series(1, 6) n;
-- 3 is restricted, 4 deleted; 5 has two versions, of which this is the first
insert into rdm_records_metadata select id(n), jsonb_build_object('id', 'r-' || n, 'pids', jsonb_build_object('doi', jsonb_build_object('identifier', '10.1234/r-' || n)), 'access', jsonb_build_object('record', case n when 3 then 'restricted' else 'public' end),
    'metadata', jsonb_build_object('title', 'Record ' || n, 'creators', jsonb_build_array(jsonb_build_object('person_or_org', jsonb_build_object('name', 'First, A.')), jsonb_build_object('person_or_org', jsonb_build_object('name', 'Second, B.'))),
    'subjects', jsonb_build_array(jsonb_build_object('subject', 'bees'), jsonb_build_object('id', 'http://id.example/1')), 'publication_date', '2020-05')),
    timestamp '2021-01-01', timestamp '2021-01-01' + n * interval '1 day', 1, id(least(n, 8)), case n when 4 then 'D' else 'P' end from generate_series(1, 8) n;
insert into rdm_records_metadata select id(50), jsonb_set(json, '{id}', '"r-5b"'), created, updated, 1, parent_id, 'P' from rdm_records_metadata where id = id(5);
