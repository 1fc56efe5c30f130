#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The reference of checks is what `oai validate --list` prints: each check once, how much weight it has, a sentence of a document
# on which it rests, and what is so.
use TestProgram;

my ($status, $out, $err) = run_apart("$build/" . ($ENV{OAI_FLAVOUR} // 'release') . '/oai', 'validate', '--list');
is $status, 0, 'oai validate --list' or diag $err;
my @rows = map { [split /\t/, $_, -1] } split /\n/, $out;
cmp_ok scalar @rows, '>', 150, 'there are many checks';
is join(' ', map { $_->[0] // '?' } grep { @$_ != 4 || grep { $_ eq '' } @$_ } @rows), '', 'each says everything about itself';
my %times;
++$times{$_->[0]} for @rows;
is join(' ', grep { $times{$_} > 1 || !/^[a-z0-9]+\.[a-z0-9-]+$/ } sort keys %times), '', 'each has an id of its own';

my $place = qr/^(?:OAI-PMH 2\.0, [2-6](?:\.\d)+, (?:(?:response format, )?paragraph \d+(?:, [\w ]+)?|arguments|summary)|HTTP, RFC \d+, [\d.]+|registration|advice)$/;
is join("\n", map { "$_->[0]: $_->[2]" } grep { $_->[2] !~ $place } @rows), '', 'each rests on a sentence, a registry or our advice';
is join("\n", map { "$_->[0]: $_->[1]" } grep { $_->[1] !~ ($_->[2] eq 'advice' ? qr/^advice$/ : qr/^(?:must|should)$/) } @rows), '', 'and has its weight';
done_testing;
