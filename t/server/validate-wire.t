#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What oai validate says of faults and peculiarities of HTTP, by a repository over sockets of its own (t/lib/HttpFaultProvider.pm).
use FindBin;
use lib "$FindBin::Bin/../lib";
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

# Reports of a repository that is mended, each compared with the one before, in the same file.
my $dir = tempdir('oai-wire-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my @since = ('validate', $wire->url('mendable'), '--pause', 0, '--only', 'http', '--junit', "$dir/last.xml");
sub oai { return run_apart("$build/" . ($ENV{OAI_FLAVOUR} // 'release') . '/oai', @_) }
my ($status, $out, $err) = oai(@since, '--since', "$dir/last.xml");
is "$status $out", '1 ', 'there has to be an earlier report';
like $err, qr{^oai: \Q$dir\E/last\.xml: No such file}, 'and its lack is told';
is +(oai(@since))[0], 0, 'the first report';
($status, $out) = oai(@since, '--since', "$dir/last.xml");
like $out, qr/^Since \d{4}-\S+Z: nothing has changed\n  as before +http\.vary /m, 'the second says that nothing has changed';
$wire->mend;
($status, $out) = oai(@since, '--since', "$dir/last.xml", '--html', "$dir/page.html");
like $out, qr/^Since \d{4}-\S+Z\n  mended +http\.vary .*\n\z/m, 'the third, what is mended';
like slurp("$dir/page.html"), qr{<dt>Mended</dt><dd>http\.vary</dd>}, 'on the page, too';
($status, $out, $err) = oai(@since, '--set', 'a', '--since', "$dir/last.xml");
is $status, 1, 'a report of all records is not compared with one of a set';
spew("$dir/cut.xml", substr slurp("$dir/last.xml"), 0, 300);
($status, $out, $err) = oai(@since[0 .. 1], '--since', "$dir/cut.xml");
is "$status $out", '1 ', 'a report that was cut is refused';
like $err, qr{^oai: \Q$dir\E/cut\.xml: }, 'by its name';
spew("$dir/small", 'full');
($status, $out, $err) = run_apart('sh', '-c', 'trap "" XFSZ; ulimit -f 1; exec "$@"', 'sh', "$build/" . ($ENV{OAI_FLAVOUR} // 'release') . '/oai', 'validate', $wire->url('right'), '--pause', 0, '--html', "$dir/small");
is "$status $err", "1 oai: $dir/small: cannot be written\n", 'a report that does not fit on the disk is an error';
is slurp("$dir/small") . join(' ', glob("$dir/small?*")), 'full', 'and leaves the earlier one, and nothing beside it';
($status, $out, $err) = oai('validate', $wire->url('right'), '--since', "$dir/last.xml");
is "$status $out", '1 ', 'a report of another repository is refused';
like $err, qr{last\.xml: a report of another repository, format or set, OAI-PMH 2\.0: \S+/mendable}, 'in words';

done_testing();
