# SPDX-License-Identifier: MIT
# What the tests of `oai load` have in common.
#   my ($status, $said) = load($ini, @words);    `oai load` with this configuration; $queued is SQL that counts what waits for the publisher
#   is_sound($db, 'loaded');           a test: chunks, counters, datestamps and items are as they should be
#   my $tables = tables($db);          rights, triggers and indexes of all tables, but for those that a fill reads files into
#   my %phases = load_on_small_disk($db, $directory, load => sub { ...; return ($status, $said) }, check => sub { ... });
#       moves the database to a disk that is full at first, and gets a little larger each time; tests that a load succeeds in the
#       end, and calls `check` after each that does not, with the name of its last statement. Returns how often each name came.
#       Nothing if no disk can be made here.
#   beside_lock($db, $statement, sub { pid of a loader }, $log);   a test: the loader beside a session that has run the statement
#       and commits once the loader waits for it, as it does for an insert, or has ended
#   my $last = loads_at_once($db, $table, sub { load($ini, ..., 7000 records) }, "and spec ...", $sets, sub { ... });   tests: they are
#       published in three slices, in these sets; then what the function tests; the rest by the publisher, and nothing by a second
#       load; returns the last number
#   all_end($db, $publisher, @loaders);     tests: loaders end, what is queued is published, and the publisher ends
#   ids_of_others($db, sub { ($status, $said) of a load }, $name);  a test: it is refused by the statement of that name, with the SQL
#       that helps, which is then run
# Of the model library:
#   library_items($path, [$numbers], title => 'Title');   a file of CSV: every third item has a DOI and two languages, every seventh
#       a collection of its own beside that of all, every tenth no kind
#   library_dump($path, $prefix, $from, $to);   an answer to ListRecords, every tenth record of which is deleted
#   library_content($db), requirements($db)     what is the same however items were loaded
package LoadChecks;
use strict;
use warnings;
use Exporter qw(import);
use Files;
use Process;
use Server;
use Test::More;
our @EXPORT = qw(load $queued loads_at_once all_end is_sound tables load_on_small_disk beside_lock ids_of_others library_items library_dump library_content requirements);

our $queued = 'select count(*) from oai.queue';
sub load { my ($ini, @words) = @_; return run_program("$Server::build/release/oai", '--config', $ini, 'load', @words) }

sub loads_at_once {
    my ($db, $table, $load, $but, $sets, $then) = @_;
    my ($status, $said) = $load->();
    is $status, 0, 'a file is loaded' or diag $said;
    like $said, qr/7000 records \(7000 inserted/, 'all of it';
    is $db->value("select count(*) from $table where seq is not null"), 6001, 'three slices are published; what is left is small, and the publisher\'s';
    is $db->value($queued), 1000, 'which has nothing else to do';
    is $db->value("select count(distinct datestamp) from $table where datestamp is not null"), 4, 'each slice has a second of its own';
    is $db->value("select string_agg(spec || '=' || item_count, ' ' order by spec) from oai.set where item_count > 0 $but"), $sets, 'sets are counted';
    my @old = $db->rows('select set_ids, sets_now from oai.membership where seq is not null and set_ids <> sets_now');
    is scalar @old, 0, 'sets are in the order that the publisher gives them';
    $then->() if $then;
    is_sound($db, 'loaded');
    1 while $db->publish(10_000);
    is_sound($db, 'all published');
    is $db->value("select count(*) from $table where seq is not null"), 7001, 'the publisher publishes the rest';
    my $last = $db->value('select last_seq from oai.horizon');
    ($status, $said) = $load->();
    like $said, qr/0 inserted, 0 updated, 7000 unchanged/, 'loading it again changes nothing';
    is $db->value('select last_seq from oai.horizon'), $last, 'nothing was published';
    return $last;
}

sub all_end {
    my ($db, $publisher, @loaders) = @_;
    is status_of($_), 0, 'a loader ends' for @loaders;
    ok wait_until(sub { $db->value($queued) == 0 }), 'the queue is empty';
    is stop_program($publisher, 'TERM'), 0, 'the publisher ends';
    return;
}

sub is_sound {
    my ($db, $what) = @_;
    my @problems = map { @{ [$db->rows("select * from oai.$_()")] } } qw(check_chunks check_calendar check_items check_sets);
    is scalar @problems, 0, "$what: chunks, counters, datestamps and items are as they should be" or diag explain $problems[0];
    return;
}

sub tables {
    my ($db) = @_;
    my $of = "(select oid from pg_class where relnamespace in ('oai'::regnamespace, '$db->{model}'::regnamespace) and relkind in ('r', 'v') and relname !~ '^fill_(block|file)\$')";
    return join "\n", map { $_->[0] }
        $db->rows("select concat_ws(' ', oid::regclass, relacl) from pg_class where oid in $of order by 1"),
        $db->rows("select attrelid::regclass || '.' || attname || ' ' || attacl::text from pg_attribute where attacl is not null and attrelid in $of order by 1"),
        $db->rows("select concat_ws(' ', tgrelid::regclass, tgname, tgenabled) from pg_trigger where not tgisinternal and tgrelid in $of order by 1"),
        $db->rows("select concat_ws(' ', pg_get_indexdef(indexrelid), indisprimary, indisunique) from pg_index where indrelid in $of order by 1");
}

sub beside_lock {
    my ($db, $statement, $load, $log) = @_;
    my $session = $db->session;
    $session->send('begin');
    $session->send($statement);
    my $loader = $load->();
    my $waits = $statement =~ /^insert/;
    if ($waits) { ok wait_until(sub { $db->value("select count(*) from pg_stat_activity where datname = current_database() and usename = 'oai_loader' and wait_event_type = 'Lock'") }), 'it waits for who inserts the same' }
    else { is status_of($loader), 0, 'a locked set does not stop it' or diag slurp($log) }
    ok wait_until(sub { eval { $db->value('select count(*) from (select from oai.horizon for update nowait) o') } // 0 }), 'the horizon is not held';
    $session->send('commit');
    is status_of($loader), 0, 'it ends' or diag slurp($log) if $waits;
    $session->finish;
    return;
}

sub ids_of_others {
    my ($db, $load, $name) = @_;
    my ($status, $said) = $load->();
    is $status, 1, 'what would have the ids of others is refused';
    like $said, qr/^oai: $name: .*: let the sequence go on behind them, by select setval\(.*\), and run it again \[OAI-\d+\]$/m, 'with what to do';
    return ($said =~ /by (select setval\(.*\)), and run/)[0];
}

sub library_items {
    my ($path, $numbers, %how) = @_;
    my $title = $how{title} // 'Title';
    return spew($path, join '', "local_id,title,kind,language,doi,collection,identifier\n", map {
        my $third = $_ % 3 == 0;
        "i/$_,$title $_," . ($_ % 2 ? 'book:part' : $_ % 5 ? 'map' : '') . ',' . ($third ? 'cze|de-AT' : 'eng') . ',' . ($third ? "10.1234/$_" : '') . ',' . ($_ % 7 ? 'all' : "all|c:@{[$_ % 5]}") . ",id $_\n"
    } @$numbers);
}

sub library_dump {
    my ($path, $prefix, $from, $to) = @_;
    return spew($path, '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>' . join('', map {
        "<record><header" . ($_ % 10 ? '' : ' status="deleted"') . "><identifier>oai:x.org:$prefix/$_</identifier><datestamp>2001-01-01</datestamp></header>"
            . ($_ % 10 ? qq|<metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Dumped $_</dc:title></oai_dc:dc></metadata>| : '') . '</record>'
    } $from .. $to) . '</ListRecords></OAI-PMH>');
}

sub library_content {
    my ($db) = @_;
    return $db->value("select md5(string_agg(concat_ws('|', local_id, title, kind, k.spec, language, doi, identifier, deleted, seq is not null,
            (select string_agg(s.spec, ' ' order by u.n) from unnest(i.set_ids) with ordinality u(id, n) join oai.set s using (id)),
            (select string_agg(s.spec, ' ' order by u.n) from unnest(i.language_ids) with ordinality u(id, n) join oai.set s using (id)),
            (select string_agg(s.name, ' ' order by s.name) from library.item_collection f join library.collection s on s.id = f.id_collection where f.id_item = i.id)), chr(10)
            order by local_id)) from library.item i left join oai.set k on k.id = i.kind_id")
        . ' ' . $db->value("select string_agg(spec || '=' || item_count || held, ' ' order by spec) from oai.set");
}

sub requirements { return $_[0]->value("select string_agg(concat_ws(' ', name, is_universal, item_count), ', ' order by name) from oai.rule") }

my ($me, $mounted) = ($$);
END { system('umount', '-l', $mounted) if $mounted && $$ == $me }

sub load_on_small_disk {
    my ($db, $directory, %how) = @_;
    my $disk = "$directory/disk";
    chmod 0755, $directory;
    mkdir $disk or die $!;
    my $owner = $> == 0 ? getpwnam('postgres') : $>;
    if (system("mount -t tmpfs -o size=100m,uid=$owner,mode=700 none $disk 2>/dev/null") != 0) {
        pass('skipped: no tmpfs can be mounted here, root is needed');
        return;
    }
    ($me, $mounted) = ($$, $disk);
    my $admin = sub { Database::psql($ENV{OAI_TEST_DB}, map { ('-c', $_) } @_) };
    $admin->("create tablespace $db->{name} location '$disk'", "alter database $db->{name} set tablespace $db->{name}");
    my $room = sub { my ($k) = @_; system('mount', '-o', "remount,size=${k}k", $disk) == 0 or die };
    my $used = sub { (`df -k --output=used $disk` =~ /(\d+)\s*\z/)[0] };
    my $empty = $used->();
    my ($status, $said, %phases) = (1, '');
    for (my $more = 500; $status && $more < 80_000; $more += 700) {
        $room->($used->() + 300 > $empty + $more ? $used->() + 300 : $empty + $more);
        ($status, $said) = $how{load}->();
        $room->(200_000);   # the checks need room, too
        last if !$status;
        my ($phase) = $said =~ /^oai: (\w+): .*(?:No space left|could not)/m or diag $said;
        $phases{ $phase //= 'unknown' }++;
        $how{check}->($phase);
    }
    is $status, 0, 'with enough room it is loaded' or diag $said;
    is_sound($db, 'then');
    note join ', ', map { "$_: $phases{$_}" } sort keys %phases;
    $admin->("drop database $db->{name} with (force)", "drop tablespace $db->{name}");
    return %phases;
}

1;
