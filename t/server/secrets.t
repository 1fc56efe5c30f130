#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The server and `oai` refuse a token key, and a configuration with a password, that other users can read; and the server
# leaves no core dump, whatever the limits allow.
use TestProgram;
use HarvestedRepository;

my $r = HarvestedRepository->new(documents => 5);
my ($dir, $ini) = @$r{qw(dir ini)};

# Starts the server, which is expected to refuse: (status, log).
sub start_refused {
    $r->start(unchecked => 1);
    my $status = status_of($r->{pid});
    $status eq 'runs' ? $r->stop('KILL') : delete $r->{pid};
    return ($status, $r->log_text);
}

for my $mode (0644, 0604, 0660, 0640, 0600, 0400) {
    chmod $mode, "$dir/key" or die $!;
    my ($status, $said) = $r->oai('token', 'x');
    my $octal = sprintf '%04o', $mode;
    if ($mode & 0027) { ok $status && $said =~ m{token key $dir/key: may be read by others or written by its group \(chmod}, "a key of mode $octal is refused" }
    else { like $said, qr/not sealed by the key/, "a key of mode $octal is accepted" }
}
chmod 0644, "$dir/key";
my ($status, $said) = start_refused();
ok $status eq '1' && $said =~ /may be read by others/, 'the server does not start with such a key' or diag $said;
chmod 0600, "$dir/key";

my $text = slurp($ini);
spew($ini, $text =~ s/^(connection = host=.*user=oai_reader.*)/$1 password=sesame/mr);
chmod 0644, $ini;
($status, $said) = start_refused();
ok $status eq '1' && $said =~ /oai\.ini: has a password in a connection, and may be read by others/, 'nor does it with a password that others can read' or diag $said;
unlike $said, qr/sesame/, 'and the password is not in the message';
($status, $said) = $r->oai('token', 'x');
like $said, qr/has a password in a connection/, '`oai` refuses the configuration, too';
chmod 0640, $ini;
$r->start;
is $r->ask('verb=Identify')->{status}, 200, 'with mode 0640 the configuration is accepted';

# The server inherits a limit that permits core dumps.
$r->stop;
mkdir "$dir/cores";
sub dumps { my ($pid) = @_; kill 'SEGV', $pid; waitpid $pid, 0; return ($? & 127) . ($? & 128 ? ' and a core dump' : '') }
my $plain = start_program(['bash', '-c', "cd $dir/cores && ulimit -c unlimited && exec sleep 60"]);
wait_until(sub { slurp("/proc/$plain/comm", '') eq "sleep\n" });
my $control = dumps($plain);
my $server = start_program(['bash', '-c', "cd $dir/cores && ulimit -c unlimited && exec $r->{bin}/oai.fcgi --config $ini"],
    stdin => $r->{listener}, log => $r->{log});
ok wait_until(sub { $r->ask('verb=Identify')->{status} eq '200' }), 'a server starts where core dumps are permitted';
like slurp("/proc/$server/limits"), qr/^Max core file size +0 +0 /m, 'it forbids them for itself';
is dumps($server), '11', 'it crashes without a core dump';
SKIP: {
    skip 'this system dumps no core of any process', 1 if $control !~ /core dump/;
    is $control, '11 and a core dump', 'whereas another process leaves one';
}
unlink glob "$dir/cores/*";
done_testing;
