#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# oai harvest takes whole lists: from this project's server behind nginx, also while requests are limited, the server is
# reloaded and restarted and the harvester is killed; and from two independent providers, Debian's
# Dancer::Plugin::Catmandu::OAI (as in t/bench/peer) and HTTP::OAI (t/lib/http-oai.psgi).
use XML::LibXML;
use TestProgram;
use HarvestedRepository;

my $oai   = "$build/" . ($ENV{OAI_FLAVOUR} // 'release') . '/oai';
my $repository = HarvestedRepository->new(documents => 400);
my $dir   = $repository->{dir};
my $xpath = XML::LibXML::XPathContext->new;
$xpath->registerNs(o => 'http://www.openarchives.org/OAI/2.0/');
$xpath->registerNs(dc => 'http://purl.org/dc/elements/1.1/');

sub in_background { my ($out, @command) = @_; return start_program(\@command, out => $out) }
# (status, output)
sub harvest { return run_program($oai, 'harvest', @_) }

# identifier => "datestamp status sets" of a file, as HarvestedRepository has it; and the first dc:identifier, dc:title of each.
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

# ---- The server of this project

$repository->start;
my $url = $repository->url;
my ($status, $said) = harvest($url, '--output', "$dir/all.xml");
is $status, 0, 'a whole list is harvested' or diag $said;
my ($headers, $identifiers, undef, $twice) = records("$dir/all.xml");
is_deeply $headers, $repository->published('true'), 'it has the headers of all records of the database';
is $twice, 0, 'each record occurs once';
my %urls = map { @$_ } $repository->{db}->rows("select 'oai:example.org:' || local_id, case when i.deleted then '' else url end
    from oai.item i join webarchiv.doc d using (id) where i.seq is not null");
is_deeply $identifiers, \%urls, 'and with its metadata';
($status) = harvest($url, '--output', "$dir/set.xml", '--set', 'dom:ee', '--until', '2020-01-05');
is $status, 0, 'a set, up to a day';
is_deeply +(records("$dir/set.xml"))[0], $repository->published("datestamp < '2020-01-06Z' and
    exists (select from oai.set s where s.id = any (i.set_ids) and s.spec like 'dom:ee:%')"), 'exactly its records are harvested';

# Incremental harvests.
my $since = response_date("$dir/all.xml");
$repository->{db}->run("update webarchiv.doc set status = 410 where id in (5, 6, 7)", 'delete from webarchiv.doc where id = 8');
wait_until(sub { $repository->{db}->run('select oai.publish(1000)'); $repository->{db}->value('select count(*) from oai.queue') == 0 });
wait_until(sub { $repository->{db}->run('select oai.publish(1000)'); ($repository->ask('verb=Identify')->{body} =~ /<responseDate>([^<]+)/)[0] gt $since });
($status, $said) = harvest($url, '--output', "$dir/changes.xml", '--from', $since);
is $status, 0, 'a harvest from the responseDate of that list succeeds' or diag $said;
is join(' ', sort keys %{ (records("$dir/changes.xml"))[0] }), join(' ', map { "oai:example.org:$_" } 5 .. 8), 'only changed records are harvested';
my $from_to = sub { my ($seconds) = @_; harvest($url, '--output', "$dir/since.xml", '--since', "$dir/all.xml", '--overlap', $seconds);
    return slurp("$dir/since.xml") =~ / from="([^"]+)"/ ? $1 : '' };
is $from_to->(0), $since, '--since takes the responseDate from the file';
is scalar(keys %{ (records("$dir/since.xml"))[0] }), 4, 'with the same records';
cmp_ok $from_to->(10), 'lt', $since, '--overlap makes the harvest begin earlier';
is +(harvest($url, '--output', "$dir/since.xml", '--since', $0))[0], 1, 'a file of another kind is refused';
like +(records("$dir/changes.xml"))[0]{'oai:example.org:8'}, qr/ deleted /, 'a deleted record is harvested as deleted';

# oai load reads what oai harvest wrote.
my $library = Database->new(model => 'library');
my $ini = write_ini("$dir/library.ini", $library);
is system("$oai --config $ini load $dir/all.xml >$dir/loaded 2>&1"), 0, 'oai load reads the file' or diag slurp("$dir/loaded");
is $library->value('select count(*) from oai.item'), 400, 'all its records';

# Requests are limited for each client, and during the harvest the harvester is killed, and the server is reloaded and
# restarted.
$repository->stop;
my $limited = spew("$dir/limited.ini", slurp($repository->{ini}) . "[clients]\nrequests_per_minute = 60\nburst = 4\n");
$repository->start(ini => $limited);
my $file = "$dir/limited.xml";
my $pid = in_background("$dir/first", $oai, 'harvest', $url, '--output', $file);
ok wait_until(sub { -e "$file.state" && slurp("$file.state", '') =~ /"pages":[1-9]/ }), 'a page has been received';
kill 'KILL', $pid;
waitpid $pid, 0;
ok !-e $file, 'the harvester was killed before its list was complete';
$pid = in_background("$dir/second", $oai, 'harvest', $url, '--output', $file);
# Of the same address, so that even a slow harvester asks too often.
ok wait_until(sub { $repository->ask('verb=ListIdentifiers&metadataPrefix=oai_dc'); slurp("$dir/second", '') =~ /503/ }), 'the next harvester is told to wait';
kill 'HUP', $repository->{pid};
wait_until(sub { $repository->log_text =~ /event=reload state=/ });
is $repository->stop, 0, 'the server stops with status 0';
$repository->start;
waitpid $pid, 0;
is $?, 0, 'the list is completed' or diag slurp("$dir/second");
like slurp("$dir/second"), qr/going on behind \d+ records/, 'from where the killed harvester stopped';
($headers, undef, undef, $twice) = records($file);
is_deeply $headers, $repository->published('true'), 'it has every record';
is $twice, 0, 'each record occurs once';
$repository->stop;

# ---- Providers of other projects

sub serve_psgi {
    my ($app, %environment) = @_;
    my $port = free_port();
    local @ENV{keys %environment} = map { s/PORT/$port/r } values %environment;
    my $server = in_background("$dir/psgi.$port", 'starman', '-I', "$root/t/bench/peer", '--workers', 1, '--listen', "127.0.0.1:$port", $app);
    wait_until(sub { IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) }) or diag slurp("$dir/psgi.$port");
    return ($server, "http://127.0.0.1:$port");
}
my @servers;
END { my $end = $?; kill 'TERM', @servers; waitpid $_, 0 for @servers; $? = $end }

my $db = $repository->{db};
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
    is $status, 0, "$who: a whole list is harvested" or diag $said, slurp("$dir/psgi." . ($peer =~ /:(\d+)/)[0]);
    ($headers, undef, my $titles, $twice) = -e "$dir/peer.xml" ? records("$dir/peer.xml") : ({}, {}, {}, 1);
    is_deeply $headers, {map { ("oai:$namespace:$_" => $expected{$_}) } keys %expected}, "$who: every header is correct";
    is_deeply $titles, {map { ("oai:$namespace:$_" => $expected_titles{$_}) } keys %expected}, "$who: every title is correct";
    is $twice, 0, "$who: each record occurs once";
    ($status, $said) = harvest($peer, '--output', "$dir/peer.xml", '--from', '2024-01-01T05:00:00Z');
    is $status, 0, "$who: a harvest from a second succeeds" or diag $said;
    is scalar(keys %{ (records("$dir/peer.xml"))[0] }), 201, "$who: it has the records that changed since then";
}
done_testing;
