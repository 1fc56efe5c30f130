#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Records for which a stylesheet fails: `oai check --records` finds them, and they are in ListRecords when the record or the
# stylesheet is corrected.
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
is +(oai('check', '--format', 'fragile'))[0], 2, '--format without --records is a usage error';

$db->run("update webarchiv.doc set url = 'http://x/mended' where id = 3");
publish();
is +(list('ListRecords', 'fragile'))[0], "@{[grep { $_ != 3 } split / /, $good]} 3", 'a corrected record is delivered';

fragile('bad4');
is +(oai('check', '--records', '--format', 'fragile'))[0], 1, 'one still fails by a corrected stylesheet';
is +(list('ListRecords', 'fragile'))[0], "@{[grep { !/^[34]$/ } 1 .. 20]} 3", 'which makes others valid';
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
like +(oai('check'))[2], qr{about/fixity\.xsl:5: formats: there is no format oai-dc \[OAI-\d+\]$}m, '`oai check` reports an about stylesheet that names an unknown format';
done_testing;
