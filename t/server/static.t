#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Static repositories: one repository written as a file, checked by its grammar, taken in by another that serves it as a
# gateway does; the same again, changed, with records gone; files that are wrong.
use strict;
use warnings;
use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp qw(tempdir);
use Test::More;
use Database;
use StaticWeb;

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");
my $dir   = tempdir('oai-static-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $web   = StaticWeb->new;

sub spew { my ($name, $bytes) = @_; open my $out, '>:raw', "$dir/$name" or die "$name: $!"; print {$out} $bytes; close $out or die $!; return "$dir/$name" }
sub slurp { my ($file) = @_; open my $in, '<:raw', $file or return; local $/; return <$in> // '' }

my %db = map { $_ => Database->new(model => 'library') } qw(a b);
chmod 0600, spew('key', '0123456789abcdef' x 4);
my $port = $web->{port};
my $url  = $web->url('museum.xml');
# Two formats, which need not be tried anew for each command.
mkdir "$dir/formats" or die $!;
system('cp', '-r', (map { "$root/xslt/library/$_" } qw(oai_dc.xsl marc21.xsl part)), "$dir/formats") == 0 or die;
sub ini {
    my ($name, $base_url, $more, $page) = @_;
    my $db = $db{substr $name, 0, 1};
    return spew("$name.ini", "[repository]\nname = Museum & Sons\nbase_url = $base_url\nadmin_email = curator\@museum.example\nidentifier_namespace = museum.example\n"
        . ($more // '') . "[lists]\nrecords = " . ($page // 100) . "\n[token]\nkey_file = $dir/key\n[formats]\ndirectory = $dir/formats\n"
        . join '', map { "[$_->[0]]\nconnection = " . $db->conninfo("oai_$_->[1]") . "\n" } [database => 'reader'], [publisher => 'publisher'], [loader => 'loader']);
}
ini('a', 'http://127.0.0.1/oai');
ini('a-paged', 'http://127.0.0.1/oai', '', 7);
ini('b', "http://gateway.example/oai/127.0.0.1:$port/museum.xml");
sub oai { my ($name, @arguments) = @_; my $said = `$build/release/oai --config $dir/$name.ini @arguments 2>&1`; return ($? >> 8, $said) }
sub publish { my ($name) = @_; 1 while $db{$name}->publish > 0; return }
# identifier => metadata of each record, deleted ones without.
sub records {
    my ($name, $prefix) = @_;
    my (%records, $token);
    do {
        my (undef, $said) = oai($name, 'get', defined $token ? "'verb=ListRecords&resumptionToken=$token'" : "'verb=ListRecords&metadataPrefix=$prefix'");
        while ($said =~ m{<record><header(?: status="(deleted)")?><identifier>(.*?)</identifier>.*?</header>(?:<metadata>(.*?)</metadata>)?}gs) { $records{$2} = $1 // $3 }
        ($token) = $said =~ m{<resumptionToken[^>]*>([^<]+)<};
    } while defined $token;
    return \%records;
}

# A small museum: Dublin Core, some MARC beside it, one deleted, collections.
$db{a}->run("insert into library.item (local_id, kind, title, title_lang, creator, subject, date, language, doi)
    select 'obj/' || n, case when n % 2 = 0 then 'image' else 'book' end, array['Title <' || n || '> & more', 'Titul ' || n], '{en,cs}', array['Doe, J' || n],
           array['s1', 's2'], array['19' || (10 + n)], '{en}', '10.1234/m.' || n from generate_series(1, 40) n",
    "insert into library.item (local_id, deleted, title) values ('gone', true, '{x}')",
    "update library.item set marc = xmlparse(content '<record xmlns=\"http://www.loc.gov/MARC21/slim\"><leader>00000nam a2200000 i 4500</leader><controlfield tag=\"001\">' || local_id
        || '</controlfield><datafield tag=\"245\" ind1=\"1\" ind2=\"0\"><subfield code=\"a\">Kept as it is</subfield></datafield></record>') where local_id in ('obj/3', 'obj/4')");
publish('a');

my @export = ('export-static', '--gateway', 'http://gateway.example/oai', '--url', $url);
my $www  = $web->{dir};
my $file = "$www/museum.xml";
my ($status, $said) = oai('a-paged', @export, '--format marc21', $file);
is $status, 0, 'a repository is written as a file' or diag $said;
like $said, qr/^oai_dc: 40 records$/m, 'of all its records';
like $said, qr/^1 deleted records left out/m, 'but the deleted one, which is said';
is_deeply [sort glob "$www/*"], [$file], 'and nothing else is left beside it';
sub valid { my ($f) = @_; my $out = `xmllint --noout --relaxng $root/t/data/rng/static-repository.rng $f 2>&1`; return $? == 0 ? '' : $out }
is valid($file), '', 'it keeps the grammar';
like slurp($file), qr{<oai:baseURL>http://gateway.example/oai/127.0.0.1%3A$port/museum.xml</oai:baseURL>}, 'its base URL is the gateway\'s, with the port\'s colon encoded';
unlike slurp($file), qr/setSpec|status=/, 'no sets, no deletions';
(undef, $said) = oai('a', 'import-static', '--check', $file);
like $said, qr/: Museum & Sons <.*>, 0 faults\n/, 'our own reader agrees' or diag $said;
my $before = slurp($file);
($status, $said) = oai('a', @export, '--limit 39', $file);
like "$status $said", qr/^1 .*more than 39 records/s, 'too many are refused, with a way out';
is slurp($file), $before, 'and the file stays as it was';
is_deeply [sort glob "$www/*"], [$file], 'without remains';
(undef, $said) = oai('a', @export, '--set type:image', "$www/set.xml");
like $said, qr/^oai_dc: 20 records$/m, 'a set alone';
is valid("$www/set.xml"), '', 'keeps the grammar, too';
($status, $said) = oai('a', @export, '--set type:map', "$www/none.xml");
like "$status $said", qr/^1 .*no record to export/s, 'an empty one cannot be';
for (['http://gateway.example/oai?x=1', $url], ['http://gateway.example/oai', "$url?v=2"], ['http://gateway.example/oai', "$url#top"], ['gateway.example', $url], ['http://gateway.example/oai', 'http://museum.example/']) {
    ($status, $said) = oai('a', 'export-static', '--gateway', "'$_->[0]'", '--url', "'$_->[1]'", "$www/none.xml");
    like "$status $said", qr/^2 .*it (?:has no query|has a host and a path|begins with http)/s, 'nor one whose base URL would be none' or diag "@$_";
}

# The gateway takes it from its URL.
my @import = ('import-static', '--collection museum', '--delete-missing', $url);
($status, $said) = oai('b', @import, "--description $dir/gateway.xml");
is $status, 0, 'the gateway takes it in' or diag $said;
like $said, qr/: 40 records \(40 inserted, 0 updated, 0 unchanged\), 0 passed over, 0 damaged/, 'all of it';
unlike $said, qr/note:/, 'under its identifiers and at its base URL';
publish('b');
my ($ours, $theirs) = map { records($_, 'oai_dc') } qw(a b);
delete $ours->{'oai:museum.example:gone'};
is scalar(keys %$theirs), 40, 'it serves them';
is_deeply $theirs, $ours, 'as the first repository does, byte for byte';
is records('b', 'marc21')->{'oai:museum.example:obj/3'}, records('a', 'marc21')->{'oai:museum.example:obj/3'}, 'and MARCXML, too';
is $db{b}->value("select count(*) from library.item where marc is not null"), 40, 'which each has that was in the file';
ini('b', "http://gateway.example/oai/127.0.0.1:$port/museum.xml", "description = $dir/gateway.xml\n");
(undef, $said) = oai('b', 'get', 'verb=Identify');
like $said, qr{<gateway xmlns="http://www.openarchives.org/OAI/2.0/gateway/".*<source>\Q$url\E</source>.*<gatewayURL>http://gateway.example/oai/</gatewayURL>}s,
    'and says what it is';
spew('identify.xml', $said);
is system("$root/t/lib/validate $dir/identify.xml >$dir/validated 2>&1"), 0, 'validly' or diag slurp("$dir/validated");

# Again.
my $stamps = sub { return {map { @$_ } $db{b}->rows('select local_id, datestamp || seq::text from oai.item')} };
my $stamped = $stamps->();
(undef, $said) = oai('b', @import, '--afresh');
like $said, qr/0 inserted, 0 updated, 40 unchanged\).*\n0 deleted/s, 'again, and nothing changes';
publish('b');
is_deeply $stamps->(), $stamped, 'no datestamp either';
my $changed = $before =~ s{Title &lt;5&gt;}{Another title}gr;
$changed =~ s{<oai:record><oai:header><oai:identifier>oai:museum.example:obj/$_</oai:identifier>.*?</oai:record>\n}{}gs for 6, 7;
$web->put('museum.xml', $changed);
($status, $said) = oai('b', @import);
like $said, qr/: 38 records \(0 inserted, 1 updated, 37 unchanged\).*\n2 deleted that are not in it any more/s, 'one changed, two gone' or diag $said;
publish('b');
my $now = $stamps->();
is_deeply [sort grep { $now->{$_} ne $stamped->{$_} } keys %$now], ['obj/5', 'obj/6', 'obj/7'], 'those three are stamped anew';
$theirs = records('b', 'oai_dc');
is_deeply [map { $theirs->{"oai:museum.example:obj/$_"} } 6, 7], ['deleted', 'deleted'], 'two as deletions';
$web->put('museum.xml', $before);
(undef, $said) = oai('b', @import);
like $said, qr/0 inserted, 3 updated, 37 unchanged/, 'what comes back is there again';

# Identifiers of any kind stay as they are.
spew('other.xml', $before =~ s{oai:museum.example:obj/(1\d)<}{https://museum.example/obj?n=$1<}gr);
(undef, $said) = oai('b', 'import-static', '--collection', 'other', "$dir/other.xml");
like $said, qr/: 40 records \(10 inserted/, 'ten have identifiers of their own';
publish('b');
is records('b', 'oai_dc')->{'https://museum.example/obj?n=12'}, $ours->{'oai:museum.example:obj/12'}, 'and are served under them';

# Files that are wrong.
spew('wrong.xml', $before =~ s{<oai:datestamp>[^<]*}{<oai:datestamp>yesterday}r =~ s{oai:museum.example:obj/9<}{nine<}r);
($status, $said) = oai('b', 'import-static', "$dir/wrong.xml");
is $status, 1, 'faults are refused';
like $said, qr{^\Q$dir\E/wrong.xml:\d+: the datestamp is no day: yesterday\n\Q$dir\E/wrong.xml:\d+: the identifier is no URI: nine\n}, 'by line';
spew('cut.xml', substr $before, 0, length($before) / 2);
($status, $said) = oai('b', 'import-static', "$dir/cut.xml");
like "$status $said", qr{^1 .*cut.xml: the file ends within the document}s, 'half a file is, too';
$web->put('feed.xml', '<rss/>');
for (['feed.xml' => qr{/feed.xml:1: <rss> is no Repository}], ['nothing.xml' => qr{nothing.xml: HTTP status 404}]) {
    ($status, $said) = oai('b', 'import-static --check', $web->url($_->[0]));
    like "$status $said", qr{^1 .*$_->[1]}s, "$_->[0] is refused";
}
is $db{b}->value('select count(*) from library.item'), 50, 'and nothing of them is there';
($status, $said) = oai('b', 'import-static', '--delete-missing', $url);
is $status, 2, 'what is to be deleted needs a collection';
ini('b', 'http://other.example/oai');
(undef, $said) = oai('b', 'import-static', "$www/set.xml");
like $said, qr/note: the file says that it is served at .*museum.xml, this repository at http:\/\/other.example\/oai/, 'another base URL is noted';
# What cannot be fetched leaves nothing behind.
mkdir "$dir/tmp" or die $!;
{
    local $ENV{TMPDIR} = "$dir/tmp";
    ($status, $said) = oai('b', 'import-static --check', "$url.nowhere");
    isnt $status, 0, 'a URL without a file is an error';
    like $said, qr/HTTP status 404/, 'in words';
    is_deeply [glob "$dir/tmp/*"], [], 'and leaves no file behind';
}
done_testing;
