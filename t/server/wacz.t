#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# WACZ files, zip files with WARC files in them, are loaded and recovered from as they are: stored members where they lie,
# compressed ones too, and several WACZ whose WARC files have one and the same name. Damaged ones are named.
use Digest::SHA qw(sha1_hex);
use TestProgram;
use Compress::Raw::Zlib ();
use IO::Compress::Gzip qw(gzip $GzipError);
use IO::Compress::Zip qw($ZipError ZIP_CM_STORE ZIP_CM_DEFLATE);

my $dir  = tempdir('oai-wacz-XXXXXX', TMPDIR => 1, CLEANUP => 1);
chmod 0755, $dir or die $!;
mkdir "$dir/files" or die $!;

sub gzipped { my ($bytes) = @_; gzip(\$bytes => \my $out) or die $GzipError; return $out }
sub warc_record {
    my ($url, $body) = @_;
    my $block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n$body";
    return "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: $url\r\nWARC-Date: 2020-05-01T12:00:00Z\r\nWARC-Payload-Digest: sha1:" . sha1_hex($body)
        . "\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: " . length($block) . "\r\n\r\n$block\r\n\r\n";
}
# A zip file of these members: [name, bytes, method].
sub wacz {
    my ($name, @members) = @_;
    my $zip;
    for (@members) {
        my ($member, $bytes, $method) = @$_;
        my @how = (Name => $member, Method => $method // ZIP_CM_STORE, Stream => 0, Time => 1_600_000_000);
        $zip ? $zip->newStream(@how) : ($zip = IO::Compress::Zip->new("$dir/files/$name", @how));
        $zip or die $ZipError;
        $zip->print($bytes);
    }
    $zip->close or die $ZipError;
    return "$dir/files/$name";
}
my %page = map { ("http://$_->[0].example/$_->[1]" => "<html>page $_->[1] of $_->[0]" . ' and more' x 200 . "</html>\n") } map { my $host = $_; map { [$host, "$_.html"] } 1 .. 12 } qw(a b c);
my %of = map { my $host = $_; ($host => join '', map { gzipped(warc_record($_, $page{$_})) } grep { m{//$host\.} } sort keys %page) } qw(a b c);
my @wacz = (
    wacz('a.wacz', ['datapackage.json', '{"profile": "data-package"}', ZIP_CM_DEFLATE], ['archive/data.warc.gz', $of{a}], ['indexes/index.cdx.gz', gzipped('no')], ['pages/pages.jsonl', '{}']),
    wacz('b.wacz', ['archive/', ''], ['archive/data.warc.gz', $of{b}]),
    wacz('c.wacz', ['archive/data.warc', join('', map { warc_record($_, $page{$_}) } grep { m{//c\.} } sort keys %page), ZIP_CM_DEFLATE]));

my $db = Database->new;
my $repository = Repository->new(db => $db, formats => "$root/xslt", ini => {lists => {records => 5}});
my ($status, $said) = $repository->oai('load', @wacz);
is $status, 0, 'three WACZ are loaded' or diag $said;
is_deeply [$said =~ /^loaded \Q$dir\E\/files\/(\S+): 12 records \(12 inserted, 0 updated, 0 unchanged\), 0 passed over, 0 damaged$/mg], [qw(a.wacz b.wacz c.wacz)], 'with all their captures';
is_deeply [map { $_->[0] } $db->rows('select file from webarchiv.arc order by 1')], [qw(a.wacz/archive/data.warc.gz b.wacz/archive/data.warc.gz c.wacz/archive/data.warc)], 'whose files are named by WACZ and place in it';
(undef, $said) = $repository->oai('load', $wacz[0]);
like $said, qr/12 records \(0 inserted, 0 updated, 12 unchanged\)/, 'loading one again changes nothing';
1 while $db->publish > 0;
$repository->start;

# The documents of a tree that a recovery has made, by URL.
sub recovered {
    my ($tree) = @_;
    return {map { my $file = $_; my $url = $file =~ s{^\Q$tree\E/}{http://}r; ($url => slurp($file)) } glob "$tree/*.example/*.html"};
}
sub recover { my (@arguments) = @_; return run_program("$repository->{bin}/oai", 'recover', $repository->url, @arguments) }
($status, $said) = recover('--files', "$dir/files", '--to', "$dir/tree");
like "$status $said", qr/^0 .*36 captures: 36 recovered \(0 by others that they repeat, 0 without a digest/s, 'all are recovered from a directory of WACZ' or diag $said;
is_deeply recovered("$dir/tree"), \%page, 'byte for byte';
($status, $said) = recover('--files', $wacz[1], '--host', 'b.example', '--to', "$dir/b");
like "$status $said", qr/^0 .*12 captures: 12 recovered/s, 'and from a single WACZ' or diag $said;
mkdir "$dir/unpacked" or die $!;
spew("$dir/unpacked/data.warc.gz", $of{a});
($status, $said) = recover('--files', "$dir/unpacked", '--host', 'a.example', '--to', "$dir/a");
like "$status $said", qr/^0 .*12 captures: 12 recovered/s, 'and from what somebody has unpacked' or diag $said;

# Damage.
my $whole = slurp($wacz[0]);
spew("$dir/files/cut.wacz", substr $whole, 0, length($whole) / 2);
($status, $said) = $repository->oai('load', "$dir/files/cut.wacz");
like "$status $said", qr/^1 .*cut\.wacz: is a zip file without its directory/s, 'one that was cut short is refused';
($status, $said) = $repository->oai('load', wacz('other.zip', ['a.txt', 'x']));
like "$status $said", qr/^1 .*other\.zip: is a zip file without WARC files in a folder archive/s, 'so is another zip file';
(my $damaged = slurp($wacz[2])) =~ s/(data\.warc.{200}).{20}/$1 . 'x' x 20/se;
spew("$dir/damaged.wacz", $damaged);
($status, $said) = $repository->oai('load', "$dir/damaged.wacz", $wacz[1]);
like "$status $said", qr/^1 .*damaged\.wacz\/archive\/data\.warc: the zip file's archive\/data\.warc is damaged.*b\.wacz: 12 records/s, 'a damaged member is named, and the next file is loaded' or diag $said;
($status, $said) = recover('--files', "$dir/files", '--to', "$dir/tree2");
is $status, 0, 'a damaged WACZ costs nothing but what is in it' or diag $said;

# Numbers that need 64 bits (ZIP64). Members are [name, bytes as stored, method, size, checksum, zeros behind it, which take no
# room on the disk]; all numbers are written in 64 bits, behind other extra fields, as zip -fz does.
sub wacz64 {
    my ($name, @members) = @_;
    my ($unknown, $at, $directory) = (0xffffffff, 0, '');
    my $other = pack 'vva5', 0x5455, 5, '';
    open my $file, '>:raw', "$dir/files/$name" or die $!;
    for (@members) {
        my ($member, $bytes, $method, $size, $checksum, $zeros) = @$_;
        my $packed = length($bytes) + ($zeros // 0);
        my $extra = $other . pack 'vvQ<Q<', 1, 16, $size // $packed, $packed;
        my $head = pack('a4v3V4v2', "PK\3\4", 45, 0, $method // 0, 0, $checksum // 0, $unknown, $unknown, length $member, length $extra) . $member . $extra . $bytes;
        print $file $head or die $!;
        seek $file, $zeros // 0, 1 or die $!;
        $extra = $other . pack 'vvQ<Q<Q<', 1, 24, $size // $packed, $packed, $at;
        $directory .= pack('a4v4V4v5V2', "PK\1\2", 45, 45, 0, $method // 0, 0, $checksum // 0, $unknown, $unknown, length $member, length $extra, 0, 0, 0, 0, $unknown) . $member . $extra;
        $at += length($head) + ($zeros // 0);
    }
    my $count = @members;
    print $file $directory, pack('a4Q<v2V2Q<4', "PK\6\6", 44, 45, 45, 0, 0, $count, $count, length $directory, $at),
        pack('a4VQ<V', "PK\6\7", 0, $at + length $directory, 1), pack('a4v4V2v', "PK\5\6", 0, 0, 0xffff, 0xffff, $unknown, $unknown, 0) or die $!;
    close $file or die $!;
    return "$dir/files/$name";
}
sub fresh { return Repository->new(db => Database->new, formats => "$root/xslt") }
my $loaded12 = qr/12 records \(12 inserted, 0 updated, 0 unchanged\), 0 passed over, 0 damaged/;
my $plain = join '', map { warc_record($_, $page{$_}) } grep { m{//c\.} } sort keys %page;
my ($deflate) = Compress::Raw::Zlib::Deflate->new(-WindowBits => -15, -AppendOutput => 1);
my $packed = '';
$deflate->deflate($plain, $packed) == 0 && $deflate->flush($packed) == 0 or die 'deflate';
my @c = ('archive/c.warc', $packed, 8, length $plain, Compress::Raw::Zlib::crc32($plain));
for (['each number written in 64 bits', ['archive/', ''], \@c],
     ['a member behind 5 GB of another', ['video.bin', 'x', 0, undef, 0, 5 << 30], ['archive/c.warc.gz', $of{c}], ['x', '']],
     ['a member of 5 GB beside it', \@c, ['archive/video.bin', '', 8, 6 << 30, 0, 5 << 30]],
     ['more members than 16 bits count', (map { ["pages/$_", ''] } 1 .. 66_000), \@c]) {
    my ($what, @members) = @$_;
    my $wacz = wacz64('big.wacz', @members);
    ($status, $said) = fresh()->oai('load', $wacz);
    like "$status $said", qr/^0 .*$loaded12/s, $what or diag $said;
    unlink $wacz or die $!;
}
($status, $said) = fresh()->oai('load', wacz64('larger.wacz', ['archive/c.warc', $packed, 8, length($plain) + (1 << 32), $c[4]]));
like "$status $said", qr/^1 .*archive\/c\.warc is damaged/s, 'a size that agrees in 32 bits alone is a fault';
($status, $said) = fresh()->oai('load', wacz64('short.wacz', ['archive/c.warc', $plain, 0, length($plain) + (1 << 32)]));
like "$status $said", qr/^1 .*archive\/c\.warc is damaged/s, 'of a stored member, too';

# The directory for temporary files, into which compressed members are unpacked, is full, or is not there.
SKIP: {
    skip 'only root can mount a small disk', 2 if $>;
    mkdir "$dir/small" or die $!;
    system('mount', '-t', 'tmpfs', '-o', 'size=4k', 'none', "$dir/small") == 0 or skip 'no disk can be mounted here', 2;
    my $r = fresh();
    ($status, $said) = run_program('env', "TMPDIR=$dir/small", "$r->{bin}/oai", '--config', $r->{ini}, 'load', $wacz[2], $wacz[0]);
    system('umount', "$dir/small") == 0 or die;
    like "$status $said", qr{^1 .*c\.wacz: no room for a temporary file in \Q$dir\E/small \(No space left on device\): make some, or let TMPDIR name}s, 'a full TMPDIR is named' or diag $said;
    unlike $said, qr/[1-9]\d* damaged|is damaged/, 'and no file is called damaged';
}
my $lost = fresh();
($status, $said) = run_program('env', "TMPDIR=$dir/none", "$lost->{bin}/oai", '--config', $lost->{ini}, 'load', $wacz[2]);
like "$status $said", qr/^1 .*no room for a temporary file in TMPDIR \(/s, 'so is one that is not there' or diag $said;

my $empty = Database->new;
my $filled = Repository->new(db => $empty, formats => "$root/xslt");
($status, $said) = $filled->oai('load', '--first-fill', @wacz);
is $status, 0, 'a first fill takes them, too' or diag $said;
is $empty->value('select count(*) from webarchiv.doc where seq is not null'), 36, 'whole';
done_testing;
