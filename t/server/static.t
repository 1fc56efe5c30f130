#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Static repositories: a repository is exported to a file, which is validated by its grammar and imported by another
# repository that serves it as a gateway; then it is imported again unchanged, changed and with records removed. Invalid files
# are refused.
use FindBin;
use lib "$FindBin::Bin/../lib";
use TestProgram;
use StaticWeb;

my $dir   = tempdir('oai-static-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $web   = StaticWeb->new;

my %db = map { $_ => Database->new(model => 'library') } qw(a b);
my $port = $web->{port};
my $url  = $web->url('museum.xml');
# Only two formats, since each command tries all of them.
mkdir "$dir/formats" or die $!;
system('cp', '-r', (map { "$root/xslt/library/$_" } qw(oai_dc.xsl marc21.xsl part)), "$dir/formats") == 0 or die;
sub ini {
    my ($name, $base_url, %how) = @_;
    return write_ini("$dir/$name.ini", $db{substr $name, 0, 1}, lists => {records => $how{records} // 100}, formats => {directory => "$dir/formats"}, repository => {
        name => 'Museum & Sons', base_url => $base_url, admin_email => 'curator@museum.example', identifier_namespace => 'museum.example', description => $how{description}});
}
ini('a', 'http://127.0.0.1/oai');
ini('a-paged', 'http://127.0.0.1/oai', records => 7);
ini('b', "http://gateway.example/oai/127.0.0.1:$port/museum.xml");
# Runs a command line, split as by a shell: (status, output).
sub oai { my ($name, @words) = @_; return run_program('sh', '-c', "exec $build/release/oai --config $dir/$name.ini @words") }
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

# A small museum: records in Dublin Core, some with MARC as well, one deleted, in collections.
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
is $status, 0, 'a repository is exported to a file' or diag $said;
like $said, qr/^oai_dc: 40 records$/m, 'with all its records';
like $said, qr/^1 deleted records left out/m, 'except the deleted one, which is reported';
is_deeply [sort glob "$www/*"], [$file], 'no temporary file is left beside it';
sub valid { my ($f) = @_; my $out = `xmllint --noout --relaxng $root/t/data/rng/static-repository.rng $f 2>&1`; return $? == 0 ? '' : $out }
is valid($file), '', 'the file is valid by the grammar';
like slurp($file), qr{<oai:baseURL>http://gateway.example/oai/127.0.0.1%3A$port/museum.xml</oai:baseURL>}, 'its base URL is that of the gateway, with the colon before the port encoded';
unlike slurp($file), qr/setSpec|status=/, 'it has no sets and no deleted records';
(undef, $said) = oai('a', 'import-static', '--check', $file);
like $said, qr/: Museum & Sons <.*>, 0 faults\n/, 'oai import-static --check reports no faults' or diag $said;
my $before = slurp($file);
($status, $said) = oai('a', @export, '--limit 39', $file);
like "$status $said", qr/^1 .*more than 39 records/s, 'too many records are refused, with advice';
is slurp($file), $before, 'and the file stays unchanged';
is_deeply [sort glob "$www/*"], [$file], 'and no temporary file is left';
(undef, $said) = oai('a', @export, '--set type:image', "$www/set.xml");
like $said, qr/^oai_dc: 20 records$/m, 'a single set can be exported';
is valid("$www/set.xml"), '', 'and is valid by the grammar, too';
($status, $said) = oai('a', @export, '--set type:map', "$www/none.xml");
like "$status $said", qr/^1 .*no record to export/s, 'an empty set is refused';
for (['http://gateway.example/oai?x=1', $url], ['http://gateway.example/oai', "$url?v=2"], ['http://gateway.example/oai', "$url#top"], ['gateway.example', $url], ['http://gateway.example/oai', 'http://museum.example/']) {
    ($status, $said) = oai('a', 'export-static', '--gateway', "'$_->[0]'", '--url', "'$_->[1]'", "$www/none.xml");
    like "$status $said", qr/^2 .*it (?:has no query|has a host and a path|begins with http)/s, 'URLs that would make an invalid base URL are refused' or diag "@$_";
}

# The gateway imports the file from its URL.
my @import = ('import-static', '--collection museum', '--delete-missing', $url);
($status, $said) = oai('b', @import, "--description $dir/gateway.xml");
is $status, 0, 'the gateway imports the file' or diag $said;
like $said, qr/: 40 records \(40 inserted, 0 updated, 0 unchanged\), 0 passed over, 0 damaged/, 'with all its records';
unlike $said, qr/note:/, 'and without a note about identifiers or the base URL';
publish('b');
my ($ours, $theirs) = map { records($_, 'oai_dc') } qw(a b);
delete $ours->{'oai:museum.example:gone'};
is scalar(keys %$theirs), 40, 'it serves all records';
is_deeply $theirs, $ours, 'byte for byte as the first repository does';
is records('b', 'marc21')->{'oai:museum.example:obj/3'}, records('a', 'marc21')->{'oai:museum.example:obj/3'}, 'also in MARCXML';
is $db{b}->value("select count(*) from library.item where marc is not null"), 40, 'all records of the file have MARC';
ini('b', "http://gateway.example/oai/127.0.0.1:$port/museum.xml", description => "$dir/gateway.xml");
(undef, $said) = oai('b', 'get', 'verb=Identify');
like $said, qr{<gateway xmlns="http://www.openarchives.org/OAI/2.0/gateway/".*<source>\Q$url\E</source>.*<gatewayURL>http://gateway.example/oai/</gatewayURL>}s,
    'Identify describes the gateway';
spew("$dir/identify.xml", $said);
is system("$root/t/lib/validate $dir/identify.xml >$dir/validated 2>&1"), 0, 'Identify is valid' or diag slurp("$dir/validated");

# Importing again.
my $stamps = sub { return {map { @$_ } $db{b}->rows('select local_id, datestamp || seq::text from oai.item')} };
my $stamped = $stamps->();
(undef, $said) = oai('b', @import, '--afresh');
like $said, qr/0 inserted, 0 updated, 40 unchanged\).*\n0 deleted/s, 'importing the same file again changes nothing';
publish('b');
is_deeply $stamps->(), $stamped, 'nor any datestamp';
my $changed = $before =~ s{Title &lt;5&gt;}{Another title}gr;
$changed =~ s{<oai:record><oai:header><oai:identifier>oai:museum.example:obj/$_</oai:identifier>.*?</oai:record>\n}{}gs for 6, 7;
$web->put('museum.xml', $changed);
($status, $said) = oai('b', @import);
like $said, qr/: 38 records \(0 inserted, 1 updated, 37 unchanged\).*\n2 deleted that are not in it any more/s, 'one changed and two removed records are imported' or diag $said;
publish('b');
my $now = $stamps->();
is_deeply [sort grep { $now->{$_} ne $stamped->{$_} } keys %$now], ['obj/5', 'obj/6', 'obj/7'], 'only these three have a new datestamp';
$theirs = records('b', 'oai_dc');
is_deeply [map { $theirs->{"oai:museum.example:obj/$_"} } 6, 7], ['deleted', 'deleted'], 'the two removed records are deleted records';
$web->put('museum.xml', $before);
(undef, $said) = oai('b', @import);
like $said, qr/0 inserted, 3 updated, 37 unchanged/, 'records that return are restored';

# Identifiers of any scheme are kept.
spew("$dir/other.xml", $before =~ s{oai:museum.example:obj/(1\d)<}{https://museum.example/obj?n=$1<}gr);
(undef, $said) = oai('b', 'import-static', '--collection', 'other', "$dir/other.xml");
like $said, qr/: 40 records \(10 inserted/, 'ten records with other identifiers are imported';
publish('b');
is records('b', 'oai_dc')->{'https://museum.example/obj?n=12'}, $ours->{'oai:museum.example:obj/12'}, 'and are served under them';

# Invalid files.
spew("$dir/wrong.xml", $before =~ s{<oai:datestamp>[^<]*}{<oai:datestamp>yesterday}r =~ s{oai:museum.example:obj/9<}{nine<}r);
($status, $said) = oai('b', 'import-static', "$dir/wrong.xml");
is $status, 1, 'a file with faults is refused';
like $said, qr{^\Q$dir\E/wrong.xml:\d+: the datestamp is no day: yesterday\n\Q$dir\E/wrong.xml:\d+: the identifier is no URI: nine\n}, 'and each fault is reported with its line';
spew("$dir/cut.xml", substr $before, 0, length($before) / 2);
($status, $said) = oai('b', 'import-static', "$dir/cut.xml");
like "$status $said", qr{^1 .*cut.xml: the file ends within the document}s, 'a truncated file is refused';
$web->put('feed.xml', '<rss/>');
for (['feed.xml' => qr{/feed.xml:1: <rss> is no Repository}], ['nothing.xml' => qr{nothing.xml: HTTP status 404}]) {
    ($status, $said) = oai('b', 'import-static --check', $web->url($_->[0]));
    like "$status $said", qr{^1 .*$_->[1]}s, "$_->[0] is refused";
}
is $db{b}->value('select count(*) from library.item'), 50, 'and nothing of these files is stored';
($status, $said) = oai('b', 'import-static', '--delete-missing', $url);
is $status, 2, 'deleting missing records requires a collection';
ini('b', 'http://other.example/oai');
(undef, $said) = oai('b', 'import-static', "$www/set.xml");
like $said, qr/note: the file says that it is served at .*museum.xml, this repository at http:\/\/other.example\/oai/, 'a different base URL is reported as a note';
# A failed download leaves no temporary file.
mkdir "$dir/tmp" or die $!;
{
    local $ENV{TMPDIR} = "$dir/tmp";
    ($status, $said) = oai('b', 'import-static --check', "$url.nowhere");
    isnt $status, 0, 'a URL without a file is an error';
    like $said, qr/HTTP status 404/, 'with the HTTP status in the message';
    is_deeply [glob "$dir/tmp/*"], [], 'and no temporary file is left';
}
done_testing;
