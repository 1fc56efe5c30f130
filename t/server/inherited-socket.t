#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A socket inherited from systemd or from spawn-fcgi, and the notifications to the service manager.
use TestProgram;
use File::Copy qw(copy);
use IO::Select;
use Socket qw(SOCK_DGRAM);

my $dir   = shared_directory();
my %running;

# In the background, its output in $dir/log; the pid.
sub background {
    my (@command) = @_;
    my $pid = start_program(\@command, out => "$dir/log");
    $running{$pid} = 1;
    return $pid;
}
sub log_text { return slurp("$dir/log") }

sub ended {
    my ($pid) = @_;
    my $status = status_of($pid);
    delete $running{$pid} if $status ne 'runs';
    return $status;
}

# Returns the answer of the server on this socket; waits until the socket exists.
sub ask {
    my ($path, $query) = @_;
    local $SIG{PIPE} = 'IGNORE';   # a program that refuses to serve may exit before the whole request is written
    my $client;
    wait_until(sub { $client = IO::Socket::UNIX->new(Peer => $path) }) or return "$path: nobody listens";
    print $client FastCGI::get($query), FastCGI::end_of_input();
    $client->flush;
    local $/;
    return <$client> // '';
}

# The protocol of systemd, using its own tool, which executes the program at the first connection.
my $activated = "$dir/activated";
my $pid = background('systemd-socket-activate', '-l', $activated, Server::echo_program());
like ask($activated, 'n=1'), qr/^n=1$/m, 'systemd: the connection that started the program is answered';
like ask($activated, 'n=2'), qr/^n=2$/m, 'and so is the next one';
wait_until(sub { log_text() =~ /event=serving/ });    # a worker may answer before this is logged
like log_text(), qr/event=serving socket=inherited/, 'on the inherited socket';
kill 'TERM', $pid;
is ended($pid), 0, 'SIGTERM: status 0';
ok -S $activated, 'the socket is not removed';

# A server that cannot start, for want of its configuration.
$pid = background('systemd-socket-activate', '-l', "$dir/none", "$build/release/oai.fcgi", '--config', "$dir/none.ini");
like ask("$dir/none", 'verb=Identify'), qr/Status: 503.*Retry-After: \d+\b.*cannot start/s, 'a server that cannot start says so at once';
like ask("$dir/none", '/oai/-/status'), qr/none\.ini/, 'and why, to the operator';
kill 'TERM', $pid;
is ended($pid), 1, 'its status is 1';

$pid = background('systemd-socket-activate', '-l', "$dir/one", '-l', "$dir/two", Server::echo_program());
ask("$dir/one", 'n=1');
is ended($pid), 1, 'systemd: two sockets are refused';
like log_text(), qr/listens on one socket/, 'with an explanation';

# If LISTEN_PID names another process, the variables are ignored and descriptor 0 is the socket.
{
    local @ENV{qw(LISTEN_PID LISTEN_FDS)} = (1, 1);
    my $path = "$dir/inherited-words";
    my $echo = Server->echo(listener => my $held = Server::listener($path))->start;
    like ask($path, 'n=3'), qr/^n=3$/m, 'LISTEN_PID of another process is ignored';
    is $echo->stop, 0, 'and the server stops with status 0';
}

# spawn-fcgi passes the socket as descriptor 0; run by root, it sets the owner of the socket and the user of the program.
my $spawned = "$dir/spawned";
my @become = $> ? () : ('-U', 'www-data', '-G', 'www-data', '-u', 'www-data', '-g', 'www-data');
copy(Server::echo_program(), "$dir/echo") or die $!;    # www-data may have no access to build/
chmod 0755, "$dir/echo";
$pid = background('spawn-fcgi', '-n', '-s', $spawned, '-M', '0660', '-b', '1024', @become, '--', "$dir/echo");
like ask($spawned, 'n=4'), qr/^n=4$/m, 'spawn-fcgi: requests are answered';
is +(stat $spawned)[2] & 0777, 0660, 'on a socket with mode 0660';
kill 'TERM', $pid;
is ended($pid), 0, 'SIGTERM: status 0';
like log_text(), qr/event=stopping/, 'and the stop is logged';

# Notifications to the service manager.
my $ear = IO::Socket::UNIX->new(Local => "$dir/notify", Type => SOCK_DGRAM) or die $!;
sub notification { IO::Select->new($ear)->can_read(300) or return 'nothing'; $ear->recv(my $text, 1000); return $text }
my $held = Server::listener("$dir/held");
{
    local $ENV{NOTIFY_SOCKET} = "$dir/notify";
    my $echo = Server->echo(listener => $held)->start;
    is notification(), 'READY=1', 'READY=1 is sent after the start';
    kill 'HUP', $echo->{pid};
    is notification(), 'RELOADING=1', 'SIGHUP: RELOADING=1 is sent';
    is notification(), 'READY=1', 'and READY=1 again';
    is $echo->stop, 0, 'SIGTERM stops the server';
    is notification(), 'STOPPING=1', 'and STOPPING=1 is sent';

    spew("$dir/oai.ini", slurp("$root/etc/oai-minimal.ini") . "\n[publisher]\nconnection = host=$dir dbname=nowhere\n");
    my $publisher = background("$build/release/oai", '--config', "$dir/oai.ini", 'publish');
    is notification(), 'READY=1', 'the publisher is ready before its database is';
    kill 'TERM', $publisher;
    is ended($publisher), 0, 'and SIGTERM stops it';
    $publisher = background("$build/release/oai", '--config', "$dir/nothing.ini", 'publish');
    isnt ended($publisher), 0, 'the publisher refuses a missing configuration';
    is scalar(my @words = IO::Select->new($ear)->can_read(0)), 0, 'and then sends no notification';
}
done_testing;

END { my $status = $?; kill 'KILL', keys %running; $? = $status }
