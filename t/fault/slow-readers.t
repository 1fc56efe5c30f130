#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Two hundred clients of each web server, as configured by what ships, ask for a page of two megabytes and read a hundred bytes
# a second of it. They hold memory of the web server, and none of the workers of oai.fcgi: Identify is answered all the
# while, which it would not be for hours if each held one; an ordinary harvester goes on, and the memory of both has a bound.
use FindBin;
use lib "$FindBin::Bin/../lib";
use TestProgram;
use Promptness;
use SlowReaders;
use Time::HiRes qw(time);
use WebServer;

use constant {READERS => 200, MEGABYTE => 1 << 20};

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
    my ($calm, $page_bytes) = harvested($port, 5);
    cmp_ok $page_bytes, '>', 1_800_000, 'a page has two megabytes';

    my $slow = SlowReaders->new(port => $port, target => $target, number => READERS, %how);
    my $prompt = Promptness->new;
    my @bad;
    my $identify = sub {
        my $answer = $prompt->measure(sub { http($port, '/oai?verb=Identify') });
        push @bad, $answer->{status} if $answer->{status} ne '200';
    };
    ok wait_until(sub { $identify->(); @bad >= 3 || $slow->reading == READERS }), 'so many readers have the beginning of a page';
    my ($during, undef, @lost) = harvested($port, 10);
    $identify->() for 1 .. 5;
    is "@bad", '', 'Identify is answered all the while';
    $prompt->is_kept($how{identify} // 2, 'within ' . ($how{identify} // 2) . ' seconds');
    is "@lost", '', 'a harvester gets every page';
    is $slow->reading, READERS, 'and the readers are still reading';

    my ($of_web, $of_server) = map { resident_bytes($_) } $web, $r->{pid} // ();
    cmp_ok $of_web, '<', READERS * 1.5 * $page_bytes + 600 * MEGABYTE, 'the web server holds their pages, and not much more';
    cmp_ok $of_server, '<', 150 * MEGABYTE, 'the server holds none of them' if $r->{pid};
    note sprintf 'a page in %.3f s, without readers in %.3f s; %d MB, server %d MB', $during, $calm,
        map { $_ / MEGABYTE } $of_web, $of_server // 0;
    # The log has a line for each request that a worker has ended.
    my $ended = () = ($r->log_text . slurp("$r->{dir}/web/error.log", '')) =~ /event=request .*verb=ListRecords /g;
    cmp_ok $ended, '>=', READERS, 'no worker is held by writing what they do not read';
    $slow->stop;
    WebServer::stop("$r->{dir}/web");
    is $r->stop, 0, 'the server stops with status 0' if $r->{pid};
    return;
}

subtest 'nginx' => sub { behind('nginx') };
subtest 'Apache with mod_proxy_fcgi' => sub { behind('apache') };
subtest 'Apache with mod_proxy_fcgi, by HTTP/2' => sub { behind('apache', http2 => 1) };
# It looks for a free process only once a second, slow readers or not, and may have to look again.
subtest 'Apache with mod_fcgid' => sub { behind('fcgid', identify => 5) };
done_testing();
