#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What oai validate says of faults and peculiarities of HTTP, by a repository over sockets of its own (t/lib/HttpFaultProvider.pm).
use TestProgram;
use HttpFaultProvider;

my $wire  = HttpFaultProvider->new;

# The checks that did not pass, without those that were skipped.
sub faults {
    my ($way, @options) = @_;
    my ($status, $out, $err) = run_apart("$build/" . ($ENV{OAI_FLAVOUR} // 'release') . '/oai', 'validate', $wire->url($way), '--pause', 0, @options);
    diag $err if $err ne '';
    my %found = map { $_ => 1 } $out =~ /^  (?:FAIL|warn|note) +(\S+)/mg;
    return [sort keys %found];
}

is_deeply faults('right'), [], 'a repository that is right passes';
is_deeply faults('one-by-one'), [], 'a connection for each request is right';
is_deeply faults('chunked'), [], 'so are chunks';
is_deeply faults('redirecting'), ['http.not-redirected'], 'redirects to a mirror are right, and noted';
is_deeply faults('busy', '--only', 'http'), [], 'so is a date in Retry-After';
is_deeply faults('long-line-refused'), [], 'and an address of 8 KB that is refused';
is_deeply faults('long-line-closes', '--only', 'argument'), ['argument.long-get'], 'but not if there is no answer';
is_deeply faults('long-form-refused', '--only', 'argument'), ['argument.long-post'], 'nor a form of 8 KB that is refused';

my ($status, $out, $err) = run_apart('sh', '-c', 'exec "$@" >/dev/full', 'sh', "$build/" . ($ENV{OAI_FLAVOUR} // 'release') . '/oai', 'validate', $wire->url('right'), '--pause', 0);
is $status, 1, 'a report that does not fit on the disk is an error' or diag $err;
done_testing();
