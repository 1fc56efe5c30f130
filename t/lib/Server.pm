# SPDX-License-Identifier: MIT
# A FastCGI server of a test's own. Repository.pm runs oai.fcgi as one; t/server/echo.cpp is the server without a repository:
#   my $echo = Server->echo(socket => "$dir/s", args => [...], flavour => 'asan', log => $file)->start;
#   my $echo = Server->echo(listener => Server::listener("$dir/s"))->start;     on a socket that the test holds, as systemd does
#   $echo->alive; $echo->{pid};
#   $echo->stop('TERM')                   its status; 'stuck' if it had to be killed
#   my $answer = $echo->ask($query, agent => 'x');      over the socket, without a web server: {status, headers, body};
#       $query is one of /oai, or a path of its own; client => ADDRESS, forwarded => X-Forwarded-For, gzip => 1, timeout => SECONDS
#   $echo->log_text
# BUILD says where programs are built. All servers are stopped when the test ends.
package Server;
use strict;
use warnings;
use Cwd qw(abs_path);
use FastCGI;
use File::Basename qw(dirname);
use Files;
use IO::Socket::UNIX;
use POSIX ();
use Process;

our $root  = abs_path(dirname(__FILE__) . '/../..');
our $build = abs_path($ENV{BUILD} // "$root/build");
my @all;

sub new {
    my ($class, %how) = @_;
    my $self = bless {args => [], log => '/dev/null', flavour => 'release', owner => $$, %how}, $class;
    push @all, $self;
    return $self;
}

# Dies with a sentence where the program is not built, rather than that a test waits for it.
sub echo_program {
    my ($flavour) = @_;
    my $program = "$build/" . ($flavour // 'release') . '/server/echo';
    return -x $program ? $program : die "$program is not built: run make test-programs\n";
}

# A program that is given the path of a socket runs as www-data if the test runs as root.
sub echo {
    my ($class, %how) = @_;
    my $program = echo_program($how{flavour});
    my @command = ($program, @{ $how{args} // [] });
    @command = ("$root/deploy/as-user", '--reach', $program, 'www-data', @command, '--socket', $how{socket}) if $how{socket};
    return $class->new(%how, command => \@command);
}

# A command line for mod_fcgid, of words without blanks.
sub echo_command { return join ' ', echo_program(), @_ }

sub listener {
    my ($path) = @_;
    my $listener = IO::Socket::UNIX->new(Local => $path, Listen => 511) or die "$path: $!";
    chmod 0666, $path;
    return $listener;
}

sub start {
    my ($self, %how) = @_;
    $self->{pid} = start_program($self->{command}, stdin => $self->{listener}, log => $self->{log}, env => $how{env});
    return $self if $how{unchecked};
    wait_until(sub { $self->alive or $self->fail_to_start('ended at once'); $self->is_ready }) or $self->fail_to_start('does not answer');
    return $self;
}

sub is_ready { my ($self) = @_; return $self->{listener} || IO::Socket::UNIX->new(Peer => $self->{socket}) }

sub fail_to_start {
    my ($self, $why) = @_;
    delete $self->{pid} if !$self->alive;
    die "$self->{command}[0] $why:\n" . $self->log_text =~ s/^.*event=request .*\n//mgr;
}

sub alive { my ($self) = @_; return $self->{pid} && waitpid($self->{pid}, POSIX::WNOHANG()) == 0 }

sub stop {
    my ($self, $signal) = @_;
    my $pid = delete $self->{pid} // return;
    return stop_program($pid, $signal);
}

sub ask {
    my ($self, $query, %how) = @_;
    return FastCGI::ask($self->{socket}, FastCGI::get($query, REMOTE_ADDR => $how{client} // '127.0.0.1', HTTP_USER_AGENT => $how{agent} // 'test',
        $how{forwarded} ? (HTTP_X_FORWARDED_FOR => $how{forwarded}) : (), $how{gzip} ? (HTTP_ACCEPT_ENCODING => 'gzip') : (),
        $how{known} ? (HTTP_IF_NONE_MATCH => $how{known}) : (), %{ $how{cgi} // {} }) . FastCGI::end_of_input(), $how{timeout});
}

sub log_text { my ($self) = @_; return slurp($self->{log}, '') }

END {
    my $status = $?;
    $_->stop for grep { $_->{owner} == $$ } @all;
    $? = $status;
}

1;
