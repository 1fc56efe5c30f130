# SPDX-License-Identifier: MIT
# Judges a promise in seconds beside how slow the machine is at that moment: what a second is worth there is measured by a
# yardstick, the time in which a program that does nothing starts and ends (2 ms where nothing else runs).
#   my $prompt = Promptness->new;
#   my $answer = $prompt->measure(sub { $r->ask('verb=Identify') });     times it, and the yardstick behind it
#   $prompt->is_kept(2, 'Identify is answered within two seconds');      a test: half of the times at least were that short, where a
#                                                                        yardstick counts for 5 ms; so no pause of the machine decides
#   $prompt->add($seconds)                                               a time that was measured otherwise
#   $prompt->slowness                                                    1, or by how much the machine is slower than an idle one
#   my ($median, $longest) = $prompt->seconds;
package Promptness;
use strict;
use warnings;
use POSIX ();
use Test::More;
use Time::HiRes qw(time);

use constant {SECONDS_FOR_A_YARDSTICK => 0.005};

sub new { my ($class) = @_; return bless {times => [], yardsticks => []}, $class }

sub measure {
    my ($self, $what) = @_;
    my $began = time;
    my $result = $what->();
    push @{ $self->{times} }, time - $began;
    push @{ $self->{yardsticks} }, yardstick();
    return $result;
}

# A time that was measured otherwise.
sub add { my ($self, $seconds) = @_; push @{ $self->{times} }, $seconds; push @{ $self->{yardsticks} }, yardstick(); return }

sub yardstick {
    my $began = time;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) { exec 'true' or POSIX::_exit(127) }
    waitpid $pid, 0;
    return time - $began;
}

sub median { my @sorted = sort { $a <=> $b } @_; return $sorted[$#sorted / 2] }
sub seconds { my ($self) = @_; my @t = sort { $a <=> $b } @{ $self->{times} }; return (median(@t), $t[-1]) }
sub slowness { my ($self) = @_; my $slowness = median(@{ $self->{yardsticks} }) / SECONDS_FOR_A_YARDSTICK; return $slowness > 1 ? $slowness : 1 }

sub is_kept {
    my ($self, $promise, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($median, $longest) = $self->seconds;
    my $said = sprintf '%.3f s (median of %d), %.3f s at most, slowness %.1f', $median, scalar @{ $self->{times} }, $longest, $self->slowness;
    return ok($median <= $promise * $self->slowness, $name) ? note($said) : diag($said);
}

1;
