#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The attribute `since` of a format: when a stylesheet changes, harvesters receive all records again, exactly once, whenever
# they harvest; no datestamp is in the future; and a list that has begun is completed.
use TestProgram;
use POSIX qw(strftime);
use Time::HiRes qw(time);

my $bin   = abs_path($ENV{BUILD} // "$root/build") . '/' . ($ENV{OAI_FLAVOUR} // 'release');
my $dir   = tempdir('oai-since-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $items = 40;

sub datestamp { return strftime('%Y-%m-%dT%H:%M:%SZ', gmtime $_[0]) }

# Writes the stylesheet of the format in a version that begins at $since.
sub write_format {
    my ($version, $since) = @_;
    spew("$dir/formats/t.xsl", <<"XSL");
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format">
  <f:format prefix="t" alias="tt" schema="http://example.org/t.xsd" namespace="urn:t" since="$since" records="7" visible="no"/>
  <xsl:template match="record"><t xmlns="urn:t" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:t http://example.org/t.xsd">$version</t></xsl:template>
</xsl:stylesheet>
XSL
}

my $db = Database->new(model => 'webarchiv');
Database::psql($db->conninfo, '-c', "insert into webarchiv.doc (datestamp, url, surt, archived_time)
    select timestamptz '2020-01-01Z' + n * interval '1 day', 'http://x/' || n, 'x)/' || n, '2019-01-01Z' from generate_series(1, $items) n");
mkdir "$dir/formats" or die $!;
system('cp', "$root/xslt/oai_dc.xsl", "$dir/formats") == 0 or die;
write_format('old', '2020-01-10');
write_ini("$dir/oai.ini", $db, formats => {directory => "$dir/formats"});

sub get { my ($query) = @_; return (run_apart("$bin/oai", '--config', "$dir/oai.ini", 'get', '--', $query))[1] }

# One harvest: {date => responseDate of the first answer, records => {identifier => [datestamp, version] ...}, twice}.
sub harvest {
    my ($from, $between) = @_;
    my %harvest = (twice => 0, records => {}, ahead => 0);
    my $query = "verb=ListRecords&metadataPrefix=t$from";
    for (my $page = 1; $query; ++$page) {
        my $text = get($query);
        my ($date) = $text =~ m{<responseDate>(.*?)</};
        $harvest{date} //= $date;
        while ($text =~ m{<record>.*?<identifier>(.*?)</identifier><datestamp>(.*?)</datestamp>.*?<t [^>]*>(\w+)</t>}sg) {
            $harvest{twice}++ if $harvest{records}{$1};
            $harvest{ahead}++ if $2 gt $date;
            $harvest{records}{$1} = [$2, $3];
        }
        $harvest{error} = $1 if $text =~ /<error code="(\w+)"/;
        $query = $text =~ m{<resumptionToken[^>]*>([^<]+)<} ? "verb=ListRecords&resumptionToken=$1" : '';
        $between->() if $between && $page == 2;
    }
    return \%harvest;
}
sub count { return scalar keys %{ $_[0]{records} } }

my $publisher = start_program(["$bin/oai", '--config', "$dir/oai.ini", 'publish'], log => "$dir/publish.log");
END { my $status = $?; stop_program($publisher) if $publisher; $? = $status }
wait_until(sub { $db->value('select h is not null from oai.horizon') eq 't' });

my $first = harvest('');
is count($first), $items, 'the whole list is harvested, with the page size of the format';
is $first->{records}{'oai:example.org:1'}[0], '2020-01-10T00:00:00Z', 'the datestamp of a record is not before `since`';
is $first->{records}{'oai:example.org:40'}[0], '2020-02-10T00:00:00Z', 'a later datestamp of a record is kept';
is count(harvest('&from=2020-01-10')), $items, 'from the day of `since`: all records';
is count(harvest('&from=2020-01-10T00:00:01Z')), 31, 'from the second after it: only later records';
is count(harvest('&until=2020-01-10')), 9, 'until that day: the records that are not later';
is harvest('&until=2020-01-09')->{error}, 'noRecordsMatch', 'until the day before: no record';
like get('verb=GetRecord&metadataPrefix=tt&identifier=oai:example.org:1'), qr{2020-01-10T00:00:00Z.*>old<}s, 'the alias disseminates the same format';
unlike get('verb=ListMetadataFormats'), qr{<metadataPrefix>tt?<}, 'a format that is not visible is not listed';

# The format changes while a list with an upper bound of yesterday is being harvested.
my $yesterday = datestamp(time - 86400);
my $now = datestamp(time - 5);
my $window = harvest("&until=$yesterday", sub { write_format('middle', $now) });
is $window->{error}, undef, 'the change does not break off the list';
is count($window), $items, 'and the list is complete';
is harvest("&until=$yesterday")->{error}, 'noRecordsMatch', 'a list that begins later has no records, since all have changed';
my $again = harvest("&from=$yesterday");
is count($again), $items, 'an incremental harvest from yesterday gets the whole list again';
is scalar(grep { $_->[0] ne $now || $_->[1] ne 'middle' } values %{ $again->{records} }), 0, 'with the new content and the new datestamp';
is harvest("&from=$again->{date}")->{error}, 'noRecordsMatch', 'and only once';

# Repeated incremental harvests, while a change whose `since` is a few seconds ahead takes effect.
my ($since, %got, $ahead, $twice, $date);
# A version that is in use before its time has come, as the first answer says; a slow machine needs more time.
for my $seconds (4, 15, 60, 240) {
    $since = time + $seconds;
    write_format("new$seconds", datestamp($since));
    $date = harvest('')->{date};
    last if $date lt datestamp($since);
}
while ($date le datestamp($since + 2)) {
    my $harvest = harvest("&from=$date");
    $date = $harvest->{date};
    $twice += $harvest->{twice};
    $ahead += $harvest->{ahead};
    $got{$_}{ $harvest->{records}{$_}[0] }++ for keys %{ $harvest->{records} };
    pace(0.2);
}
is scalar(keys %got), $items, 'every record was harvested again';
is scalar(grep { join(',', %$_) ne datestamp($since) . ',1' } values %got), 0, 'exactly once, with the announced datestamp';
is $ahead, 0, 'no datestamp was later than the responseDate';
is $twice, 0, 'no record occurred twice in a harvest';
done_testing;
