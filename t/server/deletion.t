#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Deleted records under each of the three policies and in both models, by the administrator's commands: what harvesters
# are told, what is kept, and what purge may forget.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(abs_path);
use Database;
use File::Temp qw(tempdir);
use Test::More;
use Together;

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");
my $dir   = tempdir('oai-deletion-XXXXXX', TMPDIR => 1, CLEANUP => 1);

my $key = write_file('key', '0123456789abcdef' x 4 . "\n");
chmod 0600, $key;
sub write_file { my ($name, $text) = @_; open my $f, '>', "$dir/$name" or die $!; print {$f} $text; close $f or die $!; return "$dir/$name" }

# Five items in each model; the third and the fifth are in a collection.
my %models = (
    webarchiv => {
        formats => "$root/xslt", third => '3', collection => 'col:war',
        fill => [
            "insert into webarchiv.domain (name) values ('cz:example')", "insert into webarchiv.collection (name) values ('war')",
            "insert into webarchiv.doc (id, archived_time, id_domain, url, surt)
                 select i, '2007-01-01', (select id from webarchiv.domain where name = 'cz:example'), 'http://example.cz/' || i, 'cz,example)/' || i
                 from generate_series(1, 5) i",
            "insert into webarchiv.doc_collection select i, id from webarchiv.collection, unnest('{3,5}'::bigint[]) i"],
        change => 'update webarchiv.doc set status = 404 where id = 3',
        sets => 'col:war dom:cz:example',
    },
    library => {
        formats => "$root/xslt/library", third => 'thesis/3', collection => 'col:war',
        fill => [
            "insert into library.collection (name) values ('war')",
            "insert into library.item (id, local_id, kind, title, marc) select i, 'thesis/' || i, 'thesis', array['Thesis ' || i], '<record/>'
                 from generate_series(1, 5) i",
            "insert into library.item_collection select i, id from library.collection, unnest('{3,5}'::bigint[]) i"],
        change => "update library.item set year = 1999, kind = 'book' where id = 3",
        sets => 'col:war type:thesis',
    },
);

my ($db, $ini);
# (exit status, stdout and stderr)
sub oai {
    my (@arguments) = @_;
    my $pid = open(my $out, '-|') // die $!;
    if (!$pid) {
        open STDERR, '>&', \*STDOUT;
        exec "$build/release/oai", '--config', $ini, @arguments or die $!;
    }
    local $/;
    my $said = <$out>;
    close $out;
    return ($? >> 8, $said);
}
sub publish { my ($status, $said) = oai('publish', '--once'); is($status, 0, 'published') or diag $said; return }
sub get { return (oai('get', shift))[1] }
# "3" or "3 deleted (sets)" for each header of a list, by local_id.
sub listed {
    my ($arguments) = @_;
    my (%seen, $list);
    $list = get("verb=ListIdentifiers&metadataPrefix=oai_dc$arguments");
    while ($list =~ m{<header( status="deleted")?><identifier>oai:example\.org:(.*?)</identifier>.*?</datestamp>(.*?)</header>}g) {
        my ($deleted, $id, $sets) = ($1, $2, $3);
        $seen{$id} = $id . ($deleted ? ' deleted (' . join(' ', sort $sets =~ m{<setSpec>(.*?)</setSpec>}g) . ')' : '');
    }
    return join ', ', map { $seen{$_} =~ s{thesis/}{}r } sort keys %seen;
}
sub begin {
    my ($model, $policy) = @_;
    $db = Database->new(model => $model);
    $db->run(@{$models{$model}{fill}});
    $ini = write_file("$model-$policy.ini", "[repository]\nname = D\nbase_url = http://127.0.0.1/oai\nadmin_email = a\@example.org\n"
        . "identifier_namespace = example.org\ndeleted_record = $policy\n[token]\nkey_file = $key\n[formats]\ndirectory = $models{$model}{formats}\n"
        . join '', map { "[$_->[0]]\nconnection = " . $db->conninfo("oai_$_->[1]") . "\n" } [database => 'reader'], [publisher => 'publisher'], [loader => 'loader']);
    publish();
    is(listed(''), '1, 2, 3, 4, 5', 'all are listed');
    return $models{$model};
}
sub sound { is($db->value('select count(*) from oai.check_chunks()'), 0, "chunks are sound $_[0]"); return }

# What each policy means to a model's five items.
my %policies = (
    persistent => sub {
        my ($m) = @_;
        like(get('verb=Identify'), qr{<deletedRecord>persistent</deletedRecord>}, 'Identify says so');
        my ($status, $said) = oai('delete', "oai:example.org:$m->{third}");
        is("$status $said", "0 1 deleted, 0 unchanged, 0 unknown\n", 'delete by identifier');
        publish();
        my $tombstone = "3 deleted ($m->{sets})";
        is(listed(''), "1, 2, $tombstone, 4, 5", 'a tombstone with its sets');
        is(listed("&set=$m->{collection}"), "$tombstone, 5", 'listed in its sets');
        like(get("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:example.org:$m->{third}"), qr{<record><header status="deleted">(?:(?!<metadata).)*</record>}s, 'GetRecord has no metadata');
        is((oai('delete', $m->{third}))[1], "0 deleted, 1 unchanged, 0 unknown\n", 'deleted again by local_id, nothing changes');
        publish();
        is($db->value('select count(*) from oai.queue'), 0, 'and nothing is published');
        $db->run($m->{change});
        publish();
        is(listed(''), "1, 2, $tombstone, 4, 5", 'a change of what is deleted leaves its sets');
        ($status, $said) = oai('purge', '--before', '2999-01-01');
        is($status, 1, 'purge is refused');
        like($said, qr/persistent promises/, 'with words');
        is(listed(''), "1, 2, $tombstone, 4, 5", 'and forgets nothing');
        is((oai('undelete', $m->{third}))[1], "1 undeleted, 0 unchanged, 0 unknown\n", 'undelete');
        publish();
        is(listed(''), '1, 2, 3, 4, 5', 'it is back');
        is(listed("&set=$m->{collection}"), '3, 5', 'in its collection too');
        sound('at the end');
    },

    no => sub {
        my ($m) = @_;
        like(get('verb=Identify'), qr{<deletedRecord>no</deletedRecord>}, 'Identify says so');
        is((oai('delete', $m->{third}))[0], 0, 'delete');
        publish();
        is(listed(''), '1, 2, 4, 5', 'it is listed no more');
        like(get("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:example.org:$m->{third}"), qr{code="idDoesNotExist"}, 'nor does it exist');
        my ($status, $said) = oai('purge', '--before', '2999-01-01');
        is($status, 1, 'purge is refused');
        like($said, qr/no lists no deletions/, 'with words');
        oai('undelete', $m->{third});
        publish();
        is(listed(''), '1, 2, 3, 4, 5', 'undelete brings it back');
        is(listed("&set=$m->{collection}"), '3, 5', 'in its collection too');
        sound('at the end');
        is((oai('purge', '--before', 'yesterday'))[0], 2, 'purge wants a date');
        is((oai('delete'))[0], 2, 'delete wants identifiers');
        is((oai('delete', '--file', "$dir/nowhere"))[0], 1, 'a list that is not there: status 1');
    },

    transient => sub {
        my ($m) = @_;
        like(get('verb=Identify'), qr{<deletedRecord>transient</deletedRecord>}, 'Identify says so');
        my $list = write_file("list-$db->{name}", "oai:example.org:$m->{third}\r\n\n  " . ($m->{third} =~ s/3/5/r) . "\noai:example.com:1\nnowhere\n");
        my ($status, $said) = oai('delete', '--file', $list);
        is($status, 1, 'a list with unknown identifiers: status 1');
        like($said, qr/2 deleted, 0 unchanged, 2 unknown/, 'the others are deleted');
        like($said, qr/oai:example\.com:1: no item of this repository/, 'each unknown one is named');
        like($said, qr/nowhere: no item/, 'each');
        publish();
        my @tombstones = map { "$_ deleted ($m->{sets})" } 3, 5;
        is(listed(''), "1, 2, $tombstones[0], 4, $tombstones[1]", 'tombstones are listed');
        is((oai('purge', '--before', '2001-01-01'))[1], "0 deleted records purged\n", 'none is that old');
        my $changed = $db->value("select id from oai.item where local_id = '$m->{third}'");
        oai('undelete', $m->{third});
        oai('delete', $m->{third});
        is((oai('purge', '--before', '2999-01-01'))[1], "1 deleted records purged\n", 'one that has yet to be published is left alone');
        is(listed(''), "1, 2, $tombstones[0], 4", 'the other is forgotten');
        is(listed("&set=$m->{collection}"), $tombstones[0], 'in its sets too');
        sound('after a purge');
        publish();
        is((oai('purge', '--before', '2999-01-01'))[1], "1 deleted records purged\n", 'once published it goes too');
        is(listed(''), '1, 2, 4', 'all are forgotten');
        is(listed("&set=$m->{collection}"), '', 'sets are empty');
        is($db->value('select item_count from oai.horizon'), 3, 'and counted');
        is($db->value("select count(*) from oai.item where id = $changed"), 0, 'nothing is left of it');
        is((oai('delete', $m->{third}))[0], 1, 'it is unknown now');
        publish();
        is($db->value('select count(*) from oai.queue'), 0, 'nothing is left to publish');
        sound('at the end');
    },
);

# Each waits for seconds of the publisher.
together(map { my $model = $_; map { my $policy = $_; ("$model, $policy" => sub { $policies{$policy}->(begin($model, $policy)) }) } sort keys %policies }
    sort keys %models);
done_testing;
