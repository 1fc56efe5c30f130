# SPDX-License-Identifier: MIT
# A clock that can be set: programs that are started with $clock->environment take their time from it
# (t/fault/clock.cpp).
#   my $clock = Clock->new($dir); $clock->turn(3600); $clock->turn(0)
package Clock;
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Files;

# The library is copied to a directory that the user of a server can read.
sub new {
    my ($class, $dir) = @_;
    my $build = abs_path($ENV{BUILD} // dirname(__FILE__) . '/../../build');
    system('install', '-m', '0644', "$build/release/fault/clock.so", "$dir/clock.so") == 0 or die "clock.so is not built\n";
    spew("$dir/clock", pack 'q', 0);
    return bless {dir => $dir}, $class;
}

sub environment { my ($self) = @_; return (LD_PRELOAD => "$self->{dir}/clock.so", OAI_TEST_CLOCK => "$self->{dir}/clock") }

# Sets the clock ahead of that of the host by this number of seconds; a negative number sets it back.
sub turn {
    my ($self, $seconds) = @_;
    open my $out, '+<', "$self->{dir}/clock" or die "$self->{dir}/clock: $!\n";
    syswrite($out, pack 'q', $seconds) == 8 or die "$self->{dir}/clock: $!\n";
    close $out or die "$self->{dir}/clock: $!\n";
    return;
}

1;
