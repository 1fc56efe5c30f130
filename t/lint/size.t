#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The sums of the house and of its tests: how many lines and files there are, how much of it is behind oai.fcgi, how deep headers include each
# other. Prints each sum with the share of each room, and fails above the limit. A limit is lowered when a sum has fallen; it
# is never raised for a new feature, which has to fit within.
use TestProgram;
use File::Basename qw(dirname);
use List::Util qw(max sum0);

my %limit = (
    'lines of lib and fcgi'              => 49_962,
    'files of lib and fcgi'              => 311,
    'lines behind oai.fcgi'              => 21_948,
    'include levels'                     => 11,
    'project headers behind a .cpp, p90' => 36,
    'lines of schema'                    => 5_165,
    'lines of t but for corpora'         => 51_927,
    'lines of t/bench'                   => 2_977,
);

sub resolve {
    my ($from, $name) = @_;
    for my $path ("lib/$name", $name, dirname($from) . "/$name") { return $path if -f $path }
    return;
}

my (%lines, %includes);
for my $file (sort split /\n/, `find fcgi lib -type f`) {
    next if $file !~ /\.(cpp|h)$/;
    open my $in, '<', $file or die "$file: $!";
    while (<$in>) {
        next if !/^\s*#\s*include\s+"([^"]+)"/;
        my $path = resolve($file, $1);
        push @{$includes{$file}}, $path if $path;
    }
    $lines{$file} = $.;
}

# What implements a header: the .cpp of its name, or those of its room that include it and have no header of their own.
my %sources;
for my $file (grep { /\.cpp$/ && $_ !~ /main\.cpp$/ } keys %lines) {
    my $own = $file =~ s/cpp$/h/r;
    push @{$sources{$_}}, $file for $lines{$own} ? $own : grep { dirname($_) eq dirname($file) } @{$includes{$file} // []};
}

# All that the file includes, directly or not; with $sources, also what implements it.
sub closure {
    my ($from, $sources) = @_;
    my (%seen, @open);
    @open = ($from);
    while (defined(my $file = shift @open)) {
        next if !$lines{$file} || $seen{$file}++;
        push @open, @{$includes{$file} // []};
        push @open, @{$sources{$file} // []} if $sources;
    }
    return grep { $_ ne $from || $sources } keys %seen;
}

# A file that includes nothing of ours has one level.
my %level;
sub level { my ($file) = @_; return $level{$file} //= 1 + max(0, map { level($_) } @{$includes{$file} // []}) }

sub room { my ($file) = @_; return dirname($file) =~ s{^lib/}{}r }
sub by_room {
    my ($value, @files) = @_;
    my %of;
    $of{room($_)} += $value->($_) for @files;
    return join ', ', map { "$_ $of{$_}" } sort { $of{$b} <=> $of{$a} || $a cmp $b } keys %of;
}
sub check {
    my ($what, $value, $shares) = @_;
    note(sprintf '%s: %d of at most %d%s', $what, $value, $limit{$what}, $shares ? ": $shares" : '');
    cmp_ok($value, '<=', $limit{$what}, $what);
}

my @files = keys %lines;
my @served = closure('fcgi/main.cpp', 1);
my @sources = grep { /\.cpp$/ } @files;
my @headers = sort { $a <=> $b } map { scalar closure($_) } @sources;
check('lines of lib and fcgi', sum0(values %lines), by_room(sub { $lines{$_[0]} }, @files));
check('files of lib and fcgi', scalar @files, by_room(sub { 1 }, @files));
check('lines behind oai.fcgi', sum0(map { $lines{$_} } @served), by_room(sub { $lines{$_[0]} }, @served));
check('include levels', max(map { level($_) } @sources));
check('project headers behind a .cpp, p90', $headers[int(0.9 * @headers)]);
my %schema_lines = map { $_ => scalar(() = slurp($_) =~ /\n/g) } grep { !m{/map/} } glob 'schema/*/*.sql';
check('lines of schema', sum0(values %schema_lines), by_room(sub { $schema_lines{$_[0]} }, keys %schema_lines));
my %t_lines = map { $_ => scalar(() = slurp($_) =~ /\n/g) } grep { !m{^t/fuzz/corpus/} } split /\n/, `find t -type f`;
check('lines of t but for corpora', sum0(values %t_lines), by_room(sub { $t_lines{$_[0]} }, keys %t_lines));
check('lines of t/bench', sum0(map { $t_lines{$_} } grep { m{^t/bench/} } keys %t_lines));
done_testing();
