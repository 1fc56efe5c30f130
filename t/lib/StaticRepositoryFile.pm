# SPDX-License-Identifier: MIT
# What a static repository's file holds, by a parser that is not ours:
#   my $file = StaticRepositoryFile->read($path);
#   $file->{formats}{oai_dc}                    [schema, metadataNamespace]
#   $file->{records}{oai_dc}{$identifier}       {metadata => ..., abouts => [...]}, each as exclusive canonical XML
#   StaticRepositoryFile->harvested($path)      what `oai harvest` wrote of one format, likewise by identifier
package StaticRepositoryFile;
use strict;
use warnings;
use XML::LibXML;
use XML::LibXML::XPathContext;

sub read {
    my ($class, $path) = @_;
    my $xpath = XML::LibXML::XPathContext->new(XML::LibXML->load_xml(location => $path, no_network => 1));
    $xpath->registerNs(s => 'http://www.openarchives.org/OAI/2.0/static-repository');
    $xpath->registerNs(o => 'http://www.openarchives.org/OAI/2.0/');
    my $self = bless {formats => {}, records => {}}, $class;
    for my $format ($xpath->findnodes('/s:Repository/s:ListMetadataFormats/o:metadataFormat')) {
        $self->{formats}{ $xpath->findvalue('o:metadataPrefix', $format) } = [map { $xpath->findvalue("o:$_", $format) } qw(schema metadataNamespace)];
    }
    for my $list ($xpath->findnodes('/s:Repository/s:ListRecords')) {
        $self->{records}{ $list->getAttribute('metadataPrefix') } = records($xpath, 'o:record', $list);
    }
    return $self;
}

sub records {
    my ($xpath, $path, $from) = @_;
    return {map {
        my $record = $_;
        $xpath->findvalue('o:header/o:identifier', $record) => {
            metadata => join('', map { $_->toStringEC14N(1) } $xpath->findnodes('o:metadata/*', $record)),
            abouts => [map { join '', map { $_->toStringEC14N(1) } $xpath->findnodes('*', $_) } $xpath->findnodes('o:about', $record)]};
    } $xpath->findnodes($path, $from)};
}

sub harvested {
    my ($class, $path) = @_;
    my $document = XML::LibXML->load_xml(location => $path, no_network => 1);
    my $xpath = XML::LibXML::XPathContext->new($document);
    $xpath->registerNs(o => 'http://www.openarchives.org/OAI/2.0/');
    return records($xpath, '//o:record[o:header]', $document);
}

1;
