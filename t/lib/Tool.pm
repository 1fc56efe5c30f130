# SPDX-License-Identifier: MIT
# A program run to its end, by itself.
#   my ($status, $out, $err) = Tool::run($dir, @command);   $dir: for what it prints; status: its exit status, or "signal N"
package Tool;
use strict;
use warnings;
use POSIX ();

sub slurp { local (@ARGV, $/) = $_[0]; return <> // '' }

sub run {
    my ($dir, @command) = @_;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        open STDOUT, '>', "$dir/out" or POSIX::_exit(127);
        open STDERR, '>', "$dir/err" or POSIX::_exit(127);
        exec {$command[0]} @command or POSIX::_exit(127);
    }
    waitpid $pid, 0;
    return ($? & 127 ? 'signal ' . ($? & 127) : $? >> 8, slurp("$dir/out"), slurp("$dir/err"));
}

1;
