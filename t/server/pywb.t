#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A whole pywb replays archive files twice: over the CDXJ that it makes of them itself, and over our index. Whatever it has of them is
# the same, byte by byte: as it was archived, rewritten, by a time that is near or by none, by POST, and what it lists.
# OAI_PYWB names the directory into which `pip install --no-deps --target` put pywb, warcio, wsgiprox, certauth, surt and Py3AMF, which are
# not in Debian; what else they need is. The archive files are those of OAI_SHARED/webarchive. OAI_PICTURES=DIR keeps pictures.
use TestProgram;
use Browser;
use HTTP::Tiny;
use JSON::PP qw(decode_json);

local $ENV{PYTHONPATH} = $ENV{OAI_PYWB} or plan skip_all => 'OAI_PYWB names no pywb, so it does not replay over our index';
my $shared = $ENV{OAI_SHARED} or plan skip_all => 'OAI_SHARED has no archive files of others';
my @python = ('/usr/bin/python3', '-m');
END { my $status = $?; chdir '/'; $? = $status }

my $db = Database->new;
my $r = Repository->new(db => $db, ini => {browse => {directory => "$root/xslt/page", languages => 'en'}});
my $dir = "$r->{dir}/pywb";
mkdir $_ or die $! for $dir, "$dir/warcs";
system('cp', (grep { !/non-chunked/ } glob "$shared/webarchive/*/*.{arc,warc}.gz"), "$dir/warcs") == 0 or die;
my @files = glob "$dir/warcs/*";
my ($status, $said, $why) = run_apart(@python, 'pywb.indexer.cdxindexer', '-j', '-p', '-o', '-', @files);
is $status, 0, 'pywb makes an index of ' . @files . ' files' or diag $why;
my %index = map { ($_ => 1) } split /\n/, $said;
($status, $said) = $r->oai('load', @files);
is $status, 0, 'and they are loaded' or diag $said;
spew("$dir/index.cdxj", join '', map { "$_\n" } sort keys %index);
1 while $db->publish > 0;
$r->start;
$r->wait_for_horizon;
my $api = $r->url . '/captures';
spew("$dir/config.yaml", <<"YAML");
collections:
  ownindex: {archive_paths: $dir/warcs/, index_paths: $dir/index.cdxj}
  oaiindex:
    archive_paths: $dir/warcs/
    index: {type: cdx, api_url: '$api?url={url}&closest={closest}&sort=closest&output=cdxj&rawurl={alt_url}', replay_url: ''}
  xmlindex: {archive_paths: $dir/warcs/, index_paths: 'xmlquery+$api'}
framed_replay: false
YAML
my $port = free_port();
chdir $dir or die $!;
my $pid = start_program([@python, 'pywb.apps.cli', '-p', $port, '-b', '127.0.0.1'], log => "$dir/log", setsid => 1);
END { if ($pid) { my $status = $?; stop_program($pid, 'TERM'); $? = $status } }
my $http = HTTP::Tiny->new(max_redirect => 0, timeout => 300, keep_alive => 0);
wait_until(sub { waitpid($pid, 1) || $http->get("http://127.0.0.1:$port/")->{status} == 200 });
is $http->get("http://127.0.0.1:$port/")->{status}, 200, 'pywb is up' or BAIL_OUT(slurp("$dir/log"));

# Both answers, without what they have of the name of their collection.
sub got {
    my ($index, $path, $method, %how) = @_;
    my $answer = $http->request($method // 'GET', "http://127.0.0.1:$port/$index/$path", \%how);
    my $headers = $answer->{headers};
    return join "\n", $answer->{status}, map({ my $h = $headers->{$_} // ''; "$_: " . join ' ', ref $h ? @$h : $h } qw(location memento-datetime content-type link)), $answer->{content} // '';
}
my ($replayed, @different, %status) = (0);
sub same {
    my (@how) = @_;
    my ($own, $ours) = map { my $index = $_; got($index, @how) =~ s/$index/index/gr =~ s/"unk"/"-"/gr =~ s/"(digest|redirect|robotflags|status|mime-detected|load_url|identifier)": "[^"]*", //gr } 'ownindex', 'oaiindex';
    ++$replayed, ++$status{substr $own, 0, 3};
    return if $own eq $ours;
    my ($theirs, $is) = map { [split /\n/] } $own, $ours;
    # Lists have what an index has: pywb computes digests of ARC files, has no status of revisits and no identifiers. Of one second any may be first.
    return if $how[0] =~ /^(cdx|timemap)/ && join("\n", sort map { s/,$//r } @$theirs) eq join "\n", sort map { s/,$//r } @$is;
    my ($line) = grep { ($theirs->[$_] // '') ne ($is->[$_] // '') } 0 .. $#$theirs + 1;
    return push @different, join "\n  ", "@how[0 .. ($#how > 1 ? 1 : $#how)]", map { substr $_->[$line] // '', 0, 300 } $theirs, $is;
}
my %urls;
for (grep { !/"url": "(metadata|dns):/ } sort keys %index) {   # what crawlers say of captures, and of DNS, is no capture here
    my ($key, $time, $json) = split / /, $_, 3;
    my $capture = decode_json($json);
    if (my $method = $capture->{method}) {
        same("${time}id_/$capture->{url}", $method, content => $capture->{requestBody} // '', headers => {'Content-Type' => 'application/x-www-form-urlencoded'});
        ++$urls{$capture->{url}};   # by GET, pywb takes one that is like it
        next;
    }
    ++$urls{$capture->{url}};
    same("${time}id_/$capture->{url}"); same("${time}mp_/$capture->{url}");
}
for my $url (sort keys %urls) {
    same($_ . $url) for '', '2010/', '19960101000000/', '20990101000000id_/', 'timemap/link/', 'timemap/json/';
    same("cdx?output=json&url=$url$_") for '', '*', '&sort=reverse', '&filter=!mime:image/gif';
}
is join("\n", @different[0 .. ($#different > 9 ? 9 : $#different)]), '', "of $replayed answers none differs: " . join ', ', map { "$status{$_} of $_" } sort keys %status;

# In a browser, with all that the page consists of.
my $browser = Browser->new("$dir/chromium");
my %page;
for my $index ('ownindex', 'oaiindex') {
    for my $url ('20140126200624/http://www.iana.org/', '20140126200706/http://www.iana.org/domains') {
        $browser->go("http://127.0.0.1:$port/$index/$url");
        push @{$page{$index}}, $browser->run('return [document.title, document.body.innerText, [...document.images].map((i) => i.naturalWidth), document.styleSheets.length]');
        $browser->picture("$ENV{OAI_PICTURES}/pywb-$index-" . @{$page{$index}} . ".png") if $ENV{OAI_PICTURES};
    }
}
is_deeply $page{oaiindex}, $page{ownindex}, 'in Chromium pages have the same text, pictures and style';
like $page{oaiindex}[0][1], qr/Root Zone|Internet Assigned Numbers Authority/i, 'which they do have';
done_testing;
