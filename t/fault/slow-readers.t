#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Many clients of each web server, as configured by what ships, ask for a page of two megabytes and read a hundred bytes
# a second of it. They hold memory of the web server, and none of the workers of oai.fcgi: Identify is answered all the
# while, which it would not be for hours if each held one; an ordinary harvester goes on, and the memory of both has a bound.
# Then clients who send a POST, a byte of its body a second, and come again when they are dropped.
use TestProgram;
use IO::Select;
use Time::HiRes qw(time);

# In the short form still more than a server has workers.
use constant {READERS => $ENV{OAI_TEST_LONG} ? 200 : 60, MEGABYTE => 1 << 20};

# Clients that read so from a receive buffer as small as the kernel lets it be, in a process of their own. They come 25 in a second,
# each from an address of its own (X-Test-Client, t/lib/web.sh), and again if they are refused; but none comes while four wait for the
# first byte, so that a slow machine is not overrun by their requests. http2 => 1: they speak HTTP/2 without TLS and let the server
# send a kilobyte, and no more. $slow->reading: how many have got the beginning of a page and not the end.
package SlowReaders {
use IO::Handle;
use Process;
use Socket;
use Time::HiRes qw(time);

use constant {ARRIVALS => 25, BYTES => 100, RECEIVE_BUFFER => 1024, WINDOW => 1000, PATIENCE => 60, WAITING => 4};

sub new {
    my ($class, %how) = @_;
    pipe my $counts, my $out or die "pipe: $!";
    my $pid = later(sub { local $SIG{PIPE} = 'IGNORE'; read_slowly($out, %how) });
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
}

my $target = '/oai?verb=ListRecords&metadataPrefix=oai_dc';
my $db = Database->new(model => 'library');
$db->run(q{insert into library.item (local_id, title, description) select 'r' || n, array['Title ' || n],
    array[(select string_agg(md5(n::text || i), ' ') from generate_series(1, 50) i)] from generate_series(1, 2000) n});
1 while $db->publish(5000);

# Of a process and all that it started.
sub resident_bytes {
    my ($pid) = @_;
    my ($kb) = slurp("/proc/$pid/status", '') =~ /^VmRSS:\s+(\d+)/m;
    my $bytes = 1024 * ($kb // 0);
    $bytes += resident_bytes($_) for split ' ', slurp("/proc/$pid/task/$pid/children", '');
    return $bytes;
}

sub http { my ($port, $what) = @_; return WebServer::http($port, 'GET', $what) }

# The configuration for mod_fcgid is that of mount.md. Its processes run as the user of the web server.
sub started {
    my ($kind) = @_;
    my $r = Repository->new(db => $db, formats => "$Server::root/xslt/library", ini => {lists => {records => 1000}, $kind eq 'fcgid'
        ? (server => {socket => undef, workers => 5}, database => {connections => 1, max_waiters => 0}) : ()});
    if ($kind ne 'fcgid') {
        $r->start;
        return ($r, WebServer::start($kind, "$r->{dir}/web", $r->{socket}));
    }
    chown +(getpwnam 'www-data')[2, 3], "$r->{dir}/key" if !$>;
    my ($cluster) = $db->conninfo =~ /host=(\S+)/;
    return ($r, WebServer::start($kind, "$r->{dir}/web", "$r->{bin}/oai.fcgi --config $r->{ini}", $cluster));
}

sub harvested {
    my ($port, $times) = @_;
    my ($pages, $bytes, @bad) = (0, 0);
    my $began = time;
    for (1 .. $times) {
        my $answer = http($port, $target);
        if ($answer->{status} eq '200' && $answer->{body} =~ m{</OAI-PMH>\s*\z}) { ++$pages; $bytes = length $answer->{body} }
        else                                                                     { push @bad, $answer->{status} }
    }
    return ((time - $began) / ($pages || 0.001), $bytes, @bad);
}

sub behind {
    my ($kind, %how) = @_;
    my ($r, $port) = started($kind);
    my $web = slurp("$r->{dir}/web/pid") + 0;
    http($port, $target);
    my ($calm, $page_bytes) = harvested($port, 2);
    cmp_ok $page_bytes, '>', 1_800_000, 'a page has two megabytes';

    my $slow = SlowReaders->new(port => $port, target => $target, number => READERS, %how);
    my @bad;
    my $identify = sub { my $status = http($port, '/oai?verb=Identify')->{status}; push @bad, $status if $status ne '200' };
    ok wait_until(sub { $identify->(); @bad >= 3 || $slow->reading == READERS }), 'so many readers have the beginning of a page';
    my ($during, undef, @lost) = harvested($port, 5);
    $identify->() for 1 .. 5;
    is "@bad", '', 'Identify is answered all the while';
    is "@lost", '', 'a harvester gets every page';
    ok wait_until(sub { $slow->reading == READERS }), 'and the readers are still reading';    # the web server may drop one, which comes again

    my ($of_web, $of_server) = map { resident_bytes($_) } $web, $r->{pid} // ();
    cmp_ok $of_web, '<', READERS * 1.5 * $page_bytes + 600 * MEGABYTE, 'the web server holds their pages, and not much more';
    cmp_ok $of_server, '<', 150 * MEGABYTE, 'the server holds none of them' if $r->{pid};
    note sprintf 'a page in %.3f s, without readers in %.3f s; %d MB, server %d MB', $during, $calm,
        map { $_ / MEGABYTE } $of_web, $of_server // 0;
    # The log has a line for each request that a worker has ended.
    my $ended = sub { return scalar(() = ($r->log_text . slurp("$r->{dir}/web/error.log", '')) =~ /event=request .*verb=ListRecords /g) };
    ok wait_until(sub { $ended->() >= READERS }), 'no worker is held by writing what they do not read';
    $slow->stop;
    WebServer::stop("$r->{dir}/web");
    is $r->stop, 0, 'the server stops with status 0' if $r->{pid};
    return;
}

# How many clients are connected to the port.
sub connected {
    my ($port) = @_;
    my $local = sprintf ':%04X', $port;
    return scalar grep { /^\s*\d+: \w+$local \w+:\w+ 01 / } split /^/, slurp('/proc/net/tcp');
}

sub trickle {
    my ($port, $number) = @_;
    local $SIG{PIPE} = 'IGNORE';
    my @senders;
    for (;;) {
        for my $n (0 .. $number - 1) {
            next if $senders[$n] && syswrite $senders[$n], 'x';
            my $socket = $senders[$n] = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port", Blocking => 0) or next;
            # The head, when the connection stands.
            IO::Select->new($socket)->can_write(1);
            syswrite $socket, "POST /oai HTTP/1.1\r\nHost: localhost\r\nX-Test-Client: 10.3." . int($n / 250) . '.' . (1 + $n % 250)
                . "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 60000\r\n\r\nverb=";
        }
        pace(1);
    }
}

# Apache has a thread for each, which mod_reqtimeout takes back. It starts threads that it lacks once a second, and Identify would
# wait for them; all of mount.md's are there from the start.
sub beside_senders {
    my ($kind, $number) = @_;
    my ($r, $port) = started($kind);
    my $web = slurp("$r->{dir}/web/pid") + 0;
    my $complete = sub { return $kind eq 'nginx' || split(' ', slurp("/proc/$web/task/$web/children")) >= $ENV{OAI_WEB_THREADS} / 25 };
    ok wait_until($complete), "$kind: all processes are there";
    my ($calm) = harvested($port, 2);
    my $pid = later(sub { trickle($port, $number) });
    ok wait_until(sub { connected($port) >= 0.9 * $number }), "$kind: $number clients are connected";
    my (@bad, @seconds);
    for (1 .. 10) { my $began = time; push @bad, grep { $_ ne '200' } http($port, '/oai?verb=Identify')->{status}; push @seconds, time - $began }
    my ($during, undef, @lost) = harvested($port, 5);
    kill 'KILL', $pid;
    waitpid $pid, 0;
    is "@bad", '', "$kind: Identify is answered beside $number clients who are still sending";
    is "@lost", '', "$kind: a harvester gets every page";
    ok $complete->(), "$kind: all processes are still there";
    note sprintf '%s, %d senders: the slowest Identify %.3f s; a page in %.3f s, without senders in %.3f s', $kind, $number, (sort { $a <=> $b } @seconds)[-1], $during, $calm;
    WebServer::stop("$r->{dir}/web");
    $r->stop if $r->{pid};
    return;
}
subtest 'requests that are still being sent' => sub {
    my %senders = $ENV{OAI_TEST_LONG} ? (nginx => 1000, apache => 1000, fcgid => 1000) : (nginx => 300, apache => 100, fcgid => 100);
    local $ENV{OAI_WEB_THREADS} = $ENV{OAI_TEST_LONG} ? slurp("$root/deploy/manual/mount.md") =~ /`MaxSpareThreads` to (\d+)/ && $1 : 150;
    beside_senders($_, $senders{$_}) for sort keys %senders;
};

for my $way (['nginx'], ['apache'], ['apache', http2 => 1], ['fcgid']) { subtest "@$way" => sub { behind(@$way) } }
done_testing();
