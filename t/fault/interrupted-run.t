#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What t/run leaves behind when it is interrupted: nothing, whether by SIGINT, by SIGTERM or by SIGKILL, and what to do is said.
# A program that a test left running is ended and named; where no disk space or no loopback interface is, the run ends before it
# begins; an ordinary user needs no more than root.
use TestProgram;

my $dir = shared_directory();

# A tree of its own with one test, which starts a daemon in a session of its own, writes its process id, and waits as told.
mkdir "$dir/$_" or die $! for qw(t t/server build tmp);
symlink "$root/t/lib", "$dir/t/lib" or die $!;
system('cp', "$root/t/run", "$dir/t/run") == 0 or die;
sub write_test {
    my ($last) = @_;
    spew("$dir/t/server/daemon.t", "#!/bin/sh\nsetsid tail -f /dev/null >/dev/null 2>&1 &\necho \$! >$dir/pid\n$last\necho 'ok 1 - done'\necho 1..1\n");
    chmod 0755, "$dir/t/server/daemon.t" or die $!;
    unlink "$dir/pid";
    return;
}
# t/run starts a PostgreSQL for it, since it is one of t/server.
local @ENV{qw(BUILD TMPDIR)} = ("$dir/build", "$dir/tmp");
delete @ENV{qw(OAI_TEST_DB OAI_TEST_LONG)};

for my $signal (qw(INT TERM KILL)) {
    write_test('tail -f /dev/null');
    my $pid = start_program(["$dir/t/run"], out => "$dir/out");
    ok wait_until(sub { -s "$dir/pid" }), "SIG$signal: the test has started its daemon" or diag slurp("$dir/out");
    my ($daemon) = slurp("$dir/pid") =~ /(\d+)/;
    kill $signal, $pid;
    my $status = status_of($pid);
    is $status, $signal eq 'KILL' ? 'signal 9' : 130, "SIG$signal: t/run ends";
    ok wait_until(sub { !kill 0, $daemon }), "SIG$signal: the daemon is ended";
    ok wait_until(sub { !(() = glob "$dir/tmp/oai-test-*") }), "SIG$signal: nothing is left in TMPDIR, so no PostgreSQL either";
    ok wait_until(sub { slurp("$dir/out") =~ /interrupted: what it had started was ended; start it again/ }), "SIG$signal: and that is said";
}

write_test('');
my ($status, $said) = run_program("$dir/t/run");
is $status, 0, 'a test that leaves a daemon running passes' or diag $said;
like $said, qr/^left running by a test, and ended now: tail -f/m, 'the daemon is named';
my ($left) = slurp("$dir/pid") =~ /(\d+)/;
ok !kill(0, $left), 'and ended';
like $said, qr/^t\/server\/daemon\.t .*\[1 of 1\]\n/m, 'how many have run of how many is printed';
like $said, qr/^1 passed, 0 failed\n\z/m, 'the last line is the sum';

($status, $said) = run_program("$dir/t/run", 'no such test');
isnt $status, 0, 'a pattern that no test has is an error';
like $said, qr/no test matches no such test/, 'which is said';

SKIP: {
    skip 'only root can do without a network', 3 if $> || system('unshare --net ip link set lo up 2>/dev/null') != 0;
    ($status, $said) = run_program('unshare', '--net', "$dir/t/run");
    isnt $status, 0, 'without a loopback interface no test is begun';
    like $said, qr/127\.0\.0\.1 cannot be reached: .*`ip link set lo up`/, 'and what to do is said';
    ($status, $said) = run_program('unshare', '--net', 'sh', '-c', "ip link set lo up && $dir/t/run");
    like "$status $said", qr/^0 .*^1 passed, 0 failed$/ms, 'no other network is needed';
}
SKIP: {
    skip 'only root can mount a small disk', 2 if $> || system('mount', '-t', 'tmpfs', '-o', 'size=1m', 'oai-test', "$dir/tmp") != 0;
    ($status, $said) = run_program("$dir/t/run");
    system('umount', "$dir/tmp");
    isnt $status, 0, 'without space on the disk no test is begun';
    like $said, qr/MB are free in \S+: free some space, or set TMPDIR to a directory on another disk/, 'and what to do is said';
}
done_testing();
