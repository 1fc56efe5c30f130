#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Compares compiled stylesheets with libxslt: generated stylesheets are applied to generated records both ways, and the output
# must be equal byte for byte. `make fuzz` searches further. Environment: OAI_EMISSION_STYLESHEETS, the number of stylesheets
# (5600, in the short form 300); OAI_EMISSION_SEED, the first seed (1). The second half of a short form begins at a seed by the
# number of the sample; the first half has every kind of operation and expression.
use TestProgram;
use List::Util qw(max);

my $program = ($ENV{BUILD} // 'build') . '/release/fault/emission';
my $stylesheets = $ENV{OAI_EMISSION_STYLESHEETS} // (is_long() ? 5600 : 300);
my $half = int($stylesheets / 2);
my $seed = $ENV{OAI_EMISSION_SEED} // 1;
my @seeds = ($seed, $seed + $half * (is_long() ? 1 : 1 + sample_number()));
note "$half stylesheets from each of the seeds @seeds on";
my $records = 200;

# Two processes, each with half of the seeds.
my %sum;
my @running = map {
    open my $out, '-|', $program, $half, $records, $_ or die "$program: $!";
    $out;
} @seeds;
for my $out (@running) {
    my $said = do { local $/; <$out> };
    ok(close $out, 'compiled stylesheets and libxslt give the same output') or diag($said);
    while ($said =~ /^(\w+)\t(\d+)$/mg) {
        my ($name, $n) = ($1, $2);
        $sum{$name} = $name eq 'operations' || $name eq 'expressions' ? max($n, $sum{$name} // 0) : ($sum{$name} // 0) + $n;
    }
}
cmp_ok($sum{compiled} // 0, '>=', $stylesheets * 5000 / 5600, 'most of the stylesheets could be compiled');
cmp_ok($sum{left} // 0, '<', ($sum{records} // 0) / 2, 'most records were written by the compiled stylesheet, without falling back to libxslt');
cmp_ok($sum{records} // 0, '>=', ($sum{compiled} // 0) * $records * 0.98, 'each compiled stylesheet was applied to nearly all of its records');
is($sum{operations}, 8, 'every kind of operation occurred');
is($sum{expressions}, 33, 'every kind of expression occurred');
cmp_ok($sum{trials} // 0, '>', is_long() ? 10 : 0, 'the comparison that the server makes on loading a format was run too');
done_testing();
