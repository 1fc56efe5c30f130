#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Ctrl-C and SIGTERM in the middle of a slice that `oai load` publishes into a repository with records: nothing of the slice is seen,
# the loader says what to do and ends by the signal, and the same command given again loads the rest.
use TestProgram;
use Breakpoint;
use LoadChecks;
use ParallelSubtests;

my $oai = "$build/release/oai";
my $dir = tempdir('oai-load-XXXXXX', TMPDIR => 1, CLEANUP => 1);
use constant {SLICE => 3000, RECORDS => 9000};

my %model = (
    webarchiv => {
        table => 'webarchiv.doc',
        old   => "insert into webarchiv.doc (archived_time, url, surt) values ('2007-01-01', 'http://old.cz/', 'cz,old)/')",
        file  => join '', map { qq|cz,a)/$_ 20070101000000 {"url": "http://www.a.cz/$_", "mime": "text/html", "digest": "D$_"}\n| } 1 .. RECORDS,
    },
    library => {
        table => 'library.item',
        old   => "insert into library.item (local_id, title) values ('old', '{Old}')",
        file  => join '', "local_id,title,kind,language\n", map { "i/$_,Title $_,book,eng\n" } 1 .. RECORDS,
    },
);

# The second slice stops behind its INSERT: however slow the machine is, the loader is then in its middle.
sub repository {
    my ($model) = @_;
    my $db = Database->new(model => $model);
    $db->run($model{$model}{old}, 'select oai.publish(10)', 'select oai.publish(10)');
    my $second = Breakpoint->new($db, "insert on $model{$model}{table}", '(select last_seq from oai.horizon) > 1');
    $second->arm;
    return ($db, $second, write_ini("$dir/$db->{name}.ini", $db, loader => {slice_records => SLICE}));
}

sub stopped {
    my ($model, $signal, $number) = @_;
    my ($db, $second, $ini) = repository($model);
    my @command = ($oai, '--config', $ini, 'load', spew("$dir/$db->{name}.in", $model{$model}{file}));
    my $seen = "select count(*) || ' ' || count(seq) || ' ' || (select last_seq from oai.horizon) from $model{$model}{table}";
    my $backends = "select count(*) from pg_stat_activity where datname = current_database() and usename = 'oai_loader'";

    my $loader = start_program(\@command, log => "$dir/$db->{name}.log");
    ok $second->reached, 'the loader is in the middle of a slice';
    my $before = join ' ', (SLICE + 1) x 3;
    is $db->value($seen), $before, 'one slice is published';
    kill $signal, $loader;
    is status_of($loader), "signal $number", "SIG$signal ends it";
    is slurp("$dir/$db->{name}.log"), "oai: stopped: run it again: what has been loaded is found, the rest is loaded\n", 'and it says what to do';
    is $db->value($seen), $before, 'nothing of the slice is seen while the database is at it';
    $second->release;
    ok wait_until(sub { $db->value($backends) == 0 }), 'the database gives the slice up';
    is $db->value($seen), $before, 'nothing of it is seen then';
    my (undef, $answer) = run_program($oai, '--config', $ini, 'get', 'verb=ListIdentifiers&metadataPrefix=oai_dc');
    is(($answer =~ /completeListSize="(\d+)"/)[0], SLICE + 1, 'and harvesters are answered');
    is_sound($db, 'stopped');

    my ($status, $said) = run_program(@command);
    is $status, 0, 'the same command goes on' or diag $said;
    my ($all, $rest, $known) = (RECORDS, RECORDS - SLICE, SLICE);
    like $said, qr/$all records \($rest inserted, 0 updated, $known unchanged\)/, 'with the rest';
    1 while $db->publish(10_000);
    is $db->value($seen), join(' ', (RECORDS + 1) x 3), 'every record is there once, and published';
    is_sound($db, 'in the end');
}

parallel_subtests(map { my $model = $_; ("$model, Ctrl-C" => sub { stopped($model, 'INT', 2) }, "$model, SIGTERM" => sub { stopped($model, 'TERM', 15) }) } sort keys %model);
done_testing;
