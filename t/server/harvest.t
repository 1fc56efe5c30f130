#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Independent harvesters (Debian's libhttp-oai-perl and libcatmandu-oai-perl) harvest the sample that deploy/run serves through
# nginx; the result is compared with the database. A run over files that OAI_LOAD names follows, those of OAI_SHARED if it is set.
use TestProgram;
use HTTP::OAI;

my @running;
my $dir  = tempdir('oai-harvest-XXXXXX', TMPDIR => 1, CLEANUP => 1);

# A running repository: {url, conninfo, pid}.
sub serve {
    my ($name, %environment) = @_;
    my $state = "$dir/$name";
    my $port  = free_port();
    my $pid   = open(my $out, '-|') // die $!;
    if (!$pid) {
        @ENV{'OAI_STATE', 'OAI_PORT', keys %environment} = ($state, $port, values %environment);
        open STDERR, '>', "$state.err";
        exec "$root/deploy/run" or die $!;
    }
    my $line = <$out> // '';
    chomp $line;
    is $line, "ready: http://127.0.0.1:$port/oai", "$name: deploy/run becomes ready" or BAIL_OUT(slurp("$state.err"));
    my ($host) = slurp("$state/oai.ini") =~ /^connection = host=(\S+)/m;
    push @running, {url => "http://127.0.0.1:$port/oai", conninfo => "host=$host dbname=oai user=postgres", pid => $pid, out => $out};
    return $running[-1];
}
sub stop { my ($run) = @_; kill 'TERM', $run->{pid}; close $run->{out}; @running = grep { $_ != $run } @running; return }
END { my $status = $?; stop($_) for @running; $? = $status }

sub psql {
    my ($run, $sql) = @_;
    open my $out, '-|', 'psql', '-XAtq', '-d', $run->{conninfo}, '-c', $sql or die $!;
    local $/;
    my $said = <$out>;
    close $out or die "psql failed: $sql\n";
    $said =~ s{\n\z}{};
    return $said;
}

# Every item of a list by HTTP::OAI, page by page.
sub list {
    my ($run, $verb, %arguments) = @_;
    my $harvester = HTTP::OAI::Harvester->new(baseURL => $run->{url}, resume => 0);
    my @items;
    while (%arguments) {
        my $page = $harvester->$verb(%arguments);
        die "$verb: ", $page->code, ' ', $page->message, "\n" if $page->is_error || $page->error;
        while (my $item = $page->next) { push @items, $item }
        my $token = $page->resumptionToken && $page->resumptionToken->resumptionToken;
        %arguments = defined $token && length $token ? (resumptionToken => $token) : ();
    }
    return @items;
}

# identifier => "datestamp status sets" of every record of a list.
sub harvest {
    my ($run, $verb, %arguments) = @_;
    my (%got, $twice);
    for my $record (list($run, $verb, metadataPrefix => 'oai_dc', %arguments)) {
        my $header = $record->can('header') ? $record->header : $record;
        $twice++ if $got{ $header->identifier };
        $got{ $header->identifier } = join ' ', $header->datestamp, $header->status || '', sort map { "$_" } $header->setSpec;
    }
    ok !$twice, "$verb @{[%arguments]}: no record came twice";
    return \%got;
}

# The same, read from the database.
sub published {
    my ($run, $where) = @_;
    my $rows = psql($run, "
        select 'oai:example.org:' || local_id, to_char(datestamp at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') || ' '
               || case when deleted then 'deleted' else '' end || coalesce(' ' || (select string_agg(spec, ' ' order by spec collate \"C\")
                   from oai.set s where s.id = any (i.set_ids)), '')
        from oai.item i where seq is not null and ($where)");
    return {map { split /\|/, $_, 2 } split /\n/, $rows};
}

my $in_set = sub { "exists (select from oai.set s where s.id = any (i.set_ids) and (s.spec = '$_[0]' or s.spec like '$_[0]:%'))" };

my $sample = serve('sample');
my $all    = published($sample, 'true');
cmp_ok scalar(keys %$all), '>', 300, 'the sample has more than 300 records';
is_deeply harvest($sample, 'ListRecords'), $all, 'HTTP::OAI harvests all records';
is_deeply harvest($sample, 'ListIdentifiers'), $all, 'and all headers';
cmp_ok scalar(grep { / deleted/ } values %$all), '>', 0, 'deleted records among them';

# Every set, including ancestors.
my %by_set = map { $_ => published($sample, $in_set->($_)) } split /\n/, psql($sample, 'select spec from oai.set order by spec');
cmp_ok scalar(keys %by_set), '>', 50, 'the sample has many sets';
my $wrong = 0;   # force: HTTP::OAI does not know that a setSpec may have '~'
for my $spec (grep { %{ $by_set{$_} } } sort keys %by_set) {
    my @got = map { $_->identifier } list($sample, 'ListIdentifiers', metadataPrefix => 'oai_dc', set => $spec, force => 1);
    $wrong++ if "@{[sort @got]}" ne "@{[sort keys %{ $by_set{$spec} }]}";
}
is $wrong, 0, 'every set returns the records of its descendants, and no others';
my $collection = 'col:culture';
is_deeply harvest($sample, 'ListRecords', set => $collection), $by_set{$collection}, 'ListRecords of a set';
# ListSets takes no metadataPrefix, so its first request has no argument but the verb.
my $sets = HTTP::OAI::Harvester->new(baseURL => $sample->{url})->ListSets;
my @specs;
while (my $set = $sets->next) { push @specs, $set->setSpec }
is_deeply [sort @specs], [sort keys %by_set], 'ListSets lists them all';

# Windows by day and by second, in the middle of the datestamps.
my ($from, $until) = split /\|/, psql($sample, "
    select to_char(percentile_disc(0.3) within group (order by datestamp) at time zone 'UTC', 'YYYY-MM-DD'),
           to_char(percentile_disc(0.7) within group (order by datestamp) at time zone 'UTC', 'YYYY-MM-DD') from oai.item");
my $days = published($sample, "datestamp >= '$from' and datestamp < date '$until' + 1");
cmp_ok scalar(keys %$days), '>', 100, 'a window of days holds many records';
is_deeply harvest($sample, 'ListRecords', from => $from, until => $until), $days, 'and all are harvested, including those of the last day';
my ($first, $last) = split /\|/, psql($sample, "
    select to_char(percentile_disc(0.4) within group (order by datestamp) at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'),
           to_char(percentile_disc(0.6) within group (order by datestamp) at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') from oai.item");
is_deeply harvest($sample, 'ListIdentifiers', from => $first, until => $last),
    published($sample, "datestamp between '$first' and '$last'"), 'a window of seconds';
is_deeply harvest($sample, 'ListRecords', from => $from, until => $until, set => 'dom:cz'),
    published($sample, "datestamp >= '$from' and datestamp < date '$until' + 1 and " . $in_set->('dom:cz')), 'a window within a set';

# An incremental harvest after plain SQL.
my $identify = HTTP::OAI::Harvester->new(baseURL => $sample->{url})->Identify;
is $identify->granularity, 'YYYY-MM-DDThh:mm:ssZ', 'HTTP::OAI reads the granularity from Identify';
my $since = $identify->responseDate;
psql($sample, "update webarchiv.doc set status = 410 where id in (select id from webarchiv.doc where not deleted order by id limit 3);
               delete from webarchiv.doc where id in (select id from webarchiv.doc where not deleted order by id desc limit 2)");
wait_until(sub { psql($sample, 'select count(*) from oai.queue') == 0 });
my $changed = harvest($sample, 'ListRecords', from => $since);
is scalar(keys %$changed), 5, 'changes by other programs are harvested from the last responseDate';
is scalar(grep { / deleted/ } values %$changed), 2, 'rows that were deleted by DELETE are harvested as deleted records';

# Catmandu, another author's harvester.
my $lines = `catmandu convert OAI --url $sample->{url} --metadataPrefix oai_dc to JSON --line_delimited 1 2>$dir/catmandu.err`;
is $?, 0, 'catmandu succeeds' or diag slurp("$dir/catmandu.err");
is scalar(split /\n/, $lines), psql($sample, 'select count(*) from oai.item where seq is not null'), 'catmandu harvests every record';
stop($sample);

# Files that an administrator names: the sample's web archives without their collections, or others' if OAI_SHARED has them.
my $shared = $ENV{OAI_SHARED} ? "$ENV{OAI_SHARED}/webarchive" : undef;
system("$root/deploy/sample/make-sample", "$dir/files") == 0 or die if !$shared;
my $named = serve('named', OAI_PAGE => 25, OAI_LOAD => $shared
    ? "$shared/warcio/example.arc.gz $shared/warcio/example*.warc $shared/pywb/*.warc.gz $shared/pywb/iana.cdx $shared/webarchive-discovery/*.warc.gz"
    : "$dir/files/*.arc.gz $dir/files/*.warc.gz $dir/files/SAMPLE-2022-broad.cdx");
my $records = published($named, 'true');
cmp_ok scalar(keys %$records), '>', 200, 'files that OAI_LOAD names are loaded';
is_deeply harvest($named, 'ListRecords'), $records, 'and all their records are harvested';
my $host = $shared ? 'dom:org:iana' : 'dom:cz:webarchiv';
is_deeply harvest($named, 'ListIdentifiers', set => $host), published($named, $in_set->($host)), 'ListIdentifiers of the set of a host';
stop($named);
done_testing;
