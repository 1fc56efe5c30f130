#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The query plans of all statements that the server sends, and of those within the database's functions, in a small repository
# with the skew of a big one (t/bench/generate): each of them uses an index.
use TestProgram;

my $build = $ENV{BUILD} // 'build';
my $n     = 20_000;
my $dir   = tempdir('oai-plans-XXXXXX', TMPDIR => 1, CLEANUP => 1);

my $made = Database->new;
my $said = qx(t/bench/fill '@{[$made->conninfo]}' $n 2>&1);
is $?, 0, 'made-up documents are filled in' or diag $said;

subtest 'the skew' => sub {
    my $share = sub { $made->value("select item_count::float8 / $n from oai.set where spec = '$_[0]'") };
    cmp_ok abs($share->('dom:cz') - 0.9), '<', 0.01, 'nine tenths of the items are below one TLD';
    cmp_ok abs($share->('mim:text:html') - 0.6), '<', 0.02, 'six tenths are text/html';
    cmp_ok $made->value("select count(*)::float8 / $n from oai.item where deleted"), '>', 0.005, 'some are deleted';
    my $hole = $made->value('select count(*) from (select datestamp, bool_or(s.spec like $$dom:cz:%$$) as dominant, count(*)
        from oai.item i join oai.set s on s.id = any (i.set_ids) and s.spec like $$dom:%$$ group by 1 having count(*) > 1000) x where not dominant');
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
