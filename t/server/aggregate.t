#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Repositories harvested into another one, by `oai harvest` over HTTP: a library and a web archive of ours into an
# aggregator, and that into a second one. Everything equals record by record; changes and deletions follow; a harvest that was
# killed goes on; identifiers of theirs; provenance through two hops; payloads; duplicates; answers are valid.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(abs_path);
use Database;
use Echo;
use IO::Socket::INET;
use Server;
use Test::More;
use Time::HiRes qw(sleep time);
use XML::LibXML;

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");

# A repository that is served: {db, server, url, ini, namespace}.
sub repository {
    my ($namespace, $model, %how) = @_;
    my $db = Database->new(model => $model);
    my $formats = Echo::directory();
    system('cp', '-r', ($model eq 'library' ? "$root/xslt/library/." : "$root/xslt/."), $formats) == 0 or die;
    # A machine that stands still for ten seconds shall not look like a client that does.
    my $server = Server->new(db => $db, formats => $formats, ini => "idle_seconds = 60\nrequest_seconds = 120\n[lists]\nrecords = 100\n[loader]\nslice_records = 100\nconnection = " . $db->conninfo('oai_loader')
        . "\n[publisher]\nconnection = " . $db->conninfo('oai_publisher') . "\n[harvest]\nnormalise = $root/xslt/normalise\n");
    my $port = Echo::web('nginx', "$server->{dir}/web", $server->{socket});
    my $self = {db => $db, server => $server, namespace => $namespace, formats => $formats, url => "http://127.0.0.1:$port/oai"};
    my $ini = do { local (@ARGV, $/) = $server->{ini}; <> };
    $ini =~ s{base_url = .*}{base_url = $self->{url}} and $ini =~ s{identifier_namespace = .*}{identifier_namespace = $namespace} and $ini =~ s{name = .*}{name = The $namespace} or die;
    open my $out, '>', $server->{ini} or die $!;
    print {$out} $ini;
    close $out or die $!;
    $server->start;
    return $self;
}

# (exit status, what it said)
sub oai {
    my ($r, @arguments) = @_;
    my $pid = open(my $out, '-|') // die $!;
    if (!$pid) {
        open STDIN, '<', '/dev/null';
        open STDERR, '>&', \*STDOUT;
        exec "$build/release/oai", '--config', $r->{server}{ini}, @arguments or die $!;
    }
    local $/;
    my $said = <$out> // '';
    close $out;
    return ($? >> 8, $said);
}
sub well { my ($what, $r, @arguments) = @_; my ($status, $said) = oai($r, @arguments); is($status, 0, $what) or diag $said; return $said }
sub publish { my ($r) = @_; well('published', $r, 'publish', '--once'); return }
sub harvest { my ($r, @arguments) = @_; my $said = well("oai harvest @arguments", $r, 'harvest', @arguments); publish($r); return $said }

# The body of an answer; dies in words where there is none.
sub get {
    my ($r, $query) = @_;
    my $answer = $r->{server}->ask($query);
    return $answer->{body} if $answer->{status} eq '200' && $answer->{body} ne '';
    my @log = split /^/, $r->{server}->log_text;
    die "$r->{namespace} was asked for $query: $answer->{status} '$answer->{body}'; it has logged:\n", @log[($#log > 4 ? $#log - 4 : 0) .. $#log];
}

# A metadata element as one string that says what it says: children in order of element name, then as they stand.
sub canonical {
    my ($element) = @_;
    return '' if !$element;
    $element = XML::LibXML->load_xml(string => $element->toString)->documentElement;   # by itself: C14N looks at all of a document
    my @children = map { [$_->nodeName, $_->toStringEC14N] } $element->findnodes('*');
    my @order = sort { $children[$a][0] cmp $children[$b][0] || $a <=> $b } 0 .. $#children;
    return join ' ', $element->namespaceURI // '', $element->localname, map { $children[$_][1] } @order;
}
# identifier => {deleted, sets, metadata, about, datestamp} of a whole list, page by page; the pages go into %pages.
my %pages;
sub records {
    my ($r, $prefix, %arguments) = @_;
    my (%got, $twice);
    my $query = join '&', 'verb=ListRecords', "metadataPrefix=$prefix", map { "$_=$arguments{$_}" } sort keys %arguments;
    while ($query) {
        my $page = get($r, $query);
        push @{ $pages{$prefix} }, $page;
        my $document = XML::LibXML->load_xml(string => $page);
        my $xpath = XML::LibXML::XPathContext->new($document);
        $xpath->registerNs(o => 'http://www.openarchives.org/OAI/2.0/');
        for my $record ($xpath->findnodes('//o:record')) {
            my $id = $xpath->findvalue('o:header/o:identifier', $record);
            $twice++ if $got{$id};
            $got{$id} = {deleted => $xpath->findvalue('o:header/@status', $record), sets => [sort map { $_->textContent } $xpath->findnodes('o:header/o:setSpec', $record)],
                datestamp => $xpath->findvalue('o:header/o:datestamp', $record), metadata => canonical($xpath->findnodes('o:metadata/*', $record)->[0]),
                about => join('', map { $_->toString } $xpath->findnodes('o:about/*', $record))};
        }
        my $token = $xpath->findvalue('//o:resumptionToken');
        $query = $token ? "verb=ListRecords&resumptionToken=$token" : '';
    }
    ok(!$twice, "$prefix of $r->{namespace}: no record twice");
    return \%got;
}
# What the aggregator should have of a source's records: under the identifiers that `name` makes, sets below SOURCE.
sub wanted {
    my ($records, $source, $name) = @_;
    my %want;
    for my $id (keys %$records) {
        my $r = $records->{$id};
        my @sets = map { "col:$source:$_" } @{ $r->{sets} };
        $want{ $name->($id) } = {deleted => $r->{deleted}, sets => [sort @sets ? @sets : "col:$source"], metadata => $r->{metadata}};
    }
    return \%want;
}
# The same of what it has. Sets of kinds and languages are its own.
sub held {
    my ($records, $mine) = @_;
    return {map { my $r = $records->{$_}; $mine->($_) ? ($_ => {deleted => $r->{deleted}, sets => [grep { /^col:/ } @{ $r->{sets} }], metadata => $r->{metadata}}) : () } keys %$records};
}
sub equal {
    my ($name, $got, $want) = @_;
    is(scalar(keys %$got), scalar(keys %$want), "$name: as many records");
    my @differ = grep { explain_one($got->{$_}) ne explain_one($want->{$_}) } sort keys %{ {%$got, %$want} };
    is(scalar(@differ), 0, "$name: all equal") or diag map { "$_\n  got    " . explain_one($got->{$_}) . "\n  wanted " . explain_one($want->{$_}) . "\n" } @differ[0 .. ($#differ > 2 ? 2 : $#differ)];
    return;
}
sub explain_one { my ($r) = @_; return !$r ? 'nothing' : join ' | ', $r->{deleted}, join(' ', @{ $r->{sets} }), $r->{metadata} }

# Two sources.
my $library = repository('library.example', 'library');
my $sample = Echo::directory();
system("$root/deploy/sample/make-library", $sample) == 0 or die;
open my $list, '<', "$sample/load.list" or die $!;
for my $line (<$list>) {
    my ($file, @collections) = split ' ', $line;
    well("$file is loaded", $library, 'load', (map { ('--collection', $_) } @collections), "$sample/$file");
}
publish($library);
my $archive = repository('archive.example', 'webarchiv');
$archive->{db}->run("insert into webarchiv.domain (name) values ('cz:webarchiv:www'), ('ee:etv24')", "insert into webarchiv.mimetype (name) values ('text:html'), ('image:png'), ('image:svg~2Bxml')",
    "insert into webarchiv.doc (archived_time, deleted, id_domain, id_mimetype, url, surt)
     select timestamptz '2019-01-01Z' + n * interval '1 hour', n % 17 = 0, (select id from webarchiv.domain where name = case n % 3 when 0 then 'ee:etv24' else 'cz:webarchiv:www' end),
            (select id from webarchiv.mimetype where name = (array['text:html', 'image:png', 'image:svg~2Bxml'])[1 + n % 3]),
            'http://example.org/<' || n || '>?a=1&b=%C3%BC', 'org,example)/' || n from generate_series(1, 250) n");
publish($archive);
my %there = (library => records($library, 'oai_dc'), archive => records($archive, 'oai_dc'));
cmp_ok(scalar(keys %{ $there{library} }), '>', 300, 'the library has records') and cmp_ok(scalar(grep { $_->{deleted} } values %{ $there{library} }), '>', 3, 'some deleted');

# Full.
my $hub = repository('hub.example', 'library');
well('a source', $hub, 'repository', 'add', 'lib', $library->{url}, '--format', 'marc21', '--format', 'didl');
well('another one, with its identifiers', $hub, 'repository', 'add', 'arch', $archive->{url}, '--identifiers', 'theirs');
like((oai($hub, 'repository', 'add', 'lib', $archive->{url}))[1], qr/there is a repository of this name/, 'names are given once');
for (['a b', $library->{url}], ['a', 'ftp://x/'], ['a', $library->{url}, '--format', 'oai_dc'], ['a', $library->{url}, '--normalise', 'nonesuch'], ['a', $library->{url}, '--interval', 'soon'], ['a', $library->{url}, '--set', 'kind', '--delete-missing'], ['a', $library->{url}, '--format', 'a~b']) {
    isnt((oai($hub, 'repository', 'add', @$_))[0], 0, "refused: @$_[0, 2 .. $#$_]");
}
is(scalar(split /\n/, well('list', $hub, 'repository', 'list')), 2, 'and is not there');
like((oai($hub, 'harvest', 'nonesuch'))[1], qr/nonesuch: no such repository/, 'an unknown name');
harvest($hub, '--all');
my $ours   = sub { my ($id) = @_; return "oai:hub.example:lib/$id" };
my $theirs = sub { return $_[0] };
my $have = records($hub, 'oai_dc');
equal('the library', held($have, sub { $_[0] =~ /^oai:hub\.example:lib\// }), wanted($there{library}, 'lib', $ours));
equal('the archive, under its identifiers', held($have, sub { $_[0] =~ /^oai:archive\.example:/ }), wanted($there{archive}, 'arch', $theirs));
is(scalar(keys %$have), keys(%{ $there{library} }) + keys(%{ $there{archive} }), 'and nothing else');
my ($an_id) = grep { !$there{archive}{$_}{deleted} } sort keys %{ $there{archive} };
like(get($hub, "verb=GetRecord&metadataPrefix=oai_dc&identifier=$an_id"), qr{<identifier>\Q$an_id\E</identifier>.*<metadata>}s, 'GetRecord by an identifier of theirs');
like(get($hub, "verb=ListMetadataFormats&identifier=$an_id"), qr{<metadataPrefix>oai_dc</metadataPrefix>}, 'and ListMetadataFormats');
like(get($hub, "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:hub.example::$an_id"), qr/idDoesNotExist/, 'but by no other');
my %sets = map { ($_->{namespace} => get($_, 'verb=ListSets')) } $library, $archive, $hub;
my $sets = $sets{'hub.example'};
like($sets, qr{<setSpec>col:lib</setSpec>\n<setName>The library\.example</setName>}, 'a source is a set');
for my $spec (grep { /:/ } map { @{ $_->{sets} } } map { my $all = $_; @{$all}{(sort keys %$all)[0 .. 5]} } @there{qw(library archive)}) {
    my $source = $spec =~ /^(dom|mim)/ ? ['archive.example', 'arch'] : ['library.example', 'lib'];
    my ($name) = $sets{ $source->[0] } =~ m{<setSpec>\Q$spec\E</setSpec>\n<setName>(.*?)</setName>};
    like($sets, qr{<setSpec>\Qcol:$source->[1]:$spec\E</setSpec>\n<setName>\Q$name\E</setName>}, "$spec keeps its name");
}

# Payloads as they came, under the metadataPrefix of theirs.
my $marc_there = records($library, 'marc21');
my $marc_here = records($hub, 'marc21', set => 'col:lib');
equal('marc21', held($marc_here, sub { 1 }), wanted($marc_there, 'lib', $ours));
my $stylesheet = well('a stylesheet for a kept format', $hub, 'repository', 'format', 'didl');
open my $out, '>', "$hub->{formats}/didl.xsl" or die $!;
print {$out} $stylesheet;
close $out or die $!;
ok(Server::within(30, sub { get($hub, "verb=GetRecord&metadataPrefix=didl&identifier=$an_id") =~ /cannotDisseminateFormat/ }), 'goes live');
equal('didl', held(records($hub, 'didl', set => 'col:lib'), sub { 1 }), wanted(records($library, 'didl'), 'lib', $ours));
is(get($hub, "verb=GetRecord&metadataPrefix=didl&identifier=$an_id") =~ /cannotDisseminateFormat/, 1, 'and who has none, has none');

# Where it is from.
sub origin {
    my ($record) = @_;
    my $xpath = XML::LibXML::XPathContext->new(XML::LibXML->load_xml(string => "<x>$record->{about}</x>"));
    $xpath->registerNs(p => 'http://www.openarchives.org/OAI/2.0/provenance');
    my @chain;
    for (my ($o) = $xpath->findnodes('/x/p:provenance/p:originDescription'); $o; ($o) = $xpath->findnodes('p:originDescription', $o)) {
        push @chain, {altered => $o->getAttribute('altered'), date => $o->getAttribute('harvestDate'), map { my $name = $_; ($name => $xpath->findvalue("p:$name", $o)) } qw(baseURL identifier datestamp metadataNamespace)};
    }
    return @chain;
}
my $dc = 'http://www.openarchives.org/OAI/2.0/oai_dc/';
my ($lib_id) = grep { !$there{library}{$_}{deleted} } sort keys %{ $there{library} };
my ($o) = origin($have->{ $ours->($lib_id) });
is_deeply({%$o, date => ''}, {altered => 'false', date => '', baseURL => $library->{url}, identifier => $lib_id, datestamp => $there{library}{$lib_id}{datestamp}, metadataNamespace => $dc}, 'provenance');
like($o->{date}, qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 'with the responseDate');
is(scalar(grep { !$_->{deleted} && (origin($_))[0]{altered} ne 'false' } values %$have), 0, 'nothing was altered, as it is all equal');
($o) = origin($marc_here->{ $ours->($lib_id) });
is("$o->{altered} $o->{metadataNamespace}", 'false http://www.loc.gov/MARC21/slim', 'of a payload, that of the payload');
my $mods = records($hub, 'mods', set => 'col:lib');
($o) = origin($mods->{ $ours->($lib_id) });
is("$o->{altered} $o->{metadataNamespace}", "true $dc", 'of what was made of it, altered');

# Again: nothing has changed.
my $state = sub { $hub->{db}->value("select md5(string_agg(local_id || seq || datestamp, ' ' order by local_id)) from oai.item") };
my $before = $state->();
my $words = harvest($hub, '--all');
like($words, qr/lib: complete: 0 records, 0 of them deleted \(0 new, 0 changed\)/, 'incremental: nothing new');
harvest($hub, '--all', '--full');
is($state->(), $before, 'a full harvest of what is there already moves no datestamp');

# Changes, deletions, and back.
sleep 1.1;
$library->{db}->run("update library.item set title = array['A new title'] where id = (select min(id) from library.item where not deleted)",
    "update library.item set deleted = true where id in (select id from library.item where not deleted order by id desc limit 3)",
    "update library.item set deleted = false where id = (select min(id) from library.item where deleted)",
    "insert into library.item (local_id, title, identifier) values ('new/1', '{New}', '{http://e.org/new}')");
publish($library);
sleep 1.1;
like(harvest($hub, 'lib'), qr/lib: complete: \d+ records, \d+ of them deleted \(1 new, /, 'the changes come');
$have = records($hub, 'oai_dc');
equal('the library after changes', held($have, sub { $_[0] =~ /^oai:hub\.example:lib\// }), wanted(records($library, 'oai_dc'), 'lib', $ours));
my $status = well('status', $hub, 'repository', 'status');
like($status, qr/lib: http.*complete .*The library\.example; deleted records: persistent.*oai_dc: .*complete up to \d{4}-/s, 'says how far');

# Killed in the middle, and on from there.
well('a third source', $hub, 'repository', 'add', 'slow', $library->{url});
$hub->{db}->run('create function harvest.nap() returns trigger language plpgsql as $$ begin perform pg_sleep(0.2); return new; end $$',
    'create trigger nap before update on harvest.list for each row execute function harvest.nap()');
my $pid = fork // die $!;
if (!$pid) { open STDOUT, '>', '/dev/null'; open STDERR, '>&', \*STDOUT; exec "$build/release/oai", '--config', $hub->{server}{ini}, 'harvest', 'slow' or POSIX::_exit(127) }
my $slow = "id_repository = (select id from harvest.repository where name = 'slow')";
for (1 .. 200) { last if ($hub->{db}->value("select records from harvest.list where $slow") // 0) >= 200; sleep 0.05 }
kill 'KILL', $pid;
waitpid $pid, 0;
$hub->{db}->value("select count(*) from (select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'oai harvest') x");
my ($stood) = $hub->{db}->rows("select records, (select count(*) from harvest.record where $slow), walking, token <> '' from harvest.list where $slow and prefix = 'oai_dc'");
is("$stood->[0] $stood->[2] $stood->[3]", "$stood->[1] t t", 'the position is that of the records') and cmp_ok($stood->[0], '<', scalar(keys %{ $there{library} }), 'and it is not the end');
$hub->{db}->run('drop trigger nap on harvest.list');
like((oai($hub, 'repository', 'status', 'slow'))[1], qr/stopped after $stood->[0] of \d+ records, never complete/, 'status says so');
like(harvest($hub, 'slow'), qr/slow: complete: @{[keys(%{ records($library, 'oai_dc') }) - $stood->[0]]} records/, 'the rest is taken');
equal('what was killed', held(records($hub, 'oai_dc', set => 'col:slow'), sub { 1 }), wanted(records($library, 'oai_dc'), 'slow', sub { "oai:hub.example:slow/$_[0]" }));

# One hop more.
my $second = repository('second.example', 'library');
well('the aggregator as a source', $second, 'repository', 'add', 'hub', $hub->{url}, '--identifiers', 'theirs', '--set', 'col:lib', '--set', 'col:arch');
well('and the archive itself', $second, 'repository', 'add', 'direct', $archive->{url}, '--identifiers', 'theirs', '--normalise', 'dates', '--normalise', 'names');
harvest($second, 'hub');
harvest($second, 'direct');
my $far = records($second, 'oai_dc');
equal('two hops', held($far, sub { $_[0] !~ /^oai:second/ }), wanted({map { $_ => $have->{$_} } grep { !/:slow\// } keys %$have}, 'hub', $theirs));
my @chain = origin($far->{$an_id});
is(join(' ', map { "$_->{baseURL} $_->{identifier}" } @chain), "$hub->{url} $an_id $archive->{url} $an_id", 'provenance is nested, the nearest outside');
is($far->{"oai:second.example:direct/$an_id"}{metadata}, $far->{$an_id}{metadata}, 'the same record by another way is kept, under an identifier of ours');
my @pairs = map { [split /\t/] } split /\n/, well('duplicates', $second, 'repository', 'duplicates');
is(scalar(grep { $_->[0] eq $an_id && $_->[1] eq "oai:second.example:direct/$an_id" && $_->[2] eq 'identifier' } @pairs), 1, 'and linked to the first');

# Who harvests says whom to turn to.
my $listener = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1') or die $!;
well('a source that never answers', $second, 'repository', 'add', 'deaf', 'http://127.0.0.1:' . $listener->sockport . '/oai');
sub introduction {
    my (@arguments) = @_;
    my $pid = fork // die $!;
    if (!$pid) { open STDOUT, '>', '/dev/null'; open STDERR, '>&', \*STDOUT; exec "$build/release/oai", '--config', $second->{server}{ini}, 'harvest', 'deaf', @arguments or POSIX::_exit(127) }
    my $client = $listener->accept or die $!;
    my %field;
    while (defined(my $line = <$client>)) { $line =~ s/\r\n\z//; last if $line eq ''; $field{$1} = $2 if $line =~ /^(User-Agent|From): (.*)/ }
    print {$client} "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    close $client;
    waitpid $pid, 0;
    return "$field{From} $field{'User-Agent'}";
}
like(introduction(), qr{^a\@example\.org oai-fcgi/\S+ \(\+mailto:a\@example\.org\)$}, 'the first admin_email');
like(introduction('--contact', 'http://e.org/c', '--mail', 'c@e.org'), qr{^c\@e\.org oai-fcgi/\S+ \(\+http://e\.org/c\)$}, 'what the command line says');
for (['b@example.org', 'b@example.org', 'mailto:b@example.org'], ['https://e.org/b', 'a@example.org', 'https://e.org/b']) {
    my ($contact, $from, $agent) = @$_;
    my $ini = do { local (@ARGV, $/) = $second->{server}{ini}; <> };
    $ini =~ s/^contact = .*\n//m;
    $ini =~ s/^\[harvest\]\n/$&contact = $contact\n/m or die;
    open my $written, '>', $second->{server}{ini} or die $!;
    print {$written} $ini;
    close $written or die $!;
    like(introduction(), qr{^\Q$from\E oai-fcgi/\S+ \(\+\Q$agent\E\)$}, "contact = $contact");
}

# Forgotten.
my $records_of_slow = scalar(grep { !$_->{deleted} } values %{ records($hub, 'oai_dc', set => 'col:slow') });
like(well('removed', $hub, 'repository', 'remove', 'slow'), qr/slow removed; $records_of_slow records deleted, 0 kept/, 'records become deleted records');
publish($hub);
is(scalar(grep { !$_->{deleted} } values %{ records($hub, 'oai_dc', set => 'col:slow') }), 0, 'all of them');
like(well('removed', $hub, 'repository', 'remove', 'arch', '--records', 'keep'), qr/arch removed; 0 records deleted, \d+ kept/, 'or stay');
isnt((oai($hub, 'repository', 'remove', 'arch'))[0], 0, 'once');

# Who may do what: the loader's role harvests, but makes no columns but by the function; the others see nothing of it.
for (['oai_reader', 'select from harvest.repository'], ['oai_publisher', 'select from harvest.record'], ['oai_publisher', "select harvest.keep_format('x')"],
    ['oai_loader', 'alter table library.item add column x xml'], ['oai_loader', 'create or replace view oai.record as select 1'], ['oai_loader', 'drop table harvest.duplicate'],
    ['oai_loader', "update oai.item set seq = 1"]) {
    my ($role, $sql) = @$_;
    like(eval { Database::psql($hub->{db}->conninfo($role), '-c', $sql); 'done' } // $@, qr/permission denied|must be owner/, "$role: $sql");
}
is($hub->{db}->value("select string_agg(attname, ' ' order by attname) from pg_attribute where attrelid = 'oai.record'::regclass and attname like 'kept%'"), 'kept_didl', 'one column was made');

# What harvesters get is valid.
diag 'skip: OAI_SHARED is not set, so the official schemas are not at hand' if !$ENV{OAI_SHARED};
for my $prefix (sort keys %pages) {
    my $checked = Echo::directory();
    for my $i (0 .. $#{ $pages{$prefix} }) { open my $page, '>', sprintf("%s/%03d.xml", $checked, $i) or die $!; print {$page} $pages{$prefix}[$i]; close $page or die $!; }
    local $ENV{OAI_SHARED} = $prefix eq 'didl' ? '' : $ENV{OAI_SHARED} // '';   # which has no schema of didl
    is(`$root/t/lib/validate $checked/*.xml 2>&1`, '', "$prefix: " . scalar(@{ $pages{$prefix} }) . ' pages are valid');
}
is($hub->{db}->value('select count(*) from oai.check_chunks()'), 0, 'chunks are sound');
is($_->{server}->stop, 0, "$_->{namespace} stops") for $library, $archive, $hub, $second;
Echo::stop_webs();
done_testing;
