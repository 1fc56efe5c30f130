#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# No source file has more than 500 lines, no function more than 60. universal-ctags finds the functions.
use TestProgram;

use constant {FILE_LINES => 500, FUNCTION_LINES => 60};

# All files written by hand, except data of tests.
my @files = sort grep { !m{^(build|state)/|/corpus/|^t/data/|^t/golden/.*\.case$|/\.} && -T $_ && is_source($_) }
    map { s{^\./}{}r } split /\n/, `find . -name .git -prune -o -path ./build -prune -o -type f -print`;

sub is_source {
    my ($file) = @_;
    return 1 if $file =~ /\.(cpp|h|sql|xsl|t|pm|pl|py|sh)$/;
    open my $in, '<', $file or die "$file: $!";
    return (<$in> // '') =~ /^#!/;
}

my @long_files;
for my $file (@files) {
    open my $in, '<', $file or die "$file: $!";
    1 while <$in>;
    push @long_files, "$file: $. lines" if $. > FILE_LINES;
}
cmp_ok(scalar @files, '>', 20, 'source files are found');
is("@{[map { qq(\n$_) } @long_files]}", '', 'no file has more than ' . FILE_LINES . ' lines');

my @cpp = grep { /\.(cpp|h)$/ } @files;
open my $ctags, '-|', 'ctags', '-f', '-', '--languages=C++', '--langmap=C++:.cpp.h', '--kinds-C++=f', '--fields=+ne',
    '--sort=no', @cpp or die "ctags: $!";
my ($functions, @long_functions) = (0);
while (<$ctags>) {
    next if /^!/;
    my ($name, $file) = split /\t/;
    my ($begin) = /\tline:(\d+)/;
    my ($end) = /\tend:(\d+)/ or next;
    $functions++;
    push @long_functions, "$file:$begin: $name has " . ($end - $begin + 1) . ' lines' if $end - $begin + 1 > FUNCTION_LINES;
}
close $ctags;
cmp_ok($functions, '>', 50, 'universal-ctags finds functions (Debian: universal-ctags)');
is("@{[map { qq(\n$_) } @long_functions]}", '', 'no function has more than ' . FUNCTION_LINES . ' lines');
done_testing();
