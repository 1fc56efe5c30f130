#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What oai validate says of faults and peculiarities of HTTP, by a repository over sockets of its own (t/lib/Wire.pm).
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(abs_path);
use Process;
use Test::More;
use Wire;

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");
my $wire  = Wire->new;

# The checks that did not pass, without those that were skipped.
sub faults {
    my ($way, @options) = @_;
    my ($status, $out, $err) = run_apart("$build/" . ($ENV{OAI_FLAVOUR} // 'release') . '/oai', 'validate', $wire->url($way), '--pause', 0, @options);
    diag $err if $err ne '';
    return [$out =~ /^  (?:FAIL|warn) +(\S+)/mg];
}

is_deeply faults('right'), [], 'a repository that is right passes';
is_deeply faults('head-body', '--only', 'http'), [], 'a body after HEAD does not spoil the answers after it';

done_testing;
