#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# oai harvest against a provider with many kinds of faults (t/lib/HostileProvider.pm): each ends as deploy/manual/harvest.md says. In all cases a list
# that is written as complete is complete, and nothing takes longer than some seconds.
use XML::LibXML;
use TestProgram;
use HostileProvider;

my $oai   = "$build/" . ($ENV{OAI_FLAVOUR} // 'release') . '/oai';
my $dir   = tempdir('oai-harvester-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $hostile = HostileProvider->new;
my $xpath = XML::LibXML::XPathContext->new;
$xpath->registerNs(o => 'http://www.openarchives.org/OAI/2.0/');
$xpath->registerNs(dc => 'http://purl.org/dc/elements/1.1/');

# The harvester does not wait between attempts, only for bytes.
my @harvest = ($oai, 'harvest', '--longest-wait', 0);
# (status, output)
sub oai { return run_program(@harvest, @_) }
# libcurl takes some seconds to detect that a connection stalls, so this harvest runs in the background.
my $stalls = start_program([@harvest, $hostile->url('stalls'), '--output', "$dir/stalls.xml", '--timeout', 5], out => "$dir/stalls");
my $trickles = start_program([@harvest, $hostile->url('trickles'), '--output', "$dir/trickles.xml", '--timeout', 5], out => "$dir/trickles");
my $stopped = start_program([$oai, 'harvest', $hostile->url('trickles_on'), '--output', "$dir/trickles_on.xml", '--timeout', 3600], out => "$dir/trickles_on");

# identifier => [titles] of a file; dies if it is not well-formed.
sub records {
    my ($file) = @_;
    my %got;
    for my $record ($xpath->findnodes('/*/o:record', XML::LibXML->load_xml(location => $file))) {
        my $id = $xpath->findvalue('o:header/o:identifier', $record);
        push @{ $got{$id} }, $xpath->findvalue('o:metadata/*/dc:title', $record);
    }
    return \%got;
}
my %sound = map { ("oai:nasty.example:$_" => [$_ % 10 ? "Title $_" : '']) } 1 .. 25;

# Checks that a whole list is harvested. differs: number => other title than usual; says: pattern of the output.
sub ok_complete {
    my ($malady, %how) = @_;
    my $file = "$dir/$malady.xml";
    my ($status, $said) = oai($hostile->url($malady), '--output', $file, @{ $how{with} // [] });
    my $got = -e $file ? records($file) : {};
    my %differs = %{ $how{differs} // {} };
    is_deeply $got, {%sound, map { ("oai:nasty.example:$_" => [$differs{$_}]) } keys %differs}, "$malady: all records, each once" or diag $said;
    is $status, 0, "$malady: the exit status is that of a complete harvest" or diag $said;
    like $said, $how{says}, "$malady: the fault is reported" if $how{says};
    ok !-e "$file.part" && !-e "$file.state", "$malady: no temporary file is left";
    return $said;
}

# Checks that a harvest is incomplete, its reason, and the number of records that were received (in FILE.incomplete, or, with
# stands => 1, in FILE.part).
sub ok_incomplete {
    my ($malady, $why, $records, %how) = @_;
    my $file = "$dir/$malady.xml";
    my ($status, $said) = oai($hostile->url($malady), '--output', $file, @{ $how{with} // [] });
    is $status, 1, "$malady: the exit status is that of an incomplete harvest";
    like $said, $why, "$malady: the reason is reported";
    ok !-e $file, "$malady: no file looks like a complete list";
    if ($how{stands}) { my $part = slurp("$file.part", ''); is scalar(() = $part =~ /<record>/g), $records, "$malady: the received records are kept" }
    else { is $records && -e "$file.incomplete" ? scalar keys %{ records("$file.incomplete") } : 0, $records, "$malady: the received records are written" }
    return $said;
}

# ---- Faults from which the harvester recovers

ok_complete($_) for qw(sound doctype_alone html_type no_type lead utf16 prefixed no_namespace no_size odd_token escaped_token gzip far_namespaces drips some_empty_pages moving_earliest);
ok_complete('latin1', differs => {11 => "Tit\x{e9}l 11"});
ok_complete('controls', differs => {11 => "Ti\x{fffd}tle 11", 12 => "Ti\x{fffd}tle 12", 13 => "Ti\x{fffd}tle 13"}, says => qr/3 characters repaired/);
ok_complete('entities', differs => {11 => 'A & B&nbsp;&eacute; AT&T 11'}, says => qr/4 characters repaired/);
ok_complete($_, says => qr/line \d+: the \w+ (?:declarations )?of an element are more than \d+; taking it record by record/) for qw(attributes namespaces);
ok_complete('wrong_size', says => qr/completeListSize was 7, and 25 records came/);
ok_complete('ends_with_error');
ok_complete($_, says => qr/line \d+: /) for qw(truncated_once);
ok_complete($_, says => qr/an empty answer/) for qw(empty_once);
ok_complete($_, says => qr/no answer of OAI-PMH/) for qw(html_once);
ok_complete($_, says => qr/asking again in/) for qw(broken_off hangs_up gzip_garbage);
ok_complete('gzip_cut', says => qr/; compressed, perhaps cut; asking again in/);
ok_complete($_, says => qr/HTTP status 503; asking again in/) for qw(busy busy_date busy_silent);
ok_complete('too_many', says => qr/HTTP status 429/);
ok_complete('error_500', says => qr/HTTP status 500/);
ok_complete('redirect');
like slurp("$dir/redirect.xml", ''), qr{baseURL="\Q${\$hostile->url('redirect')}\E"}, 'the recorded base URL is the requested one, in spite of a redirect';
ok_complete('bad_token_once', says => qr/expired; asking again/);
ok_complete('bad_token_thrice', says => qr/begins again from its start/);
ok_complete('bad_record', says => qr/taking it record by record/);
ok_complete('nested_records', says => qr/taking it record by record/);
ok_complete('deep', says => qr/taking it record by record/);
ok_complete('junk_behind', says => qr/5 characters repaired/);
like slurp("$dir/far_namespaces.xml"), qr{xmlns:dcterms="http://purl.org/dc/terms/"}, 'a prefix that is used only in a value keeps its declaration';
my $whole = 0;
$whole++ for grep { /^verb=ListRecords/ } $hostile->requests('truncated_once');
is $whole, 6, 'only the damaged page is requested twice';

# ---- A repository that gives what was not asked for: all of it is taken, and counted

my $said_of_set = ok_complete('loses_set', with => ['--set', 'best'], says => qr/oai_dc of set best: 20 of 25 records are not of the set asked for, as oai:nasty\.example:6$/m);
like $said_of_set, qr/complete: 25 records, 2 of them deleted, in 5 pages; 20 records not of the set asked for; in /, 'the summary says so, too';
unlike ok_complete('no_specs', with => ['--set', 'best']), qr/asked for/, 'of one without any setSpec it is not known';
ok_complete('loses_dates', with => ['--from', '2024-01-01T00:00:20Z', '--until', '2024-01-01T00:00:23Z'],
    says => qr/21 of 25 records are not of the dates asked for, as oai:nasty\.example:1\n.*; 21 records not of the dates asked for; in /ms);
my ($repeating, $told) = oai($hostile->url('repeats'), '--output', "$dir/repeats.xml");
is $repeating, 0, 'repeats: the harvest is complete';
like $told, qr/oai_dc: 2 of 28 records came before, as oai:nasty\.example:10\n.*completeListSize was 25, and 28 records came.*complete: 28 records, 4 of them deleted, in 5 pages; 2 records repeated, 1 lists with a wrong completeListSize; in/ms,
    'repeats: what came before with the same datestamp is counted, and the size that does not fit' or diag $told;

# ---- Faults that make a harvest incomplete

ok_incomplete('truncated', qr/line \d+/, 10, stands => 1);
ok_incomplete('html', qr/no answer of OAI-PMH/, 10, stands => 1);
ok_incomplete('error_404', qr/HTTP status 404/, 10, stands => 1);
ok_incomplete('busy_for_ever', qr/HTTP status 503/, 10, stands => 1);
# An answer is in memory once, with its records; a damaged one twice.
unshift @harvest, 'sh', '-c', 'ulimit -d 300000; exec "$@"', 'sh';
ok_incomplete('endless', qr/larger than 104857600 bytes \(--page-limit\)/, 10, stands => 1);
ok_complete('one_text', with => ['--tries', 1], says => qr/the bytes of a text are more than .*taking it record by record/);
ok_incomplete('gzip_bomb', qr/larger than/, 10, stands => 1, with => ['--page-limit', 2]);
ok_incomplete('huge', qr/larger than/, 10, stands => 1, with => ['--page-limit', 2]);
ok_incomplete('redirect_loop', qr/redirects/i, 0);
ok_incomplete('redirect_file', qr/file/i, 0);
ok_incomplete('same_token', qr/leads back into itself/, 15);
ok_incomplete('circle', qr/leads back into itself/, 15);
ok_incomplete('empty_pages', qr/51 pages without a new record/, 0);
ok_incomplete('bad_token', qr/expired, after 3 beginnings from the start/, 10);
ok_incomplete('vanishes', qr/backend is down/, 10);
ok_incomplete('no_format', qr/cannotDisseminateFormat: not that one/, 0);
ok_incomplete('worse_record', qr/left out: oai:nasty\.example:12.*1 pages came with records missing/s, 24);
ok_incomplete('nameless', qr/\(no identifier\) \S+ behind oai:nasty.example:11/, 24);
ok_incomplete('doctype', qr/DOCTYPE/, 10, stands => 1);
ok_incomplete('no_such_malady', qr/HTTP status 404/, 0);
my ($status, $said) = oai('http://127.0.0.1:9/oai', '--output', "$dir/none.xml", '--tries', 2);
is $status, 1, 'a server that does not answer: status 1';
is +(run_apart(@harvest, $hostile->url('error_404'), '--output', "$dir/unsaid.xml"))[1], '', 'what fails is told on standard error';
is +(oai($hostile->url('sound'), '--output', "$dir/plain.xml.gz"))[0], 2, 'plain XML is not written under the name of gzip';
like $said, qr/127\.0\.0\.1:9/, 'its address is reported';
ok !-e "$dir/none.xml.part", 'and no file is left';

# ---- An incomplete harvest resumes when the repository has recovered

$hostile->heal('truncated');
ok_complete('truncated', says => qr/going on behind 10 records/);
is scalar(grep { /metadataPrefix/ } $hostile->requests('truncated')), 1, 'the start of the list is not requested again';

waitpid $stalls, 0;
is $?, 0, 'a stalled connection is given up, and the page is requested again' or diag slurp("$dir/stalls");
like slurp("$dir/stalls"), qr/too slow.*asking again/, 'the timeout is reported';
is_deeply records("$dir/stalls.xml"), \%sound, 'all records are harvested, each once';

is status_of($trickles), 0, 'so is one that trickles three bytes a second';
like slurp("$dir/trickles"), qr/too slow.*asking again/, 'which is said';
is_deeply records("$dir/trickles.xml"), \%sound, 'all records are harvested, each once';

# ---- SIGTERM ends a harvest whatever it waits for

ok wait_until(sub { grep { /resumptionToken/ } $hostile->requests('trickles_on') }), 'a harvest waits for an answer';
is stop_program($stopped), 'signal 15', 'and ends by SIGTERM';
like slurp("$dir/trickles_on"), qr/^oai: harvest: stopped within a page/m, 'saying what was left';
ok !-e "$dir/trickles_on.xml", 'nothing looks whole';

# ---- An empty list

($status, $said) = oai($hostile->url('nothing'), '--output', "$dir/nothing.xml");
is $status, 0, 'noRecordsMatch is a complete harvest';
is_deeply records("$dir/nothing.xml"), {}, 'whose file is well-formed and has no records';

# ---- Granularity

my ($day) = oai($hostile->url('days'), '--output', "$dir/days.xml", '--from', '2024-01-01T10:00:00Z', '--until', '2024-02-01T00:00:00Z');
is $day, 0, 'a harvest from a repository with the granularity of days succeeds';
ok scalar(grep { /from=2024-01-01&until=2024-02-01$/ } $hostile->requests('days')), 'it is asked for days';
oai($hostile->url('sound'), '--output', "$dir/seconds.xml", '--from', '2024-01-01', '--until', '2024-02-01');
ok scalar(grep { /from=2024-01-01T00%3A00%3A00Z&until=2024-02-01T23%3A59%3A59Z$/ } $hostile->requests('sound')), 'a repository with the granularity of seconds is asked for seconds, up to the end of the last day';

# ---- A harvest that is killed repeatedly resumes where it stopped

my ($long, @killed) = ("$dir/long.xml");
for my $after (50, 300, 600) {
    spew($hostile->hold, $after);   # it answers no more from there on
    my $pid = start_program([$oai, 'harvest', $hostile->url('long'), '--output', $long], out => '/dev/null');
    wait_until(sub { grep { /resumptionToken=t$after$/ } $hostile->requests('long') });
    push @killed, stop_program($pid, 'KILL');
}
unlink $hostile->hold or die $!;
is "@killed", 'signal 9 signal 9 signal 9', 'three harvests were killed while running';
($status, $said) = oai($hostile->url('long'), '--output', $long);
is $status, 0, 'the fourth one completes the list' or diag $said;
my $text = slurp($long);
is scalar(() = $text =~ /<record>/g), 1000, 'there are 1000 records';
is scalar(keys %{ records($long) }), 1000, 'with different identifiers';
is scalar(grep { /metadataPrefix/ } $hostile->requests('long')), 1, 'the list was never restarted';
oai($hostile->url('long'), '--output', "$dir/at_once.xml");
ok slurp("$dir/at_once.xml") eq $text, 'the file equals, byte for byte, that of an uninterrupted harvest';
($status, $said) = oai($hostile->url('long'), '--output', "$dir/some.xml", '--max-records', 12);
is $status, 1, '--max-records stops a harvest early';
($status, $said) = oai($hostile->url('long'), '--output', "$dir/some.xml", '--max-records', 12);
like $said, qr/stopped: 30 records \(15 in this run\), 3 of them deleted, in 6 pages$/m, 'a second one counts what came in both runs' or diag $said;
($status, $said) = oai($hostile->url('sound'), '--output', "$dir/some.xml");
like $said, qr/some\.xml\.part holds oai_dc of .*long/, 'and a harvest of another repository does not resume it';
open my $hold, '>>', "$dir/held.xml.part" or die $!;
flock $hold, 2 or die $!;
($status, $said) = oai($hostile->url('sound'), '--output', "$dir/held.xml");
like $said, qr/another oai harvest is writing it/, 'two harvests do not write the same file';

# ---- Several repositories at once, and lists of sets and formats

mkdir "$dir/many";
($status, $said) = oai($hostile->url('sound'), $hostile->url('gzip'), $hostile->url('error_404'), '--output', "$dir/many", '--set', 'all', '--set', 'x:y');
is $status, 1, 'if one repository fails, the exit status is 1';
opendir my $many, "$dir/many";
is join(' ', sort grep { /all\.xml$/ } readdir $many), "127.0.0.1_$hostile->{port}_gzip.oai_dc.all.xml 127.0.0.1_$hostile->{port}_sound.oai_dc.all.xml",
    'the other lists are written, each to its own file';
($status) = oai($hostile->url('sound'), $hostile->url('gzip'), '--output', "$dir/both.xml");
is $status, 2, 'several repositories cannot be written to one file';
is +(oai($hostile->url('sound'), '--output', '-'))[0], 2, 'a list that may have to begin again is not written to standard output';
is scalar(`$oai harvest @{[$hostile->url('sound')]} --sets`), "all\tAll & everything\n", '--sets lists the sets';
is scalar(`$oai harvest @{[$hostile->url('sound')]} --formats`), "oai_dc\thttp://n\thttp://s\n", '--formats lists the formats';
done_testing;
