-- SPDX-License-Identifier: MIT
-- A: and B: are two sessions; ! is a command; any other line has a session of its own.
insert into mag.article values (10, 'a10', 'Ten', 'News'), (11, 'a11', 'Eleven', 'News') returning id
insert into mag.article values (10, 'a10', 'Again', 'News')
insert into mag.article values (10, 'a10', 'Again', 'News') on conflict (id) do update set title = excluded.title
insert into mag.article values (11, 'x', 'Never', 'News') on conflict do nothing
insert into mag.article select n, 'b' || n, 'T' || n, 'S' || n % 7 from generate_series(100, 400) n
insert into mag.author values (99999, 1, 'Nobody')
insert into mag.author select n, 1, 'A' || n from generate_series(100, 200) n
update mag.article set title = upper(title) where id < 20 returning title
update mag.article set title = title
update mag.article set doi = doi || '/x' where id between 100 and 120
update mag.article set doi = 'b130' where id = 131
update mag.article set id = id + 1000 where id > 300
update mag.author a set name = r.title from mag.article r where r.id = a.article_id and r.id < 110
update mag.article set section = null where false
delete from mag.article where id = 11 returning *
delete from mag.article where id = 10; insert into mag.article values (10, 'a10', 'Ten', 'News')
delete from mag.author using mag.article r where r.id = article_id and r.id > 190
with d as (delete from mag.article where id = 150 returning *) insert into mag.article select id + 5000, doi, title from d
with u as (update mag.article set note = 'n' where id = 151 returning id) select * from u
merge into mag.article t using (values (10, 'm10'), (20, 'm20')) s(id, doi) on t.id = s.id when matched then update set doi = s.doi when not matched then insert (id, doi, title) values (s.id, s.doi, 'M')
merge into mag.article t using (values (20)) s(id) on t.id = s.id when matched then delete
copy mag.article (id, doi, title) from program 'printf "30\tc30\tCopied\n31\tc31\tCopied\n"'
copy mag.article (id, doi, title) from program 'printf "30\tc30\tTwice\n"'
copy (select id, doi from mag.article order by id limit 3) to stdout
begin; savepoint a; update mag.article set title = 'lost'; rollback to a; update mag.article set title = 'kept' where id = 30; commit
begin; insert into mag.article values (40, 'a40', 'Forty'); rollback
begin; savepoint a; insert into mag.article values (30, 'x', 'x'); rollback to a; release a; insert into mag.article values (41, 'a41', 'x'); commit
begin isolation level repeatable read; delete from mag.article where id = 41; insert into mag.article values (41, 'a41', 'y'); commit
begin isolation level serializable; insert into mag.article values (42, 'a42', 'z', 'New one'); update mag.article set section = 'New two' where id = 41; commit
begin isolation level serializable read only; select count(*) from mag.article; commit
begin; update mag.article set title = 'prepared' where id = 42; prepare transaction 'owner'; commit prepared 'owner'
begin; delete from mag.article where id = 42; prepare transaction 'owner'; rollback prepared 'owner'
begin; declare c cursor for select id from mag.article where id = 42 for update; fetch c; update mag.article set title = 'cursor' where current of c; commit
begin; lock table mag.article, mag.author in access exclusive mode; update mag.article set note = 'locked' where id = 42; commit
select id from mag.article where id = 42 for update nowait
set session_replication_role = replica; insert into mag.author values (99999, 1, 'Nobody'); delete from mag.author where article_id = 99999; reset session_replication_role
set role mag_owner; insert into mag.article values (50, 'o50', 'By the owner'); delete from mag.article where id = 50; reset role
set role mag_owner; select count(*) from oai.queue; reset role
do $$ begin insert into mag.article values (30, 'x', 'x'); exception when unique_violation then update mag.article set note = 'caught' where id = 30; end $$
prepare p as update mag.article set note = $1 where id = 30; execute p('x'); execute p('y'); alter table mag.article add extra text; execute p('z')
update mag.article set extra = 'e' where id = 30
alter table mag.article drop column extra
create table mag.child () inherits (mag.article); insert into mag.child (id, doi, title) values (700, 'child', 'Child'); update mag.article set title = 'Heir' where id = 700; drop table mag.child
create view mag.shown as select id, title from mag.article; update mag.shown set title = 'By a view' where id = 120; delete from mag.shown where id = 199; drop view mag.shown
create materialized view mag.kept as select count(*) from mag.author; refresh materialized view mag.kept; drop materialized view mag.kept
create function mag.shout() returns trigger language plpgsql as $$ begin new.title := upper(new.title); return new; end $$; create trigger shout before insert or update on mag.article for each row execute function mag.shout(); update mag.article set title = 'quiet' where id = 121 returning title; drop function mag.shout cascade
create function mag.veto() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$; create constraint trigger veto after update on mag.article deferrable initially deferred for each row execute function mag.veto(); update mag.article set title = 'vetoed' where id = 122; drop function mag.veto cascade
create rule no_delete as on delete to mag.article do instead nothing; delete from mag.article where id = 123; drop rule no_delete on mag.article
create table mag.author_2 partition of mag.author for values from (1000000) to (2000000); insert into mag.author values (1000001, 1, 'No article'); drop table mag.author_2
insert into mag.author select 160, n, 'Part ' || n from generate_series(1, 3) n; alter table mag.author detach partition mag.author_1; insert into mag.author_1 values (161, 9, 'Apart'); select count(*) from mag.author; alter table mag.author attach partition mag.author_1 for values from (0) to (250)
update mag.author set article_id = 260 where article_id = 161
truncate mag.author_1
alter table mag.author set schema public; insert into author values (124, 1, 'Public'); alter table author set schema mag
alter table mag.article set unlogged; alter table mag.article set logged
alter table mag.article add column counted integer generated always as (length(title)) stored; update mag.article set title = 'Longer title' where id = 125 returning counted; alter table mag.article drop column counted
alter table mag.article add column stamp timestamptz default clock_timestamp(); alter table mag.article drop column stamp
alter table mag.article rename constraint article_pkey to article_key; alter index mag.article_key rename to article_pkey
comment on table mag.article is 'mine'; grant select on mag.article to public; revoke select on mag.article from public; create statistics mag.s on id, section from mag.article; analyze mag.article; drop statistics mag.s
create publication mag_all for table mag.article; update mag.article set note = 'published' where id = 126; drop publication mag_all
begin; declare c cursor with hold for select id from mag.article order by id limit 2; commit; fetch all from c; close c
select count(*) from (select id from mag.article where id < 130 for share) x
explain (analyze, costs off, timing off, summary off, buffers off) update mag.article set note = 'explained' where false
begin; set constraints all deferred; update mag.article set title = 'deferred' where id = 127; commit
begin; update mag.article set title = 'a' where id = 128; savepoint s; update mag.article set title = 'b' where id = 128; savepoint t; delete from mag.article where id = 128; rollback to s; update mag.article set title = title || 'c' where id = 128 returning title; commit
update mag.article set note = 'ca. ' || id where id between 130 and 135
A: begin; insert into mag.article values (500, 'p500', 'P', 'New set one')
B: insert into mag.article values (501, 'p501', 'Q', 'New set one')
A: commit
A: begin; insert into mag.article values (502, 'p502', 'P', 'Set x')
B: begin; insert into mag.article values (503, 'p503', 'Q', 'Set y')
A: insert into mag.article values (504, 'p504', 'P', 'Set y')
B: insert into mag.article values (505, 'p505', 'Q', 'Set x')
A: commit
B: commit
A: begin; update mag.author set name = 'Skew' where article_id = 260
B: begin; update mag.article set title = 'Skew' where id = 500
A: insert into mag.author values (501, 1, 'Link')
B: insert into mag.author values (502, 1, 'Link')
B: commit
A: commit
A: begin; delete from mag.article where id = 503
B: update mag.article set title = title || '+' where id = 504 returning title
A: insert into mag.article values (503, 'p503', 'Back', 'Set y')
A: commit
A: begin; select count(*) from mag.article where section = 'Set x'
B: begin; select count(*) from mag.article where section = 'Set y'
A: insert into mag.article values (506, 'p506', 'Skew', 'Set y')
B: insert into mag.article values (507, 'p507', 'Skew', 'Set x')
A: commit
B: commit
A: begin; truncate mag.author
B: select 1 from mag.article where id = 500 for update
A: rollback
alter table mag.article rename column doi to handle
update mag.article set handle = handle || '!' where id = 30; insert into mag.article (id, handle, title) values (60, 'h60', 'Renamed')
alter table mag.article rename column handle to doi
alter table mag.article alter column id type bigint
insert into mag.article values (99999999999, 'big', 'Big'); update mag.article set title = 'Bigger' where id > 9999999
delete from mag.article where id > 9999999; alter table mag.article alter column id type integer
alter table mag.article alter column title drop not null
alter table mag.article add constraint late check (id > 0) not valid; alter table mag.article validate constraint late
insert into mag.article values (-1, 'neg', 'Negative')
create index on mag.article (section); reindex table mag.article; cluster mag.article using article_pkey; vacuum full mag.article
create unique index concurrently section_once on mag.article (id, section); drop index mag.section_once
alter table mag.author rename to writer; insert into mag.writer values (30, 1, 'W'); update mag.writer set name = 'V' where name = 'W'
alter table mag.writer rename to author; delete from mag.author where name = 'V'
alter schema mag rename to gam; update gam.article set title = 'in gam' where id = 30; insert into gam.author values (30, 1, 'G'); alter schema gam rename to mag
alter table mag.author drop column position; insert into mag.author values (30, 'no position'); alter table mag.author add position integer
alter table mag.article disable trigger user; update mag.article set note = 'unseen' where id = 30; alter table mag.article enable trigger user
create table mag.keyword (article_id integer references mag.article on delete cascade, word text); insert into mag.keyword values (30, 'k'); delete from mag.article where id = 30
drop table mag.keyword
create table mag.old (like mag.article including all); insert into mag.old select * from mag.article where id < 110; delete from mag.article where id < 110 and id > 99
truncate mag.author; insert into mag.author select n, 'T', 1 from generate_series(120, 130) n
truncate mag.article
truncate mag.article cascade; insert into mag.article select * from mag.old
alter table mag.article drop constraint article_doi_key; insert into mag.article (id, doi, title) values (70, 'same', 'One'), (71, 'same', 'Other')
delete from mag.article where id = 71; alter table mag.article add unique (doi)
alter table mag.article enable row level security; update mag.article set note = 'rls' where id = 70; alter table mag.article disable row level security
alter table mag.article owner to mag_owner; update mag.article set note = 'owned' where id = 70
create collation mag.ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false); alter table mag.article alter column doi type text collate mag.ci
update mag.article set title = 'ci' where doi = 'SAME'; insert into mag.article values (80, 'CI', 'x'); insert into mag.article values (81, 'ci', 'x')
drop table mag.author cascade; create table mag.author (article_id integer, position integer, name text); insert into mag.author values (70, 1, 'anew')
create table mag.part (like mag.article) partition by range (id); alter table mag.part add primary key (id); drop table mag.part
drop view if exists mag.nothing; select count(*), max(title collate "C") from mag.article
drop table mag.old; alter table mag.article drop column note cascade; insert into mag.article (id, doi, title) values (90, 'last', 'Last')
! pg_dump -s -d "$DB" -n mag | PGOPTIONS='-c client_min_messages=warning' psql -Xq -d "$ELSEWHERE"
create publication mag_out for table mag.article
! psql -XAtq -d "$DB" -c "select slot_name from pg_create_logical_replication_slot('mag_out', 'pgoutput')"
! psql -XAtq -d "$ELSEWHERE" -c "create subscription mag_out connection '$DB' publication mag_out with (create_slot = false)"
update mag.article set title = 'To elsewhere' where id = 90; delete from mag.article where id = 80
! for i in $(seq 3000); do n=$(psql -XAt -d "$ELSEWHERE" -c "select (select count(*) from pg_subscription where subname = 'mag_out'), (select count(*) from mag.article where title = 'To elsewhere')"); [ "$n" = "1|0" ] || break; sleep 0.1; done; echo "$n"
! psql -XAtq -d "$ELSEWHERE" -c "alter subscription mag_out disable" -c "alter subscription mag_out set (slot_name = none)" -c "drop subscription mag_out"
! for i in $(seq 3000); do psql -XAtq -d "$DB" -c "select pg_drop_replication_slot('mag_out')" 2>&1 | grep -q 'is active for' || break; sleep 0.1; done
! psql -XAtq -d "$ELSEWHERE" -c "create publication mag_back for table mag.article" -c "select slot_name from pg_create_logical_replication_slot('mag_back', 'pgoutput')"
! psql -XAtq -d "$DB" -c "create subscription mag_back connection '$ELSEWHERE' publication mag_back with (create_slot = false, copy_data = false)"
! psql -XAtq -d "$ELSEWHERE" -c "insert into mag.article (id, doi, title) values (9001, 'back', 'From elsewhere')" -c "update mag.article set title = 'Changed there' where id = 9001" -c "delete from mag.article where id = 70"
! for i in $(seq 3000); do n=$(psql -XAt -d "$DB" -c "select (select count(*) from pg_subscription where subname = 'mag_back'), (select count(*) from mag.article where id = 70)"); [ "$n" = "1|1" ] || break; sleep 0.1; done; echo "$n"
! psql -XAtq -d "$DB" -c "alter subscription mag_back disable" -c "alter subscription mag_back set (slot_name = none)" -c "drop subscription mag_back" -c "drop publication mag_out"
! for i in $(seq 3000); do psql -XAtq -d "$ELSEWHERE" -c "select pg_drop_replication_slot('mag_back')" 2>&1 | grep -q 'is active for' || break; sleep 0.1; done
! PGOPTIONS='-c client_min_messages=warning' psql -XAtq -d "$ELSEWHERE" -c "drop publication if exists mag_back" -c "drop schema mag cascade"
! pg_dump -d "$DB" -n mag -Fc -f $DIR/owner.dump
! pg_restore --clean -d "$DB" $DIR/owner.dump
! pg_restore --clean --if-exists --single-transaction -d "$DB" $DIR/owner.dump
! pg_restore --clean -n mag -d "$DB" $DIR/owner.dump
! pg_restore --clean --if-exists --single-transaction -n mag -d "$DB" $DIR/owner.dump
truncate mag.article, mag.author
! pg_restore --data-only --disable-triggers --single-transaction -d "$DB" $DIR/owner.dump
drop schema mag cascade
! pg_restore -d "$DB" $DIR/owner.dump
! pg_restore --single-transaction -d "$ELSEWHERE" $DIR/owner.dump
! pg_dump -d "$DB" -n mag | psql -Xq -1 -v ON_ERROR_STOP=1 -d "$ELSEWHERE"
! psql -XAt -d "$ELSEWHERE" -c "update mag.article set title = 'Elsewhere' where id = 90 returning id" -c "select count(*) from mag.article"
