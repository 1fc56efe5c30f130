# SPDX-License-Identifier: MIT
# A provider built on HTTP::OAI (Debian's libhttp-oai-perl), like the systems that use it: this library validates requests and
# writes answers and datestamps; only the records are made here. There are OAI_RECORDS of them, in pages of 50; the n-th was
# changed n minutes after the beginning of 2024, and each tenth is deleted.
use strict;
use warnings;
use HTTP::OAI;
use HTTP::OAI::Metadata::OAI_DC;
use HTTP::OAI::Repository qw(validate_request);
use POSIX qw(strftime);
use Plack::Request;

use constant {PAGE => 50, BEGIN_2024 => 1704067200};
my $records = $ENV{OAI_RECORDS} // 500;

sub stamp { return strftime('%Y-%m-%dT%H:%M:%SZ', gmtime(BEGIN_2024 + 60 * $_[0])) }

sub record {
    my ($n) = @_;
    my $deleted = $n % 10 == 0;
    my $header = HTTP::OAI::Header->new(identifier => "oai:peer.example:$n", datestamp => stamp($n), $deleted ? (status => 'deleted') : ());
    $header->setSpec($n % 2 ? 'odd' : 'even');
    return HTTP::OAI::Record->new(header => $header, $deleted ? () :
        (metadata => HTTP::OAI::Metadata::OAI_DC->new(dc => {title => ["Title <$n> & \x{10d}"], creator => ["Nov\x{e1}k, Ji\x{159}\x{ed}"]})));
}

sub identify {
    my ($url) = @_;
    return HTTP::OAI::Identify->new(adminEmail => 'a@peer.example', baseURL => $url, repositoryName => 'Peer', granularity => 'YYYY-MM-DDThh:mm:ssZ',
        earliestDatestamp => stamp(1), deletedRecord => 'persistent');
}

# The token is "AFTER.FROM.SET".
sub list_records {
    my ($q) = @_;
    my ($after, $from, $set) = defined $q->{resumptionToken} ? split(/\./, $q->{resumptionToken}, 3) : (0, $q->{from} // '', $q->{set} // '');
    return HTTP::OAI::Error->new(code => 'badResumptionToken') if $after !~ /^\d+$/;
    my @numbers = grep { stamp($_) ge $from && ($set eq '' || $set eq ($_ % 2 ? 'odd' : 'even')) } 1 .. $records;
    return HTTP::OAI::Error->new(code => 'noRecordsMatch') if !@numbers;
    my @page = grep { defined } @numbers[$after .. $after + PAGE - 1];
    my $list = HTTP::OAI::ListRecords->new;
    $list->record(record($_)) for @page;
    my $more = $after + PAGE < @numbers;
    $list->resumptionToken(HTTP::OAI::ResumptionToken->new(resumptionToken => $more ? join '.', $after + PAGE, $from, $set : '',
        completeListSize => scalar @numbers, cursor => $after)) if $more || $after;
    return $list;
}

return sub {
    my $request = Plack::Request->new($_[0]);
    my %q = %{ $request->query_parameters };
    my $url = $request->base . substr $request->path, 1;
    my $response = HTTP::OAI::Response->new(requestURL => $request->uri->as_string);
    my @errors = validate_request(%q);
    my $content = @errors ? undef : $q{verb} eq 'Identify' ? identify($url) : $q{verb} eq 'ListRecords' ? list_records(\%q)
        : HTTP::OAI::Error->new(code => 'badVerb', message => 'not here');
    push @errors, $content if ref $content eq 'HTTP::OAI::Error';
    @errors ? $response->errors(@errors) : $response->content($content);
    return [200, ['Content-Type' => 'text/xml; charset=utf-8'], [$response->toDOM->toString]];
};
