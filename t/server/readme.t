#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Follows README (t/lib/Walkthrough.pm): deploy/run serves the sample, each command after a `$` is run and prints what README
# shows. Commands after a `#` are run by t/server/manual.t. It is short, and what it names exists.
use TestProgram;
use Walkthrough;

my $readme = slurp("$root/README");
cmp_ok(scalar(() = $readme =~ /\n/g), '<=', 120, 'it has at most 120 lines');
cmp_ok(scalar(() = $readme =~ /^\|(?!-)/mg), '==', 6, 'and one table of five rows');

my $walk = Walkthrough->new("$root/README");
my ($says) = $readme =~ /`(ready: [^`]+)`/;
my ($run) = $readme =~ /^    (make run.*)$/m;
is($walk->serve($run), $walk->here("$says\n"), "$run becomes ready as README says") or BAIL_OUT('nothing serves');
cmp_ok($walk->follow, '>', 8, 'there are commands in it');
$walk->stop;

# The targets, subcommands and files that README mentions exist.
for my $target (do { my %seen; grep { !$seen{$_}++ } $readme =~ /(?<![\w-])make ([a-z-]+)/g }) {
    is(system("make -C '$root' -n $target >/dev/null 2>&1 N=1000"), 0, "make $target");
}
my $help = `$build/release/oai --help 2>&1`;
like($help, qr/^\s+\Q$_\E\s/m, "oai $_") for do { my %seen; grep { !$seen{$_}++ } $readme =~ /`oai ([a-z-]+)/g };
ok(-e "$root/$_", $_) for do { my %seen; grep { !$seen{$_}++ } $readme =~ m{(?<![/\w])((?:deploy|schema|lib|etc|t|xslt)/[\w./-]*\w)}g };
ok(-e "$root/deploy/manual/$_", "deploy/manual/$_") for $readme =~ m{(?<![/\w-])([\w-]+\.md)}g;
done_testing;
