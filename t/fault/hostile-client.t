#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Clients who may send anything to any path. Directly by FastCGI: thousands of connections abandoned in each state, floods of records
# that no web server sends. Then requests whose paths, arguments, headers and bodies are nonsense, huge or repeated, one by one, and
# a hundred at a time while one record has 20,000 subjects (in full two hundred, 200,000), directly and behind nginx and Apache. Every answer is
# well-formed; one of 503 says when to come again; Identify is answered all the while, also beside connections that would hold a worker for an hour; no descriptor is lost, memory
# has a bound, a request makes less than a line of the journal (48 KiB) in the log, and no statement takes PostgreSQL a minute.
use TestProgram;
use IO::Select;
use XML::LibXML;

use constant {MEGABYTE => 1 << 20, JOURNAL_LINE => 48 << 10, HOUR => 3600, SUBJECTS => is_long() ? 200_000 : 20_000, CROWD => is_long() ? 200 : 100};

my $db = Database->new(model => 'library');
$db->run('alter database ' . $db->value('select current_database()') . ' set log_min_duration_statement = 2000',
    "insert into library.item (local_id, title, subject) select 'big', array['A big one'], array(select 'subject ' || n from generate_series(1, @{[SUBJECTS]}) n)",
    "insert into library.item (local_id, title, subject) select 'middle', array['A middle one'], array(select 'subject ' || n from generate_series(1, 2000) n)",
    "insert into library.item (local_id, title) select 'small-' || n, array['A small one'] from generate_series(1, 400) n");
1 while $db->publish(1000);
my $r = Repository->new(db => $db, formats => "$Server::root/xslt/library", ini => {
    browse => {directory => "$Server::root/xslt/page"}, server => {idle_seconds => HOUR}, database => {max_wait_milliseconds => 1000}});
$r->start;
my $stranger = Repository->new(db => $db);    # of another token key, in another directory
$stranger->start;
local $SIG{PIPE} = 'IGNORE';

sub descriptors { return scalar(() = glob "/proc/$r->{pid}/fd/*") }
sub resident { return slurp("/proc/$r->{pid}/status") =~ /^VmRSS:\s+(\d+)/m ? 1024 * $1 : 0 }
sub answer_to { my ($target) = @_; return $r->ask($target) }

# A stream of FastCGI in records as long as they may be, with its end.
sub stream { my ($type, $bytes) = @_; return join '', (map { FastCGI::record($type, $_) } unpack '(a65528)*', $bytes), FastCGI::record($type, '') }
sub pairs { my %value = @_; return join '', map { pack('NN', 0x80000000 | length, 0x80000000 | length $value{$_}) . $_ . $value{$_} } sort keys %value }
sub request {
    my ($target, $body, %more) = @_;
    my (undef, $query) = split /\?/, $target, 2;
    return FastCGI::begin() . stream(4, pairs(REQUEST_METHOD => 'GET', REQUEST_URI => $target, QUERY_STRING => $query // '', REMOTE_ADDR => '192.0.2.1', %more))
        . stream(5, $body // '');
}

# What is wrong with an answer, or ''.
sub fault_of {
    my ($answer) = @_;
    my ($status, $body) = @$answer{qw(status body)};
    return "status $status" if $status !~ /^(?:200|304|40[0345]|41[1345]|503)$/;
    return '503 without Retry-After' if $status eq '503' && $answer->{body} !~ /^\{/ && ($answer->{headers}{'retry-after'} // '') !~ /^\d+$/;
    return length($body) . ' bytes' if length $body > 20 * MEGABYTE;
    return '' if $status eq '304' || ($answer->{headers}{'content-encoding'} // '') eq 'gzip';
    my $type = $answer->{headers}{'content-type'} // '';
    return '' if $body eq '';    # HEAD
    return $body =~ m{</\w[\w:.-]*>\s*\z} ? '' : 'half an answer' if length $body > MEGABYTE;
    return $@ =~ s/\n.*//sr if $type =~ /xml/ && !eval { XML::LibXML->new(huge => 1)->parse_string($body); 1 };
    return $type =~ /html/ && $body !~ m{</html>\s*\z} ? 'half a page' : '';
}

sub connected { return IO::Socket::UNIX->new(Peer => $r->{socket}) }
sub identify { my ($what) = @_; is answer_to('verb=Identify')->{status}, 200, "$what: Identify is answered"; return }

subtest 'connections abandoned' => sub {
    my $page = request('/oai?verb=ListIdentifiers&metadataPrefix=oai_dc');
    my %state = (
        'before anything' => '', 'within a header' => substr($page, 0, 5), 'before the parameters' => FastCGI::begin(),
        'within the parameters' => substr($page, 0, 60), 'before the input' => substr($page, 0, -8),
        'within the input' => FastCGI::begin() . FastCGI::params(REQUEST_METHOD => 'POST', CONTENT_LENGTH => 60000,
            CONTENT_TYPE => 'application/x-www-form-urlencoded', REQUEST_URI => '/oai') . FastCGI::end_of_params() . FastCGI::input('a' x 30000),
        'before reading' => $page, 'aborted' => substr($page, 0, -8) . FastCGI::record(2, ''));
    # At first a hundred of each, so that every worker has begun and what grows once has grown. Requests whose clients have gone are
    # still worked on meanwhile; what is lost stays lost.
    my ($fds, $rss, $after);
    for my $times (100, 1000) {
        for my $where (sort keys %state) {
            for (1 .. $times) { my $socket = connected() // next; syswrite $socket, $state{$where}; close $socket }
            identify("$times times $where");
        }
        ok wait_until(sub { my $before = $after // 0; $after = descriptors(); $after == $before && $after <= ($fds // $after) + 10 }), 'no descriptors are lost'
            or diag "$after after " . ($fds // 0);
        ($fds, $rss) = ($after, resident()) if !$fds;
    }
    cmp_ok resident() - $rss, '<', 60 * MEGABYTE, 'memory does not grow';
};

# Each answer has megabytes, more than a socket takes.
subtest 'answers that nobody reads' => sub {
    my $fds = descriptors();
    my @held = map { my $socket = connected(); syswrite $socket, request('/oai?verb=ListRecords&metadataPrefix=oai_dc'); $socket } 1 .. 60;
    identify('sixty of which nothing is read') for 1 .. 3;
    undef @held;
    ok wait_until(sub { descriptors() <= $fds + 10 }), 'no descriptors are lost';
};

# What is still being sent takes no worker, and a stop does not wait for it.
subtest 'requests that are never whole' => sub {
    my $get = request('/oai?verb=Identify');
    my @half = map { my $socket = connected(); syswrite $socket, substr($get, 0, $_ % 2 ? 60 : -8); $socket } 1 .. 300;
    identify('300 that are half sent') for 1 .. 3;
    my $padded = sub { my ($type, $content) = @_; return pack('CCnnCx', 1, $type, 1, length $content, 255) . $content . "\0" x 255 };
    my $answer = FastCGI::ask($r->{socket}, join '', $padded->(1, pack 'nCx5', 1, 0), $padded->(4, pairs(REQUEST_METHOD => 'GET', REQUEST_URI => '/oai?verb=Identify',
        QUERY_STRING => 'verb=Identify')), $padded->(4, ''), $padded->(5, ''));
    is $answer->{status}, 200, 'records with 255 bytes of padding are read';
    my $rss = resident();
    for (1 .. 5) {
        my $socket = connected();
        syswrite($socket, FastCGI::begin() . stream(4, pairs('N' => 'v' x (8 * MEGABYTE)))) // last for 1 .. 8;
        is(FastCGI::answer(do { local $/; readline($socket) // '' })->{status}, 'cut', 'parameters of megabytes are refused');
    }
    cmp_ok resident() - $rss, '<', 20 * MEGABYTE, 'and their memory is not kept';
    identify('behind them');
    is $r->stop('TERM'), 0, 'SIGTERM ends the server, with requests half sent';
    $r->configure(idle_seconds => 3);
    $r->start;
    @half = map { my $socket = connected(); syswrite $socket, substr($get, 0, $_ % 2 ? 60 : -8); $socket } 1 .. 30;
    ok wait_until(sub { 30 == (() = IO::Select->new(@half)->can_read(0)) }), 'those that send nothing for [server] idle_seconds are dropped';
    $r->stop;
    $r->configure(idle_seconds => HOUR);
    $r->start;
};

subtest 'records that no web server sends' => sub {
    my $get = request('/oai?verb=Identify');
    my $other = $get =~ s/^(..)../$1\0\x02/sr;
    my %flood = (
        'questions for values' => pack('CCnnCx', 1, 9, 0, 0, 0) x 5000, 'management records' => pack('CCnnCx', 1, 77, 0, 0, 0) x 5000,
        'another id' => FastCGI::begin() . (pack('CCnnCx', 1, 4, 2, 0, 0) x 5000), 'one id after the other' => $other . $get,
        'begun again and again' => FastCGI::begin() x 5000, 'another version' => "\x07" . substr($get, 1),
        'aborted again and again' => FastCGI::record(2, '') x 5000, 'a long name' => FastCGI::begin() . stream(4, pairs('N' x 900_000, 'v')) . FastCGI::end_of_input(),
        'a hundred thousand parameters' => FastCGI::begin() . stream(4, join '', map { pairs("P$_", 'v') } 1 .. 100_000) . FastCGI::end_of_input());
    for my $what (sort keys %flood) {
        for (1 .. 20) { my $socket = connected() // next; $socket->blocking(0); syswrite $socket, $flood{$what}; close $socket }
        identify("20 times $what");
    }
};

my ($first) = answer_to('verb=ListIdentifiers&metadataPrefix=oai_dc');
my ($token) = $first->{body} =~ m{<resumptionToken[^>]*>([^<]+)<};
my ($foreign) = $stranger->ask('verb=ListIdentifiers&metadataPrefix=oai_dc')->{body} =~ m{<resumptionToken[^>]*>([^<]+)<};
my $bad_bytes = '%FF' x 2100;
my $long = 'x' x 60_000;
my @names = qw(verb identifier metadataPrefix set from until resumptionToken lang after n prefix);
my @rooms = ('/oai', '/oai/', map { "/oai/browse$_" } '', '/list', '/sets', '/formats', '/record', '/record/oai:example.org:big', '/explore', '/sitemap.xml',
    '/sitemap/1', '/file/style.css');
my @paths = ('/oai/browse' . '/a' x 20_000, '/oai/browse/record/' . $long, '/oai/browse/record/a%00b', '/oai/%00', '/oai/browse/%2e%2e/%2e%2e/etc/passwd',
    '/oai/browse/file/../browse.xsl', '/oai/-/', '/oai/-/health', '/oai/-/metrics', '/oai/-/status', '/oai/-/schema/..%2f..%2foai.ini', '/oai/-/schema/' . $long,
    "/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier=$long", "/oai/browse/sitemap/9223372036854775808", '/', '*', '', '//oai', '/oai?', '/oai?&&&===&');
my @calls = (
    (map { ["$_?" . join '&', map { my $n = $_; "$n=" . 'y' x 10_000 } @names] } @rooms),
    (map { my $room = $_; map { ["$room?" . "$_=z&" x 5000] } qw(verb set lang) } @rooms),
    (map { ["$_?verb=ListRecords&metadataPrefix=oai_dc&from=0001-01-01&until=9999-12-31&n=-1&after=99999999999999999999&lang=%FF"] } @rooms),
    (map { [$_] } @paths),
    (map { ["/oai?verb=ListIdentifiers&resumptionToken=$_"] } $foreign, $token . 'A', map { substr $token, 0, $_ } 1, 10, 40, length($token) - 1),
    (map { my $altered = $token; substr $altered, $_, 1, substr($token, $_, 1) eq 'A' ? 'B' : 'A'; ["/oai?verb=ListIdentifiers&resumptionToken=$altered"] } 0 .. length($token) - 1),
    (map { ['/oai?verb=Identify', '', $_ => 'q;=,"' x 13_000] } map { "HTTP_$_" } qw(ACCEPT_ENCODING ACCEPT_LANGUAGE IF_NONE_MATCH IF_MODIFIED_SINCE RANGE FORWARDED
        X_FORWARDED_FOR USER_AGENT SEC_FETCH_DEST COOKIE)),
    (map { ['/oai?verb=ListIdentifiers&metadataPrefix=oai_dc&until=2001-01-01', '', HTTP_IF_NONE_MATCH => $_, HTTP_RANGE => 'bytes=0-0,-1,5-2', HTTP_ACCEPT_ENCODING => 'gzip;q=9'] } '*', 'W/', ',' x 60_000),
    (map { ['/oai?verb=Identify', '', REQUEST_METHOD => $_] } qw(HEAD OPTIONS TRACE PUT DELETE get), '', "\xFF" x 60_000),
    (map { ['/oai', 'verb=Identify', REQUEST_METHOD => 'POST', CONTENT_TYPE => 'application/x-www-form-urlencoded', CONTENT_LENGTH => $_] } -1, 0, 5, 13, 14, 65_536, '1e3', '9' x 400, ' 13'),
    (map { ["/oai$_", 'verb=Identify' . '&a=b' x 15_000, REQUEST_METHOD => 'POST', CONTENT_TYPE => 'application/x-www-form-urlencoded', CONTENT_LENGTH => 60_013] } '', '/browse', '/browse/list', '/-/status'),
    ['/oai', join('&', map { "$_=$bad_bytes" } @names[0 .. 5]), REQUEST_METHOD => 'POST', CONTENT_TYPE => 'application/x-www-form-urlencoded', CONTENT_LENGTH => 37_852 + 5],
    ['/oai', 'x' x 3_000_000, REQUEST_METHOD => 'POST', CONTENT_TYPE => 'text/plain', CONTENT_LENGTH => 3_000_000]);
$_->[1] //= '' for @calls;
for (@calls) { my (undef, $body, %more) = @$_; $_ = [$_->[0], $body, %more, CONTENT_LENGTH => length $body] if ($more{CONTENT_LENGTH} // 0) == 37_857 }

# What a crowd asks for at once.
my @busy = ('/oai/browse/record/oai:example.org:big', '/oai/browse', '/oai/browse/sets?set=a&after=-5',
    "/oai?verb=ListIdentifiers&resumptionToken=$token", (map { "/oai?verb=ListIdentifiers&metadataPrefix=mods&from=$_-01-01" } 1, 1990, 2020, 9999),
    '/oai?verb=ListRecords&metadataPrefix=oai_dc&set=a:b:c', '/oai/browse/list?n=1', '/oai/browse/explore?verb=ListIdentifiers&metadataPrefix=mods',
    (map { "/oai/browse/explore?verb=$_&identifier=oai:example.org:big" } 'GetRecord&metadataPrefix=oai_dc', 'GetRecord&metadataPrefix=marc21', 'ListMetadataFormats'),
    '/oai/browse/record/big', '/oai/browse/formats', '/oai/browse/sitemap.xml', '/oai/browse/sitemap/1', '/oai/browse/no-such-page', '/oai/-/status', '/oai/-/metrics', "/oai/browse/list?from=2000-01-01&until=2030-01-01&" . 'set=q&' x 1000);

subtest 'the page of a big record' => sub {
    for my $name ('middle', 'big') {
        my $answer = answer_to("/oai/browse/record/oai:example.org:$name");
        is $answer->{status}, 200, "$name: it is shown";
        like $answer->{body}, qr/subject 99\b/, 'with the first of its values';
        unlike $answer->{body}, qr/subject 1500\b/, 'and not with all of them';
        like $answer->{body}, qr/Only the beginning is shown\. Values left out/, 'it says that some are left out';
        cmp_ok length $answer->{body}, '<', 500_000, 'the page has less than half a megabyte';
        note sprintf '%s: %d bytes', $name, length $answer->{body};
    }
    unlike answer_to('/oai/browse/record/oai:example.org:small-1')->{body}, qr/Values left out/, 'nothing is left out of a small record';
};

subtest 'nonsense, one by one' => sub {
    answer_to($_) for @busy, @busy;    # so that what grows once has grown
    FastCGI::ask($r->{socket}, request(@$_)) for @calls;
    my $rss = resident();
    my ($longest, %status, @faults) = (0);
    my $log = length $r->log_text;
    for my $call (@calls) {
        my $answer = FastCGI::ask($r->{socket}, request(@$call));
        my $fault = fault_of($answer);
        push @faults, substr("$fault: " . ($call->[3] // '') . " $call->[0]", 0, 150) if $fault && @faults < 10;
        ++$status{$answer->{status}};
    }
    is join("\n", @faults), '', 'every answer is well-formed';
    wait_until(sub { slurp($r->{log}) =~ /\n\z/ });
    for (split /\n/, substr $r->log_text, $log) { $longest = length if length > $longest }
    cmp_ok $longest, '<', JOURNAL_LINE, 'a line of the log is one of the journal';
    cmp_ok length($r->log_text) - $log, '<', 12_000 * @calls, 'and the lines are not long altogether';
    cmp_ok resident() - $rss, '<', 60 * MEGABYTE, 'memory does not grow';
    note sprintf '%d requests: %s; the longest line of the log %d bytes, %d a request', scalar @calls,
        join(', ', map { "$status{$_} of $_" } sort keys %status), $longest, (length($r->log_text) - $log) / @calls;
};

sub crowd {
    my ($what, $ask) = @_;
    my $out = "$r->{dir}/crowd";
    unlink glob("$out-*"), "$out.enough", "$out.shown";
    my @clients = map {
        my $n = $_;
        later(sub {
            POSIX::nice(10);    # a client of elsewhere does not take the processor that the server has
            my %count;
            for (my $i = $n; !-e "$out.enough"; ++$i) { my $answer = $ask->($busy[$i % @busy], $n); ++$count{$answer->{status}}; spew("$out.shown", '') if $answer->{status} eq '200' && $busy[$i % @busy] =~ /browse/ }
            spew("$out-$n", join "\n", map { "$count{$_} $_" } keys %count);
        });
    } 1 .. CROWD;
    my @bad;
    ok wait_until(sub { -e "$out.shown" }), "$what: pages are shown to a crowd";
    for (1 .. 5) { my $answer = $ask->('/oai?verb=Identify', 999); push @bad, $answer->{status} if $answer->{status} ne '200' }
    spew("$out.enough", '');
    waitpid $_, 0 for @clients;
    my %count;
    for (map { split /\n/, slurp($_) } glob "$out-*") { my ($n, $status) = split / /, $_, 2; $count{$status} += $n }
    is "@bad", '', 'Identify is always answered';
    is join(', ', grep { !/^(?:200|403|404|503)$/ } sort keys %count), '', 'all others get a whole answer, or are told to come again';
    note join ', ', map { "$count{$_} of $_" } sort keys %count;
    return;
}

subtest 'a crowd at once' => sub {
    crowd('FastCGI', sub { my ($target) = @_; return $r->ask($target) });
    for my $kind (qw(nginx apache)) {
        my $port = WebServer::start($kind, "$r->{dir}/$kind", $r->{socket});
        crowd($kind, sub { my ($target, $n) = @_; return WebServer::http($port, 'GET', $target, headers => ['X-Test-Client: 10.2.' . int($n / 250) . '.' . ($n % 250 + 1)]) });
        WebServer::stop("$r->{dir}/$kind");
    }
    # Each worker comes to the biggest answer sooner or later, and keeps its memory. So it may grow by some crowds, not by all.
    my @resident = resident();
    my $has_grown = sub { return @resident < 2 || $resident[-1] > 1.05 * $resident[-2] + 10 * MEGABYTE };
    for (1 .. 16) {
        last if !$has_grown->();
        crowd('FastCGI once more', sub { return $r->ask($_[0]) });
        push @resident, resident();
    }
    ok !$has_grown->(), 'memory does not go on growing';
    note 'memory after each crowd, in MB: ', join ', ', map { int $_ / MEGABYTE } @resident;
};

is answer_to('verb=Identify')->{status}, 200, 'after all Identify is answered';
my ($cluster) = $db->conninfo =~ /host=(\S+)/;
# A page that is read ahead may wait a second for its reader, and its statement with it.
my @slow = grep { !/autovacuum|insert into library|publish/ } slurp("$cluster/server.log") =~ /duration: (\d+\.\d+ ms.*)/g;   # others may have every statement logged
note map { substr($_, 0, 200) . "\n" } @slow;
is join("\n", map { substr $_, 0, 200 } grep { /^(\d+)/ && $1 > 60_000 } @slow), '', 'no statement took PostgreSQL a minute, with so many clients';
is $r->stop('TERM'), 0, 'the server ends when it is told to';
is $stranger->stop, 0, 'and the other one';
done_testing();
