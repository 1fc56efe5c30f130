#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Errors have ids, and deploy/manual/symptoms.md, which `oai explain` prints, explains each: every warning and error that is logged
# and every remedy brings one, and no id or text stands there twice.
use TestProgram;

is(system('deploy/embed-symptoms deploy/manual/symptoms.md > /dev/null'), 0, 'deploy/embed-symptoms takes the page: no id and no text is there twice');
my %row = map { /^\| (OAI-\d{4}): (.*?) +\|/ ? ($1 => $2) : () } split /\n/, slurp('deploy/manual/symptoms.md');
cmp_ok(scalar keys %row, '>', 50, 'symptoms are found');

my @sources = split /\n/, `git ls-files 'lib/*.cpp' 'lib/*.h' 'fcgi/*.cpp' deploy/init`;
my %code = map { ($_ => slurp($_)) } @sources;
my ($table) = $code{'lib/base/log.cpp'} =~ /kIds =\s*(.*?);/s;
my %id_of = $table =~ /(\w+) (\d{4})/g;
my @unknown = grep { !$row{$_} } map({ "OAI-$_" } values %id_of), map { $_ =~ /OAI-\d{4}/g } values %code;
is("@unknown", '', 'every id that programs say is there');

my @silent;
for my $file (sort keys %code) {
    while ($code{$file} =~ /log::(?:warning|error)\(\s*"(\w+)",(.*?)\);/gs) {
        my ($event, $fields) = ($1, $2);
        push @silent, "$file: $event" if !$id_of{$event} && $fields !~ /"id", "OAI-|"remedy"/;
    }
}
is(join("\n", @silent), '', 'every warning and error that is logged has an id');
is(join(' ', grep { index($row{"OAI-$id_of{$_}"}, "event=$_`") < 0 } sort keys %id_of), '', 'by which the page knows the event');
is(join(' ', grep { !/fault/ && !$id_of{$_} } map { /event=(\w+)/g } values %row), '', 'and the page knows no other events');

# A part of oai check stands there as "PART: ...", which no message has; each is the last word for what has no id of its own.
my $checks = join "\n", @code{grep { m{command/(?:check\w*|sets)\.cpp} } keys %code};
my %part = map { $_ => 1 } $checks =~ /(?:problem|run)\(\s*"([^"]+)",/g, $checks =~ /(?:^    \{|\(\)\.add\(.*\)\),\s+|Problems\), |kPart = |conninfo[^"]*\{)"([a-z._]+)"/gm,
    $checks =~ /^ {8}\{"([a-z ]+)", \[&\]/gm, $checks =~ /\{"(\[\w+\] connection)", config/g;
my %known = map { $_ => 1 } map { /"([^"]+): \.\.\."/g } values %row;
is_deeply([sort keys %known], [sort keys %part], 'every part of oai check has a row of its own, and every such row a part');

my ($troubles) = $code{'lib/pg/error.cpp'} =~ /kTroubles\[\] = \{(.*?)^\};/ms;
my @bare;
for (split /^    \{/m, $troubles =~ s/"\n\s+"//gr) {
    my ($what, $remedy) = /^"\w+", \w+, "(.*?)",\s+(.*)\}/s or next;
    $remedy = $1 if $remedy =~ /^k\w+/ && $code{'lib/pg/error.cpp'} =~ /\b$remedy =\s+"(.*?)";/;
    my ($id) = $remedy =~ /\[(OAI-\d{4})\]/;
    push @bare, $what if !$id;
}
is("@bare", '', 'every remedy for trouble with the database has one');
done_testing();
