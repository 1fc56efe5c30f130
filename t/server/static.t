#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Static repositories: a repository is exported to a file, which is validated by its grammar and harvested by another
# repository that serves it as a gateway; then it is harvested again unchanged, changed and with records removed. What is no
# static repository is refused.
use TestProgram;
use RelaxNG;
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
        name => 'Museum & Sons', base_url => $base_url, admin_email => 'curator@museum.example', identifier_namespace => $name eq 'b' ? 'gateway.example' : 'museum.example', description => $how{description}});
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
my $grammar = spew("$dir/static-repository.rng", RelaxNG::xml("$root/t/data/rng/static-repository.rnc"));
sub valid { my ($f) = @_; my $out = `xmllint --noout --relaxng $grammar $f 2>&1`; return $? == 0 ? '' : $out }
is valid($file), '', 'the file is valid by the grammar';
like slurp($file), qr{<oai:baseURL>http://gateway.example/oai/127.0.0.1%3A$port/museum.xml</oai:baseURL>}, 'its base URL is that of the gateway, with the colon before the port encoded';
unlike slurp($file), qr/setSpec|status=/, 'it has no sets and no deleted records';
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

# The gateway harvests the file from its URL.
my @harvest = qw(harvest museum);
($status, $said) = oai('b', 'repository add museum', $url, '--identifiers theirs --format marc21 --delete-missing');
is $status, 0, 'a gateway notes it' or diag $said;
($status, $said) = oai('b', @harvest);
is $status, 0, 'and harvests the file' or diag $said;
like $said, qr/^museum: complete: 80 records, 0 of them deleted \(40 new, 40 changed\)/m, 'with all its records' or diag $said;
like $said, qr/static repository, of the gateway http:\/\/gateway\.example/, 'and says what it is';
publish('b');
my ($ours, $theirs) = map { records($_, 'oai_dc') } qw(a b);
delete $ours->{'oai:museum.example:gone'};
is_deeply $theirs, $ours, 'it serves all records as the first repository does';
is records('b', 'marc21')->{'oai:museum.example:obj/3'}, records('a', 'marc21')->{'oai:museum.example:obj/3'}, 'also in MARCXML';
spew("$dir/gateway.xml", '<gateway xmlns="http://www.openarchives.org/OAI/2.0/gateway/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    . ' xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/gateway/ http://www.openarchives.org/OAI/2.0/gateway.xsd">'
    . "<source>$url</source><gatewayDescription>http://www.openarchives.org/OAI/2.0/guidelines-static-repository.htm</gatewayDescription>"
    . "<gatewayAdmin>pat\@gateway.example</gatewayAdmin><gatewayURL>http://gateway.example/oai/</gatewayURL></gateway>\n");
ini('b', "http://gateway.example/oai/127.0.0.1:$port/museum.xml", description => "$dir/gateway.xml");
(undef, $said) = oai('b', 'get', 'verb=Identify');
like $said, qr{<description><gateway xmlns="http://www.openarchives.org/OAI/2.0/gateway/".*<source>\Q$url\E</source>}s, 'Identify describes the gateway';
spew("$dir/identify.xml", $said);
is system("$root/t/lib/validate $dir/identify.xml >$dir/validated 2>&1"), 0, 'and is valid' or diag slurp("$dir/validated");
unlike $said, qr/oai-identifier/, 'it names no identifiers of its own';
(undef, $said) = oai('b', 'get', 'verb=ListSets');
like $said, qr/noSetHierarchy/, 'and has no sets, as a static repository has none';

# Harvesting again.
my $stamps = sub { return {map { @$_ } $db{b}->rows('select local_id, datestamp || seq::text from oai.item')} };
my $stamped = $stamps->();
(undef, $said) = oai('b', @harvest);
like $said, qr/\(0 new, 0 changed\)/, 'harvesting the same file again changes nothing';
publish('b');
is_deeply $stamps->(), $stamped, 'nor any datestamp';
my $changed = $before =~ s{Title &lt;5&gt;}{Another title}gr;
$changed =~ s{<oai:record><oai:header><oai:identifier>oai:museum.example:obj/$_</oai:identifier>.*?</oai:record>\n}{}gs for 6, 7;
$web->put('museum.xml', $changed);
($status, $said) = oai('b', @harvest);
is $status, 0, 'one changed and two removed records are harvested' or diag $said;
publish('b');
my $now = $stamps->();
is_deeply [sort grep { $now->{$_} ne $stamped->{$_} } keys %$now], [map { ":oai:museum.example:obj/$_" } 5, 6, 7], 'only these three have a new datestamp' or diag $said;
$theirs = records('b', 'oai_dc');
is_deeply [map { $theirs->{"oai:museum.example:obj/$_"} } 6, 7], ['deleted', 'deleted'], 'the two removed records are deleted records';
$web->put('museum.xml', $before);
oai('b', @harvest);
publish('b');
is_deeply records('b', 'oai_dc'), $ours, 'records that return are restored';

# What is no static repository, or not all of it.
for (['<rss/>', qr/the document element is rss/], [substr($before, 0, length($before) / 2), qr/museum\.xml/], ['<Repository/>', qr/no static one/]) {
    $web->put('museum.xml', $_->[0]);
    ($status, $said) = oai('b', @harvest, '--tries 1');
    like "$status $said", qr/^1 .*$_->[1]/s, 'what is no static repository is refused';
}
publish('b');
is_deeply records('b', 'oai_dc'), $ours, 'and nothing is changed';
done_testing;
