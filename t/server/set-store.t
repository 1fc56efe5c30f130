#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The store of sets in chunks (schema/core/publish.sql, read.sql) is compared with one of plain rows (t/lib/plain-store.sql) under random changes.
# Then it is tested with long transactions, stale positions and thousands of emptied chunks.
# Environment: OAI_SEED is the seed of the random changes, to repeat a run. The short form begins at one of three numbers.
use TestProgram;
use ParallelSubtests;
use RandomChanges;

my @hosts       = qw(cz:a:www cz:a:blog cz:b:www sk:c:www ip:192.0.2.1);
my @types       = qw(text:html text:css image:png);
my @collections = qw(war war:letters culture culture:estonia);
my @names = (
    'insert into webarchiv.domain (name) values ' . join(',', map { "('$_')" } @hosts),
    'insert into webarchiv.mimetype (name) values ' . join(',', map { "('$_')" } @types),
    'insert into webarchiv.collection (name) values ' . join(',', map { "('$_')" } @collections),
    "insert into webarchiv.arc (file) values ('one.arc.gz')");
sub id_of { my ($tree, $name) = @_; return "(select id from webarchiv.$tree where name = '$name')" }

my $docs = 0;
sub new_docs {
    my ($n, $host, $type) = @_;
    my $first = $docs + 1;
    $docs += $n;
    return "insert into webarchiv.doc (id, archived_time, id_arc, doc_offset, id_domain, id_mimetype, url, surt)
        select i, '2007-01-01', 1, i, @{[id_of(domain => $host)]}, @{[id_of(mimetype => $type)]}, 'http://a/' || i, 'a)/' || i
        from generate_series($first, $docs) i";
}
# A random range of document ids, often a small one.
sub some { my $first = between(1, $docs); return "between $first and " . ($first + between(0, one_of(0, 20, 400))) }

# A random statement as other programs run them.
sub change {
    my $some = some();
    my $collection = id_of(collection => one_of(@collections));
    return one_of(
        sub { new_docs(between(1, one_of(3, 300)), one_of(@hosts), one_of(@types)) },
        sub { "update webarchiv.doc set status = coalesce(status, 0) + 1 where id $some" },
        sub { "update webarchiv.doc set id_domain = @{[id_of(domain => one_of(@hosts))]} where id $some" },
        sub { "update webarchiv.doc set id_mimetype = null where id $some" },
        sub { "update webarchiv.doc set deleted = true where id $some" },
        sub { "update webarchiv.doc set deleted = false where id $some and deleted" },
        sub { "delete from webarchiv.doc where id $some" },
        sub { "insert into webarchiv.doc_collection select id, $collection from webarchiv.doc where id $some on conflict do nothing" },
        sub { "delete from webarchiv.doc_collection where id_doc $some" },
        # Only one membership of each document is moved, since two could not become the same.
        sub { "update webarchiv.doc_collection c set id_collection = $collection where id_doc $some
               and not exists (select from webarchiv.doc_collection d where d.id_doc = c.id_doc
                               and (d.id_collection = $collection or d.id_collection < c.id_collection))" })->();
}

sub publish { my ($slice, $keep_deleted) = @_; return "select oai.publish($slice, $keep_deleted)" }

# Compares pages of both stores in some windows of every set, and its counter; returns the rows that differ.
sub differences {
    my ($db, $start) = @_;
    my $last = $db->value('select last_seq from oai.horizon');
    my @windows = ("(0, $last, 1000000)");
    for (1 .. 8) {
        my $after = between($start, $last);
        push @windows, "($after, @{[between($after, $last)]}, @{[one_of(1, 7, 100, 1000, 10000)]})";
    }
    return $db->rows('with answer as (
        select s.spec, w.*, array(select oai.set_page(s.id, w.after, w.upto, w.n)) as page,
               array(select plain.set_page(s.id, w.after, w.upto, w.n)) as plain_page,
               s.item_count, (select count(*) from plain.member m where m.set_id = s.id) as plain_item_count
        from oai.set s, (values ' . join(',', @windows) . ') w (after, upto, n))
        select spec, after, upto, n, cardinality(page), cardinality(plain_page), item_count, plain_item_count
        from answer where page <> plain_page or item_count <> plain_item_count limit 5');
}

# The numbers begin after $start.
sub equal_to_plain_rows {
    my ($start) = @_;
    my $db = hurried();
    $docs = 0;
    Database::psql($db->conninfo, '-f', "$root/t/lib/plain-store.sql");
    $db->run("update oai.horizon set last_seq = $start");
    my $keep_deleted = 'true';
    $db->run(@names, map { new_docs(2000, $_, one_of(@types)) } @hosts[0 .. 1]);
    for my $round (1 .. 15) {
        my @changes = map { change() } 1 .. between(1, 12);
        $keep_deleted = one_of('true', 'false') if $round % 10 == 0;
        $db->run(@changes, map { publish(one_of(50, 500, 5000), $keep_deleted) } 1 .. between(1, 3));
        my @different = differences($db, $start) or next;
        fail("round $round");
        diag explain \@different;
        diag join "\n", @changes;
        return;
    }
    pass('pages and counters of all sets are equal in fifteen rounds of random changes');
    cmp_ok($db->value('select last_seq from oai.horizon'), '>', $start + 4000, 'thousands of numbers were given out');
    is($db->value('select count(*) from oai.check_chunks()'), 0, 'the chunks are consistent');
    is($db->value('select count(*) from oai.check_calendar()'), 0, 'and so is the calendar');
    is($db->value('select max(cardinality(seqs)) from oai.set_chunk'), 128, 'some chunks are full');
    cmp_ok($db->value('select count(*) from oai.item where deleted and seq is not null'), '>', 0, 'some items are tombstones') if $keep_deleted eq 'true';
    $db->run("update oai.set_chunk set seqs = seqs[2:] where (set_id, first_seq) =
              (select set_id, first_seq from oai.set_chunk where cardinality(seqs) > 1 order by random() limit 1)");
    isnt(scalar differences($db, $start), 0, 'the comparison detects one position missing from one chunk');
}

# The number of buffers that a statement accesses with the settings of the server.
sub buffers {
    my ($db, $sql) = @_;
    my $session = $db->session;
    $session->send("set enable_seqscan = off; set enable_bitmapscan = off; set random_page_cost = 1.1; $sql");   # fills the caches
    my ($touched) = map { /Buffers: shared hit=(\d+)(?: read=(\d+))?/ ? $1 + ($2 // 0) : () }
        $session->send("explain (analyze, buffers, costs off, timing off) $sql");
    $session->finish;
    return $touched // die "no buffers in the plan of $sql\n";
}
my $position = 'select * from oai.list_position(null, null, null, null, null, null)';
sub page { my ($spec, $after) = @_; return "select count(*) from oai.set_page((select id from oai.set where spec = '$spec'), $after, (select last_seq from oai.horizon), 100)" }

sub long_transaction {
    my $db = hurried();
    $docs = 0;
    $db->run(@names, new_docs(1000, 'cz:a:www', 'text:html'), publish(10_000, 'true'), publish(10_000, 'true'));
    my %before = map { $_ => buffers($db, $_) } $position, page('dom:cz', 0);
    my $long = $db->session;
    $long->send('begin isolation level repeatable read');
    $long->send('select count(*) from oai.item');
    $db->run(map { ("update webarchiv.doc set status = $_ where id = $_", publish(10_000, 'true')) } 1 .. 400);
    my $last = $db->value('select last_seq from oai.horizon');
    is($last, 1400, 'four hundred publications meanwhile');
    cmp_ok(buffers($db, $position), '<=', $before{$position} + 4, 'finding the horizon costs no more than before');
    # Each version of a chunk adds or removes at least one position, so there are at most 256 for each chunk of a page.
    for my $after (0, $last - 100) {
        my $cost = buffers($db, page('dom:cz', $after));
        cmp_ok($cost, '<=', 3 * 256 + 30, "a page behind number $after: $cost buffers");
    }
    $db->run('update webarchiv.doc set status = 0', publish(10_000, 'true')) for 1 .. 3;
    my $emptied = buffers($db, page('dom:cz', 0));
    $long->send('commit');
    $long->finish;
    $db->run('vacuum oai.set_chunk');
    my $after = buffers($db, page('dom:cz', 0));
    cmp_ok($after, '<=', 20, "when it has ended, with all chunks emptied thrice: $emptied buffers before VACUUM, $after behind it");
}

sub emptied_chunks {
    my $db = hurried();
    $docs = 0;
    my $n = is_long() ? 30_000 : 8000;
    $db->run(@names, new_docs($n, 'cz:a:www', 'text:html'), map { publish($n, 'true') } 1 .. 2);
    for (1 .. 3) {
        $db->run('update webarchiv.doc set status = coalesce(status, 0) + 1', publish($n, 'true'));
    }
    my $last = $db->value('select last_seq from oai.horizon');
    cmp_ok($last, '==', 4 * $n, 'all documents have been published four times');
    is($db->value('select count(*) from oai.check_chunks()'), 0, 'the chunks are consistent');
    my $ideal = $db->value('select sum((item_count + 127) / 128) from oai.set');
    cmp_ok($db->value('select count(*) from oai.set_chunk'), '<=', 1.3 * $ideal, 'there are at most 30 % more chunks than necessary');
    my $cost = buffers($db, page('dom:cz', 0));   # the first reader marks dead rows
    cmp_ok($cost, '<=', 30, "the first page costs $cost buffers");
}

sub stale_numbers {
    my $db = hurried();
    $docs = 0;
    $db->run(@names, new_docs(300, 'cz:a:www', 'text:html'), map { publish(10_000, 'true') } 1 .. 2);
    # As if the removal of old positions had failed for a long time: 20,000 of them lie between position 300 and the next one.
    $db->run("insert into oai.set_chunk
         select s.id, 301 + 128 * k, array(select generate_series(301 + 128 * k, least(428 + 128 * k, 20300)))
         from oai.set s, generate_series(0, 156) k where s.spec = 'dom:cz'",
        'update oai.horizon set last_seq = 20300', new_docs(5, 'cz:a:www', 'text:html'), publish(10_000, 'true'));
    is($db->value("select item_count from oai.set where spec = 'dom:cz'"), 305, 'a set of 305 items');
    my $statement = "select count(r.id), max(s.numbers), min(s.first), max(s.last)
        from oai.set_runs((select id from oai.set where spec = 'dom:cz'), 280, 20305, 100, null) s
        left join lateral (select id from oai.item where seq between s.first and s.last order by seq offset 0) r on true";
    is_deeply($db->rows($statement), [20, 100, 281, 380], 'a page reports the position that it reached, even if few of its positions have items');
    my $cost = buffers($db, $statement);
    cmp_ok($cost, '<=', 530, "and costs no more than any other: $cost buffers");
    is_deeply([$db->rows('select problem from oai.check_chunks()')], [['its chunks have 20305 numbers, its items 305']], 'oai.check_chunks() counts the stale positions');
}

parallel_subtests(
    map({ my ($where, $start) = @$_; ("equal to a store of plain rows$where" => sub { equal_to_plain_rows($start) }) }
        sample(3, ['', 0], [', across number 2^31', 2**31 - 3000], [', across number 2^32', 2**32 - 3000])),
    'a long transaction keeps every old version alive' => \&long_transaction,
    'thousands of emptied chunks before the first page' => \&emptied_chunks,
    'positions that no item has any more' => \&stale_numbers,
);
done_testing;
