#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The pages for people as people use them, in Debian's Chromium driven by playwright-core: by the keyboard alone, on a phone, in
# the dark, without scripts, and nothing that leaves the repository. What browser.t sees by Debian's own driver is not repeated.
# Environment: OAI_PLAYWRIGHT, a directory with node_modules/playwright-core, which is not in Debian. OAI_AXE, a file axe.min.js:
# it judges the pages, too. OAI_PICTURES, a directory: pictures of all pages go there.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cpanel::JSON::XS ();

my $place = $ENV{OAI_PLAYWRIGHT};
if (!$place) {
    print "1..0 # SKIP playwright-core is not in Debian: npm install --prefix DIR playwright-core, then OAI_PLAYWRIGHT=DIR t/run playwright\n";
    exit;
}
require Pages;
my $site = Pages->new(records => 5);
$site->await_report;
my %told = (base => $site->{base}, pages => $site->{pages}, playwright => "$place/node_modules/playwright-core");
$told{$_->[0]} = $ENV{$_->[1]} for grep { $ENV{$_->[1]} } ['axe', 'OAI_AXE'], ['pictures', 'OAI_PICTURES'];
system 'node', "$FindBin::Bin/../lib/playwright.js", Cpanel::JSON::XS->new->utf8->encode(\%told);
exit($? & 127 ? 128 + $? : $? >> 8);
