#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Deleted records under each of the three deletion policies and in both models, using the administrator's commands: what
# harvesters see, what is kept, and what `oai purge` may remove.
use TestProgram;
use ParallelSubtests;

my $dir   = tempdir('oai-deletion-XXXXXX', TMPDIR => 1, CLEANUP => 1);

# Five items in each model; the third and the fifth are in a collection.
my %models = (
    webarchiv => {
        third => '3', collection => 'col:war',
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
        third => 'thesis/3', collection => 'col:war',
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
# (status, output)
sub oai { return run_program("$build/release/oai", '--config', $ini, @_) }
sub publish { my ($status, $said) = oai('publish', '--once'); is($status, 0, 'oai publish --once succeeds') or diag $said; return }
sub get { return (oai('get', shift))[1] }
# "3" or "3 deleted (sets)" for each header of a list, by local_id.
sub headers_of {
    my ($arguments) = @_;
    my (%seen, $list);
    $list = get("verb=ListIdentifiers&metadataPrefix=oai_dc$arguments");
    while ($list =~ m{<header( status="deleted")?><identifier>oai:example\.org:(.*?)</identifier>.*?</datestamp>(.*?)</header>}g) {
        my ($deleted, $id, $sets) = ($1, $2, $3);
        $seen{$id} = $id . ($deleted ? ' deleted (' . join(' ', sort $sets =~ m{<setSpec>(.*?)</setSpec>}g) . ')' : '');
    }
    return join ', ', map { $seen{$_} =~ s{thesis/}{}r } sort keys %seen;
}
sub make_repository {
    my ($model, $policy) = @_;
    $db = Database->new(model => $model);
    $db->run(@{$models{$model}{fill}});
    $ini = write_ini("$dir/$model-$policy.ini", $db, repository => {deleted_record => $policy});
    publish();
    is(headers_of(''), '1, 2, 3, 4, 5', 'all records are listed');
    return $models{$model};
}
sub check_chunks { is($db->value('select count(*) from oai.check_chunks()'), 0, "the chunks are consistent $_[0]"); return }

# The checks of each policy, with the five items of a model.
my %policies = (
    persistent => sub {
        my ($m) = @_;
        like(get('verb=Identify'), qr{<deletedRecord>persistent</deletedRecord>}, 'Identify states the policy');
        my ($status, $said) = oai('delete', "oai:example.org:$m->{third}");
        is("$status $said", "0 1 deleted, 0 unchanged, 0 unknown\n", 'oai delete takes an identifier');
        publish();
        my $tombstone = "3 deleted ($m->{sets})";
        is(headers_of(''), "1, 2, $tombstone, 4, 5", 'the deleted record is listed with its sets');
        is(headers_of("&set=$m->{collection}"), "$tombstone, 5", 'and in the list of each of its sets');
        like(get("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:example.org:$m->{third}"), qr{<record><header status="deleted">(?:(?!<metadata).)*</record>}s, 'GetRecord returns its header without metadata');
        is((oai('delete', $m->{third}))[1], "0 deleted, 1 unchanged, 0 unknown\n", 'deleting it again, by local_id, changes nothing');
        publish();
        is($db->value('select count(*) from oai.queue'), 0, 'and nothing is published');
        $db->run($m->{change});
        publish();
        is(headers_of(''), "1, 2, $tombstone, 4, 5", 'a change of a deleted record does not change its sets');
        ($status, $said) = oai('purge', '--before', '2999-01-01');
        is($status, 1, 'purge is refused');
        like($said, qr/persistent promises/, 'with an explanation');
        is(headers_of(''), "1, 2, $tombstone, 4, 5", 'and removes nothing');
        is((oai('undelete', $m->{third}))[1], "1 undeleted, 0 unchanged, 0 unknown\n", 'oai undelete restores it');
        publish();
        is(headers_of(''), '1, 2, 3, 4, 5', 'it is listed again');
        is(headers_of("&set=$m->{collection}"), '3, 5', 'also in its collection');
        check_chunks('at the end');
    },

    no => sub {
        my ($m) = @_;
        like(get('verb=Identify'), qr{<deletedRecord>no</deletedRecord>}, 'Identify states the policy');
        is((oai('delete', $m->{third}))[0], 0, 'oai delete succeeds');
        publish();
        is(headers_of(''), '1, 2, 4, 5', 'the record is no longer listed');
        like(get("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:example.org:$m->{third}"), qr{code="idDoesNotExist"}, 'and GetRecord answers idDoesNotExist');
        my ($status, $said) = oai('purge', '--before', '2999-01-01');
        is($status, 1, 'purge is refused');
        like($said, qr/no lists no deletions/, 'with an explanation');
        oai('undelete', $m->{third});
        publish();
        is(headers_of(''), '1, 2, 3, 4, 5', 'oai undelete restores it');
        is(headers_of("&set=$m->{collection}"), '3, 5', 'also in its collection');
        check_chunks('at the end');
        is((oai('purge', '--before', 'yesterday'))[0], 2, 'oai purge requires a date');
        is((oai('delete'))[0], 2, 'oai delete requires identifiers');
        is((oai('delete', '--file', "$dir/nowhere"))[0], 1, 'a missing file of identifiers: status 1');
    },

    transient => sub {
        my ($m) = @_;
        like(get('verb=Identify'), qr{<deletedRecord>transient</deletedRecord>}, 'Identify states the policy');
        my $list = spew("$dir/list-$db->{name}", "oai:example.org:$m->{third}\r\n\n  " . ($m->{third} =~ s/3/5/r) . "\noai:example.com:1\nnowhere\n");
        my ($status, $said) = oai('delete', '--file', $list);
        is($status, 1, 'a list with unknown identifiers: status 1');
        like($said, qr/2 deleted, 0 unchanged, 2 unknown/, 'the known ones are deleted');
        like($said, qr/oai:example\.com:1: no item of this repository/, 'an identifier of another repository is reported');
        like($said, qr/nowhere: no item/, 'and so is an unknown one');
        publish();
        my @tombstones = map { "$_ deleted ($m->{sets})" } 3, 5;
        is(headers_of(''), "1, 2, $tombstones[0], 4, $tombstones[1]", 'deleted records are listed');
        is((oai('purge', '--before', '2001-01-01'))[1], "0 deleted records purged\n", 'nothing that was deleted later than the date is purged');
        my $changed = $db->value("select id from oai.item where local_id = '$m->{third}'");
        oai('undelete', $m->{third});
        oai('delete', $m->{third});
        is((oai('purge', '--before', '2999-01-01'))[1], "1 deleted records purged\n", 'a deleted record that is not yet published is not purged');
        is(headers_of(''), "1, 2, $tombstones[0], 4", 'the other one is removed from the list');
        is(headers_of("&set=$m->{collection}"), $tombstones[0], 'and from its sets');
        check_chunks('after a purge');
        publish();
        is((oai('purge', '--before', '2999-01-01'))[1], "1 deleted records purged\n", 'once published, it is purged as well');
        is(headers_of(''), '1, 2, 4', 'no deleted record is listed any more');
        is(headers_of("&set=$m->{collection}"), '', 'its set is empty');
        is($db->value('select item_count from oai.horizon'), 3, 'and the count of items agrees');
        is($db->value("select count(*) from oai.item where id = $changed"), 0, 'its row is gone');
        is((oai('delete', $m->{third}))[0], 1, 'the purged identifier is unknown');
        publish();
        is($db->value('select count(*) from oai.queue'), 0, 'nothing is left to publish');
        check_chunks('at the end');
    },
);

write_key("$dir/key");    # shared by all repositories of this test
# All combinations run in parallel, since each of them waits for the publisher for seconds.
parallel_subtests(map { my $model = $_; map { my $policy = $_; ("$model, $policy" => sub { $policies{$policy}->(make_repository($model, $policy)) }) } sort keys %policies }
    sort keys %models);
done_testing;
