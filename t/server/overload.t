#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# More requests than can be served: every answer is a page or 503; Identify is answered while the database does nothing at all, and
# memory does not grow. Then a single client that sends requests too often.
use TestProgram;
use List::Util ();
use Time::HiRes qw(time);

my ($max_wait, $retry_after) = (300, 7);
my $page  = '/oai?verb=ListRecords&metadataPrefix=oai_dc';
my $db    = Database->new(model => 'webarchiv');
$db->run("insert into webarchiv.doc (datestamp, url, surt, archived_time)
    select timestamptz '2020-01-01Z' + n * interval '1 day', 'http://x/' || n, 'x)/' || n, '2019-01-01Z' from generate_series(1, 300) n");
$db->publish for 1 .. 3;

sub rss_kb { my ($pid) = @_; return slurp("/proc/$pid/status", '') =~ /^VmRSS:\s+(\d+)/m ? $1 : 0 }
sub metric { my ($repository, $series) = @_; return $repository->ask('/oai/-/metrics')->{body} =~ /^\Q$series\E (\S+)$/m ? $1 : 0 }

# The counts that t/bench/overload.cpp prints.
sub load_of {
    my ($repository, $clients, $seconds) = @_;
    my $line = `$build/release/bench/overload --socket $repository->{socket} --uri '$page' --clients $clients --seconds $seconds`;
    return map { /^(\w+)=(\S+)$/ } split ' ', $line;
}

subtest 'ten times as many clients as can be served' => sub {
    my $repository = Repository->new(db => $db, ini => {server => {workers => 8, retry_after_seconds => $retry_after},
        database => {connections => 2, max_waiters => 2, max_wait_milliseconds => $max_wait}});
    $repository->start;
    ok wait_until(sub { $repository->ask($page)->{status} == 200 }), 'the server answers';
    my %calm = load_of($repository, 2, 1);
    is "$calm{busy} $calm{other}", '0 0', 'with as many clients as connections all requests are served';
    load_of($repository, 40, 1);    # so that everything that grows with the number of clients has grown
    my $before = rss_kb($repository->{pid});

    # A second of it after the other, until enough of both has come.
    my ($enough, $storm) = map { "$repository->{dir}/$_" } 'enough', 'storm';
    my $pid = later(sub {
        my %all;
        until (-e $enough && $all{served} > 10 && $all{busy} > 10) { my %some = load_of($repository, 40, 1); $all{$_} += $some{$_} for qw(served busy other) }
        spew($storm, join ' ', %all);
    });
    ok wait_until(sub { $repository->log_text =~ /event=request .* status=503 / }), 'requests are refused';
    # Backends that stand still for a moment: whoever asks for records hangs or is refused.
    my @backends = map { $_->[0] } $db->rows("select pid from pg_stat_activity where datname = current_database() and usename = 'oai_reader'");
    kill 'STOP', @backends;
    my @status = map { $repository->ask("verb=$_")->{status} } ('Identify', 'ListMetadataFormats') x 3;
    kill 'CONT', @backends;
    is "@status", '200 200 200 200 200 200', 'Identify and ListMetadataFormats are answered, and do not wait for the database';
    spew($enough, '');
    waitpid $pid, 0;
    my %storm = split ' ', slurp($storm);
    is $storm{other}, 0, 'every answer is a complete page or 503 with Retry-After';
    note "$storm{served} pages, $storm{busy} refusals";
    cmp_ok rss_kb($repository->{pid}) - $before, '<', 10_000, 'memory grows by less than 10 MB';
    cmp_ok metric($repository, 'oai_pool_refusals_total'), '>=', $storm{busy}, 'metrics count the requests that got no connection';
    cmp_ok metric($repository, 'oai_pool_waits_total'), '>', 0, 'and those that waited for one';
    is $repository->ask($page)->{status}, 200, 'afterwards pages are served again';
    is $repository->stop, 0, 'the server stops with status 0: no worker was stuck';
};

subtest 'one client that sends requests too often' => sub {
    my $repository = Repository->new(db => $db, ini => {server => {retry_after_seconds => $retry_after},
        clients => {requests_per_minute => 1, burst => 3, trusted_proxy => '10.0.0.0/8', unlimited => ['192.0.2.128/25', '::1']}});
    $repository->start;
    ok wait_until(sub { $repository->ask('verb=Identify')->{status} == 200 }), 'the server answers';
    my $list = 'verb=ListIdentifiers&metadataPrefix=oai_dc';
    my $asks = sub { my ($times, $query, %who) = @_; return map { $repository->ask($query, %who) } 1 .. $times };
    my $statuses = sub { join ' ', map { $_->{status} } $asks->(@_) };

    is $statuses->(4, $list, client => '192.0.2.1'), '200 200 200 503', 'a burst of three, then 503';
    my ($refused) = $asks->(1, $list, client => '192.0.2.1');
    like $refused->{headers}{'retry-after'}, qr/^[1-6]?\d$/, 'with a Retry-After of whole seconds, until the next one is due';
    is $statuses->(3, 'verb=Identify', client => '192.0.2.1'), '200 200 200', 'Identify is still answered';
    is $statuses->(3, 'verb=ListMetadataFormats', client => '192.0.2.1'), '200 200 200', 'ListMetadataFormats, too';
    is $statuses->(2, 'verb=ListRecords', client => '192.0.2.1'), '200 200', 'and so are requests with bad arguments';
    is $statuses->(1, 'verb=ListMetadataFormats&identifier=oai:example.org:1', client => '192.0.2.1'), '503', 'but not ListMetadataFormats of a record';
    is $statuses->(1, $list, client => '192.0.2.2'), '200', 'another client is served';
    is $statuses->(10, $list, client => '192.0.2.129'), join(' ', (200) x 10), 'a client on the list of unlimited ones is not limited';
    is $statuses->(4, $list, client => '10.0.0.1', forwarded => '198.51.100.1'), '200 200 200 503', 'behind a trusted proxy the forwarded address is limited';
    is $statuses->(1, $list, client => '10.0.0.1', forwarded => '198.51.100.2'), '200', 'and not the proxy';
    my $n = 0;
    is join(' ', map { $statuses->(1, $list, client => '192.0.2.9', forwarded => '203.0.113.' . $n++) } 1 .. 4), '200 200 200 503',
        'a forged X-Forwarded-For does not circumvent the limit';
    is $statuses->(4, $list, client => '2001:db8:1:2::1'), '200 200 200 503', 'an IPv6 client is limited';
    is $statuses->(1, $list, client => '2001:db8:1:2:9:9:9:9'), '503', 'together with its /64 network';
    cmp_ok metric($repository, 'oai_requests_total{outcome="limited",verb="ListIdentifiers"}'), '>=', 5, 'metrics count the limited requests';
    is join(' ', map { $statuses->(3, $list, client => "198.51.101.$_") } 1 .. 17), join(' ', (200) x 48, (503) x 3), 'sixteen clients of an address range may do what each may';
    is $statuses->(1, $list, client => '198.51.102.1'), '200', 'and another range is served';

    for my $kind (qw(nginx apache)) {
        my $port = WebServer::start($kind, "$repository->{dir}/$kind", $repository->{socket});
        my $from = sub { my ($peer, @forwarded) = @_; WebServer::http($port, 'GET', "/oai?$list", headers => ["X-Test-Client: $peer", map { "X-Forwarded-For: $_" } @forwarded]) };
        my $net = $kind eq 'nginx' ? '198.18.1' : '198.18.2';
        is join(' ', map { $from->('10.0.0.1', "$net.1")->{status} } 1 .. 4), '200 200 200 503', "$kind: the forwarded address is limited";
        like $from->('10.0.0.1', "$net.1")->{headers}{'retry-after'}, qr/^[1-6]?\d$/, "$kind: Retry-After arrives";
        is join(' ', map { $from->('10.0.0.1', "203.0.113.$_", "$net.2")->{status} } 1 .. 4), '200 200 200 503',
            "$kind: an X-Forwarded-For that the client sent itself is ignored";
    }
    is $repository->stop, 0, 'the server stops with status 0';

    $repository->configure(requests_per_minute => 20);
    $repository->start;
    ok wait_until(sub { ($refused) = $asks->(1, $list, client => '192.0.2.1'); $refused->{status} == 503 }), 'a client is refused';
    pace($refused->{headers}{'retry-after'});
    is $statuses->(1, $list, client => '192.0.2.1'), '200', 'once it has waited as long as Retry-After says it is served';
    is $repository->stop, 0, 'the server stops with status 0';
};
subtest 'a storm on pages for people' => sub {
    my $repository = Repository->new(db => $db, ini => {browse => {directory => "$root/xslt/page"}, server => {workers => 16}, database => {connections => 8, max_waiters => 4},
        clients => {trusted_proxy => '10.0.0.0/8'}});
    $repository->start;
    my %person = (HTTP_SEC_FETCH_DEST => 'document');
    my $from = sub { my ($address, $path, %cgi) = @_; return $repository->ask($path, client => '10.0.0.1', forwarded => $address, cgi => \%cgi)->{status} };
    ok wait_until(sub { $from->('192.0.2.1', '/oai/browse/formats', %person) == 200 }), 'the server answers';

    # Pages that ask for records hang for as long as somebody holds the table; those of formats do not.
    my $holder = $db->session;
    $holder->send('begin; lock table webarchiv.doc in access exclusive mode; select 1');
    my @storm = map { my $n = $_; later(sub { $from->("198.51.$n.1", '/oai/browse/list', HTTP_USER_AGENT => 'curl/8'); POSIX::_exit(0) }) } 1 .. 20;
    ok wait_until(sub { my @refused = $repository->log_text =~ /event=page .* page=browse status=503/g; @refused >= 10 }), 'most of a storm are told to wait';
    is join(' ', map { $from->('192.0.2.1', '/oai/browse/formats', %person) } 1 .. 10), join(' ', (200) x 10), 'ten clicks of a person are answered';
    is $repository->ask('verb=Identify')->{status}, 200, 'so is Identify';
    $holder->send('rollback');
    $holder->finish;
    waitpid $_, 0 for @storm;

    # Whoever asks more than five times in a second is refused in the end: eight clients ask at a time, as quickly as they can.
    my $is_refused = sub {
        my ($address, %cgi) = @_;
        my $refused = "$repository->{dir}/refused";
        unlink $refused;
        my @clients = map { later(sub { for (1 .. 2000) { last if -e $refused; spew($refused, '') if $from->($address->($_ % 250), '/oai/browse/formats', %cgi) == 503 } }) } 1 .. 8;
        waitpid $_, 0 for @clients;
        return -e $refused;
    };
    ok $is_refused->(sub { "203.0.113.$_[0]" }), 'a range of addresses has one budget of pages';
    is $from->('203.0.113.250', '/oai/browse/formats', %person), 200, 'a person in it is served';
    is $from->('203.0.112.1', '/oai/browse/formats'), 200, 'and another range';
    ok $is_refused->(sub { "198.18.$_[0].1" }, HTTP_USER_AGENT => 'Mozilla/5.0 (compatible; GPTBot/1.2)', %person),
        'a crawler that says its name has one, wherever it comes from';
    is $repository->ask('verb=ListIdentifiers&metadataPrefix=oai_dc', client => '10.0.0.1', forwarded => '203.0.113.9')->{status}, 200, 'harvesters have none';
    is $repository->stop, 0, 'the server stops with status 0';
};

# Strangers who have an address range each, so that no budget but that of the workers holds them back, ask for searches and pages as
# quickly as sixteen of them can. They are stopped and go on by turns, so that both rates are those of one machine.
subtest 'a storm from thousands of addresses' => sub {
    my $addresses = is_long() ? 10_000 : 1_000;
    my $repository = Repository->new(db => $db, ini => {browse => {directory => "$root/xslt/page"}, lists => {records => 30}, server => {workers => 16},
        database => {connections => 8, max_waiters => 4}, clients => {trusted_proxy => '10.0.0.0/8'}});
    $repository->start;
    my $from = sub { my ($address, $path, %cgi) = @_; return $repository->ask($path, client => '10.0.0.1', forwarded => $address, cgi => \%cgi)->{status} };
    my @pages = map { "/oai/browse/$_" } 'search?q=x', 'list', 'search?q=beginn*', 'record/oai:example.org:1', 'captures?url=http://x/1', 'sets', 'search?q=a+b', 'formats', 'explore', 'list?verb=ListRecords';
    ok wait_until(sub { $from->('192.0.2.1', $pages[0], HTTP_SEC_FETCH_DEST => 'document') == 200 }), 'the server answers';

    my ($enough, $counts) = map { "$repository->{dir}/$_" } qw(enough counts);
    my @storm = map { my $first = $_; later(sub {
        POSIX::nice(19);    # their own machines would do what they do
        my %count;
        for (my $n = $first; !-e $enough || $n < $addresses; $n += 16) { $count{ $from->(sprintf('20.%d.%d.7', ($n >> 8) % 40, $n % 256), $pages[$n % @pages], HTTP_USER_AGENT => 'curl/8') }++ }
        spew("$counts.$first", join ' ', %count);
    }) } 0 .. 15;
    ok wait_until(sub { (() = $repository->log_text =~ /event=page .* page=browse status=503/g) >= 100 }), 'most of the storm are told to wait';

    my (@kept, %harvested, %identified, %clicked);
    for my $turn (1 .. (is_long() ? 20 : 5)) {
        my %seconds;
        for my $how ('storm', 'calm') {
            kill $how eq 'storm' ? 'CONT' : 'STOP', @storm;
            my ($query, $began) = ('verb=ListRecords&metadataPrefix=oai_dc', time);
            while (defined $query) {
                my $answer = $repository->ask($query, client => '10.0.0.1', forwarded => '192.0.2.2');
                $harvested{$how}{ $answer->{status} }++;
                $query = $answer->{body} =~ m{<resumptionToken[^>]*>([^<]+)<} ? "verb=ListRecords&resumptionToken=$1" : undef;
            }
            $seconds{$how} = time - $began;
            $identified{ $repository->ask('verb=Identify')->{status} }++;
            $clicked{$how}{ $from->('192.0.2.3', $_, HTTP_SEC_FETCH_DEST => 'document') }++ for @pages;
        }
        push @kept, $seconds{calm} / $seconds{storm};
    }
    spew($enough, '');
    kill 'CONT', @storm;
    waitpid $_, 0 for @storm;
    is_deeply [sort map { keys %$_ } values %harvested], [200, 200], 'a harvester gets every page';
    is_deeply [keys %identified], [200], 'Identify is always answered';
    my ($clicks) = map { $_->{200} / List::Util::sum(values %$_) } $clicked{storm};
    cmp_ok $clicks, '>=', 0.9, 'nine of ten clicks of a person are answered';
    my %all;
    for (0 .. 15) { my %some = split ' ', slurp("$counts.$_"); $all{$_} += $some{$_} for keys %some }
    is join(' ', sort keys %all), '200 503', 'strangers get a page or are told to come again';
    note sprintf '%d pages for strangers, %d refused; of a person\'s clicks %.3f answered; the harvester keeps %.2f of its rate', @all{200, 503}, $clicks, (sort { $a <=> $b } @kept)[@kept / 2];
    is $repository->stop, 0, 'the server stops with status 0';
};
done_testing;
