#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Secrets are for their user alone: token keys and a configuration with a password are refused where others may read them,
# by the server and by `oai`; and neither leaves a core dump, whatever the limits allow.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(abs_path);
use POSIX ();
use Served;
use Test::More;

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");
my $r = Served->new(documents => 5);
my ($dir, $ini) = @$r{qw(dir ini)};

# (status, words) of the server, which is expected not to start.
sub start_refused {
    $r->start(anyhow => 1);
    my $ended = Served::within(20, sub { waitpid($r->{pid}, POSIX::WNOHANG()) == $r->{pid} });
    my $status = $ended ? $? >> 8 : 'serves';
    $ended ? delete $r->{pid} : $r->stop('KILL');
    return ($status, Served::slurp($r->{log}));
}
sub oai { my $said = `$build/release/oai --config $ini @_ 2>&1`; return ($? >> 8, $said) }

for my $mode (0644, 0604, 0660, 0640, 0600, 0400) {
    chmod $mode, "$dir/key" or die $!;
    my ($status, $said) = oai('token', 'x');
    my $octal = sprintf '%04o', $mode;
    if ($mode & 0027) { ok $status && $said =~ m{token key $dir/key: may be read by others or written by its group \(chmod}, "a key of mode $octal is refused" }
    else { like $said, qr/not sealed by the key/, "a key of mode $octal is taken" }
}
chmod 0644, "$dir/key";
my ($status, $said) = start_refused();
ok $status eq '1' && $said =~ /may be read by others/, 'the server does not start with such a key' or diag $said;
chmod 0600, "$dir/key";

my $text = Served::slurp($ini);
Served::spew($ini, $text =~ s/^(connection = host=.*user=oai_reader.*)/$1 password=sesame/mr);
chmod 0644, $ini;
($status, $said) = start_refused();
ok $status eq '1' && $said =~ /oai\.ini: has a password in a connection, and may be read by others/, 'nor with a password that others may read' or diag $said;
unlike $said, qr/sesame/, 'which it does not tell them either';
($status, $said) = oai('token', 'x');
like $said, qr/has a password in a connection/, '`oai` neither';
chmod 0640, $ini;
$r->start;
is $r->ask('verb=Identify')->{status}, 200, 'closed, it is good';

# A limit that would allow dumps, inherited.
$r->stop;
mkdir "$dir/cores";
sub dumps { my ($pid) = @_; kill 'SEGV', $pid; waitpid $pid, 0; return ($? & 127) . ($? & 128 ? ' and a core dump' : '') }
my $plain = fork // die $!;
if (!$plain) { exec 'bash', '-c', "cd $dir/cores && ulimit -c unlimited && exec sleep 60" or POSIX::_exit(127) }
Served::within(5, sub { Served::slurp("/proc/$plain/comm") eq "sleep\n" });
my $control = dumps($plain);
my $bash = fork // die $!;
if (!$bash) {
    open STDERR, '>>', $r->{log};
    POSIX::dup2(fileno $r->{listener}, 0);
    exec 'bash', '-c', "cd $dir/cores && ulimit -c unlimited && exec $build/release/oai.fcgi --config $ini" or POSIX::_exit(127);
}
ok Served::within(20, sub { $r->ask('verb=Identify')->{status} eq '200' }), 'a server where core dumps are allowed';
like Served::slurp("/proc/$bash/limits"), qr/^Max core file size +0 +0 /m, 'forbids them to itself';
is dumps($bash), '11', 'it dies without one';
SKIP: {
    skip 'this system dumps no core of any process', 1 if $control !~ /core dump/;
    is $control, '11 and a core dump', 'where others leave one';
}
unlink glob "$dir/cores/*";
done_testing;
