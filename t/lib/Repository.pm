# SPDX-License-Identifier: MIT
# A test's own repository: a database (Database.pm), a configuration, a server, and the administrator's tool.
#   my $r = Repository->new(db => $db, ini => {lists => {records => 3}});
#       formats => DIR (a copy of xslt/oai_dc.xsl), dir => DIR (a shared directory), held => 1: the test holds the socket, as
#       systemd does, so that requests wait in it while the server is stopped; ini: as Configuration.pm has it
#   $r->start(env => {LD_PRELOAD => ...});      ini => FILE: another configuration; unchecked => 1: does not wait until it serves
#   my ($status, $output) = $r->oai('publish', '--once');
#   $r->wait_for_horizon;                       until the server shows all that is published
#   $r->url                                     its base URL behind nginx, which the first call starts
#   $r->{dir}; $r->{ini}; $r->{formats}; $r->{socket}; $r->{bin}; $r->{pid}; and what Server.pm has
# Environment: BUILD, the build directory; OAI_FLAVOUR (release), which build of the programs.
package Repository;
use strict;
use warnings;
use parent 'Server';
use Configuration;
use Files;
use IO::Socket::UNIX;
use Process;
use WebServer;

sub new {
    my ($class, %how) = @_;
    my $dir = $how{dir} // shared_directory();
    my $self = $class->SUPER::new(dir => $dir, db => $how{db}, socket => "$dir/oai.sock", ini => "$dir/oai.ini", log => "$dir/log",
        formats => $how{formats} // "$dir/formats", bin => "$Server::build/" . ($ENV{OAI_FLAVOUR} // 'release'));
    if (!$how{formats}) {
        mkdir $self->{formats} or die $!;
        system('cp', "$Server::root/xslt/oai_dc.xsl", $self->{formats}) == 0 or die;
    }
    my %ini = %{ $how{ini} // {} };
    $ini{formats} = {directory => $self->{formats}, %{ $ini{formats} // {} }};
    $ini{server} = {$how{held} ? () : (socket => $self->{socket}), %{ $ini{server} // {} }};
    write_ini($self->{ini}, $how{db}, %ini);
    $self->{listener} = Server::listener($self->{socket}) if $how{held};
    return $self;
}

sub start {
    my ($self, %how) = @_;
    $self->{command} = ["$self->{bin}/oai.fcgi", '--config', $how{ini} // $self->{ini}];
    return $self->SUPER::start(%how);
}

# The server is ready when its socket accepts connections. The web server runs as another user and must be able to connect.
sub is_ready {
    my ($self) = @_;
    return $self->ask('verb=Identify', timeout => 5)->{status} eq '200' if $self->{listener};
    return IO::Socket::UNIX->new(Peer => $self->{socket}) && chmod 0666, $self->{socket};
}

# The responseDate is that of the second behind the horizon.
sub wait_for_horizon {
    my ($self) = @_;
    my $date = $self->{db}->value(q{select to_char((h + interval '1 second') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') from oai.horizon});
    wait_until(sub { ($self->ask('verb=Identify')->{body} =~ /<responseDate>(.*?)</ ? $1 : '') ge $date }) or die "the server does not show what is published\n";
    return;
}

sub oai { my ($self, @arguments) = @_; return run_program("$self->{bin}/oai", '--config', $self->{ini}, @arguments) }

sub url {
    my ($self) = @_;
    $self->{port} //= WebServer::start('nginx', "$self->{dir}/web", $self->{socket});
    return "http://127.0.0.1:$self->{port}/oai";
}

# Changes the value of a key that the configuration has.
sub configure {
    my ($self, $key, $value) = @_;
    spew($self->{ini}, slurp($self->{ini}) =~ s/^$key = .*$/$key = $value/mr);
    return;
}

1;
