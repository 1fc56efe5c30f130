#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Monitoring of the server: its health and metrics pages, its log and `oai status`; and that the shipped web server
# configurations close these pages to other hosts.
use TestProgram;
use JSON::PP qw(decode_json);

my $db   = Database->new(model => 'webarchiv');
my $repository = Repository->new(db => $db, ini => {lists => {records => 6}, publisher => {late_seconds => 3600}, clients => {trusted_proxy => '10.0.0.0/8'}});
my $formats = $repository->{formats};
spew("$formats/fragile.xsl", slurp("$root/t/golden/formats/fragile.xsl") =~ s/'broken'/'bad'/r);

sub health { my $answer = $repository->ask('/oai/-/health'); return ($answer->{status}, eval { decode_json($answer->{body}) } // {}) }
my %metrics;    # name => {type, labels}, of all answers; what they are is on a page of the manual
sub metrics {
    my $text = $repository->ask('/oai/-/metrics')->{body};
    $metrics{$1}{type} = $2 while $text =~ /^# TYPE (\S+) (\S+)$/mg;
    while ($text =~ /^(oai_\w+)(?:\{(.*)\})? /mg) {
        my ($name, $labels) = ($1, $2 // '');
        $name =~ s/_(?:bucket|sum|count)$// if !$metrics{$name};
        $metrics{$name}{labels}{$1} = 1 while $labels =~ /(?:^|,)(\w+)="(?:[^"\\]|\\.)*"/g;
    }
    return $text;
}
# The value of a series, given by its name and labels in their order; undef if there is none.
sub value { my ($series, $text) = @_; return ($text // metrics()) =~ /^\Q$series\E (\S+)$/m ? $1 : undef }

$db->run("insert into webarchiv.doc (datestamp, url, surt, archived_time)
    select timestamptz '2020-01-01Z' + n * interval '1 day', 'http://x/' || case when n in (3, 4, 17) then 'bad' else 'good' end || n, 'x)/' || n,
           '2019-01-01Z' from generate_series(1, 20) n");
$repository->start;

subtest 'a repository before its first numbering' => sub {
    ok wait_until(sub { (health())[1]{publisher}{why} // '' ne '' }), 'the watcher has queried the database';
    my ($status, $health) = health();
    is $status, 503, 'health is 503';
    ok $health->{live}, 'live';
    ok !$health->{ready}, 'but not ready';
    ok $health->{database}{ok}, 'the database is healthy';
    like $health->{publisher}{why}, qr/numbered for the first time/, 'the publisher is not, with the reason';
    ok wait_until(sub { (value('oai_publisher_queue') // '') eq '20' }), 'the length of the queue is a metric';
};

sub late_after {
    my ($seconds) = @_;
    $repository->stop;
    $repository->configure(late_seconds => $seconds);
    return $repository->start;
}

subtest 'health' => sub {
    $db->publish for 1 .. 3;    # the first numbering, and its end
    ok wait_until(sub { (health())[0] == 200 }), 'health is 200';
    my ($status, $health) = health();
    ok $health->{$_}{ok}, "$_ is healthy" for qw(database publisher formats);
    cmp_ok $health->{publisher}{lag_seconds}, '>=', 1, 'health has the lag of the publisher';
    is value('oai_publisher_queue'), 0, 'the queue is empty';
    is value('oai_healthy{part="publisher"}'), 1, 'the metric agrees';
    like value('oai_publisher_lag_seconds'), qr/^[1-9]\d*$/, 'the lag is also a metric';

    late_after(5);
    ok wait_until(sub { (health())[1]{degraded} }), 'a publisher that does not run makes the server degraded';
    ($status, $health) = health();
    is $status, 200, 'but ready: its lists are right';
    like $health->{publisher}{why}, qr/published up to .* oai publish/, 'with the reason';
    is value('oai_healthy{part="publisher"}'), 0, 'the metric agrees';
    late_after(60);
    $db->publish;
    ok wait_until(sub { $db->publish; !(health())[1]{degraded} }), 'health recovers when the publisher runs';
    late_after(3600);
};

subtest 'a broken stylesheet' => sub {
    spew("$formats/new.xsl", "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>\n<oops>\n</xsl:stylesheet>");
    ok wait_until(sub { (metrics() =~ /^oai_format_faults 1$/m) }), 'the fault is counted';
    my $text = metrics();
    like $text, qr{^oai_format_fault\{where="[^"]*new\.xsl:\d+",why="[^"]+"\} 1$}m, 'a series names file, line and reason';
    my (undef, $health) = health();
    like $health->{formats}{why}, qr/new\.xsl:\d+: /, 'health reports it, too';
    ok $health->{ready} && $health->{degraded}, 'the server is degraded, but ready';
    like +($repository->oai('status'))[1], qr/: ready, but DEGRADED, up/, 'and so says oai status';
    unlink "$formats/new.xsl" or die $!;
    ok wait_until(sub { value('oai_format_faults') eq '0' }), 'the count is 0 when the file is removed';
    unlike metrics(), qr/^oai_format_fault\{/m, 'and the series is gone';
    is value('oai_format{format="oai_dc",runs="compiled"}'), 1, 'oai_dc runs as a compiled stylesheet';
};

# Harvests a whole list; returns the number of its pages.
sub harvest {
    my ($query, %how) = @_;
    my $pages = 0;
    while ($query) {
        my $answer = $repository->ask($query, %how);
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
    is harvest('verb=ListRecords&metadataPrefix=fragile'), 4, 'in a format with 3 bad records, 17 records are 4 pages, too';
    $repository->ask('verb=ListRecords&metadataPrefix=oai_dc&from=yesterday');
    $repository->ask('verb=Nonsense');
    $repository->ask('verb=ListRecords&metadataPrefix=oai_dc', gzip => 1);
    $repository->ask('verb=Identify');
    is $more->('oai_requests_total{outcome="ok",verb="ListRecords"}'), 9, 'requests by verb and outcome';
    is $more->('oai_requests_total{outcome="badArgument",verb="ListRecords"}'), 1, 'errors are counted by their code';
    is $more->('oai_requests_total{outcome="badVerb",verb="none"}'), 1, 'requests without a verb are counted';
    is $more->('oai_records_total{verb="ListRecords"}'), 43, 'records';
    is $more->('oai_request_seconds_count{verb="ListRecords"}'), 10, 'the duration of each request is counted';
    cmp_ok $more->('oai_request_part_seconds_total{part="database"}'), '>', 0, 'time in the database';
    cmp_ok $more->('oai_request_part_seconds_total{part="transform"}'), '>', 0, 'time in stylesheets';
    cmp_ok $more->('oai_request_part_seconds_total{part="write"}'), '>', 0, 'time spent writing the answer';
    my ($plain, $gzip) = map { $more->("oai_sent_bytes_total{coding=\"$_\"}") } qw(plain gzip);
    cmp_ok $gzip, '>', 100, 'bytes as gzip';
    cmp_ok $plain, '>', 5 * $gzip, 'bytes plain';
    is $more->('oai_bad_records_total{format="fragile"}'), 3, 'bad records';
    is value('oai_pool_connections{state="limit"}'), 4, 'the limit of connections';
};

subtest 'harvesters' => sub {
    my %sickle = (agent => 'Sickle 0.7', client => '192.0.2.1');
    harvest('verb=ListRecords&metadataPrefix=oai_dc', %sickle);
    my $text = metrics();
    my $who = 'agent="Sickle 0.7",harvester="192.0.2.1"' =~ s/^(.*),(.*)$/$2,$1/r;
    is value("oai_harvester_requests_total{$who}", $text), 4, 'requests';
    is value("oai_harvester_list_records{$who,verb=\"ListRecords\",format=\"oai_dc\",set=\"\"}", $text), 20, 'records of the list delivered so far';
    is value("oai_harvester_list_size{$who,verb=\"ListRecords\",format=\"oai_dc\",set=\"\"}", $text), 20, 'the size of the list';
    $repository->ask('verb=GetRecord&identifier=x', %sickle);
    is value("oai_harvester_errors_total{$who}"), 1, 'errors';
    $repository->ask('verb=Identify', agent => 'far', client => '10.1.2.3', forwarded => '203.0.113.9, 198.51.100.4, 10.9.9.9');
    is value('oai_harvester_requests_total{harvester="198.51.100.4",agent="far"}'), 1, 'the address forwarded by a trusted proxy identifies the harvester';
    $repository->ask('verb=Identify', agent => 'near', client => '192.0.2.3', forwarded => '203.0.113.9');
    is value('oai_harvester_requests_total{harvester="192.0.2.3",agent="near"}'), 1, 'an address forwarded by anyone else does not';
    $repository->ask('verb=Identify', agent => "\"} 1\noai_forged{x=\"\\", client => '192.0.2.2') for 1 .. 30;
    $text = metrics();
    unlike $text, qr/^oai_forged/m, 'a hostile User-Agent is escaped within its label';
    like $text, qr/agent="\\"\} 1\\noai_forged\{x=\\"\\\\"/, 'and is complete';
    $repository->ask('verb=Identify', agent => "made up $_", client => '192.0.2.9') for 1 .. 30;
    is scalar(() = metrics() =~ /^oai_harvester_requests_total\{/mg), 10, 'only the ten busiest harvesters are shown';
};

subtest 'the metrics are valid for Prometheus' => sub {
    my $text = metrics();
    is join(' ', grep { !/^oai_/ } $text =~ /^(\w+)/mg), '', 'every name begins with oai_';
    open my $promtool, '|-', "promtool check metrics >$repository->{dir}/promtool 2>&1" or die $!;
    print $promtool $text;
    close $promtool;
    is $? >> 8, 0, 'promtool reports no problem' or diag `cat $repository->{dir}/promtool`;
};

subtest 'examples for Prometheus and Grafana' => sub {
    my $examples = "$root/deploy/monitoring";
    is system("cd '$examples' && promtool check rules oai-alerts.yml >$repository->{dir}/promtool 2>&1"), 0, 'promtool accepts the alert rules'
        or diag `cat $repository->{dir}/promtool`;
    is system("cd '$examples' && promtool test rules oai-alerts-test.yml >$repository->{dir}/promtool 2>&1"), 0, 'the alerts fire when they should'
        or diag `cat $repository->{dir}/promtool`;
    is system("cd '$examples' && promtool check config oai-scrape.yml >$repository->{dir}/promtool 2>&1"), 0, 'promtool accepts the scrape configuration'
        or diag `cat $repository->{dir}/promtool`;
    my %there = map { $_ => 1 } metrics() =~ /^(\w+)/mg;
    $there{'oai_format_fault'} = 1;    # exists only while a stylesheet is broken, as tested above
    $there{$_} = 1 for qw(oai_source_items oai_source_refused_records oai_source_held_records);   # of `oai repository status --metrics`
    for my $file ('oai-alerts.yml', 'oai-dashboard.json') {
        my $text = slurp("$examples/$file");
        my %named = map { $_ => 1 } $text =~ /\b(oai_\w+)/g;
        cmp_ok scalar keys %named, '>', 5, "$file uses metrics of the server";
        is join(' ', grep { !$there{$_} } sort keys %named), '', 'and none that the server does not have';
    }
    my $dashboard = decode_json(slurp("$examples/oai-dashboard.json"));
    cmp_ok scalar @{$dashboard->{panels}}, '>', 10, 'the dashboard is JSON, with panels';
};

subtest 'the page of the manual' => sub {
    my @rows = slurp("$root/deploy/manual/metrics.md") =~ /^\| `(oai_\w+)` +\| (\w+) +\| ([^|]*?) *\|/mg;
    my %rows;
    while (my ($name, $type, $labels) = splice @rows, 0, 3) { $rows{$name} = join ' ', $type, sort $labels =~ /\w+/g }
    is_deeply \%rows, {map { ($_ => join ' ', $metrics{$_}{type}, sort grep { $_ ne 'le' } keys %{ $metrics{$_}{labels} // {} }) } keys %metrics},
        'metrics.md has every metric of the server, with its type and labels, and no other';
};

subtest 'oai status' => sub {
    my $oai = "$repository->{bin}/oai --config $repository->{ini} status";
    $db->publish;
    wait_until(sub { (health())[0] == 200 });
    my $said = `$oai 2>&1`;
    is $? >> 8, 0, 'exit status 0: all is well' or diag $said;
    like $said, qr/^\Q$repository->{socket}\E: ready, up \d+ \w+$/m, 'the socket and uptime of the server are shown';
    like $said, qr/^published up to \d+ \w+ ago, 0 changes wait$/m, 'so are the lag and the queue of the publisher';
    like $said, qr/^harvester +agent +seen +requests +records +errors +list +delivered$/m, 'a table of harvesters';
    like $said, qr/^192\.0\.2\.1 +Sickle 0\.7 +\d+ \w+ ago +5 +20 +1, last badArgument \d+ \w+ ago +ListRecords oai_dc +20 of 20 \(100 %\), ended$/m,
        'who harvests what, how far and with which errors';
    unlike $said, qr/[^\n -~]/, 'no control characters are printed';
    my $json = decode_json(scalar `$oai --json`);
    is_deeply [map { $_->{list}{verb} } grep { $_->{agent} eq 'Sickle 0.7' } @{$json->{harvesters}}], ['ListRecords'], '--json prints the same data';
    is system("$oai --socket $repository->{dir}/nobody >$repository->{dir}/said 2>&1") >> 8, 1, 'a missing server gives status 1';
    like slurp("$repository->{dir}/said"), qr{/nobody: No such file}, 'and is reported';
};

subtest 'the log' => sub {
    my ($line) = grep { /Sickle/ && /event=request/ && /token=yes/ } split /\n/, $repository->log_text;
    my %is = map { /^(\w+)=(.*)$/ } grep { defined } ($line // '') =~ /(\w+="(?:[^"\\]|\\.)*"|\w+=\S*)/g;
    is $is{harvester}, '192.0.2.1', 'the address of the harvester';
    is $is{agent}, '"Sickle 0.7"', 'its User-Agent';
    is $is{verb}, 'ListRecords', 'verb';
    is $is{prefix}, 'oai_dc', 'metadataPrefix of the list that the token continues';
    is $is{set}, '""', 'set';
    is "$is{cursor} $is{records}", '6 6', 'cursor and records';
    like $is{$_}, qr/^\d+\.\d$/, $_ for qw(ms database_ms transform_ms write_ms);
    cmp_ok $is{database_ms} + $is{transform_ms} + $is{write_ms}, '<=', $is{ms} + 0.2, 'the parts do not exceed the total';
};

subtest 'the pages are closed to other hosts' => sub {
    for my $kind (qw(nginx apache)) {
        my $port = WebServer::start($kind, "$repository->{dir}/$kind", $repository->{socket});
        my $far = sub { WebServer::http($port, 'GET', $_[0], headers => ['X-Test-Client: 203.0.113.7']) };
        for my $page (qw(health metrics status)) {
            like WebServer::http($port, 'GET', "/oai/-/$page")->{body}, qr/oai_requests_total|"ready"/, "$kind: $page is open to this host";
            is $far->("/oai/-/$page")->{status}, 403, "$kind: closed to others";
        }
        for my $way ('/oai//-/metrics', '/oai/%2D/metrics', '/oai/%2d%2fmetrics', '/oai/x/-/metrics', '/oai/x/../-/metrics', '/oai/-/./metrics',
                     '/oai/-/schema/../metrics', '/oai/-/schema/%2e%2e/metrics', '/oai/-/schema/..%2fmetrics', '/oai/-/metrics/',
                     '/oai/-/metrics/../../x', '/oai/-/schema/x/-/metrics', '/oai/;/-/metrics', '/OAI/-/metrics', '/oai/-/metrics;x',
                     '/oai/-//metrics', '/oai/y/%2e%2e/-/metrics') {
            unlike $far->($way)->{body}, qr/oai_requests_total/, "$kind: $way does not circumvent this";
        }
    }
};

subtest 'without the database' => sub {
    my ($name) = $db->conninfo =~ /dbname=(\S+)/;
    my $other = Database->new(schema => 0);
    $other->run("alter database $name allow_connections false",
                "select pg_terminate_backend(pid) from pg_stat_activity where datname = '$name'");
    ok wait_until(sub { !(health())[1]{database}{ok} }), 'health reports it';
    # The first request that notices may have lost its connection in the middle of a query.
    wait_until(sub { ((health())[1]{database}{why} // '') =~ /accepting connections/ });
    my ($status, $health) = health();
    is $status, 503, 'with status 503';
    like $health->{database}{why}, qr/not currently accepting connections/, 'with the message of PostgreSQL';
    is value('oai_healthy{part="database"}'), 0, 'the metric agrees';
    is $repository->ask('verb=Identify')->{status}, 200, 'Identify is still answered';
    is $repository->ask('verb=ListIdentifiers&metadataPrefix=oai_dc')->{status}, 503, 'a list is answered with 503';
    is value('oai_requests_total{outcome="unavailable",verb="ListIdentifiers"}'), 1, 'and counted as unavailable';
    $other->run("alter database $name allow_connections true");
    $db->publish;
    ok wait_until(sub { (health())[0] == 200 }), 'health recovers when the database is back';
};

is $repository->stop, 0, 'the server stops with status 0';
diag $repository->log_text =~ s/.*event=(?:request|page).*\n//gr if !Test::More->builder->is_passing;
done_testing;
