#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The model library as other programs write to it by plain SQL: its triggers enforce what foreign keys would, also with
# concurrent writers, and queue each change for the publisher exactly once.
use TestProgram;

my $db = Database->new(model => 'library');
sub is_refused {
    my ($what, $words, @sql) = @_;
    eval { $db->run(@sql); 1 } and return fail("$what: was not refused");
    return like($@, $words, "$what is refused");
}
sub collections_of { my ($id) = @_; return $db->value("select string_agg(c.name, ' ' order by c.name) from library.item_collection f join library.collection c on c.id = f.id_collection where f.id_item = $id") // '' }

$db->run("insert into library.collection (name) values ('war'), ('peace')",
    "insert into library.item (id, local_id, kind, language) select i, 'i/' || i, 'book', '{cs}' from generate_series(1, 6) i");
my $war = $db->value("select id from library.collection where name = 'war'");

# What foreign keys would enforce.
for my $how (['filing', 'insert into library.item_collection values'], ['refiling', 'insert into library.item_collection select 1, id from library.collection; update library.item_collection set (id_item, id_collection) =']) {
    my ($what, $sql) = @$how;
    my $where = $what eq 'refiling' ? " where id_collection = $war" : '';
    is_refused("$what an unknown item", qr/ERROR:  library.item_collection: there is no item 999/, "$sql (999, $war)$where");
    is_refused("$what in an unknown collection", qr/ERROR:  library.item_collection: there is no collection 999/, "$sql (1, 999)$where");
}
is($db->value('select count(*) from library.item_collection'), 0, 'none of the refused rows is stored');
$db->run('create function pg_temp.code() returns text language plpgsql as $$ begin insert into library.item_collection values (1, 999); return null; exception when foreign_key_violation then return sqlstate; end $$; create table public.said as select pg_temp.code()');
is($db->value('select * from public.said'), '23503', 'the error has the SQLSTATE of a foreign key violation');
is_refused("deleting from $_", qr/rows of library.$_ are not deleted/, "delete from library.$_") for qw(collection kind language);
is_refused("TRUNCATE of $_", qr/rows of library.$_ are not deleted/, "truncate library.$_ cascade") for qw(collection kind language);
$db->run('update library.item set kind_id = 999, language_ids = \'{999}\' where id = 1');
is($db->value('select count(*) from library.item i join library.kind k on k.id = i.kind_id join library.language l on array[l.id] = i.language_ids where i.id = 1'), 1, 'kind_id and language_ids are derived from kind and language, whatever an UPDATE sets them to');
is_refused('changing the id of an item', qr/item i\/1: its id cannot become 77/, 'update library.item set id = 77 where id = 1');
$db->run("update library.item set local_id = 'i/one' where id = 1");
$db->publish;
is_refused('changing an identifier that is already published', qr{item i/one: its identifier is already given out and cannot become x}, "update library.item set local_id = 'x' where id = 1");

# Each change is queued once.
is($db->value('select count(*) from oai.queue'), 0, 'the queue is empty after publishing');
sub is_queued {
    my ($n, $what, @sql) = @_;
    my $before = $db->value('select coalesce(max(n), 0) from oai.queue');
    $db->run(@sql);
    return is($db->value("select count(*) from oai.queue where n > $before"), $n, $what);
}
is_queued(2, 'items that are inserted and added to a collection in one transaction are queued once', 'begin',
    "insert into library.item (id, local_id) values (7, 'i/7'), (8, 'i/8')", "insert into library.item_collection values (7, $war), (8, $war)", 'commit');
is_queued(1, 'another transaction queues the item again, since the publisher may have processed the first change', "insert into library.item_collection select 7, id from library.collection where name = 'peace'");
is_queued(1, 'an item that an UPDATE leaves unchanged is queued when it is added to a collection', 'begin', 'update library.item set title = title where id = 2', "insert into library.item_collection values (2, $war)", 'commit');
$db->publish;
is($db->value("select string_agg(local_id, ' ' order by local_id) from oai.item where set_ids @> array[$war]"), 'i/2 i/7 i/8', 'the published items are in their sets');
is_queued(1, 'a deletion is queued once', 'delete from library.item where id = 7');
is(collections_of(7), '', 'a deleted item is in no collection');

# Two concurrent writers.
my $other = $db->session;
$other->send($_) for 'begin', "insert into library.item_collection values (3, $war)";
is_refused('deleting an item that another transaction adds to a collection', qr/lock timeout/, "set lock_timeout = 100; delete from library.item where id = 3");
$other->send('commit');
$db->run("insert into library.item (id, local_id) values (9, 'i/9')");
$other->send($_) for 'begin', 'delete from library.item where id = 9';
is_refused('adding an item to a collection while another transaction deletes it', qr/lock timeout/, "set lock_timeout = 100; insert into library.item_collection values (9, $war)");
$other->send('commit');
is_refused('adding a deleted item to a collection', qr/there is no item 9/, "insert into library.item_collection values (9, $war)");
$other->send($_) for 'begin', "insert into library.item (id, local_id) values (10, 'i/10')", "savepoint s", "insert into library.item_collection values (10, $war)", 'commit';
is(collections_of(10), 'war', 'an item can be added to a collection in a subtransaction');
$other->finish;
is($db->value('select count(*) from library.item_collection f where not exists (select from library.item i where i.id = f.id_item)'), 0, 'no collection refers to a missing item');
$db->publish;
is($db->value("select deleted and set_ids <> '{}' from oai.item where id = 7"), 't', 'the header of a deleted record keeps its sets');
is($db->value('select count(*) from oai.check_chunks()'), 0, 'the chunks are consistent');
done_testing;
