#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `since` of a format, as harvesters meet it: a stylesheet that changes today is harvested again by those who harvested
# before, whole and once, whenever they come; no datestamp lies ahead; a list under way is ended as it began.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(abs_path);
use Database;
use File::Temp qw(tempdir);
use POSIX qw(strftime);
use Test::More;
use Time::HiRes qw(sleep time);

my $root  = abs_path("$FindBin::Bin/../..");
my $bin   = abs_path($ENV{BUILD} // "$root/build") . '/' . ($ENV{OAI_FLAVOUR} // 'release');
my $dir   = tempdir('oai-since-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $items = 40;

sub stamp { return strftime('%Y-%m-%dT%H:%M:%SZ', gmtime $_[0]) }
sub spew { my ($file, $text) = @_; open my $out, '>', $file or die "$file: $!"; print {$out} $text; close $out or die $! }

# The format, at a version that began at `since`.
sub put {
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
put('old', '2020-01-10');
spew("$dir/key", '0123456789abcdef' x 4);
chmod 0600, "$dir/key";
spew("$dir/oai.ini", "[repository]\nname = since\nbase_url = http://127.0.0.1/oai\nadmin_email = a\@example.org\nidentifier_namespace = example.org\n"
    . "[token]\nkey_file = $dir/key\n[formats]\ndirectory = $dir/formats\n[database]\nconnection = " . $db->conninfo('oai_reader')
    . "\n[publisher]\nconnection = " . $db->conninfo('oai_publisher') . "\n");

sub get {
    my ($query) = @_;
    open my $pipe, '-|', "$bin/oai", '--config', "$dir/oai.ini", 'get', '--', $query or die $!;
    local $/;
    my $text = <$pipe> // '';
    close $pipe;
    return $text;
}

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

my $publisher = fork // die $!;
if (!$publisher) { open STDERR, '>', "$dir/publish.log"; exec "$bin/oai", '--config', "$dir/oai.ini", 'publish' or die $! }
END { my $status = $?; if ($publisher) { kill TERM => $publisher; waitpid $publisher, 0 } $? = $status }
for (1 .. 100) { last if $db->value('select h is not null from oai.horizon') eq 't'; sleep 0.1 }

my $first = harvest('');
is count($first), $items, 'the whole list, by pages of the format\'s own';
is $first->{records}{'oai:example.org:1'}[0], '2020-01-10T00:00:00Z', 'a record is not older than its stylesheet';
is $first->{records}{'oai:example.org:40'}[0], '2020-02-10T00:00:00Z', 'nor younger than itself';
is count(harvest('&from=2020-01-10')), $items, 'from since on: all';
is count(harvest('&from=2020-01-10T00:00:01Z')), 31, 'from the second after: what is younger';
is count(harvest('&until=2020-01-10')), 9, 'until that day: what is not younger';
is harvest('&until=2020-01-09')->{error}, 'noRecordsMatch', 'until the day before: nothing';
like get('verb=GetRecord&metadataPrefix=tt&identifier=oai:example.org:1'), qr{2020-01-10T00:00:00Z.*>old<}s, 'the alias is the format';
unlike get('verb=ListMetadataFormats'), qr{<metadataPrefix>tt?<}, 'a format that is not visible is not listed';

# A list with an upper bound of yesterday is under way when the format changes.
my $yesterday = stamp(time - 86400);
my $now = stamp(time - 5);
my $window = harvest("&until=$yesterday", sub { put('middle', $now) });
is $window->{error}, undef, 'a list under way is not ended by a change';
is count($window), $items, 'and is whole';
is harvest("&until=$yesterday")->{error}, 'noRecordsMatch', 'one that begins later finds that all has changed since';
my $again = harvest("&from=$yesterday");
is count($again), $items, 'yesterday\'s harvester gets the whole list again';
is scalar(grep { $_->[0] ne $now || $_->[1] ne 'middle' } values %{ $again->{records} }), 0, 'the new content, under the new datestamp';
is harvest("&from=$again->{date}")->{error}, 'noRecordsMatch', 'and only once';

# Harvesters that come again and again, while the change that is announced for a moment ahead comes about.
my ($since, %got, $ahead, $twice) = (time + 4);
put('new', stamp($since));
my $date = harvest('')->{date};
for (my $end = $since + 5; time < $end; sleep 0.2) {
    my $harvest = harvest("&from=$date");
    $date = $harvest->{date};
    $twice += $harvest->{twice};
    $ahead += $harvest->{ahead};
    $got{$_}{ $harvest->{records}{$_}[0] }++ for keys %{ $harvest->{records} };
}
is scalar(keys %got), $items, 'every record came again';
is scalar(grep { join(',', %$_) ne stamp($since) . ',1' } values %got), 0, 'once, with the datestamp that was announced';
is $ahead, 0, 'no datestamp lay ahead of its answer';
is $twice, 0, 'no record came twice in a harvest';
done_testing;
