#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A socket handed over by systemd or by spawn-fcgi, and what the service manager is told.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(abs_path);
use Echo;
use FastCGI;
use File::Copy qw(copy);
use IO::Select;
use IO::Socket::UNIX;
use POSIX ();
use Socket qw(SOCK_DGRAM);
use Test::More;
use Time::HiRes qw(sleep);

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");
my $dir   = Echo::directory();
my %ours;

# In the background, its standard error in $dir/log; the pid.
sub background {
    my (@command) = @_;
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        open STDIN, '<', '/dev/null';
        open STDERR, '>', "$dir/log";
        exec @command or POSIX::_exit(127);
    }
    $ours{$pid} = 1;
    return $pid;
}
sub log_text { local (@ARGV, $/) = "$dir/log"; return <> // '' }

sub status_of {
    my ($pid) = @_;
    for (1 .. 200) {
        if (waitpid($pid, POSIX::WNOHANG()) == $pid) {
            delete $ours{$pid};
            return $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
        }
        sleep 0.05;
    }
    return 'runs';
}

# The answer of whoever serves the socket; waits until it is there.
sub ask {
    my ($path, $query) = @_;
    local $SIG{PIPE} = 'IGNORE';   # whoever refuses to serve may have gone before all is written
    for (1 .. 200) {
        my $client = IO::Socket::UNIX->new(Peer => $path) or do { sleep 0.05; next };
        print $client FastCGI::get($query), FastCGI::end_of_input();
        $client->flush;
        local $/;
        return <$client> // '';
    }
    return "$path: nobody listens";
}

# systemd's protocol, by its own tool. It becomes the program at the first connection.
my $activated = "$dir/activated";
my $pid = background('systemd-socket-activate', '-l', $activated, "$build/release/server/echo");
like ask($activated, 'n=1'), qr/^n=1$/m, 'systemd: the connection that woke the program is answered';
like ask($activated, 'n=2'), qr/^n=2$/m, 'and the next';
like log_text(), qr/event=serving socket=inherited/, 'by the socket that was handed over';
kill 'TERM', $pid;
is status_of($pid), 0, 'SIGTERM: status 0';
ok -S $activated, 'the socket is left to systemd';

$pid = background('systemd-socket-activate', '-l', "$dir/one", '-l', "$dir/two", "$build/release/server/echo");
ask("$dir/one", 'n=1');
is status_of($pid), 1, 'systemd: two sockets are refused';
like log_text(), qr/listens on one socket/, 'with words';

# Words of the environment that were meant for another process: descriptor 0 counts.
{
    local @ENV{qw(LISTEN_PID LISTEN_FDS)} = (1, 1);
    my $path = "$dir/inherited-words";
    my $echo = Echo->start(held => my $held = Echo::hold($path));
    like ask($path, 'n=3'), qr/^n=3$/m, 'LISTEN_PID of another process is passed over';
    is $echo->stop, 0, 'and it stops';
}

# spawn-fcgi: descriptor 0; as root it makes the socket the web server's and the program somebody else's.
my $spawned = "$dir/spawned";
my @become = $> ? () : ('-U', 'www-data', '-G', 'www-data', '-u', 'www-data', '-g', 'www-data');
copy("$build/release/server/echo", "$dir/echo") or die $!;    # build/ may be closed to www-data
chmod 0755, "$dir/echo";
$pid = background('spawn-fcgi', '-n', '-s', $spawned, '-M', '0660', '-b', '1024', @become, '--', "$dir/echo");
like ask($spawned, 'n=4'), qr/^n=4$/m, 'spawn-fcgi: requests are answered';
is +(stat $spawned)[2] & 0777, 0660, 'by a socket that is closed to others';
kill 'TERM', $pid;
is status_of($pid), 0, 'SIGTERM: status 0';
like log_text(), qr/event=stopping/, 'in order';

# What the manager hears.
my $ear = IO::Socket::UNIX->new(Local => "$dir/notify", Type => SOCK_DGRAM) or die $!;
sub heard { IO::Select->new($ear)->can_read(10) or return 'nothing'; $ear->recv(my $text, 1000); return $text }
my $held = Echo::hold("$dir/held");
{
    local $ENV{NOTIFY_SOCKET} = "$dir/notify";
    my $echo = Echo->start(held => $held);
    is heard(), 'READY=1', 'the manager is told: ready';
    kill 'HUP', $echo->{pid};
    is heard(), 'RELOADING=1', 'SIGHUP: reloading';
    is heard(), 'READY=1', 'and ready again';
    is $echo->stop, 0, 'SIGTERM stops it';
    is heard(), 'STOPPING=1', 'which is told, too';

    open my $ini, '>', "$dir/oai.ini" or die $!;
    my $minimal = do { local (@ARGV, $/) = "$root/etc/oai-minimal.ini"; <> };
    print $ini $minimal, "\n[publisher]\nconnection = host=$dir dbname=nowhere\n";
    close $ini;
    my $publisher = background("$build/release/oai", '--config', "$dir/oai.ini", 'publish');
    is heard(), 'READY=1', 'the publisher is ready before its database is';
    kill 'TERM', $publisher;
    is status_of($publisher), 0, 'and stops';
    $publisher = background("$build/release/oai", '--config', "$dir/nothing.ini", 'publish');
    isnt status_of($publisher), 0, 'a configuration that is refused';
    is scalar(my @words = IO::Select->new($ear)->can_read(0)), 0, 'is not ready at all';
}
done_testing;

END { my $status = $?; kill 'KILL', keys %ours; $? = $status }
