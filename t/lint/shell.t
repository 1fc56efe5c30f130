#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# shellcheck reports nothing in any shell script of the project.
use TestProgram;

my @files = sort grep { -T && is_shell($_) } map { s{^\./}{}r }
    split /\n/, `find . -name .git -prune -o -path ./build -prune -o -path ./state -prune -o -type f -print`;

sub is_shell {
    my ($file) = @_;
    return 1 if $file =~ /\.sh$/;
    open my $in, '<', $file or die "$file: $!";
    return (<$in> // '') =~ m{^#!.*\b(ba|da)?sh\b};
}

cmp_ok(scalar @files, '>', 10, 'shell scripts are found');
my $said = `shellcheck --external-sources --format gcc @files 2>&1`;
is($said, '', 'shellcheck reports nothing');
done_testing();
