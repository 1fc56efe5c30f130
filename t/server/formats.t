#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The shipped formats of both models: ListMetadataFormats lists each with its usual schema and namespace; each disseminates
# every record of t/data/formats that has the required data; and every document is valid by this project's schema in t/data/rng,
# and by the official one if OAI_SHARED names a directory that has it (xsd/, with a catalog). In full there are 1,000 records more of
# each model, whose values are drawn from those by chance. OAI_FORMAT_SCHEMAS: a directory of further schemas, PREFIX.xsd.
use TestProgram;
use RelaxNG;
use XML::LibXML;

my $dir   = tempdir('oai-formats-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $oai   = 'http://www.openarchives.org/OAI/2.0/';
my $xsi   = 'http://www.w3.org/2001/XMLSchema-instance';

# prefix => [namespace, schema, the models that have it]
my $dnb  = 'http://www.d-nb.de/standards/xmetadissplus/';
my $mpeg = 'http://standards.iso.org/ittf/PubliclyAvailableStandards/MPEG-21_schema_files';
my $ndltd = 'http://www.ndltd.org/standards/metadata/etdms/1.0/';
my $ethos = 'http://naca.central.cranfield.ac.uk/ethos-oai/2.0/';
my @both = qw(webarchiv library);
my %formats = (
    oai_dc        => ["${oai}oai_dc/", "${oai}oai_dc.xsd", @both],
    qdc           => ['http://purl.org/dc/terms/', 'http://127.0.0.1/oai/-/schema/qualifieddc.xsd', @both],
    marc21        => ['http://www.loc.gov/MARC21/slim', 'http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd', @both],
    mods          => ['http://www.loc.gov/mods/v3', 'http://www.loc.gov/standards/mods/v3/mods-3-8.xsd', @both],
    oai_datacite  => ['http://schema.datacite.org/oai/oai-1.1/', 'http://schema.datacite.org/oai/oai-1.1/oai.xsd', @both],
    datacite      => ['http://datacite.org/schema/kernel-4', 'http://schema.datacite.org/meta/kernel-4/metadata.xsd', @both],
    edm           => ['http://www.europeana.eu/schemas/edm/', 'http://www.europeana.eu/schemas/edm/EDM.xsd', @both],
    rdf           => ["${oai}rdf/", "${oai}rdf.xsd", @both],
    didl          => ['urn:mpeg:mpeg21:2002:02-DIDL-NS', "$mpeg/did/didl.xsd", @both],
    mets          => ['http://www.loc.gov/METS/', 'http://www.loc.gov/standards/mets/mets.xsd', @both],
    warc          => ['urn:oai-fcgi:warc-capture', 'http://127.0.0.1/oai/-/schema/warc-capture.xsd', 'webarchiv'],
    oai_openaire  => ['http://namespace.openaire.eu/schema/oaire/', 'https://www.openaire.eu/schema/repo-lit/4.0/openaire.xsd', 'library'],
    dcat_ap       => ['http://www.w3.org/ns/dcat#', 'http://127.0.0.1/oai/-/schema/dcat-ap.xsd', 'library'],
    'ccmm-xml'    => ['https://schema.ccmm.cz/research-data/1.0', 'https://raw.githubusercontent.com/techlib/CCMM/refs/tags/1.0.1/dataset/schema.xsd', 'library'],
    oai_cerif_openaire_v1_2 => ['https://www.openaire.eu/cerif-profile/1.2/', 'https://www.openaire.eu/schema/cris/1.2/openaire-cerif-profile.xsd', 'library'],
    oai_etdms     => [$ndltd, "${ndltd}etdms.xsd", 'library'],
    uketd_dc      => [$ethos, "${ethos}uketd_dc.xsd", 'library'],
    xMetaDissPlus => [$dnb, 'http://files.dnb.de/standards/xmetadissplus/xmetadissplus.xsd', 'library'],
    oai_marc      => ['http://www.openarchives.org/OAI/1.1/oai_marc', 'http://www.openarchives.org/OAI/1.1/oai_marc.xsd', 'library'],
    rfc1807       => ['http://info.internet.isi.edu:80/in-notes/rfc/files/rfc1807.txt', 'http://www.openarchives.org/OAI/1.1/rfc1807.xsd', 'library'],
    oai_lom       => ['http://ltsc.ieee.org/xsd/LOM', 'http://ltsc.ieee.org/xsd/lomv1.0/lom.xsd', 'library'],
);
my %wraps = (oai_datacite => ['datacite'], didl => ['oai_dc'], mets => ['oai_dc', 'mods']);   # judged by themselves too
my %root_namespace = (edm => 'http://www.w3.org/1999/02/22-rdf-syntax-ns#', qdc => 'urn:oai-fcgi:qualifieddc',
    dcat_ap => 'http://www.w3.org/1999/02/22-rdf-syntax-ns#');   # the others: the format's

# The condition on records that a format requires; without one, all records have what it requires.
my $years   = 'year is not null';
my $theses  = "kind like 'thesis%' and title is not null and creator is not null and year is not null";
my %having = (
    library => {
        (map { $_ => $years } qw(datacite oai_datacite)),
        oai_openaire => "$years and title is not null and landing_page is not null",
        edm          => 'title is not null and landing_page is not null',
        oai_etdms    => "$theses and subject is not null",
        uketd_dc     => "$theses and publisher is not null",
        xMetaDissPlus => "$years and title is not null and creator is not null",
        oai_marc     => 'marc is not null',
        'ccmm-xml'   => "$years and title is not null and creator is not null and publisher is not null and subject is not null and licence is not null",
        dcat_ap      => 'title is not null and description is not null and landing_page is not null',
        (map { $_ => 'title is not null' } qw(rfc1807 oai_lom oai_cerif_openaire_v1_2)),
    },
    webarchiv => {},
);
my %table = (webarchiv => 'webarchiv.doc', library => 'library.item');
my %source = (webarchiv => "$root/xslt", library => "$root/xslt/library");

# The available official schemas, by prefix. The container of qdc is our own, and DCMI's schemas judge what stands in it.
sub official_schemas {
    my $xsd = "$ENV{OAI_SHARED}/xsd";
    XML::LibXML->load_catalog("$xsd/catalog.xml");
    my $qdc = spew("$dir/qdc.xsd", <<"XSD");
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:oai-fcgi:qualifieddc" elementFormDefault="qualified">
  <xs:import namespace="http://purl.org/dc/terms/" schemaLocation="$xsd/dcmi/dcterms.xsd"/>
  <xs:element name="qualifieddc"><xs:complexType><xs:sequence>
    <xs:any namespace="http://purl.org/dc/elements/1.1/ http://purl.org/dc/terms/" processContents="strict" maxOccurs="unbounded"/>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>
XSD
    my %file = (oai_dc => "$xsd/oai_dc.xsd", qdc => $qdc, marc21 => "$xsd/loc/MARC21slim.xsd", mods => "$xsd/loc/mods-3-8.xsd",
        datacite => "$xsd/datacite/kernel-4/metadata.xsd", oai_etdms => "$xsd/standin/etdms.xsd",
        edm => "$xsd/edm/EDM.xsd", mets => "$xsd/mets/mets.xsd", oai_openaire => "$xsd/openaire/4.0/openaire.xsd");
    %file = (%file, map { m{([^/]+)\.xsd$} => $_ } glob "$ENV{OAI_FORMAT_SCHEMAS}/*.xsd") if defined $ENV{OAI_FORMAT_SCHEMAS};
    return map { -e $file{$_} ? ($_ => XML::LibXML::Schema->new(location => $file{$_})) : () } keys %file;
}
my %schema = ((defined $ENV{OAI_SHARED} ? official_schemas() : ()),
    warc => XML::LibXML::Schema->new(location => "$root/xslt/schema/warc-capture.xsd"));

# Values that belong together are drawn together.
my %drawn = (
    library => [qw(kind doi urn landing_page licence year isbn issn date format identifier language), 'access, access_from', 'marc, mods',
        map { "$_, ${_}_lang" } qw(title creator subject description publisher contributor type source relation coverage rights)],
    webarchiv => ['url, surt', qw(archived_time digest length status id_domain id_mimetype), 'doc_offset, id_arc', 'title, language, description']);
sub mix {
    my ($db, $model) = @_;
    my @columns = @{ $drawn{$model} };
    my $from = join ' ', map { "cross join lateral (select $_ from $table{$model} order by md5(n || '$_' || id) limit 1) as " . s/\W+/_/gr . '_drawn' } @columns;
    my $n = is_long() ? 1000 : 40;
    my ($id, $values) = $model eq 'library' ? ('local_id, ', "'mixed/' || n, ") : ('', '');
    my $list = join ', ', @columns;
    return $db->run("insert into $table{$model} ($id$list) select $values" . $list =~ s/url, surt/url || '?' || n, surt || '?' || n/r =~ s/doc_offset,/doc_offset + n,/r . " from generate_series(1, $n) n $from");
}

# The repository of a model with the records of t/data/formats; the configuration that answers from it. A record that
# fails fails its list.
sub repository {
    my ($model) = @_;
    my $db = Database->new(model => $model);
    Database::psql($db->conninfo, '-f', "$root/t/data/formats/$model.sql");
    mix($db, $model);
    $db->publish;
    is(system("$root/deploy/ship-formats", $source{$model}, "$dir/$model"), 0, "$model: ship-formats");
    my @missing = grep { !-e "$dir/$model/$_" } map { s{^\Q$source{$model}/}{}r }
        glob "$source{$model}/*.xsl $source{$model}/part/*.xsl $source{$model}/adapter/*.xsl $source{$model}/schema/*.xsd $source{$model}/contrib/*.xsl";
    is("@missing", '', "$model: all stylesheets, imported ones and schemas are shipped");
    system('cp', (glob "$dir/$model/contrib/*.xsl"), "$dir/$model") == 0 or die;
    return ($db, write_ini("$dir/$model.ini", $db, repository => {identifier_namespace => "$model.example.org"}, formats => {directory => "$dir/$model"},
        lists => {records => 2000, page_bytes => 100_000_000, on_bad_record => 'fail'}));
}

sub get {
    my ($ini, $query) = @_;
    my ($status, $answer, $log) = run_apart("$build/release/oai", '--config', $ini, 'get', '--', $query);
    diag $log if $status || $answer !~ m{<OAI-PMH};
    return $answer;
}

sub reason {
    my ($judge, $document) = @_;
    return '' if eval { $judge->validate($document); 1 };
    return ($@ =~ s/\n.*//sr) . "\n" . substr($document->toString, 0, 2000);
}

# The first fault of the documents by a schema, or "".
sub first_fault {
    my ($judge, @documents) = @_;
    for (@documents) { my $why = reason($judge, $_); return $why if $why ne '' }
    return '';
}

sub try_format {
    my ($db, $ini, $model, $prefix) = @_;
    my $text = get($ini, "verb=ListRecords&metadataPrefix=$prefix");
    my $answer = eval { XML::LibXML->new(huge => 1)->parse_string($text) };
    my $paths = XML::LibXML::XPathContext->new($answer // XML::LibXML::Document->new);
    $paths->registerNs(o => $oai);
    my @metadata = $answer ? $paths->findnodes('//o:metadata/*') : ();
    my $wanted = $db->value("select count(*) from $table{$model} where " . ($having{$model}{$prefix} // 'true'));
    is(scalar @metadata, $wanted, "$model $prefix: $wanted records have what it requires") or diag substr $text, 0, 1000;
    cmp_ok($wanted, '>', 0, 'and there is at least one');
    my ($namespace, $schema) = @{ $formats{$prefix} };
    my $root_namespace = $root_namespace{$prefix} // $namespace;
    is_deeply([grep { $_->namespaceURI ne $root_namespace } @metadata], [], "$model $prefix: the root is in its namespace");
    my %ids;
    $ids{$_->value}++ for map { $_->findnodes('.//@ID') } @metadata;
    is_deeply([grep { $ids{$_} > 1 } keys %ids], [], "$model $prefix: IDs are unique in the whole answer");
    judge("$model $prefix", $prefix, @metadata);
    for my $inner (@{ $wraps{$prefix} // [] }) {
        my $ns = $formats{$inner}[0];
        my @wrapped = map { $_->findnodes(".//*[namespace-uri() = '$ns' and namespace-uri(..) != '$ns']") } @metadata;
        cmp_ok(scalar @wrapped, '>', 0, "$model $prefix: wraps $inner") if $inner ne 'mods' || $model eq 'library';
        judge("$model $prefix, the $inner in it", $inner, @wrapped);
    }
}

sub judge {
    my ($name, $prefix, @elements) = @_;
    my @documents = map { my $d = XML::LibXML::Document->new('1.0', 'UTF-8'); $d->setDocumentElement($_->cloneNode(1)); $d } @elements;
    my $rng = XML::LibXML::RelaxNG->new(string => RelaxNG::xml("$root/t/data/rng/$prefix.rnc"));
    is(first_fault($rng, @documents), '', "$name: valid by our schema");
    is(first_fault($schema{$prefix}, @documents), '', "$name: valid by the official schema") if $schema{$prefix};
}

# The table of deploy/manual/formats.md has a line `prefix` | yes | yes for each.
sub shipped_row {
    my ($prefix) = @_;
    my ($webarchiv, $library) = slurp("$root/deploy/manual/formats.md") =~ /^\| `\Q$prefix\E`[^|]*\| *(yes)? *\| *(yes)? *\|/m or return ();
    return (($webarchiv ? 'webarchiv' : ()), ($library ? 'library' : ()));
}
for my $prefix (sort keys %formats) {
    my (undef, undef, @models) = @{ $formats{$prefix} };
    is_deeply([shipped_row($prefix)], \@models, "formats.md has $prefix for the models that have it");
}

for my $model (@both) {
    my ($db, $ini) = repository($model);
    my @expected = map { [$_, @{ $formats{$_} }[1, 0]] }
        sort { ($a ne 'oai_dc') <=> ($b ne 'oai_dc') || $a cmp $b }
        grep { my $f = $_; grep { $_ eq $model } @{ $formats{$f} } } keys %formats;
    my $listed = XML::LibXML->new->parse_string(get($ini, 'verb=ListMetadataFormats'));
    my @listed = map { [map { $_->textContent } grep { $_->nodeType == 1 } $_->childNodes] } $listed->getElementsByLocalName('metadataFormat');
    is_deeply(\@listed, \@expected, "$model: ListMetadataFormats has prefix, schema and namespace of all formats");
    try_format($db, $ini, $model, $_->[0]) for @expected;
}
SKIP: {
    skip 'OAI_SHARED is not set: validity by the official schemas is not checked', 1 if !defined $ENV{OAI_SHARED};
    cmp_ok(scalar keys %schema, '>', 1, 'official schemas were available: ' . join ' ', sort keys %schema);
}
done_testing();
