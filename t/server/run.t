#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# deploy/run, as a reader of README would meet it: it gets ready, refuses with words, stops without a trace.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(abs_path);
use Echo;
use File::Temp qw(tempdir);
use IO::Socket::INET;
use POSIX ();
use Test::More;
use Time::HiRes qw(time sleep);

my $root  = abs_path("$FindBin::Bin/../..");
my $state = tempdir('oai-run-XXXXXX', TMPDIR => 1, CLEANUP => 1) . '/state';    # 0700: closed to postgres and www-data
my $port  = do { my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1'); $s->sockport };
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
sub said { local (@ARGV, $/) = "$state.err"; return <> }

# Its status when it has ended; 'runs' if it has not within so many seconds.
sub status_of {
    my ($pid, $seconds) = @_;
    for (1 .. 10 * $seconds) {
        return $? & 127 ? 'signal ' . ($? & 127) : $? >> 8 if waitpid($pid, POSIX::WNOHANG()) == $pid;
        sleep 0.1;
    }
    return 'runs';
}

# Processes that know the state directory.
sub traces {
    return grep { my $pid = $_; $pid != $$ && do { local (@ARGV, $/) = "/proc/$pid/cmdline"; (eval { <> } // '') =~ /\Q$state\E/ } }
        map { m{/proc/(\d+)$} } glob '/proc/[0-9]*';
}
sub gone { for (1 .. 50) { return 1 if !traces(); sleep 0.1 } return 0 }

sub ready {
    my ($out) = @_;
    my $line = <$out>;
    chomp $line if defined $line;
    return $line;
}

my ($pid, $out) = run("$root/deploy/run");
is ready($out), "ready: $url", 'it gets ready' or BAIL_OUT(said());
my $identify = Echo::http($port, 'GET', '/oai?verb=Identify');
is $identify->{status}, 200, 'Identify is answered';
like $identify->{body}, qr{<baseURL>\Q$url\E</baseURL>}, 'under the address it was asked at';
like Echo::http($port, 'GET', '/oai?verb=ListIdentifiers&metadataPrefix=oai_dc')->{body}, qr{<identifier>}, 'there are records';
is +(stat "$state/token.key")[2] & 07777, 0600, 'the token key is closed to others';
my $key = do { local (@ARGV, $/) = "$state/token.key"; <> };
if (!$>) {
    my @serving = grep { (readlink("/proc/$_/exe") // '') =~ m{/(postgres|nginx|oai|oai\.fcgi)$} } traces();
    cmp_ok @serving, '>=', 4, 'PostgreSQL, publisher, server and nginx run';
    is scalar(grep { (stat "/proc/$_")[4] == 0 } @serving), 0, 'and none of them as root';
}

my ($second, $nothing) = run("$root/deploy/run");
is status_of($second, 10), 1, 'a second one with the same state is refused';
like said(), qr/another run serves from/, 'with words';

kill 'TERM', $pid;
is status_of($pid, 30), 0, 'SIGTERM: status 0';
ok gone(), 'nothing is left running';
is do { local $/; <$out> }, undef, 'one line was all on stdout';

my $taken = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1:$port", ReuseAddr => 1) or die $!;
($pid, $out) = run("$root/deploy/run");
is status_of($pid, 10), 1, 'a port in use is refused';
like said(), qr/port $port is in use/, 'with words';
close $taken;

# Under make, which says nothing to its children when it alone gets SIGINT.
open my $makefile, '>', "$state.mk" or die $!;
print $makefile "run:\n\t\@exec $root/deploy/run\n";
close $makefile;
open my $ini, '>>', "$state/oai.ini" or die $!;
print $ini "[log]\nlevel = warning\n";
close $ini;
($pid, $out) = run('make', '-f', "$state.mk", 'run');
is ready($out), "ready: $url", 'again, by make' or diag said();
is do { local (@ARGV, $/) = "$state/token.key"; <> }, $key, 'with the same key';
like do { local (@ARGV, $/) = "$state/oai.ini"; <> }, qr/level = warning/, 'and what the admin wrote into oai.ini';
kill 'INT', $pid;
ok status_of($pid, 30) ne 'runs', 'SIGINT to make alone ends it';
ok gone(), 'nothing is left running';

($pid, $out) = run("$root/deploy/run");
is ready($out), "ready: $url", 'once more' or diag said();
kill 'KILL', grep { (readlink("/proc/$_/exe") // '') =~ m{/oai\.fcgi$} } traces();
is status_of($pid, 30), 1, 'a part that dies ends all, with status 1';
like said(), qr/oai\.fcgi has ended by itself, with status 137/, 'and its name';
ok gone(), 'nothing is left running';

($pid, $out) = run("$root/deploy/run");
is ready($out), "ready: $url", 'and once more' or diag said();
kill 'KILL', $pid;
is status_of($pid, 10), 'signal 9', 'killed itself';
ok gone(), 'it takes everything with it';

# The other model, which has a database of its own.
($pid, $out) = run('env', 'OAI_MODEL=library', "$root/deploy/run");
is status_of($pid, 30), 1, 'the state of a web archive is none for a library';
like said(), qr/schema failed:.*the database has the model webarchiv, not library/s, 'with words';
$state .= '-library';
($pid, $out) = run('env', 'OAI_MODEL=library', "$root/deploy/run");
is ready($out), "ready: $url", 'a library gets ready' or diag said();
like Echo::http($port, 'GET', '/oai?verb=ListRecords&metadataPrefix=oai_dc&set=lang:ar')->{body}, qr{<dc:title xml:lang="ar">}, 'and serves books';
kill 'INT', $pid;
ok status_of($pid, 30) ne 'runs', 'SIGINT ends it';
ok gone(), 'nothing is left running';
done_testing;
