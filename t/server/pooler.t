#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Debian's pgbouncer before the database, for each of the three roles. In session mode everything works as without it. In
# transaction mode the next statement may run in somebody else's session: it is refused in words, by each program at its start.
use TestProgram;

my ($pgbouncer) = grep { -x } map { "$_/pgbouncer" } split(/:/, $ENV{PATH}), '/usr/sbin';
plan skip_all => 'pgbouncer is missing: apt install pgbouncer' if !$pgbouncer;

my $r = Repository->new(db => Database->new, ini => {lists => {records => 3}, server => {retry_after_seconds => 1}});
my ($host) = $r->{db}->conninfo =~ /host=(\S+)/;
my $dir = shared_directory();
chmod 0777, $dir or die $!;
my @roles = qw(oai_reader oai_publisher oai_loader);
$r->{db}->run("insert into webarchiv.domain (name) values ('cz:example')", "insert into webarchiv.mimetype (name) values ('text:html')",
    "insert into webarchiv.doc (archived_time, deleted, id_domain, id_mimetype, url, surt)
     select '2019-01-01Z', false, (select min(id) from webarchiv.domain), (select min(id) from webarchiv.mimetype), 'http://example.org/' || n, 'org,example)/' || n from generate_series(1, 30) n");
spew("$dir/users", join '', map { qq("$_" ""\n) } @roles);
spew("$dir/new.warc", warc('http://example.org/new'));

sub warc {
    my ($url) = @_;
    my $http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>New</title>";
    return "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Target-URI: $url\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
        . "Content-Type: application/http\r\nContent-Length: " . length($http) . "\r\n\r\n$http\r\n\r\n";
}

# Returns the process of a pooler whose socket in $dir has this port. It does not run as root.
sub start_pooler {
    my ($port, $mode, @more) = @_;
    spew("$dir/$mode.ini", join "\n", '[databases]', "* = host=$host port=5432", '[pgbouncer]', "unix_socket_dir = $dir", "listen_port = $port",
        'listen_addr =', 'auth_type = trust', "auth_file = $dir/users", "pool_mode = $mode", 'unix_socket_mode = 0777', @more, '');
    my $pid = start_program([$> ? () : qw(setpriv --reuid postgres --regid postgres --clear-groups), $pgbouncer, "$dir/$mode.ini"], log => "$dir/pooler.log", setsid => 1);
    wait_until(sub { -S "$dir/.s.PGSQL.$port" }) or die slurp("$dir/pooler.log");
    return $pid;
}

# A configuration whose connections all go by the pooler at this port.
sub through { my ($port) = @_; return spew("$dir/$port.ini", slurp($r->{ini}) =~ s{host=\S+( port=)\S+}{host=$dir$1$port}gr) }

# The identifiers of a list, and the statuses of its pages; each page is fetched by several clients at a time.
sub harvest {
    my (%seen, %status);
    for (my $query = 'verb=ListRecords&metadataPrefix=oai_dc'; $query;) {
        my @answers = map { $r->ask($query) } 1 .. 4;
        $status{ $_->{status} }++ for @answers;
        my ($page) = grep { $_->{status} eq '200' } @answers or last;
        $seen{$_}++ for $page->{body} =~ /<identifier>(.*?)</g;
        $query = $page->{body} =~ m{<resumptionToken[^>]*>([^<]+)<} ? "verb=ListRecords&resumptionToken=$1" : undef;
    }
    return (scalar keys %seen, join ' ', sort keys %status);
}

my $oai = "$r->{bin}/oai";

subtest 'session mode' => sub {
    my $pooler = start_pooler(7001, 'session');
    my $ini = through(7001);
    my ($status, $said) = run_program($oai, '--config', $ini, 'publish', '--once');
    is $status, 0, 'the publisher publishes' or diag $said;
    ($status, $said) = run_program($oai, '--config', $ini, 'load', "$dir/new.warc");
    is $status, 0, 'the loader loads' or diag $said;
    is +(run_program($oai, '--config', $ini, 'publish', '--once'))[0], 0, 'and the publisher again';
    $r->start(ini => $ini);
    my ($count, $statuses) = harvest();
    is "$count: $statuses", '31: 200', 'the server answers with all';
    ($status, $said) = run_program($oai, '--config', $ini, 'check', '--offline');
    unlike $said, qr/pool|connection/, 'and check has nothing to say of the connections';
    is $r->stop, 0, 'the server stops';
    isnt stop_program($pooler), 'stuck', 'the pooler stops';
};

for my $how (['transaction', 7002], ['statement', 7003], ['transaction', 7004, 'server_round_robin = 1', 'min_pool_size = 3']) {
    my ($mode, $port, @more) = @$how;
    subtest "$mode mode @more" => sub {
        my $pooler = start_pooler($port, $mode, @more);
        my $ini = through($port);
        my $refused = qr/each transaction may get another session; .*pool_mode = session/;
        for (['publish', '--once'], ['load', "$dir/new.warc"]) {
            my ($status, $said) = run_program($oai, '--config', $ini, @$_);
            isnt $status, 0, "oai @$_ is refused";
            like $said, $refused, 'in words';
        }
        my ($status, $said) = run_program($oai, '--config', $ini, 'check', '--offline');
        like $said, qr/^oai: \[\Q$_\E\] connection: .*pool_mode/m, "check names [$_]" for qw(database publisher loader);
        $r->start(ini => $ini, unchecked => 1);
        ok wait_until(sub { $r->is_ready }), 'the server serves';
        is $r->ask('verb=Identify')->{status}, 200, 'Identify is answered';
        my $list = $r->ask('verb=ListRecords&metadataPrefix=oai_dc');
        is $list->{status}, 503, 'a list is refused';
        ok wait_until(sub { slurp($r->{log}) =~ $refused }), 'and the log says why';
        is $r->stop, 0, 'the server stops';
        isnt stop_program($pooler), 'stuck', 'the pooler stops';
    };
}
done_testing();
