#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A start judges the formats by the same rules as a reload, over sample records; what is shipped is well after both, with
# MARC and MODS as others store them, without an xsi:schemaLocation.
use TestProgram;
use JSON::PP qw(decode_json);

my $db = Database->new(model => 'library');
$db->run("insert into library.item (local_id, title, creator, year, landing_page, kind, marc, mods) values ('one', '{A title}', '{Somebody}', 1999, 'http://example.org/1', 'thesis',
    '<record xmlns=\"http://www.loc.gov/MARC21/slim\"><leader>     nam a22     2a 4500</leader><datafield tag=\"245\" ind1=\"1\" ind2=\"0\"><subfield code=\"a\">A title</subfield></datafield></record>',
    '<mods xmlns=\"http://www.loc.gov/mods/v3\" version=\"3.4\"><titleInfo><title>A title</title></titleInfo></mods>')");
$db->publish;
my $formats = shared_directory() . '/formats';
is system("$Server::root/deploy/ship-formats", "$Server::root/xslt/library", $formats), 0, 'the formats are there';
my $count = () = glob "$formats/*.xsl $formats/about/*.xsl";
my $r = Repository->new(db => $db, formats => $formats);
$r->start;

sub tried { my $n = () = $r->log_text =~ /event=format state=tried/g; return $n }
sub health { return decode_json($r->ask('/oai/-/health')->{body}) }

ok wait_until(sub { tried() >= $count }), "a start tries all $count of them over records" or diag tried();
ok wait_until(sub { health()->{ready} }), 'the server is ready';
is health()->{formats}{why} // '', '', 'and every format is well';
kill HUP => $r->{pid};
ok wait_until(sub { tried() >= 2 * $count }), 'so does a reload';
ok wait_until(sub { $r->log_text =~ /event=reload state=/ }), 'which ends';
is health()->{formats}{why} // '', '', 'and finds nothing else';

for (['marc21', 'http://www.loc.gov/MARC21/slim http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd'], ['mods', 'http://www.loc.gov/mods/v3 http://www.loc.gov/standards/mods/v3/mods-3-8.xsd']) {
    my ($prefix, $location) = @$_;
    like $r->ask("verb=GetRecord&metadataPrefix=$prefix&identifier=oai:example.org:one")->{body}, qr/<metadata><[^>]* xsi:schemaLocation="\Q$location\E"/, "$prefix: the schemaLocation is added";
}

spew("$formats/bad.xsl", slurp("$formats/rdf.xsl") =~ s/prefix="rdf"/prefix="bad"/r =~ s/rdf:RDF/rdf:Other/gr =~ s/namespace="[^"]*"/namespace="urn:other"/r);
ok wait_until(sub { health()->{degraded} }), 'a file that is refused makes the server degraded' or diag explain health();
$r->stop;
$r->start;
ok wait_until(sub { my $h = health(); $h->{ready} && $h->{degraded} }), 'after a start, too';
is $r->ask('verb=Identify')->{status}, 200, 'and it serves all the same';
done_testing();
