#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# From this version's schema to a next one's (t/data/schema) while the server of this version serves: `oai schema install` of
# the next program, with a harvest in flight and with a reader that holds a lock for seconds. No request fails, none waits
# for long, and the server goes on with the schema that is newer than itself, after a restart too.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(abs_path);
use Served;
use Test::More;
use Time::HiRes qw(time);

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");
my ($now, $next) = ("$build/release/oai", "$build/release/fault/oai-next");
my $r = Served->new(documents => 300, install => 1);
my $db = $r->{db};
sub schema { my ($program, @words) = @_; my $said = `$program schema @words --connection '@{[$db->conninfo]}' 2>&1`; return ($? >> 8, $said) }

$r->start;
$r->remember;
is +(schema($now))[0], 0, 'this version has its schema';
my ($status, $said) = schema($next);
is $status, 1, 'the next version lacks something';
like $said, qr/^090-next\.sql\tmissing/m, 'and says what';

# A backup, say. What a migration waits for, all others must wait for who come after it.
my $reader = $db->session;
$reader->send('begin');
$reader->send('select count(*) from oai.set, oai.record');
my ($began, $child) = (time);
my ($got, $said_of) = $r->harvest('ListRecords', each_page => sub {
    $child = Served::later(0, sub { my ($code, $text) = schema($next, 'install'); Served::spew("$r->{dir}/upgrade", "$code\n$text") }) if $_[0] == 2;
    Served::pause(0.25);   # 15 pages last longer than the upgrade
    $reader->send('commit') if $_[0] == 9;
});
waitpid $child, 0;
$r->judge('upgrade under way', $got, $said_of, meets => {}, unseen => 1);
like Served::slurp("$r->{dir}/upgrade"), qr/^0\n.*waits for others' locks.*^090-next\.sql\tapplied$/ms, 'it waited for the lock, and was applied';
cmp_ok((sort { $a <=> $b } Served::slurp($r->{log}) =~ /event=request .* ms=(\d+)/g)[-1], '<', 2500, 'no request waited for long');
is $db->value("select count(*) from oai.set where home is null"), 0, 'all of it';
is Database::psql($db->conninfo('oai_reader'), '-c', "select oai.home_of('dom:cz')"), "http://example.org/dom:cz\n", 'with its rights';
is +(schema($next))[0], 0, 'the next version has its schema';

# Newer than the program that serves.
($status, $said) = schema($now);
is $status, 1, 'this version sees one that is not its own';
like $said, qr/090-next\.sql, which this program does not know: the database was upgraded by a newer/, 'and says so';
is +(schema($now, 'install'))[0], 1, 'and installs nothing';
($got, $said_of) = $r->harvest('ListRecords');
$r->judge('the schema is newer', $got, $said_of, meets => {}, unseen => 1);
is $r->stop, 0, 'a restart';
$r->start;
($got, $said_of) = $r->harvest('ListRecords');
$r->judge('the schema is newer from the start', $got, $said_of, meets => {}, unseen => 1);

# All or nothing: a migration that fails in its middle leaves the version before.
$db->run("delete from oai.schema_version where file = '090-next.sql'");
($status, $said) = schema($next, 'install');
isnt $status, 0, 'a migration that fails';
like $said, qr/090-next\.sql: .*already exists/, 'says file and why';
is $db->value("select count(*) from oai.schema_version where file = '090-next.sql'"), 0, 'and is not applied';
is $r->stop, 0, 'the server stops in order';
done_testing;
