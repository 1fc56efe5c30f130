#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `oai harvest` harvests repositories into another one over HTTP: a library and a web archive into an aggregator, and the
# aggregator into a second one. Checked are: that all records are equal, that changes and deletions arrive, that a killed
# harvest resumes, the use of the source's identifiers, provenance through two hops, payloads, duplicates and valid answers.
use TestProgram;
use HostileProvider;
use XML::LibXML;

# Starts a repository with its server: {db, server, namespace, formats, url}.
sub repository {
    my ($namespace, $model, %how) = @_;
    my $db = Database->new(model => $model);
    my $formats = shared_directory();
    system('cp', '-rL', ($model eq 'library' ? "$root/xslt/library/." : "$root/xslt/."), $formats) == 0 or die;
    system('cp', "$formats/contrib/didl.xsl", $formats) == 0 or die;
    # The timeouts are long, so that a machine that stalls for ten seconds is not mistaken for a client that does.
    my $server = Repository->new(db => $db, formats => $formats, ini => {repository => {name => "The $namespace", identifier_namespace => $namespace},
        server => {idle_seconds => 60, request_seconds => 120}, lists => {records => 100}, loader => {slice_records => 100}, harvest => {normalise => "$root/xslt/normalise"}});
    $server->configure(base_url => $server->url);
    $server->start;
    return {db => $db, server => $server, namespace => $namespace, formats => $formats, url => $server->url};
}

# (status, output)
sub oai { my ($r, @arguments) = @_; return $r->{server}->oai(@arguments) }
# Returns the output of a command that must succeed.
sub succeed { my ($what, $r, @arguments) = @_; my ($status, $said) = oai($r, @arguments); is($status, 0, $what) or diag $said; return $said }
sub publish { my ($r) = @_; succeed('oai publish --once succeeds', $r, 'publish', '--once'); return }
sub harvest { my ($r, @arguments) = @_; my $said = succeed("oai harvest @arguments", $r, 'harvest', @arguments); publish($r); return $said }

# Returns the body of an answer; dies with the end of the server's log if there is none.
sub get {
    my ($r, $query) = @_;
    my $answer = $r->{server}->ask($query);
    return $answer->{body} if $answer->{status} eq '200' && $answer->{body} ne '';
    my @log = split /^/, $r->{server}->log_text;
    die "$r->{namespace} was asked for $query: $answer->{status} '$answer->{body}'; it has logged:\n", @log[($#log > 4 ? $#log - 4 : 0) .. $#log];
}

# Returns a canonical string for a metadata element: its children sorted by element name, equal names in document order.
sub canonical {
    my ($element) = @_;
    return '' if !$element;
    $element = XML::LibXML->load_xml(string => $element->toString)->documentElement;   # parsed on its own, since C14N depends on the whole document
    my @children = map { [$_->nodeName, $_->toStringEC14N] } $element->findnodes('*');
    my @order = sort { $children[$a][0] cmp $children[$b][0] || $a <=> $b } 0 .. $#children;
    return join ' ', $element->namespaceURI // '', $element->localname, map { $children[$_][1] } @order;
}
# Harvests a whole list page by page: identifier => {deleted, sets, metadata, about, datestamp}. The pages are kept in %pages.
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
    ok(!$twice, "$prefix of $r->{namespace}: no record is listed twice");
    return \%got;
}
# The records that the aggregator should hold of a source, under the identifiers that $name makes and with the sets below
# col:$source.
sub expected_records {
    my ($records, $source, $name) = @_;
    my %want;
    for my $id (keys %$records) {
        my $r = $records->{$id};
        my @sets = map { "col:$source:$_" } @{ $r->{sets} };
        $want{ $name->($id) } = {deleted => $r->{deleted}, sets => [sort @sets ? @sets : "col:$source"], metadata => $r->{metadata}};
    }
    return \%want;
}
# The records that the aggregator does hold, in the same shape. Its own sets of kinds and languages are left out.
sub held_records {
    my ($records, $mine) = @_;
    return {map { my $r = $records->{$_}; $mine->($_) ? ($_ => {deleted => $r->{deleted}, sets => [grep { /^col:/ } @{ $r->{sets} }], metadata => $r->{metadata}}) : () } keys %$records};
}
sub compare_records {
    my ($name, $got, $want) = @_;
    is(scalar(keys %$got), scalar(keys %$want), "$name: the number of records is equal");
    my @differ = grep { describe_record($got->{$_}) ne describe_record($want->{$_}) } sort keys %{ {%$got, %$want} };
    is(scalar(@differ), 0, "$name: all records are equal") or diag map { "$_\n  got    " . describe_record($got->{$_}) . "\n  wanted " . describe_record($want->{$_}) . "\n" } @differ[0 .. ($#differ > 2 ? 2 : $#differ)];
    return;
}
sub describe_record { my ($r) = @_; return !$r ? 'nothing' : join ' | ', $r->{deleted}, join(' ', @{ $r->{sets} }), $r->{metadata} }

# Two sources: a library and a web archive.
my $library = repository('library.example', 'library');
my $sample = shared_directory();
system("$root/deploy/sample/make-library", $sample) == 0 or die;
open my $list, '<', "$sample/load.list" or die $!;
for my $line (<$list>) {
    my ($file, @collections) = split ' ', $line;
    succeed("$file is loaded", $library, 'load', (map { ('--collection', $_) } @collections), "$sample/$file");
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
cmp_ok(scalar(keys %{ $there{library} }), '>', 300, 'the library has more than 300 records') and cmp_ok(scalar(grep { $_->{deleted} } values %{ $there{library} }), '>', 3, 'some of which are deleted');

# A full harvest of both.
my $hub = repository('hub.example', 'library');
succeed('a source is added', $hub, 'repository', 'add', 'lib', $library->{url}, '--format', 'marc21', '--format', 'didl');
succeed('another source, whose identifiers are kept, is added', $hub, 'repository', 'add', 'arch', $archive->{url}, '--identifiers', 'theirs');
like((oai($hub, 'repository', 'add', 'lib', $archive->{url}))[1], qr/there is a repository of this name/, 'a name that is already used is refused');
for (['a b', $library->{url}], ['a', 'ftp://x/'], ['a', $library->{url}, '--format', 'oai_dc'], ['a', $library->{url}, '--normalise', 'nonesuch'], ['a', $library->{url}, '--interval', 'soon'], ['..', $library->{url}], ['a', "$library->{url}#x"], ['a', "$library->{url}?verb=Identify"], ['a', $library->{url}, '--format', 'a~b']) {
    isnt((oai($hub, 'repository', 'add', @$_))[0], 0, "invalid arguments are refused: @$_[0, 2 .. $#$_]");
}
is(scalar(split /\n/, succeed('list', $hub, 'repository', 'list')), 2, 'and what was refused is not listed');
like((oai($hub, 'harvest', 'nonesuch'))[1], qr/nonesuch: no such repository/, 'harvesting an unknown name is an error');
harvest($hub, '--all');
my $ours   = sub { my ($id) = @_; return "oai:hub.example:lib/$id" };
my $theirs = sub { return $_[0] };
my $have = records($hub, 'oai_dc');
compare_records('the library', held_records($have, sub { $_[0] =~ /^oai:hub\.example:lib\// }), expected_records($there{library}, 'lib', $ours));
compare_records('the archive, under its own identifiers', held_records($have, sub { $_[0] =~ /^oai:archive\.example:/ }), expected_records($there{archive}, 'arch', $theirs));
is(scalar(keys %$have), keys(%{ $there{library} }) + keys(%{ $there{archive} }), 'and there are no other records');
my ($an_id) = grep { !$there{archive}{$_}{deleted} } sort keys %{ $there{archive} };
like(get($hub, "verb=GetRecord&metadataPrefix=oai_dc&identifier=$an_id"), qr{<identifier>\Q$an_id\E</identifier>.*<metadata>}s, 'GetRecord finds a record by the identifier of the source');
like(get($hub, "verb=ListMetadataFormats&identifier=$an_id"), qr{<metadataPrefix>oai_dc</metadataPrefix>}, 'so does ListMetadataFormats');
like(get($hub, "verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:hub.example::$an_id"), qr/idDoesNotExist/, 'but the record has no other identifier');
my %sets = map { ($_->{namespace} => get($_, 'verb=ListSets')) } $library, $archive, $hub;
my $sets = $sets{'hub.example'};
like($sets, qr{<setSpec>col:lib</setSpec>\n<setName>The library\.example</setName>}, 'a source is a set');
for my $spec (grep { /:/ } map { @{ $_->{sets} } } map { my $all = $_; @{$all}{(sort keys %$all)[0 .. 5]} } @there{qw(library archive)}) {
    my $source = $spec =~ /^(dom|mim)/ ? ['archive.example', 'arch'] : ['library.example', 'lib'];
    my ($name) = $sets{ $source->[0] } =~ m{<setSpec>\Q$spec\E</setSpec>\n<setName>(.*?)</setName>};
    like($sets, qr{<setSpec>\Qcol:$source->[1]:$spec\E</setSpec>\n<setName>\Q$name\E</setName>}, "$spec keeps its name");
}

# Payloads are disseminated unchanged under the metadataPrefix of the source.
my $marc_there = records($library, 'marc21');
my $marc_here = records($hub, 'marc21', set => 'col:lib');
compare_records('marc21', held_records($marc_here, sub { 1 }), expected_records($marc_there, 'lib', $ours));
my $stylesheet = succeed('a stylesheet for a kept format is printed', $hub, 'repository', 'format', 'didl');
spew("$hub->{formats}/didl.xsl", $stylesheet);
ok(wait_until(sub { get($hub, "verb=GetRecord&metadataPrefix=didl&identifier=$an_id") =~ /cannotDisseminateFormat/ }), 'the new format becomes available');
compare_records('didl', held_records(records($hub, 'didl', set => 'col:lib'), sub { 1 }), expected_records(records($library, 'didl'), 'lib', $ours));
is(get($hub, "verb=GetRecord&metadataPrefix=didl&identifier=$an_id") =~ /cannotDisseminateFormat/, 1, 'a record without this payload is not disseminated in it');

# Provenance: where a record comes from, the nearest source first.
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
is_deeply({%$o, date => ''}, {altered => 'false', date => '', baseURL => $library->{url}, identifier => $lib_id, datestamp => $there{library}{$lib_id}{datestamp}, metadataNamespace => $dc}, 'provenance describes the source of a record');
like($o->{date}, qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 'with the responseDate as harvestDate');
is(scalar(grep { !$_->{deleted} && (origin($_))[0]{altered} ne 'false' } values %$have), 0, 'no record of oai_dc is marked as altered');
($o) = origin($marc_here->{ $ours->($lib_id) });
is("$o->{altered} $o->{metadataNamespace}", 'false http://www.loc.gov/MARC21/slim', 'the provenance of a payload has the namespace of the payload');
my $mods = records($hub, 'mods', set => 'col:lib');
($o) = origin($mods->{ $ours->($lib_id) });
is("$o->{altered} $o->{metadataNamespace}", "true $dc", 'a format that is derived from the harvested metadata is marked as altered');

# Harvesting again when nothing has changed.
my $state = sub { $hub->{db}->value("select md5(string_agg(local_id || seq || datestamp, ' ' order by local_id)) from oai.item") };
my $before = $state->();
my $words = harvest($hub, '--all');
like($words, qr/lib: complete: 0 records, 0 of them deleted \(0 new, 0 changed\)/, 'an incremental harvest brings nothing new');
harvest($hub, '--all', '--full');
is($state->(), $before, 'a full harvest of unchanged records changes no datestamp');

# Changes, deletions, and records that are undeleted.
$library->{db}->run("update library.item set title = array['A new title'] where id = (select min(id) from library.item where not deleted)",
    "update library.item set deleted = true where id in (select id from library.item where not deleted order by id desc limit 3)",
    "update library.item set deleted = false where id = (select min(id) from library.item where deleted)",
    "insert into library.item (local_id, title, identifier) values ('new/1', '{New}', '{http://e.org/new}')");
publish($library);
$library->{server}->wait_for_horizon;
like(harvest($hub, 'lib'), qr/lib: complete: \d+ records, \d+ of them deleted \(1 new, /, 'an incremental harvest brings the changes');
$have = records($hub, 'oai_dc');
compare_records('the library after changes', held_records($have, sub { $_[0] =~ /^oai:hub\.example:lib\// }), expected_records(records($library, 'oai_dc'), 'lib', $ours));
my $status = succeed('status', $hub, 'repository', 'status');
like($status, qr/lib: http.*complete .*The library\.example; deleted records: persistent.*oai_dc: .*complete up to \d{4}-/s, 'repository status shows up to when the list is complete');

# A harvest that is killed in the middle resumes where it stopped.
succeed('a third source is added', $hub, 'repository', 'add', 'slow', $library->{url});
$hub->{db}->run('create function harvest.nap() returns trigger language plpgsql as $$ begin perform pg_sleep(0.2); return new; end $$',
    'create trigger nap before update on harvest.list for each row execute function harvest.nap()');
my $pid = start_program(["$build/release/oai", '--config', $hub->{server}{ini}, 'harvest', 'slow'], out => '/dev/null');
my $slow = "id_repository = (select id from harvest.repository where name = 'slow')";
wait_until(sub { ($hub->{db}->value("select records from harvest.list where $slow") // 0) >= 200 });
stop_program($pid, 'KILL');
$hub->{db}->value("select count(*) from (select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'oai harvest') x");
my ($stood) = $hub->{db}->rows("select records, (select count(*) from harvest.record where $slow), walking, token <> '' from harvest.list where $slow and prefix = 'oai_dc'");
is("$stood->[0] $stood->[2] $stood->[3]", "$stood->[1] t t", 'the stored position agrees with the stored records') and cmp_ok($stood->[0], '<', scalar(keys %{ $there{library} }), 'and the list is not complete');
$hub->{db}->run('drop trigger nap on harvest.list');
like((oai($hub, 'repository', 'status', 'slow'))[1], qr/stopped after $stood->[0] of \d+ records, never complete/, 'repository status reports the interrupted harvest');
like(harvest($hub, 'slow'), qr/slow: complete: @{[scalar keys %{ records($library, 'oai_dc') }]} records \(@{[keys(%{ records($library, 'oai_dc') }) - $stood->[0]]} in this run\)/, 'the next harvest takes the remaining records, and counts all');
compare_records('the source whose harvest was killed', held_records(records($hub, 'oai_dc', set => 'col:slow'), sub { 1 }), expected_records(records($library, 'oai_dc'), 'slow', sub { "oai:hub.example:slow/$_[0]" }));

# A harvest that is killed at any of its requests costs nothing, and one of all of it that is killed deletes nothing.
my $hostile = HostileProvider->new;
succeed('a source whose harvests are killed is added', $hub, 'repository', 'add', 'deadly', $hostile->url('deadly'), '--delete-missing');
my $deadly = sub {
    return $hub->{db}->value("select count(*) || ' ' || count(distinct r.identifier) || ' ' || count(*) filter (where i.deleted) || ' ' || coalesce(md5(string_agg(i.id || i.xmin::text, ' ' order by i.id)), '')
        from harvest.record r join library.item i on i.id = r.id_item where i.local_id like 'deadly/%'");
};
sub harvest_and_kill {
    my ($request, @options) = @_;
    spew($hostile->hold, 'wait');
    my $pid = start_program(["$build/release/oai", '--config', $hub->{server}{ini}, 'harvest', 'deadly', @options], out => '/dev/null');
    spew($hostile->hold, $pid . ' ' . ($request + (() = $hostile->requests('deadly'))) . "\n");
    waitpid $pid, 0;
    return $? & 127;
}
is(join(' ', map { harvest_and_kill($_) } 1 .. 7), '9 9 9 9 9 9 9', 'killed at each request');
spew($hostile->hold, "0 0\n");
harvest($hub, 'deadly');
my $whole = $deadly->();
like($whole, qr/^25 25 2 /, 'the next harvest completes it');
is(join(' ', map { harvest_and_kill($_, '--full') } 1 .. 7), '9 9 9 9 9 9 9', 'killed at each request of a harvest of all');
is($deadly->(), $whole, 'nothing is changed');
spew($hostile->hold, "0 0\n");
harvest($hub, 'deadly', '--full');
is($deadly->(), $whole, 'nor by the next one');

# A source that empties itself for a night.
my $evening = $state->();
my $live = $hub->{db}->value('select count(*) from oai.item where not deleted');
$library->{db}->run('create table was_live as select id from library.item where not deleted', 'update library.item set deleted = true');
publish($library);
$library->{server}->wait_for_horizon;
like(harvest($hub, 'lib'), qr/\(0 new, 0 changed\); \d+ records are deleted there, most of what is here/, 'most of a source is not believed to be gone at once');
is($state->(), $evening, 'nothing is changed');
$library->{db}->run('update library.item set deleted = false where id in (select id from was_live)', 'drop table was_live');
publish($library);
$library->{server}->wait_for_horizon;
unlike(harvest($hub, 'lib'), qr/are deleted there/, 'and in the morning');
is($hub->{db}->value('select count(*) from oai.item where not deleted'), $live, 'all are there');

# A second aggregator harvests the first one.
my $second = repository('second.example', 'library');
succeed('the aggregator is added as a source', $second, 'repository', 'add', 'hub', $hub->{url}, '--identifiers', 'theirs', '--set', 'col:lib', '--set', 'col:arch');
succeed('and so is the archive itself', $second, 'repository', 'add', 'direct', $archive->{url}, '--identifiers', 'theirs', '--normalise', 'dates', '--normalise', 'names');
harvest($second, 'hub');
harvest($second, 'direct');
my $far = records($second, 'oai_dc');
compare_records('after two hops', held_records($far, sub { $_[0] !~ /^oai:second/ }), expected_records({map { $_ => $have->{$_} } grep { !/:slow\// } keys %$have}, 'hub', $theirs));
my @chain = origin($far->{$an_id});
is(join(' ', map { "$_->{baseURL} $_->{identifier}" } @chain), "$hub->{url} $an_id $archive->{url} $an_id", 'provenance is nested, with the nearest source outermost');
is($far->{"oai:second.example:direct/$an_id"}{metadata}, $far->{$an_id}{metadata}, 'the same record harvested from elsewhere is kept under an identifier of this repository');
my @pairs = map { [split /\t/] } split /\n/, succeed('duplicates', $second, 'repository', 'duplicates');
is(scalar(grep { $_->[0] eq $an_id && $_->[1] eq "oai:second.example:direct/$an_id" && $_->[2] eq 'identifier' } @pairs), 1, 'and reported as a duplicate of the first');

# The harvester tells the provider whom to contact.
my $listener = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1') or die $!;
succeed('a source that answers 404 is added', $second, 'repository', 'add', 'deaf', 'http://127.0.0.1:' . $listener->sockport . '/oai');
sub introduction {
    my (@arguments) = @_;
    my $pid = start_program(["$build/release/oai", '--config', $second->{server}{ini}, 'harvest', 'deaf', @arguments], out => '/dev/null');
    my $client = $listener->accept or die $!;
    my %field;
    while (defined(my $line = <$client>)) { $line =~ s/\r\n\z//; last if $line eq ''; $field{$1} = $2 if $line =~ /^(User-Agent|From): (.*)/ }
    print {$client} "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    close $client;
    waitpid $pid, 0;
    return "$field{From} $field{'User-Agent'}";
}
like(introduction(), qr{^a\@example\.org oai-fcgi/\S+ \(\+mailto:a\@example\.org\)$}, 'by default the contact is the first admin_email');
like(introduction('--contact', 'http://e.org/c', '--mail', 'c@e.org'), qr{^c\@e\.org oai-fcgi/\S+ \(\+http://e\.org/c\)$}, 'options of the command line override it');
for (['b@example.org', 'b@example.org', 'mailto:b@example.org'], ['https://e.org/b', 'a@example.org', 'https://e.org/b']) {
    my ($contact, $from, $agent) = @$_;
    my $ini = slurp($second->{server}{ini});
    $ini =~ s/^contact = .*\n//m;
    $ini =~ s/^\[harvest\]\n/$&contact = $contact\n/m or die;
    spew($second->{server}{ini}, $ini);
    like(introduction(), qr{^\Q$from\E oai-fcgi/\S+ \(\+\Q$agent\E\)$}, "the contact is taken from the configuration: contact = $contact");
}

# Aggregators that harvest each other, in a ring of three with a pair in it, stay at their numbers: provenance tells at any depth who
# has had a record before.
my @ring = map { repository("ring$_.example", 'library') } 0 .. 2;
for my $k (0 .. 2) {
    $ring[$k]{db}->run("insert into library.item (local_id, title) select 'own/$k-' || n, array['Title ' || n] from generate_series(1, 4) n");
    publish($ring[$k]);
    $ring[$k]{server}->wait_for_horizon;
    succeed('the next of the ring is added', $ring[$k], 'repository', 'add', 'next', $ring[($k + 1) % 3]{url});
}
succeed('and the one before', $ring[0], 'repository', 'add', 'before', $ring[2]{url});
my @numbers;
for my $round (1 .. (is_long() ? 10 : 4)) {
    for my $r (@ring) { harvest($r, '--all'); $r->{server}->wait_for_horizon }
    push @numbers, join ' ', map { $_->{db}->value("select count(*) filter (where not deleted) || '+' || count(*) filter (where deleted) from library.item") } @ring;
}
diag join "\n", 'ring: live and deleted items in each round', @numbers if is_long();
is($numbers[$_], $numbers[2], "after round @{[$_ + 1]} all have what they had after the third") for 3 .. $#numbers;
is($numbers[-1], '16+0 12+0 12+0', 'the records of all three, and those of one by two ways where there are two');
$ring[0]{db}->run("update library.item set deleted = true where local_id = 'own/0-1'");
publish($ring[0]);
$ring[0]{server}->wait_for_horizon;
for (1 .. 3) { for my $r (@ring) { harvest($r, '--all'); $r->{server}->wait_for_horizon } }
is($_->{db}->value("select count(*) from library.item where not deleted and local_id like '%own/0-1'"), 0, "a takedown reaches $_->{namespace}") for @ring;
my $items = $ring[1]{db}->value('select count(*) from library.item where not deleted');
like(succeed('renamed', $ring[1], 'repository', 'change', 'next', '--name', 'other'), qr/its records stay in col:next/, 'a source can be renamed');
harvest($ring[1], 'other', '--full');
is($ring[1]{db}->value('select count(*) from library.item where not deleted'), $items, 'and its records are the same');
is($_->{server}->stop, 0, "the server of $_->{namespace} stops") for @ring;

# Removing a source.
my $records_of_slow = scalar(grep { !$_->{deleted} } values %{ records($hub, 'oai_dc', set => 'col:slow') });
like(succeed('removed', $hub, 'repository', 'remove', 'slow', '--records', 'delete'), qr/slow removed; $records_of_slow records deleted, 0 kept/, 'removing a source deletes its records');
publish($hub);
is(scalar(grep { !$_->{deleted} } values %{ records($hub, 'oai_dc', set => 'col:slow') }), 0, 'all its records are deleted');
like(succeed('removed', $hub, 'repository', 'remove', 'arch', '--records', 'keep'), qr/arch removed; 0 records deleted, \d+ kept/, 'with --records keep they stay');
isnt((oai($hub, 'repository', 'remove', 'arch'))[0], 0, 'a source cannot be removed twice');

# Privileges: the role of the loader harvests, but can add columns only through the function; the other roles have no access.
for (['oai_reader', 'select from harvest.repository'], ['oai_publisher', 'select from harvest.record'], ['oai_publisher', "select harvest.keep_format('x')"],
    ['oai_loader', 'alter table library.item add column x xml'], ['oai_loader', 'create or replace view oai.record as select 1'], ['oai_loader', 'drop table harvest.refused'],
    ['oai_loader', "update oai.item set seq = 1"]) {
    my ($role, $sql) = @$_;
    like(eval { Database::psql($hub->{db}->conninfo($role), '-c', $sql); 'done' } // $@, qr/permission denied|must be owner/, "$role: $sql");
}
is($hub->{db}->value("select string_agg(attname, ' ' order by attname) from pg_attribute where attrelid = 'oai.record'::regclass and attname like 'kept%'"), 'kept_didl', 'exactly one column for a kept format was created');

# The answers are valid by the schemas.
diag 'skip: OAI_SHARED is not set, so the official schemas are not at hand' if !$ENV{OAI_SHARED};
for my $prefix (sort keys %pages) {
    my $checked = shared_directory();
    for my $i (0 .. $#{ $pages{$prefix} }) { spew(sprintf("%s/%03d.xml", $checked, $i), $pages{$prefix}[$i]) }
    local $ENV{OAI_SHARED} = $prefix eq 'didl' ? '' : $ENV{OAI_SHARED} // '';   # the official schemas do not include didl
    is(`$root/t/lib/validate $checked/*.xml 2>&1`, '', "$prefix: " . scalar(@{ $pages{$prefix} }) . ' pages are valid');
}
is($hub->{db}->value('select count(*) from oai.check_chunks()'), 0, 'the chunks are consistent');
is($_->{server}->stop, 0, "the server of $_->{namespace} stops with status 0") for $library, $archive, $hub, $second;
WebServer::stop_all();
done_testing;
