#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Tests that the never-missed model (t/fault/missed.t) finds faults of rules, views and dates. Each fault below is put alone into a
# function of the publisher, and what a harvester holds must then differ, though nothing else is disturbed. In full all of them, and
# none; in the short form one.
use strict;
use warnings;
use ShortForm;
use Test::More;

# What is wrong; the function of schema oai, the text that it has, the text of the fault.
my @faults = (
    ['no fault', 'show_items', 'then t else', 'then t else'],
    ['an item that enters a view keeps its datestamp', 'show_items', 'then t else x.datestamp end', 'then x.datestamp else x.datestamp end'],
    ['the datestamps of a view are some seconds late', 'show_items', 'then t else x.datestamp end', "then t - interval '3 s' else x.datestamp end"],
    ['an item that leaves a view leaves no deleted record', 'show_items', 's.is_shown or v.is_filled and keep_deleted as stays', 's.is_shown as stays'],
    ['a view does not publish what has changed in it', 'show_items', '(x.is_shown and is_new) or x.is_shown <> x.was_shown', 'x.is_shown <> x.was_shown'],
    ['a view misses the first item of each slice', 'show_items', 'i.seq > after and', 'i.seq > after + 1 and'],
    ['an item that enters or leaves a set by a rule is not published', 'examine_items', 'where i.id = any (ids) and (r.name is null', 'where false and (r.name is null'],
    ['the publisher forgets rules', 'place_by_rules', 'unnest(s.new_sets || x.sets)', 'unnest(s.new_sets)'],
    ['what a date shows or hides is not published', 'turn_items', 'from turned r', 'from turned r where false'],
);
for (sample(scalar @faults, @faults)) {
    my ($what, @fault) = @$_;
    local $ENV{OAI_MISSED_FAULT} = join "\n", @fault;
    local $ENV{OAI_MISSED_SECONDS} = 3;
    my $said = `t/fault/missed.t 2>&1`;
    my ($found) = $said =~ /^not ok \d+ - (.*(?:misses nothing|I[1-5]:).*)/m;
    ok($what eq 'no fault' ? !defined $found : defined $found, "$what: " . ($found // 'nothing is found')) or diag $said;
}
done_testing;
