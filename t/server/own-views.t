#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# deploy/museum, the example of views and triggers of one's own: its SQL is run unchanged on the tables of a museum.
use FindBin;
use lib "$FindBin::Bin/../lib";
use TestProgram;

my $dir   = tempdir('oai-own-views-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $db    = Database->new(model => 'none');

sub write_file { my ($name, $text) = @_; open my $f, '>', "$dir/$name" or die $!; print {$f} $text; close $f or die $!; return "$dir/$name" }

my $sql = slurp("$root/deploy/museum/museum.sql");
my $stylesheet = slurp("$root/deploy/museum/oai_dc.xsl");
like($sql, qr/create trigger/, 'the example makes triggers');

# The existing database of a museum, with objects, rooms and a role that writes.
$db->run(
    'create schema museum',
    'create table museum.room (id integer primary key, name text not null)',
    'create table museum.object (inventory text primary key, label text not null, maker text, made integer, room integer references museum.room, on_loan boolean not null default false)',
    "insert into museum.room values (1, 'Porcelain'), (2, 'Clocks')",
    "insert into museum.object values ('P-1', 'Vase', 'Meissen', 1750, 1), ('P-2', 'Cup', null, 1801, 1), ('C-1', 'Tower clock', 'Janata', 1888, 2)",
    'create role curator_' . $$ . ' login', 'grant usage on schema museum to curator_' . $$, 'grant select, insert, update, delete on all tables in schema museum to curator_' . $$);
# A role that was given the whole table oai.item before the example protects it.
$sql =~ s/^(?=select oai\.protect_items)/grant usage on schema oai to curator_$$; grant select, insert, update on oai.item to curator_$$;\n/m or BAIL_OUT('oai.protect_items is not called');
my $said = eval { Database::psql($db->conninfo, '-1', '-f', write_file('page.sql', $sql)); 'ok' };
is($said, 'ok', 'the SQL of the example runs') or BAIL_OUT($@);
ok !eval { $db->run($_->[0]); 1 } && $@ =~ $_->[1], "refused: $_->[0]" or diag $@
    for ["select oai.track_items('museum.object')", qr/column "id" does not exist/];
mkdir "$dir/formats";
write_file('formats/oai_dc.xsl', $stylesheet);

chmod 0600, write_file('key', '0123456789abcdef' x 4 . "\n");
my $ini = write_file('oai.ini', "[repository]\nname = Museum\nbase_url = http://127.0.0.1/oai\nadmin_email = a\@example.org\nidentifier_namespace = museum.example\n"
    . "[token]\nkey_file = $dir/key\n[formats]\ndirectory = $dir/formats\n"
    . join '', map { "[$_->[0]]\nconnection = " . $db->conninfo("oai_$_->[1]") . "\n" } [database => 'reader'], [publisher => 'publisher'], [loader => 'loader']);
sub oai {
    my (@arguments) = @_;
    my $pid = open(my $out, '-|') // die $!;
    if (!$pid) {
        open STDERR, '>&', \*STDOUT;
        exec "$build/release/oai", '--config', $ini, @arguments or die $!;
    }
    local $/;
    my $all = <$out>;
    close $out;
    return wantarray ? ($? >> 8, $all) : $all;
}
sub publish { my ($status, $words) = oai('publish', '--once'); is($status, 0, 'oai publish --once succeeds') or diag $words; return }
# "C-1 Tower clock [room:2]" for each record, a deleted one without its label, by identifier.
sub harvest {
    my ($more) = @_;
    my $list = oai('get', 'verb=ListRecords&metadataPrefix=oai_dc' . ($more // ''));
    my @records;
    while ($list =~ m{<record><header( status="deleted")?><identifier>oai:museum\.example:(.*?)</identifier><datestamp>(.*?)</datestamp>(.*?)</header>(.*?)</record>}gs) {
        my ($deleted, $id, $sets, $metadata) = ($1, $2, $4, $5);
        my ($label) = $metadata =~ m{<dc:title>(.*?)</dc:title>};
        push @records, join ' ', $id, $deleted ? 'deleted' : $label // '?', '[' . join(' ', $sets =~ m{<setSpec>(.*?)</setSpec>}g) . ']';
    }
    return join ', ', sort @records;
}
sub now { return (oai('get', 'verb=Identify') =~ m{<responseDate>(.*?)</responseDate>})[0] }

publish();
my $all = harvest();
is($all, 'C-1 Tower clock [room:2], P-1 Vase [room:1], P-2 Cup [room:1]', 'the existing objects are harvested');
is(harvest('&set=room:1'), 'P-1 Vase [room:1], P-2 Cup [room:1]', 'sets can be harvested');
like(oai('get', 'verb=ListSets'), qr{<setSpec>room:2</setSpec>\n<setName>Clocks</setName>}, 'sets have names');
like(oai('get', 'verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:museum.example:P-1'), qr{<dc:title>Vase</dc:title><dc:creator>Meissen</dc:creator><dc:date>1750</dc:date>}, 'GetRecord finds a record by its identifier');

# Changes by a role that has no access to schema oai.
sub changed {
    my ($how, $sql, $want) = @_;
    my $from = now();
    Database::psql($db->conninfo("curator_$$"), '-c', $sql);
    publish();
    is(harvest("&from=$from"), $want, $how);
    return;
}
changed('a change of a column', "update museum.object set label = 'Large vase' where inventory = 'P-1'", 'P-1 Large vase [room:1]');
changed('a change of the room', "update museum.object set room = 2 where inventory = 'P-2'", 'P-2 Cup [room:2]');
is(harvest('&set=room:1'), 'P-1 Large vase [room:1]', 'the object has left its previous set');
changed('an UPDATE that changes nothing', 'update museum.object set label = label', '');
changed('a new object, in a new room', "insert into museum.room values (3, 'Coins'); insert into museum.object values ('M-1', 'Thaler', null, 1520, 3)", 'M-1 Thaler [room:3]');
changed('a new inventory number', "update museum.object set inventory = 'P-3' where inventory = 'P-2'", 'P-2 deleted [room:2], P-3 Cup [room:2]');
changed('the previous inventory number again', "update museum.object set inventory = 'P-2' where inventory = 'P-3'", 'P-2 Cup [room:2], P-3 deleted [room:2]');
changed('a deletion', "delete from museum.object where inventory = 'C-1'", 'C-1 deleted [room:2]');
changed('a new object with the inventory number of a deleted one', "insert into museum.object values ('C-1', 'Mantel clock', null, 1900, 2)", 'C-1 Mantel clock [room:2]');
like(oai('delete', 'P-1'), qr/^1 deleted, 0 unchanged/, 'oai delete works here too');
publish();
is(harvest('&set=room:1'), 'P-1 deleted [room:1]', 'the deleted record keeps its sets');
like(oai('undelete', 'P-1'), qr/^1 undeleted/, 'oai undelete restores it');
publish();
is(harvest('&set=room:1'), 'P-1 Large vase [room:1]', 'the record is listed again');
is($db->value('select count(*) from oai.check_chunks()'), 0, 'the chunks are consistent');
my ($status, $words) = oai('check');
unlike($words, qr/^oai: oai\.(record|item|set)/m, 'oai check reports nothing about the view oai.record, the items and the sets') or diag $words;
ok !eval { $db->run("update oai.item set $_ where local_id = 'P-1'"); 1 } && $@ =~ /publisher alone|identifier is already given out|can only be updated to DEFAULT/, "refused: $_" or diag $@
    for 'seq = 77', "set_ids = '{1}'", "local_id = 'P-9'", 'id = 77', "datestamp = '2001-01-01'";
ok !eval { Database::psql($db->conninfo("curator_$$"), '-c', "update oai.item set $_ where local_id = 'P-1'"); 1 } && $@ =~ /permission denied/, "a role that may write oai.item may not: $_"
    for 'seq = 77', "local_id = 'P-9', seq = 77";
Database::psql($db->conninfo("curator_$$"), '-c', "insert into oai.item (local_id) values ('Q-1')");
pass('but it may insert an item');

$db->run("set enable_seqscan = off", 'select 1');
my $plan = join "\n", map { $_->[0] } $db->rows('explain select * from oai.record where seq > 1 and seq <= 3 order by seq limit 2');
like($plan, qr/Index Scan using item_seq/, 'a page is read by an index scan');
unlike($plan, qr/Sort/, 'without sorting');
undef $db;
Database::psql($ENV{OAI_TEST_DB}, '-c', "drop role if exists curator_$$");
done_testing;
