#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Makes each libpq call within a request fail in turn (t/fault/libpq.cpp): the first, then the second, and so on until the
# request completes without a failure. A call fails in three ways: it is refused, its connection is cut first, or its result
# is lost. Each answer must be the correct one or a plain 503 with Retry-After, and the next request must be answered
# correctly whatever state the connection was left in. Covers requests that use the database, lists from their beginning and
# with a token; two of the requests are also made on a new connection.
use TestProgram;
use HarvestedRepository;

my $shim  = "$build/release/fault/libpq.so";

# Every libpq function that the programs call must be covered. Functions that only read memory cannot fail and are listed here.
my %reads = map { $_ => 1 } qw(PQbackendPID PQclear PQfinish PQcmdTuples PQerrorMessage PQfname PQftype PQgetisnull PQgetlength PQgetvalue PQhost
    PQgssEncInUse PQisBusy PQnfields PQntuples PQpipelineStatus PQresultErrorField PQsslInUse PQuser);
sub symbols { my ($which, $file) = @_; my %seen = map { $_ => 1 } `nm -D --$which-only $file` =~ /\b(PQ\w+|FCGX_\w+)/g; return \%seen }
my $wrapped = symbols('defined', $shim);
for my $program ('oai.fcgi', 'oai') {
    my @calls = grep { /^PQ/ } sort keys %{ symbols('undefined', "$build/release/$program") };
    cmp_ok scalar @calls, '>', 15, "$program calls libpq dynamically";
    is join(' ', grep { !$wrapped->{$_} && !$reads{$_} } @calls), '', 'every libpq call that can fail can be made to fail';
}

my $r = HarvestedRepository->new(documents => 50, ini => {lists => {records => 20, sets => 3, token_lifetime_seconds => 86400},
    database => {connections => 1, max_waiters => 4}});
my $control = spew("$r->{dir}/control", "\0" x (6 * 8 + 64));
$r->start(env => {LD_PRELOAD => $shim, OAI_TEST_LIBPQ => $control});

my %place = (fail_at => 0, manner => 8, calls => 16, cold => 24, watches => 32, trips => 104);
open my $shared, '+<:raw', $control or die $!;
sub set { my ($what, $value) = @_; sysseek $shared, $place{$what}, 0; syswrite $shared, pack('q', $value) or die $!; return }
sub get { my ($what) = @_; sysseek $shared, $place{$what}, 0; sysread $shared, my $bytes, 8; return unpack 'q', $bytes }
sub failed_call { sysseek $shared, 40, 0; sysread $shared, my $bytes, 64; return unpack 'Z*', $bytes }

# Status and body, without the parts that differ between two answers to the same request.
sub comparable {
    my ($answer) = @_;
    my $body = $answer->{body} // '';
    $body =~ s{<responseDate>[^<]*</responseDate>}{};
    $body =~ s{ expirationDate="[^"]*"}{};
    $body =~ s{(<resumptionToken[^>]*>)[^<]+}{$1};
    return "$answer->{status} $body";
}

sub fault_of_refusal {
    my ($answer) = @_;
    return "status $answer->{status}" if $answer->{status} ne '503';
    return 'no Retry-After' if ($answer->{headers}{'retry-after'} // '') !~ /^\d+$/;
    return 'more than words' if $answer->{body} =~ /</ || $answer->{headers}{'content-type'} !~ m{^text/plain};
    return;
}

my @manners = ('refused', 'connection cut', 'result lost');
# Makes each call of one request fail, one after the other. Returns the number of calls, the faults that were found, and how many
# answers were correct or 503.
sub torture {
    my ($query, $manner, $cold) = @_;
    my $right = comparable($r->ask($query));
    my (@faults, %kinds);
    for my $n (1 .. 500) {
        set(cold => 1) if $cold;
        set(manner => $manner);
        set(calls => 0);
        set(fail_at => $n);
        my $answer = $r->ask($query);
        my $passed = get('calls') < $n;
        set(fail_at => 0);
        my $why = comparable($answer) eq $right ? undef : fault_of_refusal($answer) // '';
        $kinds{ defined $why ? '503' : 'right' }++ if !$passed;
        push @faults, "call $n, " . failed_call() . ": $why" if $why || $passed && comparable($answer) ne $right;
        my $next = comparable($r->ask($query));
        push @faults, "after call $n, " . failed_call() . ': ' . substr $next, 0, 200 if $next ne $right;
        return ($n - 1, \@faults, \%kinds) if $passed;
    }
    return (500, ['it never passed'], \%kinds);
}

sub token { my ($query) = @_; return $r->ask($query)->{body} =~ m{<resumptionToken[^>]*>([^<]+)<} ? $1 : die "no token: $query\n" }
my @requests = (
    # name, query, whether it is also made on a new connection
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
            my $what = "$name" . ($cold ? ', on a new connection' : '') . ": $calls calls, $manners[$manner]";
            ok !@$faults && $calls > 3 && $kinds->{503}, $what or diag join "\n", @$faults ? @$faults[0 .. ($#$faults > 7 ? 7 : $#$faults)] : explain $kinds;
        }
    }
}
note "$all failures";

# A page that goes on with a list needs one round trip to the database, and so does GetRecord; a list's first page needs two.
for my $request (@requests) {
    my ($name, $query) = @$request;
    $r->ask($query);
    set(trips => 0);
    $r->ask($query);
    is get('trips'), $name =~ /^List(Records|Identifiers)/ && $query !~ /Token/ ? 2 : 1, "$name: round trips to the database";
}
for my $verb ('Identify', 'ListMetadataFormats') {
    set(calls => 0);
    is $r->ask("verb=$verb")->{status}, 200, "$verb";
    is get('calls'), 0, 'makes no database call';
}

# The threads that watch the database must keep running whichever of their calls fails, and then see a new horizon.
set(watches => 1);
for my $n (1 .. 12) {
    set(manner => $n % 3);
    set(calls => 0);
    set(fail_at => $n);
    wait_until(sub { get('calls') >= $n });
}
set(fail_at => 0);
set(watches => 0);
ok wait_until(sub { my ($h) = $r->ask('verb=Identify')->{body} =~ /<responseDate>(.*?)</; $r->{db}->run('select oai.publish(10)'); 
    my ($later) = $r->ask('verb=Identify')->{body} =~ /<responseDate>(.*?)</; $later gt $h }), 'the server sees a new horizon whichever call of the watching threads failed';
is $r->stop, 0, 'the server stops cleanly';
done_testing;
