#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# README, as somebody would follow it: `make run` is served, then each command behind a `$` is run and must print what
# stands below it, where `...` leaves something out, within a line or of lines. The stylesheet that it shows is the one
# that its commands try. What stands behind a `#` wants a machine of its own and is not run.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(abs_path);
use File::Temp qw(tempdir);
use IO::Socket::INET;
use POSIX ();
use Test::More;

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");
my $dir   = tempdir('oai-readme-XXXXXX', TMPDIR => 1, CLEANUP => 1);
chmod 0755, $dir;
my $port   = do { my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1'); $s->sockport };
my $readme = do { local (@ARGV, $/) = "$root/README"; <> };
my @lines  = split /\n/, $readme;
ok(@lines < 250, 'it is short: ' . @lines . ' lines');

# The blocks of code: indented lines, without their indentation; an empty line ends a block.
my @blocks = map { my ($indent) = /^( +)/; s/^$indent//gmr } $readme =~ /((?:^(?: {4}| {6}(?=\S)).*\n)+)/mg;
my ($stylesheet) = grep { /^<xsl:stylesheet/ } @blocks;

sub spew { my ($file, $text) = @_; open my $out, '>', $file or die "$file: $!"; print {$out} $text; close $out or die $!; return }
spew("$dir/capture.xsl", $stylesheet);

# [command, what it prints] of each `$`.
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
# README's places are the defaults; here is another state, port and build.
sub here { return $_[0] =~ s{127\.0\.0\.1:8080}{127.0.0.1:$port}gr =~ s{/var/lib/oai-fcgi}{$dir/state}gr =~ s{build/release/}{$build/release/}gr }

sub pattern {
    my ($text) = @_;
    return join '', map { $_ eq "...\n" ? '(?:.*\n)*' : join('.*', map { quotemeta } split /\.\.\./, $_, -1) } here($text) =~ /.*\n/g;
}

my ($pid, $ready) = serve();
my ($says) = $readme =~ /`(ready: [^`]+)`/;
is($ready, here("$says\n"), 'it gets ready as README says') or BAIL_OUT(do { local (@ARGV, $/) = "$dir/run.err"; <> });
my $aliases = '';
# (status, stdout and stderr)
sub in_shell {
    my ($command) = @_;
    spew("$dir/command", "shopt -s expand_aliases\n$aliases" . here($command) . "\n");
    my $said = `cd $dir && bash command 2>&1 </dev/null`;
    return ($?, $said);
}
# "within seconds": what SQL has changed is with harvesters before the next command.
sub wait_for_publisher {
    for (1 .. 200) {
        return if (in_shell('sql -Atc "select count(*) from oai.queue"'))[1] eq "0\n";
        select undef, undef, undef, 0.1;
    }
    die "the publisher has not taken up what was changed\n";
}
# README says "within two seconds"; a busy machine is given twice as long.
sub is_live {
    my ($prefix) = @_;
    for (1 .. 40) {
        return 1 if `curl -s 'http://127.0.0.1:$port/oai?verb=ListMetadataFormats'` =~ /<metadataPrefix>$prefix</;
        select undef, undef, undef, 0.1;
    }
    return 0;
}
cmp_ok(scalar @shown, '>', 8, 'there are commands in it');
for (@shown) {
    my ($command, $prints) = @$_;
    if ($command =~ /^alias /) { $aliases .= here("$command\n"); next }
    my ($status, $said) = in_shell($command);
    is($status, 0, $command);
    my $pattern = pattern($prints);
    like($said, qr/\A$pattern\z/, '  prints what stands there');
    wait_for_publisher() if $command =~ /^sql /;
    ok(is_live($1), '  the format is live') if $command =~ m{^cp (\w+)\.xsl };
}

kill 'TERM', $pid;
waitpid $pid, 0;
is($?, 0, 'it stops');

# Targets and subcommands that exist, files that are there.
for my $target (do { my %seen; grep { !$seen{$_}++ } $readme =~ /(?<![\w-])make ([a-z-]+)/g }) {
    is(system("make -C '$root' -n $target >$dir/make.out 2>&1 N=1000"), 0, "make $target");
}
my $help = `$build/release/oai --help 2>&1`;
like($help, qr/^\s+\Q$_\E\s/m, "oai $_") for do { my %seen; grep { !$seen{$_}++ } $readme =~ /`oai ([a-z-]+)/g };
ok(-e "$root/$_", $_) for do { my %seen; grep { !$seen{$_}++ } $readme =~ m{(?<![/\w])((?:deploy|schema|lib|etc|t|xslt)/[\w./-]*\w)}g };
SKIP: { skip 'what stands behind a # wants a machine of its own: deb.t and install.t try it', 1 }
done_testing;
