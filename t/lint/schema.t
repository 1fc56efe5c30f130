#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The schema is read as it is: each object is created once, no line has more than 110 characters, tables are made in tables.sql
# alone and definitions may be applied again, every function has a caller, in SQL or in a program, or is in the manual, and the
# manual says of tables, views, columns and functions what their comments say.
use TestProgram;

my @files = sort glob 'schema/*/*.sql';
my %text = map { $_ => slurp($_) } @files;
cmp_ok scalar @files, '>', 20, 'there are files';

# Functions may have one name and other arguments.
my (%created, @twice, @misplaced, @once_only);
for my $file (grep { !m{^schema/upgrade/} } @files) {
    while ($text{$file} =~ /^create (or replace )?(?:unique |unlogged |constraint )*(table|index|view|function|trigger|sequence|type)\s+(?:if not exists )?([\w.]+)(\([^)]*\))?(?:[^;]*?\son\s+([\w.]+))?/mg) {
        my ($replaces, $kind, $name, $arguments, $on) = ($1, $2, $3, $4 // '', $5 // '');
        my $object = join ' ', $kind, $kind eq 'trigger' ? "$name on $on" : $kind eq 'function' ? $name . $arguments =~ s/\s+/ /gr : $name;
        my $model = $file =~ m{^schema/(webarchiv|library)/} ? $1 : '';   # each has its own oai.item
        push @twice, "$object: $file and $created{$model}{$object}" if $created{$model}{$object};
        $created{$model}{$object} = $file;
        my $in_tables = $file =~ m{/tables\.sql$};
        push @misplaced, "$object: $file" if $kind =~ /^(?:table|index|sequence|type)$/ && !$in_tables;
        push @once_only, "$object: $file" if $kind =~ /^(?:view|function|trigger)$/ && !$in_tables && !$replaces;
    }
}
cmp_ok scalar keys %{ $created{''} }, '>', 100, 'objects are found';
is join("\n", @twice), '', 'each is created once';
is join("\n", @misplaced), '', 'tables, indexes, sequences and types are made in tables.sql';
is join("\n", @once_only), '', 'definitions can be applied again';

my @long;
for my $file (sort glob 'schema/*/*.sql') {
    my $n = 0;
    for my $line (split /\n/, slurp($file)) {
        $n++;
        push @long, "$file:$n" if length $line > 110;
    }
}
is join(' ', @long), '', 'no line has more than 110 characters';

# A caller is any mention but the definition itself, rights and comments.
my $sql = join '', values %text;
$sql =~ s/--[^\n]*//g;
$sql =~ s/^(?:grant|revoke|comment on)\b.*?;$//msg;
my $programs = join '', map { slurp($_) } split /\n/, `find lib fcgi -name '*.h' -o -name '*.cpp'`;
my $manual = join '', map { slurp($_) } glob('deploy/manual/*.md deploy/man/*');
my @unused;
for my $model (keys %created) {
    for my $object (grep { /^function / } keys %{ $created{$model} }) {
        my ($name) = $object =~ /^function ([\w.]+)/;
        # What has the search_path oai is called without a schema, by its like or by statements of servers.
        my $bare = $sql =~ /^create or replace function \Q$name\E\b[^\$]*\bset search_path = oai, pg_temp\b/m ? $name =~ s/.*\.//r : $name;
        my $mentions = () = $sql =~ /\b\Q$bare\E\b/g;
        my $definitions = () = $sql =~ /^create or replace function \Q$name\E\b/mg;
        push @unused, $name if $mentions <= $definitions && $programs !~ /\b\Q$bare\E\b/ && $manual !~ /\b\Q$name\E\b/;
    }
}
is join(' ', sort @unused), '', 'every function has a caller, or is in the manual or its example';
is system('deploy/schema-page', '--check'), 0, 'the manual has the comments (deploy/schema-page)';
done_testing;
