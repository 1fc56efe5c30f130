#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Follows the tutorials of the manual (t/lib/Walkthrough.pm): each command is run, in its order, and prints what is shown. What
# first-day.md says is of an installed package: t/platforms/package.pl follows it.
use FindBin;
use lib "$FindBin::Bin/../lib";
use TestProgram;
use Walkthrough;

my @tutorials = grep { !/first-day/ } glob "$FindBin::Bin/../../deploy/manual/first-*.md";
is(scalar @tutorials, 2, 'there are two tutorials');
for my $file (@tutorials) {
    subtest $file =~ s{.*/}{}r => sub {
        my $walk = Walkthrough->new($file);
        cmp_ok($walk->follow, '>', 8, 'there are commands in it');
        $walk->stop;
    };
}
done_testing;
