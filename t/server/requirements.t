#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Lists in formats that require columns: the publisher keeps which items have them (schema/core/rules.sql). First this is
# compared with the records themselves under random changes; then by harvests of a format that three records have, whose
# pages must cost few buffers. Environment: OAI_SEED repeats a run; OAI_REQUIREMENT_RECORDS (20000) is
# the size of the repository with the rare format.
use TestProgram;
use RandomChanges;

my @lists = (['marc'], ['title'], ['title', 'year'], ['collections', 'title'], ['nonesuch'], ['origin', 'marc']);
# As a publisher does that is alone in asking for anything.
sub register { return "update oai.rule set wanted_at = wanted_at - interval '2 h'; select oai.register_requirements('[" . join(',', map { '[' . join(',', map { qq("$_") } @$_) . ']' } @_) . "]')" }

# What the lists of a requirement must have, by the rows themselves.
my %is_met = (marc => 'marc is not null', title => 'cardinality(title) > 0', year => 'year is not null',
    collections => 'cardinality(collections_id) > 0', nonesuch => 'false', origin => 'origin is not null');

my $items = 0;
my $start = one_of(0, 2**31 - 9000, 2**32 - 9000);   # numbers begin after it
sub new_items {
    my ($n) = @_; my $first = $items + 1; $items += $n;
    my ($title, $marc, $year) = (one_of("array['t']", "array['t']", 'null', "case when n % 3 = 0 then array['t'] end"),
        one_of('null', "'<m/>'::xml", "case when n % 50 = 0 then '<m/>'::xml end"), one_of('null', 'n % 2000 + 1'));
    return "insert into library.item (local_id, title, marc, year, kind) select 'a' || n, $title, $marc, $year, '@{[one_of('book', 'map')]}'
            from generate_series($first, $items) n";
}
sub change {
    my $first = between(1, $items); my $some = "substr(local_id, 2)::integer between $first and " . ($first + between(0, one_of(0, 20, 300)));
    return one_of(
        sub { new_items(between(1, one_of(3, 300))) },
        sub { "update library.item set title = @{[one_of('null', qq(array['u']))]} where $some" },
        sub { "update library.item set marc = @{[one_of('null', qq('<m/>'))]}, origin = @{[one_of('null', qq('<o/>'))]} where $some" },
        sub { "update library.item set year = 7, deleted = @{[one_of('true', 'false')]} where $some" },
        sub { "delete from library.item where $some" },
        sub { "insert into library.item_collection select id, (select id from library.collection) from library.item where $some on conflict do nothing" },
        sub { "delete from library.item_collection where id_item in (select id from library.item where $some)" },
        sub { register(grep { rand() < 0.8 } @lists) },
        sub { "select oai.purge('2031-01-01', @{[$start + between(0, 500)]}, 300)" },
        sub { 'select 1' })->();
}

# Returns words for the first list that differs from the rows, '' if none does.
sub difference {
    my ($db) = @_;
    my $last = $db->value('select last_seq from oai.horizon');
    for my $list (@lists) {
        my $required = "'{" . join(',', @$list) . "}'";
        my $where = join ' and ', "seq is not null and (deleted or " . join(' and ', map { $is_met{$_} } @$list) . ')';
        for my $spec ('null', map { "'$_->[0]'" } $db->rows("select spec from oai.set where spec in ('type:book', 'col:some')")) {
            my $after = one_of(0, between($start, $last));
            my $upto = one_of($last, between($after, $last));
            my $in_set = $spec eq 'null' ? '' : "and set_ids && (select array_agg(id) from oai.set where spec = $spec)";
            my ($row) = $db->rows("with p as (select * from oai.list_position(null, null, $spec, $after, $upto, 100000, null, null, $required)),
                want as (select array(select seq from oai.record where $where $in_set and seq > $after and seq <= $upto order by seq) as all)
                select coalesce(p.set_id, p.required_id) is null, p.size, cardinality(w.all), w.all[1:20] =
                       array(select * from oai.set_page(coalesce(p.set_id, p.required_id), $after, $upto, 20,
                                                        case when p.set_id is not null then p.required_id end)), p.required_id from p, want w");
            my ($is_whole, $size, $want, $is_equal, $required_id) = @$row;
            return "@$list in $spec, $after to $upto: size " . ($size // 'unknown') . ", not $want" if !defined $size || $size != $want;
            return "@$list in $spec, $after to $upto: other numbers" if $is_equal ne 't' && !$is_whole && ($required_id || $spec eq 'null');
        }
    }
    return '';
}

subtest 'lists equal the rows after random changes' => sub {
    my $db = hurried(model => 'library');
    note "numbers begin after $start";
    $db->run("update oai.horizon set last_seq = $start", "insert into library.collection (name) values ('some')", map { new_items($_) } 300, 6000);
    $db->run(register(@lists[0 .. 2]));
    my $bad = '';
    for my $round (1 .. (is_long() ? 7 : 3)) {
        my @changes = map { change() } 1 .. between(1, 10);
        for (@changes) { $db->run($_); $db->run('select oai.publish(' . one_of(50, 500, 5000) . ')', 'select oai.catch_up_rules(' . one_of(50, 500, 5000) . ')') if rand() < 0.5 }
        if (my @wrong = $db->rows('select * from oai.check_chunks()')) { $bad = "while it catches up: @{$wrong[0]}[0, 2]" }
        $db->run(register(@lists));
        settle($db);
        $bad ||= difference($db);
        if (my @wrong = $db->rows('select * from oai.check_chunks()')) { $bad ||= "@{$wrong[0]}[0, 2]" }
        last if $bad;
    }
    is $bad, '', 'lists, sizes and counters are right';
    cmp_ok $db->value('select count(*) from oai.rule where not is_universal'), '>', 2, 'lists were kept';

    my $universal = 'select is_universal from oai.rule where name = \'{title}\'';
    $db->run("update library.item set title = array['x'] where title is null", register(['marc'])); settle($db);
    $db->run(register(@lists)); settle($db);
    is $db->value($universal), 't', 'what all items have needs no list';
    is $db->value("select count(*) from oai.set_chunk where set_id = (select set_id from oai.rule where name = '{title}')"), 0, 'and has no chunks';
    is difference($db), '', 'all lists are right';
    $db->run("update library.item set title = null where id = (select max(id) from library.item where not deleted)");
    settle($db);
    is $db->value($universal), 'f', 'once an item lacks it';
    is difference($db), '', 'the list is kept';

    $db->run(register()); settle($db);
    is $db->value('select (select count(*) from oai.rule) + (select count(*) from oai.set_chunk where set_id >= 1073741824)'), 0,
        'what no format requires is removed';
    is $db->value("select size is null and required_id is null from oai.list_position(null, null, null, null, null, 100, required => '{marc}')"), 't',
        'and then nothing is known of it';

    # A column that goes away under the publisher must not stop it.
    $db->run(register(['marc'])); settle($db);
    $db->run('do $$
        declare
            without text := regexp_replace(pg_get_viewdef($x$oai.record$x$), $x$,\s*(i\.)?marc(?=,)$x$, $x$ $x$);
        begin
            drop view oai.record cascade;   -- what the search shows goes with it
            execute $x$create view oai.record as $x$ || without;
        end $$', 'grant select on oai.record to oai_reader, oai_publisher, oai_rule',
        "insert into library.item (local_id, title) values ('later', array['t'])");
    my $last = $db->value('select last_seq from oai.horizon');
    settle($db);
    is $db->value('select last_seq from oai.horizon'), $last + 1, 'a column that is gone does not stop the publisher';
    $db->run(register(['marc'])); settle($db);
    is $db->value('select condition from oai.rule'), 'r.deleted or false', 'from then on only tombstones have it';
};

my $records = $ENV{OAI_REQUIREMENT_RECORDS} // 20_000;
my $db = Database->new(model => 'library');
$db->run("insert into library.item (local_id, title, marc, kind)
          select 'm' || n, array['A title'], '<record xmlns=\"http://www.loc.gov/MARC21/slim\"><leader>     nam a22     2a 4500</leader></record>', 'book'
          from generate_series(1, 3) n");
$db->publish;
# The others as if they had been published the second before, since publishing a million takes minutes.
$db->run('set session_replication_role = replica', "set oai.publisher = 'on'", 'begin',
    "update library.item set seq = seq + $records",
    "insert into library.item (local_id, title, seq, datestamp, kind, kind_id, set_ids) select 'i' || n, array['A title'], n, h - interval '1 h', 'book', k.id, array[k.id]
     from generate_series(1, $records) n, oai.horizon, library.kind k",
    "update oai.horizon set last_seq = last_seq + $records, item_count = item_count + $records",
    "delete from oai.set_chunk", "insert into oai.set_chunk select s.id, n, array(select generate_series(n, least(n + 127, $records + 3)))
     from oai.set s, generate_series(1, $records + 3, 128) n where s.item_count > 0",
    "update oai.set set item_count = $records + 3 where item_count > 0",
    'delete from oai.calendar', "insert into oai.calendar select h - interval '1 h', 0 from oai.horizon", "insert into oai.calendar select h, $records from oai.horizon", 'commit');
$db->run('vacuum analyze library.item', 'vacuum analyze oai.set_chunk');
my $formats = shared_directory();
system('cp', '-rL', "$Server::root/xslt/library/.", $formats) == 0 && system('cp', "$formats/contrib/oai_marc.xsl", $formats) == 0 or die;
my $r = Repository->new(db => $db, formats => $formats);
$r->start;

sub harvest {
    my ($query) = @_;
    my (@found, $size, $pages);
    for (my $body = $r->ask("verb=$query")->{body}; ; $body = $r->ask('verb=' . (split /&/, $query)[0] . "&resumptionToken=$1")->{body}) {
        push @found, $body =~ m{<identifier>oai:example\.org:([^<]+)</identifier>}g;
        ($size) = $body =~ /completeListSize="(\d+)"/ if !$pages++;
        last if $body !~ m{<resumptionToken[^>]*>([^<]+)</resumptionToken>};
    }
    return ("@found", $size);
}

subtest 'a format that three records have' => sub {
    is +(harvest('ListIdentifiers&metadataPrefix=oai_marc'))[0], 'm1 m2 m3', 'is listed before the publisher has looked for them';
    my ($status, $said) = $r->oai('publish', '--once');
    is $status, 0, 'the publisher looks for them' or diag $said;
    is $db->value("select item_count from oai.rule where name = '{marc}' and examined is null"), 3, 'and finds them';
    for my $verb (qw(ListIdentifiers ListRecords)) {
        is +(harvest("$verb&metadataPrefix=oai_marc"))[0], 'm1 m2 m3', "$verb has them all";
        is +(harvest("$verb&metadataPrefix=oai_marc&set=type:book"))[0], 'm1 m2 m3', 'in their set, too';
    }
};

subtest 'what a page costs' => sub {
    for my $spec ('null', "'type:book'") {
        my $page = "with p as materialized (select * from oai.list_position(null, null, $spec, null, null, 10000, required => '{marc}'))
            select i.* from p, oai.set_page(coalesce(p.set_id, p.required_id), p.after_seq, p.upto_seq, 101, case when p.set_id is not null then p.required_id end) s(n),
                 lateral (select * from oai.record where seq = s.n offset 0) i";
        my $session = $db->session;
        $session->send($page) for 1 .. 7;   # until its functions are planned once and for all
        my $plan = join ' ', $session->send("explain (analyze, buffers, costs off, timing off) $page");
        $session->finish;
        my ($buffers) = $plan =~ /Buffers: shared hit=(\d+)/;
        cmp_ok $buffers, '<=', 90, "few buffers are read, however large the repository is ($spec)" or diag $plan;
        note "$buffers buffers, $spec";
    }
};

subtest 'completeListSize is exact' => sub {
    my $small = Repository->new(db => $db, formats => $formats, ini => {lists => {records => 2}});
    $small->start;
    my $sizes = sub { return join ' ', map { $small->ask("verb=ListRecords&metadataPrefix=oai_marc$_")->{body} =~ /completeListSize="(\d+)"/ ? $1 : 'none' } '', '&set=type:book', '&from=2001-01-01' };
    is $sizes->(), '3 3 3', 'of the list, in a set, and with dates';
    $db->run("update library.item set marc = (select marc from library.item where local_id = 'm1') where local_id in ('i5', 'i6')", "update library.item set marc = null where local_id = 'm2'", "delete from library.item where local_id = 'i9'");
    is +($small->oai('publish', '--once'))[0], 0, 'published';
    is $sizes->(), '5 5 5', 'after changes';
};

subtest 'formats that come and go' => sub {
    my $own = shared_directory();
    spew("$own/oai_dc.xsl", slurp("$formats/oai_dc.xsl"));
    my $changing = Repository->new(db => $db, formats => $own);
    is +($changing->oai('publish', '--once'))[0], 0, 'published';
    $db->run(register());
    is +($changing->oai('publish', '--once'))[0], 0, 'published';
    is $db->value('select count(*) from oai.rule'), 0, 'nothing is kept for formats that are not there';
    my $publisher = start_program(["$changing->{bin}/oai", '--config', $changing->{ini}, 'publish'], out => "$changing->{dir}/publisher.log");
    spew("$own/oai_marc.xsl", slurp("$formats/oai_marc.xsl"));
    my $kept = "select item_count from oai.rule where name = '{marc}' and examined is null";
    ok wait_until(sub { ($db->value($kept) // 0) == 5 }), 'the running publisher looks for what a new format requires';
    # The publisher says nothing of a broken file. It reads the whole directory at a time, so it has met what was put there before
    # a file whose requirement it registers.
    my $put_after = sub {
        my ($column) = @_;
        spew("$own/$column.xsl", slurp("$formats/oai_marc.xsl") =~ s/requires="marc"/requires="$column"/r);
        return wait_until(sub { $db->value("select count(*) from oai.rule where name = '{$column}'") });
    };
    spew("$own/oai_marc.xsl", '<broken');
    ok $put_after->('title'), 'it reads a broken file';
    is $db->value("select count(*) from oai.rule where name = '{marc}'"), 1, 'which changes nothing';
    unlink "$own/oai_marc.xsl";
    ok $put_after->('year'), 'it reads the directory again';
    is $db->value("select count(*) from oai.rule where name = '{marc}'"), 1, 'what was kept for a format is not given up at once';
    $db->run("update oai.rule set wanted_at = wanted_at - interval '2 h'");
    ok wait_until(sub { !$db->value("select count(*) from oai.rule where name = '{marc}'") }), 'but an hour later';

    # A session that holds the horizon row keeps the publisher from registering, too; it says so.
    my $holder = $db->session;
    $holder->send('begin');
    $holder->send('select from oai.horizon for update');
    spew("$own/oai_marc.xsl", slurp("$formats/oai_marc.xsl"));
    ok wait_until(sub { slurp("$changing->{dir}/publisher.log") =~ /event=publish_failed statement=publish_requirements sqlstate=55P03/ }), 'it does not wait for it without end';
    $holder->finish;
    ok wait_until(sub { ($db->value($kept) // 0) == 5 }), 'and then it goes on';
    stop_program($publisher);
    is $db->value('select count(*) from oai.check_chunks()'), 0, 'the chunks are right';
};
done_testing();
