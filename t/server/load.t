#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `oai load` as an administrator runs it, into a database of its own: the sample is loaded, loaded again and loaded into
# further collections; then damaged files and files that are no web archive; with OAI_SHARED also files of others.
use TestProgram;

my $dir   = tempdir('oai-load-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $db    = Database->new;

my $ini = write_ini("$dir/oai.ini", $db, loader => {slice_records => 50});
# (status, output)
sub oai { return run_program("$build/release/oai", '--config', $ini, @_) }
sub docs { return $db->value('select count(*) from webarchiv.doc' . ($_[0] ? " where $_[0]" : '')) }

system("$root/deploy/sample/make-sample", "$dir/sample") == 0 or die;
open my $list, '<', "$dir/sample/load.list" or die $!;
my $records = 0;
for my $line (<$list>) {
    my ($file, @collections) = split ' ', $line;
    my ($status, $said) = oai('load', '--datestamps', 'captured', (map { ('--collection', $_) } @collections), "$dir/sample/$file");
    is($status, 0, "$file loads") or diag($said);
    my ($n, $inserted) = $said =~ /: (\d+) records \((\d+) inserted/;
    is($inserted, $n, 'every record is new');
    $records += $n;
    is($db->value("select count(*) from webarchiv.doc_collection f join webarchiv.doc d on d.id = f.id_doc join webarchiv.arc a on a.id = d.id_arc
                   join webarchiv.collection c on c.id = f.id_collection where c.name = '$collections[0]'"), $n, 'and all are in the collection')
        if @collections;
    ($status, $said) = oai('load', (map { ('--collection', $_) } @collections), "$dir/sample/$file");
    like($said, qr/: $n records \(0 inserted, 0 updated, $n unchanged\)/, 'loading it again changes nothing');
}
is(docs(), $records, 'the table holds all loaded records');
is(docs('datestamp is distinct from archived_time'), 0, 'the datestamps are the times of capture');
is($db->value("select count(*) from oai.set where spec in ('col:culture', 'col:culture:estonia', 'dom:cz', 'mim:image:svg~2Bxml')"), 4, 'sets and their ancestors are created');
1 while $db->publish(10_000);
ok(defined $db->value('select h from oai.horizon'), 'the first numbering ends');
my ($status, $said) = oai('load', '--datestamps', 'captured', "$dir/sample/SAMPLE-2022-broad.cdx");
is($status, 1, 'captured datestamps are refused after the first publication');
like($said, qr/captured/, 'with an explanation');
oai('load', '--collection', 'again', "$dir/sample/SAMPLE-2022-broad.cdx");
my $moved = $db->publish(10_000);
is($moved, $db->value("select item_count from oai.set where spec = 'col:again'"), 'loading into a second collection adds the membership and publishes the records again');

# Titles: of the sample's pages, in their encodings; not with --no-titles; and filled in where a capture was known before.
is($db->value(q{select count(*) from webarchiv.doc where title !~ '^([a-z0-9.:-]+|\[2001:db8::80\]|Článek [0-9]+ – .+|Stará stránka [0-9]+: .+)$'}), 0, 'titles are as the sample has them');
cmp_ok(docs("title like 'Článek % – %' and language = 'cs'"), '>', 0, 'in UTF-8');
cmp_ok(docs("title like 'Stará stránka %'"), '>', 0, 'and in windows-1250');
cmp_ok(docs("description like 'Vše o %'"), '>', 0, 'with descriptions');
{
    my $page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html lang=sk><title>Later</title>";
    my $warc = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://later.example/\r\nWARC-Date: 2014-01-26T20:06:24Z\r\nContent-Type: application/http\r\n"
        . "WARC-Payload-Digest: sha1:LATERLATERLATERLATERLATERLATERLA\r\nContent-Length: " . length($page) . "\r\n\r\n$page\r\n\r\n";
    spew("$dir/later.warc", $warc);
    my $later = sub { join ' ', $db->value("select concat_ws(' ', title, language, seq is not null, (select count(*) from oai.queue q where q.id = d.id)) from webarchiv.doc d where surt = 'example,later)/'") };
    like((oai('load', '--no-titles', "$dir/later.warc"))[1], qr/1 inserted, 0 updated/, 'a page is loaded without its title');
    1 while $db->publish(10_000);
    is($later->(), 't 0', 'which it does not have then');
    like((oai('load', "$dir/later.warc"))[1], qr/0 inserted, 1 updated/, 'loaded with titles it gets it');
    is($later->(), 'Later sk t 1', 'and is to be published again');
    1 while $db->publish(10_000);
    like((oai('load', "$dir/later.warc"))[1], qr/0 inserted, 0 updated, 1 unchanged/, 'once');
    $db->run("update webarchiv.doc set title = 'By hand' where surt = 'example,later)/'");
    is($later->(), 'By hand sk t 1', 'a title that another program changes is published, too');
    1 while $db->publish(10_000);
    oai('load', "$dir/later.warc");
    is($later->(), 'By hand sk t 0', 'and stays');
    my $refused = sub { !eval { $db->run("update webarchiv.doc set $_[0] where surt = 'example,later)/'"); 1 } };
    ok($refused->($_), "refused: $_") for "title = repeat('a', 501)", "title = ''", "language = 'CZ'", "language = 'czech'", "description = repeat('a', 2001)";
}

# Damaged files.
my $bytes = slurp("$dir/sample/SAMPLE-2014-kultura.warc.gz");
spew("$dir/cut.warc.gz", substr $bytes, 0, length($bytes) * 0.7);
($status, $said) = oai('load', "$dir/cut.warc.gz");
is($status, 1, 'a truncated file: status 1');
like($said, qr/\Q$dir\E\/cut\.warc\.gz:\d+: .*gzip/, 'file and offset are reported');
like($said, qr/: (\d{2,}) records/, 'the intact records are loaded');
spew("$dir/bad.cdx", join '', " CDX N b a m s k r M S V g\n",
    "cz,example)/ 20070231000000 http://www.example.cz/ text/html 200 AAAA - - 100 0 x.warc.gz\n",
    "cz,example)/ok 20070228000000 http://www.example.cz/ok text/html 200 BBBB - - 100 5000000000 x.warc.gz\n", "nonsense\n");
($status, $said) = oai('load', "$dir/bad.cdx");
is($status, 1, 'impossible dates and malformed lines: status 1');
like($said, qr/bad\.cdx:27: /, 'the impossible date is reported with its offset');
like($said, qr/1 records? \(1 inserted/, 'and the valid line is loaded');
is($db->value("select doc_offset from webarchiv.doc where url = 'http://www.example.cz/ok'"), 5_000_000_000, 'offsets beyond 4 GiB are kept');
for my $file ("$root/README", "$dir/nowhere") {
    ($status, $said) = oai('load', $file);
    is($status, 1, "$file is refused");
    like($said, qr/\Q$file\E/, 'and the message names it');
}

# Two concurrent loaders of the same captures.
spew("$dir/two.cdx", join '', " CDX N b a m s k r M S V g\n", map { "x 20080101000000 http://two.example/$_ text/html 200 D$_ - - 10 $_ two.warc.gz\n" } 1 .. 500);
my @children = map { start_program(["$build/release/oai", '--config', $ini, 'load', '--collection', "both:$_", "$dir/two.cdx"], out => '/dev/null') } 1, 2;
my @ends = map { waitpid $_, 0; $? } @children;
is("@ends", '0 0', 'two loaders at once both succeed');
is(docs("url like 'http://two.example/%'"), 500, 'and no capture is stored twice');
is($db->value("select count(*) from webarchiv.doc_collection f join webarchiv.collection c on c.id = f.id_collection where c.name like 'both:%'"), 1000, 'each has added all captures to its collection');

# A WARC whose captures are known from its CDX adds nothing.
my ($warc, $cdx) = ('', " CDX N b a m s k r M S V g\n");
for my $n (1 .. 3) {
    my $digest = 'KNOWN' x 6 . 'N' . (qw(A B C))[$n - 1];
    my $page = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n$n";
    my $record = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: <http://known.example/$n>\r\nWARC-Date: 2014-01-26T20:06:2${n}Z\r\nContent-Type: application/http\r\n"
        . "WARC-Payload-Digest: sha1:$digest\r\nContent-Length: " . length($page) . "\r\n\r\n$page\r\n\r\n";
    $cdx .= join(' ', "example,known)/$n", "2014012620062$n", "http://known.example/$n", 'text/plain', 200, $digest, '-', '-', length $record, length $warc, 'known.warc') . "\n";
    $warc .= $record;
}
like((oai('load', spew("$dir/known.cdx", $cdx)))[1], qr/3 records \(3 inserted/, 'a CDX is loaded');
like((oai('load', spew("$dir/known.warc", $warc)))[1], qr/3 records \(0 inserted, 0 updated, 3 unchanged\)/, 'loading a WARC after its CDX adds nothing');

SKIP: {
    skip 'OAI_SHARED is not set: files of others are not tried', 1 if !$ENV{OAI_SHARED};
    my @bad;
    for my $file (sort glob "$ENV{OAI_SHARED}/webarchive/*/*.{arc,arc.gz,warc,warc.gz,wacz,cdx,cdxj,cdx.gz}") {
        my ($s, $what) = oai('load', $file);
        push @bad, "$file: $what" if $s != 0 || $what !~ /loaded/;
    }
    is("@bad", '', 'every file of others is loaded');
}
done_testing;
