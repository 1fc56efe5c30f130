#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Every source file names its licence, no file contains a path of the machine on which it was written, no function has a name
# that newer compilers take for the standard library's, and the files that comments send to are there.
use TestProgram;

my @files = sort grep { !m{/corpus/} }
    map { s{^\./}{}r } split /\n/, `find . -name .git -prune -o -path ./build -prune -o -path ./state -prune -o -name compile_commands.json -o -type f -print`;

# The licence is in the first five lines, in a comment of the file's language. Files that tests read as data need none.
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

# Assembled from parts, so that this file does not contain the paths itself.
my @places = map { "/$_" } qw(work/ root/ home/[a-z] tmp/bash_jobs);
my $place = join '|', @places;
my @placed;
for my $file (grep { -T $_ && !m{^t/lint/words\.t$} } @files) {
    open my $in, '<', $file or die "$file: $!";
    while (<$in>) { push @placed, "$file:$.: $1" if m#(?<![\w.~*)\]}\$-])($place)# }
}

cmp_ok(scalar @files, '>', 20, 'source files are found');
is("@{[map { qq(\n$_) } @unlicensed]}", '', 'every source has its SPDX line');
is("@{[map { qq(\n$_) } @placed]}", '', 'no file contains a path of one machine');

# g++ 14 finds std::quoted() by the std::string that is handed to a function of ours with this name.
my @ambiguous;
for my $file (grep { m{\.(?:cpp|h)$} } @files) {
    open my $in, '<', $file or die "$file: $!";
    while (<$in>) { push @ambiguous, "$file:$." if /\bquoted\(/ }
}
is("@{[map { qq(\n$_) } @ambiguous]}", '', 'no function is called quoted, as one of the standard library is');

# A comment that names its own file was written in another, which has been merged into it. NAME.sql and the like are patterns.
my %is_there = map { $_ => 1, s{.*/}{}r => 1 } @files;
my @misleading;
for my $file (grep { m{^(?:lib|fcgi|schema)/.*\.(?:cpp|h|sql)$} } @files) {
    my $name = $file =~ s{.*/}{}r;
    open my $in, '<', $file or die "$file: $!";
    while (<$in>) {
        my ($comment) = m{(?://|--)(.*)} or next;
        for ($comment =~ m{((?:[a-z]\w*/)*[a-z]\w+\.(?:cpp|h|sql))\b}g) {
            push @misleading, "$file:$.: $_" if $_ eq $name || !($is_there{$_} || $is_there{"lib/$_"} || $is_there{"schema/$_"}) && !m{^(?:name|what)\.};
        }
    }
}
is("@{[map { qq(\n$_) } @misleading]}", '', 'comments send to files that are there, and not to their own');
done_testing();
