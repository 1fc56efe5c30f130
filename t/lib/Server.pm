# SPDX-License-Identifier: MIT
# An oai.fcgi of a test's own over a database of Database.pm, and web servers before it (Echo.pm).
#   my $served = Server->new(db => $db, ini => "[lists]\nrecords = 3\n");   formats => DIR; default: a copy of xslt/oai_dc.xsl
#                                                    repository => "name = ...\n": other facts than its own
#   $served->start; $served->stop                    stop gives the exit status, as Echo's
#   my $answer = $served->ask($query, agent => 'x'); over the socket, without a web server: {status, headers, body}
#   $served->ask('/oai/-/health')                    a path of its own; client => ADDRESS, forwarded => X-Forwarded-For
#   $served->log_text; $served->{socket}; $served->{ini}; $served->{pid}
# BUILD, OAI_FLAVOUR (release) say which program.
package Server;
use strict;
use warnings;
use Cwd qw(abs_path);
use Echo;
use FastCGI;
use File::Basename qw(dirname);
use IO::Socket::UNIX;
use POSIX ();
use Time::HiRes qw(sleep time);

my $root  = abs_path(dirname(__FILE__) . '/../..');
my $build = abs_path($ENV{BUILD} // "$root/build");
my $count = 0;
my @running;

sub spew { my ($file, $text) = @_; open my $out, '>', $file or die "$file: $!"; print {$out} $text; close $out or die $!; return }

sub new {
    my ($class, %how) = @_;
    my $dir  = Echo::directory();
    my $self = bless {dir => $dir, bin => "$build/" . ($ENV{OAI_FLAVOUR} // 'release'), socket => "$dir/oai.sock", ini => "$dir/oai.ini",
                      log => "$dir/log", formats => $how{formats} // "$dir/formats"}, $class;
    if (!$how{formats}) {
        mkdir $self->{formats} or die $!;
        system('cp', "$root/xslt/oai_dc.xsl", $self->{formats}) == 0 or die;
    }
    spew("$dir/key", '0123456789abcdef' x 4);
    chmod 0600, "$dir/key";
    my $connection = $how{db}->conninfo('oai_reader');
    my $repository = $how{repository} // "name = Server\nbase_url = http://127.0.0.1/oai\nadmin_email = a\@example.org\nidentifier_namespace = example.org\n";
    spew($self->{ini}, "[repository]\n$repository" . "[token]\nkey_file = $dir/key\n[formats]\ndirectory = $self->{formats}\n"
        . "[database]\nconnection = $connection\n[server]\nsocket = $self->{socket}\n" . ($how{ini} // ''));    # whose first lines are of [server]
    return $self;
}

sub start {
    my ($self) = @_;
    $self->{pid} = fork // die "fork: $!";
    if (!$self->{pid}) {
        open STDERR, '>>', $self->{log};
        exec "$self->{bin}/oai.fcgi", '--config', $self->{ini} or POSIX::_exit(127);
    }
    push @running, $self;
    for (1 .. 600) {
        if (IO::Socket::UNIX->new(Peer => $self->{socket})) { chmod 0666, $self->{socket}; return $self }
        last if waitpid($self->{pid}, POSIX::WNOHANG()) == $self->{pid};
        sleep 0.05;
    }
    delete $self->{pid};
    die "oai.fcgi does not listen:\n" . $self->log_text;
}

sub stop {
    my ($self) = @_;
    my $pid = delete $self->{pid} // return;
    kill 'TERM', $pid;
    for (1 .. 1200) {
        return $? & 127 ? 'signal ' . ($? & 127) : $? >> 8 if waitpid($pid, POSIX::WNOHANG()) == $pid;
        sleep 0.05;
    }
    kill 'KILL', $pid;
    waitpid $pid, 0;
    return 'stuck';
}

# As a web server would.
sub ask {
    my ($self, $query, %how) = @_;
    return FastCGI::ask($self->{socket}, FastCGI::get($query, REMOTE_ADDR => $how{client} // '127.0.0.1', HTTP_USER_AGENT => $how{agent} // 'test',
        $how{forwarded} ? (HTTP_X_FORWARDED_FOR => $how{forwarded}) : (), $how{gzip} ? (HTTP_ACCEPT_ENCODING => 'gzip') : ()) . FastCGI::end_of_input());
}

sub log_text { my ($self) = @_; open my $in, '<', $self->{log} or return ''; local $/; return readline($in) // '' }

# Whether it becomes true within so many seconds.
sub within {
    my ($seconds, $true) = @_;
    for (my $end = time + $seconds; ;) { return 1 if $true->(); return 0 if time > $end; sleep 0.05 }
}

END { my $status = $?; $_->stop for @running; $? = $status }

1;
