#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Full disks while a harvest is in progress: first that with the web server's temporary files and the server's log; then that of
# the harvest; then PostgreSQL's, so that the publisher and writers fail, or PostgreSQL as a whole stops, until there is space
# again. The disks are small tmpfs mounts, which need root.
use TestProgram;
use HarvestedRepository;

my $probe = tempdir('oai-disk-XXXXXX', TMPDIR => 1, CLEANUP => 1);
plan skip_all => 'no tmpfs can be mounted here: root is needed' if system("mount -t tmpfs -o size=1m none $probe 2>/dev/null") != 0;
system('umount', $probe);

sub fill_up { my ($file) = @_; system("dd if=/dev/zero of=$file bs=64k 2>/dev/null; dd if=/dev/zero of=$file.rest bs=1k 2>/dev/null"); return }
sub free { my ($path) = @_; my ($k) = `df -k --output=avail $path` =~ /(\d+)\s*\z/; return $k }

my $r = HarvestedRepository->new(cluster => 1, documents => 300, disks => {pg => '180m', web => '3m', harvest => '100k'}, ini => {lists => {records => 25}});
my ($dir, $db) = @$r{qw(dir db)};
$r->{log} = "$dir/web/server.log";
$r->start;
$r->url;
$r->remember;
$r->in_flight('the disk of web server and log is full', sub { fill_up("$dir/web/filler"); return }, meets => {}, may_pass_unseen => 1);
is free("$dir/web"), 0, 'no space is left on it';
like $r->ask('verb=ListRecords&metadataPrefix=oai_dc')->{body}, qr{</OAI-PMH>\s*\z}, 'a server that cannot write its log still answers';
unlink "$dir/web/filler", "$dir/web/filler.rest";

my @harvest = ("$r->{bin}/oai", 'harvest', $r->url, '--output', "$dir/harvest/all.xml");
like join(' ', run_apart(@harvest)), qr{^1 .*harvest/all\.xml\.part: No space left on device}s, 'a harvest ends where its disk is full';
is system('mount', '-o', 'remount,size=10m', "$dir/harvest"), 0, 'it gets space';
like join(' ', run_apart(@harvest)), qr/^0 .*complete: 300 records \((?!0 )\d+ in this run\)/, 'and the harvest goes on where it was';
is scalar(() = slurp("$dir/harvest/all.xml") =~ /<identifier>/g), 300, 'each record is there once';

# PostgreSQL either reports disk_full (53100) or, when it cannot write its write-ahead log, stops with a PANIC.
my $failed;
$r->in_flight("PostgreSQL's disk is full", sub {
    fill_up("$dir/pg/filler");
    $failed = !eval { $db->run("insert into webarchiv.doc (archived_time, url, surt) select now(), repeat('x', 1000), 'x' || n from generate_series(1, 60000) n"); 1 };
    return later(sub {
        pace(1);
        unlink "$dir/pg/filler", "$dir/pg/filler.rest";
        wait_until(sub { eval { $db->value('select 1') } || $r->pg_ctl('start') });
    });
}, may_pass_unseen => 1);
ok $failed, 'the insert failed while the disk was full';
is $db->value('select count(*) from webarchiv.doc'), 300, 'and left no rows behind';
$db->run("insert into webarchiv.doc (id, archived_time, url, surt) values (1000, now(), 'http://x/', 'x)/')");
$db->publish;
$r->{documents}++;
$r->remember;
ok wait_until(sub { ($r->harvest('ListIdentifiers'))[0]{'oai:example.org:1000'} }), 'a document inserted afterwards is published';
$r->in_flight('space is available again', sub { }, meets => {}, may_pass_unseen => 1);
is $r->stop, 0, 'the server stops cleanly';
done_testing;
