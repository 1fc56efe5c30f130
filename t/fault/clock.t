#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The clock of PostgreSQL alone is wrong, as where it has a host of its own: a day ahead for some seconds, then a day behind. What
# was committed meanwhile is published with honest datestamps once the clock is right, and no harvester misses it.
use TestProgram;
use Clock;
use POSIX ();

my $dir = shared_directory();
my $clock = Clock->new($dir);
my $me = $$;
my %turned = $clock->environment;
chomp(local $ENV{OAI_TEST_DB} = `env @{[map { "$_=$turned{$_}" } keys %turned]} $root/t/lib/cluster start $dir/pg`);
$? == 0 or BAIL_OUT('no PostgreSQL for the test');
local $ENV{OAI_KEEP_DB} = 1;    # the database is removed with the cluster
END { if ($$ == $me) { my $status = $?; system("$root/t/lib/cluster", 'stop', "$dir/pg"); $? = $status } }

my $db = Database->new(model => 'library');
my $r = Repository->new(db => $db, dir => do { mkdir "$dir/r" or die $!; "$dir/r" });
my $log = "$dir/publisher.log";
my $publisher = start_program(["$r->{bin}/oai", '--config', $r->{ini}, 'publish'], log => $log);
$r->start;
sub insert { my ($id) = @_; $db->run("insert into library.item (local_id, title) values ('$id', '{T}')"); return }
sub is_published { my ($id) = @_; return ok wait_until(sub { $db->value("select seq is not null from oai.item where local_id = '$id'") eq 't' }), "$id is published" }
sub now { return POSIX::strftime('%Y-%m-%dT%H:%M:%SZ', gmtime) }
my $list = 'verb=ListIdentifiers&metadataPrefix=oai_dc';

insert('before');
is_published('before');
$r->wait_for_horizon;
my ($harvested) = $r->ask($list)->{body} =~ m{<responseDate>(.*?)<};

for ([86_400, 'ahead'], [-86_400, 'behind']) {
    my ($turn, $how) = @$_;
    $clock->turn($turn);
    is int(($db->value('select extract(epoch from clock_timestamp())') - time) / $turn + 0.5), 1, "the clock of PostgreSQL is a day $how";
    insert($how);
    ok wait_until(sub { slurp($log) =~ /event=clock_jumped/ }), 'the publisher says that it has jumped' if $how eq 'ahead';
    my $answer = $r->ask($list);
    is $answer->{status}, 200, 'lists are answered';
    cmp_ok +($answer->{body} =~ m{<responseDate>(.*?)<})[0], 'le', now(), 'with a responseDate that is no day ahead';
    $clock->turn(0);
    is_published($how);
}
is $db->value("select count(*) from oai.item where datestamp > now()") + $db->value("select count(*) from oai.item i, oai.item j where i.seq < j.seq and i.datestamp > j.datestamp"), 0,
    'datestamps do not fall, and none is still to come';
ok wait_until(sub { join(' ', sort $r->ask("$list&from=$harvested")->{body} =~ m{<identifier>oai:example.org:(ahead|behind)<}g) eq 'ahead behind' }), 'a harvester from before misses neither';
is stop_program($publisher), 0, 'the publisher stops';
is $r->stop, 0, 'and the server';
done_testing;
