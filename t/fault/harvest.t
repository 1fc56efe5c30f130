#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Failures and maintenance during a harvest: of the database, of the server, of its files and of the clock. The harvester is
# an independent one (HTTP::OAI), which requests a page again if it did not get it, as real harvesters do. The harvest must
# end with exactly the published records, each once, and meet no error but 503 with Retry-After; where the server itself is
# killed, the web server may also answer 502 or 504.
use TestProgram;
use Clock;
use HarvestedRepository;

my $r = HarvestedRepository->new(cluster => 1, documents => 300, ini => {
    database => {connections => 2, max_waiters => 8},
    token    => {previous_key_file => 'previous'},
});
my ($dir, $db) = @$r{qw(dir db)};
spew($r->{ini}, slurp($r->{ini}) =~ s{= previous$}{= $dir/previous}mr);
write_key("$dir/previous", 'fedcba9876543210');
my $clock = Clock->new($dir);
$r->start(env => {$clock->environment});
$r->remember;
sub in_flight { return $r->in_flight(@_) }
sub check_harvest { return $r->check_harvest(@_) }

# Ends a disturbance in another process, once a request has met it.
sub until_refused {
    my ($end) = @_;
    return later(sub { wait_until(sub { substr($r->log_text, $r->{log_offset}) =~ /event=request .* status=503 / }); $end->() });
}
sub end_backends { return "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'oai_reader'" }

# The database.
in_flight('backends terminated', sub { $db->run(end_backends()); return }, may_pass_unseen => 1);
my $aside = $r->harvest_aside('ListRecords');
for (1 .. 12) { $db->run(end_backends()); pace(0.02) }
check_harvest('backends terminated again and again', $aside->(), may_pass_unseen => 1);
in_flight('PostgreSQL stopped', sub { $r->pg_ctl('stop', '-m', 'fast') or die; until_refused(sub { $r->pg_ctl('start') }) });
in_flight('PostgreSQL restarted', sub { return later(sub { $r->pg_ctl('restart', '-m', 'immediate') }) }, may_pass_unseen => 1);
in_flight('kill -9 of a backend', sub {
    my $pid = $db->value("select pid from pg_stat_activity where usename = 'oai_reader' limit 1");
    kill 'KILL', $pid or die;   # PostgreSQL then terminates all other backends and recovers
    return;
}, may_pass_unseen => 1);
ok wait_until(sub { eval { $db->value('select 1') } }), 'PostgreSQL has recovered';
in_flight('kill -9 of PostgreSQL', sub {
    my ($pid) = slurp("$r->{cluster}/pgdata/postmaster.pid") =~ /^(\d+)/;
    kill 'KILL', $pid or die;
    return until_refused(sub { wait_until(sub { $r->pg_ctl('start') }) });   # once its child processes have noticed
});
$r->stop;
$r->configure(statement_timeout_milliseconds => 2000);
$r->start;
in_flight('a statement times out', sub {
    my $session = $db->session;
    $session->send('begin');
    $session->send('lock table oai.horizon, webarchiv.doc in access exclusive mode');
    return until_refused(sub { kill 'TERM', $session->{pid} });
});
$r->stop;
$r->configure(statement_timeout_milliseconds => 300_000);
$r->start(env => {$clock->environment});
in_flight('no connection is allowed', sub {
    $db->run('alter role oai_reader connection limit 0', end_backends());
    return until_refused(sub { $db->run('alter role oai_reader connection limit -1') });
});
in_flight('the schema is missing', sub { $db->run('alter schema oai rename to away'); return until_refused(sub { $db->run('alter schema away rename to oai') }) });
in_flight('the database is missing', sub {
    my ($name) = $db->conninfo =~ /dbname=(\S+)/;
    my $rename = sub { Database::psql($ENV{OAI_TEST_DB}, '-c', "select pg_terminate_backend(pid) from pg_stat_activity where datname like '$name%'", '-c', "alter database $_[0] rename to $_[1]") };
    $rename->($name, "${name}_away");
    return until_refused(sub { $rename->("${name}_away", $name) });
});

# The server.
$aside = $r->harvest_aside('ListRecords');
my $killed = 0;
for (1 .. 4) { pace(0.1); $killed++ if $r->stop('KILL') eq 'signal 9'; $r->start }
check_harvest("the server killed $killed times", $aside->(), meets => {502 => 1, 503 => 1, 504 => 1}, may_pass_unseen => 1);
is $killed, 4, 'the server was running each time it was killed';
in_flight('the server killed between two pages', sub { $r->stop('KILL'); $r->start; return }, may_pass_unseen => 1, meets => {});

my @load = map { $r->harvest_aside($_) } ('ListRecords', 'ListIdentifiers') x 2;
for (1 .. 4) { kill 'HUP', $r->{pid}; pace(0.05); is $r->stop, 0, 'the server stops cleanly under load'; $r->start }
for (@load) { check_harvest('reload and restart under load', $_->(), meets => {}, may_pass_unseen => 1) }

# Its files.
$r->stop; $r->start(env => {$clock->environment});
in_flight('the formats directory vanishes', sub {
    rename "$dir/formats", "$dir/formats-away" or die $!;
    kill 'HUP', $r->{pid};
    ok wait_until(sub { $r->log_text =~ /event=format state=\S.*formats/ }), 'the log reports it';
    return;
}, meets => {}, may_pass_unseen => 1);
rename "$dir/formats-away", "$dir/formats" or die $!;
ok wait_until(sub { $r->ask('verb=ListMetadataFormats')->{body} =~ /oai_dc/ }), 'the formats are served again once the directory is back';

# Keys: a token sealed with the previous key is accepted while previous_key_file holds that key, also after a reload.
my $old_token = $r->ask('verb=ListRecords&metadataPrefix=oai_dc')->{body} =~ m{<resumptionToken[^>]*>([^<]+)<} ? $1 : die;
sub resumed { return $r->ask("verb=ListRecords&resumptionToken=$_[0]")->{body} =~ /<ListRecords>/ ? 'good' : 'refused' }
sub reload { my $before = () = $r->log_text =~ /event=reload state=/g; kill 'HUP', $r->{pid};
    return wait_until(sub { my $now = () = $r->log_text =~ /event=reload state=/g; $now > $before }) }
# A page that a cache keeps must not outlive its token: its entity tag changes with the key.
my ($past) = $r->ask('verb=ListIdentifiers&metadataPrefix=oai_dc')->{body} =~ m{<datestamp>(.*?)<};
my $closed = "verb=ListRecords&metadataPrefix=oai_dc&until=$past";
my $etag = $r->ask($closed)->{headers}{etag};
is $r->ask($closed, known => $etag)->{status}, 304, 'a cache that asks whether its page is still right is told so';
in_flight('the token key rotated', sub {
    rename "$dir/key", "$dir/previous" or die $!;
    write_key("$dir/key", '0011223344556677');
    ok reload(), 'the server reloads';
    return;
}, meets => {}, may_pass_unseen => 1);
is resumed($old_token), 'good', 'a token sealed with the previous key is accepted';
is $r->ask($closed, known => $etag)->{status}, 200, 'after the rotation the cache receives a page with a token of the new key';
my $new_token = $r->ask('verb=ListRecords&metadataPrefix=oai_dc')->{body} =~ m{<resumptionToken[^>]*>([^<]+)<} ? $1 : die;
is substr($new_token, -20) eq substr($old_token, -20), '', 'new tokens are sealed with the new key';
chmod 0644, "$dir/key";
ok reload(), 'the server tries to reload a key file that others may read';
like $r->log_text, qr/event=reload state=refused .*may be read by others/, 'the key is refused';
is resumed($new_token), 'good', 'the current key stays in use';
rename "$dir/key", "$dir/previous" or die $!;
chmod 0600, "$dir/previous";
write_key("$dir/key", '8899aabbccddeeff');
ok reload(), 'the key is rotated again';
is resumed($old_token), 'refused', 'a token that is two keys old is refused';
is resumed($new_token), 'good', 'a token that is one key old is accepted';

# The clock of the server's host.
for my $jump (3600, -3600, 86400 * 2, -86400 * 2) {
    in_flight("the clock jumps by $jump s", sub { $clock->turn($jump); return }, meets => {}, may_pass_unseen => 1);
}
$clock->turn(0);
my ($h) = $r->ask('verb=Identify')->{body} =~ m{<responseDate>(.*?)<};
cmp_ok $h, 'le', POSIX::strftime('%Y-%m-%dT%H:%M:%SZ', gmtime), 'responseDate follows the horizon, whatever the clock showed';
unlike $r->log_text, qr/kind=program/, 'no failure was logged as an internal error';
is $r->stop, 0, 'the server stops cleanly';
done_testing;
