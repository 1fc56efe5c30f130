#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The page of the manual about tables and views names every one that a role of others may use, functions and columns that are
# there, and nothing else; all others explain themselves in the catalog. (Metrics are compared by t/server/watching.t, keys of oai.ini by t/lint/keys.t.)
use TestProgram;
use XML::LibXML;

my $page = slurp("$root/deploy/manual/schema.md");
my @models = map { Database->new(model => $_) } qw(webarchiv library);
my %named = map { ($_ => 1) } $page =~ /`((?:oai|webarchiv|library|harvest)\.\w+)(?:\.\w+)?`/g;
my $ours = "nspname in ('oai', 'webarchiv', 'library', 'harvest')";
my (%relations, %functions, %columns, %offered, @silent);
for my $db (@models) {
    $offered{$_->[0]} = 1 for $db->rows("select nspname || '.' || relname from pg_class c join pg_namespace n on n.oid = relnamespace where $ours and relkind in ('r', 'v') and has_table_privilege('oai_loader', c.oid, 'select, insert')");
    push @silent, map { $_->[0] } $db->rows("select nspname || '.' || relname from pg_class c join pg_namespace n on n.oid = relnamespace where $ours and relkind in ('r', 'v') and obj_description(c.oid) is null");
    $relations{$_->[0]} = 1 for $db->rows("select nspname || '.' || relname from pg_class c join pg_namespace n on n.oid = relnamespace where $ours and relkind in ('r', 'v')");
    $functions{$_->[0]} = 1 for $db->rows("select nspname || '.' || proname from pg_proc p join pg_namespace n on n.oid = pronamespace where $ours");
    $columns{$_->[0]}{$_->[1]} = 1 for $db->rows("select nspname || '.' || relname, attname from pg_attribute a join pg_class c on c.oid = attrelid join pg_namespace n on n.oid = relnamespace where $ours and attnum > 0");
}
cmp_ok scalar keys %relations, '>', 20, 'there are tables and views';
cmp_ok scalar keys %offered, '>', 15, 'some of them are for others';
is join(' ', grep { !$named{$_} } sort keys %offered), '', 'each of these is on the page';
is "@silent", '', 'and all have a comment in the catalog';
is join(' ', grep { !$relations{$_} && !$functions{$_} } sort keys %named), '', 'and what is on the page is there';

# The columns that a row of a table names; setSpecs and examples have a colon.
for my $row ($page =~ /^(\| `(?:oai|webarchiv|library|harvest)\.\w+` .*)$/mg) {
    my ($table, $words) = $row =~ /^\| `([\w.]+)` +\| (.*)/;
    my @unknown = grep { !/^[A-Z]/ && !$columns{$table}{$_} && !/^(?:local_id|language)$/ } $words =~ /`([a-z_]+)`/g;
    is "@unknown", '', "$table has the columns that are named";
}
my %apart = $page =~ /^<!-- columns (\S+) -->\n(.*?)\n\n/gms;
for my $table ('library.item', 'webarchiv.doc') {
    my @listed = $apart{$table} =~ /^\| `(\w+)`/mg;
    cmp_ok scalar @listed, '>', 10, "columns of $table are listed";
    is join(' ', grep { !$columns{$table}{$_} } @listed), '', 'and are there';
}

# The page says what the catalog says.
my $flat = $page =~ s/\s+/ /gr;
for my $db (@models) {
    my %said = map { @$_ } $db->rows("select nspname || '.' || relname, obj_description(c.oid) from pg_class c join pg_namespace n on n.oid = relnamespace where $ours and relkind in ('r', 'v')");
    my @wrong = grep { $named{$_} && index($flat, $said{$_}) < 0 } sort keys %said;
    is "@wrong", '', "comments of $db->{model} are on the page";
}

# The picture of the catalog names every table, view and trigger.
for my $db (@models) {
    my $picture = `"$root/deploy/schema-picture" '@{[$db->conninfo]}'`;
    is $?, 0, "a picture of $db->{model}";
    ok eval { XML::LibXML->load_xml(string => $picture) }, '  is XML' or diag $@;
    my @names = map { $_->[0] } $db->rows("select n.nspname || '.' || relname from pg_class c join pg_namespace n on n.oid = relnamespace where $ours and relkind in ('r', 'v')
        union select tgname from pg_trigger t join pg_class c on c.oid = tgrelid join pg_namespace n on n.oid = relnamespace where not tgisinternal and $ours");
    is join(' ', grep { $picture !~ /\b\Q$_\E\b/ } @names), '', '  and has all names';
    like $picture, qr/<title>oai\.queue\nwritten by oai_publisher\n/, '  and who writes';
}

# What symptoms.md quotes as seen is what programs say: messages in quotes, parts of oai check ("roles: ..."), and events of the log.
my $said = join '', map { slurp($_) } glob("$root/lib/*/*.cpp $root/lib/*/*/*.cpp $root/lib/*/*.h $root/lib/*/*/*.h $root/fcgi/*.cpp $root/lib/tools/*/*.txt $root/schema/*/*.sql $root/deploy/nginx-oai.conf");
$said =~ s/"\s*\n\s*"//g;    # a literal that goes on in the next line
my @seen = map { /^\| (.*?) +\|/ } slurp("$root/deploy/manual/symptoms.md") =~ /^(\| .*)$/mg;
my @quoted = map { (/(?<!=)"([^"]+)"/g, /event=(\w+)/g) } @seen;
cmp_ok scalar @quoted, '>', 10, 'symptoms.md quotes';
is join("\n", grep { /^(.+): \.\.\.\z/ ? $said !~ /["']\Q$1\E["':]/ : index($said, $_) < 0 } @quoted), '', 'and all of it is said';
done_testing;
