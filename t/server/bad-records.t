#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Records that a stylesheet fails on: found by `oai check --records`, taken out of both lists of the format by --exclude,
# back when the record or the stylesheet is mended.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(abs_path);
use Database;
use File::Temp qw(tempdir);
use Test::More;

my $root = abs_path("$FindBin::Bin/../..");
my $bin  = abs_path($ENV{BUILD} // "$root/build") . '/' . ($ENV{OAI_FLAVOUR} // 'release');
my $dir  = tempdir('oai-bad-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $db   = Database->new(model => 'webarchiv');
$db->run("insert into webarchiv.doc (datestamp, url, surt, archived_time)
    select timestamptz '2020-01-01Z' + n * interval '1 day', 'http://x/' || case when n in (3, 4, 17) then 'bad' else 'good' end || n, 'x)/' || n,
           '2019-01-01Z' from generate_series(1, 20) n");
sub publish { 1 while $db->publish(1000); return }   # waits for the next second where the publisher does
publish();
mkdir "$dir/formats" or die $!;
sub spew { my ($file, $text) = @_; open my $out, '>', $file or die "$file: $!"; print {$out} $text; close $out or die $!; return }
sub fragile {
    my ($bad) = @_;
    my $text = do { open my $in, '<', "$root/t/golden/formats/fragile.xsl" or die $!; local $/; <$in> };
    return spew("$dir/formats/fragile.xsl", $text =~ s/'broken'/'$bad'/r);
}
system('cp', "$root/xslt/oai_dc.xsl", "$dir/formats") == 0 or die;
fragile('bad');
spew("$dir/key", '0123456789abcdef' x 4);
chmod 0600, "$dir/key";
spew("$dir/oai.ini", "[repository]\nname = bad\nbase_url = http://127.0.0.1/oai\nadmin_email = a\@example.org\nidentifier_namespace = example.org\n"
    . "[lists]\nrecords = 6\n[token]\nkey_file = $dir/key\n[formats]\ndirectory = $dir/formats\n[database]\nconnection = " . $db->conninfo('oai_reader')
    . "\n[publisher]\nconnection = " . $db->conninfo('oai_publisher') . "\n");

sub oai { my $said = `$bin/oai --config $dir/oai.ini @_ 2>$dir/err`; return ($? >> 8, $said) }
sub get { return (oai('get', "'$_[0]'"))[1] }
sub errors { return join ' ', $_[0] =~ /<error code="(\w+)"/g }

# Identifiers of a whole list, and "size cursor+records" of its last page.
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

is_deeply [list('ListRecords', 'fragile')], [$good, '17 17'], 'bad records are skipped, and the size meets the cursor at the end';
is_deeply [list('ListIdentifiers', 'fragile')], [$whole, '20 20'], 'headers do not know of it yet';
is errors(get('verb=GetRecord&metadataPrefix=fragile&identifier=oai:example.org:3')), 'cannotDisseminateFormat', 'GetRecord of one';

my ($status, $said) = oai('check', '--records', '--format', 'fragile');
is $status, 1, '`oai check --records` finds them';
is scalar(() = $said =~ /^oai:example\.org:(?:3|4|17)\tfragile\t.*this record is broken$/mg), 3, 'with libxslt\'s own words' or diag $said;
is +(oai('check', '--records', '--format', 'oai_dc'))[0], 0, 'another format has none';
is +(oai('check', '--exclude'))[0], 2, '--exclude alone is no use';
is $db->value('select count(*) from oai.excluded'), 0, 'nothing is written without being asked';

($status, $said) = oai('check', '--records', '--exclude');
is $status, 0, 'they are excluded' or diag do { local (@ARGV, $/) = "$dir/err"; <> };
like $said, qr/^fragile: 3 records are excluded, 0 no longer$/m, 'and it says so';
is_deeply [list('ListRecords', 'fragile')], [$good, '17 17'], 'ListRecords';
is_deeply [list('ListIdentifiers', 'fragile')], [$good, '17 17'], 'and ListIdentifiers agree';
is_deeply [list('ListIdentifiers', 'oai_dc')], [$whole, '20 20'], 'another format has them all';
is errors(get('verb=GetRecord&metadataPrefix=fragile&identifier=oai:example.org:17')), 'cannotDisseminateFormat', 'GetRecord agrees';
unlike get('verb=ListMetadataFormats&identifier=oai:example.org:17'), qr/fragile/, 'ListMetadataFormats of the record too';
like get('verb=ListMetadataFormats&identifier=oai:example.org:16'), qr/fragile/, 'and of others';

$db->run("update webarchiv.doc set url = 'http://x/mended' where id = 3");
publish();
is +(list('ListIdentifiers', 'fragile'))[0], "@{[grep { $_ != 3 } split / /, $good]} 3", 'a record that is mended is back';

fragile('bad4');
($status, $said) = oai('check', '--records', '--exclude', '--format', 'fragile');
like $said, qr/^fragile: 1 records are excluded, 2 no longer$/m, 'a stylesheet that is mended';
publish();
is +(list('ListIdentifiers', 'fragile'))[0], "@{[grep { !/^(3|4|17)$/ } 1 .. 20]} 3 17", 'brings its records back, published again';
# What goes into <about> is part of the record.
mkdir "$dir/formats/about" or die $!;
system("sed 's/broken/bad/' $root/t/golden/formats-about/about/fixity.xsl >$dir/formats/about/fixity.xsl") == 0 or die;
is_deeply [list('ListRecords', 'oai_dc')], ["@{[grep { !/^(3|4|17)$/ } 1 .. 20]} 3", '18 18'], 'a record that an about stylesheet fails on is skipped';
($status, $said) = oai('check', '--records', '--format', 'oai_dc');
is $status, 1, '`oai check --records` finds it';
is_deeply [$said =~ /^(oai:example\.org:\d+\toai_dc\tabout\/fixity): .*this record is bad$/mg],
    [map { "oai:example.org:$_\toai_dc\tabout/fixity" } 4, 17], 'and says which stylesheet' or diag $said;
unlike +(oai('check', '--records', '--format', 'fragile'))[1], qr/about/, 'a format that it does not go with has no such records';
spew("$dir/formats/about/fixity.xsl", do { local (@ARGV, $/) = "$dir/formats/about/fixity.xsl"; <> } =~ s/formats="oai_dc"/formats="oai-dc"/r);
oai('check');
like do { local (@ARGV, $/) = "$dir/err"; <> }, qr{about/fixity\.xsl:5: formats: there is no format oai-dc$}m, '`oai check` knows what it goes with';
done_testing;
