# SPDX-License-Identifier: MIT
# Private web servers in front of a FastCGI server, with the shipped configurations (t/lib/web.sh), and a simple HTTP client.
#   my $port = WebServer::start('nginx', "$dir/nginx", $socket);     or 'apache'
#   my $port = WebServer::start('fcgid', "$dir/fcgid", $command);    Apache with mod_fcgid, which starts the server by itself
#   my $answer = WebServer::http($port, 'GET', '/oai?a=b');          {status, headers (names in lower case), body}
# They are stopped when the test ends, or by WebServer::stop_all(); WebServer::stop($dir) stops one.
package WebServer;
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use IO::Socket::INET;

my $root  = abs_path(dirname(__FILE__) . '/../..');
my @running;    # [directory, the process that started it]

sub start {
    my ($kind, $dir, @behind) = @_;
    push @running, [$dir, $$];
    open my $out, '-|', "$root/t/lib/web.sh", 'start', $kind, $dir, @behind or die $!;
    my $port = <$out>;
    close $out;
    $? == 0 or die "$kind does not start\n";
    chomp $port;
    return $port;
}

# HTTP/1.0, so that no answer is chunked. Options: type, body, length (a wrong Content-Length), headers => [...].
sub http {
    my ($port, $method, $target, %with) = @_;
    my $socket = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port", Timeout => 300) or return {status => "connect: $!"};
    my $body = $with{body} // '';
    my @head = ("$method $target HTTP/1.0", 'Host: localhost', @{$with{headers} // []});
    push @head, 'Content-Type: ' . ($with{type} // 'application/x-www-form-urlencoded') if defined $with{body};
    push @head, 'Content-Length: ' . ($with{length} // length $body) if defined $with{body};
    local $SIG{PIPE} = 'IGNORE';
    print $socket join("\r\n", @head), "\r\n\r\n", $body;
    $socket->flush;
    local $/;
    my $text = <$socket> // '';
    my ($top, $rest) = split /\r\n\r\n/, $text, 2;
    my ($status) = ($top // '') =~ m{^HTTP/1\.\d (\d+)} or return {status => 'no answer'};
    my %headers = map { /^([^:]+):\s*(.*)$/ ? (lc $1, $2) : () } split /\r\n/, $top;
    return {status => $status, headers => \%headers, body => $rest // ''};
}

sub stop {
    my ($dir) = @_;
    @running = grep { $_->[0] ne $dir } @running;
    system "$root/t/lib/web.sh", 'stop', $dir;
    return;
}
sub stop_all { my @directories = map { $_->[1] == $$ ? $_->[0] : () } @running; stop($_) for @directories; return }

END { my $status = $?; stop_all(); $? = $status }

1;
