#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# oai map over tables that were not made for this project: after each change harvesters see what the tables hold, by OAI-PMH and from
# the last responseDate on; what cannot be mapped is refused in words; what is lost behind the triggers' back is found.
# The commands of deploy/manual/own-tables.md are run first, as they stand.
use OwnTables;
use TestProgram;

# The page of the manual: what stands after a $ is run, and prints what is shown; ... is anything. A program publishes meanwhile.
subtest 'the tutorial' => sub {
    my $page = slurp("$root/deploy/manual/own-tables.md");
    my $name = "magazine_$$";
    begin('page');
    mkdir $_ for "$dir/bin", "$dir/etc";
    spew("$dir/bin/runuser", qq(#!/bin/sh\nshift 3\nexec "\$@"\n));
    spew("$dir/bin/oai", qq(#!/bin/sh\nexec "$build/release/oai" --config "$dir/etc/oai.ini" "\$@"\n));
    chmod 0755, "$dir/bin/runuser", "$dir/bin/oai";
    my ($host) = $db->conninfo =~ /host=(\S+)/;
    my ($port) = $db->conninfo =~ /port=(\S+)/;
    local @ENV{qw(PATH PGHOST PGPORT PGUSER)} = ("$dir/bin:$ENV{PATH}", $host, $port, 'postgres');
    my $here = sub { $_[0] =~ s/(?<=[= ])magazine\b(?!\.sql)/$name/gr =~ s{/etc/oai-fcgi}{$dir/etc}gr };
    spew("$dir/etc/oai.ini", slurp("$dir/oai.ini") =~ s/dbname=\S+/dbname=$name/gr);
    my ($sql) = $page =~ /`magazine\.sql`:\n\n((?: {4}.*\n)+)/;
    spew("$dir/magazine.sql", $sql);
    my $commands = 0;
    for my $block ($page =~ /((?:^ {4}.*\n)+)/mg) {
        while ($block =~ /^ {4}\$ ((?:.*\\\n)*.*)\n((?:^ {4}(?!\$ ).*\n)*)/mg) {
            my ($command, $prints) = ($here->($1), $here->($2) =~ s/^ {4}//gmr);
            ++$commands;
            `oai publish --once 2>&1` if $command =~ /oai get/;
            if ($command =~ /--poll/) {   # a map of its own
                spew("$dir/etc/map.ini", slurp("$dir/etc/map.ini") =~ s/^changes = .*/changes = poll/mr =~ s/^where.*\n//mr);
                `oai map --connection 'dbname=$name user=postgres' 2>&1`;
            }
            my $said = `cd $dir && { $command; } 2>&1`;
            is $?, 0, $command;
            my $pattern = join '', map { $_ eq "...\n" ? '(?:.*\n)*?' : join('.*', map { quotemeta } split /\.\.\./, $_, -1) } $prints =~ /.*\n/g;
            like $said, qr/\A$pattern\z/, '  prints what is shown';
            BAIL_OUT('the page does not work') if $?;
        }
    }
    is $commands, () = $page =~ /^ {4}\$ /mg, 'every command was run';
    is `psql -XAt -d $name -c "create role other_$$" -c "set role other_$$" -c "create temporary table mine as select lo_unlink(lo_create(77)) as n" -c "select n from mine" -c "drop table mine" -c "reset role" -c "drop role other_$$" 2>&1`,
        "CREATE ROLE\nSET\nSELECT 1\n1\nDROP TABLE\nRESET\nDROP ROLE\n", 'programs of others may have temporary tables and large objects as before';
    $db->run("drop database $name with (force)");
};

subtest 'two tables' => sub {
    begin('two', @magazine, "create role editor_$$ login", "grant usage on schema mag to editor_$$",
        "grant select, insert, update, delete, truncate on all tables in schema mag to editor_$$");
    my $editor = "editor_$$";
    like mapped('oai map', @options, $map), qr/^\Q$map\E written\nmag\.article: 2 items, 2 wait to be published\nchanges are seen by triggers on mag\.article, mag\.author\n\z/m, '  says what it did';
    like slurp($map), qr/^\[items\]\ntable = mag\.article\nkey = doi$/m, '  and wrote it down';
    publish();
    my $all = '10.5555/a One [section:News] (First; Second), 10.5555/b Two [section:Letters] (Third)';
    is harvest(), $all, 'what is there is harvested, authors in their order';
    like oai('get', 'verb=ListSets'), qr{<setSpec>section:Letters</setSpec>\n<setName>Letters</setName>}, 'with its sets';
    without_difference('at first');

    $from = now();
    touches('a title', "update mag.article set title = 'Uno' where id = 1", '10.5555/a', $editor);
    touches('a column that is not given out', "update mag.article set note = 'x'", '', $editor);
    touches('an UPDATE without a change', 'update mag.article set title = title; update mag.author set name = name', '', $editor);
    touches('a changed author', "update mag.author set name = 'Fourth' where name = 'Third'", '10.5555/b', $editor);
    touches('the order of authors', 'update mag.author set position = 3 - position where article_id = 1', '10.5555/a', $editor);
    harvested('all that', '10.5555/a Uno [section:News] (Second; First), 10.5555/b Two [section:Letters] (Fourth)');
    touches('an author who moves', "update mag.author set article_id = 2, position = 2 where name = 'First'", '10.5555/a 10.5555/b', $editor);
    touches('an author less', "delete from mag.author where name = 'First'", '10.5555/b', $editor);
    changed('a key', "update mag.article set doi = '10.5555/c' where doi = '10.5555/b'",
        '10.5555/a Uno [section:News] (Second), 10.5555/b deleted [section:Letters], 10.5555/c Two [section:Letters] (Fourth)', $editor);
    like oai('get', 'verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:mag.example:10.5555/c'), qr{<dc:title>Two</dc:title>}, 'GetRecord has the new one';
    touches('the key of before', "update mag.article set doi = '10.5555/b' where doi = '10.5555/c'", '10.5555/b 10.5555/c', $editor);
    touches('two keys exchanged', ["update mag.article set doi = case id when 1 then 'x' else 'y' end where id in (1, 2)", "update mag.article set doi = case id when 1 then '10.5555/b' else '10.5555/a' end where id in (1, 2)"],
        '10.5555/a 10.5555/b', $editor);
    touches('a bad identifier, in a section of its own', "insert into mag.article values (4, '10.5555/bad id \x{c5}\x{be}', 'Four', 'Long reads & more'), (5, ':x%~\"#', 'Five', '')",
        '%3Ax%25~%22%23 10.5555/bad%20id%20%C5%BE', $editor);
    touches('a row that gets a key', "update mag.article set doi = '10.5555/d' where id = 3", '10.5555/d', $editor);
    harvested('all that, and nothing of keys that no harvester saw', '%3Ax%25~%22%23 Five [] (), 10.5555/a Two [section:Letters] (Fourth), 10.5555/b Uno [section:News] (Second), '
        . '10.5555/bad%20id%20%C5%BE Four [section:Long~20reads~20~26~20more] (), 10.5555/c deleted [section:Letters], 10.5555/d Three [section:News] ()');
    like oai('get', 'verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:mag.example:10.5555/bad%2520id%2520%25C5%25BE'), qr{<dc:title>Four</dc:title>}, 'GetRecord finds the bad one';
    like oai('get', 'verb=ListSets'), qr{<setSpec>section:Long~20reads~20~26~20more</setSpec>\n<setName>Long reads &amp; more</setName>}, 'and its set has a name';
    touches('a row that loses its key', 'update mag.article set doi = null where id = 3', '10.5555/d', $editor);
    touches('a removed row', 'delete from mag.article where id = 4', '10.5555/bad%20id%20%C5%BE', $editor);
    touches('INSERT ON CONFLICT', "insert into mag.article values (1, '10.5555/b', 'Eins', 'News') on conflict (id) do update set title = excluded.title", '10.5555/b', $editor);
    touches('COPY', "copy mag.author from program 'printf \"5\\t1\\tFifth\\n\"'", '%3Ax%25~%22%23');
    touches('a session that replicates', "set session_replication_role = replica; update mag.article set section = 'Letters' where id = 1", '10.5555/b');
    harvested('all that', '%3Ax%25~%22%23 Five [] (Fifth), 10.5555/b Eins [section:Letters] (Second), 10.5555/bad%20id%20%C5%BE deleted [section:Long~20reads~20~26~20more], 10.5555/d deleted [section:News]');
    without_difference('after all that');
    like oai('delete', '10.5555/a'), qr/^1 deleted/, 'oai delete';
    touches('a change of what was deleted so', "update mag.article set title = 'Deux' where doi = '10.5555/a'", '', $editor);
    publish();
    without_difference('what oai delete took back');
    like oai('undelete', '10.5555/a'), qr/^1 undeleted/, 'oai undelete';
    harvested('it is back', '10.5555/a Deux [section:Letters] (Fourth)');
    $db->run("delete from library.item where local_id = '10.5555/a'");    # which takes it back as well
    harvested('DELETE of the item', '10.5555/a deleted [section:Letters]');
    oai('undelete', '10.5555/a');
    harvested('it is back once more', '10.5555/a Deux [section:Letters] (Fourth)');
    changed('TRUNCATE of the authors', 'truncate mag.author', '%3Ax%25~%22%23 Five [] (), 10.5555/a Deux [section:Letters] (), 10.5555/b Eins [section:Letters] ()', $editor);
    changed('TRUNCATE of all', 'truncate mag.article cascade', '%3Ax%25~%22%23 deleted [], 10.5555/a deleted [section:Letters], 10.5555/b deleted [section:Letters]', $editor);
    changed('and a row anew', "insert into mag.article values (1, '10.5555/a', 'Again', 'News')", '10.5555/a Again [section:News] ()', $editor);
    without_difference('at the end');
    is $db->value('select count(*) from oai.check_chunks()'), 0, 'the chunks are consistent';
    $db->run("drop owned by editor_$$", "drop role editor_$$");
};

subtest 'what was lost is found' => sub {
    begin('lost', @magazine);
    mapped('oai map', @options, $map);
    publish();
    $db->run('alter table mag.author disable trigger all', "update mag.author set name = 'Lost' where name = 'Third'", 'alter table mag.author enable trigger all',
        'alter table mag.article disable trigger user', "delete from mag.article where id = 1", "insert into mag.article values (7, 'seven', 'Seven', 'New')");
    my ($status, $words) = oai('map', '--check');
    is $status, 1, 'oai map --check ends with 1';
    is join('', sort { $a =~ s/^oai: /z/r cmp $b =~ s/^oai: /z/r } split /^/, $words), "mag.article\tlacks triggers that tell of changes; run oai map again\nmag.author\tlacks triggers that tell of changes; run oai map again\n"
        . "oai:mag.example:10.5555/a\tis gone from the source, but not here\noai:mag.example:10.5555/b\thas changed in the source, but not here\n"
        . "oai:mag.example:seven\tis in the source, but has not come here yet\n"
        . "oai: 5 differences; run oai map, which publishes what has changed [OAI-1303]\n", 'and names each difference';
    ($status, $words) = oai('check');
    is $status, 1, 'oai check ends with 1';
    like $words, qr/^oai: map: \Q$_\E/m, "  and says: $_" for '10.5555/a is gone', '10.5555/b has changed', 'mag.article lacks triggers';
    mapped('oai map again', $map);
    $from = undef;
    harvested('puts it right', '10.5555/a deleted [section:News], 10.5555/b Two [section:Letters] (Lost), seven Seven [section:New] ()');
    without_difference('then');
};

subtest 'the file is edited' => sub {
    begin('edited', @magazine);
    mapped('oai map', @options, $map);
    publish();
    my ($status, $words) = map_tables(@options, $map);
    is $status, 2, 'options do not overwrite it';
    $from = now();
    spew($map, slurp($map) =~ s/^# where = .*/where = section <> 'Letters'/mr =~ s/^creator = .*\n//mr);
    is map_tables('--sql', $map) =~ /^select oai\.map_change\('\{.*\}'\);\n\z/s, 1, '--sql prints what would be done';
    is harvest("&from=$from"), '', '  and does nothing';
    mapped('another file', $map);
    harvested('what is different now is published', '10.5555/a One [section:News] (), 10.5555/b deleted [section:Letters]');
    touches('a row that meets the condition', "update mag.article set section = 'News' where doi = '10.5555/b'", '10.5555/b');
    publish();
    changed('one that does no more', "update mag.article set section = 'Letters' where doi = '10.5555/b'", '10.5555/b deleted [section:News]');
    touches('authors are not given out any more', "update mag.author set name = 'X'", '');
    without_difference('with a condition');
    spew($map, slurp($map) =~ s/^key = doi/key = id/mr);
    mapped('another key', $map);
    harvested('identifiers do not move: the old ones are deleted', '1 One [section:News] (), 10.5555/a deleted [section:News], 3 Three [section:News] ()');
    without_difference('with another key');
    spew($map, slurp($map) =~ s/^\[also.*?\n\n//msr);
    mapped('a table less', $map);
    my $triggers = sub { return $db->value("select count(*) from pg_trigger where tgrelid = '$_[0]'::regclass and not tgisinternal") };
    is $triggers->('mag.author'), 0, 'its triggers are gone';
    $db->run('alter table mag.article rename title to name');
    like scalar oai('map', '--check'), qr/^mag\.article\thas no column title any more; mend \Q$map\E:\d+, and run oai map$/m, 'oai map --check finds a renamed column';
    $db->run('alter table mag.article rename name to title', 'alter table mag.article drop constraint article_pkey cascade', "insert into mag.article values (1, 'twin', 'Twin', 'News')");
    like scalar oai('map', '--check'), qr/^oai:mag\.example:1\tshares its key with other rows/m, '  and rows whose key is not unique any more';
    like scalar oai('check'), qr/^oai: map: 1 shares its key with other rows/m, '  as oai check does';
    $db->run("delete from mag.article where title = 'Twin'", 'alter table mag.article add primary key (id)');
    follow();
    without_difference('with both as they were');
    mapped('oai map --drop', '--drop');
    is $triggers->('mag.article'), 0, '  takes the others away';
    $db->run('alter table mag.article rename title to name', "update mag.article set name = 'Renamed' where id = 1");
    spew($map, slurp($map) =~ s/^title = title/title = name/mr);
    mapped('after a column was renamed', $map);
    harvested('what has changed meanwhile is published', '1 Renamed [section:News] ()');
    my $sql = spew("$dir/map.sql", scalar map_tables('--sql', '--rows', 1, $map));
    Database::psql($db->conninfo, '-f', $sql);
    follow();
    without_difference('by psql');
};

subtest 'names, keys and tables of all kinds' => sub {
    begin('odd', 'create schema "My Schema"',
        'create table "My Schema"."Order" ("Select" text, "No." integer, title text, lead xml, tags text[], price numeric, at timestamp, seen timestamptz, ok boolean, person integer, "group" uuid, primary key ("Select", "No.")) partition by list ("Select")',
        'create table "My Schema"."Order a" partition of "My Schema"."Order" for values in (\'a/b\', \'a\')',
        'create table "My Schema"."Order o" partition of "My Schema"."Order" default',
        'create table "My Schema".person (id integer primary key, "full name" text)',
        'create table "My Schema".wrote (o_select text, o_no integer, person_id integer, place integer, primary key (o_select, o_no, place))',
        'create index on "My Schema".wrote (person_id)', 'create index on "My Schema"."Order" (person)',
        q{insert into "My Schema".person values (1, 'Ann'), (2, 'Bob')},
        q{insert into "My Schema"."Order" values ('a/b', 1, 'T', '<lead>x</lead>', '{p,q}', 1.50, '2020-01-02 03:04', '2020-01-02 03:04+00', true, 1, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'), ('a', 2, 'U', null, '{}', null, null, null, null, null, null)},
        q{insert into "My Schema".wrote values ('a/b', 1, 2, 1), ('a/b', 1, 1, 2)});
    spew($map, slurp("$root/t/data/odd-tables.ini"));
    mapped('oai map', $map);
    $from = undef;
    harvested('composite keys, capitals, blanks and keywords, many to many', 'a%2Fb/1 T [tag:p tag:q who:1 who:2] (Bob; Ann), a/2 U [] ()');
    like oai('get', 'verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:mag.example:a%252Fb/1'), qr{<datestamp>2020-01-02T03:04:00Z</datestamp>.*<dc:publisher>Ann</dc:publisher>.*<dc:rights>1.50</dc:rights><dc:rights>2020-01-02T03:04:00</dc:rights>}s, 'a table that is looked up; types as text; the datestamp of the first publication';
    like oai('get', 'verb=ListSets'), qr{<setSpec>who</setSpec>\n<setName>People</setName>.*<setSpec>who:2</setSpec>\n<setName>Bob</setName>}s, 'names of sets';
    is $db->value("select fields from oai.record where local_id = 'a%2Fb/1'"), '<tags>p</tags><tags>q</tags><lead><lead>x</lead></lead><ok>true</ok><seen>2020-01-02T03:04:00Z</seen><group>a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11</group><owner>Ann</owner>',
        'other columns are elements of formats of one\'s own';
    without_difference('of such tables');
    touches('a person', q{update "My Schema".person set "full name" = 'Cy' where id = 2}, 'a%2Fb/1');
    touches('an owner alone', q{update "My Schema"."Order" set person = 2 where title = 'U'}, 'a/2');
    touches('a partition by itself', q{update "My Schema"."Order a" set title = 'V' where title = 'U'}, 'a/2');
    harvested('all that', 'a%2Fb/1 T [tag:p tag:q who:1 who:2] (Cy; Ann), a/2 V [] ()');
    touches('a row that moves to another partition', q{update "My Schema"."Order" set "Select" = 'z' where title = 'V'}, 'a/2 z/2');
    harvested('both of them', 'a/2 deleted [], z/2 V [] ()');
    changed('TRUNCATE of a partition', 'truncate "My Schema"."Order o"', 'z/2 deleted []');
    without_difference('at the end');
    $db->run('create table "My Schema"."Order n" partition of "My Schema"."Order" for values in (\'n\')');
    like scalar oai('map', '--check'), qr/^"My Schema"\."Order n"\tlacks triggers/m, 'a partition that came later is named';
    mapped('oai map again', $map);
    without_difference('with triggers on it');
};

subtest 'no name ends the body of a function' => sub {
    for my $polled (0, 1) {
        begin("body$polled", 'create table public."$body$" ("$body$" integer primary key, "$body_1$" text, "x$body$;drop table b" text, "@keys@" text)',
            q{insert into public."$body$" values (1, 'a', 'b', 'c')});
        mapped($polled ? 'when polled' : 'by triggers', $map, '--table', 'public."$body$"', '--key', '$body$', '--title', '$body_1$', '--title', 'x$body$;drop table b',
            '--set', 'kind=@keys@', $polled ? ('--changes', 'poll') : ());
        publish();
        like oai('get', 'verb=ListRecords&metadataPrefix=oai_dc'), qr{<dc:title>a</dc:title><dc:title>b</dc:title>}, '  the record is there';
        Database::psql($db->conninfo, '-c', q{update public."$body$" set "$body_1$" = 'changed', "@keys@" = '$body$'});
        oai('map', '--poll', '--connection', $db->conninfo) if $polled;
        publish();
        like oai('get', 'verb=ListRecords&metadataPrefix=oai_dc'), qr{<setSpec>kind:~24body~24</setSpec>.*<dc:title>changed</dc:title>}s, '  and follows changes';
        is((map_tables($map, '--drop'))[0], 0, '  and the mapping can be dropped');
    }
};

subtest 'times of an item' => sub {
    begin('times', @magazine, 'alter table mag.article add shown date, add hidden timestamp, add opens timestamptz', "update mag.article set shown = 'infinity' where id = 1", "update mag.article set doi = 'c', hidden = now() - interval '1 h' where id = 3");
    $db->run('alter database ' . $db->value('select current_database()') . " set timezone = 'Asia/Tokyo'");
    spew($map, "[items]\ntable = mag.article\nkey = doi\n[columns]\ntitle = title\nvisible_from = shown\nvisible_until = hidden\naccess = note\naccess_from = opens\n");
    $from = undef;
    mapped('oai map', $map);
    harvested('what is visible now, and never will be, or is no more', '10.5555/b Two [] ()');
    changed('a day that has come, one to come', "update mag.article set shown = case id when 1 then '2001-01-01'::date else '2999-01-01' end where id < 3", '10.5555/a One [] (), 10.5555/b deleted []');
    is $db->value("select visible_from at time zone 'UTC' from library.item where local_id = '10.5555/b'"), '2999-01-01 00:00:00', 'days begin in UTC, whatever the session has';
    changed('no day any more, and none for that of the end', 'update mag.article set shown = null, hidden = null', '10.5555/a One [] (), 10.5555/b Two [] (), c Three [] ()');
    $db->run("update mag.article set note = 'embargoed', opens = '2999-01-01' where id = 2");
    publish();
    is $db->value("select access || ' ' || access_from from oai.record where local_id = '10.5555/b'"), 'embargoed 2999-01-01 00:00:00+09', 'files under an embargo, with its day';
    oai('withdraw', '--reason', 'By court order', '10.5555/b');
    changed('what was withdrawn stays so when its row changes', "update mag.article set title = 'Deux' where id = 2", '10.5555/b deleted []');
    without_difference('which is none');
    oai('restore', '10.5555/b');
    harvested('until it is restored', '10.5555/b Deux [] ()');
    $db->run("update library.item set visible_until = '2001-01-01' where local_id = 'c'");
    like scalar oai('map', '--check'), qr/^oai:mag\.example:c\thas been changed here/m, 'what others change is found';
};

# Loaded and harvested items, and rows that no item can hold.
subtest 'beside other items' => sub {
    begin('beside', @magazine, "insert into library.item (local_id, title, kind, sets) values ('own', '{Own}', 'book', '{shelf:A:1}'), ('10.5555/a', '{Loaded}', null, null)");
    spew($map, "[items]\ntable = mag.article\nkey = doi\n[columns]\ntitle = title\ndoi = doi\nkind = note\nlicence = published\n[set section]\ncolumn = section\n");
    $db->run("update mag.article set note = 'thesis:doctoral', doi = '10.5555/t', section = 'Old' where id = 3");
    like mapped('oai map', $map), qr/^mag\.article: 2 items, 4 wait to be published\n1 rows are no items; oai map --check says why$/m, '  says what it left out';
    publish();
    $from = undef;
    is harvest(), '10.5555/a Loaded [] (), 10.5555/b Two [section:Letters] (), 10.5555/t Three [section:Old type:thesis:doctoral] (), own Own [shelf:A:1 type:book] ()', 'all of them are harvested';
    is join('', grep { !/^oai: / } split /^/, scalar oai('map', '--check')), "oai:mag.example:10.5555/a\tis no item: is an item from elsewhere already\n", 'what is left out is named';
    $from = now();
    $db->run("update mag.article set published = '2020-02-02' where id = 2");
    harvested('a row that an item cannot hold leaves what was there', '');
    like scalar oai('map', '--check'), qr/^oai:mag\.example:10\.5555\/b\tis no item: .*licence/m, '  and is named';
    $db->run("update mag.article set published = null, title = 'Mended' where id = 2");
    harvested('until it can', '10.5555/b Mended [section:Letters] ()');
    is $db->value('select count(*) from library.mapped where refused is not null'), 1, '  and then it is named no more';
};

subtest 'what cannot be mapped' => sub {
    begin('refused', @magazine, 'create table mag.plain (a text, b bytea, c point)', 'create view mag.shown as select * from mag.article', 'create materialized view mag.kept as select * from mag.article');
    my @title = ('--title', 'title');
    refused('a table that is not there', qr/^oai: there is no table mag\.artikel \[OAI-1514\]$/m, '--table', 'mag.artikel', '--key', 'doi', @title);
    refused('a column that is not there', qr/^oai: mag\.article has no column titel; there are id, doi, title, section, published, note \[OAI-1514\]$/m, '--table', 'mag.article', '--key', 'doi', '--title', 'titel');
    refused('a key that is not unique', qr/mag\.article may have several rows with the same section, but an identifier has one item; create unique index on mag\.article \(section\)/, '--table', 'mag.article', '--key', 'section', @title);
    refused('a key of no text', qr/no identifier is made of the type point/, '--table', 'mag.plain', '--key', 'c', '--title', 'a');
    refused('bytes', qr/bytes cannot become XML/, '--table', 'mag.plain', '--key', 'a', '--title', 'b');
    refused('a view', qr/mag\.shown is a view, which has no such triggers; write view = and \[also TABLE\] for each table behind it, or changes = poll/, '--table', 'mag.shown', '--key', 'doi', @title);
    refused('a materialized view', qr/mag\.kept is a materialized view/, '--table', 'mag.kept', '--key', 'doi', @title);
    refused('a condition over another table', qr/mag\.plain is read, and nobody would see its changes: write \[also mag\.plain\] with join = /, @options, '--where', 'exists (select from mag.plain)');
    refused('a table that nothing joins', qr/mag\.author has no column article_no; there are article_id, position, name/, @options[0 .. 5], '--also', 'mag.author(article_no)');
    refused('a label of other sets', qr/\[set type\]: the sets of kinds, languages and collections; take another label/, @options[0 .. 5], '--set', 'type=section');
    refused('no column', qr/nothing would be given out/, '--table', 'mag.article', '--key', 'doi');
    refused('a join by a type of no identifiers', qr/operator does not exist: point = /, @options[0 .. 5], '--also', 'mag.plain(c)');
    is scalar oai('map', '--check'), "oai: the database has no mapping; oai map makes one [OAI-1599]\n", 'nothing to check';
    spew("$dir/wrong.ini", "[items]\ntable = mag.article\nkey = doi\nkeys = x\n[also mag.author]\norder = name\n[columns]\ntitle = titel\n[x]\na = b\n");
    my ($status, $words) = map_tables("$dir/wrong.ini");
    is $words, "oai: $dir/wrong.ini:4: [items] keys: unknown key; there are table, view, query, key, prefix, where, datestamp, again, changes\n"
        . "oai: $dir/wrong.ini:10: [x] a: unknown section; there are [items], [also TABLE], [columns], [set LABEL], [sets] and [deleted] [OAI-1514]\n", 'a wrong file: each line is named';
    $db->run('drop index mag.author_article_id_idx');
    like mapped('without an index', @options, $map), qr/^oai: mag\.author is read whole for each item, for want of an index: create index on mag\.author \("article_id"\)$/m, 'a missing index is told';
    $db = Database->new(model => 'webarchiv');
    ($status, $words) = map_tables('--sql', '--table', 'webarchiv.doc', '--key', 'id', '--title', 'url');
    like $words, qr/has items of another model/, 'another model is not replaced';
};

subtest 'a foreign table is polled' => sub {
    begin('poll', @magazine, 'create extension file_fdw', 'create server files foreign data wrapper file_fdw');
    my $write = sub { spew("$dir/articles.csv", join '', map { "$_\n" } @_); chmod 0644, "$dir/articles.csv" };
    my @rows = map { "$_,Title $_,S" . ord($_) % 2 } 'a' .. 'y';
    $write->(@rows);
    $db->run("create foreign table mag.file (id text, title text, section text) server files options (filename '$dir/articles.csv', format 'csv')");
    like((map_tables('--table', 'mag.file', '--key', 'id', '--title', 'title', $map))[1], qr/is a foreign table, whose changes PostgreSQL does not tell; write changes = poll/, 'triggers are refused');
    like mapped('oai map', '--table', 'mag.file', '--key', 'id', '--title', 'title', '--set', 'section', '--changes', 'poll', $map), qr/25 items.*\nchanges are found by: oai map --poll/, '  and says so';
    publish();
    my $poll = sub { my ($status, $words) = oai('map', '--poll', @_); is $status, 0, 'oai map --poll' or diag $words; return $words };
    is $poll->(), "25 rows read, 0 new or changed, 0 gone\n", 'nothing has changed';
    without_difference('of a file');
    $from = now();
    $write->('aa,New,S9', @rows[0 .. 9], 'k,Changed,S1', @rows[12 .. 24]);    # without l
    my ($status, $words) = oai('map', '--check');
    is join('', sort grep { /^oai:mag/ } split /^/, $words), "oai:mag.example:aa\tis in the source, but has not come here yet\noai:mag.example:k\thas changed in the source, but not here\noai:mag.example:l\tis gone from the source, but not here\n",
        'oai map --check sees what was not polled';
    is $poll->('--rows', 10), "10 rows read, 1 new or changed, 0 gone; the next round goes on from there\n", 'a round is bounded';
    is $poll->('--rows', 10), "10 rows read, 1 new or changed, 1 gone; the next round goes on from there\n", 'and goes on where the last one ended';
    is $poll->('--rows', 10), "5 rows read, 0 new or changed, 0 gone\n", 'to the end';
    harvested('the changes are harvested', 'aa New [section:S9] (), k Changed [section:S1] (), l deleted [section:S0]');
    without_difference('then');
    $write->(@rows[0 .. 2]);
    is $poll->(), "3 rows read, 0 new or changed, 0 gone\n", 'a source that has lost most rows is not believed';
    unlink "$dir/articles.csv";
    is +(oai('map', '--poll'))[0], 1, 'nor one that is gone';
    like harvest(), qr/aa New/, 'and harvesters are served meanwhile';
    $write->(@rows[0 .. 2]);
    $poll->('--believe');
    publish();
    is scalar(() = harvest() =~ /deleted/g), 23, 'unless one says so';
};
undef $db;
done_testing;
