#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `oai recover` on a made-up site that this test writes into WARC and ARC files, loads and serves: the recovered documents are
# compared with the site byte for byte. What cannot be recovered is reported, and nothing is written outside the tree.
use Digest::SHA qw(sha1);
use File::Find qw(find);
use TestProgram;
use IO::Compress::Gzip qw(gzip $GzipError);
use IO::Compress::Deflate qw(deflate);

my $dir   = tempdir('oai-recover-XXXXXX', TMPDIR => 1, CLEANUP => 1);
chmod 0755, $dir or die $!;
my $oai = "$build/release/oai";

sub gzipped { my ($bytes) = @_; gzip(\$bytes => \my $out) or die $GzipError; return $out }
sub zstandard { my ($bytes) = @_; spew("$dir/plain", $bytes); my $out = `zstd -q -c $dir/plain`; die 'zstd' if $?; return $out }
sub base32 { my $bits = unpack 'B*', $_[0]; return join '', map { ('A' .. 'Z', 2 .. 7)[oct "0b$_"] } $bits =~ /(.{5})/g }
sub chunked { my ($bytes) = @_; return join('', map { sprintf "%x\r\n%s\r\n", length, $_ } $bytes =~ /(.{1,7})/gs) . "0\r\n\r\n" }

# The site: path => [media type, bytes].
my $page = '<html><body background="/img/sky.png"><!-- <a href="/about/"> -->' . "\n"
    . "<a href=\"/about/\">About</a> <a href='http://www.example.org/news?year=2015&amp;n=1#top'>News</a>\n"
    . "<a href=http://elsewhere.example.com/>Elsewhere</a><script>x = '<a href=\"/about/\">'</script><img src=\"img/sky.png\"></body></html>\n";
my %site = (
    '/'                  => ['text/html', $page],
    '/about/'            => ['text/html', "<html><a href=\"..\">Home</a></html>\n"],
    '/news?year=2015&n=1' => ['text/html', '<html>' . 'news ' x 100 . "</html>\n"],
    '/img/sky.png'       => ['image/png', join '', map { chr } 0 .. 255],
    '/style.css'         => ['text/css', "a { color: red }\n" x 20],
    '/a'                 => ['text/html', "<html>a</html>\n"],
    '/a/b.html'          => ['text/html', "<html>a/b</html>\n"],
    '/../../etc/passwd'  => ['text/plain', "outside\n"],
    '/%2e%2e/x//.hidden' => ['text/plain', "hidden\n"],
    '/old.txt'           => ['text/plain', "in an ARC file\n"],
    '/same.txt'          => ['text/plain', "the same twice\n"],
    '/same-again.txt'    => ['text/plain', "the same twice\n"],
);
my %place = (
    '/' => 'index.html', '/about/' => 'about/index.html', '/news?year=2015&n=1' => 'news@year=2015%26n=1.html',
    '/img/sky.png' => 'img/sky.png', '/style.css' => 'style.css', '/a' => 'a.html', '/a/b.html' => 'a/b.html',
    '/../../etc/passwd' => '%2E%2E/%2E%2E/etc/passwd.txt', '/%2e%2e/x//.hidden' => '%2e%2e/x/%/%2Ehidden.txt',
    '/old.txt' => 'old.txt', '/same.txt' => 'same.txt', '/same-again.txt' => 'same-again.txt',
);

# How some documents were sent: the headers of the encoding, and a function that encodes the body.
my %sent = (
    '/news?year=2015&n=1' => ["Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", sub { chunked(gzipped($_[0])) }],
    '/style.css'          => ["Content-Encoding: deflate\r\n", sub { deflate(\$_[0] => \my $out); $out }],
    '/a'                  => ["Transfer-Encoding: gzip, chunked\r\n", sub { chunked(gzipped($_[0])) }],
    '/a/b.html'           => ["Content-Encoding: zstd\r\n", \&zstandard],
    '/img/sky.png'        => ["Transfer-Encoding: gzip\r\n", \&gzipped],   # up to the end of the connection
    '/about/'             => ["Transfer-Encoding: chunked\r\n", sub { $_[0] }],    # the crawler has already decoded it
);

my ($warc, $arc) = ('', '');
sub http {
    my ($path) = @_;
    my ($type, $bytes) = @{ $site{$path} };
    my ($headers, $encode) = @{ $sent{$path} // ['', sub { $_[0] }] };
    my $body = $encode->($bytes);
    return ("HTTP/1.1 200 OK\r\nContent-Type: $type; charset=utf-8\r\n$headers\r\n", $body);
}
sub warc_record {
    my ($type, $path, $head, $body, %more) = @_;
    my $host = delete $more{host} // 'www.example.org';
    my $time = delete $more{time} // '2015-03-01T12:00:00Z';
    my $block = $head . $body;
    my $digest = delete $more{digest} // 'sha1:' . base32(sha1($body));
    my $record = "WARC/1.0\r\nWARC-Type: $type\r\nWARC-Target-URI: http://$host$path\r\nWARC-Date: $time\r\n"
        . "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-" . sprintf('%012d', length $warc) . ">\r\n"
        . ($digest ? "WARC-Payload-Digest: $digest\r\n" : '') . join('', map { "$_: $more{$_}\r\n" } sort keys %more)
        . "Content-Type: application/http; msgtype=response\r\nContent-Length: " . length($block) . "\r\n\r\n$block\r\n\r\n";
    my $offset = length $warc;
    $warc .= gzipped($record);
    return $offset;
}
warc_record(response => $_, http($_)) for grep { !/old|same-again/ } sort keys %site;
warc_record(response => '/', "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", "<html>an older one</html>\n", time => '2010-01-01T00:00:00Z');
warc_record(response => '/moved', "HTTP/1.1 301 Moved\r\nContent-Type: text/html\r\nLocation: /\r\n\r\n", "moved\n");
warc_record(revisit => '/same-again.txt', "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", '', digest => 'sha1:' . base32(sha1("the same twice\n")),
    'WARC-Profile' => 'http://netpreserve.org/warc/1.0/revisit/identical-payload-digest');
warc_record(revisit => '/gone.txt', "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", '', digest => 'sha1:' . base32(sha1("nobody has it\n")));
warc_record(response => '/wrong.txt', "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", "altered\n", digest => 'sha1:' . base32(sha1("original\n")));
my ($old_head, $old_body) = http('/old.txt');
$arc = gzipped("filedesc://x.arc 0.0.0.0 20040101000000 text/plain 20\n1 0 Test\nURL IP-add\n\n")
    . gzipped("http://www.example.org/old.txt 192.0.2.1 20040101000000 text/plain " . length("$old_head$old_body") . "\n$old_head$old_body\n");
mkdir "$dir/files" or die $!;
mkdir "$dir/files/2015" or die $!;
spew("$dir/files/2015/site.warc.gz", $warc);
spew("$dir/files/old.arc.gz", $arc);

# The repository, with three records on a page.
my $db = Database->new;
my $port = free_port();
my $repository = Repository->new(db => $db, dir => $dir, formats => "$root/xslt", held => 1,
    ini => {repository => {base_url => "http://127.0.0.1:$port/oai"}, lists => {records => 3}, log => {level => 'error'}});
is system("$oai --config $dir/oai.ini load $dir/files/2015/site.warc.gz $dir/files/old.arc.gz >$dir/load.log 2>&1"), 0, 'the archive files are loaded' or diag slurp("$dir/load.log");
1 while $db->publish > 0;
$repository->start;
# One nginx serves the repository and the archive files, the latter by range requests.
mkdir "$dir/web" or die $!;
chown +(getpwnam 'www-data')[2, 3], "$dir/web" if !$>;
mkdir "$dir/flat" or die $!;
system("cp $dir/files/old.arc.gz $dir/files/2015/site.warc.gz $dir/flat") == 0 or die;
my $web = slurp("$root/deploy/nginx.conf.in") =~ s/\@PORT\@/$port/gr =~ s/\@DIR\@/$dir\/web/gr =~ s/\@SOCKET\@/$repository->{socket}/gr =~ s/\@DEPLOY\@/$root\/deploy/gr
    =~ s/(\n\s+location \/ \{)/\n        location \/files\/ { alias $dir\/flat\/; access_log $dir\/web\/files.log; }\n        location \/site\/ { alias $dir\/site\/; gzip on; gzip_types text\/css; }$1/r;
spew("$dir/web/nginx.conf", $web);
my $nginx = start_program(["$root/deploy/as-user", '--reach', "$root/deploy/nginx-oai.conf", 'www-data', 'nginx', '-e', 'stderr', '-c', "$dir/web/nginx.conf"],
    log => "$dir/nginx.log");
END { my $status = $?; stop_program($nginx) if $nginx; $? = $status }
wait_until(sub { IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port") }) or BAIL_OUT(slurp("$dir/nginx.log"));
my $url = "http://127.0.0.1:$port/oai";

# (status, stdout, stderr)
sub recover { my (@options) = @_; return run_apart($oai, 'recover', $url, map { split } @options) }
sub files_below {
    my ($top) = @_;
    my @files;
    find({no_chdir => 1, wanted => sub { push @files, substr $_, length($top) + 1 if -f }}, $top) if -d $top;
    return sort @files;
}

my $tree = "$dir/tree";
my ($status, $said, $err) = recover("--files $dir/files --to $tree");
is $status, 1, 'the exit status is 1, since something is missing';
is_deeply [files_below($tree)], [sort '.recovered.tsv', map { "www.example.org/$_" } values %place], 'every document is at its place, and there are no other files';
for my $path (sort keys %site) {
    is slurp("$tree/www.example.org/$place{$path}", undef), $site{$path}[1], "$path, byte for byte";
}
is $err =~ s/oai:\S+ //gr, <<'EOT' =~ s/DIGEST/base32(sha1("nobody has it\n"))/er =~ s/ORIGINAL/base32(sha1("original\n"))/er, 'what is missing is reported with the reason';
missing: 2015-03-01T12:00:00Z http://www.example.org/wrong.txt: its digest is not ORIGINAL
missing: 2015-03-01T12:00:00Z http://www.example.org/gone.txt: it repeats a capture that is not in this repository, of digest DIGEST
EOT
like $said, qr/^16 captures: 12 recovered \(1 by others that they repeat, 1 without a digest to verify\), 1 older, 1 no documents, 0 not whole, 2 missing$/m, 'and the captures are counted'
    or diag $said;

# A second run fetches nothing.
my %before = map { $_ => (stat "$tree/$_")[1] } grep { !/tsv/ } files_below($tree);
($status, $said) = recover("--files $dir/files --to $tree");
like $said, qr/^16 captures: 12 recovered \(1 by others that they repeat, 1 without a digest to verify\), 1 older, 1 no documents, 0 not whole, 2 missing$/m,
    'a second run finds everything in place, and counts what the first one did';
is_deeply {map { $_ => (stat "$tree/$_")[1] } grep { !/tsv/ } files_below($tree)}, \%before, 'and writes no file';
# As after an interruption: a file is missing, and the last line of the list is truncated.
unlink "$tree/www.example.org/img/sky.png" or die $!;
truncate "$tree/.recovered.tsv", (-s "$tree/.recovered.tsv") - 5 or die $!;
($status, $said) = recover("--files http://127.0.0.1:$port/files --to $tree");
is slurp("$tree/www.example.org/img/sky.png"), $site{'/img/sky.png'}[1], 'the missing file is recovered, this time by range requests';
is scalar(grep { /recovering/ } files_below($tree)), 0, 'no partial file is left';

# Captures that lie side by side in a file are fetched together, for each page of the list.
my $asked = sub { my $n = () = slurp("$dir/web/files.log") =~ /GET/g; return $n };
my $asked_before = $asked->();
($status, $said) = recover("--files http://127.0.0.1:$port/files --to $dir/asked");
cmp_ok $asked->() - $asked_before, '<=', 6, '16 captures need at most one request for each page of the list and each file';
like $said, qr/^16 captures: 12 recovered/m, 'all of them are recovered';
# Recovering a part of the site.
recover("--files $dir/files --to $dir/part --prefix http://www.example.org/a");
is_deeply [files_below("$dir/part/www.example.org")], ['a.html', 'a/b.html', 'about/index.html'], '--prefix selects by the beginning of the URL';
recover("--files $dir/files --to $dir/host --host www.example.org --until 2010-12-31");
is_deeply [map { slurp("$dir/host/www.example.org/$_") } files_below("$dir/host/www.example.org")], ["<html>an older one</html>\n", "in an ARC file\n"],
    '--host and --until select the site as it was at that time';
recover("--files $dir/files --to $dir/set --set mim:image");
is_deeply [files_below("$dir/set/www.example.org")], ['img/sky.png'], '--set selects a set';
($status, $said) = recover("--files $dir/files --to $dir/none --host www.example.com");
is "$status $said", "0 0 captures: 0 recovered (0 by others that they repeat, 0 without a digest to verify), 0 older, 0 no documents, 0 not whole, 0 missing\n",
    'an unknown host gives no captures';

# A run that is killed repeatedly resumes where it stopped, with the same result.
sub run_and_kill {
    my ($seconds, @options) = @_;
    my $pid = start_program([$oai, 'recover', $url, @options], out => '/dev/null');
    pace($seconds);
    return stop_program($pid, 'KILL') eq 'signal 9';
}
my $kills = 0;
++$kills while run_and_kill(0.002 * 1.5 ** $kills, '--files', "http://127.0.0.1:$port/files", '--to', "$dir/hit");
note "killed $kills times, until one came to its end";
recover("--files $dir/files --to $dir/hit");
my $contents = sub { my ($top) = @_; return {map { $_ => slurp("$top/$_") } grep { !/recover/ } files_below($top)} };
is_deeply $contents->("$dir/hit"), $contents->($tree), 'a resumed run gives the same tree';

# On a full disk it stops, and resumes when there is space again.
for my $to ("$dir/full") {
    my @command = ($oai, 'recover', $url, '--files', "$dir/files", '--to', $to);
    my $told = `bash -c 'trap "" XFSZ; ulimit -f 1; exec "\$@"' - @command 2>&1`;
    is $? >> 8, 1, 'without space it stops';
    like $told, qr/stopped after \d+ captures.*cannot be written/s, 'and reports the reason';
    ($status, $said) = recover("--files $dir/files --to $to");
    like $said, qr/^16 captures: 12 recovered/m, 'and resumes when there is space again';
}
is_deeply $contents->("$dir/full"), $contents->($tree), 'with the same result';

# What unpacks to 150 MB, twice, costs no memory of that size, so that a bomb is a document as any other.
mkdir "$dir/large" or die $!;
my $zeros = "\0" x 150_000_000;
gzip(\$zeros => \my $stored, -Level => 0) or die $GzipError;
$old_head =~ s/\r\n\r\n/\r\nContent-Encoding: gzip\r\n\r\n/;
spew("$dir/large/old.arc.gz", substr($arc, 0, index($arc, "\x1f\x8b\x08", 1))
    . gzipped("http://www.example.org/old.txt 192.0.2.1 20040101000000 text/plain " . length("$old_head$stored") . "\n$old_head$stored\n"));
my $told = `bash -c 'ulimit -d 100000; exec "\$@"' - $oai recover $url --files $dir/large --to $dir/unpacked --host www.example.org --until 2005-01-01 --partial 2>&1`;
ok slurp("$dir/unpacked/www.example.org/old.txt", undef) eq $zeros, 'a document of 150 MB is recovered in 100 MB' or diag $told;
undef $_ for $zeros, $stored;

# The server of the archive files is unreachable.
($status, $said, $err) = recover("--files http://127.0.0.1:1/ --to $dir/gone --attempts 1");
like "$status $err", qr/^1 stopped after 1 captures, 0 of them recovered; the same command goes on from there\noai: http:/, 'without access to the files it stops, and does not report all captures as missing';

# A site that wget has crawled, both as a mirror and as a WARC.
mkdir "$dir/$_" or die $! for 'site', 'site/d', 'site/d/e', 'crawl';
my @pages = map { "d/p$_.html" } 1 .. 40;
my $menu = join ' ', map { "<a href=\"/site/$_\">$_</a>" } @pages, 'd/', 'd/e/?q=1&amp;r=2', '%C5%BElu%C5%A5.html', 'd/a%20b.html', 'missing.html';
spew("$dir/site/index.html", "<html><link rel=stylesheet href=s.css>$menu<img src=i.png srcset=\"i.png 1x, css/two.png 2x\"></html>\n");
spew("$dir/site/s.css", "\@import 'css/more.css';\nbody { background: url('/site/css/sky%20blue.png') }\n" . "a { color: blue }\n" x 300);
mkdir "$dir/site/css" or die $!;
spew("$dir/site/css/more.css", "\@import url( \"deep.css\" ) screen;\n/* url(nothing.png) */ p { background: URL('../i.png') }\n");
spew("$dir/site/css/deep.css", "\@namespace url(http://www.w3.org/1999/xhtml);\nq { background: url(two.png) }\n");
spew("$dir/site/css/$_", "picture $_\n") for 'two.png', 'sky blue.png';
spew("$dir/site/i.png", join '', map { chr(($_ * 7919) % 256) } 1 .. 70_000);
spew("$dir/site/$_", "<html>$_ " . 'text ' x 500 . "<img src=\"/site/i.png\"><a href=\"../\">up</a></html>\n") for @pages, "d/index.html", "\xC5\xBElu\xC5\xA5.html", 'd/a b.html';
spew("$dir/site/d/e/index.html", "<html><a href=../p1.html>1</a></html>\n");
system("cd $dir/crawl && LC_ALL=C.UTF-8 wget -q --mirror --no-parent --page-requisites --compression=gzip --warc-file=site http://127.0.0.1:$port/site/ >/dev/null 2>&1");
my %mirror = map { $_ => slurp("$dir/crawl/$_") } grep { m{^127} } files_below("$dir/crawl");
cmp_ok scalar(keys %mirror), '==', 51, 'wget has made a mirror' or diag join "\n", files_below("$dir/crawl");
is system("$oai --config $dir/oai.ini load --collection crawl $dir/crawl/site.warc.gz >$dir/load.log 2>&1"), 0, 'the WARC of wget is loaded' or diag slurp("$dir/load.log");
1 while $db->publish > 0;
$repository->wait_for_horizon;
($status, $said, $err) = recover("--files $dir/crawl --to $dir/back --set col:crawl");
is "$status $err", '0 ', 'and recovered without anything missing';
my %back;
for (split /\n/, slurp("$dir/back/.recovered.tsv")) {
    my (undef, undef, undef, $place, $address) = split /\t/;
    my $name = $address =~ s{^http://}{}r =~ s{/(?=$|\?)}{/index.html}r =~ s/%([0-9A-F]{2})/chr hex $1/ger;
    $back{$name} = slurp("$dir/back/$place", undef);
}
is_deeply [sort keys %back], [sort keys %mirror], 'it has the same documents as the mirror';
is scalar(grep { ($back{$_} // '') ne $mirror{$_} } keys %mirror), 0, 'byte for byte the same';
like $said, qr/^\d+ captures: 51 recovered \(0 by others that they repeat, 0 without a digest to verify\), 0 older, 2 no documents, 0 not whole, 0 missing$/m, 'all digests are verified' or diag $said;

# A revisit of a capture of another host, which is not in the set of this host.
$warc = '';
my @plain = ("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", "first seen elsewhere\n");
warc_record(revisit => '/copy.txt', $plain[0], '', host => 'mirror.example.net', digest => 'sha1:' . base32(sha1($plain[1])));
warc_record(response => '/original.txt', @plain, host => 'first.example.net');
spew("$dir/files/net.warc.gz", $warc);
system("$oai --config $dir/oai.ini load $dir/files/net.warc.gz >$dir/load.log 2>&1") == 0 or diag slurp("$dir/load.log");
1 while $db->publish > 0;
$repository->wait_for_horizon;
($status, $said) = recover("--files $dir/files --to $dir/mirror --host mirror.example.net");
like $said, qr/^1 captures: 1 recovered \(1 by others/, 'a revisit that refers to a capture of another host is recovered';
is slurp("$dir/mirror/mirror.example.net/copy.txt"), $plain[1], 'with the content of that capture';

# Archive files that this test has not written: the sample's, or others' if OAI_SHARED has them, some of which are damaged.
my $elsewhere = $ENV{OAI_SHARED} ? "$ENV{OAI_SHARED}/webarchive" : "$dir/sample";
system("$root/deploy/sample/make-sample", $elsewhere) == 0 or die if !$ENV{OAI_SHARED};
my @theirs = grep { -f } map { (glob("$elsewhere/$_"), glob("$elsewhere/*/$_")) } qw(*.warc *.warc.gz *.arc *.arc.gz);
system("$oai --config $dir/oai.ini load --collection theirs @theirs >$dir/load.log 2>&1");
1 while $db->publish > 0;
$repository->wait_for_horizon;
my $expected = $db->value("select count(*) from webarchiv.doc_collection where id_collection = (select id from webarchiv.collection where name = 'theirs')");
cmp_ok $expected, '>', 100, 'their captures are loaded' or diag slurp("$dir/load.log");
($status, $said, $err) = recover("--files $elsewhere --to $dir/theirs --set col:theirs");
is_deeply [$said =~ /^(\d+) captures: .* (\d+) missing$/m, $err], [$expected, 0, ''], "$expected captures, none missing" or diag $said;

# Invalid arguments.
for (["--files $dir/nowhere --to $dir/x", qr/nowhere is no directory/], ["--files $dir/files --to $root/t", qr/holds other files/],
     ["--files $dir/files --to $dir/x --from yesterday", qr/a time is/],) {
    ($status, $said, $err) = recover($_->[0]);
    like "$status $err", qr/^[12] .*$_->[1]/s, "refused: $_->[0]" =~ s/\Q$dir\E|\Q$root\E/DIR/gr;
}
my $far = `$oai recover http://127.0.0.1:$port/nothing --files $dir/files --to $dir/y 2>&1`;
like $far, qr/HTTP status 404/, 'a URL without a repository is an error';
done_testing;
