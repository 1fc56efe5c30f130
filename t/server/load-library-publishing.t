#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `oai load` publishes its own slices of library items (schema/core/loading.sql, library/loading.sql): what is loaded has numbers,
# datestamps, sets and what formats require at once, as the publisher would have given them; what is known, deleted or stands in
# somebody's way is left to the publisher; of an item that is met twice the last one counts; and only the loader's role may do so.
use TestProgram;
use Breakpoint;
use LoadChecks;
use ParallelSubtests;

use constant {ITEMS => 4000};    # of a file whose loader is disturbed

my $oai = "$build/release/oai";
my $dir = tempdir('oai-load-XXXXXX', TMPDIR => 1, CLEANUP => 1);

# A repository that was published already, since a first numbering is the publisher's; it requires what some items have.
my $repositories = 0;
sub repository {
    my ($first) = @_;
    my $db = Database->new(model => 'library');
    my $ini = write_ini("$dir/$$-" . ++$repositories . '.ini', $db, loader => {slice_records => 2000});   # the fewest, so that no slow machine makes them fewer
    $db->run("update oai.horizon set last_seq = $first") if $first;
    $db->run("select oai.register_requirements('[[\"doi\"], [\"title\"]]')", "insert into library.item (local_id, title) values ('old', '{Old}')",
        'select oai.publish(10)');
    wait_until(sub { $db->run('select oai.publish(10)', 'select oai.catch_up_rules()'); $db->value('select count(*) from oai.rule where examined is null') == 2 }) or die 'requirements are not examined';
    return ($db, $ini);
}
sub items { my ($from, $to, %how) = @_; return library_items("$dir/$$-$from-$to-" . ($how{title} // '') . '.csv', $how{numbers} // [$from .. $to], %how) }

sub published_at_once {
    for my $first (sample(2, 0, 2**32 - 3500)) {
        my ($db, $ini) = repository($first);
        my $last = loads_at_once($db, 'library.item', sub { load($ini, '--collection', 'b:c', '--collection', 'b:a', items(1, 7000)) }, "and spec !~ '^col:c:'",
            'col=6000 col:all=6000 col:b=6000 col:b:a=6000 col:b:c=6000 col:c=857 lang=6000 lang:cs=2000 lang:de=2000 lang:en=4000 type=5400 type:book=3000 type:book:part=3000 type:map=2400',
            sub { is $db->value("select item_count from oai.rule where name = '{doi}'"), 2000, 'what a format requires is counted' });
        cmp_ok $last, '>', 2**32, 'numbers go on beyond 2^32' if $first;

        # The same by the publisher alone.
        my ($other, $its_ini) = repository($first);
        load($its_ini, '--leave-to-publisher', '--collection', 'b:c', '--collection', 'b:a', items(1, 7000));
        is $other->value($queued), 7000, '--leave-to-publisher does' if !$first;
        1 while $other->publish(10_000);
        is library_content($db) . requirements($db), library_content($other) . requirements($other), 'the repository is as the publisher makes it';

        # What changes is published by the publisher, like a change by any other program; what is new beside it is not.
        my @mixed = map { (6000 + $_, 7000 + $_) } 1 .. 3000;
        my ($status, $said) = load($ini, '--collection', 'b:c', '--collection', 'b:a', items(6001, 10_000, numbers => \@mixed, title => 'New'));
        like $said, qr/6000 records \(3000 inserted, 1000 updated, 2000 unchanged\)|5000 inserted/, 'known items are changed among new ones' or diag $said;
        1 while $db->publish(10_000);
        is $db->value("select count(*) from library.item where title[1] like 'New %' and seq is not null"), 4000, 'and published';
        is_sound($db, 'published again');
    }
}

sub left_to_publisher {
    my $db = Database->new(model => 'library');
    my $ini = write_ini("$dir/new.ini", $db);
    my ($status) = load($ini, items(1, 2500));
    is "$status " . $db->value($queued), '0 2500', 'a first numbering is the publisher\'s';
    1 while $db->publish(10_000);

    # Deleted records are the publisher's, which knows what becomes of them.
    my $said;
    ($status, $said) = load($ini, library_dump("$dir/dump.xml", 'd', 1, 2500));
    is "$status " . $db->value($queued), '0 250', 'deleted records are left to the publisher' or diag $said;
    is $db->value("select count(*) from library.item where local_id like 'd/%' and seq is not null and datestamp > now() - interval '1 hour'"), 2250, 'others are published, as of now';
    1 while $db->publish(10_000);
    is $db->value("select count(*) from library.item where local_id like 'd/%' and seq is not null and deleted"), 250, 'all of them are published';

    # Somebody has changed a set and not committed; somebody has inserted one of the items.
    for my $lock ("update oai.set set description = '<d/>' where spec = 'lang:en'", "insert into library.item (local_id) values ('i/8000')") {
        my ($from, $to) = $lock =~ /^insert/ ? (6001, 8500) : (3001, 5500);
        beside_lock($db, $lock, sub { start_program([$oai, '--config', $ini, 'load', items($from, $to)], log => "$dir/locked.log") }, "$dir/locked.log");
        is $db->value("select count(*) from library.item where title is not null and substr(local_id, 3)::integer between $from and $to and local_id like 'i/%'"), 2500, 'every item is there';
        1 while $db->publish(10_000);
    }
    is_sound($db, 'published');
}

# A file that says different things of the same items, in slices that would be written at the same time.
sub last_counts {
    my ($db, $ini) = repository(0);
    my @lines = map { my $title = $_; map { "i/$_,$title\n" } 1 .. 3000 } qw(First Second Last);
    for (1 .. 2) {
        my ($status, $said) = load($ini, spew("$dir/twice.csv", join '', "local_id,title\n", @lines));
        is $status, 0, 'a file that has each item three times is loaded' or diag $said;
        is $db->value("select string_agg(distinct title[1], ' ') from library.item where local_id like 'i/%'"), 'Last', 'the last one counts';
    }
    1 while $db->publish(10_000);
    is_sound($db, 'published');
}

# Three loaders and a publisher; items that several files have.
sub several {
    my ($db, $ini) = repository(0);
    my $publisher = start_program([$oai, '--config', $ini, 'publish'], out => "$dir/publish.log");
    my @loaders = map { start_program([$oai, '--config', $ini, 'load', $_], log => "$dir/several.log") } items(1, 6000), items(3001, 9000), items(1, 6000);
    all_end($db, $publisher, @loaders);
    is $db->value("select count(*) from library.item where local_id like 'i/%' and seq is not null"), 9000, 'every item is published';
    is_sound($db, 'published');
    unlike slurp("$dir/publish.log"), qr/level=error (?!.*sqlstate=55P03)/, 'the publisher has met no error';    # a slow loader may keep it waiting
}

# Loaders are killed in the middle of a slice, and their backends ended, while a publisher publishes what another program writes and
# a harvester asks for what is new since its last answer: it gets every item.
sub killed {
    my ($db, $ini) = repository(0);
    my $publisher = start_program([$oai, '--config', $ini, 'publish'], log => "$dir/killed.log");
    my ($from, %harvested) = ('-infinity');
    my $harvest = sub {
        my @rows = $db->rows("select o.h + interval '1 second', i.local_id from oai.horizon o left join oai.item i on i.seq <= o.last_seq and i.datestamp >= '$from'");
        $from = $rows[0][0];
        $harvested{ $_->[1] // '' } = 1 for @rows;
    };
    my $in_slice = Breakpoint->new($db, 'insert on library.item', "session_user = 'oai_loader' and current_query() like '%publish_loaded%'");
    my $written = "$dir/written";
    my $writer = later(sub {
        while (!-e $written) { $db->run("insert into library.item (local_id) values ('plain/' || nextval('library.item_id_seq'))"); pace(0.2) }
    });
    my $files = 0;
    for my $trouble (('killed', 'backend ended', 'loaded') x (is_long() ? 2 : 1)) {
        my $file = items($files * ITEMS + 1, ($files + 1) * ITEMS);
        ++$files;
        $in_slice->arm if $trouble ne 'loaded';
        my $loader = start_program([$oai, '--config', $ini, 'load', $file], log => "$dir/killed.log");
        if ($trouble ne 'loaded') {
            my $backend = $in_slice->reached;
            ok $backend, 'a loader is in the middle of a slice';
            $harvest->();
            $trouble eq 'killed' ? kill('KILL', $loader) : $db->run("select pg_terminate_backend($backend)");
            $in_slice->release;
            isnt status_of($loader), 0, "$trouble in mid-slice";
            $harvest->();
            is((load($ini, $file))[0], 0, 'the file is loaded again');
        } else {
            is status_of($loader), 0, 'a file is loaded';
        }
        $harvest->();
    }
    spew($written, '');
    waitpid $writer, 0;
    is $?, 0, 'another program has written all the while';
    all_end($db, $publisher);
    $harvest->();
    is $db->value("select count(*) from library.item where local_id like 'i/%' and title[1] = 'Title ' || substr(local_id, 3)"), ITEMS * $files, 'every item is there once';
    my @missed = grep { !$harvested{ $_->[0] } } $db->rows("select local_id from library.item where local_id <> 'old'");
    is scalar @missed, 0, 'and was harvested';
    is_sound($db, 'after it');
}

# Another program has brought ids of its own, which the sequence then gives out once more.
sub strange_ids {
    my ($db, $ini) = repository(0);
    $db->run("insert into library.item (id, local_id) select n, 'own/' || n from generate_series(2, 15000) n");
    1 while $db->publish(20_000);
    my @helps = map { my $file = $_; ids_of_others($db, sub { load($ini, $file) }, 'load_item_insert') } items(1, 10), items(11, 2110), items(1, 10);
    $db->run($helps[-1]);
    is((load($ini, items(1, 2110)))[0], 0, 'then they are loaded');
    is $db->value("select count(*) from library.item where local_id like 'i/%'"), 2110, 'each';
}

# The functions in the hands of the loader's role, and of others.
sub rights {
    my ($db, $ini) = repository(0);
    for my $role ('oai_reader', 'oai_publisher') {
        my $said = eval { Database::psql($db->conninfo($role), '-c', 'select library.make_staging()') } // $@;
        like $said, qr/permission denied/, "$role may not load";
    }
    my $loader = $db->conninfo('oai_loader');
    my $try = sub { eval { Database::psql($loader, map { ('-c', $_) } @_) } // $@ };
    like $try->('create temporary table load_new (place integer)', 'select library.make_staging()'), qr/stands in the place/,
        'the loader has no tables of its own in the place of the function\'s';
    like $try->('select library.make_staging()', 'insert into load_new (place) values (7)'), qr/permission denied/, 'the slice is the function\'s';
    my $slice = "begin; insert into load_item (local_id, kind, collection_ids) values ('x', 'book', '{%s}');
        select library.analyze_staged(), library.prepare_slice(); do \$\$ begin while (select turn = 'wait' from oai.publish_loaded()) loop perform pg_sleep(0.05); end loop; end \$\$";   # until it is its turn
    like $try->('select library.make_staging()', sprintf($slice, 77777) . '; commit'), qr/there is no collection 77777/, 'a collection that is not there is refused';
    is $db->value("select count(*) from library.item where local_id = 'x'"), 0, 'and nothing is loaded';

    # Behind the function the transaction is one like any other, and nobody gets round the sets of kinds.
    my $said = $try->('select library.make_staging()', sprintf($slice, '') . "; set oai.publisher = on; update library.item set year = 1999 where local_id = 'old'; commit");
    is $db->value("select count(*) from library.item where local_id = 'x' and seq = 2 and kind_id is not null"), 1, 'a slice is published' or diag $said;
    is $db->value($queued), 1, 'what is changed behind it is queued';
    for my $who ($loader, $db->conninfo) {
        my $refused = eval { Database::psql($who, '-c', 'set oai.publisher = on', '-c', "insert into library.item (local_id, kind, kind_id) values ('y', 'book', 1)") } // $@;
        like $refused, qr/publishes nothing/, 'the publisher\'s setting does not make a publisher';
        $refused = eval { Database::psql($who, '-c', 'set oai.publisher = on', '-c', 'insert into library.item_collection values (77777, 77777)') } // $@;
        like $refused, qr/publishes nothing/, 'nor does it file what is not there';
    }
    $db->run("insert into library.item (local_id, kind, language, kind_id, language_ids) values ('z1', 'new:kind', '{CZE}', 1, '{1}'), ('z2', null, '{Czech,en-GB,und,xyz,en}', 1, '{1}'), ('z3', 'map', '{tlh}', 1, null)");
    is $db->value("select string_agg(local_id || ' ' || array(select spec from unnest(sets_now) with ordinality u(id, n) join oai.set s using (id) order by n)::text, ' ' order by local_id) from oai.membership where local_id like 'z_'"),
        'z1 {type:new:kind,lang:cs} z2 {lang:en,lang:xyz} z3 {type:map,lang:tlh}', 'rows of other programs get their sets by kind and language';
    $db->run("update library.item set kind = 'book', language = '{de}' where local_id = 'z1'");
    is $db->value("select array(select spec from unnest(sets_now) with ordinality u(id, n) join oai.set s using (id) order by n)::text from oai.membership where local_id = 'z1'"), '{type:book,lang:de}', 'also when they change';
    1 while $db->publish(10_000);
    is_sound($db, 'then');
}

parallel_subtests(
    'what is loaded is published' => \&published_at_once,
    'what is left to the publisher' => \&left_to_publisher,
    'the last one counts' => \&last_counts,
    'several loaders and the publisher' => \&several,
    'killed in mid-slice' => \&killed,
    'ids of others' => \&strange_ids,
    'rights' => \&rights,
);
done_testing;
