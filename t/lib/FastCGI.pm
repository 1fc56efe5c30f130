# SPDX-License-Identifier: MIT
# A FastCGI client that sends exactly the given records and parses the answer.
#   my $answer = FastCGI::ask($path, FastCGI::get('verb=Identify') . FastCGI::end_of_input());
#       {status, headers (names in lower case), body}; status is 'cut' unless the end of the request came, too, and
#       'connect: why' where nobody listens
package FastCGI;
use strict;
use warnings;
use IO::Socket::UNIX;
use Socket qw(SOL_SOCKET SO_RCVTIMEO);

sub record { my ($type, $content) = @_; return pack('CCnnCx', 1, $type, 1, length $content, 0) . $content }
sub begin  { return record(1, pack 'nCx5', 1, 0) }
sub end_of_params { return record(4, '') }
sub input { my ($bytes) = @_; return record(5, $bytes) }
sub end_of_input { return record(5, '') }

sub params {
    my %value = @_;
    return record(4, join '', map { pack('NN', 0x80000000 | length, 0x80000000 | length $value{$_}) . $_ . $value{$_} } sort keys %value);
}

# A GET request up to the end of its parameters. $query is a query of /oai, or a whole target that begins with a slash; further
# parameters follow.
sub get {
    my ($query, %more) = @_;
    my ($path, $arguments) = $query =~ m{^(/[^?]*)(?:\?(.*))?$} ? ($1, $2 // '') : ('/oai', $query);
    return begin() . params(REQUEST_METHOD => 'GET', REQUEST_URI => $path . ($arguments eq '' ? '' : "?$arguments"), QUERY_STRING => $arguments, %more)
        . end_of_params();
}

# $seconds: the time that it waits for bytes, five minutes without it.
sub ask {
    my ($path, $message, $seconds) = @_;
    my $socket = IO::Socket::UNIX->new(Peer => $path) or return {status => "connect: $!", headers => {}, body => ''};
    setsockopt $socket, SOL_SOCKET, SO_RCVTIMEO, pack 'l!l!', $seconds // 300, 0;
    local $SIG{PIPE} = 'IGNORE';
    print $socket $message;
    $socket->flush;
    return answer(do { local $/; readline($socket) // '' });
}

# Parses all bytes that a server has sent into an answer.
sub answer {
    my ($bytes) = @_;
    my ($at, $text, $ended) = (0, '', 0);
    while ($at + 8 <= length $bytes) {
        my (undef, $type, undef, $length, $padding) = unpack 'CCnnC', substr $bytes, $at, 8;
        $text .= substr $bytes, $at + 8, $length if $type == 6;
        $ended = 1 if $type == 3;
        $at += 8 + $length + $padding;
    }
    return {status => 'cut', headers => {}, body => ''} if !$ended || $text !~ /\r?\n\r?\n/;
    return cgi_answer($text);
}

# Parses the answer of a CGI program: headers, an empty line, body.
sub cgi_answer {
    my ($text) = @_;
    my ($head, $body) = split /\r?\n\r?\n/, $text, 2;
    my %headers = map { /^([^:]+):\s*(.*)$/ ? (lc $1, $2) : () } split /\r?\n/, $head // '';
    return {status => ($headers{status} // 200) =~ /^(\d+)/, headers => \%headers, body => $body // ''};
}

1;
