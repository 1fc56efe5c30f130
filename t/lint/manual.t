#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The manual is whole: each page has one title and a table of its sections, every link leads somewhere, the table of contents has
# every page, lines are not longer than 130 characters (tables and code are), tables are whole, no document is named that is no
# more, and all of it has no more than 22,000 words, beside what deploy/schema-page writes.
use strict;
use warnings;
use utf8;
use Test::More;

use constant {LINE => 130, WORDS => 22_000};

chdir 'deploy/manual' or die $!;

sub slurp { my ($file) = @_; open my $in, '<:encoding(UTF-8)', $file or die "$file: $!\n"; local $/; return <$in> }
# The anchor that a heading gets.
sub anchor { my ($heading) = @_; return lc($heading) =~ s/[^\w\- ]//gr =~ tr/ /-/r }

my %pages = map { ($_ => slurp($_)) } glob '*.md';
cmp_ok(scalar keys %pages, '>', 20, 'pages are found');
my %headings = map { my $page = $_; ($page => [$pages{$page} =~ /^## (.*)$/mg]) } keys %pages;

my (@titles, @contents, @links, @long, @tables);
for my $page (sort keys %pages) {
    my $text = $pages{$page};
    push @titles, $page if (() = $text =~ /^# /mg) != 1;
    my ($table) = $text =~ /^Contents: (.*?)\n\n/ms;
    my $wanted = join ' ', map { "[$_](#" . anchor($_) . ')' } @{ $headings{$page} };
    push @contents, "$page: $wanted" if (($table // '') =~ s/ ·\s/ /gr =~ s/\n/ /gr) ne $wanted;
    for my $link ($text =~ /\]\(([^)\s]+)\)/g) {
        my ($file, $anchor) = $link =~ /^([^#]*)#?(.*)/;
        $file = $page if $file eq '';
        push @links, "$page: $link" if !$pages{$file} || $anchor ne '' && !grep { anchor($_) eq $anchor } @{ $headings{$file} };
    }
    while ($text =~ /\]\(([\w-]+\.md)\),\s"([^"]+)"/g) {
        my ($file, $section) = ($1, $2);
        $section =~ s/\n/ /g;
        push @links, "$page: $file has no section \"$section\"" if !grep { $_ eq $section } @{ $headings{$file} // [] };
    }
    push @tables, map { "$page: $_" } $text =~ /\n\n(\|.*)\n(?!\| ?-)/g;
    my $n = 0;
    for (split /\n/, $text) { ++$n; push @long, "$page:$n" if length > LINE && !/^(?:\||    )/ }
}
is("@titles", '', 'each page has one title');
is("@{[map { qq(\n$_) } @contents]}", '', 'each page has the contents of its sections');
is("@{[map { qq(\n$_) } @links]}", '', 'every link, and every section that is named, is there');
is("@long", '', 'no line has more than ' . LINE . ' characters');
is("@{[map { qq(\n$_) } @tables]}", '', 'each table has a head, and no gap');
my $words = () = join("\n", map { s/^<!-- (?:tables|columns) .*?\n\n//gmsr } values %pages) =~ /\S+/g;
note("$words words");
cmp_ok($words, '<=', WORDS, 'the manual has at most ' . WORDS . ' words');
my @unlisted = grep { $_ ne 'README.md' && $pages{'README.md'} !~ /\(\Q$_\E\)/ } sort keys %pages;
is("@unlisted", '', 'README.md lists every page');

# The promises name tests that there are.
my $promises = slurp('../PROMISES.md');
my @tests = $promises =~ m{(t/[\w/-]+\.t)}g;
cmp_ok(scalar @tests, '>', 40, 'promises name tests');
my @missing = grep { !-x "../../$_" } @tests;
is("@missing", '', 'each of which there is');

my $gone = join '|', 'RUN' . 'BOOK', 'FORMATS\.md', 'OWN-' . 'TABLES';
my @stale = grep { !m{^t/lint/manual\.t|^schema/} } split /\n/, `cd ../.. && git grep -lE '$gone'`;
is("@stale", '', 'no document that is no more is named');
done_testing();
