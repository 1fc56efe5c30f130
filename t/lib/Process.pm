# SPDX-License-Identifier: MIT
# Runs programs and waits for events. A status is the exit status, or "signal N".
#   my ($status, $output) = run_program(@command);             to its end; stdout and stderr together
#   my ($status, $output) = run_shell($command);               the same of a line for the shell
#   my ($status, $out, $err) = run_apart(@command);            the two apart
#   my $pid = start_program([@command], out => $file);         in the background; stdout and stderr into $file
#       log => $file: appended to it; out and err => $file: the two apart; stdin => $handle, or /dev/null;
#       env => {NAME => value}; setsid => 1: in a session of its own
#   my $status = stop_program($pid, 'TERM');                   'stuck' if it did not end and had to be killed
#   my $status = status_of($pid);                              waits for its end; 'runs' if it does not come, 'gone' if it was known
#   my $pid = later(sub { ... });                              runs it in another process
#   ok wait_until(sub { ... });                                whether it becomes true
#   pace($seconds);                                            between two steps of a load or of a simulated client
#   my $port = free_port();                                    of 127.0.0.1
# Each wait has a limit of minutes, so that no verdict depends on how quick the machine is, and nothing may be concluded from a
# pace. Where a test needs a moment, it makes it: by Breakpoint.pm, by a lock that it holds, or by SIGSTOP.
package Process;
use strict;
use warnings;
use Exporter qw(import);
use Fcntl qw(:flock);
use File::Temp ();
use Files;
use IO::Socket::INET;
use List::Util qw(max min);
use POSIX ();
use Time::HiRes qw(time);
our @EXPORT = qw(run_program run_shell run_apart start_program stop_program status_of later wait_until pace free_port);

# Seconds: how long is waited at most, and from look to look, which is a tenth of what was waited already, since many a look starts
# a psql.
use constant {LIMIT => 300, LEAST_PAUSE => 0.03, MOST_PAUSE => 0.3};

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

sub run_shell { my ($command) = @_; return run_program('/bin/sh', '-c', $command) }

sub status_of {
    my ($pid) = @_;
    my $ended;   # -1: somebody has waited for it before
    wait_until(sub { ($ended = waitpid $pid, POSIX::WNOHANG()) != 0 });
    return $ended == $pid ? status($?) : $ended ? 'gone' : 'runs';
}

sub stop_program {
    my ($pid, $signal) = @_;
    kill $signal // 'TERM', $pid;
    my $status = status_of($pid);
    return $status if $status ne 'runs';
    kill 'KILL', $pid;
    waitpid $pid, 0;
    return 'stuck';
}

sub later {
    my ($what) = @_;
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;
    eval { $what->(); 1 } or print STDERR "# $@";
    POSIX::_exit(0);
}

sub wait_until {
    my ($true) = @_;
    for (my $began = time; ;) {
        return 1 if $true->();
        my $waited = time - $began;
        return 0 if $waited > LIMIT;
        pace(min(MOST_PAUSE, max(LEAST_PAUSE, $waited / 10)));
    }
}

sub pace { select undef, undef, undef, $_[0]; return }

# Below the ports that clients get, and another each time, whoever asks: between this and the listening of a server no other test
# takes it.
sub free_port {
    open my $last, '+>>', "/tmp/oai-test-port-$>" or die "/tmp/oai-test-port-$>: $!\n";
    flock $last, LOCK_EX;
    seek $last, 0, 0;
    my ($port) = (<$last> // '') =~ /^(\d+)$/;
    $port //= 20_000 + int rand 12_000;
    do { $port = $port < 31_999 ? $port + 1 : 20_000 } until IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1', LocalPort => $port);
    truncate $last, 0;
    print {$last} "$port\n";
    close $last or die $!;
    return $port;
}

1;
