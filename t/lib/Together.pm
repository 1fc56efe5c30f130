# SPDX-License-Identifier: MIT
# Tests that wait rather than work, all at once: each block in a process of its own, reported as a subtest, in the order given.
#   together('first' => sub { ok ... }, 'second' => sub { ... });
# A block sees what the test had made before, and ends by returning. What it makes (a Database, a Server) goes when its process
# ends; an END block of the test itself runs there, too, and must look at $$.
package Together;
use strict;
use warnings;
use Exporter qw(import);
use Test::More;
our @EXPORT = qw(together);

sub together {
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

# In the block's process: its TAP and all else that is said goes to the pipe. Returns the exit status.
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
