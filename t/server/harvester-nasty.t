#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# oai harvest against a provider that does everything wrong (t/lib/Nasty.pm): each malady ends as RUNBOOK says. Two
# sentences hold for all: what is written as complete is complete, and nothing takes longer than seconds.
use strict;
use warnings;
use FindBin;
use Cwd qw(abs_path);
use File::Temp qw(tempdir);
use Test::More;
use Time::HiRes qw(time);
use XML::LibXML;
use lib "$FindBin::Bin/../lib";
use Nasty;

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");
my $oai   = "$build/" . ($ENV{OAI_FLAVOUR} // 'release') . '/oai';
my $dir   = tempdir('oai-harvester-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $nasty = Nasty->new;
my $xpath = XML::LibXML::XPathContext->new;
$xpath->registerNs(o => 'http://www.openarchives.org/OAI/2.0/');
$xpath->registerNs(dc => 'http://purl.org/dc/elements/1.1/');

sub slurp { open my $in, '<', $_[0] or return ''; local $/; return <$in> // '' }

# No waits but those for bytes.
sub start {
    my ($said, @arguments) = @_;
    my $pid = fork // die $!;
    return $pid if $pid;
    open STDOUT, '>', $said or die $!;
    open STDERR, '>&', \*STDOUT or die $!;
    exec 'timeout', 60, $oai, 'harvest', '--longest-wait', 0, @arguments or die $!;
}
# The exit status, all that was said, and the seconds it took.
sub oai {
    my (@arguments) = @_;
    my $begin = time;
    waitpid start("$dir/said", @arguments), 0;
    return ($? >> 8, slurp("$dir/said"), time - $begin);
}
# libcurl takes some seconds to tell that nothing comes any more; what follows does not wait for it.
my $stalls = start("$dir/stalls", $nasty->url('stalls'), '--output', "$dir/stalls.xml", '--timeout', 1);

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

# A whole list. differs: what titles are instead; says: what was said.
sub whole {
    my ($malady, %how) = @_;
    my $file = "$dir/$malady.xml";
    my ($status, $said, $seconds) = oai($nasty->url($malady), '--output', $file, @{ $how{with} // [] });
    my $got = -e $file ? records($file) : {};
    my %differs = %{ $how{differs} // {} };
    is_deeply $got, {%sound, map { ("oai:nasty.example:$_" => [$differs{$_}]) } keys %differs}, "$malady: all records, each once" or diag $said;
    is $status, 0, "$malady: and that is a complete harvest" or diag $said;
    like $said, $how{says}, "$malady: it is said" if $how{says};
    cmp_ok $seconds, '<', 15, "$malady: within seconds";
    ok !-e "$file.part" && !-e "$file.state", "$malady: nothing is left over";
    return $said;
}

# No whole list: why, and how many records could be had (in FILE.incomplete, or if stands in FILE.part).
sub failed {
    my ($malady, $why, $records, %how) = @_;
    my $file = "$dir/$malady.xml";
    my ($status, $said, $seconds) = oai($nasty->url($malady), '--output', $file, @{ $how{with} // [] });
    is $status, 1, "$malady: not complete";
    like $said, $why, "$malady: says why";
    ok !-e $file, "$malady: nothing looks like a complete list";
    cmp_ok $seconds, '<', 20, "$malady: within seconds";
    if ($how{stands}) { my $part = slurp("$file.part"); is scalar(() = $part =~ /<record>/g), $records, "$malady: what came is kept" }
    else { is $records && -e "$file.incomplete" ? scalar keys %{ records("$file.incomplete") } : 0, $records, "$malady: what came is written" }
    return $said;
}

# ---- Sound in the end

whole($_) for qw(sound html_type no_type lead utf16 prefixed no_namespace no_size odd_token escaped_token gzip far_namespaces drips some_empty_pages);
whole('latin1', differs => {11 => "Tit\x{e9}l 11"});
whole('controls', differs => {11 => "Ti\x{fffd}tle 11", 12 => "Ti\x{fffd}tle 12", 13 => "Ti\x{fffd}tle 13"}, says => qr/3 characters repaired/);
whole('entities', differs => {11 => 'A & B&nbsp;&eacute; AT&T 11'}, says => qr/4 characters repaired/);
whole('wrong_size', says => qr/completeListSize was 7, and 25 records came/);
whole('ends_with_error');
whole($_, says => qr/line \d+: /) for qw(truncated_once);
whole($_, says => qr/an empty answer/) for qw(empty_once);
whole($_, says => qr/no answer of OAI-PMH/) for qw(html_once);
whole($_, says => qr/asking again in/) for qw(broken_off hangs_up gzip_garbage gzip_cut);
whole($_, says => qr/HTTP status 503; asking again in/) for qw(busy busy_date busy_silent);
whole('too_many', says => qr/HTTP status 429/);
whole('error_500', says => qr/HTTP status 500/);
whole('redirect');
like slurp("$dir/redirect.xml"), qr{baseURL="\Q${\$nasty->url('redirect')}\E"}, 'the base URL is the one that was asked, wherever it leads';
whole('bad_token_once', says => qr/expired; asking again/);
whole('bad_token_thrice', says => qr/begins again from its start/);
whole('bad_record', says => qr/taking it record by record/);
whole('nested_records', says => qr/taking it record by record/);
whole('deep', says => qr/taking it record by record/);
whole('junk_behind', says => qr/5 characters repaired/);
like slurp("$dir/far_namespaces.xml"), qr{xmlns:dcterms="http://purl.org/dc/terms/"}, 'a prefix that stands in a value alone keeps its declaration';
my $whole = 0;
$whole++ for grep { /^verb=ListRecords/ } $nasty->asked('truncated_once');
is $whole, 6, 'only the page that came damaged is asked for twice';

# ---- Not to be had

failed('truncated', qr/line \d+/, 10, stands => 1);
failed('html', qr/no answer of OAI-PMH/, 10, stands => 1);
failed('error_404', qr/HTTP status 404/, 10, stands => 1);
failed('busy_for_ever', qr/HTTP status 503/, 10, stands => 1);
failed('gzip_bomb', qr/larger than/, 10, stands => 1, with => ['--page-limit', 2]);
failed('huge', qr/larger than/, 10, stands => 1, with => ['--page-limit', 2]);
failed('redirect_loop', qr/redirects/i, 0);
failed('redirect_file', qr/file/i, 0);
failed('same_token', qr/leads back into itself/, 15);
failed('circle', qr/leads back into itself/, 15);
failed('empty_pages', qr/51 pages without a record/, 0);
failed('bad_token', qr/expired, after 3 beginnings from the start/, 10);
failed('vanishes', qr/backend is down/, 10);
failed('no_format', qr/cannotDisseminateFormat: not that one/, 0);
failed('worse_record', qr/left out: oai:nasty\.example:12.*1 pages came with records missing/s, 24);
failed('nameless', qr/1 records without an identifier/, 24);
failed('doctype', qr/DOCTYPE/, 10, stands => 1);
failed('no_such_malady', qr/HTTP status 404/, 0);
my ($status, $said) = oai('http://127.0.0.1:9/oai', '--output', "$dir/none.xml", '--tries', 2);
is $status, 1, 'nobody there';
like $said, qr/127\.0\.0\.1:9/, 'is said';
ok !-e "$dir/none.xml.part", 'and leaves nothing behind';

# ---- What stood goes on when the repository is well again

$nasty->heal('truncated');
whole('truncated', says => qr/going on behind 10 records/);
is scalar(grep { /metadataPrefix/ } $nasty->asked('truncated')), 1, 'the start of the list is not asked for again';

waitpid $stalls, 0;
is $?, 0, 'a connection that stalls is given up, and the page asked for again' or diag slurp("$dir/stalls");
like slurp("$dir/stalls"), qr/too slow.*asking again/, 'it is said';
is_deeply records("$dir/stalls.xml"), \%sound, 'all records, each once';

# ---- Nothing there

($status, $said) = oai($nasty->url('nothing'), '--output', "$dir/nothing.xml");
is $status, 0, 'no records match: a complete harvest';
is_deeply records("$dir/nothing.xml"), {}, 'of nothing, well-formed';

# ---- Granularity

my ($day) = oai($nasty->url('days'), '--output', "$dir/days.xml", '--from', '2024-01-01T10:00:00Z', '--until', '2024-02-01T00:00:00Z');
is $day, 0, 'a repository of days is asked for days';
ok scalar(grep { /from=2024-01-01&until=2024-02-01$/ } $nasty->asked('days')), 'in its form';
oai($nasty->url('sound'), '--output', "$dir/seconds.xml", '--from', '2024-01-01', '--until', '2024-02-01');
ok scalar(grep { /from=2024-01-01T00%3A00%3A00Z&until=2024-02-01T23%3A59%3A59Z$/ } $nasty->asked('sound')), 'one of seconds for seconds, of the last day too';

# ---- Killed again and again, it goes on where it stopped

my ($long, @killed) = ("$dir/long.xml");
for my $after (0.15, 0.3, 0.2) {
    my $pid = fork // die $!;
    if (!$pid) { open STDOUT, '>', '/dev/null'; open STDERR, '>', '/dev/null'; exec $oai, 'harvest', $nasty->url('long'), '--output', $long or die $! }
    select undef, undef, undef, $after;
    kill 'KILL', $pid;
    waitpid $pid, 0;
    push @killed, $? & 127;
}
is "@killed", '9 9 9', 'three harvests were killed under way';
($status, $said) = oai($nasty->url('long'), '--output', $long);
is $status, 0, 'the fourth comes to the end' or diag $said;
my $text = slurp($long);
is scalar(() = $text =~ /<record>/g), 1000, 'each record once';
is scalar(keys %{ records($long) }), 1000, 'and all of them';
is scalar(grep { /metadataPrefix/ } $nasty->asked('long')), 1, 'the list was never begun anew';
oai($nasty->url('long'), '--output', "$dir/at_once.xml");
ok slurp("$dir/at_once.xml") eq $text, 'to the byte what one harvest writes that nobody kills';
($status, $said) = oai($nasty->url('long'), '--output', "$dir/some.xml", '--max-records', 12);
is $status, 1, '--max-records ends it before its end';
($status, $said) = oai($nasty->url('sound'), '--output', "$dir/some.xml");
like $said, qr/some\.xml\.part holds oai_dc of .*long/, 'which another repository does not go on with';
open my $hold, '>>', "$dir/held.xml.part" or die $!;
flock $hold, 2 or die $!;
($status, $said) = oai($nasty->url('sound'), '--output', "$dir/held.xml");
like $said, qr/another oai harvest is writing it/, 'two do not write one file';

# ---- Several at a time, standard output, and what a repository says of itself

mkdir "$dir/many";
($status, $said) = oai($nasty->url('sound'), $nasty->url('gzip'), $nasty->url('error_404'), '--output', "$dir/many", '--set', 'all', '--set', 'x:y');
is $status, 1, 'one repository that fails is told in the exit status';
opendir my $many, "$dir/many";
is join(' ', sort grep { /all\.xml$/ } readdir $many), "127.0.0.1_$nasty->{port}_gzip.oai_dc.all.xml 127.0.0.1_$nasty->{port}_sound.oai_dc.all.xml",
    'the others are there, a file a list';
($status) = oai($nasty->url('sound'), $nasty->url('gzip'), '--output', "$dir/both.xml");
is $status, 2, 'one file takes one list';
my $piped = `$oai harvest @{[$nasty->url('sound')]} --output - 2>$dir/piped.err`;
is $?, 0, 'to standard output';
is scalar(() = $piped =~ /<record>/g), 25, 'all of it';
like slurp("$dir/piped.err"), qr/complete: 25 records, 2 of them deleted, in 5 pages/, 'and nothing else';
is scalar(`$oai harvest @{[$nasty->url('sound')]} --sets`), "all\tAll & everything\n", 'sets';
is scalar(`$oai harvest @{[$nasty->url('sound')]} --formats`), "oai_dc\thttp://n\thttp://s\n", 'formats';
my ($friend, $foe) = split /\n/, `$oai harvest @{[$nasty->url('friendly')]} --friends`;
is $friend, $nasty->url('sound') . "\tNasty\tYYYY-MM-DDThh:mm:ssZ\tpersistent", 'friends, and who they are';
like $foe, qr/error_at_once\t\t\t\t.*HTTP status 404/, 'one that does not answer is named all the same';
done_testing;
