#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Every call of libpq within a request fails in turn (t/fault/libpq.cpp): the first, the second, ... until the request
# passes untouched; refused, with its connection cut before it, and with its result lost. Each answer is the right one, or
# a plain 503 with Retry-After; and the next request, on whatever is left of the connection, has the right answer.
# Requests of every verb, of lists at their beginning and with a token; two of them by a new connection, too.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(abs_path);
use Served;
use Test::More;

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");
my $shim  = "$build/release/fault/libpq.so";

# Nothing that the programs take from libpq is forgotten. What only reads memory cannot fail.
my %reads = map { $_ => 1 } qw(PQclear PQfinish PQcmdTuples PQerrorMessage PQfname PQftype PQgetisnull PQgetlength PQgetvalue
    PQgssEncInUse PQisBusy PQnfields PQntuples PQpipelineStatus PQresultErrorField PQsslInUse);
sub symbols { my ($which, $file) = @_; my %seen = map { $_ => 1 } `nm -D --$which-only $file` =~ /\b(PQ\w+|FCGX_\w+)/g; return \%seen }
my $wrapped = symbols('defined', $shim);
for my $program ('oai.fcgi', 'oai') {
    my @calls = grep { /^PQ/ } sort keys %{ symbols('undefined', "$build/release/$program") };
    cmp_ok scalar @calls, '>', 15, "$program takes its calls from libpq";
    is join(' ', grep { !$wrapped->{$_} && !$reads{$_} } @calls), '', 'each of them that can fail can be made to fail';
}

my $r = Served->new(documents => 50, ini => {lists => {records => 20, sets => 3, token_lifetime_seconds => 86400},
    database => {connections => 1, max_waiters => 4}});
my $control = Served::spew("$r->{dir}/control", "\0" x (5 * 8 + 64));
$r->start(env => {LD_PRELOAD => $shim, OAI_TEST_LIBPQ => $control});

my %place = (fail_at => 0, manner => 8, calls => 16, cold => 24, watches => 32);
open my $shared, '+<:raw', $control or die $!;
sub set { my ($what, $value) = @_; sysseek $shared, $place{$what}, 0; syswrite $shared, pack('q', $value) or die $!; return }
sub get { my ($what) = @_; sysseek $shared, $place{$what}, 0; sysread $shared, my $bytes, 8; return unpack 'q', $bytes }
sub failed { sysseek $shared, 40, 0; sysread $shared, my $bytes, 64; return unpack 'Z*', $bytes }

# What differs from one answer to the next of the same request.
sub said {
    my ($answer) = @_;
    my $body = $answer->{body} // '';
    $body =~ s{<responseDate>[^<]*</responseDate>}{};
    $body =~ s{ expirationDate="[^"]*"}{};
    $body =~ s{(<resumptionToken[^>]*>)[^<]+}{$1};
    return "$answer->{status} $body";
}

sub unclean {
    my ($answer) = @_;
    return "status $answer->{status}" if $answer->{status} ne '503';
    return 'no Retry-After' if ($answer->{headers}{'retry-after'} // '') !~ /^\d+$/;
    return 'more than words' if $answer->{body} =~ /</ || $answer->{headers}{'content-type'} !~ m{^text/plain};
    return;
}

my @manners = ('refused', 'connection cut', 'result lost');
# The failures of one request, one after the other; each fault found, and how often it failed.
sub torture {
    my ($query, $manner, $cold) = @_;
    my $right = said($r->ask($query));
    my (@faults, %kinds);
    for my $n (1 .. 500) {
        set(cold => 1) if $cold;
        set(manner => $manner);
        set(calls => 0);
        set(fail_at => $n);
        my $answer = $r->ask($query);
        my $passed = get('calls') < $n;
        set(fail_at => 0);
        my $why = said($answer) eq $right ? undef : unclean($answer) // '';
        $kinds{ defined $why ? '503' : 'right' }++ if !$passed;
        push @faults, "call $n, " . failed() . ": $why" if $why || $passed && said($answer) ne $right;
        my $next = said($r->ask($query));
        push @faults, "after call $n, " . failed() . ': ' . substr $next, 0, 200 if $next ne $right;
        return ($n - 1, \@faults, \%kinds) if $passed;
    }
    return (500, ['it never passed'], \%kinds);
}

sub token { my ($query) = @_; return $r->ask($query)->{body} =~ m{<resumptionToken[^>]*>([^<]+)<} ? $1 : die "no token: $query\n" }
my @requests = (
    # name, query, by a new connection too
    ['GetRecord', 'verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:example.org:3', 1],
    ['ListMetadataFormats of a record', 'verb=ListMetadataFormats&identifier=oai:example.org:3'],
    ['ListSets', 'verb=ListSets'],
    ['ListSets with a token', 'verb=ListSets&resumptionToken=' . token('verb=ListSets')],
    ['ListIdentifiers of a set between dates', 'verb=ListIdentifiers&metadataPrefix=oai_dc&set=dom:cz&from=2020-01-01&until=2020-01-02'],
    ['ListIdentifiers with a token', 'verb=ListIdentifiers&resumptionToken=' . token('verb=ListIdentifiers&metadataPrefix=oai_dc')],
    ['ListRecords', 'verb=ListRecords&metadataPrefix=oai_dc'],
    ['ListRecords of a set with a token', 'verb=ListRecords&resumptionToken=' . token('verb=ListRecords&metadataPrefix=oai_dc&set=dom'), 1],
);
my $all = 0;
for my $request (@requests) {
    my ($name, $query, $both) = @$request;
    for my $cold (0 .. $both // 0) {
        for my $manner (0 .. $#manners) {
            my ($calls, $faults, $kinds) = torture($query, $manner, $cold);
            $all += $calls;
            my $what = "$name" . ($cold ? ', by a new connection' : '') . ": $calls calls, $manners[$manner]";
            ok !@$faults && $calls > 3 && $kinds->{503}, $what or diag join "\n", @$faults ? @$faults[0 .. ($#$faults > 7 ? 7 : $#$faults)] : explain $kinds;
        }
    }
}
note "$all failures";
for my $verb ('Identify', 'ListMetadataFormats') {
    set(calls => 0);
    is $r->ask("verb=$verb")->{status}, 200, "$verb";
    is get('calls'), 0, 'needs no database';
}

# The threads that watch: whatever fails there, they go on and the horizon is seen again.
set(watches => 1);
for my $n (1 .. 12) {
    set(manner => $n % 3);
    set(calls => 0);
    set(fail_at => $n);
    Served::within(5, sub { get('calls') >= $n });
}
set(fail_at => 0);
set(watches => 0);
ok Served::within(10, sub { my ($h) = $r->ask('verb=Identify')->{body} =~ /<responseDate>(.*?)</; $r->{db}->run('select oai.publish(10)'); Served::pause(1.1);
    my ($later) = $r->ask('verb=Identify')->{body} =~ /<responseDate>(.*?)</; $later gt $h }), 'the horizon is seen again whatever failed in the watch';
is $r->stop, 0, 'and the server stops in order';
done_testing;
