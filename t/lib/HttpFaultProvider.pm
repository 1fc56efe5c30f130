# SPDX-License-Identifier: MIT
# A small repository that conforms to OAI-PMH, over sockets of its own, so that what HTTP carries can be made wrong or unusual: a way
# for each path. Connections are kept open, and each is served by a process of its own.
#   my $wire = HttpFaultProvider->new;                 in its own process, which ends with the program of the object
#   $wire->url('right')                   a base URL; %ways has all ways
# A way gets {method, path, query, last, line, zipped} of a request and the bytes of the right response, and returns the bytes to send; an
# undefined value closes the connection instead. `last`: the client closes the connection behind this request; `line`: the length of the
# request line.
package HttpFaultProvider;
use strict;
use warnings;
use Compress::Zlib ();
use File::Temp qw(tempdir);
use IO::Socket::INET;
use POSIX ();

our %ways;
my (@running, $busy);

sub new {
    my ($class) = @_;
    my $listener = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1', ReuseAddr => 1) or die "listen: $!";
    my $dir = tempdir('oai-wire-XXXXXX', TMPDIR => 1, CLEANUP => 1);
    my $self = bless {port => $listener->sockport, dir => $dir}, $class;
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        local $SIG{CHLD} = 'IGNORE';
        while (my $client = $listener->accept) {
            my $child = fork // next;
            if (!$child) { $self->serve($client); POSIX::_exit(0) }
        }
        POSIX::_exit(0);
    }
    push @running, $pid;
    return $self;
}

END { my $status = $?; kill 'KILL', $_ and waitpid $_, 0 for @running; $? = $status }

sub url { return "http://127.0.0.1:$_[0]{port}/$_[1]" }

# ---- OAI-PMH

my $date = '2024-01-01T00:00:00Z';
my %taken = (Identify => {}, ListMetadataFormats => {identifier => 0}, ListSets => {resumptionToken => 0},
    GetRecord => {identifier => 1, metadataPrefix => 1}, map { ($_ => {metadataPrefix => 1, from => 0, until => 0, set => 0, resumptionToken => 0}) } qw(ListIdentifiers ListRecords));

sub escape { my ($text) = @_; $text =~ s/([&<>"\r\n\t])/'&#' . ord($1) . ';'/ge; return $text }

sub header { my ($n) = @_; return "<header><identifier>oai:wire.example:$n</identifier><datestamp>2024-01-01T00:00:0${n}Z</datestamp></header>" }
sub record {
    my ($n) = @_;
    return '<record>' . header($n) . '<metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        . 'xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">'
        . "<dc:title>Title $n</dc:title><dc:identifier>http://wire.example/$n</dc:identifier></oai_dc:dc></metadata></record>";
}

# The first and the last second that an argument covers; an empty list if it is no date.
sub bounds {
    my ($said) = @_;
    my ($year, $month, $day, $time) = $said =~ /^(\d{4})-(\d\d)-(\d\d)(?:T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)Z)?\z/ or return;
    return if $month < 1 || $month > 12 || $day < 1 || $day > (31, 28 + ($year % 4 == 0), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[$month - 1];
    return map { "$year-$month-${day}T" . ($time // $_) . 'Z' } '00:00:00', '23:59:59';
}

# (error code) or ('', what stands in the response)
sub content {
    my (@pairs) = @_;
    my (%q, $repeated);
    while (my ($name, $value) = splice @pairs, 0, 2) {
        return 'badVerb' if $name eq 'verb' && exists $q{verb};
        $repeated ||= exists $q{$name};
        $q{$name} = $value;
    }
    my $verb = $q{verb} // '';
    my $taken = $taken{$verb} or return 'badVerb';
    return 'badArgument' if $repeated || grep { $_ ne 'verb' && (!exists $taken->{$_} || $q{$_} eq '') || $q{$_} =~ /[^ -~]/ } keys %q;
    return keys %q == 2 ? 'badResumptionToken' : 'badArgument' if exists $q{resumptionToken};
    return 'badArgument' if grep { $taken->{$_} && !exists $q{$_} } keys %$taken;
    return 'noSetHierarchy' if $verb eq 'ListSets';
    return ('', '<Identify><repositoryName>Wire</repositoryName><baseURL>BASE</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@wire.example</adminEmail>'
        . "<earliestDatestamp>$date</earliestDatestamp><deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity>"
        . '<compression>gzip</compression></Identify>') if $verb eq 'Identify';
    my ($n) = exists $q{identifier} ? $q{identifier} =~ /^oai:wire\.example:([1-5])\z/ : 1;
    return 'idDoesNotExist' if !$n;
    return ('', '<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema>'
        . '<metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat></ListMetadataFormats>') if $verb eq 'ListMetadataFormats';
    return $q{metadataPrefix} =~ /^[\w.!~*'()-]+\z/ ? 'cannotDisseminateFormat' : 'badArgument' if $q{metadataPrefix} ne 'oai_dc';
    return ('', '<GetRecord>' . record($n) . '</GetRecord>') if $verb eq 'GetRecord';
    my ($from, $to) = ('0000', '9999');
    if (exists $q{from})  { ($from) = bounds($q{from}) or return 'badArgument' }
    if (exists $q{until}) { (undef, $to) = bounds($q{until}) or return 'badArgument' }
    return 'badArgument' if $from gt $to || exists $q{from} && exists $q{until} && length $q{from} != length $q{until};
    return $q{set} =~ /^[\w.!~*'()-]+(?::[\w.!~*'()-]+)*\z/ ? 'noSetHierarchy' : 'badArgument' if exists $q{set};
    my @list = grep { my $at = "2024-01-01T00:00:0${_}Z"; $at ge $from && $at le $to } 1 .. 5;
    return @list ? ('', "<$verb>" . join('', map { $verb eq 'ListRecords' ? record($_) : header($_) } @list) . "</$verb>") : 'noRecordsMatch';
}

sub document {
    my ($base, $query) = @_;
    my @pairs = map { my ($n, $v) = split /=/, $_, 2; map { s/\+/ /gr =~ s/%([0-9A-Fa-f]{2})/chr hex $1/ger } $n, $v // '' } split /&/, $query;
    my ($code, $inside) = content(@pairs);
    my $echo = '';
    if ($code !~ /^bad(?:Verb|Argument)\z/) { for (my $i = 0; $i < @pairs; $i += 2) { $echo .= " $pairs[$i]=\"" . escape($pairs[$i + 1]) . '"' } }
    my $now = POSIX::strftime('%Y-%m-%dT%H:%M:%SZ', gmtime);
    return '<?xml version="1.0" encoding="UTF-8"?>' . "\n" . '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        . 'xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/ http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">'
        . "<responseDate>$now</responseDate><request$echo>$base</request>" . ($code ? "<error code=\"$code\"/>" : $inside =~ s/BASE/$base/r) . '</OAI-PMH>';
}

# ---- HTTP

# $how{chunked}: the body in small chunks, so that a chunk ends within a tag
sub response {
    my ($asked, $status, $body, %how) = @_;
    my $zipped = $body ne '' && $asked->{zipped};
    $body = Compress::Zlib::memGzip($body) if $zipped;
    my $sent = $how{chunked} ? join('', map { sprintf("%x\r\n%s\r\n", length, $_) } $body =~ /(.{1,7})/gs) . "0\r\n\r\n" : $body;
    return "HTTP/1.1 $status\r\nContent-Type: text/xml; charset=UTF-8\r\nVary: Accept-Encoding\r\n" . ($zipped ? "Content-Encoding: gzip\r\n" : '')
        . ($how{chunked} ? "Transfer-Encoding: chunked\r\n" : 'Content-Length: ' . length($body) . "\r\n") . ($asked->{last} ? "Connection: close\r\n" : '')
        . ($how{headers} // '') . "\r\n" . ($asked->{method} eq 'HEAD' ? '' : $sent);
}

sub serve {
    my ($self, $client) = @_;
    my $in = '';
    while (1) {
        while ($in !~ /\r\n\r\n/) { sysread $client, $in, 65536, length $in or return }
        $in =~ s/^(.*?)\r\n\r\n//s;
        my $head = $1;
        my ($method, $path, $query) = $head =~ m{^(\w+) /([\w-]*)(?:\?(\S*))? HTTP} or return;
        if ($head =~ /^Content-Length: (\d+)/mi) {
            while (length $in < $1) { sysread $client, $in, 65536, length $in or return }
            $query = substr $in, 0, $1, '';
        }
        my %asked = (method => $method, path => $path, query => $query // '', self => $self, zipped => scalar($head =~ /^Accept-Encoding:.*gzip/mi),
            last => scalar($head =~ /^Connection: close/mi), line => length((split /\r\n/, $head)[0]));
        my $out = ($ways{$path} // $ways{right})->(\%asked, document($self->url($path), $asked{query}));
        return if !defined $out;
        syswrite $client, $out or return;
        return if $asked{last} || $out =~ /^Connection: close\r$/m;
    }
    return;
}

%ways = (
    right => sub { response($_[0], '200 OK', $_[1]) },
    'one-by-one' => sub { response({%{$_[0]}, last => 1}, '200 OK', $_[1]) },
    chunked => sub { response($_[0], '200 OK', $_[1], chunked => 1) },
    # A request line of more than 4 KB ends the connection, or is refused; a form of more than 4 KB is refused.
    'long-line-closes' => sub { $_[0]{line} > 4096 ? undef : response($_[0], '200 OK', $_[1]) },
    'long-line-refused' => sub { $_[0]{line} > 4096 ? response($_[0], '414 URI Too Long', '') : response($_[0], '200 OK', $_[1]) },
    'long-form-refused' => sub { length $_[0]{query} > 4096 && $_[0]{method} eq 'POST' ? response($_[0], '413 Content Too Large', '') : response($_[0], '200 OK', $_[1]) },
    # Each request is sent on to a mirror, which says the base URL of the repository.
    redirecting => sub { my $query = $_[0]{method} eq 'POST' ? '' : "?$_[0]{query}"; return response($_[0], '302 Found', '', headers => 'Location: ' . $_[0]{self}->url('mirror') . "$query\r\n") },
    mirror => sub { response($_[0], '200 OK', document($_[0]{self}->url('redirecting'), $_[0]{query})) },
    # Busy at first, with a date for Retry-After.
    busy => sub { $busy++ ? response($_[0], '200 OK', $_[1]) : response({%{$_[0]}, last => 0}, '503 Service Unavailable', '', headers => 'Retry-After: ' . POSIX::strftime('%a, %d %b %Y %H:%M:%S GMT', gmtime(time + 1)) . "\r\n") },
);

1;
