# SPDX-License-Identifier: MIT
# The FastCGI loop over t/server/echo.cpp, and web servers in front of it or of another (FastCGI.pm talks to it without one).
#   my $dir  = Echo::directory;                            private, removed at the end, open to www-data
#   my $echo = Echo->start(socket => "$dir/s", args => [...]);   or held => a listening socket, given as descriptor 0
#   my $port = Echo::web('nginx', "$dir/nginx", "$dir/s");       or 'apache'; stopped at the end
#   my $port = Echo::web('fcgid', "$dir/fcgid", Echo::program('--workers', 5));    mod_fcgid starts it by itself
#   my $answer = Echo::http($port, 'GET', '/oai?a=b');     {status, headers (names in lower case), body}
#   $echo->stop                                            SIGTERM; its exit status
# BUILD says where programs are built; flavour => 'asan' takes the sanitized one.
package Echo;
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX ();
use Time::HiRes qw(sleep);

my $root  = abs_path(dirname(__FILE__) . '/../..');
my $build = abs_path($ENV{BUILD} // "$root/build");
my $owner = $$;
my (@webs, @echos);

sub directory {
    my $dir = tempdir('oai-fcgi-XXXXXX', TMPDIR => 1, CLEANUP => 1);
    chmod 0755, $dir;
    chown +(getpwnam 'www-data')[2, 3], $dir if !$>;
    return $dir;
}

# A socket held from outside, as systemd does it.
sub hold {
    my ($path) = @_;
    my $listener = IO::Socket::UNIX->new(Local => $path, Listen => 511) or die "$path: $!";
    chmod 0666, $path;
    return $listener;
}

# A command line, of words without blanks.
sub program { return join ' ', "$build/release/server/echo", @_ }

sub start {
    my ($class, %how) = @_;
    my $self = bless {socket => $how{socket}, log => $how{log} // '/dev/null'}, $class;
    my @command = ("$build/" . ($how{flavour} // 'release') . '/server/echo', @{$how{args} // []});
    push @command, '--socket', $how{socket} if $how{socket};
    unshift @command, "$root/deploy/as-user", '--reach', $command[0], 'www-data' if $how{socket};
    $self->{pid} = fork // die "fork: $!";
    if (!$self->{pid}) {
        open STDERR, '>>', $self->{log};
        POSIX::dup2(fileno $how{held}, 0) if $how{held};
        exec @command or POSIX::_exit(127);
    }
    push @echos, $self;
    $self->wait_for_socket if $how{socket};
    return $self;
}

sub wait_for_socket {
    my ($self) = @_;
    for (1 .. 200) {
        return if IO::Socket::UNIX->new(Peer => $self->{socket});
        last if !$self->alive;
        sleep 0.05;
    }
    die "echo does not listen on $self->{socket}\n";
}

sub alive { my ($self) = @_; return $self->{pid} && waitpid($self->{pid}, POSIX::WNOHANG()) == 0 }

# The exit status; 'stuck' if it had to be killed.
sub stop {
    my ($self, $signal, $patience) = @_;
    my $pid = delete $self->{pid} // return;
    kill $signal // 'TERM', $pid;
    for (1 .. 20 * ($patience // 10)) {
        return $? & 127 ? "signal " . ($? & 127) : $? >> 8 if waitpid($pid, POSIX::WNOHANG()) == $pid;
        sleep 0.05;
    }
    kill 'KILL', $pid;
    waitpid $pid, 0;
    return 'stuck';
}

sub web {
    my ($kind, $dir, $behind) = @_;
    push @webs, $dir;
    open my $said, '-|', "$root/t/lib/web.sh", 'start', $kind, $dir, $behind or die $!;
    my $port = <$said>;
    close $said;
    $? == 0 or die "$kind does not start\n";
    chomp $port;
    return $port;
}

# HTTP/1.0, so that no answer is chunked. Options: type, body, length (a lie), headers => [...].
sub http {
    my ($port, $method, $target, %with) = @_;
    my $socket = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port", Timeout => 10) or return {status => "connect: $!"};
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

sub stop_webs { system "$root/t/lib/web.sh", 'stop', $_ for splice @webs; return }

END {
    if ($$ == $owner) {
        my $status = $?;
        $_->stop for grep { $_->{pid} } @echos;
        stop_webs();
        $? = $status;
    }
}

1;
