#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The table of keys in the program (oai check --keys), etc/oai.ini and oai.ini(5) name the same keys in the same order,
# with the same defaults, and etc/oai-minimal.ini has the required ones. Environment: OAI, the program.
use TestProgram;

my $build = $ENV{BUILD} // 'build';
my $oai = $ENV{OAI} // "$build/release/oai";

sub lines_of { my ($file) = @_; open my $in, '<', $file or die "$file: $!"; chomp(my @lines = <$in>); return @lines }

# Each source is read as lines "section.key = default", required ones "section.key (required)".
sub said { my ($section, $key, $required, $default) = @_; return "$section.$key" . ($required ? ' (required)' : " = $default") }

my ($head, @rows) = map { chomp; [split /\t/, $_, -1] } `$oai check --keys`;
my %column = map { $head->[$_] => $_ } 0 .. $#{$head // []};
my @program = map { said($_->[$column{section}], $_->[$column{key}], $_->[$column{required}] eq 'yes', $_->[$column{default}]) } @rows;

my (@sample, @commentless, $section, $required, $explained);
for (lines_of('etc/oai.ini')) {
    if (/^\[(\w+)\]$/) { ($section, $explained, $required) = ($1, 0, 0) }
    elsif (/^# (\(required\))?/) { $required ||= defined $1; $explained = 1 }
    elsif (/^#(\w+) =(?: (.*))?$/) {
        push @sample, said($section, $1, $required, $2 // '');
        push @commentless, $1 if !$explained;
        $required = $explained = 0;
    }
    elsif (/\S/) { push @commentless, "not understood: $_" }
    elsif (!$explained) { $required = 0 }
}

my (@manual, $in_keys);
for (lines_of('deploy/man/oai.ini.5')) {
    if (/^\.S[sh] (.*)/) { $in_keys = $1 =~ /^\[(\w+)\]$/ ? $1 : undef }
    elsif (defined $in_keys && /^\.It (.*)/) {
        my $item = $1;
        if ($item =~ /^Ic (\w+) Pq required$/) { push @manual, said($in_keys, $1, 1) }
        elsif ($item =~ /^Ic (\w+) Pq default : Cm (\S.*)$/) { push @manual, said($in_keys, $1, 0, $2) }
        elsif ($item =~ /^Ic (\w+) Pq default : unset$/) { push @manual, said($in_keys, $1, 0, '') }
        else { push @manual, "not understood: $item" }
    }
}

my (@minimal);
for (lines_of('etc/oai-minimal.ini')) {
    if (/^\[(\w+)\]$/) { $section = $1 }
    elsif (/^(\w+) = \S/) { push @minimal, "$section.$1 (required)" }
}

cmp_ok(scalar @program, '>', 30, "$oai prints its table of keys");
is_deeply(\@sample, \@program, 'etc/oai.ini has the keys and defaults of the program');
is_deeply(\@manual, \@program, 'oai.ini(5) has the keys and defaults of the program');
is_deeply([sort @minimal], [sort grep { /\(required\)$/ } @program], 'etc/oai-minimal.ini has the required keys');
is("@commentless", '', 'every key of etc/oai.ini is explained');
for my $page (glob 'deploy/man/*.[1-8]') {
    is(scalar `groff -mdoc -Tutf8 -ww $page 2>&1 >/dev/null`, '', "$page renders without a warning");
}
done_testing();
