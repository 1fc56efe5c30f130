#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The options that oai(1) has are those that there are, and each is typed, so that the program complains before it does anything: one
# that takes a value without it, a flag with one, or beside an option that there is not.
use TestProgram;

my $page = slurp("$root/deploy/man/oai.1");
sub oai { return run_apart("$build/release/oai", @_) }   # (status, stdout, stderr)
sub options { my ($text) = @_; return map { ($_ => 1) } $text =~ /\bFl Fl ([a-z-]+)/g }

# What help says: {words of a command => {option => whether it takes a value}}.
my %has;
my @open = ([]);
while (my $words = shift @open) {
    my ($status, $help) = oai(@$words, '--help');
    die "oai @$words --help: $status\n" if $status;
    my ($lists) = $help =~ /^Subcommands[^\n]*:\n(.*)/ms;
    push @open, [@$words, $_] for ($lists // '') =~ /^  ([a-z][a-z-]*)(?: {2,}|$)/mg;
    $has{"@$words"} = {};
    $has{"@$words"}{$1} = defined $2 while $help =~ /^  (?:-\w,)?--([a-z-]+)( [A-Z]{2,}\S*)?/mg;
    delete $has{"@$words"}{help};
}

# What the page says: options of the synopsis and of the section of a command, which has those of all its actions.
my ($synopsis, $description) = $page =~ /^\.Sh SYNOPSIS\n(.*?)^\.Sh DESCRIPTION\n(.*?)^\.Sh /ms;
my ($all, %section) = split /^\.Ss oai (.*)\n/m, $description;
my %said = map { ($_ => {options($section{$_})}) } keys %section;
for my $use (split /^\.Nm\n/m, $synopsis) {
    my ($commands) = $use =~ /^\.Cm ([a-z-]+(?: \| [a-z-]+)*)/m or next;
    my %options = options($use =~ s/^\.Op Fl Fl config.*\n//r);
    for my $command (split / \| /, $commands) { $said{$command}{$_} = 1 for keys %options }
}
$said{doctor} = $said{check} if $section{check} =~ /^\.Ql oai doctor\nis another name of it\.$/m;
if ($section{map} =~ /all fifteen are options/) {
    $said{map}{$_} = 1 for qw(title creator subject description publisher contributor date type format identifier source language relation coverage rights);
}
sub is_known {
    my ($option, @words) = @_;
    my ($status, undef, $err) = oai(@words);
    return 1 if $status == 2 && ($err =~ /--$option: .*required .* missing|Could not convert: --$option = neither|--$option requires --/
        || $err =~ /not expected: .*--neither/ && $err !~ /not expected: .*--$option\b/);
    note "@words: $status $err";
    return 0;
}

for my $command (sort grep { !/ / && $_ ne '' } keys %has) {
    my %of = map { my $words = $_; map { ($_ => $words) } keys %{ $has{$words} } } grep { /^\Q$command\E(?: |$)/ } sort keys %has;
    my $on_page = $said{$command} // {};
    is join(' ', sort grep { !$on_page->{$_} } keys %of), '', "oai $command: every option is in oai(1)";
    for my $option (sort keys %of) {
        my @words = split / /, $of{$option};
        ok $has{"@words"}{$option} ? is_known($option, @words, "--$option")
            : is_known($option, @words, "--$option=neither") || is_known($option, @words, "--$option", '--neither', 'x', 'y'), "  --$option";
    }
    is join(' ', sort grep { !$of{$_} && !$has{''}{$_} } keys %$on_page), '', '  and oai(1) has no other';
}
done_testing;
