#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Collections of a web archive (schema/webarchiv/filing.sql): webarchiv.doc_collection is read and written as a table, though it
# has rows of its own only for what the publisher does not have yet. A filing that is made while the publisher works is not lost, and
# one that says nothing new is no change.
use TestProgram;

my $db = Database->new;
$db->run("insert into webarchiv.collection (name) values ('war'), ('peace'), ('peace:now')",
    "insert into webarchiv.doc (id, archived_time, url, surt) select i, '2007-01-01', 'http://a/' || i, 'a)/' || i from generate_series(1, 20) i");
my %id = map { @$_ } $db->rows('select name, id from webarchiv.collection');
my $queued = 'select count(distinct id) from oai.queue';
my $kept   = 'select count(*) from webarchiv.refiling';
sub filed { return $db->value("select string_agg(c.name, ' ' order by c.name) from webarchiv.doc_collection f join webarchiv.collection c on c.id = f.id_collection where f.id_doc = $_[0]") // '' }
sub published { return $db->value("select string_agg(s.spec, ' ' order by s.spec) from oai.item i, unnest(i.set_ids) l(id) join oai.set s using (id) where i.id = $_[0] and s.spec like 'col:%'") // '' }
sub affected { return Database::psql($db->conninfo('oai_loader'), '-c', "with x as ($_[0] returning 1) select count(*) from x") + 0 }
sub publish_all { 1 while $db->publish; return }

is affected("insert into webarchiv.doc_collection values (1, $id{war}), (2, $id{war}), (2, $id{peace})"), 3, 'docs that are not published yet';
is filed(2), 'peace war', 'are in their collections';
publish_all();
is published(2), 'col:peace col:war', 'and published there';
is $db->value($kept), 0, 'nothing is kept aside then';
is filed(2), 'peace war', 'and they still are there';

is affected("insert into webarchiv.doc_collection values (1, $id{war})"), 0, 'a filing that is there already is no row';
is affected("delete from webarchiv.doc_collection where id_doc = 1 and id_collection = $id{peace}"), 0, 'nor is one removed that is not there';
is $db->value($queued), 0, 'and no change';
is affected("insert into webarchiv.doc_collection values (1, $id{war}), (3, $id{war}) on conflict do nothing"), 1, 'ON CONFLICT DO NOTHING is understood';
is affected("update webarchiv.doc_collection set id_collection = $id{'peace:now'} where id_collection = $id{peace}"), 1, 'UPDATE';
is affected("delete from webarchiv.doc_collection where id_doc = 1"), 1, 'DELETE';
is join('|', map { filed($_) } 1 .. 3), '|peace:now war|war', 'are seen at once';
is published(1), 'col:war', 'not yet by harvesters';
publish_all();
is join('|', map { published($_) } 1 .. 3), '|col:peace:now col:war|col:war', 'and then published';
is $db->value($kept), 0, 'nothing is kept aside then';

# There and back again, within a transaction and before the publisher comes.
$db->run('begin', "delete from webarchiv.doc_collection where id_doc = 2", "insert into webarchiv.doc_collection values (2, $id{war}), (2, $id{'peace:now'})", 'commit');
is filed(2), 'peace:now war', 'what is taken out and put back is there';
publish_all();
is published(2) . $db->value($kept), 'col:peace:now col:war0', 'and nothing is left of it';

# A filing whose transaction is open while the publisher takes the doc, of a doc and a collection that are both being published.
my $writer = $db->session;
$db->run("insert into webarchiv.doc_collection values (4, $id{war})");
$writer->send('begin');
$writer->send("insert into webarchiv.doc_collection values (4, $id{peace})");
publish_all();
is published(4), 'col:war', 'what another transaction has not committed is not published';
$writer->send("delete from webarchiv.doc_collection where id_doc = 4 and id_collection = $id{war}");
is $db->publish, 0, 'nor does it keep the publisher';
$writer->send('commit');
publish_all();
is published(4) . ' ' . filed(4) . ' ' . $db->value($kept), 'col:peace peace 0', 'but then it is';

# The row that the publisher would remove is being changed.
$db->run("insert into webarchiv.doc_collection values (5, $id{war})");
$writer->send('begin');
$writer->send("delete from webarchiv.doc_collection where id_doc = 5");
publish_all();
is published(5), 'col:war', 'the publisher does not wait for who changes the row again';
$writer->send('commit');
$writer->finish;
publish_all();
is published(5) . filed(5) . $db->value($kept), '0', 'and what that one has said is published next';

# A record that is deleted keeps its sets; one that comes back is in them.
$db->run("insert into webarchiv.doc_collection values (6, $id{war})");
publish_all();
$db->run('delete from webarchiv.doc where id = 6');
is filed(6), '', 'a deleted record is in no collection';
publish_all();
is published(6), 'col:war', 'but harvesters of the set are told of its deletion';
$db->run("select * from oai.change_deleted('{6}', false)");
publish_all();
is published(6) . ' ' . filed(6), 'col:war war', 'one that comes back is where it was';

# What deploy/manual/schema.md shows.
my ($captures) = slurp("$root/deploy/manual/schema.md") =~ /^(    select d\.url .*?;)$/ms;
publish_all();
is join(' ', sort map { $_->[0] } $db->rows($captures =~ s/culture:estonia/war/r)), 'http://a/2 http://a/3 http://a/6', 'the captures of a collection';

like eval { Database::psql($db->conninfo('oai_loader'), '-c', $_->[0]); 'done' } // $@, $_->[1], $_->[0]
    for ["insert into webarchiv.doc_collection values (99, $id{war})", qr/there is no doc 99/], ['insert into webarchiv.doc_collection values (1, 999999)', qr/there is no collection 999999/],
    ["insert into webarchiv.refiling values (1, $id{war}, true)", qr/permission denied/], ['truncate webarchiv.doc_collection', qr/is not a table/],
    ["select webarchiv.refile(1, $id{war}, true)", qr/permission denied/];
is_deeply [map { $db->rows("select * from oai.check_$_()") } 'chunks', 'items', 'sets'], [], 'all is consistent';
done_testing;
