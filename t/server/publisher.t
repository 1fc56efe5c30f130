#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The publisher and the triggers of the model webarchiv: whatever other programs write by plain SQL appears in the lists once,
# with a correct datestamp.
use TestProgram;

my $db = Database->new;

sub horizon { return $db->value('select h from oai.horizon') }
sub item {
    my ($id) = @_;
    my ($row) = $db->rows("select seq, datestamp, deleted, (select string_agg(spec, ' ' order by spec) from oai.set s
                           where s.id = any (i.set_ids)) from oai.item i where id = $id");
    return $row ? {seq => $row->[0], datestamp => $row->[1], deleted => $row->[2], sets => $row->[3]} : undef;
}
# The items that a list of the set shows.
sub members {
    my ($spec) = @_;
    return join ' ', map { $_->[0] } $db->rows(
        "select i.id from oai.set s, oai.horizon o, oai.set_page(s.id, 0, o.last_seq, 100000) p(seq), oai.item i
         where s.spec = '$spec' and i.seq = p.seq order by i.id");
}
sub check_chunks {
    my ($what) = @_;
    my @problems = $db->rows('select * from oai.check_chunks() limit 5');
    push @problems, $db->rows('select * from oai.check_calendar() limit 5');
    is(scalar @problems, 0, "chunks and calendar are consistent $what") or diag explain \@problems;
    return;
}

$db->run(
    "insert into webarchiv.domain (name) values ('cz:webarchiv:www'), ('ip:192.0.2.1')",
    "insert into webarchiv.mimetype (name) values ('text:html'), ('image:svg~2Bxml')",
    "insert into webarchiv.collection (name, title) values ('culture:estonia', 'Estonian culture'), ('war', 'War')",
    "insert into webarchiv.arc (file) values ('one.arc.gz')");
is($db->value("select title from webarchiv.domain where name = 'cz:webarchiv:www'"), 'www.webarchiv.cz', 'the title of a host is its usual name');
is($db->value("select title from webarchiv.domain where name = 'ip:192.0.2.1'"), '192.0.2.1', 'the title of an address is the address');
is($db->value("select title from webarchiv.mimetype where name = 'image:svg~2Bxml'"), 'image/svg+xml', 'the title of a media type is its usual name');
is($db->value("select string_agg(spec, ' ' order by spec) from oai.set where spec like 'col%'"),
    'col col:culture col:culture:estonia col:war', 'the ancestors of a set are created with it');

my $insert = "insert into webarchiv.doc (id, archived_time, id_arc, doc_offset, id_domain, id_mimetype, url, surt, datestamp)
    select i, '2007-01-01', 1, i, (select id from webarchiv.domain where name = 'cz:webarchiv:www'),
           (select id from webarchiv.mimetype where name = 'text:html'), 'http://www.webarchiv.cz/' || i, 'cz,webarchiv)/' || i";

# The first numbering keeps datestamps that were published elsewhere, in their order and with ties; other items get the
# current time.
$db->run(
    "$insert, timestamptz '2010-01-01 00:00:00Z' + (50 - i) / 3 * interval '1 day' from generate_series(1, 50) i",
    "$insert, null from generate_series(51, 60) i",
    "$insert, now() + interval '1 year' from generate_series(61, 62) i");
is($db->publish(20), 20, 'a slice of the first numbering');
is(horizon(), undef, 'the horizon has not started');
is($db->publish(20), 20, 'the next slice');
is($db->publish(20), 20, 'a slice that includes an item without a datestamp');
ok(defined horizon(), 'ends the first numbering');
is($db->publish(20), 2, 'the remaining items are published like later changes');
is($db->value('select count(*) from oai.item where id <= 50 and datestamp = timestamptz \'2010-01-01 00:00:00Z\' + (50 - id) / 3 * interval \'1 day\''),
    50, 'datestamps that were already published are kept');
is($db->value("select count(*) from oai.item where datestamp > now()"), 0, 'a datestamp in the future is not kept');
is($db->value('select count(*) from (select datestamp < lag(datestamp) over (order by seq) as falls from oai.item) x where falls'),
    0, 'datestamps never decrease as seq increases');
is($db->value("select item_count from oai.set where spec = 'dom:cz'"), 62, 'a parent set counts its descendants');
check_chunks('after the first numbering');

# Every kind of change gives a datestamp after the horizon; until it is published, the record keeps its place.
sub publish_change {
    my ($id, $how, @sql) = @_;
    my ($before, $h) = (item($id), horizon());
    $db->run(@sql);
    is_deeply([@{item($id)}{qw(seq datestamp)}], [@$before{qw(seq datestamp)}], "$how: the record stays where it is until published");
    $db->publish;
    my $after = item($id);
    cmp_ok($after->{seq}, '>', $before->{seq} // 0, "$how: a new seq");
    cmp_ok($after->{datestamp}, 'gt', $h, "$how: a datestamp after the horizon");
    return $after;
}
publish_change(1, 'UPDATE', "update webarchiv.doc set status = 404 where id = 1");
my $filed = publish_change(2, 'filing in a collection', "insert into webarchiv.doc_collection select 2, id from webarchiv.collection where name = 'culture:estonia'");
is($filed->{sets}, 'col:culture:estonia dom:cz:webarchiv:www mim:text:html', 'the header lists leaf sets');
is(members('col:culture'), '2', 'the parent set returns it');
publish_change(2, 'refiling', "update webarchiv.doc_collection set id_collection = (select id from webarchiv.collection where name = 'war') where id_doc = 2");
is(members('col:culture:estonia'), '', 'the item has left the old set');
is(members('col:war'), '2', 'and is in the new one');
publish_change(2, 'removal from a collection', 'delete from webarchiv.doc_collection where id_doc = 2');
is(members('col'), '', 'the item is in no collection');
is(publish_change(3, 'deletion by flag', 'update webarchiv.doc set deleted = true where id = 3')->{deleted}, 't', 'the record is marked as deleted');
is(publish_change(3, 'undeletion', 'update webarchiv.doc set deleted = false where id = 3')->{deleted}, 'f', 'the record is no longer marked as deleted');
$db->run("insert into webarchiv.doc_collection select 4, id from webarchiv.collection where name = 'war'");
$db->publish;
my $tombstone = publish_change(4, 'DELETE', 'delete from webarchiv.doc where id = 4');
is($tombstone->{deleted}, 't', 'DELETE leaves a tombstone');
is($tombstone->{sets}, 'col:war dom:cz:webarchiv:www mim:text:html', 'a tombstone keeps its sets');
is(members('col:war'), '4', 'and is listed in them');

$db->run("$insert, null from generate_series(70, 71) i", 'delete from webarchiv.doc where id = 70');
$db->publish;
is(item(70), undef, 'an item that was never published is deleted without a tombstone');
ok(item(71)->{seq}, 'the item inserted with it is published');
$db->run('update webarchiv.doc set status = status', 'update webarchiv.doc set url = url where id = 5');
is($db->value('select count(*) from oai.queue'), 0, 'an UPDATE that changes nothing is not queued');
$db->run('begin', 'update webarchiv.doc set status = 500', 'rollback');
is($db->publish, 0, 'nor is one that is rolled back');
ok(!eval { $db->run('truncate webarchiv.doc cascade'); 1 }, 'TRUNCATE is refused');
like($@, qr/Use DELETE/, 'and the message says what to do instead');
ok(!eval { $db->run("update webarchiv.collection set name = 'peace' where name = 'war'"); 1 }, 'renaming a collection is refused');
like($@, qr/Insert a row with the new name/, 'and the message says what to do instead');
ok(!eval { $db->run("insert into oai.set (spec, name, parent) values ('a:b', 'b', null)"); 1 }, 'a set without its parent is refused');
check_chunks('after every kind of change');

# Under the deletion policy `no` tombstones leave the lists; they return when the policy is changed back.
my $listed = $db->value('select item_count from oai.horizon');
$db->publish(1000, 'false');
is($db->value('select count(*) from oai.item where deleted and seq is not null'), 0, 'policy no: no tombstone is listed');
is($db->value('select item_count from oai.horizon'), $listed - 1, 'and none is counted');
check_chunks('under policy no');
$db->publish(1000, 'true');
is(item(4)->{sets}, 'col:war dom:cz:webarchiv:www mim:text:html', 'back under policy persistent, the tombstone has its sets') ;
ok(item(4)->{seq}, 'and is listed again');
check_chunks('back under policy persistent');

# Writers do not block the publisher, and rows that they have locked are published later.
my $writer = $db->session;
$writer->send('begin');
$writer->send('update webarchiv.doc set status = 200 where id = 10');
$db->run('update webarchiv.doc set status = 201 where id = 11');
my $seq10 = item(10)->{seq};
is($db->publish, 1, 'a row locked by a writer is skipped');
is(item(10)->{seq}, $seq10, 'and left as it was');
$writer->send('commit');
is($db->publish, 1, 'it is published once the writer has committed');
cmp_ok(item(10)->{seq}, '>', $seq10, 'with a new number');
$writer->send('begin');
$writer->send("insert into webarchiv.doc_collection select 12, id from webarchiv.collection where name = 'war'");
$db->run('update webarchiv.doc set status = 302 where id = 12');
is($db->publish, 1, 'a doc that another transaction adds to a collection can be published meanwhile');
$writer->send('rollback');
$writer->finish;

# Two concurrent publishers take turns.
my @publishers = map { $db->session } 1 .. 2;
$publishers[0]->send('begin');
$db->run('update webarchiv.doc set status = 303 where id = 13');
wait_until(sub { $db->value("select clock_timestamp() > h + interval '2 seconds' from oai.horizon") eq 't' });
like(($publishers[0]->send('select published from oai.publish(10)'))[0], qr/^1$/, 'the first of two publishers takes the change');
my $in = $publishers[1]->{in};
print $in "select published, waiting from oai.publish(10);\n\\echo __done__\n";
$in->flush;
ok(wait_until(sub { $db->value("select count(*) from pg_stat_activity where datname = current_database() and query like '%oai.publish(10)%' and wait_event_type = 'Lock'") }), 'the second waits');
$publishers[0]->send('commit');
my $out = $publishers[1]->{out};
like(scalar <$out>, qr/^0\|/, 'and finds nothing left');
$_->finish for @publishers;

# After random changes, everything is compared with the tables of the model.
$db->run("select setseed(0.42)", "$insert, null from generate_series(1000, 1999) i");
for my $round (1 .. 4) {
    $db->run(
        'select setseed(0.' . $round . ')',
        'update webarchiv.doc set status = 100 + (random() * 400)::int where random() < 0.2',
        'update webarchiv.doc set deleted = not deleted where random() < 0.05',
        'delete from webarchiv.doc where random() < 0.03',
        'delete from webarchiv.doc_collection where random() < 0.3',
        "insert into webarchiv.doc_collection select d.id, c.id from webarchiv.doc d, webarchiv.collection c
         where not d.deleted and random() < 0.2 on conflict do nothing",
        "update webarchiv.doc set id_mimetype = (select id from webarchiv.mimetype where name = 'image:svg~2Bxml') where random() < 0.05");
    1 while $db->publish(700);
    check_chunks("after round $round of random changes");
}
is($db->value('select count(*) from oai.item i join oai.membership m using (id)
               where not i.deleted and (select array_agg(x order by x) from unnest(i.set_ids) x)
                   is distinct from (select array_agg(x order by x) from unnest(m.sets_now) x)'),
    0, 'every published item has the sets it has now');
is($db->value('select count(*) from oai.item where seq is null'), 0, 'nothing is left unpublished');

# What foreign keys would enforce is checked for all rows of a statement.
sub is_refused {
    my ($what, $words, @sql) = @_;
    eval { $db->run(@sql); 1 } and return fail("$what: was not refused");
    return like($@, $words, "$what is refused");
}
is_refused('a domain without a name', qr/null value in column/, 'insert into webarchiv.domain (name) values (null)');
is_refused('a doc with an unknown domain', qr/there is no domain 999999/,
    "insert into webarchiv.doc (id, archived_time, id_domain, url, surt) values (9000, now(), 999999, 'http://x/', 'x)/')");
is_refused('a doc moved to an unknown archive file', qr/there is no arc 999999/, 'update webarchiv.doc set id_arc = 999999 where id = 5');
is_refused('adding an unknown doc to a collection', qr/there is no doc 999999/,
    "insert into webarchiv.doc_collection select 999999, id from webarchiv.collection limit 1");
is_refused('adding a doc to an unknown collection', qr/there is no collection 999999/, 'insert into webarchiv.doc_collection values (5, 999999)');
is_refused("deleting from $_", qr/rows of webarchiv.$_ are not deleted/, "delete from webarchiv.$_") for qw(domain mimetype collection arc);

subtest 'a doc is locked while it is being added to a collection' => sub {
    $db->run("$insert, null from generate_series(9001, 9001) i");
    my $filer = $db->session;
    $filer->send('begin');
    $filer->send("insert into webarchiv.doc_collection select 9001, id from webarchiv.collection where name = 'war'");
    is_refused('its deletion', qr/lock timeout/, "set lock_timeout = 100; delete from webarchiv.doc where id = 9001");
    $filer->send('commit');
    $filer->finish;
    $db->run('delete from webarchiv.doc where id = 9001');
    is($db->value('select count(*) from webarchiv.doc_collection where id_doc = 9001'), 0, 'a deleted doc is in no collection');
    is($db->value('select count(*) from webarchiv.doc where id = 9001'), 0, 'and a doc that was never published leaves no row');
    my $deleter = $db->session;
    $db->run("$insert, null from generate_series(9002, 9002) i");
    $deleter->send('begin');
    $deleter->send('delete from webarchiv.doc where id = 9002');
    is_refused('adding a doc to a collection while another transaction deletes it', qr/lock timeout/,
        "set lock_timeout = 100; insert into webarchiv.doc_collection select 9002, id from webarchiv.collection where name = 'war'");
    $deleter->send('commit');
    $deleter->finish;
    done_testing;
};

subtest 'a clock that was a day ahead' => sub {
    $db->run('create schema turned', 'create table turned.clock as select interval \'1 day\' as ahead', 'create function turned.clock_timestamp()
        returns timestamptz language sql volatile as $$ select pg_catalog.clock_timestamp() + ahead from turned.clock $$',
        "alter database $db->{name} set search_path = turned, pg_catalog, public");
    $db->publish;
    $db->run("$insert, null from generate_series(9101, 9140) i");
    is($db->publish, 40, 'what it is published by');
    my $told = horizon();
    $db->run("update turned.clock set ahead = '0'");
    $db->run("$insert, null from generate_series(9141, 9141) i");
    is($db->value('select waiting from oai.publish(100)'), 't', 'stops publishing once it is right');
    is_deeply([$db->rows('select * from oai.mend_clock()')], [[$told, 40]], 'its datestamps are taken back');
    is($db->value('select count(*) from oai.item where datestamp > clock_timestamp()'), 0, 'none is still to come');
    check_chunks('then');
    is($db->publish, 41, 'these records and what has waited are published at once');
    is_deeply([$db->rows('select * from oai.mend_clock()')], [[undef, undef]], 'there is nothing more to take back');
    $db->run("update turned.clock set ahead = '1 day 1 minute'");
    my $again = 0;
    $again += $db->publish for 1 .. 2;
    is($again, 41, 'once the time that harvesters were told has come, they are published once more');
    is($db->value("select count(*) from oai.item where id between 9101 and 9141 and datestamp > '$told'"), 41, 'behind it');
    is($db->publish, 0, 'and that was all');
    check_chunks('after that');
    done_testing;
};

done_testing;
