#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Records for which a stylesheet fails: `oai check --records` finds them, --exclude removes them from both lists of the
# format, and they return when the record or the stylesheet is corrected.
use FindBin;
use lib "$FindBin::Bin/../lib";
use TestProgram;

my $bin  = abs_path($ENV{BUILD} // "$root/build") . '/' . ($ENV{OAI_FLAVOUR} // 'release');
my $dir  = tempdir('oai-bad-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $db   = Database->new(model => 'webarchiv');
$db->run("insert into webarchiv.doc (datestamp, url, surt, archived_time)
    select timestamptz '2020-01-01Z' + n * interval '1 day', 'http://x/' || case when n in (3, 4, 17) then 'bad' else 'good' end || n, 'x)/' || n,
           '2019-01-01Z' from generate_series(1, 20) n");
sub publish { 1 while $db->publish(1000); return }   # waits for the next second when the publisher does
publish();
mkdir "$dir/formats" or die $!;
sub fragile {
    my ($bad) = @_;
    return spew("$dir/formats/fragile.xsl", slurp("$root/t/golden/formats/fragile.xsl") =~ s/'broken'/'$bad'/r);
}
system('cp', "$root/xslt/oai_dc.xsl", "$dir/formats") == 0 or die;
fragile('bad');
write_ini("$dir/oai.ini", $db, lists => {records => 6}, formats => {directory => "$dir/formats"});

# (status, stdout, stderr)
sub oai { return run_apart("$bin/oai", '--config', "$dir/oai.ini", @_) }
sub get { return (oai('get', $_[0]))[1] }
sub errors { return join ' ', $_[0] =~ /<error code="(\w+)"/g }

# Returns the identifiers of a whole list, and "completeListSize cursor+records" of its last page.
sub list {
    my ($verb, $prefix) = @_;
    my ($query, @ids, $end) = ("verb=$verb&metadataPrefix=$prefix");
    while ($query) {
        my $text = get($query);
        my @page = $text =~ m{<identifier>oai:example.org:(\d+)</identifier>}g;
        push @ids, @page;
        my ($size, $cursor, $token) = $text =~ m{<resumptionToken[^>]*completeListSize="(\d+)" cursor="(\d+)"[^>]*?(?:/>|>([^<]*)<)};
        $end = join ' ', $size // 'none', ($cursor // 0) + @page;
        $query = $token ? "verb=$verb&resumptionToken=$token" : '';
    }
    return ("@ids", $end);
}
my $whole = join ' ', 1 .. 20;
my $good  = join ' ', grep { !/^(3|4|17)$/ } 1 .. 20;

is_deeply [list('ListRecords', 'fragile')], [$good, '17 17'], 'bad records are skipped, and completeListSize agrees with the cursor on the last page';
is_deeply [list('ListIdentifiers', 'fragile')], [$whole, '20 20'], 'ListIdentifiers still lists them';
is errors(get('verb=GetRecord&metadataPrefix=fragile&identifier=oai:example.org:3')), 'cannotDisseminateFormat', 'GetRecord answers cannotDisseminateFormat for such a record';

my ($status, $said) = oai('check', '--records', '--format', 'fragile');
is $status, 1, '`oai check --records` finds them';
is scalar(() = $said =~ /^oai:example\.org:(?:3|4|17)\tfragile\t.*this record is broken$/mg), 3, 'with the message of libxslt' or diag $said;
is +(oai('check', '--records', '--format', 'oai_dc'))[0], 0, 'another format has no bad records';
my $complaint = qr{^oai: formats: \S+/fragile\.xsl:\d+: (\d+) of \d+ records fail, the first is oai:\S+: .*requires="COLUMN"; oai check --records --format fragile }m;
my ($status_of_check, undef, $problems) = oai('check');
ok $status_of_check == 1 && $problems =~ $complaint, '`oai check` says that some fail, where, and what to do' or diag $problems;
is +(oai('check', '--exclude'))[0], 2, '--exclude without --records is a usage error';
is $db->value('select count(*) from oai.excluded'), 0, 'without --exclude nothing is written';

($status, $said, my $errors) = oai('check', '--records', '--exclude');
is $status, 0, 'the bad records are excluded' or diag $errors;
unlike +(oai('check'))[2], $complaint, '`oai check` says nothing of those that are excluded';
like $said, qr/^fragile: 3 records are excluded, 0 no longer$/m, 'and their number is reported';
is_deeply [list('ListRecords', 'fragile')], [$good, '17 17'], 'ListRecords omits the excluded records';
is_deeply [list('ListIdentifiers', 'fragile')], [$good, '17 17'], 'and so does ListIdentifiers';
is_deeply [list('ListIdentifiers', 'oai_dc')], [$whole, '20 20'], 'another format still lists all records';
is errors(get('verb=GetRecord&metadataPrefix=fragile&identifier=oai:example.org:17')), 'cannotDisseminateFormat', 'GetRecord does not disseminate an excluded record';
unlike get('verb=ListMetadataFormats&identifier=oai:example.org:17'), qr/fragile/, 'ListMetadataFormats of an excluded record does not list the format';
like get('verb=ListMetadataFormats&identifier=oai:example.org:16'), qr/fragile/, 'but of other records it does';

$db->run("update webarchiv.doc set url = 'http://x/mended' where id = 3");
publish();
is +(list('ListIdentifiers', 'fragile'))[0], "@{[grep { $_ != 3 } split / /, $good]} 3", 'a corrected record is listed again';

fragile('bad4');
($status, $said) = oai('check', '--records', '--exclude', '--format', 'fragile');
like $said, qr/^fragile: 1 records are excluded, 2 no longer$/m, 'a corrected stylesheet makes records valid again';
publish();
is +(list('ListIdentifiers', 'fragile'))[0], "@{[grep { !/^(3|4|17)$/ } 1 .. 20]} 3 17", 'which are published again with a new position';
# An error in <about> makes a record bad as well.
mkdir "$dir/formats/about" or die $!;
system("sed 's/broken/bad/' $root/t/golden/formats-about/about/fixity.xsl >$dir/formats/about/fixity.xsl") == 0 or die;
is_deeply [list('ListRecords', 'oai_dc')], ["@{[grep { !/^(3|4|17)$/ } 1 .. 20]} 3", '18 18'], 'a record for which an about stylesheet fails is skipped';
($status, $said) = oai('check', '--records', '--format', 'oai_dc');
is $status, 1, '`oai check --records` finds it';
is_deeply [$said =~ /^(oai:example\.org:\d+\toai_dc\tabout\/fixity): .*this record is bad$/mg],
    [map { "oai:example.org:$_\toai_dc\tabout/fixity" } 4, 17], 'and names the stylesheet' or diag $said;
unlike +(oai('check', '--records', '--format', 'fragile'))[1], qr/about/, 'formats without this about stylesheet are not affected';
spew("$dir/formats/about/fixity.xsl", slurp("$dir/formats/about/fixity.xsl") =~ s/formats="oai_dc"/formats="oai-dc"/r);
like +(oai('check'))[2], qr{about/fixity\.xsl:5: formats: there is no format oai-dc$}m, '`oai check` reports an about stylesheet that names an unknown format';
done_testing;
