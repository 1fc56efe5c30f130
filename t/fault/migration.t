#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Upgrades this version's schema to that of a simulated next version (t/data/schema) while the server of this version runs:
# `oai schema install` of the next version's program, with a harvest in progress and a session that holds a lock for seconds.
# No request may fail or wait for long, and the server must keep working with the newer schema, also after a restart.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(abs_path);
use Digest::SHA qw(sha256_hex);
use Files;
use HarvestedRepository;
use Process;
use Test::More;
use Time::HiRes qw(time);

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");
my ($now, $next) = ("$build/release/oai", "$build/release/fault/oai-next");
my $r = HarvestedRepository->new(documents => 300, install => 1);
my $db = $r->{db};
sub schema { my ($program, @words) = @_; my $said = `$program schema @words --connection '@{[$db->conninfo]}' 2>&1`; return ($? >> 8, $said) }

$r->start;
$r->remember;
is +(schema($now))[0], 0, 'this version reports its schema as complete';
my ($status, $said) = schema($next);
is $status, 1, 'the next version reports that its schema is incomplete';
like $said, qr/^090-next\.sql\tmissing/m, 'and names the missing file';

# A long transaction, such as a backup. While the migration waits for its lock, every session that asks for a conflicting lock
# later has to wait too.
my $reader = $db->session;
$reader->send('begin');
$reader->send('select count(*) from oai.set, oai.record');
my ($began, $child) = (time);
my ($got, $said_of) = $r->harvest('ListRecords', each_page => sub {
    $child = later(0, sub { my ($code, $text) = schema($next, 'install'); spew("$r->{dir}/upgrade", "$code\n$text") }) if $_[0] == 2;
    pause(0.25);   # 15 pages last longer than the upgrade
    $reader->send('commit') if $_[0] == 9;
});
waitpid $child, 0;
$r->check_harvest('harvest during the upgrade', $got, $said_of, meets => {}, may_pass_unseen => 1);
like slurp("$r->{dir}/upgrade"), qr/^0\n.*waits for locks of other sessions.*^090-next\.sql\tapplied$/ms, 'the upgrade waited for the lock and was applied';
cmp_ok((sort { $a <=> $b } $r->log_text =~ /event=request .* ms=(\d+)/g)[-1], '<', 2500, 'no request waited for long');
is $db->value("select count(*) from oai.set where home is null"), 0, 'every set has the column of the next version filled in';
is Database::psql($db->conninfo('oai_reader'), '-c', "select oai.home_of('dom:cz')"), "http://example.org/dom:cz\n", 'and the reader may call the new function';
is +(schema($next))[0], 0, 'the next version reports its schema as complete';

# The schema is newer than the program that serves it.
($status, $said) = schema($now);
is $status, 1, 'this version reports a schema that is not its own';
like $said, qr/090-next\.sql, which this program does not know: the database was upgraded by a newer/, 'and says that it is newer';
is +(schema($now, 'install'))[0], 1, 'and refuses to install';
($got, $said_of) = $r->harvest('ListRecords');
$r->check_harvest('the schema is newer', $got, $said_of, meets => {}, may_pass_unseen => 1);
is $r->stop, 0, 'the server stops cleanly for a restart';
$r->start;
($got, $said_of) = $r->harvest('ListRecords');
$r->check_harvest('the schema is newer from the start', $got, $said_of, meets => {}, may_pass_unseen => 1);

# A migration is applied as a whole or not at all: one that fails leaves the previous version in place.
$db->run("delete from oai.schema_version where file = '090-next.sql'");
($status, $said) = schema($next, 'install');
isnt $status, 0, 'a failing migration exits with an error';
like $said, qr/090-next\.sql: .*already exists/, 'and names the file and the reason';
is $db->value("select count(*) from oai.schema_version where file = '090-next.sql'"), 0, 'and is not recorded as applied';
is $r->stop, 0, 'the server stops cleanly';

# A repository installed before some files existed.
sub install_without {
    my ($digit, $later) = @_;
    my $old = Database->new(schema => 0);
    my @files = grep { !m{/$later-} } glob "$root/schema/[0$digit]*.sql";
    my $account = join ', ', map { my ($file) = m{([^/]+)$}; "('$file', '" . sha256_hex(slurp($_)) . "', now())" } @files;
    Database::psql($old->conninfo, '-1', map { ('-f', $_) } @files);
    $old->run('create table oai.schema_version (file text primary key, checksum text not null, applied_at timestamptz not null)',
        "insert into oai.schema_version values $account");
    return $old;
}
# Before 007-triggers.sql, when each model had its own triggers.
sub install_before_tracking { return install_without($_[0], qr{(?:00[7-9]|0[1-8].|10[4-9]|11.|20[6-9]|21.)}) }
sub triggers {
    return join "\n", map { $_->[0] } $_[0]->rows('select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal order by 1');
}
for (['webarchiv', 1, "insert into webarchiv.doc (archived_time, url, surt) values (now(), 'http://a/', 'a)/')", 'webarchiv.doc', 'webarchiv.doc_collection', 'webarchiv.collection'],
     ['library', 2, "insert into library.item (local_id, title) values ('a', '{t}')", 'library.item', 'library.item_collection', 'library.collection']) {
    my ($model, $digit, $insert, $items, $filing, $names) = @$_;
    my $old = install_before_tracking($digit);
    $old->run("insert into $names (name) values ('x')", $insert, "insert into $filing select i.id, n.id from $items i, $names n");
    is $old->publish, 1, "$model: the old schema publishes a record";
    my $had = $old->value('select count(*) from oai.schema_version');
    $old->run("update $items set deleted = true");   # is still queued during the upgrade
    my ($code, $text) = do { my $all = `$now schema install --connection '@{[$old->conninfo]}' 2>&1`; ($? >> 8, $all) };
    is $code, 0, 'the old schema is upgraded to this version' or diag $text;
    is $text =~ s/^\S+\tapplied\n|^NOTICE: .* already exists, skipping\n//gmr, (@{[glob "$root/schema/[0$digit]*.sql"]} - $had) . " files applied, model $model\n", 'and nothing else is printed';
    is triggers($old), triggers(Database->new(model => $model)), 'it has the same triggers as a new installation';
    is $old->publish, 1, 'a change from before the upgrade is published';
    $old->run("update $items set deleted = false");
    is $old->publish, 1, 'and so is one that is made after it';
    $old->run("delete from $filing");
    is $old->publish, 1, 'removing a record from its collection is published';
    $old->run("delete from $items");
    is $old->publish, 1, 'deleting a record is published';
    is $old->value("select count(*) from oai.item where deleted"), 1, 'a deleted record remains';
}

# An upgrade in the midst of the first numbering: records keep the datestamps that they came with.
my $begun = install_before_tracking(1);
$begun->run("insert into webarchiv.doc (id, archived_time, url, surt, datestamp) select i, '2007-01-01', 'http://a/' || i, 'a)/' || i,
    timestamptz '2010-01-01 00:00:00Z' + i * interval '1 day' from generate_series(1, 1000) i");
is $begun->publish(100), 100, 'the first numbering begins';
system("$now schema install --connection '@{[$begun->conninfo]}' >/dev/null 2>&1") == 0 or fail('upgrade');
$begun->run("insert into webarchiv.doc (id, archived_time, url, surt) values (1001, '2007-01-01', 'http://a/1001', 'a)/1001')");
1 while $begun->publish(100);
is $begun->value("select count(*) from oai.item where id <= 1000 and datestamp = timestamptz '2010-01-01 00:00:00Z' + id * interval '1 day'"), 1000,
    'the records of a first numbering that was going on keep their datestamps';
is $begun->value('select count(*) from oai.queue') + $begun->value('select count(*) from oai.check_items()'), 0, 'and everything is published';

# A repository that has a row for each doc in a collection (108-webarchiv-filing.sql), with changes that are not published yet.
my $rows = install_without(1, qr{(?:10[89]|11.)});
$rows->run("insert into webarchiv.collection (name) values ('x'), ('y')",
    "insert into webarchiv.doc (id, archived_time, url, surt) select i, '2007-01-01', 'http://a/' || i, 'a)/' || i from generate_series(1, 8) i",
    "insert into webarchiv.doc_collection select i, id from webarchiv.collection, generate_series(1, 6) i where name = 'x'");
is $rows->publish, 8, 'docs in collections are published';
$rows->run("insert into webarchiv.doc_collection select i, id from webarchiv.collection, generate_series(1, 2) i where name = 'y'",
    "delete from webarchiv.doc_collection where id_doc = 3", "update webarchiv.doc set status = 404 where id = 4", "delete from webarchiv.doc where id = 5",
    "insert into webarchiv.doc (id, archived_time, url, surt) values (9, '2007-01-01', 'http://a/9', 'a)/9')",
    "insert into webarchiv.doc_collection select 9, id from webarchiv.collection where name = 'y'");
my $filed = "select string_agg(id_doc || ' ' || c.name, ', ' order by id_doc, c.name) from webarchiv.doc_collection join webarchiv.collection c on c.id = id_collection";
my $before = $rows->value($filed);
system("$now schema install --connection '@{[$rows->conninfo]}' >/dev/null 2>&1") == 0 or fail('upgrade');
is $rows->value($filed), $before, 'after the upgrade each doc is in the collections that it was in';
is $rows->value('select string_agg(concat_ws(chr(32), id_doc, filed), chr(44) order by id_doc, filed) from webarchiv.refiling'), '1 t,2 t,3 f,9 t', 'only what is not published is kept by row';
is $rows->publish, 6, 'what was changed before is published';
is $rows->value("select count(*) from webarchiv.refiling") + $rows->value('select count(*) from oai.check_items()') + $rows->value('select count(*) from oai.check_chunks()'), 0, 'and nothing is left';
is $rows->value($filed), $before, 'and nothing else has changed';
is $rows->value("select string_agg(spec || ' ' || item_count, ', ' order by spec) from oai.set where spec like 'col:%'"), 'col:x 5, col:y 3', 'a deleted record stays in its sets';
done_testing;
