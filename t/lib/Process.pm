# SPDX-License-Identifier: MIT
# Runs programs and waits for conditions. A status is the exit status, or "signal N".
#   my ($status, $output) = run_program(@command);             to its end; stdout and stderr together
#   my ($status, $out, $err) = run_apart(@command);            the two apart
#   my $pid = start_program([@command], out => $file);         in the background; stdout and stderr into $file
#       log => $file: appended to it; out and err => $file: the two apart; stdin => $handle, or /dev/null;
#       env => {NAME => value}; setsid => 1: in a session of its own
#   my $status = stop_program($pid, 'TERM', 60);               'stuck' if it had to be killed after so many seconds
#   my $status = status_within($pid, $seconds);                'runs' if it has not ended by then
#   my $pid = later($seconds, sub { ... });                    runs it in another process, after so many seconds
#   ok within($seconds, sub { ... });                          whether it becomes true in time
#   pause($seconds);                                           fractions too
#   my $port = free_port();                                    of 127.0.0.1
package Process;
use strict;
use warnings;
use Exporter qw(import);
use File::Temp ();
use Files;
use IO::Socket::INET;
use POSIX ();
use Time::HiRes qw(time);
our @EXPORT = qw(run_program run_apart start_program stop_program status_within later within pause free_port);

sub status { my ($wait) = @_; return $wait & 127 ? 'signal ' . ($wait & 127) : $wait >> 8 }

sub redirect {
    my (%how) = @_;
    POSIX::dup2(fileno $how{stdin}, 0) // die "stdin: $!" if $how{stdin};
    open STDIN, '<', '/dev/null' or die "stdin: $!" if !$how{stdin};
    my ($mode, $file) = $how{log} ? ('>>', $how{log}) : ('>', $how{out});
    open STDOUT, $mode, $file or die "$file: $!" if $file;
    open STDERR, '>', $how{err} or die "$how{err}: $!" if $how{err};
    open STDERR, '>&', \*STDOUT or die "stderr: $!" if $file && !$how{err};
    return;
}

sub start_program {
    my ($command, %how) = @_;
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;
    eval {
        POSIX::setsid() if $how{setsid};
        redirect(%how);
        @ENV{keys %{ $how{env} }} = values %{ $how{env} } if $how{env};
        no warnings 'exec';
        exec { $command->[0] } @$command or die "$command->[0]: $!\n";
    } or print STDERR $@;
    POSIX::_exit(127);
}

sub run_apart {
    my (@command) = @_;
    my ($out, $err) = map { File::Temp->new } 1, 2;
    my $pid = start_program(\@command, out => "$out", err => "$err");
    waitpid $pid, 0;
    return (status($?), slurp("$out"), slurp("$err"));
}

sub run_program {
    my (@command) = @_;
    my $out = File::Temp->new;
    my $pid = start_program(\@command, out => "$out");
    waitpid $pid, 0;
    return (status($?), slurp("$out"));
}

sub status_within {
    my ($pid, $seconds) = @_;
    return within($seconds, sub { waitpid($pid, POSIX::WNOHANG()) == $pid }) ? status($?) : 'runs';
}

sub stop_program {
    my ($pid, $signal, $seconds) = @_;
    kill $signal // 'TERM', $pid;
    my $status = status_within($pid, $seconds // 60);
    return $status if $status ne 'runs';
    kill 'KILL', $pid;
    waitpid $pid, 0;
    return 'stuck';
}

sub later {
    my ($seconds, $what) = @_;
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;
    pause($seconds);
    eval { $what->(); 1 } or print STDERR "# $@";
    POSIX::_exit(0);
}

sub within {
    my ($seconds, $true) = @_;
    for (my $end = time + $seconds; ;) {
        return 1 if $true->();
        return 0 if time > $end;
        pause(0.03);
    }
}

sub pause { select undef, undef, undef, $_[0]; return }

sub free_port { return IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport }

1;
