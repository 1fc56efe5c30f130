#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What the server says of itself: its pages of health and metrics, its log, `oai status`; and that the shipped web server
# configurations keep the pages from the world.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(abs_path);
use Database;
use Echo;
use JSON::PP qw(decode_json);
use Server;
use Test::More;
use Time::HiRes qw(sleep);

my $root = abs_path("$FindBin::Bin/../..");
my $db   = Database->new(model => 'webarchiv');
my $served = Server->new(db => $db, ini => "[lists]\nrecords = 6\n[publisher]\nlate_seconds = 5\n[clients]\ntrusted_proxy = 10.0.0.0/8\n");
my $formats = $served->{formats};
my $fragile = do { open my $in, '<', "$root/t/golden/formats/fragile.xsl" or die $!; local $/; <$in> };
Server::spew("$formats/fragile.xsl", $fragile =~ s/'broken'/'bad'/r);

sub health { my $answer = $served->ask('/oai/-/health'); return ($answer->{status}, eval { decode_json($answer->{body}) } // {}) }
sub metrics { return $served->ask('/oai/-/metrics')->{body} }
# The value of a series, by its name and labels in order; undef if there is none.
sub value { my ($series, $text) = @_; return ($text // metrics()) =~ /^\Q$series\E (\S+)$/m ? $1 : undef }

$db->run("insert into webarchiv.doc (datestamp, url, surt, archived_time)
    select timestamptz '2020-01-01Z' + n * interval '1 day', 'http://x/' || case when n in (3, 4, 17) then 'bad' else 'good' end || n, 'x)/' || n,
           '2019-01-01Z' from generate_series(1, 20) n");
$served->start;

subtest 'a repository that is not numbered yet' => sub {
    ok Server::within(5, sub { (health())[1]{publisher}{why} // '' ne '' }), 'the watch has asked';
    my ($status, $health) = health();
    is $status, 503, 'health is 503';
    ok $health->{live}, 'live';
    ok !$health->{ready}, 'but not ready';
    ok $health->{database}{ok}, 'the database is well';
    like $health->{publisher}{why}, qr/numbered for the first time/, 'the publisher is not';
    ok Server::within(5, sub { (value('oai_publisher_queue') // '') eq '20' }), 'the queue is counted';
};

subtest 'health' => sub {
    $db->publish for 1 .. 3;    # the first numbering, and its end
    ok Server::within(5, sub { (health())[0] == 200 }), 'all is well';
    my ($status, $health) = health();
    ok $health->{$_}{ok}, "$_ is well" for qw(database publisher formats);
    cmp_ok $health->{publisher}{lag_seconds}, '>=', 1, 'lag';
    is value('oai_publisher_queue'), 0, 'nothing waits';
    is value('oai_healthy{part="publisher"}'), 1, 'metrics say so';
    like value('oai_publisher_lag_seconds'), qr/^[1-5]$/, 'lag is a metric';

    ok Server::within(10, sub { (health())[0] == 503 }), 'a publisher that does not run is missed';
    ($status, $health) = health();
    like $health->{publisher}{why}, qr/published up to .* oai publish/, 'why';
    is value('oai_healthy{part="publisher"}'), 0, 'metrics say so';
    $db->publish;
    ok Server::within(5, sub { (health())[0] == 200 }), 'well again';
};

subtest 'a broken stylesheet' => sub {
    Server::spew("$formats/new.xsl", "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>\n<oops>\n</xsl:stylesheet>");
    ok Server::within(5, sub { (metrics() =~ /^oai_format_faults 1$/m) }), 'is counted';
    my $text = metrics();
    like $text, qr{^oai_format_fault\{where="[^"]*new\.xsl:\d+",why="[^"]+"\} 1$}m, 'with file and line, and why';
    is value('oai_format_changes_total{became="refused"}', $text), 1, 'refused once';
    my (undef, $health) = health();
    like $health->{formats}{why}, qr/new\.xsl:\d+: /, 'health has it too';
    unlink "$formats/new.xsl" or die $!;
    ok Server::within(5, sub { value('oai_format_faults') eq '0' }), 'until it is gone';
    unlike metrics(), qr/^oai_format_fault\{/m, 'and then there is no fault';
    is value('oai_format{format="oai_dc",runs="compiled"}'), 1, 'oai_dc serves, compiled';
};

# All of a list; its pages.
sub harvest {
    my ($query, %how) = @_;
    my $pages = 0;
    while ($query) {
        my $answer = $served->ask($query, %how);
        $answer->{status} == 200 or die "$query: $answer->{status}";
        $pages++;
        my ($verb) = $query =~ /(verb=\w+)/;
        $query = $answer->{body} =~ m{<resumptionToken[^>]*>([\w-]+)<} ? "$verb&resumptionToken=$1" : '';
    }
    return $pages;
}

subtest 'counters' => sub {
    my $before = metrics();
    my $more = sub { my ($series) = @_; return (value($series) // 0) - (value($series, $before) // 0) };
    is harvest('verb=ListRecords&metadataPrefix=oai_dc'), 4, '20 records are 4 pages of 6';
    is harvest('verb=ListRecords&metadataPrefix=fragile'), 4, '17 of another format, of 20 items';
    $served->ask('verb=ListRecords&metadataPrefix=oai_dc&from=yesterday');
    $served->ask('verb=Nonsense');
    $served->ask('verb=ListRecords&metadataPrefix=oai_dc', gzip => 1);
    $served->ask('verb=Identify');
    is $more->('oai_requests_total{outcome="ok",verb="ListRecords"}'), 9, 'requests by verb and outcome';
    is $more->('oai_requests_total{outcome="badArgument",verb="ListRecords"}'), 1, 'errors by their code';
    is $more->('oai_requests_total{outcome="badVerb",verb="none"}'), 1, 'no verb';
    is $more->('oai_records_total{verb="ListRecords"}'), 43, 'records';
    is $more->('oai_page_records_bucket{verb="ListRecords",le="1"}'), 0, 'the smallest page had more than one';
    is $more->('oai_page_records_bucket{verb="ListRecords",le="10"}'), 9, 'none had more than ten';
    is $more->('oai_page_records_sum{verb="ListRecords"}'), 43, 'their sum';
    is $more->('oai_request_seconds_count{verb="ListRecords"}'), 10, 'times';
    cmp_ok $more->('oai_request_part_seconds_total{part="database"}'), '>', 0, 'time in the database';
    cmp_ok $more->('oai_request_part_seconds_total{part="transform"}'), '>', 0, 'in stylesheets';
    cmp_ok $more->('oai_request_part_seconds_total{part="write"}'), '>', 0, 'writing';
    my ($plain, $gzip) = map { $more->("oai_sent_bytes_total{coding=\"$_\"}") } qw(plain gzip);
    cmp_ok $gzip, '>', 100, 'bytes as gzip';
    cmp_ok $plain, '>', 5 * $gzip, 'bytes plain';
    cmp_ok $more->('oai_document_bytes_total'), '>', $gzip, 'bytes of documents';
    is $more->('oai_bad_records_total{format="fragile"}'), 3, 'bad records';
    cmp_ok $more->('oai_pool_taken_total'), '>=', 8, 'connections taken';
    is value('oai_pool_connections{state="limit"}'), 4, 'of so many';
};

subtest 'harvesters' => sub {
    my %sickle = (agent => 'Sickle 0.7', client => '192.0.2.1');
    harvest('verb=ListRecords&metadataPrefix=oai_dc', %sickle);
    my $text = metrics();
    my $who = 'agent="Sickle 0.7",harvester="192.0.2.1"' =~ s/^(.*),(.*)$/$2,$1/r;
    is value("oai_harvester_requests_total{$who}", $text), 4, 'requests';
    is value("oai_harvester_records_total{$who}", $text), 20, 'records';
    is value("oai_harvester_list_records{$who,verb=\"ListRecords\",format=\"oai_dc\",set=\"\"}", $text), 20, 'how far';
    is value("oai_harvester_list_size{$who,verb=\"ListRecords\",format=\"oai_dc\",set=\"\"}", $text), 20, 'of how many';
    $served->ask('verb=GetRecord&identifier=x', %sickle);
    is value("oai_harvester_errors_total{$who}"), 1, 'errors';
    $served->ask('verb=Identify', agent => 'far', client => '10.1.2.3', forwarded => '203.0.113.9, 198.51.100.4, 10.9.9.9');
    is value('oai_harvester_requests_total{harvester="198.51.100.4",agent="far"}'), 1, 'the address that a trusted proxy forwards';
    $served->ask('verb=Identify', agent => 'near', client => '192.0.2.3', forwarded => '203.0.113.9');
    is value('oai_harvester_requests_total{harvester="192.0.2.3",agent="near"}'), 1, 'not one that anybody forwards';
    $served->ask('verb=Identify', agent => "\"} 1\noai_forged{x=\"\\", client => '192.0.2.2') for 1 .. 30;
    $text = metrics();
    unlike $text, qr/^oai_forged/m, 'a hostile name is a label, escaped';
    like $text, qr/agent="\\"\} 1\\noai_forged\{x=\\"\\\\"/, 'and all of it';
    $served->ask('verb=Identify', agent => "made up $_", client => '192.0.2.9') for 1 .. 30;
    is scalar(() = metrics() =~ /^oai_harvester_requests_total\{/mg), 10, 'the ten busiest are shown';
};

subtest 'the text is what Prometheus reads' => sub {
    my $text = metrics();
    is join(' ', grep { !/^oai_/ } $text =~ /^(\w+)/mg), '', 'every name begins with oai_';
    open my $promtool, '|-', "promtool check metrics >$served->{dir}/promtool 2>&1" or die $!;
    print $promtool $text;
    close $promtool;
    is $? >> 8, 0, 'promtool has nothing to say' or diag `cat $served->{dir}/promtool`;
};

subtest 'examples for Prometheus and Grafana' => sub {
    my $examples = "$root/deploy/monitoring";
    is system("cd '$examples' && promtool check rules oai-alerts.yml >$served->{dir}/promtool 2>&1"), 0, 'promtool takes the alert rules'
        or diag `cat $served->{dir}/promtool`;
    is system("cd '$examples' && promtool test rules oai-alerts-test.yml >$served->{dir}/promtool 2>&1"), 0, 'which speak when they should'
        or diag `cat $served->{dir}/promtool`;
    is system("cd '$examples' && promtool check config oai-scrape.yml >$served->{dir}/promtool 2>&1"), 0, 'and the configuration'
        or diag `cat $served->{dir}/promtool`;
    my %there = map { $_ => 1 } metrics() =~ /^(\w+)/mg;
    $there{'oai_format_fault'} = 1;    # as long as there is one: see above
    for my $file ('oai-alerts.yml', 'oai-dashboard.json') {
        my $text = do { open my $in, '<', "$examples/$file" or die $!; local $/; <$in> };
        my %named = map { $_ => 1 } $text =~ /\b(oai_\w+)/g;
        cmp_ok scalar keys %named, '>', 5, "$file speaks of our metrics";
        is join(' ', grep { !$there{$_} } sort keys %named), '', 'and of none that the server does not have';
    }
    my $dashboard = decode_json(do { open my $in, '<', "$examples/oai-dashboard.json" or die $!; local $/; <$in> });
    cmp_ok scalar @{$dashboard->{panels}}, '>', 10, 'the dashboard is JSON, with panels';
};

subtest 'oai status' => sub {
    my $oai = "$served->{bin}/oai --config $served->{ini} status";
    $db->publish;
    Server::within(5, sub { (health())[0] == 200 });
    my $said = `$oai 2>&1`;
    is $? >> 8, 0, 'exit status 0: all is well' or diag $said;
    like $said, qr/^\Q$served->{socket}\E: ready, up \d+ s$/m, 'which server';
    like $said, qr/^published up to \d+ s ago, 0 changes wait$/m, 'how current';
    like $said, qr/^harvester +agent +seen +requests +records +errors +list +delivered$/m, 'a table of harvesters';
    like $said, qr/^192\.0\.2\.1 +Sickle 0\.7 +\d+ s ago +5 +20 +1, last badArgument \d+ s ago +ListRecords oai_dc +20 of 20 \(100 %\), ended$/m,
        'who harvests what, how far and with which errors';
    unlike $said, qr/[^\n -~]/, 'nothing that a terminal would act on';
    my $json = decode_json(scalar `$oai --json`);
    is_deeply [map { $_->{list}{verb} } grep { $_->{agent} eq 'Sickle 0.7' } @{$json->{harvesters}}], ['ListRecords'], 'the same as JSON';
    is system("$oai --socket $served->{dir}/nobody >$served->{dir}/said 2>&1") >> 8, 1, 'nobody there';
    like do { open my $in, '<', "$served->{dir}/said" or die $!; local $/; <$in> }, qr{/nobody: No such file}, 'is said';
};

subtest 'the log' => sub {
    my ($line) = grep { /Sickle/ && /event=request/ && /token=yes/ } split /\n/, $served->log_text;
    my %is = map { /^(\w+)=(.*)$/ } grep { defined } ($line // '') =~ /(\w+="(?:[^"\\]|\\.)*"|\w+=\S*)/g;
    is $is{harvester}, '192.0.2.1', 'harvester';
    is $is{agent}, '"Sickle 0.7"', 'its name';
    is $is{verb}, 'ListRecords', 'verb';
    is $is{prefix}, 'oai_dc', 'prefix of the list that goes on';
    is $is{set}, '""', 'set';
    is "$is{cursor} $is{records}", '6 6', 'cursor and records';
    like $is{$_}, qr/^\d+\.\d$/, $_ for qw(ms database_ms transform_ms write_ms);
    cmp_ok $is{database_ms}, '>', 0, 'the database took some time';
    cmp_ok $is{database_ms} + $is{transform_ms} + $is{write_ms}, '<=', $is{ms} + 0.2, 'the parts are no more than the whole';
};

subtest 'the pages are closed to the world' => sub {
    for my $kind (qw(nginx apache)) {
        my $port = Echo::web($kind, "$served->{dir}/$kind", $served->{socket});
        my $far = sub { Echo::http($port, 'GET', $_[0], headers => ['X-Test-Client: 203.0.113.7']) };
        for my $page (qw(health metrics status)) {
            like Echo::http($port, 'GET', "/oai/-/$page")->{body}, qr/oai_requests_total|"ready"/, "$kind: $page is open to this host";
            is $far->("/oai/-/$page")->{status}, 403, "$kind: closed to others";
        }
        for my $way ('/oai//-/metrics', '/oai/%2D/metrics', '/oai/%2d%2fmetrics', '/oai/x/-/metrics', '/oai/x/../-/metrics', '/oai/-/./metrics',
                     '/oai/-/schema/../metrics', '/oai/-/schema/%2e%2e/metrics', '/oai/-/schema/..%2fmetrics', '/oai/-/metrics/',
                     '/oai/-/metrics/../../x', '/oai/-/schema/x/-/metrics', '/oai/;/-/metrics', '/OAI/-/metrics', '/oai/-/metrics;x',
                     '/oai/-//metrics', '/oai/y/%2e%2e/-/metrics') {
            unlike $far->($way)->{body}, qr/oai_requests_total/, "$kind: $way is no way around";
        }
    }
};

subtest 'without the database' => sub {
    my ($name) = $db->conninfo =~ /dbname=(\S+)/;
    my $other = Database->new(schema => 0);
    $other->run("alter database $name allow_connections false",
                "select pg_terminate_backend(pid) from pg_stat_activity where datname = '$name'");
    ok Server::within(5, sub { !(health())[1]{database}{ok} }), 'health says so';
    my ($status, $health) = health();
    is $status, 503, 'by 503';
    like $health->{database}{why}, qr/not currently accepting connections/, 'in the words of PostgreSQL';
    is value('oai_healthy{part="database"}'), 0, 'and so do metrics';
    is $served->ask('verb=Identify')->{status}, 200, 'Identify is answered';
    is $served->ask('verb=ListIdentifiers&metadataPrefix=oai_dc')->{status}, 503, 'a list is not';
    is value('oai_requests_total{outcome="unavailable",verb="ListIdentifiers"}'), 1, 'and counted';
    $other->run("alter database $name allow_connections true");
    $db->publish;
    ok Server::within(5, sub { (health())[0] == 200 }), 'until it is back';
};

is $served->stop, 0, 'the server ends';
diag $served->log_text =~ s/.*event=(?:request|page).*\n//gr if !Test::More->builder->is_passing;
done_testing;
