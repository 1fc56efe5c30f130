#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The gateway of a static repository from initiation to termination, as harvesters see it through the server: what it
# checks, what it stores, and what it serves when the file has changed, is broken or is gone.
use FindBin;
use lib "$FindBin::Bin/../lib";
use TestProgram;
use StaticWeb;

my $dir   = tempdir('oai-gateway-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $web   = StaticWeb->new;
my $url   = $web->url('r.xml');
my $path  = "127.0.0.1%3A$web->{port}/r.xml";
my $base  = "http://gateway.example/oai/$path";
my $db    = Database->new(model => 'library');
mkdir "$dir/formats" or die $!;
system('cp', '-r', (map { "$root/xslt/library/$_" } qw(oai_dc.xsl part)), "$dir/formats") == 0 or die;

my $server = Repository->new(db => $db, formats => "$dir/formats", ini => {repository => {
    name => 'Museum', base_url => $base, admin_email => 'curator@museum.example', identifier_namespace => 'gateway.example'}});
sub import_static { my (@arguments) = @_; return $server->oai('import-static', map { split } @arguments) }
sub configure { my ($key, $value) = @_; return $server->configure($key, $value) }

# The text of a static repository with these records: name => title.
sub file {
    my ($base_url, %titles) = @_;
    my $records = join '', map { "<oai:record><oai:header><oai:identifier>oai:museum.example:$_</oai:identifier><oai:datestamp>2004-01-31</oai:datestamp></oai:header>"
        . '<oai:metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        . 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">'
        . "<dc:title>$titles{$_}</dc:title></oai_dc:dc></oai:metadata></oai:record>\n" } sort keys %titles;
    return '<?xml version="1.0" encoding="UTF-8"?><Repository xmlns="http://www.openarchives.org/OAI/2.0/static-repository" xmlns:oai="http://www.openarchives.org/OAI/2.0/">'
        . "<Identify><oai:repositoryName>Museum</oai:repositoryName><oai:baseURL>$base_url</oai:baseURL><oai:protocolVersion>2.0</oai:protocolVersion>"
        . '<oai:adminEmail>curator@museum.example</oai:adminEmail><oai:earliestDatestamp>2004-01-01</oai:earliestDatestamp><oai:deletedRecord>no</oai:deletedRecord>'
        . '<oai:granularity>YYYY-MM-DD</oai:granularity></Identify><ListMetadataFormats><oai:metadataFormat><oai:metadataPrefix>oai_dc</oai:metadataPrefix>'
        . '<oai:schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</oai:schema><oai:metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</oai:metadataNamespace>'
        . "</oai:metadataFormat></ListMetadataFormats><ListRecords metadataPrefix=\"oai_dc\">\n$records</ListRecords></Repository>\n";
}
# What harvesters receive: the last part of each identifier => its title, or "deleted".
sub harvested {
    $db->publish;
    my $answer = $server->ask("/oai/$path?verb=ListRecords&metadataPrefix=oai_dc");
    my %got;
    while ($answer->{body} =~ m{<header(?: status="(deleted)")?><identifier>oai:museum\.example:(.*?)</identifier>.*?</header>\s*(?:<metadata>.*?<dc:title[^>]*>(.*?)<.*?</metadata>)?}gs) { $got{$2} = $1 // $3 }
    return \%got;
}
sub gateway_row { my ($row) = $db->rows('select etag is not null, failing_since is not null, problem from harvest.static_repository'); return $row }

# Initiation: what is refused, and what the administrator must correct.
my %three = (a => 'Anchor', b => 'Bell', c => 'Clock');
$web->put('r.xml', file('http://other.example/oai/x.xml', %three));
my ($status, $said) = import_static($url);
is $status, 1, 'a file that names another gateway is refused';
like $said, qr{its baseURL is http://other\.example/oai/x\.xml, and this gateway serves it at \Q$base\E\..*<oai:baseURL>\Q$base\E</oai:baseURL>}s, 'and the message says which baseURL to write';
is $db->value('select count(*) from library.item'), 0, 'no item is stored';
is gateway_row(), undef, 'and no static repository is registered';
for (['text/plain' => qr{it is text/plain, and a static repository is text/xml}], ['text/xml; charset=iso-8859-1' => qr{in iso-8859-1, and the file UTF-8}]) {
    $web->put('r.xml', file($base, %three), type => $_->[0]);
    ($status, $said) = import_static($url);
    like "$status $said", qr/^1 .*$_->[1]/s, "$_->[0] is refused";
}
for my $wrong (["$url?x=1", 2], ["$url#x", 2], ["http://127.0.0.1:$web->{port}/", 2], ["--terminate $url", 1], ["--force $url", 2], ["--gateway-admin a\@b.example $url", 2]) {
    ($status) = import_static($wrong->[0]);
    is $status, $wrong->[1], "$wrong->[0] is refused";
}
configure(base_url => 'http://gateway.example/oai');
$web->requests;
($status, $said) = import_static($url);
like "$status $said", qr{^1 .*base_url is http://gateway\.example/oai; .* as https://gateway\.example\.org/oai/\Q$path\E}s, 'a base_url that is not the one of a gateway for this file is refused';
is_deeply [$web->requests], [], 'before the file is requested';
configure(base_url => $base);

$web->put('r.xml', file($base =~ s/%3A/:/r, %three));
($status, $said) = import_static("--collection museum --description $dir/gateway.xml --gateway-admin pat\@gateway.example --notes http://gateway.example/notes", $url);
is $status, 0, 'one that names us is taken in, its port\'s colon encoded or not' or diag $said;
unlike $said, qr/note/, 'without any note';
configure(identifier_namespace => "gateway.example\ndescription = $dir/gateway.xml");
$db->publish;
$server->start;
is_deeply harvested(), \%three, 'and its records can be harvested at its base URL';

# Identify (4.4.1): the values of the owner, the container of the gateway, and what holds for the records of the gateway.
my $identify = $server->ask("/oai/$path?verb=Identify")->{body};
like $identify, qr{<repositoryName>Museum</repositoryName>\s*<baseURL>\Q$base\E</baseURL>.*<adminEmail>curator\@museum\.example</adminEmail>}s, 'Identify has the name, the base URL and the administrator of the static repository';
my $container = qr{<source>\Q$url\E</source>\s*<gatewayDescription>http://www\.openarchives\.org/OAI/2\.0/guidelines-static-repository\.htm</gatewayDescription>};
my $admins = qr{<gatewayAdmin>pat\@gateway\.example</gatewayAdmin>\s*<gatewayURL>http://gateway\.example/oai/</gatewayURL>\s*<gatewayNotes>http://gateway\.example/notes</gatewayNotes>};
like $identify, qr{$container\s*$admins}, 'the whole description of the gateway';
like $identify, qr{<deletedRecord>persistent</deletedRecord>\s*<granularity>YYYY-MM-DDThh:mm:ssZ</granularity>}, 'deletedRecord and granularity are those of the gateway';
my ($earliest) = $identify =~ m{<earliestDatestamp>(.*?)</earliestDatestamp>};
is_deeply [$db->rows("select count(*) from oai.item where datestamp < '$earliest'")], [[0]], 'no record is earlier than earliestDatestamp';
spew("$dir/identify.xml", $identify);
unlike $identify, qr/oai-identifier/, 'and no namespace of identifiers, which are not its own';
like $server->ask("/oai/$path?verb=ListSets")->{body}, qr/<error code="noSetHierarchy">/, 'there are no sets, as in a static repository';
is system("$root/t/lib/validate $dir/identify.xml >$dir/validated 2>&1"), 0, 'Identify is valid';
for my $request ("initiate=$url", "terminate=$url") {
    my $answer = $server->ask("/oai?$request");
    my ($what) = $request =~ /^(\w+)/;
    like "$answer->{status} $answer->{body}", qr{^200 .*<error code="badVerb">.*\b$what\b.*administrator}s, "?$what= is answered by badVerb with an explanation";
}
is $db->value('select count(*) from library.item where not deleted'), 3, 'and changes no record';

# Ongoing access.
$web->requests;
($status, $said) = import_static('--collection museum', $url);
like "$status $said", qr/^0 .*: not changed since it was taken in on \d{4}-/s, 'an unchanged file is not imported again';
like +($web->requests)[0], qr/^r\.xml if-none-match="\w+" if-modified-since=Sun, 01 Feb 2004 10:00:00 GMT$/, 'the request is conditional, by ETag and Last-Modified';
my $seqs = $db->value('select string_agg(seq::text, $$ $$ order by id) from oai.item');
($status, $said) = import_static('--collection museum --afresh', $url);
like $said, qr/3 records \(0 inserted, 0 updated, 3 unchanged\)/, 'the whole file is read if this is requested';
$db->publish;
is $db->value('select string_agg(seq::text, $$ $$ order by id) from oai.item'), $seqs, 'without changing a datestamp';
($status, $said) = import_static($url);
like $said, qr/3 records \(0 inserted, 3 updated, 0 unchanged\)/, 'the records are updated if their collection has changed';
$web->put('r.xml', file($base, a => 'Anchor', c => 'Clocks', d => 'Drum'), validators => 0);
($status, $said) = import_static($url);
like $said, qr/note: its server gives no Last-Modified, nor ETag.*\(1 inserted, 1 updated, 1 unchanged\).*\n1 deleted/s, 'a changed file is taken in, and what it lost is deleted' or diag $said;
is_deeply harvested(), {a => 'Anchor', b => 'deleted', c => 'Clocks', d => 'Drum'}, 'harvesters see the changes';
$web->requests;
import_static($url);
is_deeply [$web->requests], ['r.xml'], 'without validators the request is unconditional';

# An error leaves the records unchanged, and is stored.
my $before = harvested();
my @broken = (
    [file($base, a => 'A') =~ s/>no</>persistent</r, 'text/xml', '200 OK', qr/1 faults/],
    ['<rss/>', 'text/xml', '200 OK', qr/is no Repository/],
    [file('http://new.example/oai/r.xml', a => 'A'), 'text/xml', '200 OK', qr/or has chosen another one/],
    [file($base, a => 'A'), 'text/html', '200 OK', qr/is text\/html/],
    [file($base, a => 'A'), 'text/xml', '500 Broken', qr/HTTP status 500/]);
for my $case (@broken) {
    my ($bytes, $type, $code, $why) = @$case;
    $web->put('r.xml', $bytes, type => $type, status => $code);
    ($status, $said) = import_static($url);
    like "$status $said", qr/^1 .*$why.*what was taken in on \S+Z stays, and it has been so since \S+Z;.*--terminate/s, "$why: the last state stays" or diag $said;
    like gateway_row()->[2], $why, 'and the reason is stored';
}
is_deeply harvested(), $before, 'the records are still served unchanged';
my $since = $db->value('select failing_since from harvest.static_repository');
$web->remove('r.xml');
import_static($url);
is $db->value('select failing_since from harvest.static_repository'), $since, 'failing_since keeps the time of the first failure';
$web->put('r.xml', file($base, a => 'Anchor', c => 'Clocks', d => 'Drum'));
($status) = import_static($url);
is_deeply [$status, @{gateway_row()}], [0, 't', 'f', undef], 'and is cleared when the file is available again';

# Another file belongs to another repository.
$web->put('other.xml', file($base, z => 'Z'));
($status, $said) = import_static('--any-base-url', $web->url('other.xml'));
like "$status $said", qr/^1 .*this repository is the gateway of \Q$url\E: end that/s, 'a second static repository is refused';

# Termination: the owner requests it through the file, the administrator by --force.
for (['200 OK', qr/its baseURL still names this gateway/], ['500 Broken', qr/HTTP status 500: that does not say/]) {
    $web->put('r.xml', undef, status => $_->[0]);
    ($status, $said) = import_static('--terminate', $url);
    like "$status $said", qr/^1 .*$_->[1]/s, "$_->[0] does not permit termination";
}
is_deeply harvested(), $before, 'and no record has changed';
$web->put('r.xml', file('http://new.example/oai/r.xml', a => 'A'));
($status, $said) = import_static('--terminate', $url);
like "$status $said", qr/^0 \Q$url\E: ended, 3 records deleted; tell curator\@museum\.example$/m, 'a file that names another gateway permits termination';
is_deeply harvested(), {map { $_ => 'deleted' } qw(a b c d)}, 'all its records are now deleted records';
is gateway_row(), undef, 'the static repository is no longer registered';
is $db->value('select count(*) from harvest.static_item'), 0, 'and none of its items';
($status, $said) = import_static('--terminate', $url);
like "$status $said", qr/^1 .*is not the gateway of/s, 'it cannot be terminated twice';
$db->run("insert into library.item (local_id, title) values ('own', '{Ours}')");
for my $end ([sub { $web->remove('r.xml') }, ''], [sub { }, '--force']) {
    $web->put('r.xml', file($base, %three));
    ($status, $said) = import_static($url);
    is_deeply [$status, harvested()->{a}], [0, 'Anchor'], 'it can be initiated again';
    $end->[0]->();
    ($status, $said) = import_static("--terminate $end->[1]", $url);
    like "$status $said", qr/^0 .*: ended, 3 records deleted/, $end->[1] ? '--force terminates it' : 'a missing file permits termination';
}
is $db->value("select deleted from library.item where local_id = 'own'"), 'f', 'an item from elsewhere is not deleted';

# A gateway must not change metadata: documents that the columns of an item cannot represent, and other formats, are kept.
my $kept = file($base, %three) =~ s{<dc:title>Anchor}{<dc:title id="t1">Anchor}r =~ s{<dc:title>Bell</dc:title>}{<dc:title>Bell</dc:title><!-- rung --><dc:date/>}r
    =~ s{</ListMetadataFormats>}{<oai:metadataFormat><oai:metadataPrefix>tag</oai:metadataPrefix><oai:schema>http://museum.example/tag.xsd</oai:schema>}r
    =~ s{(tag\.xsd</oai:schema>)}{$1<oai:metadataNamespace>urn:tag</oai:metadataNamespace></oai:metadataFormat></ListMetadataFormats>}r
    =~ s{</Repository>}{<ListRecords metadataPrefix="tag"><oai:record><oai:header><oai:identifier>oai:museum.example:c</oai:identifier><oai:datestamp>2004-01-31</oai:datestamp></oai:header>}r
    . '<oai:metadata><t:tag xmlns:t="urn:tag" n="1">Clock</t:tag></oai:metadata></oai:record></ListRecords></Repository>';
$web->put('r.xml', $kept);
($status, $said) = import_static('--keep', $url);
like "$status $said", qr/^0 .*^oai_dc: 3 kept as they are or let go; `oai repository format oai_dc` gives them out\n^tag: 1 kept/ms, 'records are kept' or diag $said;
$server->stop;
system("$build/release/oai --config $server->{ini} repository format $_ >$dir/formats/$_.xsl") == 0 or die for qw(oai_dc tag);
$db->publish;
$server->start;
my $dc = $server->ask("/oai/$path?verb=ListRecords&metadataPrefix=oai_dc")->{body};
for my $as_it_is ('<dc:title id="t1">Anchor</dc:title></oai_dc:dc>', '<dc:title>Bell</dc:title><!-- rung --><dc:date/></oai_dc:dc>', '<dc:title>Clock</dc:title></oai_dc:dc>') {
    like $dc, qr/\Q$as_it_is\E/, "$as_it_is is served unchanged";
}
like $server->ask("/oai/$path?verb=ListRecords&metadataPrefix=tag")->{body}, qr{^(?=.*:c</identifier>)(?!.*:a</identifier>).*<metadata><t:tag xmlns:t="urn:tag" n="1">Clock</t:tag></metadata>}s, 'so is a document in another format';
$seqs = $db->value('select string_agg(seq::text, $$ $$ order by id) from oai.item');
($status, $said) = import_static('--keep --afresh', $url);
like $said, qr/0 inserted, 0 updated, 3 unchanged.*^oai_dc: 0 kept.*^tag: 0 kept/ms, 'importing it again stores nothing';
$web->put('r.xml', $kept =~ s{museum\.example:c(?=</oai:identifier><oai:datestamp>2004-01-31</oai:datestamp></oai:header>\s*<oai:metadata><t:tag)}{museum.example:b}r);
($status, $said) = import_static('--keep', $url);
like $said, qr/0 inserted, 0 updated, 3 unchanged.*^oai_dc: 0 kept.*^tag: 2 kept/ms, 'two documents change when the other format moves to another record';
is $db->value('select string_agg(local_id, $$ $$) from library.item where kept_tag is not null'), ':oai:museum.example:b', 'only the new record has it';
import_static('--terminate --force', $url);

# The administrator may override the check of the base URL.
$web->put('r.xml', file('http://new.example/oai/r.xml', a => 'A'));
configure(base_url => 'http://gateway.example/oai');
($status, $said) = import_static("--any-base-url --description $dir/gateway.xml", $url);
like "$status $said", qr/^0 .*note: .*its baseURL is http:\/\/new\.example/s, 'any base URL is accepted if it is forced';
unlike slurp("$dir/gateway.xml"), qr/gatewayURL/, 'but then the description has no gatewayURL';

# Only one import runs at a time.
my $holder = $db->session;
$holder->send("select pg_advisory_lock(hashtextextended('oai import-static', 0))");
wait_until(sub { $db->value("select count(*) from pg_locks where locktype = 'advisory' and granted and objsubid = 1") > 0 });
($status, $said) = import_static('--any-base-url', $url);
like "$status $said", qr/^1 .*another `oai import-static` is at work/s, 'a second import is refused while one is running';
$holder->finish;
done_testing;
