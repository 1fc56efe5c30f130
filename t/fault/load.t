#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The server under load from several clients at once, while it is reloaded, its formats change, its keys rotate, documents are
# published and database backends are terminated. Every answer must be complete, and no request may hang. The run is short in
# `make test`; `make tsan` runs it under ThreadSanitizer, and `make leaks` runs 100,000 requests under LeakSanitizer. Anything
# that a sanitizer reports fails the test.
# Environment: OAI_FLAVOUR (release), OAI_LOAD_REQUESTS (8000).
use TestProgram;
use HarvestedRepository;
use Time::HiRes qw(time);

my $requests = $ENV{OAI_LOAD_REQUESTS} // 8000;
my $flavour  = $ENV{OAI_FLAVOUR} // 'release';
my $clients  = 6;
my $quota    = POSIX::ceil($requests / $clients);
# The timeouts are long, so that a machine that pauses for ten seconds, or a slow sanitizer, is not taken for an idle client.
my $r = HarvestedRepository->new(documents => 300, ini => {lists => {records => 10}, server => {idle_seconds => 60, request_seconds => 120}});
spew($r->{ini}, slurp($r->{ini}) =~ s{^\[token\]\n}{[token]\nprevious_key_file = $r->{dir}/previous\n}mr);
write_key("$r->{dir}/previous", 'fedcba9876543210');
# The server stands alone, without the `oai` that tries stylesheets: each trial is then a process that ends while it is being
# started, and its end must interrupt no request.
mkdir "$r->{dir}/alone" or die $!;
system('cp', "$r->{bin}/oai.fcgi", "$r->{dir}/alone") == 0 or die;
$r->{bin} = "$r->{dir}/alone";
$r->start(env => {
    TSAN_OPTIONS => "suppressions=$root/t/fault/tsan.supp history_size=4 exitcode=66",
    LSAN_OPTIONS => 'exitcode=66', ASAN_OPTIONS => 'detect_leaks=1 exitcode=66'});

# How many requests each client has begun.
my $progress_file = spew("$r->{dir}/progress", "\0" x (8 * $clients));
sub progress { return unpack 'q*', slurp($progress_file) }

# One client: follows lists by their tokens, and requests records and a format that does not exist. Prints the number of answers
# of each status, then every fault.
sub client {
    my ($n) = @_;
    my (%count, @wrong);
    open my $progress, '+<', $progress_file or die $!;
    my @starts = map { "verb=$_" } 'ListRecords&metadataPrefix=oai_dc', 'ListIdentifiers&metadataPrefix=mods&set=dom', 'ListSets',
        'ListRecords&metadataPrefix=mets&from=2020-01-03', 'ListMetadataFormats', 'Identify', 'ListMetadataFormats&identifier=oai:example.org:5',
        map { "GetRecord&metadataPrefix=$_&identifier=oai:example.org:" . ($n + 20) } 'oai_dc', 'edm', 'nothing';
    my $query = $starts[$n % @starts];
    for (my $i = 1; ($count{200} // 0) < $quota && $i < 20 * $quota || !-e "$r->{dir}/enough"; ++$i) {
        sysseek $progress, 8 * ($n - 1), 0;
        syswrite $progress, pack('q', $i) or die $!;
        my $answer = $r->ask($query);
        $count{ $answer->{status} }++;
        my $body = $answer->{body} // '';
        push @wrong, "$query: $answer->{status}" if $answer->{status} !~ /^(?:200|503)$/;
        push @wrong, "$query: half an answer" if $answer->{status} eq '200' && $body !~ m{</OAI-PMH>\s*\z};
        push @wrong, "$query: $1" if $body =~ /(badResumptionToken)/;
        $query = $body =~ m{<(List\w+)>.*<resumptionToken[^>]*>([^<]+)<}s ? "verb=$1&resumptionToken=$2" : $starts[($n + $i) % @starts];
    }
    print join("\n", "counts " . join(' ', map { "$_=$count{$_}" } sort keys %count), @wrong), "\n";
    STDOUT->flush;
    return;
}

my @clients = map {
    my $n = $_;
    my $pid = open(my $out, '-|') // die $!;
    if (!$pid) { client($n); POSIX::_exit(0) }
    {pid => $pid, out => $out};
} 1 .. $clients;
my ($rounds, $began, $rotated_at, @held) = (0, time);
while (kill(0, map { $_->{pid} } @clients) == @clients) {
    last if grep { my $bits = ''; vec($bits, fileno $_->{out}, 1) = 1; select $bits, undef, undef, 0 } @clients;   # a client has finished
    my $digits = sprintf '%016x', ++$rounds;
    # If the key changed twice while a client held a token, the token would be refused. So it changes again once the server has
    # taken the last change over and each client has begun two requests since.
    @held = progress() if defined $rotated_at && !@held && substr($r->log_text, $rotated_at) =~ /event=reload state=/;
    my @now = progress();
    if (!defined $rotated_at || (@held && $rounds % 10 == 1 && !grep { $now[$_] < $held[$_] + 2 } 0 .. $#now)) {
        rename "$r->{dir}/key", "$r->{dir}/previous" or die $!;
        write_key("$r->{dir}/key", $digits);
        ($rotated_at, @held) = (-s $r->{log});
    }
    kill 'HUP', $r->{pid};
    spew("$r->{dir}/enough", '') if $rounds == 3;
    my $sheet = "$r->{dir}/formats/mods.xsl";
    spew($sheet, slurp($sheet) . "<!-- $rounds -->\n") if $rounds % 4 == 2;
    $r->{db}->run("update webarchiv.doc set status = $rounds where id = $rounds % 300 + 1", 'select oai.publish(100)') if $rounds % 3 == 0;
    $r->{db}->run("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'oai_reader' and datname = current_database()") if $rounds % 5 == 4;
    pace(0.25);
}
my (%count, @wrong);
for my $c (@clients) {
    my ($counts, @lines) = readline $c->{out};
    $count{$1} += $2 while ($counts // '') =~ /(\S+)=(\d+)/g;
    push @wrong, @lines;
    close $c->{out};
}
my $all = 0;
$all += $_ for values %count;
note sprintf '%s: %d requests (%s) in %.0f s, %d rounds of trouble', $flavour, $all, join(' ', map { "$_: $count{$_}" } sort keys %count), time - $began, $rounds;
cmp_ok $count{200}, '>=', $clients * $quota, 'each client got its pages';
is scalar @wrong, 0, 'every answer is complete and has the expected status' or diag @wrong[0 .. ($#wrong > 9 ? 9 : $#wrong)];
cmp_ok $rounds, '>=', 3, 'the server was disturbed at least three times';
is $r->stop, 0, 'the server stops cleanly, without a report of a sanitizer';
my @findings = grep { /Sanitizer|runtime error/ } split /\n/, $r->log_text;
is scalar @findings, 0, 'the log has no report of a sanitizer' or diag join "\n", @findings[0 .. ($#findings > 9 ? 9 : $#findings)];
unlike $r->log_text, qr/kind=(?:program|repository)/, 'the log has no internal error';
done_testing;
