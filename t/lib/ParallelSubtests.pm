# SPDX-License-Identifier: MIT
# Runs tests that mostly wait in parallel: each block in a process of its own, reported as a subtest, in the order given.
#   parallel_subtests('first' => sub { ok ... }, 'second' => sub { ... });
# A block sees what the test has created before, and ends by returning. What it creates (a Database, a Server) is removed when
# its process ends; an END block of the test itself runs there, too, and must check $$.
package ParallelSubtests;
use strict;
use warnings;
use Exporter qw(import);
use Test::More;
our @EXPORT = qw(parallel_subtests);

sub parallel_subtests {
    my @running;
    while (my ($name, $block) = splice @_, 0, 2) {
        STDOUT->flush;
        my $pid = open(my $out, '-|') // die "fork: $!";
        exit run($block) if !$pid;
        push @running, [$name, $out];
    }
    for (@running) {
        my ($name, $out) = @$_;
        my @said = <$out>;
        my $passed = close $out;
        print { Test::More->builder->output } map { "    $_" } @said;
        ok $passed && (grep { /^1\.\.[1-9]/ } @said), $name or diag @said;
    }
    return;
}

# Runs in the process of the block: sends its TAP and all other output to the pipe. Returns the exit status.
sub run {
    my ($block) = @_;
    my $builder = Test::More->builder;
    open STDERR, '>&', \*STDOUT or die $!;
    STDOUT->autoflush;
    $builder->reset;
    $builder->$_(\*STDOUT) for qw(output failure_output todo_output);
    eval { $block->(); 1 } or fail("it died: $@");
    done_testing;
    return $builder->is_passing ? 0 : 1;
}

1;
