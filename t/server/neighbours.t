#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A record's metadata depend on that record alone: for each of 1,000 records (in the short form 200) with nasty neighbours, and each shipped and some
# nasty formats, GetRecord gives what ListRecords gives. Environment: OAI_NEIGHBOURS, another number of records.
use TestProgram;

my $records = $ENV{OAI_NEIGHBOURS} // (is_long() ? 1000 : 200);
my $db = Database->new(model => 'library');
# Records that repeat each other's values, names and fields, in some of them only, beside deleted ones.
my $marc = q{('<record xmlns="http://www.loc.gov/MARC21/slim"><leader>00000nam a2200000 a 4500</leader><controlfield tag="001">' || n || '</controlfield><datafield tag="245" ind1="1" ind2="0"><subfield code="6">880-0' || n % 3 || '</subfield><subfield code="a">Title ' || n % 7 || '</subfield></datafield>' || repeat('<datafield tag="880" ind1="1" ind2="0"><subfield code="6">245-0' || n % 3 || '/(N</subfield><subfield code="a">Other</subfield></datafield>', n % 3) || '</record>')::xml};
$db->run("insert into library.item (local_id, title, title_lang, creator, publisher, subject, subject_lang, year, landing_page, licence, description, kind, marc, deleted)
    select 'n' || n, array['Title ' || n % 7], array[case when n % 2 = 0 then 'cs' end], array['Creator ' || n % 5], array['Publisher'], case when n % 3 > 0 then array['shared', 'own ' || n] end,
        case when n % 3 > 0 then array['en', null] end, 1900 + n % 5, 'http://example.org/' || n, 'https://creativecommons.org/licenses/by/4.0/', array['Text ' || n % 3], 'thesis:master', case when n % 4 > 0 then $marc end, n % 11 = 0 from generate_series(1, $records) n");
1 while $db->publish(1000);
my $r = Repository->new(db => $db, ini => { lists => { records => $records / 10 } });
system("cp -r $Server::root/xslt/library/. $r->{formats}") == 0 or die;

# Each looks beyond its record in another way. The last does it in a pattern, where only a trial can tell.
my %nasty = (
    anywhere  => ['<n><xsl:value-of select="count(//subject)"/>|<xsl:value-of select="//title[1]"/></n>'],
    before    => ['<n><xsl:for-each select="title"><xsl:if test="not(preceding::title = .)">first</xsl:if></xsl:for-each></n>'],
    up        => ['<n same="{count(../record[title = current()/title])}"/>'],
    root      => ['<n all="{count(/records/record)}"/>'],
    keyed     => ['<n same="{count(key(\'titles\', title))}"/>', '<xsl:key name="titles" match="record" use="title"/>'],
    placed    => ['<n at="{position()}" of="{last()}"><xsl:number/></n>'],
    counted   => ['<n first="{$first}"/>', '<xsl:variable name="first" select="records/record[1]/title"/>'],
    unique    => ['<n><xsl:for-each select="title[generate-id() = generate-id(key(\'t\', .)[1])]"><t/></xsl:for-each></n>', '<xsl:key name="t" match="title" use="."/>'],
    siblings  => ['<n/>', '<xsl:template match="*[position() = 2]" priority="2"><n xmlns="urn:n" second="yes"/></xsl:template>'],
);
for my $prefix (keys %nasty) {
    my ($element, $top) = @{ $nasty{$prefix} };
    spew("$r->{formats}/$prefix.xsl", qq(<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format" exclude-result-prefixes="f">
<f:format prefix="$prefix" schema="http://example.org/n.xsd" namespace="urn:n"/>@{[$top // '']}
<xsl:template match="record">@{[$element =~ s/<n/<n xmlns="urn:n"/r]}</xsl:template></xsl:stylesheet>));
}
# One from elsewhere, which reads its whole document.
mkdir "$r->{formats}/vendor" or die $!;
spew("$r->{formats}/vendor/titles.xsl", '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:m="http://www.loc.gov/MARC21/slim"><xsl:template match="/"><n xmlns="urn:n" titles="{count(//m:datafield)}"><xsl:value-of select="//m:controlfield"/></n></xsl:template></xsl:stylesheet>');
spew("$r->{formats}/titles.format", '<f:format xmlns:f="urn:oai-fcgi:format" prefix="titles" schema="http://example.org/n.xsd" namespace="urn:n" input="marc" stylesheet="vendor/titles.xsl"/>');
$nasty{titles} = undef;
$r->start;
my @prefixes = sort $r->ask('verb=ListMetadataFormats')->{body} =~ m{<metadataPrefix>(.*?)</}g;
cmp_ok scalar @prefixes, '>', 5 + keys %nasty, 'formats serve' or diag $r->log_text;
is scalar(grep { exists $nasty{$_} } @prefixes), scalar(keys %nasty), 'the nasty ones among them';
ok wait_until(sub { my $log = $r->log_text; !grep { $log !~ /state=tried prefix=$_ / } @prefixes }), 'all are tried';

sub record_texts { return map { m{<identifier>(.*?)</identifier>} ? ($1 => $_) : () } $_[0] =~ m{<record>(.*?)</record>}gs }
my $compared = 0;
for my $prefix (@prefixes) {
    my (%listed, $token, $last);
    do {
        my $page = $r->ask('verb=ListRecords&' . (defined $token ? "resumptionToken=$token" : "metadataPrefix=$prefix"))->{body};
        $last = $page;
        my %texts = record_texts($page);
        @listed{keys %texts} = values %texts;
        ($token) = $page =~ m{<resumptionToken[^>]*>(.+?)</resumptionToken>};
    } while defined $token;
    cmp_ok scalar(keys %listed), '>', $records / 2, "$prefix: records are listed" or diag substr($last, 0, 1500);
    my @wrong;
    for my $identifier (sort keys %listed) {
        my %alone = record_texts($r->ask("verb=GetRecord&metadataPrefix=$prefix&identifier=$identifier")->{body});
        push @wrong, $identifier if ($alone{$identifier} // '') ne $listed{$identifier};
        ++$compared;
    }
    is scalar(@wrong), 0, "$prefix: each record alone is as in the list" or diag "$wrong[0]: $listed{$wrong[0]}";
}
note "$compared records compared";
my ($status, $said) = $r->oai('check');
like $said, qr/^$_ \(.*one record at a time for /m, "oai check says that $_ gets one record at a time" for sort keys %nasty;
$r->stop;
done_testing();
