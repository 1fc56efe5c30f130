#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What belongs to the publisher cannot be written by anybody else, in both models: the number, the sets and the id of a published
# item, the counters of sets, and the place of a set that ever held an item. Everything else can, a dump is restored as it
# was, and `oai check` finds what was changed behind the triggers' back.
use TestProgram;

my $dir   = tempdir('oai-protection-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my %models = (
    webarchiv => {
        items => 'webarchiv.doc', filing => 'webarchiv.doc_collection', kept => 'webarchiv.refiling', kept_so => ', true', names => 'webarchiv.collection', changed => 'status = coalesce(status, 0) + 1',
        insert => "insert into webarchiv.doc (archived_time, url, surt) select '2007-01-01', 'http://a/' || i, 'a)/' || i",
        with => sub { "insert into webarchiv.doc ($_[0], archived_time, url, surt) select $_[1], '2007-01-01', 'http://b/', 'b)/'" },
    },
    library => {
        items => 'library.item', filing => 'library.item_collection', kept => 'library.item_collection', kept_so => '', names => 'library.collection', changed => 'year = coalesce(year, 0) + 1',
        insert => "insert into library.item (local_id, title) select 'a/' || i, '{A title}'",
        with => sub { "insert into library.item ($_[0], local_id, title) select $_[1], 'b', '{A title}'" },
    });

sub as { my ($db, $role, @sql) = @_; return Database::psql($db->conninfo($role), map { ('-c', $_) } @sql) }
sub refused {
    my ($db, $role, $words, $what, @sql) = @_;
    return like eval { as($db, $role, @sql); 'done' } // $@, $words, "$role: $what";
}
# Publishes until nothing is left and compares all that lists and pages are made of.
sub is_sound {
    my ($db, $when) = @_;
    1 while $db->publish;
    my @problems = map { $db->rows("select * from oai.check_$_()") } 'chunks', 'calendar', 'items', 'sets';
    return is(scalar @problems, 0, "all is consistent $when") || diag explain \@problems;
}
sub behind_its_back { my ($db, @sql) = @_; return $db->run('begin', 'set local session_replication_role = replica', @sql, 'commit') }

for my $name (sort keys %models) {
    my $model = $models{$name};
    my ($items, $filing, $kept, $names) = @$model{qw(items filing kept names)};
    my $db = Database->new(model => $name);
    $db->run("insert into $names (name) values ('war'), ('peace'), ('peace:now'), ('mistake')");
    as($db, 'oai_loader', "$model->{insert} from generate_series(1, 10) i", "insert into $filing select i.id, n.id from $items i, $names n where n.name = 'war' and i.id <= 4");
    is_sound($db, 'after the first publication');
    my $list = sub { return join ' ', map { "@$_" } $db->rows("select id, seq, set_ids, datestamp from oai.item order by seq") };
    my $before = $list->();

    note "$name: items";
    for my $change ('id = 900005', 'seq = 77', "set_ids = '{1}'", "datestamp = '2001-01-01'", 'seq = null', "seq = default") {
        refused($db, 'oai_loader', qr/permission denied/, "update $change", "update $items set $change where id = 5");
        refused($db, $_, qr/publisher alone|cannot become/, "update $change", "update $items set $change where id = 5") for 'postgres';
    }
    refused($db, 'postgres', qr/identifier is already given out/, 'another identifier', "update $items set local_id = 'x' where id = 5") if $name eq 'library';
    my $next = "(select max(seq) + 1 from $items)";
    for (['seq', $next], ['set_ids', "'{1}'"]) {
        refused($db, 'oai_loader', qr/permission denied/, "insert with $_->[0]", $model->{with}->(@$_));
        refused($db, 'postgres', qr/publisher alone/, "insert with $_->[0]", $model->{with}->(@$_));
    }
    my $copy = "$dir/$name.copy";
    spew_copy($db, $items, $copy);
    my $empty = Database->new(model => $name);
    refused($empty, 'postgres', qr/publisher alone/, 'COPY of all columns of another repository', "\\copy $items from '$copy'");
    refused($empty, 'oai_loader', qr/permission denied/, 'COPY of all columns of another repository', "\\copy $items from '$copy'");
    is $list->(), $before, 'nothing has moved';
    is $db->value('select count(*) from oai.queue'), 0, 'and nothing is queued';

    # A role that says it is the publisher is not.
    as($db, 'oai_loader', "set oai.publisher = 'on'", "update $items set $model->{changed} where id = 5", "delete from $items where id = 6");
    is $db->value("select string_agg(distinct id::text, ' ' order by id::text) from oai.queue"), '5 6', 'a writer that sets oai.publisher is queued all the same';
    is $db->value("select deleted from oai.item where id = 6"), 't', 'and leaves a tombstone';
    is_sound($db, 'after that');

    # What writers do stays possible.
    as($db, 'oai_loader', "update $items set $model->{changed}", "delete from $items where id = 7", "delete from $filing", $model->{with}->('id, deleted', '90, false'),
        "begin; select from $items where id = 8 for update; commit");
    is_sound($db, 'after ordinary changes');
    is $db->value("select count(*) from oai.item where deleted"), 2, 'DELETE leaves a tombstone with its number';

    note "$name: sets";
    refused($db, 'postgres', qr/set col:war holds or held/, 'an emptied set gets another setSpec', "update oai.set set spec = 'col:x' where spec = 'col:war'");
    refused($db, 'postgres', qr/set col:war holds or held/, 'an emptied set gets another parent', "update oai.set set parent = null where spec = 'col:war'");
    refused($db, 'postgres', qr/are not removed/, 'an emptied set is removed', "delete from oai.set where spec = 'col:war'");
    refused($db, 'postgres', qr/are not removed/, 'all sets are removed', 'truncate oai.set cascade');
    refused($db, 'postgres', qr/the publisher alone counts/, "a set gets $_", "update oai.set set $_ where spec = 'col:war'") for 'item_count = 5', 'held = false';
    refused($db, 'postgres', qr/the publisher alone counts/, 'a new set comes with a count', "insert into oai.set (spec, name, item_count) values ('x', 'x', 5)");
    refused($db, 'oai_publisher', qr/permission denied/, 'moves a set', "update oai.set set spec = 'col:x' where spec = 'col:mistake'");
    $db->run("insert into oai.set (spec, name) values ('mistaken', 'Mistaken')", "update oai.set set spec = 'y', name = 'Y' where spec = 'mistaken'",
        "delete from oai.set where spec = 'y'", "update oai.set set description = 'text' where spec = 'col:war'");
    pass('a set that never held anything may be renamed and removed, and any set may be described');
    refused($db, 'postgres', qr/cannot be renamed/, 'a name of the model is changed', "update $names set name = 'x' where name = 'mistake'");

    note "$name: dump and restore";
    my $state = sub { return join "\n", map { join ' ', map { $_ // '' } @$_ } map { $_[0]->rows($_) }
        "select * from $items order by id", 'select * from oai.set order by id', 'select * from oai.set_chunk order by 1, 2',
        'select single, h, last_seq, item_count, epoch, keep_deleted from oai.horizon', 'select * from oai.calendar order by 1',
        "select grantee, table_name, column_name, privilege_type from information_schema.column_privileges where table_schema in ('oai', 'webarchiv', 'library') order by 1, 2, 3, 4",
        'select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal order by 1' };
    my $restored = Database->new(schema => 0);
    is system('pg_dump', '-Fc', '-f', "$dir/$name.dump", '-d', $db->conninfo), 0, 'pg_dump';
    is system('pg_restore', '--exit-on-error', '-d', $restored->conninfo, "$dir/$name.dump"), 0, 'pg_restore';
    is $state->($restored), $state->($db), 'the restored repository is the same';
    as($restored, 'oai_loader', "update $items set $model->{changed} where id = 3");
    refused($restored, 'postgres', qr/publisher alone/, 'the restored triggers refuse', "update $items set seq = 77 where id = 5");
    refused($restored, 'oai_loader', qr/permission denied/, 'and so do the restored rights', "update $items set seq = 77 where id = 5");
    is_sound($restored, 'after the restore');
    is $restored->value('select seq from oai.item where id = 3'), $restored->value('select last_seq from oai.horizon'), 'and publishing goes on';

    note "$name: oai check";
    as($db, 'oai_loader', "insert into $filing select 3, id from $names where name = 'war'");
    is_sound($db, 'before the damage');
    my $check = sub { return (run_program("$build/release/oai", '--config', write_ini("$dir/$name.ini", $db), 'check'))[1] };
    unlike $check->(), qr/oai\.(item|set)\b/, 'finds nothing in a sound repository';
    for (['a number that the publisher did not give', 'item 5: has the number 1000000', "update $items set seq = 1000000 where id = 5"],
         ['an item that is not queued', 'item 5: is neither published nor queued', "update $items set seq = null, set_ids = '{}' where id = 5"],
         ['another datestamp', 'item 5: has the datestamp 2001', "update $items set datestamp = '2001-01-01' where id = 5"],
         ['other sets', 'item 5: is published in other sets', "insert into $kept select 5, id$model->{kept_so} from $names where name = 'war'"],
         # A doc's collections stand in its row, and go with it.
         ($name eq 'library' ? ['another id', 'item 900003: is published in other sets', "update $items set id = 900003 where id = 3"] : ()),
         ['a renamed set', 'set col:x: was renamed: the model has the name of col:war', "update oai.set set spec = 'col:x' where spec = 'col:war'"],
         ['a set in another place', 'set col:x: does not lie below its parent', "update oai.set set parent = null, spec = 'col:x' where spec = 'col:mistake'"]) {
        my ($what, $words, $sql) = @$_;
        like Database::psql($db->conninfo, map { ('-c', $_) } 'begin', 'set local session_replication_role = replica', $sql,
            "select 'item ' || id || ': ' || problem from oai.check_items() union all select 'set ' || spec || ': ' || problem from oai.check_sets()", 'rollback'),
            qr/\Q$words/, "finds $what";
    }
    behind_its_back($db, "update oai.set set spec = 'col:x' where spec = 'col:war'");
    like $check->(), qr/^oai: oai\.set: set col:x: was renamed/m, 'oai check prints what is wrong with a set';
    behind_its_back($db, "update oai.set set spec = 'col:war' where spec = 'col:x'", "update $items set seq = 1000000 where id = 5");
    like $check->(), qr/^oai: oai\.item: item 5: has the number 1000000/m, 'and with an item';

    # What deploy/manual/security.md says about a number that the publisher did not give.
    $db->run("set oai.publisher = 'on'", "update $items set seq = null where seq > (select last_seq from oai.horizon)");
    1 while $db->publish;
    is $db->value('select count(*) from oai.check_items()'), 0, 'the item is published again';
}

sub spew_copy { my ($db, $table, $file) = @_; $db->run("\\copy $table to '$file'"); return }
done_testing;
