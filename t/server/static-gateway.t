#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The gateway of a static repository, from its first request to its end, as harvesters see it through the server:
# what it checks, what it remembers, what it serves when the file has changed, is broken, or is gone.
use strict;
use warnings;
use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp qw(tempdir);
use Test::More;
use Database;
use Server;
use StaticWeb;

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");
my $dir   = tempdir('oai-gateway-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $web   = StaticWeb->new;
my $url   = $web->url('r.xml');
my $path  = "127.0.0.1%3A$web->{port}/r.xml";
my $base  = "http://gateway.example/oai/$path";
my $db    = Database->new(model => 'library');
mkdir "$dir/formats" or die $!;
system('cp', '-r', (map { "$root/xslt/library/$_" } qw(oai_dc.xsl part)), "$dir/formats") == 0 or die;

sub ini {
    my ($base_url, $more) = @_;
    return "name = Museum\nbase_url = $base_url\nadmin_email = curator\@museum.example\nidentifier_namespace = gateway.example\n" . ($more // '');
}
my $server = Server->new(db => $db, formats => "$dir/formats", repository => ini($base),
    ini => "[loader]\nconnection = " . $db->conninfo('oai_loader') . "\n[publisher]\nconnection = " . $db->conninfo('oai_publisher') . "\n");
sub oai {
    my (@arguments) = @_;
    my $said = `$build/release/oai --config $server->{ini} import-static @arguments 2>&1`;
    return ($? >> 8, $said);
}
sub slurp { my ($file) = @_; open my $in, '<', $file or die "$file: $!"; local $/; return scalar <$in> }
sub spew { my ($file, $text) = @_; open my $out, '>', $file or die "$file: $!"; print {$out} $text; close $out or die $!; return }
sub configure { my ($key, $value) = @_; spew($server->{ini}, slurp($server->{ini}) =~ s/^$key = .*$/$key = $value/mr); return }

# A static repository: name => title.
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
# What harvesters get: identifier's last part => title, or deleted.
sub harvested {
    $db->publish;
    my $answer = $server->ask("/oai/$path?verb=ListRecords&metadataPrefix=oai_dc");
    my %got;
    while ($answer->{body} =~ m{<header(?: status="(deleted)")?><identifier>oai:museum\.example:(.*?)</identifier>.*?</header>\s*(?:<metadata>.*?<dc:title[^>]*>(.*?)<.*?</metadata>)?}gs) { $got{$2} = $1 // $3 }
    return \%got;
}
sub account { my ($row) = $db->rows('select etag is not null, failing_since is not null, problem from harvest.static_repository'); return $row }

# Initiation: what is refused, and how it is put right.
my %three = (a => 'Anchor', b => 'Bell', c => 'Clock');
$web->put('r.xml', file('http://other.example/oai/x.xml', %three));
my ($status, $said) = oai($url);
is $status, 1, 'a file that names another gateway is not taken in';
like $said, qr{its baseURL is http://other\.example/oai/x\.xml, and this gateway serves it at \Q$base\E\..*<oai:baseURL>\Q$base\E</oai:baseURL>}s, 'and its owner is told what to write';
is $db->value('select count(*) from library.item'), 0, 'nothing of it is there';
is account(), undef, 'nor is it known';
for (['text/plain' => qr{it is text/plain, and a static repository is text/xml}], ['text/xml; charset=iso-8859-1' => qr{in iso-8859-1, and a static repository is UTF-8}]) {
    $web->put('r.xml', file($base, %three), type => $_->[0]);
    ($status, $said) = oai($url);
    like "$status $said", qr/^1 .*$_->[1]/s, "$_->[0] is refused";
}
for my $wrong (["$url?x=1", 2], ["$url#x", 2], ["http://127.0.0.1:$web->{port}/", 2], ["--terminate $url", 1], ["--force $url", 2], ["--gateway-admin a\@b.example $url", 2]) {
    ($status) = oai($wrong->[0]);
    is $status, $wrong->[1], "$wrong->[0] is refused";
}
configure(base_url => 'http://gateway.example/oai');
$web->asked;
($status, $said) = oai($url);
like "$status $said", qr{^1 .*base_url is http://gateway\.example/oai; .* as https://gateway\.example\.org/oai/\Q$path\E}s, 'a base URL that is no gateway\'s for this file is refused';
is_deeply [$web->asked], [], 'before its server is asked';
configure(base_url => $base);

$web->put('r.xml', file($base =~ s/%3A/:/r, %three));
($status, $said) = oai("--collection museum --description $dir/gateway.xml --gateway-admin pat\@gateway.example --notes http://gateway.example/notes", $url);
is $status, 0, 'one that names us is taken in, its port\'s colon encoded or not' or diag $said;
unlike $said, qr/note/, 'with nothing to note';
configure(identifier_namespace => "gateway.example\ndescription = $dir/gateway.xml");
$db->publish;
$server->start;
is_deeply harvested(), \%three, 'and harvesters get it, at its base URL';

# Identify (4.4.1): the owner's facts, the gateway's container, and what is true of the gateway's own records.
my $identify = $server->ask("/oai/$path?verb=Identify")->{body};
like $identify, qr{<repositoryName>Museum</repositoryName>\s*<baseURL>\Q$base\E</baseURL>.*<adminEmail>curator\@museum\.example</adminEmail>}s, 'Identify has its name, its base URL, its administrator';
my $container = qr{<source>\Q$url\E</source>\s*<gatewayDescription>http://www\.openarchives\.org/OAI/2\.0/guidelines-static-repository\.htm</gatewayDescription>};
my $admins = qr{<gatewayAdmin>pat\@gateway\.example</gatewayAdmin>\s*<gatewayURL>http://gateway\.example/oai/</gatewayURL>\s*<gatewayNotes>http://gateway\.example/notes</gatewayNotes>};
like $identify, qr{$container\s*$admins}, 'the gateway\'s container, all of it';
like $identify, qr{<deletedRecord>persistent</deletedRecord>\s*<granularity>YYYY-MM-DDThh:mm:ssZ</granularity>}, 'deletions, and seconds, are those of the gateway';
my ($earliest) = $identify =~ m{<earliestDatestamp>(.*?)</earliestDatestamp>};
is_deeply [$db->rows("select count(*) from oai.item where datestamp < '$earliest'")], [[0]], 'no record is earlier than earliestDatestamp';
spew("$dir/identify.xml", $identify);
is system("$root/t/lib/validate $dir/identify.xml >$dir/validated 2>&1"), 0, 'validly';
for my $request ("initiate=$url", "terminate=$url") {
    my $answer = $server->ask("/oai?$request");
    my ($what) = $request =~ /^(\w+)/;
    like "$answer->{status} $answer->{body}", qr{^200 .*<error code="badVerb">.*\b$what\b.*administrator}s, "?$what= is answered in words";
}
is $db->value('select count(*) from library.item where not deleted'), 3, 'and changes nothing';

# Ongoing access.
$web->asked;
($status, $said) = oai('--collection museum', $url);
like "$status $said", qr/^0 .*: not changed since it was taken in on \d{4}-/s, 'unchanged, there is nothing to do';
like +($web->asked)[0], qr/^r\.xml if-none-match="\w+" if-modified-since=Sun, 01 Feb 2004 10:00:00 GMT$/, 'as its server says when asked by what it said before';
my $seqs = $db->value('select string_agg(seq::text, $$ $$ order by id) from oai.item');
($status, $said) = oai('--collection museum --afresh', $url);
like $said, qr/3 records \(0 inserted, 0 updated, 3 unchanged\)/, 'the whole file, if it is wanted';
$db->publish;
is $db->value('select string_agg(seq::text, $$ $$ order by id) from oai.item'), $seqs, 'without a new datestamp';
($status, $said) = oai($url);
like $said, qr/3 records \(0 inserted, 3 updated, 0 unchanged\)/, 'or if it is to be filed otherwise now';
$web->put('r.xml', file($base, a => 'Anchor', c => 'Clocks', d => 'Drum'), validators => 0);
($status, $said) = oai($url);
like $said, qr/note: its server gives no Last-Modified, nor ETag.*\(1 inserted, 1 updated, 1 unchanged\).*\n1 deleted/s, 'a changed file is taken in, and what it lost is deleted' or diag $said;
is_deeply harvested(), {a => 'Anchor', b => 'deleted', c => 'Clocks', d => 'Drum'}, 'for harvesters, too';
$web->asked;
oai($url);
is_deeply [$web->asked], ['r.xml'], 'a server that says nothing is asked for all';

# What goes wrong leaves what is there, and is remembered.
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
    ($status, $said) = oai($url);
    like "$status $said", qr/^1 .*$why.*what was taken in on \S+Z stays, and it has been so since \S+Z;.*--terminate/s, "$why: the last state stays" or diag $said;
    like account()->[2], $why, 'and why is kept';
}
is_deeply harvested(), $before, 'harvesters notice nothing';
my $since = $db->value('select failing_since from harvest.static_repository');
$web->remove('r.xml');
oai($url);
is $db->value('select failing_since from harvest.static_repository'), $since, 'since when, is since the first time';
$web->put('r.xml', file($base, a => 'Anchor', c => 'Clocks', d => 'Drum'));
($status) = oai($url);
is_deeply [$status, @{account()}], [0, 't', 'f', undef], 'and it is over when the file is back';

# Another file is another repository's.
$web->put('other.xml', file($base, z => 'Z'));
($status, $said) = oai('--any-base-url', $web->url('other.xml'));
like "$status $said", qr/^1 .*this repository is the gateway of \Q$url\E: end that/s, 'one gateway, one static repository';

# Termination: its owner wants it by the file, its administrator by --force.
for (['200 OK', qr/its baseURL still names this gateway/], ['500 Broken', qr/HTTP status 500: that does not say/]) {
    $web->put('r.xml', undef, status => $_->[0]);
    ($status, $said) = oai('--terminate', $url);
    like "$status $said", qr/^1 .*$_->[1]/s, "$_->[0] is no wish to end";
}
is_deeply harvested(), $before, 'and nothing has changed';
$web->put('r.xml', file('http://new.example/oai/r.xml', a => 'A'));
($status, $said) = oai('--terminate', $url);
like "$status $said", qr/^0 \Q$url\E: ended, 3 records deleted; tell curator\@museum\.example$/m, 'a file that names another gateway ends it';
is_deeply harvested(), {map { $_ => 'deleted' } qw(a b c d)}, 'all its records are deleted records';
is account(), undef, 'and it is forgotten';
is $db->value('select count(*) from harvest.static_item'), 0, 'wholly';
($status, $said) = oai('--terminate', $url);
like "$status $said", qr/^1 .*is not the gateway of/s, 'it does not end twice';
$db->run("insert into library.item (local_id, title) values ('own', '{Ours}')");
for my $end ([sub { $web->remove('r.xml') }, ''], [sub { }, '--force']) {
    $web->put('r.xml', file($base, %three));
    ($status, $said) = oai($url);
    is_deeply [$status, harvested()->{a}], [0, 'Anchor'], 'it can begin again';
    $end->[0]->();
    ($status, $said) = oai("--terminate $end->[1]", $url);
    like "$status $said", qr/^0 .*: ended, 3 records deleted/, $end->[1] ? 'by force' : 'a file that is gone ends it';
}
is $db->value("select deleted from library.item where local_id = 'own'"), 'f', 'what did not come from it stays';

# A gateway must not change metadata: what no item can hold, and other formats, are kept as they are.
my $kept = file($base, %three) =~ s{<dc:title>Anchor}{<dc:title id="t1">Anchor}r =~ s{<dc:title>Bell</dc:title>}{<dc:title>Bell</dc:title><!-- rung --><dc:date/>}r
    =~ s{</ListMetadataFormats>}{<oai:metadataFormat><oai:metadataPrefix>tag</oai:metadataPrefix><oai:schema>http://museum.example/tag.xsd</oai:schema>}r
    =~ s{(tag\.xsd</oai:schema>)}{$1<oai:metadataNamespace>urn:tag</oai:metadataNamespace></oai:metadataFormat></ListMetadataFormats>}r
    =~ s{</Repository>}{<ListRecords metadataPrefix="tag"><oai:record><oai:header><oai:identifier>oai:museum.example:c</oai:identifier><oai:datestamp>2004-01-31</oai:datestamp></oai:header>}r
    . '<oai:metadata><t:tag xmlns:t="urn:tag" n="1">Clock</t:tag></oai:metadata></oai:record></ListRecords></Repository>';
$web->put('r.xml', $kept);
($status, $said) = oai('--keep', $url);
like "$status $said", qr/^0 .*^oai_dc: 3 kept as they are or let go; `oai repository format oai_dc` gives them out\n^tag: 1 kept/ms, 'records are kept' or diag $said;
$server->stop;
system("$build/release/oai --config $server->{ini} repository format $_ >$dir/formats/$_.xsl") == 0 or die for qw(oai_dc tag);
$db->publish;
$server->start;
my $dc = $server->ask("/oai/$path?verb=ListRecords&metadataPrefix=oai_dc")->{body};
for my $as_it_is ('<dc:title id="t1">Anchor</dc:title></oai_dc:dc>', '<dc:title>Bell</dc:title><!-- rung --><dc:date/></oai_dc:dc>', '<dc:title>Clock</dc:title></oai_dc:dc>') {
    like $dc, qr/\Q$as_it_is\E/, "$as_it_is is served";
}
like $server->ask("/oai/$path?verb=ListRecords&metadataPrefix=tag")->{body}, qr{^(?=.*:c</identifier>)(?!.*:a</identifier>).*<metadata><t:tag xmlns:t="urn:tag" n="1">Clock</t:tag></metadata>}s, 'and so is another format';
$seqs = $db->value('select string_agg(seq::text, $$ $$ order by id) from oai.item');
($status, $said) = oai('--keep --afresh', $url);
like $said, qr/0 inserted, 0 updated, 3 unchanged.*^oai_dc: 0 kept.*^tag: 0 kept/ms, 'once';
$web->put('r.xml', $kept =~ s{museum\.example:c(?=</oai:identifier><oai:datestamp>2004-01-31</oai:datestamp></oai:header>\s*<oai:metadata><t:tag)}{museum.example:b}r);
($status, $said) = oai('--keep', $url);
like $said, qr/0 inserted, 0 updated, 3 unchanged.*^oai_dc: 0 kept.*^tag: 2 kept/ms, 'one has lost it, another has it';
is $db->value('select string_agg(local_id, $$ $$) from library.item where kept_tag is not null'), ':oai:museum.example:b', 'that one';
oai('--terminate --force', $url);

# The administrator who means it.
$web->put('r.xml', file('http://new.example/oai/r.xml', a => 'A'));
configure(base_url => 'http://gateway.example/oai');
($status, $said) = oai("--any-base-url --description $dir/gateway.xml", $url);
like "$status $said", qr/^0 .*note: .*its baseURL is http:\/\/new\.example/s, 'any base URL, if it is wanted so';
unlike slurp("$dir/gateway.xml"), qr/gatewayURL/, 'but then there is no gateway\'s URL to tell';

# One at a time.
my $holder = $db->session;
$holder->send("select pg_advisory_lock(hashtextextended('oai import-static', 0))");
for (1 .. 100) { last if $db->value("select count(*) from pg_locks where locktype = 'advisory' and granted and objsubid = 1") > 0; select undef, undef, undef, 0.05 }
($status, $said) = oai('--any-base-url', $url);
like "$status $said", qr/^1 .*another `oai import-static` is at work/s, 'two do not get into each other\'s way';
$holder->finish;
done_testing;
