#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# oai harvest takes whole lists: of our own server behind nginx, also while that is limited, reloaded and restarted and the
# harvester is killed; and of two providers that this project did not write, Debian's Dancer::Plugin::Catmandu::OAI (as
# t/bench/peer has it) and HTTP::OAI (t/lib/http-oai.psgi).
use strict;
use warnings;
use FindBin;
use Cwd qw(abs_path);
use IO::Socket::INET;
use POSIX ();
use Test::More;
use XML::LibXML;
use lib "$FindBin::Bin/../lib";
use Served;

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");
my $oai   = "$build/" . ($ENV{OAI_FLAVOUR} // 'release') . '/oai';
my $served = Served->new(documents => 400);
my $dir   = $served->{dir};
my $xpath = XML::LibXML::XPathContext->new;
$xpath->registerNs(o => 'http://www.openarchives.org/OAI/2.0/');
$xpath->registerNs(dc => 'http://purl.org/dc/elements/1.1/');

sub slurp { return Served::slurp(@_) }
sub in_background {
    my ($out, @command) = @_;
    my $pid = fork // die $!;
    return $pid if $pid;
    open STDOUT, '>', $out or die $!;
    open STDERR, '>&', \*STDOUT or die $!;
    exec @command or POSIX::_exit(127);
}
# The exit status and all that was said.
sub harvest {
    waitpid in_background("$dir/said", 'timeout', 120, $oai, 'harvest', @_), 0;
    return ($? >> 8, slurp("$dir/said"));
}

# identifier => "datestamp status sets" of a file, as Served has it; and the first dc:identifier, dc:title of each.
sub records {
    my ($file) = @_;
    my (%headers, %identifiers, %titles, $twice);
    for my $record ($xpath->findnodes('/*/o:record', XML::LibXML->load_xml(location => $file))) {
        my ($header) = $xpath->findnodes('o:header', $record);
        my $id = $xpath->findvalue('o:identifier', $header);
        $twice++ if exists $headers{$id};
        $headers{$id} = join ' ', $xpath->findvalue('o:datestamp', $header), $header->getAttribute('status') // '',
            sort map { $_->textContent } $xpath->findnodes('o:setSpec', $header);
        $identifiers{$id} = $xpath->findvalue('o:metadata/*/dc:identifier[1]', $record);
        $titles{$id} = $xpath->findvalue('o:metadata/*/dc:title[1]', $record);
    }
    return (\%headers, \%identifiers, \%titles, $twice // 0);
}
sub response_date { return slurp($_[0]) =~ /responseDate="([^"]+)"/ ? $1 : '' }

# ---- Our own server

$served->start;
my $url = $served->url;
my ($status, $said) = harvest($url, '--output', "$dir/all.xml");
is $status, 0, 'a whole list' or diag $said;
my ($headers, $identifiers, undef, $twice) = records("$dir/all.xml");
is_deeply $headers, $served->published('true'), 'has every record of the database, header by header';
is $twice, 0, 'each once';
my %urls = map { @$_ } $served->{db}->rows("select 'oai:example.org:' || local_id, case when i.deleted then '' else url end
    from oai.item i join webarchiv.doc d using (id) where i.seq is not null");
is_deeply $identifiers, \%urls, 'and with its metadata';
($status) = harvest($url, '--output', "$dir/set.xml", '--set', 'dom:ee', '--until', '2020-01-05');
is $status, 0, 'a set, up to a day';
is_deeply +(records("$dir/set.xml"))[0], $served->published("datestamp < '2020-01-06Z' and
    exists (select from oai.set s where s.id = any (i.set_ids) and s.spec like 'dom:ee:%')"), 'has those and no others';

# What changed since.
my $since = response_date("$dir/all.xml");
$served->{db}->run("update webarchiv.doc set status = 410 where id in (5, 6, 7)", 'delete from webarchiv.doc where id = 8');
Served::within(20, sub { $served->{db}->run('select oai.publish(1000)'); $served->{db}->value('select count(*) from oai.queue') == 0 });
Served::within(20, sub { $served->{db}->run('select oai.publish(1000)'); ($served->ask('verb=Identify')->{body} =~ /<responseDate>([^<]+)/)[0] gt $since });
($status, $said) = harvest($url, '--output', "$dir/changes.xml", '--from', $since);
is $status, 0, 'from the responseDate of that list' or diag $said;
is join(' ', sort keys %{ (records("$dir/changes.xml"))[0] }), join(' ', map { "oai:example.org:$_" } 5 .. 8), 'what changed comes, and nothing else';
my $from_to = sub { my ($seconds) = @_; harvest($url, '--output', "$dir/since.xml", '--since', "$dir/all.xml", '--overlap', $seconds);
    return slurp("$dir/since.xml") =~ / from="([^"]+)"/ ? $1 : '' };
is $from_to->(0), $since, 'the same by --since';
is scalar(keys %{ (records("$dir/since.xml"))[0] }), 4, 'with the same records';
cmp_ok $from_to->(10), 'lt', $since, 'an overlap begins before';
is +(harvest($url, '--output', "$dir/since.xml", '--since', $0))[0], 1, 'a file of another kind is refused';
like +(records("$dir/changes.xml"))[0]{'oai:example.org:8'}, qr/ deleted /, 'what was deleted as deleted';

# oai load reads what oai harvest wrote.
my $library = Database->new(model => 'library');
my $ini = Served::spew("$dir/library.ini", slurp($served->{ini}) . "[loader]\nconnection = " . $library->conninfo('oai_loader') . "\n");
is system("$oai --config $ini load $dir/all.xml >$dir/loaded 2>&1"), 0, 'oai load reads the file' or diag slurp("$dir/loaded");
is $library->value('select count(*) from oai.item'), 400, 'all of it';

# A limit for each client, and under way kill -9 of the harvester, a reload and a restart of the server.
$served->stop;
my $limited = Served::spew("$dir/limited.ini", slurp($served->{ini}) . "[clients]\nrequests_per_minute = 400\nburst = 4\n");
$served->start(ini => $limited);
my $file = "$dir/limited.xml";
my $pid = in_background("$dir/first", $oai, 'harvest', $url, '--output', $file);
ok Served::within(30, sub { -e "$file.state" && slurp("$file.state") =~ /"pages":[1-9]/ }), 'a page has come';
kill 'KILL', $pid;
waitpid $pid, 0;
ok !-e $file, 'the harvester was killed before its list was whole';
$pid = in_background("$dir/second", $oai, 'harvest', $url, '--output', $file);
ok Served::within(30, sub { slurp("$dir/second") =~ /503/ }), 'the next one is told to wait';
kill 'HUP', $served->{pid};
Served::pause(0.3);
is $served->stop, 0, 'the server ends';
$served->start(ini => $limited);
waitpid $pid, 0;
is $?, 0, 'the list comes to its end' or diag slurp("$dir/second");
like slurp("$dir/second"), qr/going on behind \d+ records/, 'from where it stood';
($headers, undef, undef, $twice) = records($file);
is_deeply $headers, $served->published('true'), 'every record is there';
is $twice, 0, 'each once';
$served->stop;

# ---- Providers of others

sub serve_psgi {
    my ($app, %environment) = @_;
    my $port = do { IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport };
    local @ENV{keys %environment} = map { s/PORT/$port/r } values %environment;
    my $server = in_background("$dir/psgi.$port", 'starman', '-I', "$root/t/bench/peer", '--workers', 1, '--listen', "127.0.0.1:$port", $app);
    Served::within(60, sub { IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) }) or diag slurp("$dir/psgi.$port");
    return ($server, "http://127.0.0.1:$port");
}
my @servers;
END { my $end = $?; kill 'TERM', @servers; waitpid $_, 0 for @servers; $? = $end }

my $db = $served->{db};
$db->run('create schema bench', 'create table bench.peer (id text, datestamp text collate "C", deleted boolean, setspec text[],
    title text, identifier text, publisher text, date text, type text, format text, source text, relation text[])',
    "insert into bench.peer select n, to_char(timestamp '2024-01-01' + n * interval '1 minute', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), n % 10 = 0,
     array[case when n % 2 = 0 then 'even' else 'odd' end], 'Title <' || n || '> & ' || chr(269) from generate_series(1, 500) n",
    'grant usage on schema bench to oai_reader', 'grant select on bench.peer to oai_reader');
my ($host, $name) = $db->conninfo =~ /host=(\S+).*dbname=(\S+)/ ? ($1, $2) : die $db->conninfo;
my (%expected, %expected_titles);
for my $n (1 .. 500) {
    $expected{$n} = sprintf '2024-01-01T%02d:%02d:00Z %s %s', $n / 60, $n % 60, $n % 10 ? '' : 'deleted', $n % 2 ? 'odd' : 'even';
    $expected_titles{$n} = $n % 10 ? "Title <$n> & \x{10d}" : '';
}
my ($catmandu, $catmandu_url) = serve_psgi("$root/t/bench/peer/app.psgi",
    PEER_DSN => "dbi:Pg:dbname=$name;host=$host", PEER_URL => 'http://127.0.0.1:PORT/peer', PEER_LIMIT => 50);
my ($http_oai, $http_oai_url) = serve_psgi("$root/t/lib/http-oai.psgi", OAI_RECORDS => 500);
@servers = ($catmandu, $http_oai);
for (['Catmandu', "$catmandu_url/peer", 'example.org'], ['HTTP::OAI', "$http_oai_url/oai", 'peer.example']) {
    my ($who, $peer, $namespace) = @$_;
    ($status, $said) = harvest($peer, '--output', "$dir/peer.xml");
    is $status, 0, "$who: a whole list" or diag $said, slurp("$dir/psgi." . ($peer =~ /:(\d+)/)[0]);
    ($headers, undef, my $titles, $twice) = -e "$dir/peer.xml" ? records("$dir/peer.xml") : ({}, {}, {}, 1);
    is_deeply $headers, {map { ("oai:$namespace:$_" => $expected{$_}) } keys %expected}, "$who: every header";
    is_deeply $titles, {map { ("oai:$namespace:$_" => $expected_titles{$_}) } keys %expected}, "$who: every title";
    is $twice, 0, "$who: each record once";
    ($status, $said) = harvest($peer, '--output', "$dir/peer.xml", '--from', '2024-01-01T05:00:00Z');
    is $status, 0, "$who: from a second on" or diag $said;
    is scalar(keys %{ (records("$dir/peer.xml"))[0] }), 201, "$who: what changed since";
}
done_testing;
