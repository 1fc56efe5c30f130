# SPDX-License-Identifier: MIT
# Clients of a web server that ask for a page and then read a hundred bytes of it each second, into a receive buffer as small as
# the kernel lets it be. They come 25 in a second, each from an address of its own (X-Test-Client, t/lib/web.sh), and again if they
# are refused; but none comes while four wait for the first byte, so that a slow machine is not overrun by their requests.
#   my $slow = SlowReaders->new(port => $port, target => '/oai?...', number => 200);     in a process of its own
#       http2 => 1: they speak HTTP/2 without TLS and let the server send a kilobyte, and no more
#   my $n = $slow->reading;     how many have got the beginning of a page and not the end
#   $slow->stop;
package SlowReaders;
use strict;
use warnings;
use IO::Handle;
use POSIX ();
use Process;
use Socket;
use Time::HiRes qw(time);

use constant {ARRIVALS => 25, BYTES => 100, RECEIVE_BUFFER => 1024, WINDOW => 1000, PATIENCE => 60, WAITING => 4};

sub new {
    my ($class, %how) = @_;
    pipe my $counts, my $out or die "pipe: $!";
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        local $SIG{PIPE} = 'IGNORE';
        read_slowly($out, %how);
        POSIX::_exit(0);
    }
    $counts->blocking(0);
    return bless {pid => $pid, counts => $counts, reading => 0}, $class;
}

sub reading {
    my ($self) = @_;
    while (sysread $self->{counts}, my ($lines), 4096) { $self->{reading} = $1 if $lines =~ /(\d+)\n\z/ }
    return $self->{reading};
}

sub stop {
    my ($self) = @_;
    my $pid = delete $self->{pid} or return;
    kill 'KILL', $pid;
    waitpid $pid, 0;
    return;
}

sub http2_request {
    my ($target, $client) = @_;
    my $string = sub { my $n = length $_[0]; return ($n < 127 ? chr $n : "\x7f" . chr($n - 127)) . $_[0] };
    my $frame = sub { my ($type, $flags, $stream, $content) = @_; return substr(pack('NCCN', length $content, $type, $flags, $stream), 1) . $content };
    my $head = "\x82\x86\x04" . $string->($target) . "\x01" . $string->('localhost') . "\x00" . $string->('x-test-client') . $string->($client);
    return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" . $frame->(4, 0, 0, pack 'nN', 4, WINDOW) . $frame->(1, 5, 1, $head);
}

sub connected {
    my ($n, %how) = @_;
    my $client = '10.1.' . int($n / 250) . '.' . (1 + $n % 250);
    socket my $socket, PF_INET, SOCK_STREAM, 0 or return;
    setsockopt $socket, SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER;    # before connect: the window is small from the first byte
    connect $socket, pack_sockaddr_in($how{port}, INADDR_LOOPBACK) or return;
    syswrite $socket, $how{http2} ? http2_request($how{target}, $client) : "GET $how{target} HTTP/1.0\r\nHost: localhost\r\nX-Test-Client: $client\r\n\r\n";
    $socket->blocking(0);
    return {socket => $socket, since => time, bytes => 0, text => ''};
}

# Whether the reader has got the beginning of a page; undef as long as it may still come.
sub has_page {
    my ($reader, %how) = @_;
    return $reader->{bytes} > WINDOW / 2 || (time < $reader->{since} + PATIENCE ? undef : 0) if $how{http2};    # refusals are short
    return length $reader->{text} < 12 ? undef : $reader->{text} =~ m{^HTTP/1\.\d 200};
}

sub read_slowly {
    my ($out, %how) = @_;
    my ($come, $reading, @readers, @turn) = (0, 0);
    for (;;) {
        my $waiting = grep { $_ && !$_->{bytes} } @readers;
        ++$come if $come < $how{number} && $waiting < WAITING;
        for my $n (grep { time > ($turn[$_] // 0) } 1 .. $come) {
            next if !$readers[$n] && $waiting >= WAITING;
            $turn[$n] = time + 1;
            ++$waiting if !$readers[$n];
            my $reader = $readers[$n] //= connected($n, %how) or next;
            my $got = sysread $reader->{socket}, my ($bytes), $how{http2} ? WINDOW : BYTES;
            if ($got) {
                $reader->{bytes} += $got;
                $reader->{text} .= $bytes if $reader->{bytes} < 1000;
            }
            $turn[$n] = time if !$reader->{bytes};    # look again soon
            my $page = has_page($reader, %how);
            my $ended = defined $got ? !$got : !$!{EAGAIN};
            undef $readers[$n] if $ended || defined $page && !$page;
        }
        my $now = grep { $_ && has_page($_, %how) } @readers;
        syswrite $out, ($reading = $now) . "\n" or return if $now != $reading;
        pace(1 / ARRIVALS);
    }
    return;
}

sub DESTROY { my ($self) = @_; local ($?, $!); $self->stop; return }

1;
