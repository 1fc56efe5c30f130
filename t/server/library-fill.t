#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The first fill of a library by `oai load` (schema/library/fill.sql): the same repository as loading slice by slice makes, from
# several files that have items in common, with deleted ones and damaged files; broken off at every step by kill -9, Ctrl-C and the
# end of a backend; beside a second loader, a publisher, a harvester and a writer; on a disk that is full; and the functions in
# hostile hands.
use FindBin;
use lib "$FindBin::Bin/../lib";
use TestProgram;
use LoadChecks;
use ParallelSubtests;

my $oai = ($ENV{BUILD} // "$FindBin::Bin/../../build") . '/release/oai';
my $dir = tempdir('oai-fill-XXXXXX', TMPDIR => 1, CLEANUP => 1);

# Its publisher has run, and knows what formats require.
sub repository {
    my (%how) = @_;
    my $db = Database->new(model => 'library');
    $db->run("select oai.register_requirements('[[\"doi\"], [\"title\"]]')", 'select oai.publish(10)') if !$how{new};
    return ($db, write_ini("$dir/$db->{name}.ini", $db));
}
sub load { my ($ini, @words) = @_; return run_program($oai, '--config', $ini, 'load', @words) }
my @collections = ('--collection', 'b:c', '--collection', 'b:a');

sub items { my ($from, $to, $title) = @_; return library_items("$dir/$$-$from-$to-" . ($title // '') . '.csv', [$from .. $to], title => $title) }

sub the_same {
    spew("$dir/damaged.xml", '<records xmlns:d="http://purl.org/dc/elements/1.1/"><dc><d:title>T</d:title><d:identifier>x/1</d:identifier></dc><dc><d:title>no identifier</d:title></dc></records>');
    spew("$dir/none", "nothing of the kind\n");
    my @files = (items(1, 6000), "$dir/damaged.xml", "$dir/none", items(5001, 9000, 'Other'), library_dump("$dir/dump.xml", 'i', 8501, 9500));
    my ($db, $ini) = repository();
    my $tables = tables($db);
    my ($status, $said) = load($ini, '--first-fill', @collections, @files);
    is $status, 1, 'a fill with damaged files ends with 1';
    like $said, qr{damaged\.xml:\d+: .*$dir/none: holds no bib}s, 'and names them' or diag $said;
    like $said, qr/first fill: 9451 items are published; 1550 were met again or are deleted/, 'all others are published' or diag $said;
    is tables($db), $tables, 'rights and triggers are as before';
    is $db->value('select count(*) from library.fill_open'), 0, 'nothing is open';
    1 while $db->publish(10_000);
    is_sound($db, 'filled');
    is $db->value("select count(*) from library.item where local_id in ('i/5001', 'i/6000') and title[1] like 'Other %'"), 2, 'the last one counts';

    my ($other, $other_ini) = repository();
    load($other_ini, @collections, $_) for @files;
    1 while $other->publish(10_000);
    is library_content($db), library_content($other), 'it is what loading slice by slice makes';
    ok wait_until(sub { $_->publish(10_000) for $db, $other; !grep { $_->value('select count(*) from oai.rule where examined is not null') } $db, $other }), 'what formats require is examined';
    is requirements($db), requirements($other), 'and is the same';

    # From now on it is like any other repository.
    ($status, $said) = load($ini, '--first-fill', $files[0]);
    like $said, qr/--first-fill is for an empty repository/, 'a second fill is refused';
    load($ini, '--collection', 'more', items(1, 12_000));
    $db->run("update library.item set kind = 'map' where id % 10 = 0", 'delete from library.item where id % 1000 = 0');
    1 while $db->publish(10_000);
    is_sound($db, 'changed');
    is $db->value('select count(*) from library.item where seq is null'), 0, 'all is published';
}

# More items that are met again than are kept in memory: their files are read once more.
sub many_again {
    my ($db, $ini) = repository();
    my $long = 'x' x 100_000;
    my ($first, $second, $third) = map { my ($title, $text) = @$_; spew("$dir/again-$title.csv", join '', "local_id,title,description\n", map { "i/$_,$title,$text\n" } 1 .. 800) }
        ['First', 'short'], ['Second', $long], ['Third', 'short'];
    my ($status, $said) = load($ini, '--first-fill', $first, $second, $third);
    is $status, 0, 'it is filled' or diag $said;
    like $said, qr/again-Second\.csv: is read once more.*again-Third\.csv: is read once more/s, 'files are read once more';
    1 while $db->publish(10_000);
    is $db->value("select string_agg(distinct title[1] || length(description[1]), ' ') from library.item"), 'Third5', 'the last one counts';
    is_sound($db, 'then');
}

# A repository whose publisher has not run numbers items by the datestamps that they bring.
sub not_numbered {
    my ($db, $ini) = repository(new => 1);
    my ($status, $said) = load($ini, '--first-fill', items(1, 10));
    like $said, qr/a library's publisher has to have run/, 'a fill is refused';
    is $db->value('select count(*) from library.item'), 0, 'and nothing is loaded';
}

# Ends the loader at each of its statements in turn; then the same command fills the repository.
sub broken_off {
    my @files = (items(1, 6000), items(6001, 8000));
    my ($db, $ini) = repository();
    my $tables = tables($db);
    my $publisher = start_program([$oai, '--config', $ini, 'publish'], out => "$dir/publish.log");
    # All items are copied when the loader comes to the chunks of sets.
    my %lock = (begin_fill => 'library.item', 'copy oai.set_chunk' => 'oai.set_chunk', end_fill => 'oai.calendar');
    for my $at ('begin_fill', 'copy oai.set_chunk', 'end_fill') {
        for my $how ('KILL', 'INT', 'terminate') {
            # What the loader needs for that statement is locked, so that it cannot be faster than this test.
            my $holder = $db->session;
            $holder->send('begin');
            $holder->send("lock table $lock{$at} in share mode");
            my $loader = start_program([$oai, '--config', $ini, 'load', '--first-fill', @collections, @files], out => "$dir/cut.log");
            my $of = "select count(*) from pg_stat_activity where usename = 'oai_loader' and datname = current_database()";
            ok wait_until(sub { $db->value("$of and wait_event_type = 'Lock'") }), "$at is reached";
            $how eq 'terminate' ? $db->value("select count(pg_terminate_backend(pid)) from pg_stat_activity where usename = 'oai_loader' and datname = current_database()") : kill $how, $loader;
            my $status = status_of($loader);
            $holder->send('commit');
            $holder->finish;
            ok wait_until(sub { !$db->value($of) }), "$how: it ends ($status)";
            is tables($db), $tables, 'rights and triggers are as before';
            is $db->value('select count(*) from library.item'), 0, 'nothing of it is there';
            like((run_program($oai, '--config', $ini, 'get', 'verb=ListIdentifiers&metadataPrefix=oai_dc'))[1], qr/noRecordsMatch/, 'the repository serves');
        }
    }
    my ($status, $said) = load($ini, '--first-fill', @collections, @files);
    is $status, 0, 'in the end it is filled' or diag $said;
    like $said, qr/one that is broken off begins anew.*8000 items are published; 0 were met again/s, 'anew';
    is_sound($db, 'in the end');
    ok wait_until(sub { $db->value("select clock_timestamp() - h < interval '3 s' from oai.horizon") eq 't' }), 'the publisher goes on';
    like((run_program($oai, '--config', $ini, 'get', 'verb=ListIdentifiers&metadataPrefix=oai_dc'))[1], qr/completeListSize="8000"|<resumptionToken/, 'harvesters get it');
    is stop_program($publisher, 'TERM'), 0, 'and ends';
}

# Readers are answered while it is filled; who writes waits, and is published afterwards.
sub beside {
    my ($db, $ini) = repository();
    my $holder = $db->session;   # keeps the fill from ending
    $holder->send('begin');
    $holder->send('lock table oai.calendar in share mode');
    my $loader = start_program([$oai, '--config', $ini, 'load', '--first-fill', items(1, 8000)], out => "$dir/beside.log");
    ok wait_until(sub { $db->value("select count(*) from pg_stat_activity where usename = 'oai_loader' and datname = current_database() and query like '%end_fill%' and wait_event_type = 'Lock'") }), 'the fill is under way';
    like((run_program($oai, '--config', $ini, 'get', 'verb=ListIdentifiers&metadataPrefix=oai_dc'))[1], qr/noRecordsMatch/, 'a harvester is answered');
    my $writer = start_program(['psql', '-XqAt', '-d', $db->conninfo('oai_loader'), '-c', "insert into library.item (local_id, title) values ('mine', '{Mine}')"], out => "$dir/writer.log");
    my $second = start_program([$oai, '--config', $ini, 'load', '--first-fill', items(1, 8000)], out => "$dir/second.log");
    my $third = start_program([$oai, '--config', $ini, 'load', items(7001, 10_000)], out => "$dir/third.log");
    my $few = start_program([$oai, '--config', $ini, 'load', items(9991, 10_100)], out => "$dir/few.log");   # fewer than publish themselves
    ok wait_until(sub { slurp("$dir/second.log") =~ /another oai load fills the repository: waiting/ }), 'a second fill waits, and says so';
    ok wait_until(sub { $db->value("select count(*) from pg_stat_activity where datname = current_database() and query like 'insert into library.item%' and wait_event_type = 'Lock'") }),
        'a writer waits';
    is $db->value("select count(*) from pg_stat_activity where usename = 'oai_loader' and datname = current_database() and query like '%end_fill%' and wait_event_type = 'Lock'"), 1,
        'the fill waits for whoever has a table, however long';
    $holder->send('commit');
    $holder->finish;
    is status_of($loader), 0, 'the fill ends' or diag slurp("$dir/beside.log");
    is status_of($writer), 0, 'so does the writer' or diag slurp("$dir/writer.log");
    is status_of($second), 1, 'the second one is told that it is not empty';
    is status_of($third), 0, 'a loader that fills nothing goes on' or diag slurp("$dir/third.log");
    is status_of($few), 0, 'so does one with few items' or diag slurp("$dir/few.log");
    1 while $db->publish(10_000);
    is $db->value('select count(*) from library.item where seq is not null'), 10_101, 'everything is published';
    is_sound($db, 'then');
}

sub rights {
    my ($db) = repository();
    my $loader = $db->conninfo('oai_loader');
    my $try = sub { eval { Database::psql($loader, map { ('-c', $_) } @_) } // $@ };
    like $try->('begin', 'select library.begin_fill()', 'commit'), qr/a first fill was not ended/, 'a transaction that opens the tables cannot leave them open';
    like $try->("select library.end_fill(1, 1, now(), '{}', '{}')"), qr/no first fill/, 'what was not begun cannot be ended';
    like $try->('begin', 'select library.begin_fill()', "insert into library.item (id, seq, datestamp, local_id) values (1, 5, now(), 'x')", "select library.end_fill(1, 1, now(), '{}', '{}')"),
        qr/the items are not those of the fill/, 'numbers have no gaps';
    like $try->('begin', 'select library.begin_fill()', 'select library.is_unfilled()'), qr/permission denied/, 'what is not the loader\'s is not';
    like $try->('set oai.publisher = on', "insert into library.item (seq, local_id) values (5, 'x')"), qr/permission denied/, 'nor are numbers';
    my $said = $try->('begin', 'select library.begin_fill()', "select library.end_fill(0, 1, now(), '{}', '{}')", "insert into library.item (local_id) values ('y')", 'commit');
    is $db->value('select count(*) from oai.queue'), 1, 'what is written behind a fill is queued' or diag $said;
    is $try->('begin', "select t is null from library.begin_fill()", 'rollback'), "t\n", 'a repository with an item is not filled';
}

# A disk that is full at first, and gets a little larger each time.
sub full_disk {
    my @files = (items(1, 8000), items(8001, 10_000));
    my ($db, $ini) = repository();
    my $tables = tables($db);
    my %phases = load_on_small_disk($db, $dir, load => sub { load($ini, '--first-fill', @collections, @files) }, check => sub {
        is $db->value('select count(*) from library.item'), 0, "$_[0]: nothing of it is seen";
        is tables($db), $tables, 'and the repository is as it was';
        $db->run('vacuum library.item', 'vacuum library.item_collection', 'vacuum oai.set_chunk');
    }) or return;
    ok $phases{item_fill_copy}, 'the disk was full while items were written';
}

parallel_subtests(
    'a full disk' => \&full_disk,
    'the same as slice by slice' => \&the_same,
    'many met again' => \&many_again,
    'before the publisher has run' => \&not_numbered,
    'broken off' => \&broken_off,
    'beside others' => \&beside,
    'rights' => \&rights,
);
done_testing;
