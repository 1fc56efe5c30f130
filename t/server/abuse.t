#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Clients that break off, dawdle or babble cost a worker no longer than the timeouts say, and nobody else anything.
# Two workers, so that a stuck one would be missed; the sanitized program, so that a wrong step would be seen.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Echo;
use FastCGI;
use IO::Select;
use IO::Socket::UNIX;
use Socket qw(SOL_SOCKET SO_RCVBUF);
use Test::More;
use Time::HiRes qw(time sleep);

my ($workers, $idle, $patience) = (2, 1, 5);    # libfcgi's own wait of 2 s, and room for a slow machine
my $dir  = Echo::directory();
my $path = "$dir/socket";
$SIG{PIPE} = 'IGNORE';

sub server {
    my ($deadline) = @_;
    return Echo->start(socket => $path, flavour => 'asan', log => "$dir/log",
        args => ['--workers', $workers, '--idle-seconds', $idle, '--request-seconds', $deadline]);
}

sub connected { return IO::Socket::UNIX->new(Peer => $path) // die "connect: $!" }

# Everything until the server closes, as far as it comes within so many seconds; undef if it does not close.
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

# A good request is answered, and soon.
sub answers {
    my ($what) = @_;
    my $socket = connected();
    print $socket FastCGI::get('a=1'), FastCGI::end_of_input();
    $socket->flush;
    like all_of($socket, $patience) // 'nothing', qr/Status: 200.*GET \/oai\na=1\n/s, $what;
}

# As many clients at once as there are workers do the same wrong thing.
sub all_workers_meet {
    my ($what, $wrong) = @_;
    my @clients = map { my $socket = connected(); $wrong->($socket); $socket } 1 .. $workers;
    answers("$what: nobody else waits for long");
}

my $echo = server(10 * $patience);    # so that none of these is ended by it
answers('before all');
my $get = FastCGI::get('a=1');
all_workers_meet('a connection without a word', sub { });
all_workers_meet('half a request', sub { syswrite $_[0], substr $get, 0, length($get) - 12 });
all_workers_meet('half a record header', sub { syswrite $_[0], substr $get, 0, 5 });
all_workers_meet('no end of input', sub { syswrite $_[0], $get });
all_workers_meet('another protocol', sub { syswrite $_[0], "GET / HTTP/1.1\r\nHost: x\r\n\r\n" });
all_workers_meet('an unknown role', sub { syswrite $_[0], FastCGI::record(1, pack 'nCx5', 77, 0) });
all_workers_meet('a lie in a length', sub { syswrite $_[0], FastCGI::begin() . FastCGI::record(4, pack('CC', 5, 9) . 'ab') . FastCGI::record(4, '') });
all_workers_meet('half a body', sub {
    syswrite $_[0], FastCGI::begin() . FastCGI::params(REQUEST_METHOD => 'POST', REQUEST_URI => '/oai', CONTENT_LENGTH => 100,
        CONTENT_TYPE => 'application/x-www-form-urlencoded') . FastCGI::record(4, '') . FastCGI::record(5, 'x' x 50);
});
all_workers_meet('a client gone before the answer', sub {
    syswrite $_[0], FastCGI::get('sleep=100&bytes=5000000') . FastCGI::end_of_input();
    close $_[0];
});
all_workers_meet('a client that reads nothing', sub { syswrite $_[0], FastCGI::get('bytes=5000000') . FastCGI::end_of_input() });

all_workers_meet('an abort in the middle', sub { syswrite $_[0], $get . FastCGI::record(2, '') });
all_workers_meet('a record of management', sub { syswrite $_[0], pack('CCnnCx', 1, 9, 0, 0, 0) });
all_workers_meet('two requests on one connection', sub { syswrite $_[0], $get . FastCGI::end_of_input() . $get . FastCGI::end_of_input() });
all_workers_meet('an answer aborted while it is read', sub {
    syswrite $_[0], FastCGI::get('bytes=5000000') . FastCGI::end_of_input();
    sysread $_[0], my ($part), 10_000;
    close $_[0];
});

# Pseudo-random, the same each time. Never a record of variables: libfcgi itself aborts on some of these (README: only
# the web server may connect).
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
    answers('after 300 times garbage');
};

is $echo->stop, 0, 'no worker was stuck, and no sanitizer complained';
my $deadline = 3;
$echo = server($deadline);

# These two keep within the idle time and are ended by the deadline of the request alone.
sub until_cut {
    my ($what, $step) = @_;
    my @clients = map { connected() } 1 .. $workers;
    my $begin = time;
    my $n = 0;
    while (time < $begin + $deadline + $patience) {
        last if !grep { defined $step->($_, $n) } @clients;
        $n++;
        sleep 0.25;
    }
    cmp_ok time - $begin, '<', $deadline + 2, "$what: ended by the deadline";
    cmp_ok time - $begin, '>', $deadline - 1, "$what: not before";
    answers("$what: answers after it");
}
until_cut('one byte at a time', sub { my ($socket, $n) = @_; syswrite $socket, substr $get, $n, 1 });
until_cut('a slow reader', sub {
    my ($socket, $n) = @_;
    return syswrite $socket, FastCGI::get('bytes=50000000') . FastCGI::end_of_input() if !$n;
    my $got = sysread $socket, my ($part), 65_536;
    return $got || undef;
});

# A body that was cut short is refused, not taken for another request.
my $cut = connected();
syswrite $cut, FastCGI::begin() . FastCGI::params(REQUEST_METHOD => 'POST', REQUEST_URI => '/oai', CONTENT_LENGTH => 9,
    CONTENT_TYPE => 'application/x-www-form-urlencoded') . FastCGI::record(4, '') . FastCGI::record(5, 'a=b') . FastCGI::end_of_input();
like all_of($cut, $patience) // 'nothing', qr/Status: 400/, 'a body shorter than its Content-Length';

is $echo->stop, 0, 'and once more no worker was stuck';
diag(do { local (@ARGV, $/) = "$dir/log"; <> }) if !Test::More->builder->is_passing;
done_testing;
