#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `oai schema install` killed by SIGKILL in each of its steps goes on when it is run again; and a database that it cannot bring
# further, of another model, of a later version, half restored or without rights, is told what to do, in a sentence.
use TestProgram;

my ($now, $next) = ("$build/release/oai", "$build/release/fault/oai-next");
my $dir = tempdir('oai-install-XXXXXX', TMPDIR => 1, CLEANUP => 1);
sub schema { my ($program, $db, @words) = @_; my $said = `$program schema @words --connection '@{[ref $db ? $db->conninfo : $db]}' 2>&1`; return ($? >> 8, $said) }
sub dump_of { my ($db, @how) = @_; return join '', grep { !/^\\(un)?restrict / } split /^/, `pg_dump @how -d '@{[$db->conninfo]}'` }

# Runs an installation until it waits for what another session holds, kills it, and waits for its server process to end.
sub kill_while_held {
    my ($db, $program, $hold, $wait, @words) = @_;
    my $other = $db->session;
    $other->send('begin');
    $other->send($hold);
    spew("$dir/out", '');
    my $pid = start_program([$program, 'schema', 'install', @words, '--connection', $db->conninfo], out => "$dir/out");
    my $mine = q{from pg_stat_activity where application_name = 'oai schema' and datname = current_database()};
    ok wait_until(sub { slurp("$dir/out") =~ $wait && $db->value("select count(*) $mine") }), "it waits: $hold" or diag slurp("$dir/out");
    kill 'KILL', $pid;
    waitpid $pid, 0;
    $other->send('rollback');
    $other->finish;
    ok wait_until(sub { !$db->value("select count(*) $mine") }), 'and is gone';
    return slurp("$dir/out");
}
my $waits = qr/waits for locks of other sessions/;

my $db = Database->new(schema => 0);
kill_while_held($db, $now, q{select pg_advisory_lock(hashtext('oai.schema_version'))}, qr/waits for another oai schema install/, '--model', 'webarchiv');
kill_while_held($db, $now, 'lock table pg_catalog.pg_trigger in share mode', $waits, '--model', 'webarchiv');
is $db->value("select to_regnamespace('oai') is null and to_regnamespace('webarchiv') is null"), 't', 'a new installation that was killed leaves nothing';
is +(schema($now, $db, 'install --model webarchiv'))[0], 0, 'and is made by running it again';

kill_while_held($db, $next, 'lock table oai.set in access share mode', $waits);
is $db->value("select count(*) from oai.schema_version where file like 'upgrade/%'"), 0, 'killed in the first upgrade: none is applied';
kill_while_held($db, $next, 'lock table webarchiv.doc in access share mode', $waits);
is $db->value("select string_agg(file, ' ') from oai.schema_version where file like 'upgrade/%'"), 'upgrade/0001-core-home.sql', 'killed in the second: the first is';
kill_while_held($db, $next, 'lock table oai.set in row exclusive mode', $waits);
is $db->value("select count(*) from oai.schema_version where file like 'upgrade/%'"), 2, 'killed in the definitions: both are';
is $db->value("select to_regproc('oai.home_of') is null"), 't', 'and no definition';
my ($status, $said) = schema($next, $db);
is $status, 1, 'which status says';
like $said, qr/^definitions\tto be applied$/m, 'in words';
is +(schema($next, $db, 'install'))[0], 0, 'run again, it goes on';
my $fresh = Database->new(schema => 0);
schema($next, $fresh, 'install --model webarchiv');
is dump_of($db, '-s'), dump_of($fresh, '-s'), 'and the schema is that of a new database';

# What it cannot bring further.
sub refuses {
    my ($what, $database, $words, @how) = @_;
    my $before = ref $database ? dump_of($database) : '';
    my ($code, $text) = schema($now, $database, 'install', @how);
    is $code, 1, "$what: refused";
    like $text, $words, '  with words';
    is scalar(() = $text =~ /\n/g), 1, '  in one line' or diag $text;
    ok $before eq dump_of($database), '  and nothing is changed' if ref $database;
    return;
}
refuses('a later version', $db, qr/^oai: schema: the database has \S+ of oai-fcgi 999\.1, this program is oai-fcgi \S+: the database was upgraded by a later version; install that version here \[OAI-1599\]$/);
my $here = Database->new(schema => 0);
schema($now, $here, 'install --model library');
refuses('another model', $here, qr/has the model library, not webarchiv: a database has one model; use another database \[OAI-1599\]$/, '--model webarchiv');
my $test_version = Database->new(schema => 0);
$test_version->run('create schema oai', 'create table oai.schema_version (file text primary key, checksum text not null, applied_at timestamptz not null)',
    "insert into oai.schema_version values ('001-contract.sql', 'x', now())");
refuses('a test version', $test_version, qr/was made by a test version before the first release, which cannot be upgraded: make a new database/, '--model library');
my $half = Database->new(schema => 0);
spew("$dir/dump.sql", dump_of($here, '-s'));
Database::psql($half->conninfo, '-f', "$dir/dump.sql");
refuses('a dump without its data', $half, qr/but oai\.schema_version does not say what made them: a restore broke off.*; restore a whole dump into an empty database \[OAI-1599\]$/);
spew("$dir/dump.sql", dump_of($here, '--section=pre-data', '--section=data'));
my $without = Database->new(schema => 0);
Database::psql($without->conninfo, '-f', "$dir/dump.sql");
refuses('a dump without its indexes', $without, qr/^oai: schema: the database lacks .*: a restore broke off/);
for (['a table is gone', 'drop table harvest.format cascade', qr/the database lacks harvest\.format: a restore broke off/],
     ['the horizon is gone', 'delete from oai.horizon', qr/oai\.horizon has no row: its data was not restored/]) {
    my ($what, $sql, $words) = @$_;
    my $broken = Database->new(schema => 0);
    schema($now, $broken, 'install --model library');
    $broken->run($sql);
    refuses($what, $broken, $words);
}
$here->run("create role stranger$$ login");
refuses('without rights', $here->conninfo("stranger$$"), qr/^oai: schema: role stranger$$ may not change schema \w+, which belongs to role postgres; run this as that role or as a superuser \[OAI-1513\]$/);
my $empty = Database->new(schema => 0);
refuses('without rights in an empty database', $empty->conninfo("stranger$$"), qr/^oai: schema: role stranger$$ may not create schemas in database \w+, which belongs to role postgres/, '--model library');

# Definitions that are gone come back, as do those of a whole dump that is restored.
$here->run('drop function oai.publish', 'drop view oai.found_item cascade');
($status, $said) = schema($now, $here);
like $said, qr{^core/publish\.sql\tdiffers\nlibrary/search\.sql\tdiffers$}m, 'what is gone is told';
is +(schema($now, $here, 'install'))[0], 0, 'and made anew';
is +(schema($now, $here))[0], 0, 'so that all is there';
my $restored = Database->new(schema => 0);
spew("$dir/dump.sql", dump_of($here));
Database::psql($restored->conninfo, '-f', "$dir/dump.sql");
($status, $said) = schema($now, $restored);
is $status, 0, 'a whole dump is complete' or diag $said;
$here->run("drop role stranger$$");

# As the manual lets: by a role that is no superuser, owns the database and may create roles.
for my $model (qw(webarchiv library)) {
    my $own = Database->new(schema => 0);
    $own->run("create role owner$$ login createrole; grant oai_rule, oai_source to owner$$", 'alter database ' . $own->value('select current_database()') . " owner to owner$$");
    ($status, $said) = schema($now, $own->conninfo("owner$$"), "install --model $model");
    is $status, 0, "$model: a role that owns the database can install it" or diag $said;
    is join('', grep { /WARNING/ && !/unaccent/ } split /^/, $said), '', '  without a warning of ours';
    $own->run('alter database ' . $own->value('select current_database()') . ' owner to postgres', "reassign owned by owner$$ to postgres", "drop owned by owner$$", "drop role owner$$");
}
done_testing;
