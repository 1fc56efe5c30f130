#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The publisher's queue is full of what it cannot publish, or of much that it can: fresh changes are published all the same,
# before others in a bounded number, responseDate gets past the second of the change (I3), and who holds a lock is named.
# Environment: OAI_CROWD, how many items are locked, how many changes are not committed, and how many one transaction changes
# (30000; 500000 takes some minutes).
use TestProgram;
use Time::HiRes qw(time);

my $crowd = $ENV{OAI_CROWD} // 30_000;
my $slice = 5000;
my $db    = Database->new;
my $r     = Repository->new(db => $db, ini => {publisher => {slice_records => $slice}});
my $log   = "$r->{dir}/publisher.log";
my $publisher;
END { if ($publisher) { local $?; stop_program($publisher, 'TERM') } }
sub start_publisher { $publisher = start_program([$r->{bin} . '/oai', '--config', $r->{ini}, 'publish'], log => $log); return }
sub stop_publisher { is stop_program($publisher, 'TERM'), 0, 'the publisher stops'; undef $publisher; return }

# The collections, and docs above $crowd that nobody else changes, each in the collection `fresh` or in `held`.
$db->run("insert into webarchiv.domain (name) values ('cz:a'), ('cz:b')", "insert into webarchiv.mimetype (name) values ('text:html'), ('image:gif')",
    "insert into webarchiv.collection (name) values ('fresh'), ('held'), ('many')",
    "insert into webarchiv.doc (id, archived_time, id_domain, id_mimetype, url, surt)
     select i, '2007-01-01', (select min(id) + i % 2 from webarchiv.domain where name like 'cz:_'), (select min(id) from webarchiv.mimetype where name = 'text:html'),
            'http://a/' || i, 'cz,a)/' || i from generate_series(1, $crowd + 1000) i",
    "insert into webarchiv.doc_collection select i, c.id from webarchiv.collection c, generate_series($crowd + 1, $crowd + 1000) i
     where c.name = case i % 2 when 0 then 'fresh' else 'held' end",
    'analyze webarchiv.doc');
is((run_program($r->{bin} . '/oai', '--config', $r->{ini}, 'publish', '--once'))[0], 0, 'everything is published first');
$db->run('vacuum analyze webarchiv.doc', 'analyze oai.queue');

# A session that looks at the publisher, and one that writes.
my ($watch, $write) = map { $db->session } 1, 2;
my $next = $crowd;
# Changes a few docs of the collection `fresh` in a transaction of their own, and waits until they are published and the horizon
# is past the second of their commit. Returns how many other items were numbered between that commit and the last of them.
sub fresh_change {
    my @ids = map { $next += 2 } 1 .. 3;
    $next = $crowd if $next > $crowd + 900;
    my ($seq) = $watch->send('select last_seq from oai.horizon');
    my $begin = time;
    $write->send("update webarchiv.doc set status = coalesce(status, 0) + 1 where id in (@{[join ', ', @ids]})");
    my ($committed) = $watch->send("select last_seq || '|' || clock_timestamp() from oai.horizon");
    my ($before, $second) = split /\|/, $committed;
    my $last;
    wait_until(sub {
        my ($row) = $watch->send("select min(i.seq) > $seq and (select h >= '$second' from oai.horizon), max(i.seq) from oai.item i where i.id in (@{[join ', ', @ids]})");
        ($row, $last) = split /\|/, $row;
        $row eq 't';
    }) or return;
    note sprintf 'published, and the horizon past it, after %.2f s', time - $begin;
    return $last - $before - @ids;
}
sub fresh_changes_are_published {
    my ($when, $times) = @_;
    my @others;
    for (1 .. $times) {
        push @others, fresh_change() // last;
        pace(rand 0.5);
    }
    is scalar @others, $times, "$when: fresh changes are published, and responseDate gets past their second";
    my ($most) = sort { $b <=> $a } @others;
    cmp_ok $most, '<=', 2 * $slice, "$when: before them at most the slice that was being published and the next";
    return;
}
sub queue_length { return $db->value('select count(*) from oai.queue') }
sub is_empty { my ($when) = @_; return ok wait_until(sub { queue_length() == 0 }), "the queue is empty $when" }
sub is_sound {
    my ($when) = @_;
    my @problems = map { $db->rows("select * from oai.check_$_() limit 5") } 'chunks', 'calendar', 'items';
    return is(scalar @problems, 0, "all is consistent $when") || diag explain \@problems;
}

note "$crowd locked and $crowd uncommitted";
my $holder = $db->session;
$db->run("update webarchiv.doc set status = 1 where id <= $crowd");
$holder->send("set application_name = 'the holder'");
$holder->send('begin');
$holder->send("update webarchiv.doc set status = 2 where id <= $crowd");
is queue_length(), $crowd, 'the committed changes are queued';
start_publisher();
my $started = $db->value('select clock_timestamp()');
ok wait_until(sub { $db->value("select h >= '$started' from oai.horizon") eq 't' }), 'the publisher is at work';
fresh_changes_are_published('locked and uncommitted', 6);
ok wait_until(sub { slurp($log) =~ /event=publisher_blocked by="pid \d+ postgres the holder"/ }), 'the log names who has the lock' or diag slurp($log);
my $pages = sub { my ($page) = @_; return $r->ask("/oai/-/$page")->{body} // '' };
$r->start;
ok wait_until(sub { $pages->('health') =~ /"blocked_by": "pid \d+ postgres the holder"/ }), 'and so does /-/health' or diag $pages->('health');
like $pages->('health'), qr/"publisher": \{[^}]*"ok": true/, 'which is well all the same';
like $pages->('metrics'), qr/^oai_publisher_blocked_seconds [1-9]\d*$/m, 'and the metrics say for how long';
my $explained = join "\n", $watch->send('explain (analyze, buffers) select * from oai.queue_state()');
my ($touched) = $explained =~ /Buffers: shared hit=(\d+)/;
cmp_ok $touched, '<=', 3000, "the length of the queue costs $touched buffers";
my ($queued) = $pages->('metrics') =~ /^oai_publisher_queue (\d+)$/m;
cmp_ok $queued, '>=', $crowd, "the length of the queue is told as $queued";
$holder->send('commit');
fresh_changes_are_published("$crowd locked changes are free", 4);
is_empty('when the lock has gone');
is $db->value("select count(*) from oai.item i join webarchiv.doc d using (id) where d.id <= $crowd and d.status = 2 and i.seq <= $crowd + 1000"), 0, 'every locked item is published again';
ok wait_until(sub { $pages->('metrics') =~ /^oai_publisher_blocked_seconds 0$/m }), 'nothing is blocked any more';
is_sound('after the locks');

note "a transaction of $crowd";
my $begin = time;
$db->run("insert into webarchiv.doc_collection select i, c.id from webarchiv.collection c, generate_series(1, $crowd) i where c.name = 'many'");
note sprintf 'filing them took %.1f s', time - $begin;
my @before = (time, $db->value('select pg_current_wal_lsn()'));
fresh_changes_are_published("beside a transaction of $crowd", 4);
my $left = queue_length();
cmp_ok $left, '>', 0, "fresh changes are published while $left of the others wait" if $crowd > 100_000;
is_empty('in the end');
note sprintf '%d published in %.1f s, with %s bytes of WAL', $crowd, time - $before[0], $db->value("select pg_current_wal_lsn() - '$before[1]'");
is_sound('after that');

note 'a locked set';
$holder->send('begin');
$holder->send("update oai.set set description = 'text' where spec = 'col:held'");
my @ids = ($crowd + 1, $crowd + 2);
$write->send("delete from webarchiv.doc_collection where id_doc in (@{[join ', ', @ids]})");
fresh_changes_are_published('a set is locked', 4);
is $db->value("select count(*) from oai.queue where id = $ids[0]"), 1, 'an item of the locked set waits';
is $db->value("select count(*) from oai.queue where id = $ids[1]"), 0, 'one of another set does not';
ok wait_until(sub { slurp($log) =~ /event=publisher_blocked by="pid \d+ postgres the holder" seconds=\d+ item=\S* set=\d+/ }), 'the log names who has the lock' or diag slurp($log);
$holder->send('rollback');
is_empty('when the set is free');

note 'a locked table';
$holder->send('begin');
$holder->send('lock table oai.set_chunk in share mode');
$write->send("update webarchiv.doc set status = 600 where id = $ids[1]");
my $locked = $db->value('select clock_timestamp()');
ok wait_until(sub { $db->value("select h >= timestamptz '$locked' + interval '2 s' from oai.horizon") eq 't' }), 'responseDate follows the clock';
ok wait_until(sub { slurp($log) =~ /event=publisher_blocked by="pid \d+ postgres the holder" seconds=\d+ item="" set=""/ }), 'the log names who has the lock' or diag slurp($log);
$holder->send('rollback');
is_empty('when the table is free');

note 'rolled back, and committed late';
$holder->send('begin');
$holder->send("update webarchiv.doc set status = 700 where id = $ids[0]");
$write->send("begin; update webarchiv.doc set status = 700 where id = $ids[1]; rollback");
fresh_changes_are_published('a transaction is open', 2);
$holder->send('commit');
is_empty('when it has committed');
is $db->value('select cardinality(awaited) from oai.walk') <= 1 ? 1 : 0, 1, 'no transaction is awaited for ever' or diag $db->value('select awaited from oai.walk');
ok wait_until(sub { $db->value('select count(*) from oai.batch') == 0 }), 'and no batch is left';
is_sound('in the end');
unlike slurp($log), qr/level=error/, 'the publisher has met no error' or diag slurp($log);

note 'the row of the horizon is locked';
$holder->send('begin');
$holder->send('select from oai.horizon for update');
ok wait_until(sub { slurp($log) =~ /event=publisher_blocked by="pid \d+ postgres the holder" meaning="it has locked a table of the publisher's, or the row of oai\.horizon/ }), 'the log names who has it' or diag slurp($log);
$holder->send('rollback');
isnt fresh_change(), undef, 'publishing goes on when it is free';
stop_publisher();
is $r->stop, 0, 'the server stops';
done_testing;
