#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The manual's tables of checks (deploy/manual/checks.md) are those of oai validate. `t/server/checks.t --write` writes them.
use FindBin;
use lib "$FindBin::Bin/../lib";
use TestProgram;

my $file  = "$root/deploy/manual/checks.md";
my $page  = slurp($file);

my ($status, $out, $err) = run_apart("$build/" . ($ENV{OAI_FLAVOUR} // 'release') . '/oai', 'validate', '--list');
is $status, 0, 'oai validate --list' or diag $err;

# The rows of each section of the page: a chapter of the protocol, or another document.
my %rows;
for (split /\n/, $out) {
    my ($id, $force, $place, $title) = split /\t/;
    my ($document, $where) = split /, /, $place, 2;
    my $section = $document eq 'OAI-PMH 2.0' ? "Chapter $1" : ucfirst $document if $document ne 'OAI-PMH 2.0' || $where =~ /^(\d)/;
    $title =~ s/</\\</g;
    push @{ $rows{$section} }, [$where // '', $force eq 'advice' ? 'note' : $force, "`$id`", $title];
}

sub table {
    my (@rows) = @_;
    my $bare = !grep { $_->[0] ne '' } @rows;    # no places
    @rows = map { [@$_[($bare ? 1 : 0) .. 3]] } ['sentence', 'force', 'check', 'what is so'], @rows;
    my @width = map { my $i = $_; (sort { $b <=> $a } map { length $_->[$i] } @rows)[0] } 0 .. $#{ $rows[0] };
    my @lines = map { my $row = $_; '| ' . join(' | ', map { sprintf '%-*s', $width[$_], $row->[$_] } 0 .. $#width) . ' |' } @rows;
    splice @lines, 1, 0, '|' . join('|', map { '-' x ($_ + 2) } @width) . '|';
    return join("\n", @lines) . "\n";
}

my %named = map { $_ => 1 } $page =~ /^## (\S+(?: \d)?)/mg;
is join(', ', sort keys %named), join(', ', sort keys %rows), 'each document has a section';
my $right = $page;
$right =~ s{^(## (\S+(?: \d)?)[^\n]*(?:\n(?!\||\#)[^\n]*)*?)\n*(?:^\|[^\n]*\n)*\n*(?=^## |\z)}{$1 . "\n\n" . table(@{ $rows{$2} // [] }) . "\n"}gmse;
$right =~ s/\n+\z/\n/;
if (@ARGV && $ARGV[0] eq '--write') {
    open my $to, '>:raw', $file or die "$file: $!\n";
    print $to $right;
    close $to or die "$file: $!\n";
}
is slurp($file), $right, 'and in it the checks that rest on it (t/server/checks.t --write)';
cmp_ok scalar(() = $out =~ /\n/g), '>', 150, 'there are many';
done_testing;
