#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# oai dump: a dump and its differences are what a harvest gives, record by record, and what the tables hold, whatever happens
# meanwhile: kill -9 before and after every file is renamed, a writer in between, a full disk, another numbering, a format that is
# stamped anew. --verify finds what is not as it was, and the recipes of the manual read what is.
use TestProgram;
use DocumentedCommands;
use Fcntl ':flock';
use JSON::PP;

my $db = Database->new(model => 'library');
my $r = Repository->new(db => $db, ini => {lists => {records => 1000}});
system('cp', '-r', "$root/xslt/library/part", "$root/xslt/library/oai_dc.xsl", "$root/xslt/library/marc21.xsl", $r->{formats}) == 0 or die;
my $dir = "$r->{dir}/dump";
mkdir $dir or die $!;

sub dump_to { my ($to, @options) = @_; return $r->oai('dump', '--to', $to, @options) }
sub publish { 1 while $db->publish > 0; return }
sub manifest { return decode_json(slurp(($_[0] // $dir) . '/manifest.json')) }
sub list { my ($prefix, $m) = @_; return (grep { $_->{metadataPrefix} eq $prefix } @{($m // manifest())->{lists}})[0] }
sub files { my ($list, $form) = @_; return grep { $_->{form} eq $form } map { @{$_->{files}} } @{$list->{parts}} }
sub unpacked { my ($name) = @_; return join '', `gzip -dc '$dir/$name'` }
sub add_records { my ($into, $text) = @_; while ($text =~ m{^(<record><header[^>]*><identifier>(.*?)</identifier>.*?</record>)$}gms) { $into->{$2} = $1 } return }
# identifier => record, of the parts of a dump one after the other.
sub dumped { my ($prefix) = @_; my %records; add_records(\%records, unpacked($_->{name})) for files(list($prefix), 'xml'); return \%records }
sub harvested {
    my ($prefix) = @_;
    my (%records, $token);
    do {
        my (undef, $said) = $r->oai('get', defined $token ? "verb=ListRecords&resumptionToken=$token" : "verb=ListRecords&metadataPrefix=$prefix");
        add_records(\%records, $said);
        ($token) = $said =~ m{<resumptionToken[^>]*>([^<]+)<};
    } while defined $token;
    return \%records;
}
# identifier => deleted, as the tables have it.
sub published { return {map { ("oai:example.org:$_->[0]" => $_->[1]) } $db->rows('select local_id, deleted from oai.item where seq is not null')} }
sub equal {
    my ($what, @prefixes) = @_;
    for my $prefix (@prefixes ? @prefixes : 'oai_dc') {
        my ($dump, $harvest) = (dumped($prefix), harvested($prefix));
        is_deeply $dump, $harvest, "$what: what is dumped in $prefix is what is harvested: " . keys(%$harvest) . ' records';
        is_deeply {map { ($_ => $dump->{$_} =~ /^<record><header status="deleted">/ ? 't' : 'f') } keys %$dump}, published(), "$what: and what the tables hold"
            if $prefix eq 'oai_dc';
    }
    my ($status, $said) = $r->oai('dump', '--verify', $dir);
    is $status, 0, "$what: the dump is whole" or diag $said;
    return;
}

# Enough text that does not get shorter for two files of a megabyte.
$db->run("insert into library.item (local_id, kind, title, language, description)
    select 'r' || n, 'book', array['Title <' || n || '> & more'], '{en}', array[(select string_agg(md5(n || '.' || i), '') from generate_series(1, 40) i)] from generate_series(1, 2500) n",
    "insert into library.collection (name) values ('war')", "insert into library.item_collection select i.id, c.id from library.item i, library.collection c where i.local_id in ('r1', 'r2')",
    "update library.item set deleted = true where local_id = 'r3'");
publish();
my @both = qw(--format oai_dc,marc21 --as xml,jsonl --file-megabytes 1);
my ($status, $said) = dump_to($dir, @both);
is $status, 0, 'a repository is dumped' or diag $said;
like $said, qr/^oai_dc: whole, 2500 records, 1 of them deleted, 0 failed, up to number \d+$/m, 'and that is said';
equal('whole', qw(oai_dc marc21));
cmp_ok scalar(files(list('oai_dc'), 'xml')), '>=', 2, 'a file that is long enough is followed by another';
cmp_ok((sort { $b <=> $a } map { $_->{bytes} } files(list('oai_dc'), 'xml'))[0], '<', 2 << 20, 'and none is much longer');
spew("$r->{dir}/one.xml", unpacked((files(list('oai_dc'), 'xml'))[0]{name}));
is system("$root/t/lib/validate $r->{dir}/one.xml >$r->{dir}/validated 2>&1"), 0, 'a file is a valid answer to ListRecords' or diag slurp("$r->{dir}/validated");
my %json = map { my $record = decode_json($_); ($record->{identifier} => $record) } map { split /\n/, unpacked($_->{name}) } files(list('oai_dc'), 'jsonl');
is_deeply [sort keys %json], [sort keys %{dumped('oai_dc')}], 'the lines of JSON are of the same records';
is_deeply [@{$json{'oai:example.org:r1'}}{qw(deleted sets)}, $json{'oai:example.org:r1'}{metadata}{'dc:title'}], [JSON::PP::false, ['type:book', 'lang:en', 'col:war'], ['Title <1> & more']],
    'with their sets and metadata' or diag explain $json{'oai:example.org:r1'};
ok $json{'oai:example.org:r3'}{deleted}, 'and their deletions';

# Differences.
my %before = map { ($_->{name} => 1) } files(list('oai_dc'), 'xml');
$db->run("update library.item set title = '{Changed}' where local_id in ('r5', 'r6')", "update library.item set deleted = true where local_id = 'r7'",
    "insert into library.item (local_id, kind, title) values ('new', 'book', '{New}')", "delete from library.item_collection");
publish();
($status, $said) = dump_to($dir);
like $said, qr/^oai_dc: difference, 6 records, 1 of them deleted.*\nmarc21: difference, 6 records/m, 'what has changed since is dumped, in the formats that there are';
equal('with a difference', qw(oai_dc marc21));
is_deeply [grep { !-e "$dir/$_" } keys %before], [], 'beside the files that were there';
like join('', map { unpacked($_->{name}) } (files(list('oai_dc'), 'xml'))[-1]), qr{:r1</identifier><datestamp>[^<]*</datestamp><setSpec>type:book</setSpec><setSpec>lang:en</setSpec></header>}, 'who left a set is in it, without the set';
my $is_there = slurp("$dir/manifest.json");
($status, $said) = dump_to($dir);
like $said, qr/^oai_dc: difference, 0 records/m, 'without a change nothing is added';
is scalar(files(list('oai_dc'), 'xml')), scalar(files(list('oai_dc', decode_json($is_there)), 'xml')), 'no file either';
cmp_ok list('oai_dc')->{responseDate}, 'ge', list('oai_dc', decode_json($is_there))->{responseDate}, 'but a harvest may begin later';

# Killed, or stopped, before or after the Nth file gets its name, and with changes in between.
spew("$r->{dir}/die.c", <<'C');
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
int rename(const char* from, const char* to) {
    static int n;
    int (*next)(const char*, const char*) = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename");
    const int at = atoi(getenv("DIE_AT")), by = getenv("STOPS") ? SIGSTOP : SIGKILL;
    ++n;
    if (at == 2 * n - 1) raise(by);
    const int done = next(from, to);
    if (at == 2 * n) raise(by);
    return done;
}
C
system('cc', '-shared', '-fPIC', '-o', "$r->{dir}/die.so", "$r->{dir}/die.c") == 0 or die;
sub killed_at {
    my ($n, @options) = @_;
    local @ENV{qw(LD_PRELOAD DIE_AT)} = ("$r->{dir}/die.so", $n);
    return (dump_to($dir, @options))[0] eq 'signal 9';
}
# A whole dump that has written files stops, and goes on when the code has done what it wants to do meanwhile.
sub is_dumped_around {
    my ($what, $meanwhile) = @_;
    my $pid = start_program(["$r->{bin}/oai", '--config', $r->{ini}, 'dump', '--to', $dir, '--whole', '--file-megabytes', 1],
        out => "$r->{dir}/stopped", env => {LD_PRELOAD => "$r->{dir}/die.so", DIE_AT => 7, STOPS => 1});
    ok wait_until(sub { slurp("/proc/$pid/stat") =~ /\) T / }), "$what: in mid-dump" or diag slurp("$r->{dir}/stopped");
    my $told = $meanwhile->();
    kill 'CONT', $pid;
    is status_of($pid), 0, "$what: it ends well" or diag slurp("$r->{dir}/stopped");
    return $told;
}
my ($kills, $changed) = (0, 0);
my $step = is_long() ? 1 : 10;
for my $kind ([], ['--whole', '--file-megabytes', 1]) {
    for (my $n = 1 + sample_number() % $step; ; $n += $step) {
        $db->run("update library.item set title = array['Changed " . ++$changed . "'] where local_id in ('r$changed', 'r2500')");
        publish() if $kills % 2 == 0;
        last if !killed_at($n, @$kind);
        ++$kills;
        ($status, $said) = $r->oai('dump', '--verify', $dir);
        is $status, 0, "@$kind killed at $n: what can be fetched is whole" or diag $said;
    }
    publish();
    dump_to($dir);
    equal("after the kills@$kind", qw(oai_dc marc21));
}
cmp_ok $kills, '>=', 4, "$kills times a dump was killed";    # of each kind twice at least
is_deeply [glob("$dir/*.part"), glob("$dir/.*.progress")], [], 'and nothing of that is left';
my %known = map { ($_ => 1) } (map { $_->{name} } map { (files($_, 'xml'), files($_, 'jsonl')) } @{manifest()->{lists}}), map { $_->{name} } @{manifest()->{retired}};
is_deeply [grep { !$known{$_} } map { s{.*/}{}r } glob("$dir/*.gz")], [], 'nor a file that the manifest does not know';

# A whole dump anew, and why.
sub dumped_anew_one { is_whole('a stylesheet changed while a dump was written'); return dumped('oai_dc')->{'oai:example.org:r10'} }
sub is_whole { my ($why) = @_; ($status, $said) = dump_to($dir); like $said, qr/^oai_dc: whole/m, "$why: a whole dump"; equal($why); return }
$db->run("update library.item set title = '{Again}' where not deleted");
publish();
dump_to($dir);
$db->run("update library.item set title = '{And again}' where not deleted");
publish();
dump_to($dir);
is_whole('the differences have more than the whole');
$db->run('update oai.horizon set epoch = epoch + 1');
is_whole('another numbering');
spew("$r->{formats}/oai_dc.xsl", slurp("$r->{formats}/oai_dc.xsl") =~ s{prefix="oai_dc"}{$& since="2026-01-02T00:00:00Z"}r);
($status, $said) = dump_to($dir);
like $said, qr/^oai_dc: whole.*\nmarc21: difference/m, 'a format is stamped anew: a whole dump of it, and of no other';
equal('stamped anew');
is list('oai_dc')->{since}, '2026-01-02T00:00:00Z', 'which the manifest says';
ok killed_at(7, '--whole', '--file-megabytes', 1), 'a dump is killed';
spew("$r->{formats}/oai_dc.xsl", slurp("$r->{formats}/oai_dc.xsl") . "<!-- changed -->\n");
is_whole('a stylesheet changed in mid-dump');
is_dumped_around('another numbering', sub { $db->run('update oai.horizon set epoch = epoch + 1') });
equal('another numbering in mid-dump', qw(oai_dc marc21));
my $before = is_dumped_around('another stylesheet', sub {
    my $harvest = harvested('oai_dc');
    spew("$r->{formats}/oai_dc.xsl", slurp("$r->{formats}/oai_dc.xsl") =~ s{</oai_dc:dc>}{<dc:source>made later</dc:source>$&}r);
    return $harvest;
});
is_deeply dumped('oai_dc'), $before, 'its records are those of the stylesheet that it began with';
like dumped_anew_one(), qr{<dc:source>made later<}, 'and the next one has those of the other';
cmp_ok scalar(@{manifest()->{retired}}), '>', 0, 'the files before stay for some days';
dump_to($dir, '--days', 0);
is_deeply manifest()->{retired}, [], 'and are removed then';

# A harvest begins by the dump, which nginx gives out by the shipped configuration, and goes on by OAI-PMH: what changed since comes,
# and nothing else is asked for.
my $web = shared_directory();
spew("$web/$_", slurp("$root/deploy/$_") =~ s{/var/lib/oai-dump}{$dir}gr) for map { s{.*/}{}r } glob "$root/deploy/*.conf";
{
    local $ENV{OAI_WEB_FILES} = $web;
    $r->configure(base_url => $r->url);
}
dump_to($dir);
$r->start;
$db->run("update library.item set title = '{Later}' where local_id in ('r20', 'r21')", "update library.item set deleted = true where local_id = 'r22'");
publish();
$r->wait_for_horizon;
sub lists_of { my ($what) = @_; return scalar(() = $r->log_text =~ /verb=ListRecords .*$what/g) }
my $hub = Repository->new(db => Database->new(model => 'library'), ini => {repository => {identifier_namespace => 'hub.example.org'}});
$hub->oai('repository', 'add', 'lib', $r->url, '--format', 'marc21');
($status, $said) = $hub->oai('harvest', 'lib', '--from-dump', $r->url . '/dump');
is $status, 0, 'a harvest into the database begins by a dump' or diag $said;
like $said, qr/: 5\d\d\d records of the dump/, 'of both formats';
like $said, qr/^lib: complete: \d records/m, 'and goes on behind it';
is_deeply [$hub->{db}->rows("select identifier, bool_and(deleted) from harvest.record group by 1 order by identifier collate \"C\"")],
    [$db->rows("select 'oai:example.org:' || local_id, deleted from oai.item where seq is not null order by local_id collate \"C\"")], 'with what the repository has, deletions included';
is_deeply [map { $hub->{db}->value("select title from library.item i join harvest.record r on r.id_item = i.id where r.prefix = 'marc21' and r.identifier = 'oai:example.org:$_'") } 'r10', 'r20'], ['{"And again"}', '{Later}'],
    'of what came later as it is now';
cmp_ok lists_of(''), '<=', 4, 'by few requests: ' . lists_of('');
($status, $said) = $hub->oai('harvest', $r->url, '--output', "$r->{dir}/list.xml", '--from-dump', $dir, '--format', 'marc21');
is $status, 0, 'so does one into a file' or diag $said;
($status, $said) = $hub->oai('harvest', $r->url, '--output', "$r->{dir}/later.xml", '--since', "$r->{dir}/list.xml", '--format', 'marc21');
my %both;
add_records(\%both, slurp("$r->{dir}/$_")) for 'list.xml', 'later.xml';
is_deeply {map { ($_ => $both{$_} =~ /status="deleted"/ ? 't' : 'f') } keys %both}, published(), 'which --since goes on from' or diag $said;
my $copy = Repository->new(db => Database->new(model => 'library'));
($status, $said) = $copy->oai('load', $dir);
is $status, 0, 'a dump is loaded' or diag $said;
is_deeply [$copy->{db}->rows("select local_id, deleted from library.item order by local_id collate \"C\"")], [$db->rows("select local_id, deleted and local_id <> 'r22' from library.item order by local_id collate \"C\"")],
    'with deletions, as the repository was then';
for (['--full', 'another way to begin'], ['--set', 'col:war']) {
    is +($hub->oai('harvest', $r->url, '--output', 'none', '--from-dump', $dir, @$_))[0], 2, "a dump is refused beside $_->[0]";
}
like join(' ', $hub->oai('harvest', $r->url, '--output', "$r->{dir}/none.xml", '--from-dump', $dir, '--format', 'mods')), qr/^1 .*there is no list of mods/s, 'a format that it has not is said';
$r->stop;

# What cannot be dumped, and where it cannot be written.
spew("$r->{formats}/fragile.xsl", slurp("$root/t/golden/formats/fragile.xsl") =~ s/contains\(\@url, 'broken'\)/contains(string(.), 'fragile') or \@*[contains(., 'fragile')]/r);
$db->run("update library.item set title = '{fragile}' where local_id = 'r9'");
publish();
($status, $said) = dump_to($dir, '--format', 'oai_dc,fragile');
like "$status $said", qr/^0 .*^fragile: whole, \d+ records, \d+ of them deleted, 1 failed/ms, 'a format that fails on a record goes on without it';
is_deeply [map { [$_->{failures}, $_->{failed}[0]{identifier}] } list('fragile')->{parts}[0]], [[1, 'oai:example.org:r9']], 'which the manifest names';
like list('fragile')->{parts}[0]{failed}[0]{why}, qr/this record is broken/, 'and says why';
ok !dumped('fragile')->{'oai:example.org:r9'} && dumped('fragile')->{'oai:example.org:r8'}, 'it alone is missing';
dump_to($dir, '--format', 'oai_dc,marc21');
{
    open my $lock, '>', "$dir/.lock" or die $!;
    flock $lock, LOCK_EX or die $!;
    ($status, $said) = dump_to($dir);
    like "$status $said", qr/^1 .*\Q$dir\E: another oai dump is writing it/, 'two dumps at once: the second is refused';
}
($status, $said) = dump_to($dir, '--format', 'none');
like "$status $said", qr/^1 .*there is no format none/, 'a format that is not there is refused';
($status, $said) = dump_to("$r->{dir}/nowhere");
is $status, 2, 'so is a directory that is not there';
SKIP: {
    my $small = "$r->{dir}/small";
    mkdir $small or die $!;
    skip 'no tmpfs can be mounted here: root is needed', 5 if system("mount -t tmpfs -o size=600k none $small 2>/dev/null") != 0;
    ($status, $said) = dump_to($small, '--file-megabytes', 1);
    like "$status $said", qr/^1 .*\Q$small\E\/oai_dc-.*: No space left on device/, 'a full disk is said';
    is_deeply [glob "$small/*"], [], 'and nothing is left on it';
    system('mount', '-o', 'remount,size=20m', $small) == 0 or die;
    ($status, $said) = dump_to($small, '--file-megabytes', 1);
    is $status, 0, 'with space it goes on' or diag $said;
    is +($r->oai('dump', '--verify', $small))[0], 0, 'and is whole';
    system('mount', '-o', 'remount,ro', $small) == 0 or die;
    ($status, $said) = dump_to($small);
    like "$status $said", qr/^1 .*\Q$small\E: Read-only file system/, 'a directory that may not be written is said';
    system('umount', $small);
}

# --verify, and what others read: the recipes of the manual.
my ($recipes) = DocumentedCommands::commands("$root/deploy/manual/dump.md");
my %needs = (jq => 'command -v jq', pandas => q(python3 -c 'import pandas'));
for my $recipe (map { $_->{text} } grep { $_->{prompt} eq '$' } @$recipes) {
    my ($missing) = grep { $recipe =~ /\b$_\b/ && system("$needs{$_} >/dev/null 2>&1") != 0 } keys %needs;
    SKIP: {
        skip "there is no $missing here, so this recipe of the manual is not run: $recipe", 1 if $missing;
        ($status, $said) = run_program('sh', '-c', "cd $dir && $recipe");
        is $status, 0, $recipe or diag $said;
        like $said, qr/^oai:example.org:r10 And again$/m, 'jq prints identifiers and titles' if $recipe =~ /jq/;
        like $said, qr/^False +2498$/m, 'pandas counts the records' if $recipe =~ /pandas/;
    }
}
my ($victim) = map { $_->{name} } files(list('oai_dc'), 'xml');
my $sound = slurp("$dir/$victim");
for (['a byte is another', sub { (my $bytes = $sound) =~ s/(.{2000})./$1!/s; spew("$dir/$victim", $bytes) }, qr/\Q$victim\E: its SHA-256 is another/],
    ['a file is missing', sub { unlink "$dir/$victim" }, qr/\Q$victim\E: /],
    ['a part is missing', sub { spew("$dir/manifest.json", $is_there =~ s/"from": 0/"from": 1/r) }, qr/oai_dc: the numbers behind 0 are missing/],
    ['it is no manifest', sub { spew("$dir/manifest.json", '{}') }, qr/no manifest of a dump/]) {
    my ($what, $do, $finds) = @$_;
    my $manifest = slurp("$dir/manifest.json");
    $do->();
    ($status, $said) = $r->oai('dump', '--verify', $dir);
    like "$status $said", qr/^1 .*$finds/s, "--verify: $what";
    spew("$dir/$victim", $sound);
    spew("$dir/manifest.json", $manifest);
}
done_testing;
