#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# More requests than can be served: nothing but pages and 503, these within max_wait, and Identify as ever; memory stays what
# it was. And one client alone that asks too often. `make bench-overload` does the first for a minute and measures.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(abs_path);
use Database;
use Echo;
use Server;
use Test::More;
use Time::HiRes qw(sleep time);
use POSIX ();

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");
my ($max_wait, $retry_after) = (300, 7);
my $page  = '/oai?verb=ListRecords&metadataPrefix=oai_dc';
my $db    = Database->new(model => 'webarchiv');
$db->run("insert into webarchiv.doc (datestamp, url, surt, archived_time)
    select timestamptz '2020-01-01Z' + n * interval '1 day', 'http://x/' || n, 'x)/' || n, '2019-01-01Z' from generate_series(1, 300) n");
$db->publish for 1 .. 3;

sub rss_kb { my ($pid) = @_; open my $in, '<', "/proc/$pid/status" or return 0; return (join '', <$in>) =~ /^VmRSS:\s+(\d+)/m ? $1 : 0 }
sub metric { my ($served, $series) = @_; return $served->ask('/oai/-/metrics')->{body} =~ /^\Q$series\E (\S+)$/m ? $1 : 0 }

# What t/bench/overload.cpp counts.
sub load_of {
    my ($served, $clients, $seconds) = @_;
    my $line = `$build/release/bench/overload --socket $served->{socket} --uri '$page' --clients $clients --seconds $seconds`;
    return map { /^(\w+)=(\S+)$/ } split ' ', $line;
}

subtest 'ten times what can be served' => sub {
    my $served = Server->new(db => $db, ini => "workers = 8\nretry_after_seconds = $retry_after\n[database]\nconnections = 2\nmax_waiters = 2\n"
        . "max_wait_milliseconds = $max_wait\n") or die;
    $served->start;
    ok Server::within(10, sub { $served->ask($page)->{status} == 200 }), 'it serves';
    my %calm = load_of($served, 2, 1);
    is "$calm{busy} $calm{other}", '0 0', 'as many clients as connections: all are served';
    load_of($served, 40, 1);    # everything that grows with the number of clients has grown
    my $before = rss_kb($served->{pid});

    my $pid = fork // die $!;
    if (!$pid) { my %storm = load_of($served, 40, 4); Server::spew("$served->{dir}/storm", join ' ', map { "$_=$storm{$_}" } keys %storm); POSIX::_exit(0) }
    my ($worst, @status) = (0);
    for (1 .. 12) {
        my $begin = time;
        push @status, $served->ask($_ % 2 ? 'verb=Identify' : 'verb=ListMetadataFormats')->{status};
        $worst = time - $begin if time - $begin > $worst;
        sleep 0.2;
    }
    waitpid $pid, 0;
    my %storm = map { /^(\w+)=(\S+)$/ } split ' ', do { open my $in, '<', "$served->{dir}/storm" or die $!; local $/; <$in> };
    is join(' ', grep { $_ != 200 } @status), '', 'Identify and ListMetadataFormats are answered all the time';
    cmp_ok $worst, '<', 2, 'and do not wait for the database';
    is $storm{other}, 0, 'every answer is a whole page, or 503 with Retry-After';
    cmp_ok $storm{served}, '>', 10, 'pages are served';
    cmp_ok $storm{busy}, '>', $storm{served}, 'and more than that are not';
    cmp_ok $storm{longest_busy_ms}, '<', $max_wait + 1700, 'these are told within max_wait, and what a busy machine adds';
    cmp_ok rss_kb($served->{pid}) - $before, '<', 10_000, 'memory stays what it was, within 10 MB';
    cmp_ok metric($served, 'oai_pool_refusals_total'), '>=', $storm{busy}, 'metrics count those who got no connection';
    cmp_ok metric($served, 'oai_pool_waits_total'), '>', 0, 'and those who waited';
    is $served->ask($page)->{status}, 200, 'after it all is well';
    is $served->stop, 0, 'no worker was stuck';
};

subtest 'one client too often' => sub {
    my $served = Server->new(db => $db, ini => "retry_after_seconds = $retry_after\n[clients]\nrequests_per_minute = 20\nburst = 3\n"
        . "trusted_proxy = 10.0.0.0/8\nunlimited = 192.0.2.128/25\nunlimited = ::1\n");
    $served->start;
    ok Server::within(10, sub { $served->ask('verb=Identify')->{status} == 200 }), 'it serves';
    my $list = 'verb=ListIdentifiers&metadataPrefix=oai_dc';
    my $asks = sub { my ($times, $query, %who) = @_; return map { $served->ask($query, %who) } 1 .. $times };
    my $statuses = sub { join ' ', map { $_->{status} } $asks->(@_) };

    is $statuses->(4, $list, client => '192.0.2.1'), '200 200 200 503', 'a burst of three, then 503';
    my ($refused) = $asks->(1, $list, client => '192.0.2.1');
    like $refused->{headers}{'retry-after'}, qr/^[123]$/, 'with a Retry-After of whole seconds, until the next one is due';
    is $statuses->(3, 'verb=Identify', client => '192.0.2.1'), '200 200 200', 'Identify is answered';
    is $statuses->(3, 'verb=ListMetadataFormats', client => '192.0.2.1'), '200 200 200', 'ListMetadataFormats, too';
    is $statuses->(2, 'verb=ListRecords', client => '192.0.2.1'), '200 200', 'and so are bad arguments';
    is $statuses->(1, 'verb=ListMetadataFormats&identifier=oai:example.org:1', client => '192.0.2.1'), '503', 'but not of a record';
    is $statuses->(1, $list, client => '192.0.2.2'), '200', 'another client is served';
    is $statuses->(10, $list, client => '192.0.2.129'), join(' ', (200) x 10), 'one on the list is not limited';
    sleep $refused->{headers}{'retry-after'};
    is $statuses->(1, $list, client => '192.0.2.1'), '200', 'whoever waited as long as he was told is served';

    is $statuses->(4, $list, client => '10.0.0.1', forwarded => '198.51.100.1'), '200 200 200 503', 'behind a trusted proxy the client counts';
    is $statuses->(1, $list, client => '10.0.0.1', forwarded => '198.51.100.2'), '200', 'and the proxy does not';
    my $n = 0;
    is join(' ', map { $statuses->(1, $list, client => '192.0.2.9', forwarded => '203.0.113.' . $n++) } 1 .. 4), '200 200 200 503',
        'a forged X-Forwarded-For is no way around';
    is $statuses->(4, $list, client => '2001:db8:1:2::1'), '200 200 200 503', 'an IPv6 client';
    is $statuses->(1, $list, client => '2001:db8:1:2:9:9:9:9'), '503', 'is its network of 64 bits';
    cmp_ok metric($served, 'oai_requests_total{outcome="limited",verb="ListIdentifiers"}'), '>=', 5, 'metrics count them';

    for my $kind (qw(nginx apache)) {
        my $port = Echo::web($kind, "$served->{dir}/$kind", $served->{socket});
        my $from = sub { my ($peer, @forwarded) = @_; Echo::http($port, 'GET', "/oai?$list", headers => ["X-Test-Client: $peer", map { "X-Forwarded-For: $_" } @forwarded]) };
        my $net = $kind eq 'nginx' ? '198.18.1' : '198.18.2';
        is join(' ', map { $from->('10.0.0.1', "$net.1")->{status} } 1 .. 4), '200 200 200 503', "$kind: by forwarded address";
        like $from->('10.0.0.1', "$net.1")->{headers}{'retry-after'}, qr/^[123]$/, "$kind: Retry-After arrives";
        is join(' ', map { $from->('10.0.0.1', "203.0.113.$_", "$net.2")->{status} } 1 .. 4), '200 200 200 503',
            "$kind: a header that the client wrote itself, before the proxy's, counts for nothing";
    }
    is $served->stop, 0, 'the server ends';
};
done_testing;
