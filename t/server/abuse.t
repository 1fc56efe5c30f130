#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Clients that disconnect early, are slow or send garbage occupy a worker no longer than the timeouts allow, and do not delay
# other clients. The server has two workers, so that a stuck one is noticed, and is built with sanitizers.
use TestProgram;
use IO::Select;
use Time::HiRes qw(time);

my ($workers, $idle, $patience) = (2, 1, 300);
my $dir  = shared_directory();
my $path = "$dir/socket";
$SIG{PIPE} = 'IGNORE';

sub server {
    my ($deadline, $idle) = @_;
    return Server->echo(socket => $path, flavour => 'asan', log => "$dir/log",
        args => ['--workers', $workers, '--idle-seconds', $idle, '--request-seconds', $deadline])->start;
}

sub connected { return IO::Socket::UNIX->new(Peer => $path) // die "connect: $!" }

# Returns everything that the server sends until it closes the connection, or undef if it does not close within $seconds.
sub all_of {
    my ($socket, $seconds) = @_;
    my ($until, $text) = (time + $seconds, '');
    while ((my $left = $until - time) > 0) {
        IO::Select->new($socket)->can_read($left) or next;
        my $n = sysread $socket, $text, 65_536, length $text;
        return $text if !$n;
    }
    return;
}

# Checks that a valid request is answered within $patience seconds.
sub answers {
    my ($what) = @_;
    my $socket = connected();
    print $socket FastCGI::get('a=1'), FastCGI::end_of_input();
    $socket->flush;
    like all_of($socket, $patience) // 'nothing', qr/Status: 200.*GET \/oai\na=1\n/s, $what;
}

# Runs the same misbehaviour in as many clients at once as there are workers, then checks that a valid request is answered.
sub all_workers_meet {
    my ($what, $wrong) = @_;
    my @clients = map { my $socket = connected(); $wrong->($socket); $socket } 1 .. $workers;
    answers("$what: another client is answered in time");
}

my $echo = server(2 * $patience, $idle);    # so long that none of these clients reaches it
my $get = FastCGI::get('a=1');
all_workers_meet('a connection that sends nothing', sub { });
all_workers_meet('half a request', sub { syswrite $_[0], substr $get, 0, length($get) - 12 });
all_workers_meet('no end of input', sub { syswrite $_[0], $get });
all_workers_meet('another protocol', sub { syswrite $_[0], "GET / HTTP/1.1\r\nHost: x\r\n\r\n" });
all_workers_meet('an unknown role', sub { syswrite $_[0], FastCGI::record(1, pack 'nCx5', 77, 0) });
all_workers_meet('a wrong length field', sub { syswrite $_[0], FastCGI::begin() . FastCGI::record(4, pack('CC', 5, 9) . 'ab') . FastCGI::record(4, '') });
all_workers_meet('half a body', sub {
    syswrite $_[0], FastCGI::begin() . FastCGI::params(REQUEST_METHOD => 'POST', REQUEST_URI => '/oai', CONTENT_LENGTH => 100,
        CONTENT_TYPE => 'application/x-www-form-urlencoded') . FastCGI::record(4, '') . FastCGI::record(5, 'x' x 50);
});
all_workers_meet('a client gone before the answer', sub {
    syswrite $_[0], FastCGI::get('sleep=100&bytes=5000000') . FastCGI::end_of_input();
    close $_[0];
});
all_workers_meet('a client that reads nothing', sub { syswrite $_[0], FastCGI::get('bytes=5000000') . FastCGI::end_of_input() });

all_workers_meet('two requests on one connection', sub { syswrite $_[0], $get . FastCGI::end_of_input() . $get . FastCGI::end_of_input() });
all_workers_meet('an answer aborted while it is read', sub {
    syswrite $_[0], FastCGI::get('bytes=5000000') . FastCGI::end_of_input();
    sysread $_[0], my ($part), 10_000;
    close $_[0];
});

# Pseudo-random bytes, the same in each run. They never form a FCGI_PARAMS record, since libfcgi itself aborts on some
# malformed ones; this is acceptable, because only the web server may connect.
subtest 'garbage' => sub {
    srand 42;
    for my $n (1 .. 300) {
        my $noise = join '', map { chr int rand 256 } 1 .. 1 + int rand 400;
        my @types = (0 .. 3, 5 .. 255);
        my $bytes = $n % 3 == 0 ? chr(2 + int rand 254) . $noise
                  : $n % 3 == 1 ? FastCGI::record($types[rand @types], $noise)
                                : FastCGI::begin() . FastCGI::record($types[rand @types], $noise);
        my $socket = connected();
        syswrite $socket, $bytes;
        close $socket if $n % 2;
    }
    answers('a valid request is answered after 300 connections with garbage');
};

is $echo->stop, 0, 'the server stops with status 0: no worker was stuck, and no sanitizer reported an error';
my $deadline = 3;
$echo = server($deadline, 60);

# The next two clients never reach the idle timeout; only the timeout of the whole request ends them.
sub until_cut {
    my ($what, $steps, $step) = @_;
    my @clients = map { connected() } 1 .. $workers;
    my $begin = time;
    my $n = 0;
    while ($n < $steps) {
        last if !grep { defined $step->($_, $n) } @clients;
        $n++;
        pace(0.25);
    }
    cmp_ok $n, '<', $steps, "$what: the connection is closed by the request timeout";
    cmp_ok time - $begin, '>', $deadline - 1, "$what: and not before it";
    answers("$what: a valid request is answered afterwards");
}
until_cut('one byte at a time', length $get, sub { my ($socket, $n) = @_; syswrite $socket, substr $get, $n, 1 });
until_cut('a slow reader', 50_000_000 / 65_536, sub {
    my ($socket, $n) = @_;
    return syswrite $socket, FastCGI::get('bytes=50000000') . FastCGI::end_of_input() if !$n;
    my $got = sysread $socket, my ($part), 65_536;
    return $got || undef;
});

# A body that was cut short is refused rather than processed as a shorter request.
my $cut = connected();
syswrite $cut, FastCGI::begin() . FastCGI::params(REQUEST_METHOD => 'POST', REQUEST_URI => '/oai', CONTENT_LENGTH => 9,
    CONTENT_TYPE => 'application/x-www-form-urlencoded') . FastCGI::record(4, '') . FastCGI::record(5, 'a=b') . FastCGI::end_of_input();
like all_of($cut, $patience) // 'nothing', qr/Status: 400/, 'a body shorter than its Content-Length is refused';

is $echo->stop, 0, 'the second server, too, stops with status 0';
diag(slurp("$dir/log")) if !Test::More->builder->is_passing;
done_testing;
