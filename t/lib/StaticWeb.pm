# SPDX-License-Identifier: MIT
# A small web server for files of one folder, as those of static repositories have it: media type, Last-Modified, ETag, 304.
#   my $web = StaticWeb->new;              at http://127.0.0.1:$web->{port}/, of the folder $web->{dir}
#   $web->put('r.xml', $bytes)             returns its URL; status => '500 Broken', type => 'text/plain' or undef,
#                                          validators => 0: how the server answers from then on
#   $web->remove('r.xml')
#   $web->requests                            the requests since the last call, each with its conditional headers
package StaticWeb;
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use File::Temp qw(tempdir);
use Files;
use IO::Socket::INET;
use POSIX ();

my @running;
END { my $status = $?; for (@running) { kill 'TERM', $_; waitpid $_, 0 } $? = $status }

sub new {
    my ($class) = @_;
    my $self = bless {dir => tempdir('oai-web-XXXXXX', TMPDIR => 1, CLEANUP => 1), how => tempdir('oai-web-XXXXXX', TMPDIR => 1, CLEANUP => 1)}, $class;
    my $listen = IO::Socket::INET->new(Listen => 50, LocalAddr => '127.0.0.1') or die "no port: $@";
    $self->{port} = $listen->sockport;
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        while (my $peer = $listen->accept) { $self->answer($peer); close $peer }
        POSIX::_exit(0);
    }
    push @running, $pid;
    return $self;
}

sub url { my ($self, $name) = @_; return "http://127.0.0.1:$self->{port}/$name" }

sub put {
    my ($self, $name, $bytes, %how) = @_;
    spew("$self->{how}/$name", join "\n", $how{status} // '200 OK', exists $how{type} ? $how{type} // '' : 'text/xml', $how{validators} // 1);
    spew("$self->{dir}/$name", $bytes) if defined $bytes;
    return $self->url($name);
}

sub remove { my ($self, $name) = @_; unlink "$self->{dir}/$name"; return }

sub requests {
    my ($self) = @_;
    my @lines = split /\n/, slurp("$self->{how}/.asked", '');
    unlink "$self->{how}/.asked";
    return @lines;
}

sub answer {
    my ($self, $peer) = @_;
    my ($name) = (<$peer> // '') =~ m{^GET /([\w.-]+)(?:\?\S*)? };
    my %headers;
    while (my $line = <$peer>) { $line =~ s/\r?\n//; last if $line eq ''; my ($key, $value) = split /:\s*/, $line, 2; $headers{lc $key} = $value }
    open my $log, '>>', "$self->{how}/.asked" or POSIX::_exit(1);
    print {$log} join(' ', $name // '-', map { "$_=$headers{$_}" } grep { exists $headers{$_} } qw(if-none-match if-modified-since)), "\n";
    close $log;
    my $body = defined $name ? slurp("$self->{dir}/$name", undef) : undef;
    return print {$peer} "HTTP/1.0 404 Not Found\r\n\r\n" if !defined $body;
    my ($status, $type, $validators) = split /\n/, slurp("$self->{how}/$name", "200 OK\ntext/xml\n1");
    my $etag = '"' . md5_hex($body) . '"';
    my $known = $validators ? "ETag: $etag\r\nLast-Modified: Sun, 01 Feb 2004 10:00:00 GMT\r\n" : '';
    return print {$peer} "HTTP/1.0 304 Not Modified\r\n$known\r\n" if $status =~ /^200/ && $validators && ($headers{'if-none-match'} // '') eq $etag;
    return print {$peer} "HTTP/1.0 $status\r\n" . ($type ? "Content-Type: $type\r\n" : '') . $known . 'Content-Length: ' . length($body) . "\r\n\r\n$body";
}

1;
