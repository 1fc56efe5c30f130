#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What happens at night, each time with a harvest in flight by a harvester of others' making (HTTP::OAI), which asks again
# for a page that it did not get, as real ones do: the harvest must end with exactly the published records, each once, and
# have met nothing but 503 with Retry-After; where the server itself is killed, the web server's 502 too.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(abs_path);
use POSIX ();
use Served;
use Test::More;

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");
my $r = Served->new(cluster => 1, documents => 300, ini => {
    database => {statement_timeout_milliseconds => 400, connections => 2, max_waiters => 8},
    token    => {previous_key_file => 'previous'},
});
my ($dir, $db) = @$r{qw(dir db)};
Served::spew($r->{ini}, Served::slurp($r->{ini}) =~ s{= previous$}{= $dir/previous}mr);
sub write_key { my ($name, $digits) = @_; unlink "$dir/$name"; Served::spew("$dir/$name", $digits x 4); chmod 0600, "$dir/$name"; return }
write_key('previous', 'fedcba9876543210');
system('install', '-m', '0644', "$build/release/fault/clock.so", "$dir/clock.so") == 0 or die;
sub turn_clock { my ($by) = @_; open my $out, '+<', "$dir/clock" or die $!; syswrite $out, pack 'q', $by; close $out; return }
Served::spew("$dir/clock", pack 'q', 0);
$r->start(env => {LD_PRELOAD => "$dir/clock.so", OAI_TEST_CLOCK => "$dir/clock"});
$r->remember;
sub in_flight { return $r->in_flight(@_) }
sub judge { return $r->judge(@_) }
sub later { return Served::later(@_) }

sub end_backends { return "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'oai_reader'" }

# The database.
in_flight('backends terminated', sub { $db->run(end_backends()); return }, unseen => 1);
my $aside = $r->harvest_aside('ListRecords');
for (1 .. 12) { $db->run(end_backends()); Served::pause(0.02) }
judge('backends terminated again and again', $aside->(), unseen => 1);
in_flight('PostgreSQL stopped', sub { $r->pg_ctl('stop', '-m', 'fast') or die; later(1, sub { $r->pg_ctl('start') }) });
in_flight('PostgreSQL restarted', sub { later(0, sub { $r->pg_ctl('restart', '-m', 'immediate') }); Served::pause(0.2); return }, unseen => 1);
in_flight('kill -9 of a backend', sub {
    my $pid = $db->value("select pid from pg_stat_activity where usename = 'oai_reader' limit 1");
    kill 'KILL', $pid or die;   # PostgreSQL then ends all the others, and recovers
    return;
}, unseen => 1);
ok Served::within(20, sub { eval { $db->value('select 1') } }), 'PostgreSQL has recovered';
in_flight('kill -9 of PostgreSQL', sub {
    my ($pid) = Served::slurp("$r->{cluster}/pgdata/postmaster.pid") =~ /^(\d+)/;
    kill 'KILL', $pid or die;
    Served::pause(0.5);   # its children see it
    return later(1, sub { for (1 .. 20) { last if $r->pg_ctl('start'); Served::pause(0.5) } });
});
in_flight('a statement out of time', sub {
    my $session = $db->session;
    $session->send('begin');
    $session->send('lock table oai.horizon, webarchiv.doc in access exclusive mode');
    return later(1.2, sub { kill 'TERM', $session->{pid} });
});
in_flight('no connection to be had', sub {
    $db->run('alter role oai_reader connection limit 0', end_backends());
    return later(1, sub { $db->run('alter role oai_reader connection limit -1') });
});
in_flight('the schema is gone', sub { $db->run('alter schema oai rename to away'); return later(1, sub { $db->run('alter schema away rename to oai') }) });
in_flight('the database is away', sub {
    my ($name) = $db->conninfo =~ /dbname=(\S+)/;
    my $rename = sub { Database::psql($ENV{OAI_TEST_DB}, '-c', "select pg_terminate_backend(pid) from pg_stat_activity where datname like '$name%'", '-c', "alter database $_[0] rename to $_[1]") };
    $rename->($name, "${name}_away");
    return later(1, sub { $rename->("${name}_away", $name) });
});

# The server.
$aside = $r->harvest_aside('ListRecords');
my $killed = 0;
for (1 .. 4) { Served::pause(0.1); $killed++ if $r->stop('KILL') eq 'signal 9'; $r->start }
judge("the server killed $killed times", $aside->(), meets => {502 => 1, 503 => 1, 504 => 1}, unseen => 1);
is $killed, 4, 'it was alive each time';
in_flight('the server killed between two pages', sub { $r->stop('KILL'); $r->start; return }, unseen => 1, meets => {});

my @load = map { $r->harvest_aside($_) } ('ListRecords', 'ListIdentifiers') x 2;
for (1 .. 4) { kill 'HUP', $r->{pid}; Served::pause(0.05); is $r->stop, 0, 'a restart under load ends in order'; $r->start }
for (@load) { judge('reload and restart under load', $_->(), meets => {}, unseen => 1) }

# Its files.
$r->stop; $r->start(env => {LD_PRELOAD => "$dir/clock.so", OAI_TEST_CLOCK => "$dir/clock"});
in_flight('the formats directory vanishes', sub {
    rename "$dir/formats", "$dir/formats-away" or die $!;
    kill 'HUP', $r->{pid};
    Served::pause(2.5);
    return later(0, sub { });
}, meets => {}, unseen => 1);
like Served::slurp($r->{log}), qr/event=format state=\S.*formats/, 'the log says so';
rename "$dir/formats-away", "$dir/formats" or die $!;
ok Served::within(5, sub { $r->ask('verb=ListMetadataFormats')->{body} =~ /oai_dc/ }), 'and it comes back';

# Keys: what was issued by the one before is good while previous_key_file has it, on a reload too.
my $old_token = $r->ask('verb=ListRecords&metadataPrefix=oai_dc')->{body} =~ m{<resumptionToken[^>]*>([^<]+)<} ? $1 : die;
sub resumed { return $r->ask("verb=ListRecords&resumptionToken=$_[0]")->{body} =~ /<ListRecords>/ ? 'good' : 'refused' }
sub reload { my $before = () = Served::slurp($r->{log}) =~ /event=reload state=/g; kill 'HUP', $r->{pid};
    return Served::within(5, sub { my $now = () = Served::slurp($r->{log}) =~ /event=reload state=/g; $now > $before }) }
in_flight('the token key rotated', sub {
    rename "$dir/key", "$dir/previous" or die $!;
    write_key('key', '0011223344556677');
    ok reload(), 'reloaded';
    return;
}, meets => {}, unseen => 1);
is resumed($old_token), 'good', 'a token by the key before';
my $new_token = $r->ask('verb=ListRecords&metadataPrefix=oai_dc')->{body} =~ m{<resumptionToken[^>]*>([^<]+)<} ? $1 : die;
is substr($new_token, -20) eq substr($old_token, -20), '', 'new ones are by the new key';
chmod 0644, "$dir/key";
ok reload(), 'a key that others may read';
like Served::slurp($r->{log}), qr/event=reload state=refused .*may be read by others/, 'is refused';
is resumed($new_token), 'good', 'and the one before goes on';
rename "$dir/key", "$dir/previous" or die $!;
chmod 0600, "$dir/previous";
write_key('key', '8899aabbccddeeff');
ok reload(), 'rotated again';
is resumed($old_token), 'refused', 'a token two keys old is refused';
is resumed($new_token), 'good', 'one key old is good';

# The clock of the server's host.
for my $jump (3600, -3600, 86400 * 2, -86400 * 2) {
    in_flight("the clock jumps by $jump s", sub { turn_clock($jump); return }, meets => {}, unseen => 1);
}
turn_clock(0);
my ($h) = $r->ask('verb=Identify')->{body} =~ m{<responseDate>(.*?)<};
cmp_ok $h, 'le', POSIX::strftime('%Y-%m-%dT%H:%M:%SZ', gmtime), 'responseDate is by the horizon, whatever the clock said';
unlike Served::slurp($r->{log}), qr/kind=program/, 'nothing was taken for a fault of the program';
is $r->stop, 0, 'the server stops in order';
done_testing;
