#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# With which rights `oai map` reads and watches tables of somebody else.
use OwnTables;
use TestProgram;

# The tables are read by a role that has to be let in, and is not when the map has gone.
subtest 'rights of the reading role' => sub {
    begin('rights', @magazine, 'alter table mag.article enable row level security');
    my $rights = sub { return join ' ', map { $db->value("select has_table_privilege('oai_source', 'mag.$_', 'select')") } qw(article author) };
    refused('a table with row security', qr/row security hides rows of mag\.article from oai_source; as its owner: create policy oai_source on mag\.article for select to oai_source using \(true\) \[/, @options);
    is $rights->(), 'f f', '  and no right is left';
    $db->run('create policy oai_source on mag.article for select to oai_source using (true)');
    mapped('with that', @options, $map);
    publish();
    is harvest(), '10.5555/a One [section:News] (First; Second), 10.5555/b Two [section:Letters] (Third)', 'its rows are read';
    is $rights->(), 't t', '  by a role that has the right';
    $db->run('drop policy oai_source on mag.article', "update mag.article set title = 'New'");
    oai('publish', '--once');
    like harvest(), qr/ One .* Two /, 'rows that are hidden are not gone';
    like scalar oai('map', '--check'), qr/^the source\tcannot be read: .*row security hides rows of mag\.article from oai_source.*create policy oai_source on mag\.article/m, '  and that is told';
    $db->run('alter table mag.article disable row level security', 'revoke select on mag.author from oai_source');
    publish();
    like harvest(), qr/ New .* New /, 'a table that is not hidden any more is followed, one that was made anew is granted again';
    spew($map, slurp($map) =~ s/^\[also.*?\n\n//msr =~ s/^creator = .*\n//mr);
    mapped('a table less', $map);
    is $rights->(), 't f', '  is read no more';
    mapped('oai map --drop', '--drop');
    is $rights->(), 'f f', '  leaves no right';
};

# Whoever owns a mapped table runs code of his own when it is read and when it is written; he gets no right by it.
subtest 'an owner who is hostile' => sub {
    begin('hostile');
    my $owner = "mallory_$$";
    $db->run("create role $owner login", "create schema mag authorization $owner", 'create schema vault', 'create table vault.secret (word text)',
        "insert into vault.secret values ('swordfish')", "insert into library.item (local_id, title) values ('own', '{Own}')");
    # What he tries with the rights of others, and what he gets is the title.
    my @attempts = ("alter role $owner superuser", "update library.item set title = ''{Hacked}''", "insert into library.item (local_id, title) values (''x'', ''{Hacked}'')",
        'update oai.horizon set h = null', 'insert into vault.secret values (user)', 'set role postgres', 'set session authorization postgres', 'reset role', 'reset session authorization',
        'create table vault.mine ()', 'create function oai.mine() returns integer language sql as select 1');
    spew("$dir/hostile.sql", "set role $owner;
" . <<~"SQL");
        create table mag.article (id integer primary key, doi text unique, title text);
        insert into mag.article select n, 'd' || n, 'T' || n from generate_series(1, 3) n;
        create table mag.got (what text);
        grant usage on schema mag to public;
        grant insert on mag.got to public;
        create function mag.attack() returns text language plpgsql as \$\$
        declare
            attempt text;
            got     text := '';
        begin
            foreach attempt in array string_to_array('@{[join '|', @attempts]}', '|') loop
                begin
                    execute attempt;
                    got := got || attempt || '; ';
                exception when others then
                end;
            end loop;
            begin
                got := got || (select string_agg(word, ' ') from vault.secret);
            exception when others then
            end;
            return got;
        end \$\$;
        create function mag.later() returns trigger language plpgsql as \$\$
        begin
            perform mag.attack();
            execute 'alter role $owner superuser';
            return null;
        end \$\$;
        create table mag.trap (n integer);
        grant insert on mag.trap to public;
        create constraint trigger later after insert on mag.trap deferrable initially deferred for each row execute function mag.later();
        -- finds its place before those of pg_catalog, if the search_path stays as it is set
        create function mag.cardinality(jsonb[]) returns integer language plpgsql as \$\$ begin execute 'alter role $owner superuser'; return 0; end \$\$;
        create function mag.unnest(jsonb[]) returns setof jsonb language plpgsql as \$\$ begin execute 'alter role $owner superuser'; return; end \$\$;
        create function mag.read(title text) returns text language plpgsql as \$\$
        begin
            perform set_config('search_path', 'mag, pg_catalog', false);
            insert into mag.trap values (1);
            execute format('declare %I no scroll cursor with hold for select mag.attack()', 'later ' || random());
            return title || ' ' || mag.attack();
        end \$\$;
        create view mag.shown as select id, mag.read(title) as title from mag.article;
        SQL
    Database::psql($db->conninfo, '-f', "$dir/hostile.sql");
    my $nothing_gained = sub {
        my ($how) = @_;
        is join(' ', map { $_ // 'null' } @{ ($db->rows("select (select rolsuper from pg_roles where rolname = '$owner'), (select string_agg(title::text, '' order by id) from library.item where local_id in ('own', 'x')), "
            . "(select string_agg(word, ' ') from vault.secret), to_regclass('vault.mine'), to_regproc('oai.mine'), to_regclass('pg_temp.mine')"))[0] }), 'f {Own} swordfish null null null', "he gains nothing: $how";
        return;
    };
    spew($map, "[items]
table = mag.shown
key = id
changes = poll
[columns]
title = title
");
    my ($status, $words) = map_tables($map);
    is $status, 0, 'a view that calls his functions is read' or diag $words;
    publish();
    is harvest(), '1 T1  [] (), 2 T2  [] (), 3 T3  [] (), own Own [] ()', '  and they get nothing that is secret';
    $nothing_gained->('when it is mapped and polled');
    oai('map', '--poll');
    oai('map', '--check');
    oai('check');
    $nothing_gained->('when oai map --poll, oai map --check and oai check run');

    # PostgreSQL keeps prepared statements when all else is undone.
    $db->run("set role $owner; create or replace function mag.read(title text) returns text language plpgsql as \$\$ begin deallocate all; "
        . "prepare publish(integer, boolean) as select mag.attack(); prepare publish_clock as select mag.attack(); return title || '!'; end \$\$; create or replace function mag.attack() "
        . "returns text language plpgsql as \$\$ begin insert into mag.got values ('statement ' || current_user); return ''; end \$\$");
    ($status, $words) = oai('map', '--poll');
    is $status, 1, 'a function that leaves a prepared statement fails';
    like $words, qr/what the source calls does more than to read/, '  in words';
    $db->run('update library.mapping set looks = true');
    oai('publish', '--once') for 1 .. 2;
    is $db->value("select string_agg(what, ', ') from mag.got"), undef, '  and none of ours is replaced by one of his';

    # A cast that the trigger calls.
    map_tables('--drop');
    spew($map, "[items]
table = mag.article
key = doi
[columns]
title = title
");
    mapped('a table', '--believe', $map);
    my $rights = join ', ', '(select rolsuper from pg_roles where rolname = current_user)', map { my ($table, $of) = @$_; "(select has_table_privilege(c.oid, '$of') from pg_class c where c.oid = " . $db->value("select '$table'::regclass::oid") . ')' }
        ['library.item', 'insert, update, delete, select'], ['mag.article', 'select'], ['vault.secret', 'select'], ['library.map_log', 'insert'], ['library.map_log', 'select, update, delete'];
    $db->run("set role $owner; create type mag.odd as (t text); create function mag.odd_text(o mag.odd) returns text language plpgsql as \$\$ begin insert into mag.got select concat_ws(' ', current_user, $rights); return (o).t; end \$\$; "
        . 'create cast (mag.odd as text) with function mag.odd_text(mag.odd); alter table mag.article alter column doi type mag.odd using row(doi)::mag.odd',
        "reset role; create role editor_$$ login; grant usage on schema mag to editor_$$; grant insert on mag.article to editor_$$");
    Database::psql($db->conninfo("editor_$$"), '-c', "insert into mag.article values (9, row('d9')::mag.odd, 'T9')");
    is $db->value('select count(*) from mag.got'), 0, 'a trigger calls no cast of his, with whatever rights';
    is $db->value("select count(*) from library.map_log where keys[1] = '(d9)'"), 1, '  and tells of the change';
    $nothing_gained->('when the table is written');
    $db->run("drop owned by $owner, editor_$$ cascade", "drop role $owner, editor_$$");
};
undef $db;
done_testing();
