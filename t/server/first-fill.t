#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The first fill of a web archive by `oai load` (schema/webarchiv/fill.sql): the same repository as loading slice by slice makes,
# from several files that have captures in common, of all formats; a damaged file among them; broken off at every step by kill -9,
# Ctrl-C and the end of a backend, and gone on with; beside a second loader and a publisher; and the functions in hostile hands.
use TestProgram;
use LoadChecks;
use ParallelSubtests;

my $oai = "$build/release/oai";
my $dir = tempdir('oai-fill-XXXXXX', TMPDIR => 1, CLEANUP => 1);
sub repository {
    my $db = Database->new;
    return ($db, write_ini("$dir/$db->{name}.ini", $db));
}

# Every fifth capture is in both files; of those, the second file lacks the digest, and the first one the status.
sub files {
    my ($n) = @_;
    my @lines = ([], []);
    for my $i (1 .. $n) {
        my $host = 'h' . $i % 37;
        my $time = sprintf '2007%02d%02d%06d', 1 + $i % 12, 1 + $i % 28, $i % 10_000 % 60;
        my $shared = $i % 5 == 0;
        my $what = qq|"url": "http://$host.cz/$i", "mime": "@{[$i % 3 ? 'text/html' : 'image/png']}", "filename": "x.warc", "offset": $i|;
        push @{ $lines[$i % 2] }, qq|cz,$host)/$i $time {$what, "digest": "D$i"| . ($shared ? '' : ', "status": "200"') . '}' if !$shared || $i % 2;
        push @{ $lines[1 - $i % 2] }, qq|cz,$host)/$i $time {$what, "status": "301"}| if $shared;
        push @{ $lines[$i % 2] }, qq|cz,$host)/$i $time {$what, "digest": "D$i"}| if $shared && $i % 2 == 0;
    }
    return map { spew("$dir/$n-$_.cdxj", join '', map { "$_\n" } @{ $lines[$_] }) } 0, 1;
}
# What is the same however it was loaded.
sub content {
    my ($db) = @_;
    return $db->value("select md5(string_agg(concat_ws('|', url, surt, archived_time, status, digest, length, doc_offset,
            (select file from webarchiv.arc a where a.id = d.id_arc), (select name from webarchiv.domain n where n.id = d.id_domain),
            (select name from webarchiv.mimetype n where n.id = d.id_mimetype), deleted,
            (select string_agg(spec, ' ' order by spec) from oai.set s where s.id = any (d.set_ids)),
            (select string_agg(name, ' ' order by name) from webarchiv.doc_collection f join webarchiv.collection c on c.id = f.id_collection where f.id_doc = d.id)), chr(10)
            order by surt, archived_time, digest)) from webarchiv.doc d")
        . ' ' . $db->value("select string_agg(spec || '=' || item_count || held, ' ' order by spec) from oai.set");
}
my @collections = ('--collection', 'b:c', '--collection', 'b:a');

sub the_same {
    my @files = files(6000);
    for my $captured (0, 1) {
        my @how = (@collections, $captured ? ('--datestamps', 'captured') : ());
        my ($db, $ini) = repository();
        my $tables = tables($db);
        spew("$dir/damaged.cdxj", "cz,x)/1 20070101000000 {\"url\": \"http://x.cz/1\"}\ncz,x)/2 20079901000000 {\"url\": \"http://x.cz/2\"}\n");
        spew("$dir/none", "nothing of the kind\n");
        my ($status, $said) = load($ini, '--first-fill', @how, $files[0], "$dir/damaged.cdxj", "$dir/none", $files[1]);
        is $status, 1, 'a fill with damaged files ends with 1';
        like $said, qr{damaged\.cdxj:\d+: .*$dir/none: is no web archive}s, 'and names them';
        like $said, qr/first fill: 6001 captures are published; 1200 were in several/, 'all others are published';
        is_sound($db, 'filled');
        is tables($db), $tables, 'rights, triggers and indexes are as before';
        is $db->value("select to_regclass('webarchiv.fill_block') is null"), 't', 'nothing is left of the files';
        is $db->value('select count(distinct datestamp) from webarchiv.doc'), $captured ? $db->value('select count(distinct archived_time) from webarchiv.doc') : 1, 'datestamps';
        my $filled = content($db);

        my ($other, $other_ini) = repository();
        load($other_ini, @how, $_) for $files[0], "$dir/damaged.cdxj", $files[1];
        1 while $other->publish(10_000);
        is $filled, content($other), 'it is what loading slice by slice makes';
        is $db->value('select md5(string_agg(datestamp::text, chr(32) order by surt)) from webarchiv.doc'),
            $other->value('select md5(string_agg(datestamp::text, chr(32) order by surt)) from webarchiv.doc'), 'with the same datestamps' if $captured;

        # From now on it is like any other repository.
        ($status, $said) = load($ini, '--first-fill', $files[0]);
        like $said, qr/--first-fill is for an empty repository/, 'a second fill is refused';
        load($ini, '--collection', 'more', $files[0]);
        $db->run("update webarchiv.doc set status = 404 where id % 10 = 0", "delete from webarchiv.doc where id % 1000 = 0");
        1 while $db->publish(10_000);
        is_sound($db, 'changed');
    }
}

# Ends the loader at each of its statements in turn, by kill -9, Ctrl-C and the end of its backend, in the short form by one of
# them; then the same command goes on.
sub broken_off {
    my @files = files(3000);
    my ($db, $ini) = repository();
    my $tables = tables($db);
    my $publisher = start_program([$oai, '--config', $ini, 'publish'], out => "$dir/publish.log");
    ok wait_until(sub { $db->value('select h is not null from oai.horizon') eq 't' }), 'a publisher has begun';
    my %said;
    my @hows = qw(KILL INT terminate);
    for my $at ('fill_block (bucket', 'begin_writing', 'copy webarchiv.doc ', 'copy oai.set_chunk', 'end_fill') {
        push @hows, shift @hows;
        for my $how (sample(3, @hows)) {
            # What the loader needs for that statement, or in the end, is locked, so that it cannot be faster than this test.
            my $holder = $db->session;
            $holder->send('begin');
            $holder->send($at =~ /bucket/ ? 'lock table webarchiv.domain in access exclusive mode'
                : $at =~ /begin_writing/ ? 'lock table webarchiv.doc in access share mode' : 'lock table oai.set in share mode');
            my $loader = start_program([$oai, '--config', $ini, 'load', '--first-fill', @collections, @files], out => "$dir/cut.log");
            my ($all, $this) = map { my $where = $_; sub { $db->value("select count(*) from pg_stat_activity where usename = 'oai_loader' and datname = current_database()$where") } }
                '', $at =~ /bucket/ ? " and wait_event_type = 'Lock'" : " and query like '%$at%'";
            my $last = sub { $db->value("select count(*) from pg_stat_activity where query like '%end_fill%' and usename = 'oai_loader' and datname = current_database()") };
            ok wait_until(sub { $this->() || $last->() }), "$at is reached";
            $how ne 'terminate' ? kill($how, $loader) : $db->value("select count(pg_terminate_backend(pid)) from pg_stat_activity where usename = 'oai_loader' and datname = current_database()");
            my $status = status_of($loader);
            $holder->send('commit');
            $holder->finish;
            ok wait_until(sub { !$all->() }), "$how: it ends ($status)";
            is tables($db), $tables, 'the repository is as it was';
            like((run_program($oai, '--config', $ini, 'get', 'verb=ListIdentifiers&metadataPrefix=oai_dc'))[1], qr/noRecordsMatch/, 'and serves');
            $said{ slurp("$dir/cut.log") =~ /goes on; (\d) files/ ? "went on after $1" : 'began' }++;
        }
    }
    my ($status, $said) = load($ini, '--first-fill', @collections, @files);
    is $status, 0, 'in the end it is filled' or diag $said;
    is_deeply [sort keys %said], ['began', 'went on after 2'], 'it went on where it was broken off';
    like $said, qr/was read before.*was read before.*3000 captures are published/s, 'what was read is not read again';
    is_sound($db, 'in the end');
    is tables($db), $tables, 'rights, triggers and indexes are as before';
    my $now = $db->value('select clock_timestamp()');
    ok wait_until(sub { $db->value("select h > '$now' from oai.horizon") eq 't' }), 'the publisher goes on';
    is stop_program($publisher, 'TERM'), 0, 'and ends';
}

# Thousands of files of some captures each, a damaged one and an unreadable one in their middle.
sub thousands {
    my $files = is_long() ? 2000 : 600;
    my @files = map { my $n = $_; spew("$dir/many-$n.cdxj", join '', map { qq|cz,m)/$n/$_ 2007010100000$_ {"url": "http://m.cz/$n/$_", "digest": "D$n"}\n| } 1 .. 3) } 1 .. $files;
    my $damaged = spew("$dir/many-damaged.cdxj", qq|cz,m)/sound 20070101000000 {"url": "http://m.cz/sound"}\ncz,m)/2 20079901000000 {"url": "http://m.cz/2"}\n|);
    splice @files, $files / 2, 0, $damaged, "$dir/many-missing.cdxj";
    my ($db, $ini) = repository();
    my ($status, $said) = load($ini, '--first-fill', @files);
    is $status, 1, 'a fill with a damaged file among thousands ends with 1';
    like $said, qr/^\Q$damaged\E:\d+: /m, 'the damaged one is named' or diag $said;
    like $said, qr/^\Q$dir\E\/many-missing\.cdxj: /m, 'so is one that is not there';
    is scalar(() = $said =~ /^(?!loaded |first fill: ).+$/mg), 2, 'and nothing else';
    like $said, qr/first fill: @{[3 * $files + 1]} captures are published/, 'the rest is loaded';
    is $db->value('select count(*) from webarchiv.doc where seq is not null'), 3 * $files + 1, 'and published';
    is_sound($db, 'then');
}

# All files of the sample together: ARC, WARC and CDX, compressed or not.
sub formats {
    my $sample = "$dir/sample";
    system("$root/deploy/sample/make-sample", $sample) == 0 or die;
    my @files = map { "$sample/" . (split)[0] } split /\n/, slurp("$sample/load.list");
    for my $format (qw(arc warc cdx)) { cmp_ok scalar(grep { /\.$format(?:\.gz)?$/ } @files), '>', 0, "there is a file in $format" }
    my ($db, $ini) = repository();
    my ($status, $said) = load($ini, '--first-fill', @collections, @files);
    is $status, 0, 'a fill takes files of all formats' or diag $said;
    my ($other, $other_ini) = repository();
    load($other_ini, @collections, $_) for @files;
    1 while $other->publish(10_000);
    is content($db), content($other), 'it is what loading slice by slice makes';
    is_sound($db, 'then');
}

sub two_at_once {
    my @files = files(4000);
    my ($db, $ini) = repository();
    my @loaders = map { start_program([$oai, '--config', $ini, 'load', '--first-fill', $_], out => "$_.log") } @files;
    my @status = sort map { status_of($_) } @loaders;
    is "@status", '0 1', 'one fills the repository, the other is told that it is not empty';
    like join('', map { slurp("$_.log") } @files), qr/another oai load fills the repository.*|--first-fill is for an empty/s, 'after it has waited';
    is_sound($db, 'then');
}

# A loader with few captures while a fill writes.
sub beside {
    my @files = files(4000);
    my ($db, $ini) = repository();
    my $holder = $db->session;   # keeps the fill from ending
    $holder->send('begin');
    $holder->send('lock table oai.rule in share mode');
    my $fill = start_program([$oai, '--config', $ini, 'load', '--first-fill', @files], out => "$dir/beside.log");
    my $waits = "select count(*) from pg_stat_activity where usename = 'oai_loader' and datname = current_database() and wait_event_type = 'Lock'";
    ok wait_until(sub { $db->value("$waits and query like '%end_fill%'") }), 'a fill is about to end';
    my $few = start_program([$oai, '--config', $ini, 'load', spew("$dir/few.cdxj", join '', map { qq|cz,few)/$_ 20070101000000 {"url": "http://few.cz/$_", "digest": "D$_"}\n| } 1 .. 10)], out => "$dir/few.log");
    ok wait_until(sub { $db->value($waits) == 2 }), 'another loader waits for it';
    $holder->send('commit');
    $holder->finish;
    is status_of($fill), 0, 'the fill ends' or diag slurp("$dir/beside.log");
    is status_of($few), 0, 'so does the loader' or diag slurp("$dir/few.log");
    1 while $db->publish(10_000);
    is $db->value("select count(*) from webarchiv.doc where seq is not null and surt like 'cz,few)/%'"), 10, 'and all that it has loaded is there';
    is_sound($db, 'then');
}

# What an index of the tables refuses is known at the end only.
sub same_place {
    my ($db, $ini) = repository();
    my $file = spew("$dir/place.cdxj", join '', map { qq|cz,a)/$_ 20070101000000 {"url": "http://a.cz/$_", "filename": "x.warc", "offset": 5}\n| } 1, 2);
    my ($status, $said) = load($ini, '--first-fill', $file);
    like "$status $said", qr/^1 .*"doc_place".*load with --leave-to-publisher/s, 'captures that are told apart by nothing are refused, with what to do';
    ($status, $said) = load($ini, '--leave-to-publisher', $file);
    is $status . $db->value('select count(*) from webarchiv.doc'), '01', 'which helps' or diag $said;
}

# A file name that was mistyped takes nothing away: the repository still takes datestamps.
sub nothing_read {
    my ($db, $ini) = repository();
    my ($status, $said) = load($ini, '--first-fill', '--datestamps', 'captured', "$dir/mistyped.cdxj");
    like "$status $said", qr/^1 .*mistyped\.cdxj: cannot be opened.*nothing was read, and nothing is published/s, 'a fill of nothing is none';
    ($status, $said) = load($ini, '--first-fill', '--datestamps', 'captured', (files(100))[0]);
    is $status, 0, 'the next one fills the repository' or diag $said;
}

sub rights {
    my ($db) = repository();
    my $loader = $db->conninfo('oai_loader');
    my $try = sub { eval { Database::psql($loader, map { ('-c', $_) } @_) } // $@ };
    like $try->('select webarchiv.begin_fill(false)', 'begin', 'select webarchiv.begin_writing(false)', 'commit'), qr/a first fill was not ended/, 'a transaction that opens the tables cannot leave them open';
    like $try->("select webarchiv.end_fill(1, 1, now(), false, '{}', '{}')"), qr/fill_ddl|no first fill/, 'what was not begun cannot be ended';
    like $try->('create temporary table fill_ddl (n integer, ddl text)', "insert into fill_ddl values (1, 'alter role oai_loader superuser')", "select webarchiv.end_fill(1, 1, now(), false, '{}', '{}')"),
        qr/stands in the place/, 'nobody else says what is run';
    like $try->('select webarchiv.is_unfilled()'), qr/permission denied/, 'what is not the loader\'s is not';
    $db->run("insert into webarchiv.doc (archived_time, url, surt) values ('2007-01-01', 'http://x/', 'x')");
    like $try->('select webarchiv.begin_fill(false)', 'begin', 'select webarchiv.begin_writing(false)'), qr/another program has begun/, 'a repository with a record is not filled';
}

# A disk that is full at first, and gets a little larger each time.
sub full_disk {
    my @files = files(is_long() ? 20_000 : 6000);
    my ($db, $ini) = repository();
    my $tables = tables($db);
    my %phases = load_on_small_disk($db, $dir, load => sub { load($ini, '--first-fill', @collections, @files) }, check => sub {
        is $db->value('select count(*) from webarchiv.doc'), 0, "$_[0]: nothing of it is seen";
        is tables($db), $tables, 'and the repository is as it was';
    }) or return;
    ok $phases{fill_copy}, 'the disk was full while files were read';
    cmp_ok scalar(keys %phases), '>=', 3, 'and in other phases';
}

parallel_subtests(
    'a full disk' => \&full_disk,
    'the same as slice by slice' => \&the_same,
    'broken off' => \&broken_off,
    'two at once' => \&two_at_once,
    'beside a loader' => \&beside,
    'nothing read' => \&nothing_read,
    'two in the same place' => \&same_place,
    'thousands of files' => \&thousands,
    'formats' => \&formats,
    'rights' => \&rights,
);
done_testing;
