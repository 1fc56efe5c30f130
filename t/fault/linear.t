#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# No input costs more than in proportion to its length: the fuzz targets that read what others wrote are given documents that repeat
# one thing, of a length and of twice and four times that, and valgrind counts instructions, which no machine makes more. What is
# beyond a bound may be refused, in linear time too. Other fragments are put together by chance. The short form tries every fortieth
# of the former.
use TestProgram;

my $length = 20_000;   # bytes of the shortest
my $dir = shared_directory();
my $runs = 0;

# What the target takes for the input; undef if it fails.
sub instructions {
    my ($target, $input) = @_;
    my $inputs = "$dir/" . ++$runs;
    mkdir $inputs or die $!;
    spew("$inputs/input", $input);
    my $said = `valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no --toggle-collect=LLVMFuzzerTestOneInput $build/release/replay/$target $inputs 2>&1`;
    return $said =~ /Collected : (\d+)/ && $? == 0 ? $1 : diag($said) && undef;
}

# Doubling the length a second time costs twice of what the first doubling did, with a fifth and some allocations to spare.
sub is_linear {
    my ($target, $what, $input) = @_;
    my ($once, $twice, $fourfold) = map { instructions($target, $input->($_ * $length)) // return fail("$target: $what") } 1, 2, 4;
    my ($first, $second) = ($twice - $once, $fourfold - $twice);
    my $is_linear = $second <= 2.2 * ($first > 0 ? $first : 0) + 0.1 * $once + 300_000;
    return ok($is_linear, "$target: $what") ? note("$once, $twice, $fourfold") : diag("$once, $twice, $fourfold instructions");
}

# As often as it takes to be so long; ~ becomes a number, another each time.
sub repeated { my ($begin, $part, $end) = @_; return sub { my ($bytes) = @_; my $out = $begin; for (my $n = 1; length $out < $bytes; ++$n) { $out .= $part =~ s/~/$n/gr } return $out . $end } }
sub nested { my ($open, $close) = @_; return sub { my $n = $_[0] / length "$open$close"; return $open x $n . $close x $n } }

my $marc = '<record xmlns="http://www.loc.gov/MARC21/slim"><leader>00000nam a2200000 a 4500</leader><controlfield tag="001">1</controlfield>';
my $oai = '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2024-01-01T00:00:00Z</responseDate><request verb="ListRecords" metadataPrefix="oai_dc">http://x/</request><ListRecords>';
my $header = '<header><identifier>oai:x:~</identifier><datestamp>2024-01-01T00:00:00Z</datestamp>';
my $dc = '<metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">';
my $identify = $oai =~ s/ListRecords>$/Identify>/r . '<repositoryName>N</repositoryName><baseURL>http://x/</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@b.cz</adminEmail><earliestDatestamp>2000-01-01</earliestDatestamp><deletedRecord>no</deletedRecord><granularity>YYYY-MM-DD</granularity><description><friends xmlns="http://www.openarchives.org/OAI/2.0/friends/">';
my $ends = '</ListRecords></OAI-PMH>';

my @documents = (
    ['attributes', repeated('<r', ' a~="1"', '/>')],
    ['namespaces', repeated('<r', ' xmlns:a~="u:~"', '/>')],
    ['attributes of one namespace each', repeated('<r', ' xmlns:p~="u:~" p~:a="1"', '/>')],
    ['attributes that are one', repeated('<r', ' a="1"', '/>')],
    ['ids', repeated('<r>', '<e id="i~" xml:id="j~"/>', '</r>')],
    ['white space that is kept', repeated('<r xml:space="preserve">', " <e/>\n", '</r>')],
    ['texts', repeated('<r>', 'a<e/>&amp;', '</r>')],
    ['one text', repeated('<r>', 'abcdefg ', '</r>')],
    ['references', repeated('<r>', '&#233;&lt;', '</r>')],
    ['brackets', repeated('<r>', ']]', '</r>')],
    ['sections', repeated('<r>', '<![CDATA[]]>', '</r>')],
    ['comments', repeated('<r>', '<!-- - -->', '</r>')],
    ['instructions', repeated('<r>', '<?a b?>', '</r>')],
    ['a comment without an end', repeated('<r><!--', '- ', '')],
    ['elements that declare a namespace', repeated('<r>', '<p:e xmlns:p="u:~"/>', '</r>')],
    ['elements within each other', nested('<e>', '</e>')],
    ['namespaces within each other', nested('<p:e xmlns:p="u">', '</p:e>')],
    ['a long name', sub { my $name = 'e' x ($_[0] / 2); return "<$name/>" }],
    ['a long value', repeated('<r a="', 'x&#10;', '"/>')],
    ['a name that is not closed', repeated('<r>', '<', '')],
    ['bytes that are no UTF-8', repeated('<r>', "\xC3(\xFF", '</r>')],
);
my @answers = (
    ['records', repeated($oai, "<record>$header</header>$dc<dc:title>T</dc:title></oai_dc:dc></metadata></record>", $ends)],
    ['setSpecs', repeated("$oai<record>$header", '<setSpec>a:~</setSpec>', "</header></record>$ends")],
    ['a deep setSpec', repeated("$oai<record>$header<setSpec>a", ':a', "</setSpec></header></record>$ends")],
    ['abouts', repeated("$oai<record>$header</header>$dc</oai_dc:dc></metadata>", '<about><p xmlns="u:~"/></about>', "</record>$ends")],
    ['values', repeated("$oai<record>$header</header>$dc", '<dc:subject>s ~</dc:subject>', "</oai_dc:dc></metadata></record>$ends")],
    ['provenance within itself', sub { my $n = $_[0] / 40; return "$oai<record>$header</header>$dc</oai_dc:dc></metadata><about><provenance xmlns=\"u\">" . '<originDescription>' x $n . '</originDescription>' x $n . "</provenance></about></record>$ends" }],
    ['sets', repeated($oai =~ s/ListRecords>$/ListSets>/r, '<set><setSpec>a:~</setSpec><setName>~</setName></set>', '</ListSets></OAI-PMH>')],
    ['a deep set', repeated($oai =~ s/ListRecords>$/ListSets>/r . '<set><setSpec>a', ':a', '</setSpec><setName>a</setName></set></ListSets></OAI-PMH>')],
    ['formats', repeated($oai =~ s/ListRecords>$/ListMetadataFormats>/r, '<metadataFormat><metadataPrefix>a~</metadataPrefix><schema>http://x/</schema><metadataNamespace>u:~</metadataNamespace></metadataFormat>', '</ListMetadataFormats></OAI-PMH>')],
    ['friends', repeated($identify, '<baseURL>http://x/~</baseURL>', "</friends></description></Identify></OAI-PMH>")],
    ['elements of a foreign record', repeated("$oai<record>$header</header><metadata><r xmlns=\"u\">", '<e>~</e>', "</r></metadata></record>$ends")],
    ['elements of a right', repeated("$oai<record>$header</header>$dc</oai_dc:dc></metadata><about><rights xmlns=\"http://www.openarchives.org/OAI/2.0/rights/\"><rightsDefinition>", '<e xmlns="u">~</e>', "</rightsDefinition></rights></about></record>$ends")],
    ['errors', repeated($oai =~ s/<ListRecords>//r, '<error code="badArgument">x</error>', '</OAI-PMH>')],
);
my @items = (
    ['fields of one record', repeated($marc, '<datafield tag="650" ind1=" " ind2="0"><subfield code="a">s ~</subfield></datafield>', '</record>')],
    ['subfields of one field', repeated("$marc<datafield tag=\"650\" ind1=\" \" ind2=\"0\">", '<subfield code="a">s</subfield>', '</datafield></record>')],
    ['linked fields', repeated($marc, '<datafield tag="880" ind1=" " ind2=" "><subfield code="6">245-~</subfield><subfield code="a">s</subfield></datafield>', '</record>')],
    ['records of MARC', repeated('<collection xmlns="http://www.loc.gov/MARC21/slim">', "$marc</record>" =~ s/>1</>~</r, '</collection>')],
    ['rows', repeated("local_id,title\n", "~,T\n", '')],
    ['one row of many values', repeated("local_id,title\n1,\"", 'a|', "\"\n")],
    ['columns', repeated('local_id', ',c~', "\n")],
    ['a quote without an end', repeated("local_id,title\n1,\"", 'a""', '')],
    ['ISO 2709 without a directory', repeated('00024nam a2200000 a 4500', "\x1E\x1D", '')],
    ['ISO 2709 of one directory', repeated('99999nam a2299999 a 4500', '001000000000', "\x1E\x1D")],
);

my @arguments = (
    ['names', repeated('verb=Identify', '&a~=1', '')],
    ['one name', repeated('verb=Identify', '&a=1', '')],
    ['escapes', repeated('verb=', '%C3%A9', '')],
    ['a long set', repeated('verb=ListRecords&set=a', ':a', '')],
);
my @all = map { my ($target, @of) = @$_; map { [$target, @$_] } @of }
    ['xml', @documents], ['harvest', @documents, @answers], ['validate', @answers], ['items', @items], ['arguments', @arguments];
is_linear(@$_) for sample(40, @all);

# Fragments that somebody might repeat, as a tag, text or something between the two.
srand sample_number();
my @parts = ('<e>', '</e>', '<e/>', '<e ', 'a="1"', ' xmlns="u"', ' xmlns:p="u"', '<p:e>', '</p:e>', '>', '/>', '"', "'", '&', '&amp;', '&#x10FFFF;', '<!--', '-->', '<![CDATA[', ']]>',
    '<?', '?>', '<!DOCTYPE', '[', ']', "\n", ' ', 'x', "\xE9", "\0", '~', '=', ':', ',', '|', '""', "\x1E", "\x1D", "\x1F", '<metadata>', '<about>', '<record>', '<header>');
for (1 .. (is_long() ? 300 : 0)) {
    my $fragment = join '', map { $parts[rand @parts] } 1 .. 1 + rand 6;
    is_linear($_, 'repeated: ' . $fragment =~ s/([^ -~])/sprintf '\\x%02X', ord $1/ger, repeated('<r>', $fragment, '</r>')) for qw(xml harvest items);
}
done_testing;
