#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Compiled stylesheets against libxslt: made-up stylesheets over made-up records, byte for byte. `make fuzz` goes on from
# here. OAI_EMISSION_STYLESHEETS (5600), OAI_EMISSION_SEED (1).
use strict;
use warnings;
use Test::More;

my $program = ($ENV{BUILD} // 'build') . '/release/fault/emission';
my $stylesheets = $ENV{OAI_EMISSION_STYLESHEETS} // 5600;
my $seed = $ENV{OAI_EMISSION_SEED} // 1;
my $records = 200;

# Two processes, each half of the seeds.
my %sum;
my @running = map {
    open my $out, '-|', $program, int($stylesheets / 2), $records, $seed + $_ * int($stylesheets / 2) or die "$program: $!";
    $out;
} 0, 1;
for my $out (@running) {
    my $said = do { local $/; <$out> };
    ok(close $out, 'compiled and by libxslt the same') or diag($said);
    while ($said =~ /^(\w+)\t(\d+)$/mg) {
        my ($name, $n) = ($1, $2);
        $sum{$name} = $name eq 'operations' || $name eq 'expressions' ? $n : ($sum{$name} // 0) + $n;
    }
}
cmp_ok($sum{compiled} // 0, '>=', $stylesheets * 5000 / 5600, 'most of the stylesheets were of the subset');
cmp_ok($sum{left} // 0, '<', ($sum{records} // 0) / 2, 'most records were made of it');
cmp_ok($sum{records} // 0, '>=', ($sum{compiled} // 0) * $records * 0.98, 'over all their records');
is($sum{operations}, 10, 'every kind of operation took part');
is($sum{expressions}, 31, 'every kind of expression took part');
cmp_ok($sum{trials} // 0, '>', 10, 'the trial at load found no fault with them either');
done_testing();
