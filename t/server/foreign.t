#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Stylesheets from elsewhere run unedited, by a descriptor, and make what xsltproc makes of the bare record: files as nasty as
# those of libraries are, with imports from the network, entities, keys, ways through the whole document, wrappers, parameters.
use TestProgram;
use XML::LibXML;

# Made-up MARCXML records: every kind of leader, linked fields of other scripts, repeated and empty subfields, names and titles of
# all tags, characters of every plane. The same number always gives the same record, a string of bytes in UTF-8.
package MadeUpMarc {
use utf8;
my $state;
sub random {
    my ($n) = @_;
    $state = ($state * 1103515245 + 12345) & 0x7fffffff;
    return int($state / 65536) % $n;
}
sub pick { return $_[ random(scalar @_) ] }
sub often { return random(3) > 0 }

my @words = ('Dějiny', 'of the', '<markup> & "quotes"', 'кириллица', '図書館', "e\x{301}tude", 'العربية', "\x{1D11E} music", 'Essays :', 'Praha,', 'c1999.', '  spaced  ', 'a', "O'Brien");
my @tags = (
    qw(010 013 017 020 022 024 027 028 030 033 034 035 037 041 043 044 045 047 048 050 052 055 060 072 080 082 084 086 100 110 111 130),
    qw(210 222 240 242 243 245 246 247 250 254 255 256 260 264 300 306 310 321 336 337 338 340 351 362 380 381 382 383 385 388),
    qw(400 410 411 440 490 500 501 502 504 505 506 508 510 511 513 515 518 520 521 522 524 530 533 534 535 536 538 540 541 545 546 555),
    qw(561 562 580 583 585 586 590 600 610 611 630 648 650 651 653 654 655 656 658 662 700 710 711 720 730 740 752 753),
    qw(760 762 765 767 770 772 773 774 775 776 777 780 785 786 787 800 810 811 830 850 852 856 866 887 996),
);

sub xml { my ($s) = @_; $s =~ s/&/&amp;/g; $s =~ s/</&lt;/g; $s =~ s/>/&gt;/g; return $s }
sub text { return xml(join ' ', map { pick(@words) } 0 .. random(4)) }

sub subfields {
    my ($tag) = @_;
    my %fixed = ('2' => pick(qw(lcsh fast gnd marcgt rdacontent isbn)), '4' => pick(qw(aut edt ill)), e => pick('author', 'editor.'), '0' => '(DE-588)118540238', '8' => '1\c', y => 'Text', u => 'http://example.org/' . random(100), w => '(OCoLC)' . random(10_000));
    my @codes = (often() ? 'a' : (), map { pick('a' .. 'z', 0 .. 9) } 0 .. random(6));
    return join '', map { my $value = $fixed{$_} && often() ? xml($fixed{$_}) : random(20) ? text() : ''; qq(<subfield code="$_">$value</subfield>) } @codes;
}

sub field {
    my ($tag, $more) = @_;
    my @indicators = map { pick(' ', 0 .. 9) } 1, 2;
    return qq(<datafield tag="$tag" ind1="$indicators[0]" ind2="$indicators[1]">) . ($more // '') . subfields($tag) . "</datafield>\n";
}

sub marc_record {
    my ($n) = @_;
    $state = 7919 * $n + 17;
    my $leader = '01234' . pick(qw(n c d)) . pick(qw(a c d e f g i j k m o p r t)) . pick(qw(m s a b c i)) . ' a22003497' . pick(' ', 'a', 'i', '7') . ' 4500';
    my @fields = sort { substr($a, 16, 3) cmp substr($b, 16, 3) } map { my $tag = $_; map { field($tag) } 0 .. random(2) } grep { random(4) == 0 } @tags;
    # Fields of other scripts and their partners.
    for my $i (1 .. random(4)) {
        my $tag = pick(qw(245 100 250 260 490 700 830));
        push @fields, field($tag, qq(<subfield code="6">880-0$i</subfield>)), field('880', qq(<subfield code="6">$tag-0$i/) . pick('(N', '$1', '(3/r', '(B') . '</subfield>');
    }
    my $controls = join '', map { my ($tag, $value) = @$_; qq(<controlfield tag="$tag">$value</controlfield>\n) } ['001', "rec$n"], ['003', pick('CZ-PrNK', 'DLC')], ['005', '20260102030405.0'],
        (often() ? ['006', pick('m        d        ', 's', '')] : ()), (often() ? ['007', pick('cr cna---', 'ta', 'sd fsngnnmmned', 'co cgu---unuuu', 'vf cbahos', 'h')] : ()),
        ['008', '940829' . pick('s1994    ', 'c19942009', 'm19941999', 'nuuuuuuuu', 'q19501959') . pick('xr ', 'nyu', 'enk') . pick('     r     000 0 ', ' a   ob    001 1 ', 'qr p       0   a0', '   |||||||||||||||') . pick('cze', 'eng', 'mul', '|||') . pick(' d', '  ')];
    my $xml = qq(<record xmlns="http://www.loc.gov/MARC21/slim"><leader>$leader</leader>\n$controls@{[join '', @fields]}</record>);
    utf8::encode($xml);
    return $xml;
}
}

# A library of such records; the repository is not started.
sub marc_repository {
    my ($records) = @_;
    my $db = Database->new(model => 'library');
    my $r = Repository->new(db => $db, ini => {lists => {records => 1000, page_bytes => 100_000_000}});
    my @rows = map {
        my $marc = MadeUpMarc::marc_record($_) =~ s/'/''/gr;
        "('r$_', array['Title $_', 'Other & <$_>'], array[null, 'cs'], array['Creator $_', 'Dvo\x{c5}\x{99}\x{c3}\x{a1}k, Ji\x{c5}\x{99}\x{c3}\x{ad}'], array['Subject', 'Other'], array['cs'], array['Publisher'], "
            . (1900 + $_ % 100) . ", 'http://example.org/$_', 'https://example.org/licence', '" . ($_ % 3 ? 'thesis:master' : 'book') . "', '$marc')";
    } 1 .. $records;
    my $sql = spew("$r->{dir}/items.sql", 'insert into library.item (local_id, title, title_lang, creator, subject, language, publisher, year, landing_page, licence, kind, marc) values ' . join ', ', @rows);
    Database::psql($db->conninfo, '-f', $sql);
    1 while $db->publish(1000);
    system('cp', '-r', "$Server::root/xslt/library/adapter", $r->{formats}) == 0 or die;
    return $r;
}

# What formats make of them, and what the stylesheet of a format is given, by local_id.
sub metadata_of {
    my ($r, $prefix) = @_;
    my $page = $r->ask("verb=ListRecords&metadataPrefix=$prefix")->{body};
    return map { m{<identifier>oai:[^<]*?:([^<:]+)</identifier>.*?<metadata>(.*)</metadata>}s ? ($1 => $2) : () } $page =~ m{<record><header.*?</metadata></record>\n}gs;
}
sub stylesheet_inputs {
    my ($r, $prefix) = @_;
    return map { $_ => (run_apart("$r->{bin}/oai", '--config', $r->{ini}, 'record', $_, '--format', $prefix, '--input'))[1] }
        $r->{db}->value("select string_agg(local_id, ' ') from library.item") =~ /\S+/g;
}

# "" if it fails, as it does with a status.
sub xsltproc {
    my ($stylesheet, $xml, %how) = @_;
    my $dir = shared_directory();
    spew("$dir/in.xml", $xml);
    local $ENV{XML_CATALOG_FILES} = $how{catalog} // '';
    my $params = $how{params} // {};
    my ($status, $made) = run_apart('xsltproc', '--nonet', (map { ('--stringparam', $_, $params->{$_}) } sort keys %$params), $stylesheet, "$dir/in.xml");
    return $status == 0 ? $made : '';
}

# Without what the program adds (xsi:schemaLocation), what indent="yes" adds, and comments.
sub canonical {
    my ($xml) = @_;
    my $document = eval { XML::LibXML->load_xml(string => $xml, no_cdata => 1) } or return "no XML: " . substr $xml, 0, 100;
    my $root = $document->documentElement;
    $root->removeAttributeNS('http://www.w3.org/2001/XMLSchema-instance', 'schemaLocation');
    $_->unbindNode for grep { $_->nodeType != XML_TEXT_NODE || $_->data !~ /\S/ } $root->findnodes('.//text() | .//comment()');
    return $root->toStringEC14N;
}

my $r = marc_repository(30);
my $vendor = shared_directory();
symlink $vendor, "$r->{formats}/vendor" or die $!;
mkdir "$vendor/$_" or die $! for qw(inc other);
my $xsl = 'xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:marc="http://www.loc.gov/MARC21/slim" exclude-result-prefixes="marc"';

spew("$vendor/catalog.xml", <<'XML');
<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">
  <rewriteURI uriStartString="http://standards.example.org/inc/" rewritePrefix="inc/"/>
  <rewriteSystem systemIdStartString="http://standards.example.org/inc/" rewritePrefix="inc/"/>
</catalog>
XML
spew("$r->{formats}/catalog.xml", slurp("$vendor/catalog.xml") =~ s{Prefix="inc/}{Prefix="vendor/inc/}gr);
# What stands beside a stylesheet needs no entry; xsltproc does not know that.
spew("$vendor/catalog.xml", slurp("$vendor/catalog.xml") =~ s{(?=</catalog>)}{<rewriteURI uriStartString="http://elsewhere.example.org/a/b/" rewritePrefix="./"/><rewriteSystem systemIdStartString="http://elsewhere.example.org/a/b/" rewritePrefix="./"/>}r);
spew("$vendor/inc/codes.xml", '<codes><code of="a">text</code><code of="g">film</code><code of="t">manuscript &lt;</code></codes>');
spew("$vendor/inc/utils.xsl", <<"XSL");
<!DOCTYPE stylesheet [<!ENTITY nbsp "&#160;">]>
<xsl:stylesheet version="1.0" $xsl xmlns:c="urn:c">
  <c:names><c:name tag="100">person</c:name><c:name tag="110">body</c:name></c:names>
  <xsl:template name="chop"><xsl:param name="s"/><xsl:choose>
    <xsl:when test="contains('.:,;/ ', substring(\$s, string-length(\$s), 1)) and \$s != ''"><xsl:call-template name="chop"><xsl:with-param name="s" select="substring(\$s, 1, string-length(\$s) - 1)"/></xsl:call-template></xsl:when>
    <xsl:otherwise><xsl:value-of select="\$s"/></xsl:otherwise></xsl:choose></xsl:template>
  <xsl:template name="name-of"><xsl:param name="tag"/><xsl:value-of select="document('')//c:name[\@tag = \$tag]"/>&nbsp;</xsl:template>
  <xsl:template name="type-of"><xsl:param name="code"/><xsl:value-of select="document('codes.xml')/codes/code[\@of = \$code]"/></xsl:template>
</xsl:stylesheet>
XSL
spew("$vendor/nasty.xsl", <<"XSL");
<?xml version="1.0" encoding="UTF-8"?>
<xsl:stylesheet version="1.0" $xsl xmlns="urn:out" xmlns:xlink="http://www.w3.org/1999/xlink">
  <xsl:include href="http://standards.example.org/inc/utils.xsl"/>
  <xsl:output method="xml" indent="yes" encoding="ISO-8859-1" cdata-section-elements="note"/>
  <xsl:strip-space elements="*"/>
  <xsl:key name="linked" match="marc:datafield[\@tag = '880']" use="substring(marc:subfield[\@code = '6'], 1, 6)"/>
  <xsl:variable name="leader" select="/marc:record/marc:leader"/>
  <xsl:template match="/"><xsl:choose>
    <xsl:when test="//marc:collection"><collection><xsl:apply-templates select="//marc:record"/></collection></xsl:when>
    <xsl:otherwise><xsl:apply-templates/></xsl:otherwise></xsl:choose></xsl:template>
  <xsl:template match="marc:record">
    <out type="{substring(\$leader, 7, 1)}">
      <xsl:call-template name="type-of"><xsl:with-param name="code" select="substring(\$leader, 7, 1)"/></xsl:call-template>
      <xsl:for-each select="marc:datafield[starts-with(\@tag, '1')]">
        <xsl:sort select="marc:subfield[\@code = 'a']" order="descending"/>
        <name n="{position()}" of="{last()}" before="{count(preceding::marc:datafield)}" first="{generate-id() = generate-id(//marc:datafield[starts-with(\@tag, '1')][1])}">
          <xsl:call-template name="name-of"><xsl:with-param name="tag" select="\@tag"/></xsl:call-template>
          <xsl:call-template name="chop"><xsl:with-param name="s"><xsl:for-each select="marc:subfield"><xsl:value-of select="."/><xsl:text> </xsl:text></xsl:for-each></xsl:with-param></xsl:call-template></name>
      </xsl:for-each>
      <xsl:apply-templates select="marc:datafield[\@tag = 245]"/>
      <xsl:if test="not(//marc:datafield[\@tag = 880])"><note>no <![CDATA[<other>]]> script</note></xsl:if>
      <xsl:copy-of select="marc:datafield[\@tag &gt;= 600 and \@tag &lt; 700][1]"/>
      <xsl:comment>made</xsl:comment>
    </out></xsl:template>
  <xsl:template match="marc:datafield[\@tag = 245]"><xsl:variable name="link" select="concat('245-0', substring(marc:subfield[\@code = '6'], 6, 1))"/>
    <title><xsl:attribute name="xlink:href"><xsl:value-of select="ancestor::marc:record/marc:controlfield[\@tag = '001']"/></xsl:attribute>
      <xsl:value-of select="marc:subfield[\@code = 'a']"/><xsl:for-each select="key('linked', \$link)"><other><xsl:number level="any" count="marc:datafield"/>: <xsl:value-of select="normalize-space(.)"/></other></xsl:for-each></title></xsl:template>
  <xsl:template match="text()"/>
</xsl:stylesheet>
XSL
spew("$vendor/wrapped.xsl", <<"XSL");
<xsl:stylesheet version="1.0" $xsl xmlns:o="urn:out" xmlns:x="urn:x">
  <xsl:import href="http://elsewhere.example.org/a/b/nasty.xsl"/>
  <xsl:param name="who" select="'nobody'"/><xsl:param name="where"/>
  <xsl:template match="/"><x:all><x:head/><o:o who="{\$who}" x:where="{\$where}"><xsl:value-of select="count(//marc:subfield)"/></o:o></x:all></xsl:template>
</xsl:stylesheet>
XSL
spew("$vendor/unwrapped.xsl", <<"XSL");
<xsl:stylesheet version="1.0" $xsl xmlns:exsl="http://exslt.org/common">
  <xsl:import href="wrapped.xsl"/>
  <xsl:template match="/"><xsl:variable name="all"><xsl:apply-imports/></xsl:variable><xsl:copy-of select="exsl:node-set(\$all)/*/*[2]"/></xsl:template>
</xsl:stylesheet>
XSL
spew("$vendor/other/two.xsl", "\n<xsl:stylesheet version=\"2.0\" $xsl><xsl:template match=\"/\"/></xsl:stylesheet>");
spew("$vendor/php.xsl", "<xsl:stylesheet version=\"1.0\" $xsl xmlns:php=\"http://php.net/xsl\"><xsl:template match=\"/\"><o xmlns=\"urn:out\">\n<xsl:value-of select=\"php:function('date')\"/></o></xsl:template></xsl:stylesheet>");
spew("$vendor/dim.xsl", "<xsl:stylesheet version=\"1.0\" $xsl xmlns:d=\"http://www.dspace.org/xmlns/dspace/dim\"><xsl:template match=\"/d:dim\"><o xmlns=\"urn:out\"><xsl:for-each select=\"d:field\"><xsl:sort select=\"\@element\"/><f><xsl:copy-of select=\"\@*\"/><xsl:value-of select=\".\"/></f></xsl:for-each></o></xsl:template></xsl:stylesheet>");
spew("$vendor/xoai.xsl", "<xsl:stylesheet version=\"1.0\" $xsl xmlns:d=\"http://www.lyncode.com/xoai\"><xsl:template match=\"/\"><o xmlns=\"urn:out\"><xsl:for-each select=\"//d:field\"><f><xsl:attribute name=\"in\"><xsl:for-each select=\"ancestor::d:element\">/<xsl:value-of select=\"\@name\"/></xsl:for-each></xsl:attribute><xsl:value-of select=\".\"/></f></xsl:for-each></o></xsl:template></xsl:stylesheet>");

sub descriptor {
    my ($prefix, $attributes, $params) = @_;
    return spew("$r->{formats}/$prefix.format", qq(<f:format xmlns:f="urn:oai-fcgi:format" xmlns:o="urn:out" xmlns:x="urn:x" prefix="$prefix" schema="http://example.org/out.xsd" namespace="urn:out" $attributes>@{[$params // '']}</f:format>\n));
}
descriptor('nasty', 'input="marc" stylesheet="vendor/nasty.xsl"');
descriptor('wrapped', 'input="marc" stylesheet="vendor/unwrapped.xsl"',
    '<f:param name="who" select="concat(@identifier, \' of \', creator[2])"/><f:param name="where" select="concat($base_url, \'?\', $sets)"/>');
descriptor('dim', 'input="adapter/dim.xsl" stylesheet="vendor/dim.xsl"');
descriptor('xoai', 'input="adapter/xoai.xsl" stylesheet="vendor/xoai.xsl"', '<f:param name="repository" select="\'Ours\'"/>');
$r->start;
my %marc = map { /^(\S+) (.*)$/s } map { s/^\s+//r } split /\x1e/, $r->{db}->value("select replace(string_agg(local_id || ' ' || marc::text, chr(30)), chr(10), ' ') from library.item");
my %given = (nasty => \%marc, wrapped => \%marc, map { $_ => {stylesheet_inputs($r, $_)} } qw(dim xoai));
my %names = map { $_ => "$vendor/$_.xsl" } keys %given;
for my $prefix (sort keys %given) {
    my %made = metadata_of($r, $prefix);
    is scalar(keys %made), 30, "$prefix: all records" or diag $r->ask("verb=ListRecords&metadataPrefix=$prefix")->{body}, $r->log_text =~ s/.*event=request.*\n//gr;
    my @wrong;
    for my $id (sort keys %made) {
        my %params = $prefix eq 'wrapped' ? (who => "oai:example.org:$id of Dvo\x{c5}\x{99}\x{c3}\x{a1}k, Ji\x{c5}\x{99}\x{c3}\x{ad}", where => 'http://127.0.0.1/oai?' . join ' ', $r->ask("verb=GetRecord&metadataPrefix=$prefix&identifier=oai:example.org:$id")->{body} =~ m{<setSpec>(.*?)</}g) : ();
        my $theirs = xsltproc($names{$prefix}, $given{$prefix}{$id}, catalog => "$vendor/catalog.xml", params => \%params);
        $theirs = XML::LibXML->load_xml(string => $theirs)->findnodes('/*/*[2]')->[0]->toStringC14N if $prefix eq 'wrapped' && $theirs;
        push @wrong, "$id: " . canonical($made{$id}) . "\n  and not " . canonical($theirs) if canonical($made{$id}) ne canonical($theirs);
    }
    is scalar(@wrong), 0, "$prefix: what xsltproc makes" or diag $wrong[0];
}
like +(metadata_of($r, 'nasty'))[1], qr{ xsi:schemaLocation="urn:out http://example.org/out.xsd"}, 'with xsi:schemaLocation';

# What a newcomer sees: three steps, and what is wrong in words.
my ($status, $said) = $r->oai('check');
like $said, qr{^nasty \(\Q$r->{formats}\E/nasty\.format\): 30 records, 0 bad, [\d.]+ us a record by libxslt, one record at a time for }m, 'oai check says how it runs';
descriptor('two', 'input="marc" stylesheet="vendor/other/two.xsl"');
descriptor('php', 'input="marc" stylesheet="vendor/php.xsl"');
descriptor('typo', 'input="marcxml" stylesheet="vendor/nasty.xsl"');
descriptor('up', 'input="marc" stylesheet="vendor/../oai_dc.xsl"');
($status, $said) = $r->oai('check');
is $status, 1, 'oai check finds what cannot run';
like $said, qr{vendor/other/two\.xsl:2: this stylesheet is in XSLT 2\.0, and XSLT 1\.0 with EXSLT is what runs here}, 'XSLT 2.0';
like $said, qr{php\.format:1: none of 30 records .*vendor/php\.xsl:2: .*function not found}, 'a function of PHP, with file and line';
like $said, qr{up\.format:1: format: stylesheet="vendor/\.\./oai_dc\.xsl": must be a path from this file, without \.\.}, 'a way out';
like $said, qr{typo\.format:1: input="marcxml": records have no such column, but .*\bmarc\b}, 'a column that is not there';
unlink glob "$r->{formats}/{two,php,up,typo}.format";

my $entries = slurp("$r->{formats}/catalog.xml");
spew("$r->{formats}/catalog.xml", '<catalog');
($status, $said) = $r->oai('check');
like $said, qr{^oai: catalog: \S+/catalog\.xml:1: }m, 'a broken catalog is named, with file and line';
like $said, qr{^dim \(.*30 records, 0 bad}m, 'and matters only to what imports through it';
spew("$r->{formats}/catalog.xml", $entries);

# A change of the makers' files, or of the catalog, goes live.
spew("$vendor/inc/codes.xml", '<codes/>');
my $old = (metadata_of($r, 'wrapped'))[1];
spew("$vendor/wrapped.xsl", slurp("$vendor/wrapped.xsl") =~ s/<o:o /<o:o new="yes" /r);
ok wait_until(sub { (metadata_of($r, 'wrapped'))[1] =~ /new="yes"/ }), 'a changed stylesheet goes live' or diag $old;
ok wait_until(sub { $r->log_text =~ /since is as before" prefix=wrapped/ }), 'and is known to be a change';

# What stylesheets see.
($status, $said) = $r->oai('record', 'oai:example.org:r1');
like $said, qr{^<\?xml.*<records>\s*<record id="\d+" identifier="oai:example.org:r1".*<title>Title 1</title>.*<marc>\s*<record xmlns="http://www.loc.gov/MARC21/slim">}s, 'oai record: the internal XML';
my (undef, $out, $err) = run_apart("$r->{bin}/oai", '--config', $r->{ini}, 'record', 'r1', '--format', 'oai_dc');
like $out, qr{^<oai_dc:dc .*</oai_dc:dc>\n$}s, '--format: what it makes';
like $err, qr{^[\d.]+ us, compiled\n$}, 'in which time, by which way';
(undef, $out, $err) = run_apart("$r->{bin}/oai", '--config', $r->{ini}, 'record', 'r1', '--format', "$r->{formats}/nasty.format");
like $err, qr{^[\d.]+ us, by libxslt, one record at a time for \S+nasty\.format:1: input="marc"}, 'a file in place of the prefix';
($status, $said) = $r->oai('record', 'none');
is "$status $said", "1 oai: none: no such record is published [OAI-1509]\n", 'a record that is not there';
($status, $said) = $r->oai('record', 'r1', '--format', 'none');
like "$status $said", qr/^1 oai: none: no format of that name in /, 'a format that is not there';
($status, $said) = $r->oai('record', 'r1', '--input');
is $status, 2, '--input goes with --format';
$r->stop;
done_testing;
