#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Several machines: a primary with two streaming replicas; servers with a common key file that read from them, each behind
# its own nginx; and a front web server that proxies requests to these machines or redirects them by 302, or instead a host
# name with two addresses. An independent harvester (HTTP::OAI) reads the whole list while replicas lag, fail and are
# promoted, and must receive exactly the right records, each once.
# HTTP::OAI sleeps ten seconds longer than Retry-After asks for, "for safety", so sleep is shortened here.
BEGIN { *CORE::GLOBAL::sleep = sub { Process::pace(0.3); return $_[0] } }
use TestProgram;
use HTTP::OAI;
use LWP::UserAgent;
use IO::Socket::IP;
use Time::HiRes qw(time);

my $me    = $$;
my $dir   = tempdir('oai-many-XXXXXX', TMPDIR => 1, CLEANUP => 0);
chmod 0755, $dir or die $!;
my $began = time;
my (%pid, %stopped, $db);
my $BASE = 'http://repository.example.org/oai';    # nothing listens there: an answer must not depend on which machine gives it

sub cluster { my ($output) = `$root/t/lib/cluster @_`; $? == 0 or die "cluster @_: failed\n"; return $output }
sub note_time { note sprintf '%.1f s: %s', time - $began, @_; return }

END {
    if ($$ == $me) {
        my $status = $?;
        end_program($_, 'KILL') for keys %pid;
        system("$root/t/lib/cluster stop $_ >/dev/null 2>&1") for glob "$dir/pg-*";
        system 'rm', '-rf', $dir;
        $? = $status;
    }
}
$SIG{$_} = sub { exit 130 } for qw(INT TERM);

# Each program leads a process group, so that the workers of an nginx that is killed do not go on serving.
sub start { my ($name, $stdin, @command) = @_; $pid{$name} = start_program(\@command, stdin => $stdin, log => "$dir/$name.log", setsid => 1); return }
sub end_program { my ($name, $signal) = @_; my $pid = delete $pid{$name}; kill $signal, $pid, -$pid; waitpid $pid, 0; return }

# The databases: p, the first primary, and a and b, which replicate from whichever of the three is the primary.
# Their sockets have short names: a line of oai.ini, which names all three, has 198 bytes at most.
my $short = tempdir('oai-XXXXXX', DIR => '/tmp', CLEANUP => 1);
chmod 0755, $short or die $!;
my %host = map { $_ => "$short/$_" } qw(p a b);
symlink "$dir/pg-$_/pgdata", $host{$_} or die $! for keys %host;
$ENV{OAI_TEST_DB} = cluster(start => "$dir/pg-p");
chomp $ENV{OAI_TEST_DB};
$ENV{OAI_KEEP_DB} = 1;    # the database is removed with the cluster
$db = Database->new;
my ($dbname) = $db->conninfo =~ /dbname=(\S+)/;
sub query_at { my ($host, $sql) = @_; my $said = Database::psql("host=$host{$host} dbname=$dbname user=postgres", '-c', $sql); chomp $said; return $said }
sub hosts { my ($user, $attrs, @names) = @_; return 'host=' . join(',', map { $host{$_} } @names) . " dbname=$dbname user=$user target_session_attrs=$attrs" }

my $primary = "p";
sub add_documents {
    my ($first, $last) = @_;
    query_at($primary, "insert into webarchiv.doc (id, archived_time, id_domain, url, surt)
        select n, '2019-01-01Z', (select id from webarchiv.domain where name = 'org:example'), 'http://example.org/' || n, 'org,example)/' || n from generate_series($first, $last) n");
    return;
}
sub everything_published { return wait_until(sub { query_at($primary, 'select not exists (select from oai.queue)') eq 't' }) }
sub last_seq { return query_at($_[0], 'select last_seq from oai.horizon') }
sub follows { my ($name) = @_; return wait_until(sub { last_seq($name) eq last_seq($primary) }) }

query_at('p', "insert into webarchiv.domain (name) values ('org:example')");
add_documents(1, 300);
my $any = join(',', map { $host{$_} } qw(p a b));
cluster(follow => "$dir/pg-$_", "'host=$any user=postgres target_session_attrs=primary'", 'hot_standby_feedback=on',
    'wal_retrieve_retry_interval=200ms') for qw(a b);

# The servers: one and two each prefer a different replica; three has only replica b.
sub ini {
    my ($name, $reader) = @_;
    return write_ini("$dir/$name.ini", $db, repository => {base_url => $BASE}, lists => {records => 20}, server => {retry_after_seconds => 1},
        database => {connection => $reader, connections => 2, max_wait_milliseconds => 5000, connection_seconds => 2},
        publisher => {connection => hosts('oai_publisher', 'primary', qw(p a b))});
}
my %listener;
sub start_server {
    my ($name) = @_;
    start($name, $listener{$name}, "$build/release/oai.fcgi", '--config', "$dir/$name.ini");
    return;
}
ini(one => hosts('oai_reader', 'prefer-standby', qw(a b p)));
ini(two => hosts('oai_reader', 'prefer-standby', qw(b a p)));
ini(three => hosts('oai_reader', 'any', 'b'));
start('publisher', undef, "$build/release/oai", '--config', "$dir/one.ini", 'publish');
for my $name (qw(one two three)) {
    $listener{$name} = Server::listener("$dir/$name.sock");
    start_server($name);
}

# The machines: an nginx with the shipped configuration in front of each server, all on the same port of different addresses,
# as a host name with several addresses requires; and the front, which proxies on one port and redirects on another.
my $port = free_port();
my %address = (one => '127.0.0.1', two => '127.0.0.2', three => '127.0.0.3');
my $real_ip = 'set_real_ip_from 127.0.0.0/8; real_ip_header X-Forwarded-For;';
sub start_nginx {
    my ($name, $text) = @_;
    mkdir "$dir/$name" or die $!;
    chown +(getpwnam 'www-data')[2, 3], "$dir/$name" if !$>;
    spew("$dir/$name/nginx.conf", $text =~ s/\@DIR\@/$dir\/$name/gr =~ s/\@DEPLOY\@/$root\/deploy/gr);
    start($name, undef, "$root/deploy/as-user", '--reach', "$root/deploy/nginx-oai.conf", 'www-data', 'nginx', '-e', 'stderr', '-c', "$dir/$name/nginx.conf");
    return;
}
my $whole = slurp("$root/deploy/nginx.conf.in");
start_nginx("web-$_", $whole =~ s/127\.0\.0\.1:\@PORT\@;/$address{$_}:$port; $real_ip/r =~ s/\@SOCKET\@/$dir\/$_.sock/r) for sort keys %address;
spew("$dir/machines.conf", slurp("$root/deploy/nginx-oai-machines.conf") =~ s/\ba\.oai\.example\.org/127.0.0.1:$port/gr
    =~ s/\bb\.oai\.example\.org/127.0.0.2:$port/gr);
my ($front, $redirecting) = (free_port(), free_port());
my $two_fronts = join '', map { "server { listen 127.0.0.1:$_->[0]; $real_ip include \"$root/deploy/nginx-oai-$_->[1].conf\"; }\n" }
    [$front, 'front'], [$redirecting, 'redirect'];
start_nginx('web-front', $whole =~ s/    upstream oai_fcgi \{.*\n\}\n\z/include "$dir\/machines.conf";\n$two_fronts}\n/sr);
my %url = (map({ $_ => "http://$address{$_}:$port/oai" } keys %address), front => "http://127.0.0.1:$front/oai", redirect => "http://127.0.0.1:$redirecting/oai");

# Each request has a different client address, so that a front that distributes by client address uses all machines.
my $clients = 0;
sub as_client { my ($agent) = @_; $agent->default_header('X-Forwarded-For' => '192.0.2.' . ($clients++ % 250 + 1)); return $agent }
sub agent { return as_client(LWP::UserAgent->new(timeout => 300, max_redirect => 0)) }

# Reads the whole list, each page from the address that `from` returns for the page's number, and calls `each` after each page.
# A page that fails with a 5xx status is requested again for some minutes; any other error ends the harvest.
sub harvest {
    my (%how) = @_;
    my (%got, %said, $number);
    @said{qw(twice failures wrong)} = (0, 0, '');
    my $end = time + 300;
    for (my %arguments = (metadataPrefix => 'oai_dc', %{ $how{arguments} // {} }); %arguments && !$said{wrong};) {
        my $harvester = as_client(HTTP::OAI::Harvester->new(baseURL => $how{from}->(($number // 0) + 1), resume => 0, timeout => 300));
        my $page = $harvester->ListRecords(%arguments);
        if ($page->is_error && $page->code >= 500) {
            $said{failures}++;
            $how{failed}->() if $how{failed};
            $said{wrong} = 'gave up: ' . $page->code . ' ' . $page->message if time > $end;
            next;
        }
        if (my ($error) = $page->error) { $said{wrong} = $error->code; next }
        if ($page->is_error) { $said{wrong} = $page->code; next }
        while (my $record = $page->next) {
            $said{twice}++ if $got{ $record->identifier }++;
        }
        $said{first} //= $page->responseDate;
        $said{addressed}{ ($page->toDOM->findnodes('//*[local-name()="request"]'))[0]->textContent }++ if $how{look};
        my $token = $page->resumptionToken && $page->resumptionToken->resumptionToken;
        %arguments = defined $token && length $token ? (resumptionToken => $token) : ();
        $how{each}->(++$number) if $how{each};
        $number++ if !$how{each};
    }
    $said{pages} = $number;
    return (\%got, \%said);
}
sub published { return join ' ', sort split /\n/, query_at($primary, "select 'oai:example.org:' || local_id from oai.item where seq is not null") }
sub is_whole {
    my ($got, $said, $what) = @_;
    is "$said->{wrong} " . join(' ', sort keys %$got), ' ' . published(), "$what: the harvest receives exactly the right records";
    is $said->{twice}, 0, "$what: the harvest receives each record once";
    note "$said->{pages} pages, $said->{failures} failures";
    return;
}
sub get { my ($url, $query) = @_; my $answer = agent()->get("$url?$query"); return $answer }
sub answers { my ($url) = @_; return wait_until(sub { get($url, 'verb=Identify')->code == 200 }) }
sub log_of { my ($name) = @_; return scalar grep { /event=request/ } split /\n/, slurp("$dir/$name.log") }

ok everything_published(), 'the publisher finds the primary among the hosts';
ok follows('a') && follows('b'), 'the replicas catch up';
ok answers($url{$_}), "$_ answers" for qw(one two three front);
sub readers { my ($host) = @_; return query_at($host, "select count(*) from pg_stat_activity where usename = 'oai_reader'") }
ok wait_until(sub { get($url{one}, 'verb=ListIdentifiers&metadataPrefix=oai_dc'); readers('a') > 0 }), 'server one reads from its replica';
ok wait_until(sub { readers('p') == 0 }), 'no server reads from the primary';
note_time('everything runs');

# A replica that lags.
query_at('b', 'select pg_wal_replay_pause()');
my $lagging = last_seq('b');
add_documents(301, 345);
ok everything_published() && follows('a'), 'more records are published, and replica a has them';
is last_seq('b'), $lagging, 'replica b does not have them';
my $turn = sub { return $url{ $_[0] % 2 ? 'one' : 'two' } };
my ($got, $said) = harvest(from => $turn);
is_whole($got, $said, 'pages alternately from a current and from a lagging replica');
ok $said->{failures} == 0, 'server two, whose replica lags, read the end of the list from another host';
is get($url{two}, 'verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:example.org:345')->content =~ /<identifier>oai:example.org:345</, 1,
    'server two now answers with records that its replica does not have';
my ($before) = harvest(from => sub { $url{three} });
is scalar(keys %$before), 300, 'a harvest from the lagging replica alone receives the records of that replica';
my $resumed = 0;
($got, $said) = harvest(from => sub { $url{ $_[0] == 1 ? 'one' : 'three' } },
    failed => sub { query_at('b', 'select pg_wal_replay_resume()') if !$resumed++ });
is_whole($got, $said, 'the end of the list from the lagging replica alone');
cmp_ok $said->{failures}, '>', 0, 'the server answered 503 until its replica had caught up';
my $late = get($url{three}, 'verb=ListRecords&metadataPrefix=oai_dc&from=' . $said->{first})->content;
like $late, qr/noRecordsMatch/, 'the next harvest has no records to receive';
note_time('the lagging replica is tested');

# A harvester that is redirected, or that uses a name with two addresses, reads from both machines by turns.
my %requests_before = map { $_ => log_of($_) } qw(one two);
($got, $said) = harvest(from => sub { $url{redirect} }, look => 1);
is_whole($got, $said, 'redirection by 302');
is join(' ', keys %{ $said->{addressed} }), $BASE, '302: every answer names the original base URL';
cmp_ok log_of($_) - $requests_before{$_}, '>', 0, "302: $_ received requests" for qw(one two);
like +LWP::UserAgent->new->get("$url{redirect}?verb=Identify")->content, qr{<baseURL>\Q$BASE\E</baseURL>}, '302: Identify names it as well';
my $posted = agent()->post($url{redirect}, {verb => 'Identify'});
is $posted->code . ' ' . ($posted->header('Location') // '') =~ s/127.0.0.[12]:$port/MACHINE/r, '307 http://MACHINE/oai', 'POST is redirected by 307, so that it stays a POST';
%requests_before = map { $_ => log_of($_) } qw(one two);
{
    no warnings 'redefine';
    my $real = \&IO::Socket::IP::getaddrinfo;
    my $looked_up = 0;
    local *IO::Socket::IP::getaddrinfo = sub {
        my ($name, @rest) = @_;
        return $real->($name eq 'repository.example.org' ? $address{ $looked_up++ % 2 ? 'two' : 'one' } : $name, @rest);
    };
    ($got, $said) = harvest(from => sub { "http://repository.example.org:$port/oai" }, look => 1);
}
is_whole($got, $said, 'a name with two addresses');
is join(' ', keys %{ $said->{addressed} }), $BASE, 'DNS: every answer names the original base URL';
cmp_ok log_of($_) - $requests_before{$_}, '>', 0, "DNS: $_ received requests" for qw(one two);
note_time('both ways of distributing requests are tested');

# Databases, servers and web servers fail in the middle of a harvest, behind the front.
is get("$url{front}$_", '')->code, 403, "$_: not accessible from outside" for '/-/health', '/-/metrics', '/-', '/%2D/health';
my %fault_after_page = (
    2 => sub { cluster(crash => "$dir/pg-a") },
    5 => sub { end_program('one', 'KILL') },
    7 => sub { start_server('one') },
    8 => sub {
        cluster(crash => "$dir/pg-p");
        cluster(promote => "$dir/pg-b");
        $primary = 'b';
    },
    10 => sub { cluster(restart => "$dir/pg-a") },
    # A list may end where a replica ends that has not heard of more, so replica a must have heard of these.
    12 => sub { add_documents(346, 380); everything_published() && follows('a') },
    14 => sub { end_program('web-one', 'KILL'); ok wait_until(sub { !IO::Socket::IP->new(PeerAddr => "$address{one}:$port") }), 'nothing of the killed web server listens' },
);
($got, $said) = harvest(from => sub { $url{front} }, each => sub { my ($number) = @_; note_time("page $number"), $fault_after_page{$number}->() if $fault_after_page{$number} });
is_whole($got, $said, 'a replica, a server and the primary fail; one replica is promoted and the other returns; a web server fails');
is scalar(keys %$got), 380, 'the records that the new primary published are among them';
ok follows('a'), 'the other replica follows the new primary';
ok wait_until(sub { get($url{one}, 'verb=ListIdentifiers&metadataPrefix=oai_dc'); readers('a') > 0 }),
    'server one reads from it again, since connections return to the preferred host';
my ($since) = harvest(from => sub { $url{two} }, arguments => {from => $said->{first}});
is join(' ', sort keys %$since), join(' ', map { "oai:example.org:$_" } 346 .. 380), 'the next harvest from the first responseDate receives only the new records';
note_time('the end');
done_testing;
