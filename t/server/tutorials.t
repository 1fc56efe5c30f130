#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Follows the tutorial of the manual (t/lib/Walkthrough.pm): each command is run, in its order, and prints what is shown. What
# first-day.md says is of an installed package: t/platforms/package.pl follows it.
use TestProgram;
use Walkthrough;

my $walk = Walkthrough->new("$root/deploy/manual/first-format.md");
cmp_ok($walk->follow, '>', 8, 'there are commands in it');
$walk->stop;
done_testing;
