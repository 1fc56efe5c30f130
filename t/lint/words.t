#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Every source says its licence, and none names a place of the machine it was written on.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;

chdir dirname(abs_path($0)) . '/../..' or die $!;

my @files = sort grep { !m{/corpus/} }
    map { s{^\./}{}r } split /\n/, `find . -name .git -prune -o -path ./build -prune -o -path ./state -prune -o -type f -print`;

# In the first five lines, as a comment of the file's language. What tests read is data.
my @unlicensed = grep { !says_licence($_) } grep { !m{^t/(golden|data)/[^.]*\.} && is_source($_) } @files;

sub first_lines {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!";
    my $head = '';
    while (my $line = <$in>) { $head .= $line; last if $. == 5 }
    return $head;
}

sub is_source {
    my ($file) = @_;
    return 1 if $file =~ m{(^|/)Makefile$|\.(cpp|h|sql|xsl|t|pm|pl|py|sh|ini|service|socket|conf|[1-9])$};
    return first_lines($file) =~ /^#!/;
}

sub says_licence { return first_lines($_[0]) =~ m{^(//|#|--|\.\\"|<!--).*SPDX-License-Identifier: MIT\b}m }

# Built up, so that this file does not hold them.
my @places = map { "/$_" } qw(work/ root/ home/[a-z] tmp/bash_jobs);
my $place = join '|', @places;
my @placed;
for my $file (grep { -T $_ && !m{^t/lint/words\.t$} } @files) {
    open my $in, '<', $file or die "$file: $!";
    while (<$in>) { push @placed, "$file:$.: $1" if m#(?<![\w.~*)\]}\$-])($place)# }
}

cmp_ok(scalar @files, '>', 20, 'there are sources to look at');
is("@{[map { qq(\n$_) } @unlicensed]}", '', 'every source has its SPDX line');
is("@{[map { qq(\n$_) } @placed]}", '', 'no source names a place of one machine');
done_testing();
