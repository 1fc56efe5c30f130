#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The query plans of all statements that the server sends, and of those within the database's functions, in a small repository
# with the skew of a big one (t/bench/generate): each of them uses an index. First it is checked that the generated
# repository equals what oai.publish() makes of the same documents.
use TestProgram;

my $build = $ENV{BUILD} // 'build';
my $n     = 20_000;
my $dir   = tempdir('oai-plans-XXXXXX', TMPDIR => 1, CLEANUP => 1);

my $made = Database->new;
my $said = qx(t/bench/fill '@{[$made->conninfo]}' $n 2>&1);
is $?, 0, 'made-up documents are filled in' or diag $said;

subtest 'the generated repository equals a published one' => sub {
    my $published = Database->new;
    for my $table (qw(domain mimetype collection arc)) {
        my $columns = $table eq 'arc' ? 'id, file' : 'id, parent, name, title';
        copy($published, "webarchiv.$table ($columns)", $table);
    }
    # Triggers assign the ids of names, so the ids of the generator are mapped to these by name.
    $published->run('create table raw (like webarchiv.doc including defaults); create table raw_filed (like webarchiv.doc_collection);'
          . 'create table given (id integer, spec text)');
    copy($published, 'raw (id, seq, datestamp, archived_time, doc_offset, length, id_arc, id_domain, id_mimetype, status,'
          . ' deleted, properties, url, surt, digest, set_ids)', 'unpublished');
    copy($published, 'raw_filed', 'doc_collection');
    my @specs = $made->rows('select id, spec from oai.set');
    $published->run('insert into given values ' . join ',', map { "($_->[0], '$_->[1]')" } @specs);
    $published->run(
        'create table led as select g.id as given, s.id from given g join oai.set s using (spec)',
        'insert into webarchiv.doc (id, datestamp, archived_time, doc_offset, length, id_arc, id_domain, id_mimetype, status,
             deleted, properties, url, surt, digest)
         select r.id, r.datestamp, r.archived_time, r.doc_offset, r.length, r.id_arc, d.id, m.id, r.status, r.deleted,
             r.properties, r.url, r.surt, r.digest
         from raw r join led d on d.given = r.id_domain join led m on m.given = r.id_mimetype order by r.id',
        'insert into webarchiv.doc_collection select id_doc, c.id from raw_filed join led c on c.given = id_collection');
    for (1 .. 50) {
        $published->publish(5000);
        last if $published->value('select h is not null and not exists (select from oai.queue) from oai.horizon') eq 't';
    }
    my %ask = (
        'sets and counts' => 'select spec, name, item_count, cardinality(path) from oai.set order by spec',
        'members in order' => 'select s.spec, md5(string_agg(i.local_id, chr(32) order by k.first_seq, u.o))
             from oai.set_chunk k join oai.set s on s.id = k.set_id, unnest(k.seqs) with ordinality u(seq, o)
             join oai.item i using (seq) group by 1 order by 1',
        'headers' => q{select md5(string_agg(concat_ws(',', i.local_id, i.seq, i.datestamp, i.deleted,
             (select string_agg(spec, ' ' order by spec) from oai.set s where s.id = any (i.set_ids))), ' ' order by seq))
             from oai.item i},
        'horizon' => 'select last_seq, item_count, keep_deleted, h is not null from oai.horizon',
        'where datestamps begin' => 'select * from oai.calendar order by datestamp',
        'what is wrong with chunks' => 'select * from oai.check_chunks()',
        'what is wrong with the calendar' => 'select * from oai.check_calendar()',
    );
    for my $what (sort keys %ask) {
        my @want = $published->rows($ask{$what});
        cmp_ok scalar @want, '>', 0, "there are $what" if $what !~ /wrong/;
        is_deeply [$made->rows($ask{$what})], \@want, $what;
        is_deeply \@want, [], 'there are no problems' if $what =~ /wrong/;
    }
};

sub copy {
    my ($db, $into, $table) = @_;
    my $said = qx($build/release/bench/generate $table $n | psql -Xq -v ON_ERROR_STOP=1 -d '@{[$db->conninfo]}' -c 'copy $into from stdin' 2>&1);
    die $said if $?;
}

subtest 'the skew' => sub {
    my $share = sub { $made->value("select item_count::float8 / $n from oai.set where spec = '$_[0]'") };
    cmp_ok abs($share->('dom:cz') - 0.9), '<', 0.01, 'nine tenths of the items are below one TLD';
    cmp_ok abs($share->('mim:text:html') - 0.6), '<', 0.02, 'six tenths are text/html';
    cmp_ok $made->value("select count(*)::float8 / $n from oai.item where deleted"), '>', 0.005, 'some are deleted';
    my $hole = $made->value('select count(*) from (select datestamp, bool_or(s.spec like $$dom:cz:%$$) as dominant, count(*)
        from oai.item i join oai.set s on s.id = i.set_ids[1] group by 1 having count(*) > 1000) x where not dominant');
    is $hole, 1, 'one batch has no items of the dominant TLD';
};

# Returns a list of {page, text, plan}, one for each statement.
sub plans {
    my ($db) = @_;
    my $pages = "$build/release/bench/pages";
    system("$pages lists '@{[$db->conninfo('oai_reader')]}' >$dir/lists") == 0 or die "pages lists failed\n";
    my $out = qx($pages plans '@{[$db->conninfo]}' $dir/lists);
    die "pages plans failed\n" if $?;
    my ($heading, @plans) = ('');
    for my $part (split /^(?===|NOTICE:)/m, $out) {
        if ($part =~ /^== (.*)/) { $heading = $1 }
        elsif (my ($text, $plan) = $part =~ /plan:\nQuery Text: (.*?)\n(\S[^\n]*\(cost=.*)/s) {
            push @plans, {page => $heading, text => $text =~ s/\s+/ /gr, plan => $plan};
        }
    }
    return @plans;
}

# Returns what a plan must not contain. A scan of the horizon, which has one row, or of an array is permitted.
sub faults {
    my ($p) = @_;
    my @faults;
    my $node = '';
    for (split /\n/, $p->{plan}) {
        $node = $_ if /\(cost=/;
        next if $node =~ /Seq Scan on horizon\b|Function Scan on unnest\b/;
        push @faults, $1 if /(Seq Scan on \w+|Bitmap\s+\w+ Scan|\bSort\b.*|Materialize|Hash Join|Merge Join)/;
        push @faults, $1 if /(Rows Removed by .*)/;
        # get() applies a filter to the one row that it finds by its key.
        push @faults, $1 if /^\s*(Filter: .*)/ && $p->{page} ne 'get';
    }
    return map { "$_ in $p->{page}: $p->{text}" } @faults;
}

subtest 'every plan uses an index' => sub {
    my @plans = plans($made);
    my %seen;
    $seen{$_->{text}}++ for @plans;
    cmp_ok scalar(keys %seen), '>=', 12, scalar(@plans) . ' plans of ' . keys(%seen) . ' statements';
    for my $part ('list_position(', 'from fork f where', 'from item where seq >', 'from record where seq >', 'set_runs(', 'set_page(', 'from set_chunk k',
        'from dictionary', 'from set where id = any', 'oai.find_item', 'from set where id >', 'from item i where i.seq >',
        's.parent is null', 's.parent = $3', 'chr(127)', 'seq desc offset $2',
        'unnest(s.path)') {
        ok scalar(grep { index($_, $part) >= 0 } keys %seen), "the plan of $part... was seen";
    }
    my @faults = map { faults($_) } @plans;
    is join("\n", @faults), '', 'no plan sorts, filters or scans a table';
};

subtest 'the test detects bad plans' => sub {
    $made->run('drop index webarchiv.doc_seq');
    my @faults = map { faults($_) } plans($made);
    ok scalar(grep { /Sort|Seq Scan|Filter/ } @faults), 'without the index on seq, bad plans are found';
};

done_testing();
