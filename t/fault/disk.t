#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Full disks, with a harvest in flight: that of the web server's temporary files and of the server's log, which is full from
# the start; and PostgreSQL's, where the publisher and writers fail, or all of PostgreSQL, until there is room again. Disks are
# small tmpfs, so root alone can try it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp qw(tempdir);
use Served;
use Test::More;

my $probe = tempdir('oai-disk-XXXXXX', TMPDIR => 1, CLEANUP => 1);
plan skip_all => 'no tmpfs can be mounted here: this is for root' if system("mount -t tmpfs -o size=1m none $probe 2>/dev/null") != 0;
system('umount', $probe);

sub fill_up { my ($file) = @_; system("dd if=/dev/zero of=$file bs=64k 2>/dev/null; dd if=/dev/zero of=$file.rest bs=1k 2>/dev/null"); return }
sub free { my ($path) = @_; my ($k) = `df -k --output=avail $path` =~ /(\d+)\s*\z/; return $k }

my $r = Served->new(cluster => 1, documents => 300, disks => {pg => '180m', web => '3m'}, ini => {lists => {records => 25}});
my ($dir, $db) = @$r{qw(dir db)};
$r->{log} = "$dir/web/server.log";
$r->start;
$r->url;
$r->remember;
$r->in_flight('the disk of web server and log is full', sub { fill_up("$dir/web/filler"); return }, meets => {}, unseen => 1);
is free("$dir/web"), 0, 'it is';
like $r->ask('verb=ListRecords&metadataPrefix=oai_dc')->{body}, qr{</OAI-PMH>\s*\z}, 'who cannot log answers all the same';
unlink "$dir/web/filler", "$dir/web/filler.rest";

# PostgreSQL: in 53100, or with its log of changes full in a PANIC, as it likes.
my $failed;
$r->in_flight("PostgreSQL's disk is full", sub {
    fill_up("$dir/pg/filler");
    $failed = !eval { $db->run("insert into webarchiv.doc (archived_time, url, surt) select now(), repeat('x', 1000), 'x' || n from generate_series(1, 60000) n"); 1 };
    return Served::later(1, sub {
        unlink "$dir/pg/filler", "$dir/pg/filler.rest";
        for (1 .. 20) { last if eval { $db->value('select 1') } || $r->pg_ctl('start'); Served::pause(0.5) }
    });
}, unseen => 1);
ok $failed, 'writing failed meanwhile';
is $db->value('select count(*) from webarchiv.doc'), 300, 'and left nothing';
$db->run("insert into webarchiv.doc (id, archived_time, url, surt) values (1000, now(), 'http://x/', 'x)/')");
$db->publish;
$r->{documents}++;
$r->remember;
ok Served::within(5, sub { ($r->harvest('ListIdentifiers'))[0]{'oai:example.org:1000'} }), 'what is written then is published';
$r->in_flight('room again', sub { }, meets => {}, unseen => 1);
is $r->stop, 0, 'the server stops in order';
done_testing;
