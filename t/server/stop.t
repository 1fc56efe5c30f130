#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Stopping and starting: if the socket is held by another process, a restart under load loses no answer.
use TestProgram;

my $dir = shared_directory();

# Clients that send requests without pause until told to stop; returns the number of correct answers, and the wrong ones.
sub load_on {
    my ($port, $clients, $meanwhile) = @_;
    my $flag = "$dir/stop-clients";
    unlink $flag;
    my @readers = map {
        my $i = $_;
        pipe my $read, my $write or die $!;
        later(sub {
            my ($good, %bad) = (0);
            for (my $n = 0; !-e $flag || $good < 20 && !%bad; $n++) {
                my $answer = $n % 3 == 2 ? WebServer::http($port, 'POST', '/oai', body => "sleep=5&n=$n")
                    : WebServer::http($port, 'GET', $n % 3 ? "/oai?sleep=5&n=$n" : '/oai?bytes=200000');
                my $right = $answer->{status} eq '200' && ($n % 3 ? $answer->{body} =~ /^n=$n$/m : length $answer->{body} == 200_000);
                $right ? $good++ : $bad{$answer->{status}}++;
            }
            print $write join(' ', $good, %bad), "\n";
            close $write;
        });
        close $write;
        $read;
    } 1 .. $clients;
    $meanwhile->();
    spew($flag, '');
    my ($good, @bad) = (0);
    for my $reader (@readers) {
        my ($n, @rest) = split ' ', <$reader> // 'a client died';
        $good += $n;
        push @bad, @rest;
    }
    wait for @readers;
    return ($good, "@bad");
}

for my $kind (qw(nginx apache)) {
    my $socket = "$dir/$kind.socket";
    my $held   = Server::listener($socket);
    my $port   = WebServer::start($kind, "$dir/$kind", $socket);
    my $rounds = 8;
    my @status;
    my $echo = Server->echo(listener => $held)->start;
    my ($good, $bad) = load_on($port, 6, sub {
        for (1 .. $rounds) {
            pace(0.25);
            my $signal = $_ % 2 ? 'TERM' : 'USR1';
            push @status, $echo->stop($signal);
            $echo = Server->echo(listener => $held)->start;
        }
        pace(0.25);
    });
    is "@status", '0 ' x ($rounds - 1) . '0', "$kind: $rounds stops under load, each with status 0";
    is $bad, '', "$kind: no answer was lost or wrong";
    cmp_ok $good, '>', 100, "$kind: there were $good correct answers";
    ok -S $socket, "$kind: the socket was left to its holder";
    is $echo->stop('INT'), 0, "$kind: SIGINT stops, too";
}

# A socket of the server's own: clients that connected before the stop are answered, although every worker was busy.
my $own  = "$dir/own";
my $echo = Server->echo(socket => $own, args => ['--workers', 2], log => "$dir/log")->start;
my @clients = map {
    my $client = IO::Socket::UNIX->new(Peer => $own) // die $!;
    print $client FastCGI::get("sleep=200&n=$_"), FastCGI::end_of_input();
    $client->flush;
    $client
} 1 .. 6;
kill 'HUP', $echo->{pid};
ok wait_until(sub { slurp("$dir/log") =~ /event=reload signal=HUP/ }) && $echo->alive, 'SIGHUP does not stop it';
is $echo->stop, 0, 'own socket: stops with status 0';
is_deeply [map { my $text = do { local $/; <$_> } // ''; $text =~ /^n=(\d)$/m ? $1 : 'lost' } @clients], [1 .. 6],
    'own socket: those in its queue are served first';
ok !-e $own, 'own socket: it is removed';
like slurp("$dir/log"), qr/event=reload signal=HUP/, 'and SIGHUP was logged';

# If the server cannot listen, it reports the reason and does not start.
sub refusal {
    my ($path) = @_;
    my ($status, $output) = run_program(Server::echo_program(), '--socket', $path);
    return "$status $output";
}
$echo = Server->echo(socket => $own)->start;
like refusal($own), qr/^1 .*another server is listening/, 'a socket in use is refused';
ok +IO::Socket::UNIX->new(Peer => $own), 'and the other server keeps running';
is $echo->stop('KILL'), 'signal 9', 'a server is killed';
ok -S $own, 'and leaves its socket behind';
$echo = Server->echo(socket => $own)->start;
is $echo->stop, 0, 'which the next one replaces';
spew("$dir/file", '');
like refusal("$dir/file"), qr/^1 .*is no socket/, 'a file is not replaced';
ok -f "$dir/file", 'but kept';
like refusal("$dir/nowhere/socket"), qr/^1 .*No such file/, 'a missing directory is an error';
like refusal("$dir/" . 'x' x 120), qr/^1 .*longer than the 107 bytes/, 'a path that is too long is an error';
like refusal(''), qr/^1 .*no listening socket/, 'starting without any socket is an error';
# Workers that nothing interrupts, as in a loop of a library: their slots are lost, and a quarter of them begins the program anew.
for my $held (undef, Server::listener("$dir/held")) {
    my ($name, $said) = ($held ? 'held socket' : 'own socket', "$dir/stuck-" . ($held ? 1 : 0));
    my $path = $held ? "$dir/held" : $own;
    my $stuck = Server->echo($held ? (listener => $held) : (socket => $path), log => $said, args => ['--workers', 8, '--request-seconds', 1])->start;
    my ($pid, @hanging) = ($stuck->{pid});
    my $hang = sub { my $socket = IO::Socket::UNIX->new(Peer => $path); syswrite $socket, FastCGI::get('stuck=1') . FastCGI::end_of_input(); push @hanging, $socket };
    my $count = sub { my ($event) = @_; return scalar(() = slurp($said, '') =~ /event=$event\b/g) };
    $stuck->{socket} = $path;
    $hang->();
    ok wait_until(sub { $count->('worker_stuck') == 1 }), "$name: a worker that is stuck is counted";
    is $stuck->ask('n=1')->{status}, 200, "$name: others go on";
    $hang->();
    ok wait_until(sub { $count->('serving') == 2 }), "$name: with a quarter of them stuck the program begins anew" or diag slurp($said);
    like slurp($said, ''), qr/event=worker_stuck.*event=worker_stuck.*event=stopping.*event=starting_anew.*event=serving/s, "$name: in an orderly way";
    is $stuck->ask('n=2')->{status}, 200, "$name: and answers again";
    ok $stuck->alive && $stuck->{pid} == $pid, "$name: in the same process";
    $hang->();
    ok wait_until(sub { $count->('worker_stuck') == 3 }), "$name: a worker is stuck once more";
    is $stuck->stop, 1, "$name: SIGTERM ends it nevertheless";
    is $count->('stopped_in_flight'), 1, "$name: and the log says that something was left";
}
done_testing;
