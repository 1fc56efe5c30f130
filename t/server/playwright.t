#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The pages for people in Debian's Chromium, driven by playwright-core: by keyboard, on a phone, in dark mode, without scripts, and
# without requests to other sites. Checks of browser.t, which uses Debian's own driver, are not repeated.
# Environment: OAI_PLAYWRIGHT, a directory with node_modules/playwright-core, which is not in Debian; OAI_AXE, the file axe.min.js,
# which then checks the pages, too; OAI_PICTURES, a directory for screenshots of all pages.
use FindBin;
use lib "$FindBin::Bin/../lib";
use TestProgram;
use Cpanel::JSON::XS ();

my $place = $ENV{OAI_PLAYWRIGHT};
if (!$place) {
    print "1..0 # SKIP playwright-core is not in Debian: npm install --prefix DIR playwright-core, then OAI_PLAYWRIGHT=DIR t/run playwright\n";
    exit;
}
require BrowseSite;
my $site = BrowseSite->new(records => 5);
my %settings = (base => $site->{base}, pages => $site->{pages}, playwright => "$place/node_modules/playwright-core");
$settings{$_->[0]} = $ENV{$_->[1]} for grep { $ENV{$_->[1]} } ['axe', 'OAI_AXE'], ['pictures', 'OAI_PICTURES'];
system 'node', "$FindBin::Bin/../lib/playwright.js", Cpanel::JSON::XS->new->utf8->encode(\%settings);
exit($? & 127 ? 128 + $? : $? >> 8);
