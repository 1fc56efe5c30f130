# SPDX-License-Identifier: MIT
# The peer `dancer`: Dancer::Plugin::Catmandu::OAI over bench.peer, served by Starman. All of it but PeerBag is Debian's.
#   PEER_DSN   what DBI connects to     PEER_URL   the address that harvesters use     PEER_LIMIT   records per page
# /peer/nothing is answered by the web framework alone; /peer/rows reads the rows of a first page without writing a page.
use strict;
use warnings;
use Dancer;
use Catmandu;
use Dancer::Plugin::Catmandu::OAI;
use File::Basename qw(dirname);
use Cwd qw(abs_path);

my $here = dirname(abs_path(__FILE__));
set apphandler => 'PSGI';
set charset => 'UTF-8';
set startup_info => 0;
set warnings => 0;

Catmandu->config->{store}{peer} = {
    package => 'DBI',
    options => {
        data_source => $ENV{PEER_DSN},
        username => 'oai_reader',
        bag_class => 'PeerBag',
        bags => {'bench.peer' => {mapping => {_id => {column => 'id'}}}},
    },
};

oai_provider '/peer',
    store => 'peer',
    bag => 'bench.peer',
    datestamp_field => 'datestamp',
    repositoryName => 'The peer',
    uri_base => $ENV{PEER_URL},
    adminEmail => 'admin@example.org',
    earliestDatestamp => '1990-01-01T00:00:00Z',    # else each Identify searches for it, and counts
    deletedRecord => 'persistent',
    repositoryIdentifier => 'example.org',
    delimiter => ':',
    sampleIdentifier => 'oai:example.org:1',
    limit => $ENV{PEER_LIMIT},
    deleted => sub { $_[0]{deleted} },
    set_specs_for => sub { $_[0]{setspec} },
    metadata_formats => [{
        metadataPrefix => 'oai_dc',
        schema => 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd',
        metadataNamespace => 'http://www.openarchives.org/OAI/2.0/oai_dc/',
        template => "$here/oai_dc.tt",
    }];

get '/peer/nothing' => sub { content_type 'text/xml'; '<nothing/>' };
get '/peer/rows' => sub {
    content_type 'text/xml';
    my $bag = Catmandu->store('peer')->bag('bench.peer');
    my $hits = $bag->search(cql_query => 'cql.allRecords', start => 0, limit => $ENV{PEER_LIMIT});
    return '<rows total="' . $hits->total . '" size="' . $hits->size . '"/>';
};

dance;
