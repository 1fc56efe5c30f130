#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `oai schema install` of a next version (t/lib/next-schema) over a database of this one, while this version's server, its
# publisher and programs that write go on: nobody fails, no record is missed, and afterwards the database dumps as a new one of
# the next version does, with what the site has added of its own. In full (t/run --long) the large table has a million rows.
use TestProgram;
use HarvestedRepository;

my ($now, $next) = ("$build/release/oai", "$build/release/fault/oai-next");
my $rows = is_long() ? 1_000_000 : 2_000;
sub schema { my ($program, $db, @words) = @_; my $said = `$program schema @words --connection '@{[$db->conninfo]}' 2>&1`; return ($? >> 8, $said) }
# Columns that were added after one was dropped have other numbers, so compared is what pg_dump says.
sub dump_of { my ($db) = @_; return join '', grep { !/^\\(un)?restrict / } split /^/, `pg_dump -s -d '@{[$db->conninfo]}'` }
sub first_difference {
    my ($got, $wanted) = map { [split /\n/] } @_;
    for my $i (0 .. ($#$got > $#$wanted ? $#$got : $#$wanted)) {
        return sprintf 'line %d: %s, but %s', $i + 1, map { $_ // 'nothing' } $got->[$i], $wanted->[$i] if ($got->[$i] // "\0") ne ($wanted->[$i] // "\0");
    }
    return '';
}

my $r = HarvestedRepository->new(documents => 300, install => 1);
my $db = $r->{db};
note("$rows rows" . (is_long() ? '' : '; t/run --long: a million'));
$r->start;
$r->remember;
is +(schema($now, $db))[0], 0, 'this version says that its schema is complete';
my ($status, $said) = schema($next, $db);
is $status, 1, 'the next version says that it is not';
like $said, qr/^upgrade\/0001-core-home\.sql\tmissing\nupgrade\/0002-webarchiv-note\.sql\tmissing$/m, 'and names the upgrades';
like $said, qr/^definitions\tto be applied$/m, 'and the definitions';

# What the site has added.
$db->run('create index site_status on webarchiv.doc (status)', 'create role site' . $$, "grant select on oai.record to site$$",
    "comment on column webarchiv.doc.status is 'as the site says it'", "comment on function oai.publish is 'as the site says it'", 'create schema site',
    'create view site.urls as select local_id, url from oai.record', 'create table site.log (n bigint)',
    'create function site.note() returns trigger language plpgsql security definer as $$begin insert into site.log select count(*) from changed; return null; end$$',
    'create trigger site_note after insert on webarchiv.doc referencing new table as changed for each statement execute function site.note()');
($status, $said) = schema($now, $db);
is $status, 0, 'what a site has added is no fault';
like $said, qr/^foreign\tgrant to site$$ on oai\.record\nforeign\tindex webarchiv\.site_status\nforeign\ttrigger site_note on webarchiv\.doc$/m, 'but is told';

# More documents, which are not published yet, so that the publisher has to work meanwhile.
$db->run("insert into webarchiv.doc (id, archived_time, url, surt, id_domain) select n, '2019-01-01Z', 'http://m.example.org/' || n, 'org,example,m)/' || n,
    (select min(id) from webarchiv.domain where name = 'ee:etv24') from generate_series(1000001, 1000000 + $rows) n");

# A program that writes rows one by one until it is told to stop, or this one has died, and says how many it wrote.
my ($stop, $own) = ("$r->{dir}/stop", $$);
sub writer {
    my ($number) = @_;
    return later(sub {
        my ($n, $failed) = (0, '');
        until ((-e $stop && $n > 10) || getppid != $own) {
            my $id = 3_000_000 + $number * 1_000_000 + $n;
            eval { Database::psql($db->conninfo('oai_loader'), '-c', "insert into webarchiv.doc (id, archived_time, url, surt) values ($id, now(), 'http://w.example.org/$id', 'org,example,w)/$id')"); 1 } or $failed .= $@;
            $n++;
        }
        spew("$r->{dir}/writer$number", "$n\n$failed");
    });
}
# The publisher of this version, as its unit runs it.
sub publisher {
    return later(sub {
        my $failed = '';
        until (-e $stop || getppid != $own) { eval { Database::psql($db->conninfo('oai_publisher'), '-c', 'select oai.publish(5000, true)'); 1 } or $failed .= $@; pace(0.1) }
        spew("$r->{dir}/publisher", $failed);
    });
}
my @children = (writer(0), writer(1), publisher());

# A long transaction, such as a backup, holds up what needs a lock, until the upgrade has said that it waits.
my $reader = $db->session;
$reader->send('begin');
$reader->send('select count(*) from oai.set, oai.horizon');
my $upgrade = later(sub { my ($code, $text) = schema($next, $db, 'install'); spew("$r->{dir}/upgrade", "$code\n$text") });
my $waits = "select count(*) from pg_stat_activity where application_name = 'oai schema' and wait_event_type = 'Lock' and datname = current_database()";
wait_until(sub { $db->value($waits) }) or die "the upgrade does not wait\n";
my $everybody = $r->published('true');
my ($got, $said_of) = $r->harvest('ListRecords', set => 'dom:cz', each_page => sub { $reader->send('commit') if $_[0] == 3 });
waitpid $upgrade, 0;
spew($stop, '');
waitpid $_, 0 for @children;
like slurp("$r->{dir}/upgrade"), qr/^0\n.*waits for locks of other sessions.*^upgrade\/0001-core-home\.sql\tapplied\nupgrade\/0002-webarchiv-note\.sql\tapplied\n(?:oai: schema: definitions waits [^\n]*\n)?definitions\tapplied\n/ms, 'the upgrade waited for the lock and was applied';
delete $said_of->{failures}{503};    # of a page that waits longer for a lock than the server does, on a slow machine
is "@{ $said_of->{wrong} } @{[%{ $said_of->{failures} }]}", ' ', 'the harvest meanwhile met no failure';
my %of_set = map { $_ => $everybody->{$_} } grep { $everybody->{$_} =~ / dom:cz/ } keys %$everybody;
is_deeply $got, \%of_set, 'and missed nothing';
my @written = map { slurp("$r->{dir}/writer$_") } 0, 1;
is join('', map { /\n(.*)/s } @written), '', 'no writer met a failure';
unlike slurp("$r->{dir}/publisher"), qr/ERROR(?!.*lock timeout)/, 'nor did the publisher';
for (1 .. 5 + $rows / 5000) { last if !$db->value('select count(*) from oai.queue'); $db->publish(100_000) }
my ($total) = map { 300 + $rows + $_ } eval { my $n = 0; $n += (split /\n/)[0] for @written; $n };
is $db->value('select count(*) from oai.item where seq is not null'), $total, 'each record that was written is published';
is $db->value('select count(*) from oai.check_items()') + $db->value('select count(*) from oai.check_chunks()') + $db->value('select count(*) from oai.check_sets()'), 0, 'and everything is in order';
is $db->value('select count(*) from site.log') >= 20, 1, 'the trigger of the site went on';
is $db->value('select count(*) from oai.set where home is null'), 0, 'every set has the column of the next version filled in';
is Database::psql($db->conninfo('oai_reader'), '-c', "select oai.home_of('dom:cz')"), "http://example.org/dom:cz\n", 'and the reader may call the new function';
is +(schema($next, $db))[0], 0, 'the next version says that its schema is complete';

# The server of this version goes on, and starts again, with the schema of the next one.
$r->{all} = $r->published('true');
($got, $said_of) = $r->harvest('ListRecords', timeout => 600) if $rows < 10_000;
is_deeply $got, $r->{all}, 'the server of this version serves all of it' if $rows < 10_000;
($status, $said) = schema($now, $db);
is $status, 1, 'this version says that the schema is not its own';
like $said, qr/upgraded by a later version; install that version here/, 'and that it is a later one';
($status, $said) = schema($now, $db, 'install');
is $status, 1, 'and refuses to install';
is $r->stop, 0, 'the server stops cleanly';
$r->start;
($got, $said_of) = $r->harvest('ListRecords', set => 'dom:cz');
is scalar(keys %$got), scalar(keys %of_set), 'started again, it serves, too';
is $r->stop, 0, 'and stops';

# What was added survives; without it the database is as one that the next version makes.
my $comments = "select col_description('webarchiv.doc'::regclass, (select attnum from pg_attribute where attrelid = 'webarchiv.doc'::regclass and attname = 'status')), obj_description('oai.publish'::regproc, 'pg_proc')";
is_deeply [$db->rows($comments)], [[('as the site says it') x 2]], 'the comments of the site are there in the place of ours';
$said = (schema($next, $db))[1];
like $said, qr/^foreign\tgrant to site$$ on oai\.record\nforeign\tindex webarchiv\.site_status\nforeign\ttrigger site_note on webarchiv\.doc$/m, 'and so are its index, grant and trigger';
is $db->value('select count(*) >= 300 from site.urls'), 't', 'and its view';
$db->run('drop schema site cascade', 'drop index webarchiv.site_status', "revoke select on oai.record from site$$", "drop role site$$");
my $fresh = Database->new(schema => 0);
is +(schema($next, $fresh, 'install --model webarchiv'))[0], 0, 'the next version makes a new database';
my @ours = map { s/'/''/gr } @{ ($fresh->rows($comments))[0] };
$db->run("comment on column webarchiv.doc.status is '$ours[0]'", "comment on function oai.publish is '$ours[1]'");
is first_difference(dump_of($db), dump_of($fresh)), '', 'the upgraded one dumps as the new one';

# Applied again, nothing is replaced that would lock a table: each trigger, view and comment is the row that it was.
my $versions = q{select string_agg(concat_ws(' ', tgname, tgrelid::regclass, xmin), ', ' order by tgrelid, tgname) from pg_trigger where not tgisinternal
    union all select string_agg(concat_ws(' ', ev_class::regclass, xmin), ', ' order by ev_class) from pg_rewrite where ev_class >= 16384
    union all select string_agg(concat_ws(' ', objoid::regclass, objsubid, xmin), ', ' order by objoid, objsubid) from pg_description where classoid = 'pg_class'::regclass and objoid >= 16384};
for my $model ('webarchiv', 'library') {
    my $again = Database->new(schema => 0);
    schema($now, $again, "install --model $model");
    $again->run("select harvest.keep_format('didl')") if $model eq 'library';
    my ($before, $dump) = (join("\n", map { $_->[0] // '' } $again->rows($versions)), dump_of($again));
    $again->run("update oai.schema_version set checksum = 'other' where file = 'models/check.sql'");
    my $user = $again->session;   # somebody who uses all tables
    $user->send('begin');
    $user->send("lock table $_ in row exclusive mode") for map { $_->[0] } $again->rows(q{select oid::regclass from pg_class where relkind in ('r', 'v') and relnamespace in ('oai'::regnamespace, to_regnamespace('webarchiv'), to_regnamespace('library'), to_regnamespace('harvest')) and relname <> 'schema_version'});
    ($status, $said) = schema($now, $again, 'install');
    is $status, 0, "$model: definitions are applied beside a transaction that uses all tables" or diag $said;
    unlike $said, qr/waits/, 'without waiting';
    is first_difference(join("\n", map { $_->[0] // '' } $again->rows($versions)), $before), '', 'no view, trigger or comment was replaced';
    is first_difference(dump_of($again), $dump), '', 'and the schema is what it was';
    $user->finish;
}
done_testing;
