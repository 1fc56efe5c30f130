#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# No harvester ever misses a record (invariants I1 to I5). The writers, the harvesters and the comparison of what they hold are
# in t/fault/missed.cpp. This program runs the cluster, its lagging replica and the publishers, and disturbs them: publishers
# are killed in the middle of a slice, their backends are terminated in the middle of a statement, two publishers start at
# once, none runs for a while, and the clock is turned back and forth.
# Environment: OAI_MISSED_SECONDS, how long the load lasts (20); from 300 on transactions last up to a minute, the bulk load has
# a million records, and the clock is turned by half a minute. OAI_MISSED_SEED: repeats the random choices of an earlier run.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use IPC::Open2;
use Test::More;
use Time::HiRes qw(time sleep);
use Time::Local qw(timegm);

my $root = abs_path(dirname(__FILE__) . '/../..');
chdir $root or die "$root: $!\n";
use lib abs_path(dirname(__FILE__) . '/../lib');
use Clock;
use Configuration;
use Database;
use Process;

my $seconds = $ENV{OAI_MISSED_SECONDS} // 20;
my $seed    = $ENV{OAI_MISSED_SEED} // $$;
my $build   = abs_path($ENV{BUILD} // 'build');
my $long    = $seconds >= 300;
my ($longest, $bulk, $step) = $long ? (60, 1_000_000, 30) : (8, 50_000, 4);
srand $seed;
my $started = time;
sub note_time { note sprintf '%.1f s: %s', time - $started, @_; return }
note "seed $seed, $seconds s, transactions up to $longest s, $bulk records in one";

my $dir = tempdir('oai-fire-XXXXXX', TMPDIR => 1, CLEANUP => 0);
chmod 0755, $dir or die "$dir: $!\n";
my $me = $$;
my (%publisher, @clusters);   # pid -> log

# A clock for the cluster that can be shifted.
my $clock = Clock->new($dir);
my %turned = $clock->environment;
sub turn_clock { my ($by) = @_; $clock->turn($by); return }

sub start_cluster {
    local @ENV{keys %turned} = values %turned;
    chomp(my $conninfo = `t/lib/cluster start $dir/primary`);
    $? == 0 or die "no PostgreSQL for the test\n";
    push @clusters, "$dir/primary";
    return $conninfo;
}

sub start_replica {
    my ($primary, $dbname) = @_;
    push @clusters, "$dir/replica";
    local @ENV{keys %turned} = values %turned;
    chomp(my $host = `t/lib/cluster follow $dir/replica '$primary' recovery_min_apply_delay=5s hot_standby_feedback=on`);
    $? == 0 or die "no replica\n";
    return "$host port=5432 dbname=$dbname";
}

# One publisher uses the cluster's shifted clock and one the correct clock, as if they ran on different hosts.
my $logs = 0;
sub start_publisher {
    my ($ini, $turned) = @_;
    my $log = "$dir/publisher-" . ++$logs . '.log';
    my $pid = start_program(["$build/release/oai", '--config', $ini, 'publish'], log => $log, env => $turned ? \%turned : {});
    $publisher{$pid} = $log;
    return;
}
sub start_publishers { start_publisher($_[0], $_) for 0, 1; return }
sub end_publishers {
    my ($signal) = @_;
    kill $signal, keys %publisher;
    waitpid $_, 0 for keys %publisher;
    %publisher = ();
    return;
}

sub clean_up {
    return if $$ != $me || !defined $dir;
    local ($?, $@);
    end_publishers('KILL');
    system('t/lib/cluster', 'stop', $_) for reverse @clusters;
    system('rm', '-rf', $dir);
    undef $dir;
    return;
}
END { clean_up() }
$SIG{$_} = sub { exit 130 } for qw(INT TERM);

$ENV{OAI_TEST_DB} = start_cluster();
$ENV{OAI_KEEP_DB} = 1;   # the database is removed with the cluster
my $db = Database->new;
my ($dbname) = $db->conninfo =~ /dbname=(\S+)/;
my $replica = start_replica($ENV{OAI_TEST_DB}, $dbname);
my $ini = write_ini("$dir/oai.ini", $db);
turn_clock(100);
cmp_ok($db->value("select extract(epoch from clock_timestamp())") - time, '>', 99, 'the clock of the server can be turned');
turn_clock(0);
start_publishers($ini);
note_time('cluster, replica and publishers are up');

my $pid = open2(my $said, my $tell, "$build/release/fault/missed", $db->conninfo, $replica, $seconds, $longest, $bulk, $seed, "$dir/key");
$tell->autoflush;
my $first = <$said> // '';
die "missed: $first\n" if $first ne "burning\n";
my $begin = time;
note_time('it burns');

# Waits until a publisher is in the middle of its statement, and terminates its backend if asked to. The server's clock may
# be shifted meanwhile, so the limit is a number of attempts, not a time.
my $session = $db->session;
$session->send(q{create function pg_temp.catch(terminate boolean) returns integer language plpgsql as $$
declare
    found_pid integer;
begin
    for look in 1 .. 4000 loop
        perform pg_stat_clear_snapshot();
        select pid into found_pid from pg_stat_activity
        where usename = 'oai_publisher' and state = 'active' and query like '%oai.publish%'
          and wait_event_type is distinct from 'Lock';
        if found then
            if terminate then
                perform pg_terminate_backend(found_pid);
            end if;
            return found_pid;
        end if;
        perform pg_sleep(0.001);
    end loop;
    return 0;
end $$});

my %happened;
my %trouble = (
    kill => sub {
        my ($backend) = $session->send('select pg_temp.catch(false)');
        end_publishers('KILL');
        my ($active) = $session->send("select count(*) from pg_stat_activity where pid = $backend and state = 'active'");
        $happened{'publishers killed in mid-slice'} += $active;
        start_publishers($ini);
    },
    terminate => sub {
        my ($backend) = $session->send('select pg_temp.catch(true)');
        $happened{'backends ended in mid-statement'} += $backend != 0;
    },
    forward => sub { turn_clock($step); $happened{'clock forth'}++; sleep 1.5; turn_clock(0); $happened{'clock back'}++ },
    behind => sub { turn_clock(-$step); $happened{'clock back'}++; sleep 1.5; turn_clock(0); $happened{'clock forth'}++ },
    none   => sub { end_publishers('TERM'); $happened{'no publisher'}++; sleep 1; start_publishers($ini) },
);
print $tell "trouble\n";
my @next;
while (time - $begin < 0.7 * $seconds) {
    @next = sort { rand() <=> 0.5 } ('kill', 'terminate', 'kill', sort keys %trouble) if !@next;
    $trouble{shift @next}->();
    sleep 0.2 + rand($long ? 8 : 0.6);
}
turn_clock(0);
print $tell "calm\n";
close $tell;
note_time('calm again');

my (@late, $lag);
while (my $line = <$said>) {
    chomp $line;
    my ($kind, @words) = split /\t/, $line, -1;
    if ($kind eq 'pass' || $kind eq 'fail') { ok($kind eq 'pass', $words[0]) or diag $words[1] }
    elsif ($kind eq 'late') { push @late, \@words }
    elsif ($kind eq 'lag') { $lag = \@words }
    else { note_time("@words") }
}
waitpid $pid, 0;
is($? & 127, 0, 'the program with the harvesters was not ended by a signal');
note join ', ', map { "$_: $happened{$_}" } sort keys %happened;
cmp_ok($happened{$_} // 0, '>', 0, "this occurred at least once: $_")
    for 'publishers killed in mid-slice', 'backends ended in mid-statement', 'clock forth', 'clock back', 'no publisher';

# I3. The machine is considered overloaded if a round of a publisher takes more than 1.5 s, since the publisher halves its slice
# long before that.
end_publishers('TERM');
my @slow;
for my $log (glob "$dir/publisher-*.log") {
    open my $in, '<', $log or die "$log: $!\n";
    while (<$in>) {
        next if !/^time=(\d+)-(\d+)-(\d+)T(\d+):(\d+):([\d.]+)Z.* event=published .*milliseconds=(\d+)/ || $7 <= 1500;
        push @slow, [timegm(int $6, $5, $4, $3, $2 - 1, $1) + $6 - int $6, $7];
    }
}
my @unexplained = grep { my $at = $_->[0]; !grep { abs($_->[0] - $at) < 5 } @slow } @late;
ok(defined $lag, 'the lag was measured while nothing was disturbed');
is("@{[map { qq($_->[1] s) } @unexplained]}", '', 'I3: responseDate lags by at most 3 s while the publishers are not disturbed');
note "responseDate lags by $lag->[1] s (median) and $lag->[2] s (most) in $lag->[0] harvests" if $lag;
diag scalar(@late), ' answers lagged by more than 3 s beside ', scalar(@slow),
    ' rounds of the publisher of more than 1.5 s: the machine is overloaded' if @late && !@unexplained;
done_testing();
