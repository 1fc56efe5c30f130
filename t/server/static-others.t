#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Static repositories as others write them: by hand, by stylesheets and by programs, in any encoding, with prefixes of their own,
# namespaces declared far from where they are used, comments, processing instructions, character references and CDATA. All are
# harvested as they are.
use utf8;
use Encode qw(decode encode);
use TestProgram;
use StaticRepositoryFile;
use StaticWeb;
use XML::LibXML;

binmode Test::More->builder->$_, ':utf8' for qw(output failure_output todo_output);

my $web = StaticWeb->new;
my $url = $web->url('r.xml');
my $base = 'http://gateway.example/oai/' . $url =~ s{^http://}{}r =~ s/:/%3A/r;
my %uri = (
    static => 'http://www.openarchives.org/OAI/2.0/static-repository', oai => 'http://www.openarchives.org/OAI/2.0/',
    oai_dc => 'http://www.openarchives.org/OAI/2.0/oai_dc/', dc => 'http://purl.org/dc/elements/1.1/',
    qdc => 'http://dspace.org/qualifieddc/', dcterms => 'http://purl.org/dc/terms/', xsi => 'http://www.w3.org/2001/XMLSchema-instance',
    rights => 'http://www.openarchives.org/OAI/2.0/rights/', provenance => 'http://www.openarchives.org/OAI/2.0/provenance');
my @formats = ([oai_dc => 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd', $uri{oai_dc}], [qdc => 'http://dspace.org/qualifieddc.xsd', $uri{qdc}]);
sub said_by { my ($repository, @arguments) = @_; my ($status, $said) = $repository->oai(@arguments); return ($status, decode('UTF-8', $said)) }
sub identify {
    my ($p) = @_;
    return "<${p}repositoryName>Musée Œuvre</${p}repositoryName><${p}baseURL>$base</${p}baseURL><${p}protocolVersion>2.0</${p}protocolVersion>\n"
        . "<${p}adminEmail>a\@museum.example</${p}adminEmail><${p}earliestDatestamp>2002-09-19</${p}earliestDatestamp>"
        . "<${p}deletedRecord>no</${p}deletedRecord><${p}granularity>YYYY-MM-DD</${p}granularity>";
}
sub formats {
    my ($p) = @_;
    return join '', map { "<${p}metadataFormat><${p}metadataPrefix>$_->[0]</${p}metadataPrefix><${p}schema>$_->[1]</${p}schema>"
        . "<${p}metadataNamespace>$_->[2]</${p}metadataNamespace></${p}metadataFormat>" } @formats;
}
sub record { my ($p, $name, $inside) = @_; return "<${p}record><${p}header><${p}identifier>oai:museum.example:$name</${p}identifier><${p}datestamp>2002-09-19</${p}datestamp></${p}header>$inside</${p}record>" }

# By hand: every namespace at the top, under short names, and words to the reader everywhere.
my $far = <<"XML";
<?xml-stylesheet type="text/xsl" href="show.xsl"?>
<!-- by hand, é -->
<s:Repository xmlns:s="$uri{static}" xmlns:o="$uri{oai}" xmlns:d="$uri{oai_dc}" xmlns:dc="$uri{dc}" xmlns:q="$uri{qdc}" xmlns:t="$uri{dcterms}"
   xmlns:i="$uri{xsi}" i:schemaLocation="$uri{static} $uri{static}.xsd">
<!-- who --><s:Identify>@{[identify('o:')]}<!-- we --></s:Identify><?work in progress?>
<s:ListMetadataFormats>@{[formats('o:')]}</s:ListMetadataFormats>
<s:ListRecords metadataPrefix="qdc"><!-- first -->
@{[record('o:', 1, '<?p i?><o:metadata><!-- before --><q:qualifieddc><dc:date i:type="t:W3CDTF">2001</dc:date><dc:title>Œuvre</dc:title><!-- in --><?x y?></q:qualifieddc></o:metadata>
<o:about><dc:rights>libre</dc:rights></o:about><!-- between --><o:about><t:license>é</t:license></o:about>')]}
</s:ListRecords>
<s:ListRecords metadataPrefix="oai_dc">
@{[record('o:', 1, '<o:metadata><d:dc><dc:title><![CDATA[Café & <b>]]></dc:title></d:dc></o:metadata>')]}
@{[record('o:', 2, '<o:metadata><d:dc><dc:title xml:lang="fr">&#233;t&#xe9;</dc:title><dc:type>  </dc:type></d:dc></o:metadata>')]}
</s:ListRecords>
</s:Repository>
<!-- the end -->
XML
# By a program that declares a default namespace wherever one begins, and sets everything out on lines of its own.
my $near = <<"XML";
<Repository xmlns="$uri{static}"><Identify xmlns:x="$uri{oai}">@{[identify('x:')]}</Identify>
<ListMetadataFormats xmlns:y="$uri{oai}">@{[formats('y:')]}</ListMetadataFormats>
<ListRecords metadataPrefix="oai_dc">
@{[map { my $n = $_; record('', $n, "\n  <metadata>\n    <dc xmlns='$uri{oai_dc}'>\n      <title xmlns='$uri{dc}'>Œuvre $n</title>\n    </dc>\n  </metadata>\n"
    . ($n == 1 ? "<about><rights xmlns='$uri{rights}'><rightsReference ref='http://a.example/'/></rights></about>\n<about>\n <provenance xmlns='$uri{provenance}'/>\n</about>\n" : '')
    . ($n == 2 ? "<about><provenance xmlns='$uri{provenance}'/></about><about><rights xmlns='$uri{rights}'/></about><about><provenance xmlns='$uri{provenance}' n='2'/></about>" : ''))
    =~ s/<record/<record xmlns='$uri{oai}'/r } 1 .. 3]}
</ListRecords>
<ListRecords metadataPrefix="qdc">@{[record('', 3, "<metadata><q:qualifieddc xmlns:q='$uri{qdc}' xmlns:dc='$uri{dc}'><dc:title>3</dc:title></q:qualifieddc></metadata>") =~ s/<record/<record xmlns='$uri{oai}'/r]}</ListRecords>
</Repository>
XML

my $harvester = Repository->new(db => Database->new(model => 'library'));
for my $case (['far', $far], ['near', $near]) {
    my ($name, $xml) = @$case;
    for my $encoding ('UTF-8', 'ISO-8859-15', 'windows-1252', 'UTF-16', 'UTF-16LE', undef) {
        my $bytes = encode($encoding // 'UTF-8', ($encoding ? "<?xml version='1.0' encoding='$encoding' standalone='yes'?>\n" : "\x{FEFF}") . $xml);
        $web->put('r.xml', $bytes);
        my $first = StaticRepositoryFile->read("$web->{dir}/r.xml");
        for my $prefix (map { $_->[0] } @formats) {
            my ($status, $said) = said_by($harvester, 'harvest', $url, '--format', $prefix, '--output', "$harvester->{dir}/$prefix.xml");
            is $status, 0, "$name in @{[$encoding // 'a byte order mark']}: $prefix is harvested" or diag $said;
            is_deeply(StaticRepositoryFile->harvested("$harvester->{dir}/$prefix.xml"), $first->{records}{$prefix}, 'as it is in the file');
        }
    }
    next if $name ne 'far';
    my ($date) = XML::LibXML->load_xml(location => "$harvester->{dir}/qdc.xml")->findnodes('//*[local-name() = "date"]');
    is $date->lookupNamespaceURI('t'), $uri{dcterms}, 'a prefix that only a value has still means what it meant';
}
done_testing;
