create table package (id text primary key, name varchar(100) unique, title text, url text, author text, notes text, license_id text, type text, owner_org text, metadata_modified timestamp, private boolean, state text);
create table package_extra (id text primary key, package_id text references package, key text, value text, state text);
create index on package_extra (package_id);
create table tag (id text primary key, name varchar(100) not null);
create table package_tag (id text primary key, package_id text references package, tag_id text references tag, state text);
create index on package_tag (package_id);
create table "group" (id text primary key, name text unique, title text, type text, state text);
create table member (id text primary key, table_name text, table_id text, group_id text references "group", state text);
create index on member (table_id);
insert into "group" values ('o1', 'office', 'The Office', 'organization', 'active'), ('g1', 'water', 'Water', 'group', 'active'), ('g2', 'air', 'Air', 'group', 'deleted');
insert into tag select 't' || n, 'tag ' || n from generate_series(1, 3) n;
-- 3 is private, 4 deleted, 5 a draft, 6 a harvester
insert into package select 'p' || n, 'p-' || n, 'Data ' || n, 'http://d.example/' || n, case n when 2 then '' else 'Author' end, 'Notes', 'cc-by', case n when 6 then 'harvest' else 'dataset' end, 'o1', timestamp '2021-01-01' + n * interval '1 day', n = 3, case n when 4 then 'deleted' when 5 then 'draft' else 'active' end from generate_series(1, 8) n;
insert into package_extra select 'e' || n, 'p' || n, 'language', 'cs', case n when 2 then 'deleted' else 'active' end from generate_series(1, 8) n;
insert into package_tag select 'x' || n || t, 'p' || n, 't' || t, case t when 3 then 'deleted' else 'active' end from generate_series(1, 8) n, generate_series(1, 3) t;
insert into member select 'm' || n || g, 'package', 'p' || n, g, 'active' from generate_series(1, 8) n, (values ('g1'), ('g2')) v(g) where n <> 2;
