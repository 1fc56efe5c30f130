#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# deploy/run as described in README: it becomes ready, refuses with an explanation, and stops without leaving processes.
use TestProgram;

my $state = tempdir('oai-run-XXXXXX', TMPDIR => 1, CLEANUP => 1) . '/state';    # 0700: closed to postgres and www-data
my $port  = free_port();
my $url   = "http://127.0.0.1:$port/oai";

# Starts it in a process group of its own; returns (pid, its stdout), stderr in $state.err.
sub run {
    my (@command) = @_;
    pipe my $read, my $write or die $!;
    my $pid = fork // die $!;
    if (!$pid) {
        POSIX::setsid();
        open STDOUT, '>&', $write;
        open STDERR, '>', "$state.err";
        @ENV{qw(OAI_STATE OAI_PORT)} = ($state, $port);
        exec @command or POSIX::_exit(127);
    }
    close $write;
    return ($pid, $read);
}
sub errors { return slurp("$state.err") }

# Processes whose command line names the state directory.
sub traces {
    return grep { my $pid = $_; $pid != $$ && slurp("/proc/$pid/cmdline", '') =~ /\Q$state\E/ }
        map { m{/proc/(\d+)$} } glob '/proc/[0-9]*';
}
sub all_ended { return wait_until(sub { !traces() }) }

sub ready {
    my ($out) = @_;
    my $line = <$out>;
    chomp $line if defined $line;
    return $line;
}

my ($pid, $out) = run("$root/deploy/run");
is ready($out), "ready: $url", 'it becomes ready' or BAIL_OUT(errors());
ok wait_until(sub { errors() =~ /^run: Ctrl-C/m }), 'it says what to try next';
my ($oai) = errors() =~ /^run: +alias oai='(.*)'$/m;
like `$oai status`, qr/: ready, up /, 'in another shell too';
my $identify = WebServer::http($port, 'GET', '/oai?verb=Identify');
is $identify->{status}, 200, 'Identify is answered';
like $identify->{body}, qr{<baseURL>\Q$url\E</baseURL>}, 'with the address of the request as baseURL';
like WebServer::http($port, 'GET', '/oai?verb=ListIdentifiers&metadataPrefix=oai_dc')->{body}, qr{<identifier>}, 'records are listed';
is +(stat "$state/token.key")[2] & 07777, 0600, 'only its owner can read the token key';
my $key = slurp("$state/token.key");
if (!$>) {
    my @serving = grep { (readlink("/proc/$_/exe") // '') =~ m{/(postgres|nginx|oai|oai\.fcgi)$} } traces();
    cmp_ok @serving, '>=', 4, 'PostgreSQL, publisher, server and nginx run';
    my @owners = grep { defined } map { (stat "/proc/$_")[4] } @serving;    # a trial of a format may have ended
    is scalar(grep { $_ == 0 } @owners), 0, 'and none of them as root';
}

my ($second, $nothing) = run("$root/deploy/run");
is status_of($second), 1, 'a second run with the same state directory is refused';
like errors(), qr/another run serves from/, 'with an explanation';

kill 'TERM', $pid;
is status_of($pid), 0, 'SIGTERM: status 0';
ok all_ended(), 'nothing is left running';
is do { local $/; <$out> }, undef, 'stdout had only one line';

my $taken = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1:$port", ReuseAddr => 1) or die $!;
($pid, $out) = run("$root/deploy/run");
is status_of($pid), 1, 'a port in use is refused';
like errors(), qr/port $port is in use/, 'with an explanation';
close $taken;

# Started by make, which does not pass on a SIGINT that only make receives.
spew("$state.mk", "run:\n\t\@exec $root/deploy/run\n");
spew("$state/oai.ini", slurp("$state/oai.ini") . "[log]\nlevel = warning\n");
($pid, $out) = run('make', '-f', "$state.mk", 'run');
is ready($out), "ready: $url", 'started by make it becomes ready' or diag errors();
is slurp("$state/token.key"), $key, 'with the same key';
like slurp("$state/oai.ini"), qr/level = warning/, 'and with the changes that the administrator made in oai.ini';
kill 'INT', $pid;
ok status_of($pid) ne 'runs', 'SIGINT to make alone stops it';
ok all_ended(), 'nothing is left running';

($pid, $out) = run("$root/deploy/run");
is ready($out), "ready: $url", 'it becomes ready for a third time' or diag errors();
kill 'KILL', grep { (readlink("/proc/$_/exe") // '') =~ m{/oai\.fcgi$} } traces();
is status_of($pid), 1, 'when one of its programs dies, it stops with status 1';
like errors(), qr/oai\.fcgi has ended by itself, with status 137/, 'and names the program';
ok all_ended(), 'nothing is left running';

($pid, $out) = run("$root/deploy/run");
is ready($out), "ready: $url", 'it becomes ready for a fourth time' or diag errors();
kill 'KILL', $pid;
is status_of($pid), 'signal 9', 'deploy/run is killed by SIGKILL';
ok all_ended(), 'all its programs stop, too';

# The model library, which needs a database of its own.
($pid, $out) = run('env', 'OAI_MODEL=library', "$root/deploy/run");
is status_of($pid), 1, 'the state directory of a web archive is refused for a library';
like errors(), qr/schema failed:.*the database has the model webarchiv, not library/s, 'with an explanation';
$state .= '-library';
($pid, $out) = run('env', 'OAI_MODEL=library', "$root/deploy/run");
is ready($out), "ready: $url", 'a library becomes ready' or diag errors();
like WebServer::http($port, 'GET', '/oai?verb=ListRecords&metadataPrefix=oai_dc&set=lang:ar')->{body}, qr{<dc:title xml:lang="ar">}, 'and serves records of a library';
kill 'INT', $pid;
ok status_of($pid) ne 'runs', 'SIGINT stops it';
ok all_ended(), 'nothing is left running';
done_testing;
