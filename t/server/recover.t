#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `oai recover` over a site that is made up here, archived by hand into WARC and ARC files, loaded, and served: what comes
# back is compared with the site, byte for byte. What cannot come back is reported, and nothing gets out of the tree.
use strict;
use warnings;
use Cwd qw(abs_path);
use Digest::SHA qw(sha1);
use File::Find qw(find);
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp qw(tempdir);
use IO::Compress::Gzip qw(gzip $GzipError);
use IO::Compress::Deflate qw(deflate);
use IO::Socket::INET;
use POSIX ();
use Test::More;
use Database;
use Echo;

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");
my $dir   = tempdir('oai-recover-XXXXXX', TMPDIR => 1, CLEANUP => 1);
chmod 0755, $dir or die $!;
my $oai = "$build/release/oai";
my @running;
END { my $status = $?; kill 'TERM', @running; waitpid $_, 0 for @running; $? = $status }

sub spew { my ($file, $bytes) = @_; open my $out, '>:raw', $file or die "$file: $!"; print {$out} $bytes; close $out or die $!; return $file }
sub slurp { my ($file) = @_; open my $in, '<:raw', $file or return; local $/; return <$in> // '' }
sub gzipped { my ($bytes) = @_; gzip(\$bytes => \my $out) or die $GzipError; return $out }
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

# How each was sent: the name of the encoding in the header, and the bytes.
my %sent = (
    '/news?year=2015&n=1' => ["Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", sub { chunked(gzipped($_[0])) }],
    '/style.css'          => ["Content-Encoding: deflate\r\n", sub { deflate(\$_[0] => \my $out); $out }],
    '/about/'             => ["Transfer-Encoding: chunked\r\n", sub { $_[0] }],    # the crawler had undone it
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

# The repository, three records a page.
my $db = Database->new;
spew("$dir/key", '0123456789abcdef' x 4);
chmod 0600, "$dir/key";
my $port = do { IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport };
spew("$dir/oai.ini", "[repository]\nname = Recover\nbase_url = http://127.0.0.1:$port/oai\nadmin_email = a\@example.org\nidentifier_namespace = example.org\n"
    . "[lists]\nrecords = 3\n[token]\nkey_file = $dir/key\n[formats]\ndirectory = $root/xslt\n[database]\nconnection = " . $db->conninfo('oai_reader')
    . "\n[loader]\nconnection = " . $db->conninfo('oai_loader') . "\n[log]\nlevel = error\n");
is system("$oai --config $dir/oai.ini load $dir/files/2015/site.warc.gz $dir/files/old.arc.gz >$dir/load.log 2>&1"), 0, 'loaded' or diag slurp("$dir/load.log");
1 while $db->publish > 0;
my $listener = Echo::hold("$dir/sock");
sub start {
    my ($before, @command) = @_;
    my $pid = fork // die $!;
    if (!$pid) {
        open STDERR, '>>', "$dir/log" or die $!;
        $before->() if $before;
        exec @command or POSIX::_exit(127);
    }
    push @running, $pid;
    return;
}
start(sub { POSIX::dup2(fileno $listener, 0) }, "$build/release/oai.fcgi", '--config', "$dir/oai.ini");
# One nginx for the repository and for the archive files, which are given out by ranges.
mkdir "$dir/web" or die $!;
chown +(getpwnam 'www-data')[2, 3], "$dir/web" if !$>;
mkdir "$dir/flat" or die $!;
system("cp $dir/files/old.arc.gz $dir/files/2015/site.warc.gz $dir/flat") == 0 or die;
my $web = slurp("$root/deploy/nginx.conf.in") =~ s/\@PORT\@/$port/gr =~ s/\@DIR\@/$dir\/web/gr =~ s/\@SOCKET\@/$dir\/sock/gr =~ s/\@DEPLOY\@/$root\/deploy/gr
    =~ s/(\n\s+location \/ \{)/\n        location \/files\/ { alias $dir\/flat\/; access_log $dir\/web\/files.log; }\n        location \/site\/ { alias $dir\/site\/; gzip on; gzip_types text\/css; }$1/r;
spew("$dir/web/nginx.conf", $web);
start(undef, "$root/deploy/as-user", '--reach', "$root/deploy/nginx-oai.conf", 'www-data', 'nginx', '-e', 'stderr', '-c', "$dir/web/nginx.conf");
for (1 .. 200) { last if IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port"); select undef, undef, undef, 0.05 }
my $url = "http://127.0.0.1:$port/oai";

sub recover { my (@options) = @_; my $said = `$oai recover $url @options 2>$dir/err`; return ($? >> 8, $said, slurp("$dir/err")) }
sub files_below {
    my ($top) = @_;
    my @files;
    find({no_chdir => 1, wanted => sub { push @files, substr $_, length($top) + 1 if -f }}, $top) if -d $top;
    return sort @files;
}

my $tree = "$dir/tree";
my ($status, $said, $err) = recover("--files $dir/files --to $tree");
is $status, 1, 'something is missing, so the exit status says so';
is_deeply [files_below($tree)], [sort '.recovered.tsv', map { "www.example.org/$_" } values %place], 'every document has its place, and nothing else is there';
for my $path (sort keys %site) {
    is slurp("$tree/www.example.org/$place{$path}"), $site{$path}[1], "$path, byte for byte";
}
is $err =~ s/oai:\S+ //gr, <<'EOT' =~ s/DIGEST/base32(sha1("nobody has it\n"))/er =~ s/ORIGINAL/base32(sha1("original\n"))/er, 'what is missing is said, and why';
missing: 2015-03-01T12:00:00Z http://www.example.org/wrong.txt: its digest is not ORIGINAL
missing: 2015-03-01T12:00:00Z http://www.example.org/gone.txt: it repeats a capture that is not in this repository, of digest DIGEST
EOT
like $said, qr/^16 captures: 12 recovered \(1 by others that they repeat, 1 without a digest to verify\), 1 older, 1 no documents, 2 missing$/m, 'and counted'
    or diag $said;

# Again: nothing is fetched anew.
my %before = map { $_ => (stat "$tree/$_")[1] } grep { !/tsv/ } files_below($tree);
($status, $said) = recover("--files $dir/files --to $tree");
like $said, qr/^16 captures: 12 recovered/m, 'again: all is there';
is_deeply {map { $_ => (stat "$tree/$_")[1] } grep { !/tsv/ } files_below($tree)}, \%before, 'and nothing was written anew';
# Broken off: a file is lost, and the last line of the list is cut.
unlink "$tree/www.example.org/img/sky.png" or die $!;
truncate "$tree/.recovered.tsv", (-s "$tree/.recovered.tsv") - 5 or die $!;
($status, $said) = recover("--files http://127.0.0.1:$port/files --to $tree");
is slurp("$tree/www.example.org/img/sky.png"), $site{'/img/sky.png'}[1], 'what was lost comes back, by range requests now';
is scalar(grep { /recovering/ } files_below($tree)), 0, 'nothing half-written is left';

# By range requests alone, links made relative.
($status, $said, $err) = recover("--files http://127.0.0.1:$port/files --to $dir/linked --links");
my $home = slurp("$dir/linked/www.example.org/index.html") // '';
like $home, qr{<a href="about/index\.html">About</a> <a href='news\@year=2015%2526n=1\.html#top'>News</a>}, 'references lead to the places';
like $home, qr{<body background="img/sky\.png"><!-- <a href="/about/"> -->}, 'not those in comments';
like $home, qr{<a href=http://elsewhere\.example\.com/>Elsewhere</a><script>x = '<a href="/about/">'</script><img src="img/sky\.png"></body></html>\n\z},
    'nor elsewhere, nor in scripts, and nothing is added';
# References that are all there, in brackets; the page is read without them.
sub unlinked { my ($text) = @_; return $text =~ s{(href=|src=|background=)("?)[^\s">]+}{$1}gr =~ s{='"?([^'>]*)'}{='$1'}gr =~ s{"}{}gr =~ s{'}{}gr }
is unlinked($home), unlinked($page), 'all else is as it was';
($status, $said) = recover("--files http://127.0.0.1:$port/files --to $dir/linked --links");
is slurp("$dir/linked/www.example.org/index.html"), $home, 'a second time nothing changes';
like $said, qr/^0 documents with relative references$/m, 'as it says';
# Neighbours in a file, of a page of the list each.
my $asked = sub { my $n = () = slurp("$dir/web/files.log") =~ /GET/g; return $n };
my $asked_before = $asked->();
($status, $said) = recover("--files http://127.0.0.1:$port/files --to $dir/asked.warc.gz");
cmp_ok $asked->() - $asked_before, '<=', 6, '16 captures come by a request for each page of the list and each file';
like $said, qr/^16 captures: 15 recovered/m, 'all of them';
# What comes later is linked to.
recover("--files $dir/files --to $dir/grown --links --until 2010-12-31");
recover("--files $dir/files --to $dir/grown --links --host www.example.org --prefix http://www.example.org/about");
like slurp("$dir/grown/www.example.org/about/index.html"), qr{href="\.\./index\.html"}, 'a page refers to what was there';

# Parts.
recover("--files $dir/files --to $dir/part --prefix http://www.example.org/a");
is_deeply [files_below("$dir/part/www.example.org")], ['a.html', 'a/b.html', 'about/index.html'], '--prefix';
recover("--files $dir/files --to $dir/host --host www.example.org --until 2010-12-31");
is_deeply [map { slurp("$dir/host/www.example.org/$_") } files_below("$dir/host/www.example.org")], ["<html>an older one</html>\n", "in an ARC file\n"],
    '--host and --until: the site as it was then';
recover("--files $dir/files --to $dir/set --set mim:image");
is_deeply [files_below("$dir/set/www.example.org")], ['img/sky.png'], '--set';
($status, $said) = recover("--files $dir/files --to $dir/none --host www.example.com");
is "$status $said", "0 0 captures: 0 recovered (0 by others that they repeat, 0 without a digest to verify), 0 older, 0 no documents, 0 missing\n",
    'a host that is not there';

# A new archive file, which loads as the old ones did.
my $new = "$dir/new.warc.gz";
($status, $said, $err) = recover("--files $dir/files --to $new");
like $said, qr/^16 captures: 15 recovered/m, 'into a WARC: redirections, older ones and revisits, too; not what is damaged';
my $size = -s $new;
truncate $new, $size - 10 or die $!;
recover("--files $dir/files --to $new");
my $other = Database->new;
spew("$dir/other.ini", slurp("$dir/oai.ini") =~ s/^connection = .*oai_loader.*$/'connection = ' . $other->conninfo('oai_loader')/mer);
my $loaded = `$oai --config $dir/other.ini load $new 2>&1`;
like $loaded, qr/15 records \(15 inserted.*, 0 damaged/, 'cut off and gone on with, it is loaded whole' or diag $loaded;
my $what = 'select url || archived_time || coalesce(status, 0) from webarchiv.doc order by 1';
is_deeply [map { $_->[0] } $other->rows($what)], [grep { !/wrong\.txt/ } map { $_->[0] } $db->rows($what)], 'and says the same of each';

# Killed again and again, it goes on where it was, and comes to the same.
sub killed {
    my ($seconds, @options) = @_;
    my $pid = fork // die $!;
    if (!$pid) {
        open STDOUT, '>', '/dev/null' or die $!;
        open STDERR, '>&', \*STDOUT or die $!;
        exec $oai, 'recover', $url, @options or POSIX::_exit(127);
    }
    select undef, undef, undef, $seconds;
    kill 'KILL', $pid;
    waitpid $pid, 0;
    return $? == 9;
}
my $kills = 0;
$kills += killed(0.01 * $_, '--files', "http://127.0.0.1:$port/files", '--to', "$dir/hit") for 1 .. 12;
$kills += killed(0.01 * $_, '--files', "$dir/files", '--to', "$dir/hit.warc.gz") for 1 .. 12;
cmp_ok $kills, '>', 3, "killed $kills times";
recover("--files $dir/files --to $dir/hit");
my $contents = sub { my ($top) = @_; return {map { $_ => slurp("$top/$_") } grep { !/recover/ } files_below($top)} };
is_deeply $contents->("$dir/hit"), $contents->($tree), 'killed and gone on with, the tree is the same';
($status, $said) = recover("--files $dir/files --to $dir/hit.warc.gz");
like $said, qr/^16 captures: 15 recovered/m, 'and the WARC has everything';
my $records = () = join('', `gzip -dc $dir/hit.warc.gz`) =~ m{^WARC/1\.1\r$}mg;
is $records, 16, 'once, behind its warcinfo';

# A disk that is full: it ends, and goes on once there is room.
for ([$dir . '/full', 12], [$dir . '/full.warc.gz', 15]) {
    my ($to, $all) = @$_;
    my @command = ($oai, 'recover', $url, '--files', "$dir/files", '--to', $to);
    my $told = `bash -c 'trap "" XFSZ; ulimit -f 1; exec "\$@"' - @command 2>&1`;
    is $? >> 8, 1, 'without room it stops';
    like $told, qr/stopped after \d+ captures.*cannot be written/s, 'and says so';
    ($status, $said) = recover("--files $dir/files --to $to");
    like $said, qr/^16 captures: $all recovered/m, 'and goes on once there is some';
}
is_deeply $contents->("$dir/full"), $contents->($tree), 'to the same';

# A server of files that is gone.
($status, $said, $err) = recover("--files http://127.0.0.1:1/ --to $dir/gone --attempts 1");
like "$status $err", qr/^1 stopped after 1 captures, 0 of them recovered; the same command goes on from there\noai: http:/, 'without files it stops, and does not call them all missing';

# A site that a crawler of others has taken, in both ways at once: as its mirror, and as a WARC.
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
cmp_ok scalar(keys %mirror), '==', 51, 'wget has a mirror' or diag join "\n", files_below("$dir/crawl");
is system("$oai --config $dir/oai.ini load --collection crawl $dir/crawl/site.warc.gz >$dir/load.log 2>&1"), 0, 'its WARC is loaded' or diag slurp("$dir/load.log");
1 while $db->publish > 0;
select undef, undef, undef, 1.2;   # the horizon of the new numbers
($status, $said, $err) = recover("--files $dir/crawl --to $dir/back --set col:crawl");
is "$status $err", '0 ', 'and recovered, with nothing missing';
my %back;
for (split /\n/, slurp("$dir/back/.recovered.tsv")) {
    my (undef, undef, undef, $place, $address) = split /\t/;
    my $name = $address =~ s{^http://}{}r =~ s{/(?=$|\?)}{/index.html}r =~ s/%([0-9A-F]{2})/chr hex $1/ger;
    $back{$name} = slurp("$dir/back/$place");
}
is_deeply [sort keys %back], [sort keys %mirror], 'the same documents as the mirror';
is scalar(grep { ($back{$_} // '') ne $mirror{$_} } keys %mirror), 0, 'byte for byte the same';
like $said, qr/^\d+ captures: 51 recovered \(0 by others that they repeat, 0 without a digest to verify\), 0 older, 4 no documents, 0 missing$/m, 'all verified' or diag $said;

# Its references, in a tree and in wget's own way.
($status, $said) = recover("--files $dir/crawl --to $dir/browse --set col:crawl --links");
mkdir "$dir/convert" or die $!;
system("cd $dir/convert && LC_ALL=C.UTF-8 wget -q --mirror --no-parent --page-requisites --convert-links http://127.0.0.1:$port/site/ >/dev/null 2>&1");
# Place => its references that lead to files of the tree, as they are on the disk; those that lead nowhere in the tree.
sub references {
    my ($top) = @_;
    my (%leads, @lost);
    for my $file (grep { /\.(?:html|css)$/ } files_below($top)) {
        my $text = slurp("$top/$file") =~ s{/\*.*?\*/|\@namespace[^;]*;}{}gsr;
        my @found = $text =~ /\b(?:href|src)\s*=\s*["']?([^"'\s>]+)/g;
        push @found, map { split /\s+\S+?,\s*|\s+\S+$/ } $text =~ /\bsrcset="([^"]+)"/g;
        push @found, map { s/\\(.)/$1/gr } $text =~ /url\(\s*["']?((?:\\.|[^"')\\])+?)["']?\s*\)/gi, $text =~ /\@import\s+["']([^"']+)/g;
        for my $reference (@found) {
            (my $path = $reference) =~ s/[#].*//;
            next if $path =~ m{^https?://};
            $path = ($file =~ s{[^/]*$}{}r) . $path =~ s/\?.*//r =~ s/%([0-9A-Fa-f]{2})/chr hex $1/ger;
            1 while $path =~ s{(?:^|(?<=/))(?!\.\./)[^/]+/\.\./}{};
            -f "$top/$path" ? $leads{"$file $path"}++ : push @lost, "$file $reference";
        }
    }
    return (\%leads, \@lost);
}
my ($leads, $lost) = references("$dir/browse");
is_deeply $lost, [], 'every reference that is not absolute leads to a file of the tree';
my ($theirs) = references("$dir/convert");
cmp_ok scalar(keys %$theirs), '>', 100, 'wget has ' . keys(%$theirs) . ' references converted';
# The two escape other things in names of files; queries, and blanks (&#32; in wget's pages) are ours alone.
my $plain = sub { my ($all) = @_; return [sort grep { !/[?@]|a b\.html|sky blue/ } map { s/%([0-9A-F]{2})/chr hex $1/ger } keys %$all] };
is_deeply $plain->($leads), $plain->($theirs), 'and ours are the same';
is scalar(grep { /two\.png|sky blue|more\.css|deep\.css/ } keys %$leads), 5, 'among them those of style sheets and srcset';
my $once = join ' ', map { slurp("$dir/browse/$_") } files_below("$dir/browse");
recover("--files $dir/crawl --to $dir/browse --set col:crawl --links");
is join(' ', map { slurp("$dir/browse/$_") } files_below("$dir/browse")), $once, 'a second time nothing changes';

# What another host had first, which the host's own set does not have.
$warc = '';
my @plain = ("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", "first seen elsewhere\n");
warc_record(revisit => '/copy.txt', $plain[0], '', host => 'mirror.example.net', digest => 'sha1:' . base32(sha1($plain[1])));
warc_record(response => '/original.txt', @plain, host => 'first.example.net');
spew("$dir/files/net.warc.gz", $warc);
system("$oai --config $dir/oai.ini load $dir/files/net.warc.gz >$dir/load.log 2>&1") == 0 or diag slurp("$dir/load.log");
1 while $db->publish > 0;
select undef, undef, undef, 1.2;
($status, $said) = recover("--files $dir/files --to $dir/mirror --host mirror.example.net");
like $said, qr/^1 captures: 1 recovered \(1 by others/, 'a host\'s revisit of what another host had';
is slurp("$dir/mirror/mirror.example.net/copy.txt"), $plain[1], 'has its content';

# Real files, if there are any.
SKIP: {
    skip 'OAI_SHARED is not set: real archive files are not tried', 3 if !defined $ENV{OAI_SHARED};
    my @real = grep { -f } map { glob "$ENV{OAI_SHARED}/webarchive/*/$_" } qw(*.warc *.warc.gz *.arc *.arc.gz);
    system("$oai --config $dir/oai.ini load --collection real @real >$dir/load.log 2>&1");   # some are damaged
    1 while $db->publish > 0;
    select undef, undef, undef, 1.2;
    my $expected = $db->value("select count(*) from webarchiv.doc_collection where id_collection = (select id from webarchiv.collection where name = 'real')");
    ($status, $said, $err) = recover("--files $ENV{OAI_SHARED}/webarchive --to $dir/real --set col:real");
    is_deeply [$said =~ /^(\d+) captures: .* (\d+) missing$/m, $err], [$expected, 0, ''], "$expected captures of real files, none missing" or diag $said;
    ($status, $said) = recover("--files $ENV{OAI_SHARED}/webarchive --to $dir/real.warc.gz --set col:real");
    like $said, qr/^$expected captures: $expected recovered/, 'nor as a WARC';
    $loaded = `$oai --config $dir/other.ini load --verbose $dir/real.warc.gz 2>&1`;
    like $loaded, qr/: $expected records .*, 0 damaged/, 'which is sound' or diag $loaded;
}

# What cannot be.
for (["--files $dir/nowhere --to $dir/x", qr/nowhere is no directory/], ["--files $dir/files --to $root/t", qr/holds other files/],
     ["--files $dir/files --to $dir/x --from yesterday", qr/a time is/], ["--files $dir/files --to $dir/x.warc.gz --links", qr/--links is for a tree/],
     ["--files $dir/files --to $dir/x.warc", qr/is named FILE\.warc\.gz/]) {
    ($status, $said, $err) = recover($_->[0]);
    like "$status $err", qr/^[12] .*$_->[1]/s, "refused: $_->[0]" =~ s/\Q$dir\E|\Q$root\E/DIR/gr;
}
my $far = `$oai recover http://127.0.0.1:$port/nothing --files $dir/files --to $dir/y 2>&1`;
like $far, qr/HTTP status 404/, 'no repository there';
done_testing;
