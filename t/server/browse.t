#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The statements that the pages for people send to the database: they are the same for few and for many records.
use TestProgram;

my $db = Database->new;
my $said = qx(t/bench/fill '@{[$db->conninfo]}' 2000 2>&1);
is $?, 0, 'made-up documents are filled in' or diag $said;

# The log of the cluster shows each statement that the server sends.
my ($name) = $db->conninfo =~ /dbname=(\S+)/;
$db->run("alter role oai_reader in database $name set log_min_duration_statement = 0");
my ($data) = $db->conninfo =~ /host=(\S+)/;
my $log = "$data/server.log";

# Maps the text of each statement, with white space collapsed, to its name. Of records it reads the columns that are needed.
my $item = 'id, seq, local_id, datestamp, deleted, set_ids';
# A short page is read by the statement of its cursor, with the number of rows in it.
sub collapse {
    my ($text) = @_;
    $text =~ s/\s+/ /g;
    $text =~ s/^ | $//g;
    $text =~ s/^declare page no scroll cursor for //;
    $text =~ s/ limit \d+$/ limit \$3::int/;
    return $text =~ s/select \Q$item\E(, "\w+")* from record/select * from record/r;
}
my %name_of = map {
    open my $in, '<', "lib/store/$_" or die "$_: $!";
    local $/;
    my $text = readline $in;
    my %found;
    $found{collapse($2 // $3)} = $1 while $text =~ /\bk\w+\{\s*"(\w+)",\s*(?:R"\((.*?)\)"|"(.*?)")/gs;
    %found;
} qw(queries.h);

# Statements that read records or their headers are made for their columns (lib/store/record_batch.cpp).
sub name_of_records {
    my ($text) = @_;
    my ($table) = $text =~ /\bselect (?:\*|\Q$item\E) from (record|item) where (?:seq|id) / or return;
    my $one = $table eq 'record' ? 'record' : 'header';
    return "get_$one" if $text =~ /oai\.find_item\(/;
    return $text =~ /\bset_runs\(/ ? "set_${one}s" : "${one}s";
}

# [backend, name] of each statement after that byte of the log, without begin, fetch, commit and the like.
sub statements {
    my ($from) = @_;
    open my $in, '<', $log or die "$log: $!";
    seek $in, $from, 0;
    local $/;
    my @said = map { /\[(\d+)\].*? execute [^:]*: (.*)/s ? [$1, collapse($2)] : () } split /^(?=\d{4}-\d\d-\d\d )/m, readline($in) // '';
    return map { [$_->[0], $name_of{$_->[1]} // name_of_records($_->[1]) // $_->[1]] } grep { $_->[1] !~ /^(begin|fetch|commit|close|rollback|select set_config)\b/i } @said;
}

# Starts a server with one connection for pages, so that the statements of other connections can be left out and a page that
# needs two connections at once is noticed.
sub start {
    my ($records) = @_;
    my $server = Repository->new(db => $db, formats => "$ENV{PWD}/xslt",
        ini => {browse => {directory => 'xslt/page', records => $records}, database => {connections => 1}})->start;
    # The trials of the formats over sample records have connections of their own.
    my $formats = () = glob "$ENV{PWD}/xslt/*.xsl";
    wait_until(sub { (() = $server->log_text =~ /event=format state=tried/g) >= $formats }) or die "the formats are not tried\n";
    my $from = -s $log;
    $server->ask('/oai/browse/list');
    ($server->{backend}) = map { $_->[0] } grep { $_->[1] eq 'records' } statements($from);
    return $server;
}

# The names of the statements that a page sends, in their order.
sub statements_of {
    my ($server, $path) = @_;
    my $from = -s $log;
    my $answer = $server->ask("/oai/browse$path");
    die "/browse$path: $answer->{status}\n" if $answer->{status} != 200;
    return [map { $_->[1] } grep { $_->[0] == $server->{backend} } statements($from)];
}

# The statements of each page when it is requested for the second time. The first request fills the cache of names.
my %page = (
    '' => [qw(page_before resume records total search_offers root_sets)],
    '/formats' => [],
    '/sets' => [qw(root_sets)],
    '/sets?set=dom:cz' => [qw(set_path child_sets)],
    '/sets?prefix=dom' => [qw(sets_by_prefix)],
    '/list' => [qw(position records)],
    '/list?from=2006-01-02' => [qw(position records)],
    '/list?set=dom:cz' => [qw(position set_records set_path)],
    '/list?set=dom:cz&after=500&n=400' => [qw(resume set_records set_path)],
    '/record/oai:example.org:100' => [qw(get_record search_offers set_paths)],
    '/explore' => [],
);
my $few = start(10);
my $many = start(200);
for my $path (sort keys %page) {
    statements_of($_, $path) for $few, $many;
    is_deeply statements_of($few, $path), $page{$path}, "/browse$path";
    is_deeply statements_of($many, $path), $page{$path}, "/browse$path with 20 times as many records";
}
like do { open my $in, '<', $log or die "$log: $!"; local $/; readline $in }, qr/select \Q$item\E, (?:"\w+", )*"url"(?:, "\w+")* from record\s+where seq > /,
    'of a page in oai_dc those columns are read that it needs';
done_testing();
