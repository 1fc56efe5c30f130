# SPDX-License-Identifier: MIT
# A library of made-up MARC records (MadeUpMarc.pm), what formats make of it, and what xsltproc does, to compare them.
#   my $r = marc_repository(records => 30);      a Repository, not started; mods => FILE: a stylesheet that makes column mods
#   my %made = metadata_of($r, 'PREFIX');           by local_id, as ListRecords gives it
#   my %given = stylesheet_inputs($r, 'PREFIX');             what the stylesheet of the format is given, by local_id
#   canonical($xml) eq canonical(xsltproc($stylesheet, $xml, catalog => FILE, params => {NAME => VALUE}))
package StylesheetComparison;
use strict;
use warnings;
use Exporter 'import';
use Database;
use Files;
use MadeUpMarc qw(marc_record);
use Process;
use Repository;
use XML::LibXML;

our @EXPORT = qw(marc_repository metadata_of stylesheet_inputs xsltproc canonical);

sub marc_repository {
    my (%how) = @_;
    my $db = Database->new(model => 'library');
    my $r = Repository->new(db => $db, ini => {lists => {records => 1000, page_bytes => 100_000_000}});
    my @rows = map {
        my $marc = marc_record($_);
        my $mods = $how{mods} ? xsltproc($how{mods}, $marc, catalog => $how{catalog}) : '';
        my ($marc_literal, $mods_literal) = map { $_ eq '' ? 'null' : "'" . s/'/''/gr . "'" } $marc, $mods =~ s/^<\?xml.*?\?>\s*//r;
        "('r$_', array['Title $_', 'Other & <$_>'], array[null, 'cs'], array['Creator $_', 'Dvo\x{c5}\x{99}\x{c3}\x{a1}k, Ji\x{c5}\x{99}\x{c3}\x{ad}'], array['Subject', 'Other'], array['cs'], array['Publisher'], "
            . (1900 + $_ % 100) . ", 'http://example.org/$_', 'https://example.org/licence', '" . ($_ % 3 ? 'thesis:master' : 'book') . "', $marc_literal, $mods_literal)";
    } 1 .. $how{records};
    my $sql = spew("$r->{dir}/items.sql", 'insert into library.item (local_id, title, title_lang, creator, subject, language, publisher, year, landing_page, licence, kind, marc, mods) values ' . join ', ', @rows);
    Database::psql($db->conninfo, '-f', $sql);
    1 while $db->publish(1000);
    system('cp', '-r', "$Server::root/xslt/library/adapter", $r->{formats}) == 0 or die;
    return $r;
}

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

1;
