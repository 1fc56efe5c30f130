#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Every C++ file is formatted as clang-format formats it by .clang-format. Other versions than Debian 12's format differently, so
# the test is skipped with them.
use TestProgram;

use constant VERSION => 14;

my ($program) = grep { -x } map { my $name = $_; map { "$_/$name" } split /:/, $ENV{PATH} } 'clang-format-' . VERSION, 'clang-format';
my ($version) = ($program ? `$program --version` : 'none is installed') =~ /version (\d+)/;
plan skip_all => 'no clang-format ' . VERSION . ' here; it is ' . ($version // 'not installed') if ($version // 0) != VERSION;

my @files = sort grep { /\.(cpp|h)$/ } split /\n/, `find fcgi lib t -type f`;
cmp_ok(scalar @files, '>', 20, 'source files are found');
open my $said, '-|', "$program --dry-run --ferror-limit=1 @files 2>&1" or die "$program: $!";
my %wrong = map { /^(\S+?):\d+:\d+: warning/ ? ($1 => 1) : () } <$said>;
is("@{[map { qq(\n$_) } sort keys %wrong]}", '', 'every file is formatted (make format)');
done_testing();
