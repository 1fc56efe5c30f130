#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Follows README: deploy/run serves the sample, then each command after a `$` is run and must print the text below it, in which
# `...` stands for omitted text or lines. The stylesheet shown is the one that the commands use. Commands after a `#` are run
# by t/server/runbook.t.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(abs_path);
use File::Temp qw(tempdir);
use Files;
use POSIX ();
use Process;
use Test::More;

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");
my $dir   = tempdir('oai-readme-XXXXXX', TMPDIR => 1, CLEANUP => 1);
chmod 0755, $dir;
my $port   = free_port();
my $readme = slurp("$root/README");
my @lines  = split /\n/, $readme;
ok(@lines < 250, 'it is short: ' . @lines . ' lines');

# The blocks of code: indented lines, without their indentation; an empty line ends a block.
my @blocks = map { my ($indent) = /^( +)/; s/^$indent//gmr } $readme =~ /((?:^(?: {4}| {6}(?=\S)).*\n)+)/mg;
my ($stylesheet) = grep { /^<xsl:stylesheet/ } @blocks;

spew("$dir/capture.xsl", $stylesheet);

# [command, expected output] of each `$`.
my @shown = map { [/^\$ (.*)\n((?:(?!\$ ).*\n)*)/] } map { /^(\$ .*\n(?:(?!\$ ).*\n)*)/mg } @blocks;

sub serve {
    pipe my $read, my $write or die $!;
    my $pid = fork // die $!;
    if (!$pid) {
        POSIX::setsid();
        open STDOUT, '>&', $write;
        open STDERR, '>', "$dir/run.err";
        exec {'env'} 'env', "OAI_STATE=$dir/state", "OAI_PORT=$port", "BUILD=$build", "$root/deploy/run" or POSIX::_exit(127);
    }
    close $write;
    return ($pid, scalar <$read>);
}
# README shows the default paths and port; this replaces them by those of this test.
sub here { return $_[0] =~ s{127\.0\.0\.1:8080}{127.0.0.1:$port}gr =~ s{/var/lib/oai-fcgi}{$dir/state}gr =~ s{build/release/}{$build/release/}gr }

sub pattern {
    my ($text) = @_;
    return join '', map { $_ eq "...\n" ? '(?:.*\n)*' : join('.*', map { quotemeta } split /\.\.\./, $_, -1) } here($text) =~ /.*\n/g;
}

my ($pid, $ready) = serve();
my ($says) = $readme =~ /`(ready: [^`]+)`/;
is($ready, here("$says\n"), 'deploy/run becomes ready as README says') or BAIL_OUT(slurp("$dir/run.err"));
my $aliases = '';
# (status, stdout and stderr)
sub in_shell {
    my ($command) = @_;
    spew("$dir/command", "shopt -s expand_aliases\n$aliases" . here($command) . "\n");
    my $said = `cd $dir && bash command 2>&1 </dev/null`;
    return ($?, $said);
}
# Waits until a change by SQL is published, so that the next command sees it.
sub wait_for_publisher {
    return if within(20, sub { (in_shell('sql -Atc "select count(*) from oai.queue"'))[1] eq "0\n" });
    die "the publisher has not taken up what was changed\n";
}
# README says "within two seconds"; a busy machine is given twice as long.
sub is_live {
    my ($prefix) = @_;
    return within(4, sub { `curl -s 'http://127.0.0.1:$port/oai?verb=ListMetadataFormats'` =~ /<metadataPrefix>$prefix</ });
}
cmp_ok(scalar @shown, '>', 8, 'there are commands in it');
for (@shown) {
    my ($command, $prints) = @$_;
    if ($command =~ /^alias /) { $aliases .= here("$command\n"); next }
    my ($status, $said) = in_shell($command);
    is($status, 0, $command);
    my $pattern = pattern($prints);
    like($said, qr/\A$pattern\z/, '  prints what README shows');
    wait_for_publisher() if $command =~ /^sql /;
    ok(is_live($1), '  the format is live') if $command =~ m{^cp (\w+)\.xsl };
}

kill 'TERM', $pid;
waitpid $pid, 0;
is($?, 0, 'deploy/run stops with status 0');

# The targets, subcommands and files that README mentions exist.
for my $target (do { my %seen; grep { !$seen{$_}++ } $readme =~ /(?<![\w-])make ([a-z-]+)/g }) {
    is(system("make -C '$root' -n $target >$dir/make.out 2>&1 N=1000"), 0, "make $target");
}
my $help = `$build/release/oai --help 2>&1`;
like($help, qr/^\s+\Q$_\E\s/m, "oai $_") for do { my %seen; grep { !$seen{$_}++ } $readme =~ /`oai ([a-z-]+)/g };
ok(-e "$root/$_", $_) for do { my %seen; grep { !$seen{$_}++ } $readme =~ m{(?<![/\w])((?:deploy|schema|lib|etc|t|xslt)/[\w./-]*\w)}g };
done_testing;
