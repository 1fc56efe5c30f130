#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The page of one record, its citations and its linkset, of records as they come: with markup, control characters, very long
# texts, texts from right to left, a hundred creators, very many subjects; deleted, failing and unknown ones. Citations
# are read by programs that are not ours: Debian's bibutils.
use utf8;
use TestProgram;
use Encode qw(decode encode);
use JSON::PP;
use Time::HiRes qw(time);
use XML::LibXML;

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output todo_output);
my $json = JSON::PP->new;
my $has_bibutils = grep { -x "$_/ris2xml" && -x "$_/bib2xml" } split /:/, $ENV{PATH};

# --- a library ---------------------------------------------------------------------------------------------------

my %title = (
    plain => 'A plain title', 'markup' => q{<script>owned = 1</script> & "quoted" 'too' {1} }, 'tex' => q(}, note = {x} \\textbf{b} 50% $a_b^c~ #),
    'ris' => "One\r\nTY  - BOOK\nER  - \n\nAU  - Nobody", 'control' => "a\x01b\x1Bc\x{85}d\x{2028}e\tf", 'long' => 'Ž' x 10_000,
    'rtl' => "עברית \x{202E}txt.exe\x{202C} العربية", 'slashes/cite/ris/oai:example.org:plain' => 'An odd identifier', 'blank' => " \n ",
    q{a'(b),d;e&=+@~%41} => 'A very odd identifier', 'json' => q(</script>"}],"x":[{\\u0041),
);
sub quoted { return "'" . ($_[0] =~ s/'/''/gr) . "'" }
sub sql { return encode('UTF-8', join '', @_) }

my $db = Database->new(model => 'library');
$db->run(sql('insert into library.item (local_id, kind, title) values ' . join ', ', map { "(@{[quoted($_)]}, 'book', array[@{[quoted($title{$_})]}])" } sort keys %title));
$db->run(sql(<<'SQL'));
insert into library.item (local_id, kind, title, creator, publisher, date, type, language, doi, licence, subject) values
    ('thesis', 'thesis:doctoral', array['O koních'], array['Nováková, Jana', 'Dvořák, Karel, 1890-1938', 'Univerzita Karlova'], array['Karolinum'],
     array['2019-11-28'], array['Thesis'], array['cs'], '10.1234/horse_1', 'https://creativecommons.org/licenses/by/4.0/', array['koně', 'barvy']),
    ('hundred', 'book', array['By many'], (select array_agg('Family' || n || ', Given') from generate_series(1, 150) n), null, array['[c1998]'], null, null, null, null, null),
    ('big', 'book', array['Much'], array['Nováková, Jana'], array['Karolinum'], array['2001'], null, null, null, null,
     (select array_agg('subject ' || n) from generate_series(1, 20000) n)),
    ('none', null, null, null, null, null, null, null, null, null, null),
    ('deleted', 'book', array['Gone'], null, null, null, null, null, null, null, null),
    ('fails', 'book', array['Fails'], null, null, null, null, null, null, null, null);
insert into library.collection (name, title) select 'c' || n, 'Collection ' || n from generate_series(1, 70) n;
insert into library.collection (name, title) values ('top:middle:leaf', 'Leaf & <last>');
insert into library.item_collection select i.id, c.id from library.item i, library.collection c where i.local_id = 'thesis' and c.name = 'top:middle:leaf'
    union all select i.id, c.id from library.item i, library.collection c where i.local_id = 'plain' and c.name ~ '^c\d';
SQL
# A model of somebody's with a picture for some.
my $view = $db->value(q{select translate(pg_get_viewdef('oai.record'), chr(10), ' ')}) =~ s/;\s*$//r =~ s/\s+FROM library/, case i.local_id when 'plain' then 'https:\/\/images.example.org\/1.png?a="b"'
    when 'thesis' then 'https:\/\/elsewhere.example.org\/2.png' when 'markup' then 'javascript:alert(1)' end as image from library/r;
$db->run("create or replace view oai.record as $view");
$db->publish;
$db->run("delete from library.item where local_id = 'deleted'");
$db->publish;
my $server = Repository->new(db => $db, ini => {repository => {name => 'Golden <Web> & "Archive"', base_url => 'http://archive.example.org/oai'},
    browse => {directory => "$root/xslt/page", languages => 'en cs'}});
unlink glob "$server->{formats}/*";
spew("$server->{formats}/" . (split m{/})[-1], slurp($_)) for glob "$root/xslt/library/*.xsl";
mkdir "$server->{formats}/part";
spew("$server->{formats}/part/" . (split m{/})[-1], slurp($_)) for glob "$root/xslt/library/part/*";
my $dc = "$server->{formats}/oai_dc.xsl";
spew($dc, slurp($dc) =~ s{(<xsl:for-each select="title">)}{<xsl:if test="title = 'Fails'"><xsl:message terminate="yes">no</xsl:message></xsl:if>$1}r);
$server->start;

sub path { return join '', map { m{[A-Za-z0-9/:.-]} ? $_ : sprintf '%%%02X', ord } split //, encode('UTF-8', $_[0]) }
sub ask { my ($what, $id, $query) = @_; return $server->ask("/oai/browse/$what/oai:example.org:" . path($id) . ($query // '')) }
sub header { my ($answer, $name) = @_; return $answer->{headers}{lc $name} // $answer->{headers}{$name} // '' }
sub body { return decode('UTF-8', $_[0]{body}) }
# As citations have it.
sub in_a_line { return $_[0] =~ s/[\x00-\x20\x7F-\x9F\x{2028}\x{2029}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}]+/ /gr =~ s/^ | $//gr }

# The first text at that path in MODS, as the program reads the file.
sub foreign {
    my ($program, $file, $path) = @_;
    my $at = "$server->{dir}/citation";
    spew($at, $file);
    my ($status, $out, $err) = run_apart($program, '-i', 'utf8', $at);
    die "$program: $status $err" if $status || $err !~ /Processed 1 references/;
    my $context = XML::LibXML::XPathContext->new(XML::LibXML->load_xml(string => $out));
    $context->registerNs(m => 'http://www.loc.gov/mods/v3');
    return map { $_->textContent } $context->findnodes($path);
}

subtest 'citations of titles of all kinds' => sub {
    for my $id (sort keys %title) {
        my $stored = $title{$id} =~ s/[\x01\x1B]/\x{FFFD}/gr;
        my $title = in_a_line($stored) || "oai:example.org:$id";
        $title = decode('UTF-8', substr(encode('UTF-8', $title), 0, 2_000), Encode::FB_QUIET) . '…' if length $title > 2_000;
        my $page = ask('record', $id);
        is $page->{status}, 200, "$id: the page";
        unlike body($page), qr/<script>owned|javascript:/, 'no markup of the record';
        my $ris = body(ask('cite/ris', $id));
        is join(' ', $ris =~ /^([A-Z0-9]{2})  - /mg), 'TY TI AN DB ER', 'RIS: each field is its own, and a book is not online' or diag $ris;
        like $ris, qr/^TI  - \Q$title\E\r$/m, 'RIS: the title';
        my $item = $json->decode(body(ask('cite/csl', $id)))->[0];
        is "$item->{type} $item->{id}", "book oai:example.org:$id", 'CSL-JSON: what it is';
        is $item->{title}, $title, 'CSL-JSON: the title';
        like body(ask('cite/iso690', $id)), qr/^\Q$title\E\.?$/, 'ISO 690';
        my $bibtex = ask('cite/bibtex', $id);
        is header($bibtex, 'Content-Type'), 'application/x-bibtex; charset=UTF-8', 'BibTeX: its type';
        like header($bibtex, 'Content-Disposition'), qr/^attachment; filename="oai-example\.org-[A-Za-z0-9.-]+\.bib"$/, 'and a name that every system takes';
        SKIP: {
            skip 'bibutils is not installed: apt install bibutils', 2 if !$has_bibutils;
            # It divides a title at a colon, and takes quotes for typographic ones.
            my $read = sub { join(': ', foreign($_[0], $_[1], '//m:mods/m:titleInfo/*')) =~ s/:: /: /gr =~ s/[“”]/"/gr =~ s/[‘’]/'/gr };
            is decode_mods($read->('ris2xml', encode('UTF-8', $ris))), foreign_title($title), 'a foreign reader reads the title from RIS';
            is decode_mods($read->('bib2xml', $bibtex->{body})), foreign_title($title), 'and from BibTeX';
        }
    }
};
sub decode_mods { return $_[0] =~ s/⌃/^/gr =~ s/\s+//gr }
sub foreign_title { return $_[0] =~ s/\s+//gr }

subtest 'a thesis' => sub {
    my $page = body(ask('record', 'thesis'));
    like $page, qr{<h1 dir="auto">O koních</h1>.*<ul class="short"><li>Thesis</li><li><bdi>Nováková, Jana</bdi></li>.*<li><bdi>2019-11-28</bdi></li><li><bdi><span dir="auto">Karolinum</span></bdi></li></ul>}s,
        'title first, then what, who, when, where';
    like $page, qr{<ol class="path"><li><a dir="auto" href="/oai/browse/list\?set=col" title="col">[^<]+</a></li><li><a dir="auto" href="/oai/browse/list\?set=col:top" title="col:top">[^<]+</a></li><li><a dir="auto" href="/oai/browse/list\?set=col:top:middle" title="col:top:middle">[^<]+</a></li><li><a dir="auto" href="/oai/browse/list\?set=col:top:middle:leaf" title="col:top:middle:leaf">Leaf &amp; &lt;last&gt;</a></li></ol>},
        'the path to a set from the root of its tree, each a link to its list';
    my @formats = $page =~ /<section class="format" id="format-(\w+)"/g;
    cmp_ok scalar @formats, '>', 5, 'the record in each format';
    is_deeply [$page =~ /<a href="#format-(\w+)">/g], \@formats, 'each behind a link';
    my $text = body(ask('cite/iso690', 'thesis'));
    like $text, qr{^Nováková, Jana; Dvořák, Karel and Univerzita Karlova\. O koních \[online\]\. Karolinum, 2019-11-28 \[viewed \S+\]\. Available from: https://doi\.org/10\.1234/horse_1$}, 'as text';
    like body(ask('cite/iso690', 'thesis', '?lang=cs')), qr{^Nováková, Jana; Dvořák, Karel a Univerzita Karlova\. .*\[cit\. \S+\]\. Dostupné z: https://doi}, 'in Czech';
    my ($cited) = $page =~ m{<p id="cite-iso690">(.*?)</p>}s;
    is(($cited =~ s/<[^>]+>//gr) . "\n", $text =~ s/&/&amp;/gr, 'the page says the same');
    SKIP: {
        skip 'bibutils is not installed: apt install bibutils', 8 if !$has_bibutils;
        for (['ris2xml', 'ris'], ['bib2xml', 'bibtex']) {
            my ($program, $format) = @$_;
            my $file = ask("cite/$format", 'thesis')->{body};
            is join(' ', (foreign($program, $file, '//m:namePart[@type="family"]'))[0, 1]), 'Nováková Dvořák', "$format: the names";
            is join(' ', foreign($program, $file, '//m:dateIssued')), '2019-11-28', "$format: the date";
            ok scalar(grep { $_ eq '10.1234/horse_1' } foreign($program, $file, '//m:identifier[@type="doi"]')), "$format: the DOI";
            is join(' ', foreign($program, $file, '//m:genre[@authority="marcgt"]')), 'thesis', "$format: it is a thesis";
        }
    }
};

subtest 'typed links' => sub {
    my $answer = ask('record', 'thesis');
    my $links = header($answer, 'Link');
    like $links, qr{^<http://archive\.example\.org/oai/browse/linkset/oai:example\.org:thesis>; rel="linkset"; type="application/linkset\+json", <https://doi\.org/10\.1234/horse_1>; rel="cite-as", <https://schema\.org/AboutPage>; rel="type", <https://schema\.org/Thesis>; rel="type", <https://creativecommons\.org/licenses/by/4\.0/>; rel="license", <http://archive\.example\.org/oai\?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:example\.org:thesis>; rel="describedby"; type="text/xml"; profile="http://www\.openarchives\.org/OAI/2\.0/oai_dc/"},
        'the header';
    my $linkset = ask('linkset', 'thesis');
    is header($linkset, 'Content-Type'), 'application/linkset+json', 'the linkset has the type of RFC 9264';
    my ($page, @back) = @{ $json->decode($linkset->{body})->{linkset} };
    is $page->{anchor}, 'http://archive.example.org/oai/browse/record/oai:example.org:thesis', 'it is of the page';
    my @prefixes = $server->ask('verb=ListMetadataFormats&identifier=oai:example.org:thesis')->{body} =~ m{<metadataPrefix>(.*?)<}g;
    is join(' ', sort map { $_->{href} =~ /metadataPrefix=(\w+)/ ? $1 : () } @{ $page->{describedby} }), join(' ', sort @prefixes), 'each format of the record describes it';
    is scalar(grep { $_->{type} =~ /bibtex|csl|ris|research-info/ } @{ $page->{describedby} }), 3, 'and three files of citations';
    is scalar(@back), scalar @{ $page->{describedby} }, 'each of which leads back';
    is join(' ', map { $_->{href} =~ /set=(.*)/ } @{ $page->{collection} }), 'col:top:middle:leaf lang:cs type:thesis:doctoral', 'the sets are its collections';
    for my $link (@{ $page->{describedby} }) {
        my ($target) = $link->{href} =~ m{^http://archive\.example\.org(/oai.*)};
        my $described = $server->ask($target);
        is $described->{status}, 200, "$target";
        like header($described, 'Content-Type'), qr/^\Q$link->{type}\E(;|$)/, 'has the type that the link says';
    }
    my $many = ask('record', 'plain');
    cmp_ok length header($many, 'Link'), '<=', 2_048, 'with 70 sets, the header keeps its limit';
    is scalar @{ $json->decode(ask('linkset', 'plain')->{body})->{linkset}[0]{collection} }, 50, 'and the linkset its own';
    my ($crumbs, $folded) = body($many) =~ m{<nav class="crumbs"[^>]*>(.*?)<details>(.*?)</details></nav>\s*<h1}s;
    is_deeply [map { scalar(() = $_ =~ /<ol class="path">/g) } $crumbs, $folded], [1, 49], 'of which its page shows one above the title, and folds others';
    like $folded, qr{^<summary>Further sets: 70\.</summary>.*<p class="aside">Further sets: 2\d\.</p>$}s, 'and says how many it leaves out';
    for my $id (sort keys %title) {
        my $header = header(ask('record', $id), 'Link');
        unlike $header, qr/[^ -~]/, "$id: the header is ASCII";
        is_deeply [map { /^<[^<>" ]+>(?:; [a-z]+="[^"]*")+$/ ? () : $_ } split /, (?=<)/, $header], [], 'and of the right form';
    }
};

subtest 'a picture is a link' => sub {
    my $linked = ask('record', 'thesis');
    like body($linked), qr{<a href="https://elsewhere\.example\.org/2\.png"[^>]*>Picture</a>}, 'to where it is';
    unlike body($linked), qr{<img }, 'and nothing is loaded from there';
    like header($linked, 'Content-Security-Policy'), qr{img-src 'self';}, 'nor does the policy allow it';
    unlike body(ask('record', 'markup')), qr{<img |>Picture<}, 'what is no address of the web is neither';
};

subtest 'many creators, many subjects, and nothing at all' => sub {
    my $ris = body(ask('cite/ris', 'hundred'));
    is scalar(() = $ris =~ /^AU  - /mg), 100, 'the first hundred creators are cited';
    like body(ask('cite/bibtex', 'hundred')), qr/Family100, Given and others\}/, 'of 150, as BibTeX can say';
    my $began = time;
    my $big = ask('record', 'big');
    is $big->{status}, 200, sprintf 'a record with 20,000 subjects has a page, made in %.2f s', time - $began;
    cmp_ok length $big->{body}, '<', 1_000_000, 'of ' . length($big->{body}) . ' bytes';
    like body($big), qr/Karolinum, 2001/, 'it cites what stands behind the subjects';
    is scalar(() = body(ask('cite/ris', 'big')) =~ /^KW  - /mg), 50, 'a citation has fifty of them';
    cmp_ok length ask('cite/csl', 'big')->{body}, '<', 10_000, 'and is short';
    my $none = ask('record', 'none');
    is $none->{status}, 200, 'a record without anything has a page';
    like body(ask('cite/bibtex', 'none')), qr/^\@misc\{oai:example\.org:none,\n  title = \{\{oai:example\.org:none\}\},\n  url = \{http/, 'and its identifier is cited';
};

subtest 'records that are not there' => sub {
    for my $what (qw(record linkset cite/ris cite/bibtex cite/csl cite/iso690)) {
        is ask($what, 'unknown')->{status}, 404, "$what of an unknown identifier";
        is ask($what, "x\x{202E}<b>")->{status}, 404, "$what of an odd one";
        my $deleted = ask($what, 'deleted');
        is $deleted->{status}, 410, "$what of a deleted record";
        is header($deleted, 'Link'), '', 'which has no links';
    }
    unlike body(ask('record', 'deleted')), qr/id="cite"|id="in-formats"|application\/ld\+json/, 'nor citations or formats on its page';
    is $server->ask("/oai/browse/$_")->{status}, 404, "/$_" for 'cite/nothing/oai:example.org:plain', 'cite/apa/oai:example.org:plain', 'cite/ris', 'cite/ris/', 'cite', 'linkset', 'linkset/', 'cite/ris/%00', 'cite/RIS/oai:example.org:plain';
    is $server->ask("/oai/browse/record/oai:elsewhere.org:plain")->{status}, 404, 'an identifier of elsewhere';
};

subtest 'a record that fails in Dublin Core' => sub {
    my $check = sub {
        my ($how) = @_;
        my $page = ask('record', 'fails');
        is $page->{status}, 200, "$how: the page";
        like body($page), qr/cannot be shown in this format/, 'which says so';
        unlike body($page), qr/id="cite"/, 'and has nothing to cite';
        like header($page, 'Link'), qr/rel="cite-as".*metadataPrefix=marc21/, 'but links to its other formats';
        is ask('cite/ris', 'fails')->{status}, 404, 'there is no citation';
        is ask('linkset', 'fails')->{status}, 200, 'there is a linkset';
    };
    $check->('failing');
};

# --- a web archive -----------------------------------------------------------------------------------------------

my $archive = Database->new;
$archive->run(<<'SQL');
insert into webarchiv.domain (name) values ('cz:xn--bcher-kva:www');
insert into webarchiv.mimetype (name) values ('text:html');
insert into webarchiv.doc (id, datestamp, url, surt, archived_time, digest, id_domain, id_mimetype)
    select n, now(), 'http://www.xn--bcher-kva.cz/a?b=1&c=2', 'cz,xn--bcher-kva)/a?b=1&c=2', timestamptz '2006-01-02 12:34:56Z' + n * interval '1 day', 'd' || n,
           (select id from webarchiv.domain where name = 'cz:xn--bcher-kva:www'), (select id from webarchiv.mimetype where name = 'text:html') from generate_series(1, 30) n
    union all select 31, now(), 'http://single.cz/', 'cz,single)/', '2006-01-02 12:34:56Z', 'd', null, null
    union all select 32, now(), 'http://www.xn--bcher-kva.cz@evil.example/', 'example,evil)/', '2006-01-02 12:34:56Z', 'd', null, null;
SQL
$archive->publish;
my $web = Repository->new(db => $archive, ini => {repository => {name => 'Archive', base_url => 'http://archive.example.org/oai'},
    browse => {directory => "$root/xslt/page", languages => 'en cs', replay => 'https://wayback.example.org/web/{archived_time}/{url}'}})->start;
sub capture { my ($what, $id) = @_; return $web->ask("/oai/browse/$what/oai:example.org:$id") }
wait_until(sub { capture('record', 10)->{status} eq '200' }) or die $web->log_text;

subtest 'a capture' => sub {
    my $answer = capture('record', 10);
    my $page = body($answer);
    my $title = $page =~ m{<h1 dir="auto">(.*?)</h1>}s ? $1 : '';
    like $page, qr{<a class="button replay" href="https://wayback\.example\.org/web/20060112123456/http://www\.xn--bcher-kva\.cz/a\?b=1&amp;c=2"}, 'the way to the archive';
    like $page, qr{<a class="live" href="http://www\.xn--bcher-kva\.cz/a\?b=1&amp;c=2" rel="nofollow noopener noreferrer">on the live web}, 'and the one to the live web, which says so';
    is scalar(() = $page =~ /href="http:\/\/www\.xn--/g), 1, 'there is no other link to the live web';
    my ($all) = $page =~ m{href="(/oai/browse/search\?q=http:%2F%2Fwww\.xn--bcher-kva\.cz%2Fa%3Fb%3D1%26c%3D2)"};
    my $found;    # a search ends after 0.3 s, which a busy machine may need for nothing
    wait_until(sub { $found = () = body($web->ask($all)) =~ m{"https://wayback\.example\.org/web/\d+/http://www\.xn--bcher-kva\.cz/a\?b=1&amp;c=2"}g });
    is $found, 30, 'and a link to all of them';
    like header($answer, 'Link'), qr{<https://wayback\.example\.org/web/20060112123456/http://www\.xn--bcher-kva\.cz/a\?b=1&c=2>; rel="item"; type="text/html"}, 'the content is the item of the page';
    like header($answer, 'Link'), qr{<http://www\.xn--bcher-kva\.cz/a\?b=1&c=2>; rel="original", <[^>]*/timegate/http://www[^>]*>; rel="timegate", <[^>]*/timemap/link/http://www[^>]*>; rel="timemap"; type="application/link-format"}, 'with what Memento needs';
    is header($answer, 'Memento-Datetime'), 'Thu, 12 Jan 2006 12:34:56 GMT', 'and when it was captured';
    my $ris = body(capture('cite/ris', 10));
    like $ris, qr{^TY  - ELEC\r\n.*^N1  - Archived 2006-01-12T12:34:56Z by Archive\. Original address: http://www\.xn--bcher-kva\.cz/a\?b=1&c=2\r\n.*^UR  - https://wayback\.example\.org/web/20060112123456/http://www\.xn--bcher-kva\.cz/a\?b=1&c=2\r\n.*^Y2  - 2006/01/12\r$}ms, 'a citation names the archive and the moment';
    like body(capture('cite/iso690', 10)), qr{\[online\]\. \S+ \[archived 2006-01-12T12:34:56Z\] \[viewed [\d-]+\]\. In: Archive\. Available from: https://wayback}, 'so does ISO 690';
    SKIP: {
        skip 'bibutils is not installed: apt install bibutils', 2 if !$has_bibutils;
        for (['ris2xml', 'ris'], ['bib2xml', 'bibtex']) {
            my ($program, $format) = @$_;
            like join(' ', foreign($program, capture("cite/$format", 10)->{body}, '//m:location/m:url')), qr{https://wayback\.example\.org/web/20060112123456/http://www\.xn--bcher-kva\.cz/a\?b=1&c=2},
                "a foreign reader finds the archive's address in $format";
        }
    }
};

done_testing();
