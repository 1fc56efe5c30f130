#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `oai load` publishes its own slices of captures (schema/core/loading.sql, webarchiv/loading.sql): what is loaded has numbers
# and datestamps at once, as the publisher would have given them; several loaders and the publisher share the seconds; where a
# slice cannot be published it is left to the publisher; and only the loader's role may do so, for no more than that.
use TestProgram;
use LoadChecks;
use Fcntl qw(O_RDWR);
use POSIX qw(mkfifo);
use ParallelSubtests;

my $oai = "$build/release/oai";
my $dir = tempdir('oai-load-XXXXXX', TMPDIR => 1, CLEANUP => 1);

# A repository that is published already, since a first numbering is the publisher's.
my $repositories = 0;
sub repository {
    my ($first) = @_;
    my $db = Database->new;
    my $ini = write_ini("$dir/$$-" . ++$repositories . '.ini', $db, loader => {slice_records => 2000});   # the fewest, so that no slow machine makes them fewer
    $db->run("update oai.horizon set last_seq = $first") if $first;
    $db->run("insert into webarchiv.domain (name) values ('cz:old')", "insert into webarchiv.doc (archived_time, url, surt) values ('2007-01-01', 'http://old.cz/', 'cz,old)/')",
        'select oai.publish(10)', 'select oai.publish(10)');
    return ($db, $ini);
}
sub cdxj {
    my ($from, $to, %how) = @_;
    my $digest = $how{digest} // 'D';
    return spew("$dir/$$-$from-$digest.cdxj", join '', map {
        my $known = $digest && qq|, "digest": "$digest$_"|;
        qq|cz,a)/$_ 20070101000000 {"url": "http://www.a.cz/$_", "mime": "text/html", "filename": "x.warc", "offset": $_$known}\n| } $from .. $to);
}

sub published_at_once {
    for my $first (sample(2, 0, 2**32 - 3500)) {
        my ($db, $ini) = repository($first);
        my $last = loads_at_once($db, 'webarchiv.doc', sub { load($ini, '--collection', 'b:c', '--collection', 'b:a', cdxj(1, 7000)) }, '',
            'col=6000 col:b=6000 col:b:a=6000 col:b:c=6000 dom=6000 dom:cz=6000 dom:cz:a=6000 dom:cz:a:www=6000 mim=6000 mim:text=6000 mim:text:html=6000');
        cmp_ok $last, '>', 2**32, 'numbers go on beyond 2^32' if $first;

        # What changes is published by the publisher, like a change by any other program.
        my ($status, $said) = load($ini, '--collection', 'other', cdxj(1, 7000));
        like $said, qr/0 inserted, 7000 updated/, 'known captures are put into another collection';
        is $db->value($queued), 7000, 'and are left to the publisher';
        1 while $db->publish(10_000);
        is_sound($db, 'published again');
    }
}

sub left_to_publisher {
    my $db = Database->new;
    my $ini = write_ini("$dir/new.ini", $db);
    my ($status, $said) = load($ini, cdxj(1, 2500));
    is "$status " . $db->value($queued), '0 2500', 'a first numbering is the publisher\'s';
    1 while $db->publish(10_000);
    ($status) = load($ini, '--leave-to-publisher', cdxj(2501, 5000));
    is "$status " . $db->value($queued), '0 2500', 'so is what an option says';
    1 while $db->publish(10_000);

    # Somebody has changed a set and not committed; somebody has inserted one of the captures.
    for my $lock ("update oai.set set description = '<d/>' where spec = 'dom:cz'",
        "insert into webarchiv.doc (archived_time, url, surt, digest) values ('2007-01-01Z', 'http://www.a.cz/8000', 'cz,a)/8000', 'D8000')") {
        my $from = $db->value("select greatest(max(substr(surt, 7)::integer), 5000) + 1 from webarchiv.doc where surt like 'cz,a)/%'");
        beside_lock($db, $lock, sub { start_program([$oai, '--config', $ini, 'load', cdxj($from, $from + 2499)], log => "$dir/locked.log") }, "$dir/locked.log");
        is $db->value("select count(*) from webarchiv.doc where surt like 'cz,a)/%' and substr(surt, 7)::integer between $from and $from + 2499"), 2500,
            'every capture is there once';
        1 while $db->publish(10_000);
    }
    is_sound($db, 'published');
}

# Four loaders and a publisher; captures that two files have, with a digest and without.
sub several {
    my ($db, $ini) = repository(0);
    my $publisher = start_program([$oai, '--config', $ini, 'publish'], out => "$dir/publish.log");
    my @files = (cdxj(1, 6000), cdxj(3001, 9000, digest => ''), cdxj(1, 6000), cdxj(6001, 12_000));
    my @loaders = map { start_program([$oai, '--config', $ini, 'load', $_], log => "$dir/several.log") } @files;
    for (1 .. 20) {
        $db->run("insert into webarchiv.doc (archived_time, url, surt) values ('2007-01-01', 'http://plain.cz/$_', 'cz,plain)/$_')");
        ok wait_until(sub { $db->value("select count(*) from webarchiv.doc where surt = 'cz,plain)/$_' and seq is not null") }), 'a row of another program is published meanwhile' if $_ % 5 == 1;
        last if !grep { kill 0, $_ } @loaders;
    }
    all_end($db, $publisher, @loaders);
    is $db->value("select count(*) || ' ' || count(distinct surt) from webarchiv.doc where surt like 'cz,a)/%'"), '12000 12000', 'every capture is there once';
    is $db->value("select count(*) from webarchiv.doc where surt like 'cz,a)/%' and (digest is null) <> (doc_offset between 6001 and 9000)
                   and not (doc_offset between 6001 and 9000 and digest is not null)"), 0, 'with what either file says';
    is_sound($db, 'published');
    unlike slurp("$dir/publish.log"), qr/level=error (?!.*sqlstate=55P03)/, 'the publisher has met no error';    # a slow loader may keep it waiting
}

# Another program has brought ids of its own, which the sequence then gives out once more.
sub strange_ids {
    my ($db, $ini) = repository(0);
    $db->run("insert into webarchiv.doc (id, archived_time, url, surt) select n, '2007-01-01', 'http://own.cz/' || n, 'cz,own)/' || n from generate_series(2, 15000) n");
    1 while $db->publish(20_000);
    my @helps = map {
        my $file = $_;
        my $help = ids_of_others($db, sub { load($ini, '--collection', 'new', $file) }, 'load_insert');
        is $db->value($queued), 0, 'others are left alone';
        is $db->value("select count(*) from webarchiv.doc where surt like 'cz,a)/%'"), 0, 'and nothing of the slice is there';
        $help } cdxj(1, 10), cdxj(11, 2110), cdxj(1, 10);
    $db->run($helps[-1]);
    is((load($ini, cdxj(1, 2110)))[0], 0, 'then they are loaded');
    is $db->value("select count(*) from webarchiv.doc where surt like 'cz,a)/%'"), 2110, 'each';
}

# Whose turn it is, so long after a second has begun, by a clock that stands still.
sub turns {
    my ($db) = repository(0);
    $db->run('create schema still', "create table still.clock as select date_trunc('second', clock_timestamp()) as second, 0.0 as after",
        q{create function still.clock_timestamp() returns timestamptz language sql as 'select second + after * interval $$1 s$$ from still.clock'},
        'alter function oai.begin_loaded_slice(bigint) set search_path = still, pg_catalog');
    my $turn = sub {
        my ($after, $loaded, $publisher_ago) = @_;
        my @rows = $db->rows("update still.clock set after = $after;
            update oai.horizon set h = x, loaded = x - interval '$loaded s', published = x - interval '$publisher_ago s'
            from (select second - interval '2 s' from still.clock) t(x);
            select coalesce(turn, 'taken') from oai.begin_loaded_slice(1)");
        return $rows[-1][0];
    };
    is $turn->(0.001, 1, 0), 'taken', 'after a second of the publisher a loader goes first';
    is $turn->(0.001, 0, 0), 'wait', 'after one of its own it leaves a moment to the publisher';
    is $turn->(0.2, 0, 1), 'taken', 'and goes on when that does not use it';
    is $turn->(0.2, 0, 5), 'wait', 'a publisher that comes too late is waited for';
    is $turn->(0.7, 0, 5), 'taken', 'for half a second';
    is $turn->(0.2, 0, 60), 'taken', 'unless it does not run';
}

# Where a slice takes long, those that follow are made smaller. How fast the machine is beside that makes no difference: a slower one
# has slices that are smaller still.
sub slow {
    my ($db) = repository(0);
    my $ini = write_ini("$dir/slow.ini", $db, loader => {slice_records => 6000});
    $db->run('create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep((select 0.0003 * count(*) from fresh)); return null; end $$',
        'create trigger slow after insert on webarchiv.doc referencing new table as fresh for each statement execute function slow()');
    my ($status, $said) = load($ini, cdxj(1, 40_000));
    is $status, 0, 'a file is loaded' or diag $said;
    my @sizes = map { $_->[0] } $db->rows("select count(*) from webarchiv.doc where surt like 'cz,a)/%' and seq is not null group by datestamp order by datestamp");
    note "@sizes";
    is $sizes[0], 6000, 'the first slice locks the horizon for 1.8 s';
    cmp_ok scalar @sizes, '>=', 8, 'others follow';
    is scalar(grep { $_ > 4000 } @sizes[6 .. $#sizes]), 0, 'those that were gathered after it are smaller';
}

# The functions in the hands of the loader's role, and of others.
sub rights {
    my ($db, $ini) = repository(0);
    for my $role ('oai_reader', 'oai_publisher') {
        my $said = eval { Database::psql($db->conninfo($role), '-c', 'select webarchiv.make_staging()') } // $@;
        like $said, qr/permission denied/, "$role may not load";
    }
    my $loader = $db->conninfo('oai_loader');
    my $try = sub { eval { Database::psql($loader, map { ('-c', $_) } @_) } // $@ };
    for my $call ('oai.make_slice()', 'oai.collect_loaded()', 'oai.begin_loaded_slice(1)', 'oai.publish(1)', 'oai.move_postings()') {
        like $try->("select $call"), qr/permission denied/, "the loader may not call $call";
    }
    like $try->('create temporary table posting (set_id integer, come integer[])', 'select webarchiv.make_staging()'), qr/stands in the place/,
        'nor have tables of its own in the place of the function\'s';
    like $try->('select webarchiv.make_staging()', "begin; insert into load_capture (url, surt, archived_time, id_domain) values ('http://e.cz/', 'cz,e)/', now(), 77777);
        select webarchiv.analyze_staged(), webarchiv.prepare_slice('{}')"), qr/there is no domain 77777/, 'a domain that is not there is refused';
    like $try->('select webarchiv.make_staging()', 'alter table load_capture add x integer'), qr/must be owner/, 'the tables are not the loader\'s';

    # Behind the function the transaction is one like any other.
    my $slice = "begin; insert into load_capture (url, surt, archived_time) values ('http://e.cz/', 'cz,e)/', now());
        select webarchiv.analyze_staged(), webarchiv.prepare_slice('{}'); do \$\$ begin while (select turn = 'wait' from oai.publish_loaded()) loop perform pg_sleep(0.05); end loop; end \$\$";   # until it is its turn
    my $said = $try->('select webarchiv.make_staging()', "$slice; set oai.publisher = on; update webarchiv.doc set status = 404 where surt = 'cz,old)/'; commit");
    is $db->value($queued), 1, 'what it changes there is queued' or diag $said;
    is $db->value("select count(*) from webarchiv.doc where surt = 'cz,e)/' and seq = 2"), 1, 'the slice is published';
    mkfifo(my $gone = "$dir/gone", 0600) or die $!;
    my $waits = later(sub {
        wait_until(sub { $db->value("select count(*) from pg_stat_activity where datname = current_database() and usename = 'oai_loader' and state like 'idle in transaction%'") })
            && wait_until(sub { !$db->value("select count(*) from pg_stat_activity where datname = current_database() and usename = 'oai_loader'") });
        sysopen(my $fifo, $gone, O_RDWR) or die $!;    # does not wait where psql has ended before
        close $fifo;
    });
    $said = $try->('select webarchiv.make_staging()', $slice =~ s/cz,e/cz,f/r =~ s/e\.cz/f.cz/r,
        "\\! cat $gone", 'commit');
    waitpid $waits, 0;
    like $said, qr/idle-in-transaction timeout/, 'one that does not commit is ended';
    is $db->value("select count(*) from webarchiv.doc where surt = 'cz,f)/'"), 0, 'and what it did is undone';
    is_sound($db, 'then');
}

parallel_subtests(
    'what is loaded is published' => \&published_at_once,
    'what is left to the publisher' => \&left_to_publisher,
    'several loaders and the publisher' => \&several,
    'ids of others' => \&strange_ids,
    'turns' => \&turns,
    'a slow machine' => \&slow,
    'rights' => \&rights,
);
done_testing;
