#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The index for replay: what CDX servers and Memento take and give, over captures that were loaded from WARC files, with
# requests other than GET. The clients here are written from the specifications of pywb, OutbackCDX, the Wayback CDX server,
# OpenWayback and RFC 7089.
use TestProgram;
use IO::Compress::Gzip qw(gzip);
use JSON::PP qw(decode_json);
use Time::Local qw(timegm);
use XML::LibXML;

my $dir = tempdir('oai-replay-XXXXXX', TMPDIR => 1, CLEANUP => 1);
chmod 0755, $dir or die $!;
my $n = 0;

# A record of a WARC file, as a gzip member. to: the record that it was made with.
sub record {
    my ($type, $url, $date, $block, %more) = @_;
    my $id = sprintf '<urn:uuid:00000000-0000-4000-8000-%012d>', ++$n;
    my $head = "WARC/1.1\r\nWARC-Type: $type\r\nWARC-Record-ID: $id\r\nWARC-Target-URI: $url\r\nWARC-Date: $date\r\n" . ($more{to} ? "WARC-Concurrent-To: $more{to}\r\n" : '')
        . ($more{digest} ? "WARC-Payload-Digest: sha1:$more{digest}\r\n" : '') . 'Content-Type: application/http; msgtype=' . ($type eq 'request' ? 'request' : 'response');
    my $bytes = "$head\r\nContent-Length: " . length($block) . "\r\n\r\n$block\r\n\r\n";
    gzip(\$bytes => \my $member) or die;
    return ($member, $id);
}
sub answer { return "HTTP/1.1 $_[0]\r\nContent-Type: $_[1]\r\n\r\n$_[2]" }
sub api_request { my ($method, $type, $body) = @_; return "$method /api HTTP/1.1\r\nHost: play.example\r\n" . ($type ? "Content-Type: $type\r\n" : '') . 'Content-Length: ' . length($body) . "\r\n\r\n$body" }
# A response and its request, in either order.
sub exchange {
    my ($url, $date, $request, $response, %how) = @_;
    my ($first, $id) = $how{before} ? record('request', $url, $date, $request) : record($how{type} // 'response', $url, $date, $response, digest => $how{digest});
    my ($second) = $how{before} ? record($how{type} // 'response', $url, $date, $response, digest => $how{digest}, to => $id) : record('request', $url, $date, $request, to => $id);
    return $first . $second;
}
my $page = 'http://play.example/page';
my $api  = 'http://play.example/api';
my $same = 'A' x 32;
my $warc = join '', map { (record('response', $_->[0], $_->[1], answer($_->[2], 'text/html', "page $_->[1]"), digest => $_->[3]))[0] }
    [$page, '2010-01-01T00:00:00Z', '200 OK', 'B' x 32], [$page, '2010-01-01T00:00:30Z', '200 OK', 'B' x 32], [$page, '2010-06-01T00:00:00Z', '404 No', 'C' x 32], ["$page?x=1", '2011-01-01T00:00:00Z', '200 OK', 'D' x 32],
    [$page, '2012-01-01T00:00:00Z', '301 Moved', 'E' x 32], ['http://sub.play.example/', '2012-02-02T02:02:02Z', '200 OK', 'F' x 32], [$page, '2015-01-01T00:00:00Z', '200 OK', 'B' x 32];
$warc .= (record('revisit', $page, '2016-01-01T00:00:00Z', "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", digest => 'B' x 32))[0];
my $by_get = length $warc;
my $when = '2020-08-09T19:53:34Z';
my @posts = (   # content type, body, canonical body, what is loaded with it
    ['application/json', '{"part": 1, "deep": {"part": [2, true, null, 1.5]}}', 'part=1&part.2_=2&part.3_=True&part.4_=None&part.5_=1.5'],
    ['application/json', '{"part": 2}', 'part=2', before => 1],
    ['application/json', '{"part": 3}', 'part=3', before => 1, type => 'revisit'],
    ['application/json', '{"part": 4}', 'part=4', type => 'revisit'],
    ['application/json', 'no json', ''],
    ['application/x-www-form-urlencoded', 'b=some+data&a=more%5Edata', 'b=some%20data&a=more^data'],
    ['text/plain', '{"a": "json data"}', 'a=json+data'],
    ['text/plain', 'somechunk-encodeddata', '__wb_post_data=c29tZWNodW5rLWVuY29kZWRkYXRh'],
    ['application/octet-stream', "\0\1\2", '__wb_post_data=AAEC'],
    ['multipart/form-data; boundary=xYz', "--xYz\r\nContent-Disposition: form-data; name=\"a b\"\r\n\r\none two\r\n--xYz\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\n\xE4\r\n--xYz--\r\n", 'a+b=one+two&f=%E4'],
    ['application/json', '{"long": "' . 'x' x 9000 . '"}', 'long=' . 'x' x 4091],
);
$_->[2] =~ s/True/true/, $_->[2] =~ s/None/null/ for @posts;
$warc .= exchange($api, $when, api_request('POST', $_->[0], $_->[1]), answer('200 OK', 'application/json', '{}'), digest => $same, @$_[3 .. $#$_]) for @posts;
$warc .= exchange($api, $when, api_request('OPTIONS', '', ''), answer('204 No', 'text/plain', ''), digest => $same);
$warc .= exchange($api, $when, api_request('GET', '', ''), answer('200 OK', 'text/plain', ''), digest => $same);
spew("$dir/play.warc.gz", $warc);

my $db = Database->new;
my $server = Repository->new(db => $db, ini => {browse => {directory => "$Server::root/xslt/page", languages => 'en', replay => 'https://replay.example.org/web/{archived_time}/{url}'},
    repository => {base_url => 'http://archive.example.org/oai', identifier_namespace => 'archive.example.org', description => "$Server::root/etc/descriptions/dump.xml"}})->start;
# First a part of it, as a crawler that still writes it has it; its last record is cut off.
truncate "$dir/play.warc.gz", $by_get - 20 or die $!;
my ($status, $said) = $server->oai('load', "$dir/play.warc.gz");
my $loaded = $db->value('select count(*) from webarchiv.doc');
cmp_ok $loaded, '>', 5, "a WARC file that is still being written is loaded as far as it goes, $loaded captures" or diag $said;
spew("$dir/play.warc.gz", $warc);
($status, $said) = $server->oai('load', "$dir/play.warc.gz");
is $status, 0, 'and later the rest of it' or diag $said;
$server->oai('publish', '--once');
$server->wait_for_horizon;
# A busy machine's database may not have it in time: 503, and who asks comes again.
sub got { my ($query, %how) = @_; my $answer; wait_until(sub { ($answer = $server->ask("/oai/captures?$query", %how))->{status} ne '503' }); return $answer }
sub lines_of { my $answer = got(@_); is $answer->{status}, 200, "200: $_[0]" or diag $answer->{body}; return split /\n/, $answer->{body} }
sub encoded { return $_[0] =~ s/([^A-Za-z0-9._~-])/sprintf '%%%02X', ord $1/ger }

subtest 'what was asked by other methods than GET' => sub {
    my @all = map { decode_json(s/^\S+ \S+ //r) } lines_of('url=play.example/api*&output=cdxj');
    is scalar @all, @posts + 2, 'no two requests are one capture';
    is_deeply [sort map { "$_->{method} $_->{requestBody}" } grep { ($_->{method} // '') eq 'POST' && $_->{requestBody} } @all], [sort map { "POST $_->[2]" } grep { $_->[2] } @posts], 'CDXJ has method and body';
    is_deeply [grep { $_->{url} ne $api } @all], [], 'their address stays what it was';
    is scalar(grep { $_->{mime} eq 'warc/revisit' } @all), 2, 'also before and behind revisits';
    is_deeply [map { (split / /)[3] } lines_of('url=play.example/api')], ['text/plain'], 'the address alone is that of GET';
    for my $post (@posts) {
        my $body = $post->[2] ? "&$post->[2]" : '';
        is scalar(() = lines_of('url=' . encoded("$api?__wb_method=POST$body"))), 1, 'found by pywb: ' . substr $post->[2], 0, 40;
        is scalar(() = lines_of("sort=closest&closest=2020&rawurl=$api?__wb_method=POST" . ($body =~ s/ /%20/gr) . '&limit=100&matchType=exact')), 1, 'and as it stands, which is how pywb asks';
        is scalar(() = lines_of("url=$api&method=POST&requestBody=" . encoded($post->[2]))), 1, 'and by OutbackCDX';
    }
    is scalar(() = lines_of("url=$api&method=OPTIONS")), 1, 'OPTIONS';
    is scalar(() = lines_of('url=play.example/page&closest=&sort=closest&rawurl=')), 6, 'an empty address as it stands counts for nothing';
    # What the index gives goes into another one unchanged, as old indexes do that say it in the key alone.
    for my $form ('output=cdxj', 'output=cdxj&fl=url,mime,status,digest,length,offset,filename', 'output=text') {
        my $other = Database->new;
        my $copy = Repository->new(db => $other);
        open my $out, '>', "$dir/copy.cdx" or die $!;
        print {$out} map { "$_\n" } lines_of("url=play.example&matchType=domain&$form");
        close $out or die $!;
        ($status, $said) = $copy->oai('load', "$dir/copy.cdx");
        my $rows = 'select string_agg(concat_ws(chr(9), surt, archived_time, revisit, digest), chr(10) order by surt, archived_time, digest) from webarchiv.doc';
        is $other->value($rows), $db->value($rows), "loaded from $form" or diag $said;
    }
};

subtest 'one index, four dialects' => sub {
    my @text = lines_of('url=play.example/page');
    is $text[0], 'play,example)/page' =~ s/^/example,/r =~ s/example,play,example/example,play/r . ' 20100101000000 http://play.example/page text/html 200 ' . 'B' x 32 . ' - - ' . join(' ', (split / /, $text[0])[8 .. 9]) . ' play.warc.gz', 'text has the eleven columns of CDX';
    my %at = (p0 => '20100101000000', p1 => '20100101000030', p2 => '20100601000000', p3 => '20120101000000', p4 => '20150101000000', p5 => '20160101000000', q => '20110101000000', s => '20120202020202');
    my %named = reverse %at;
    my @cases = (   # query; the captures, by name; who asks so
        ['url=play.example/page', 'p0 p1 p2 p3 p4 p5'],
        ['url=http%3A%2F%2Fwww.play.example%3A80%2Fpage', 'p0 p1 p2 p3 p4 p5'],
        ['url=play.example/page&closest=20120101&sort=closest&limit=100&matchType=exact', 'p3 p2 p1 p0 p4 p5'],   # pywb
        ['url=play.example/page&closest=2013&limit=2', 'p3 p4'],
        ['url=play.example/page&closest=20100101000015&sort=closest&limit=2', 'p0 p1'],   # of two that are as far, the earlier
        ['url=play.example/page&closest=1990', 'p0 p1 p2 p3 p4 p5'], ['url=play.example/page&closest=now&limit=1', 'p5'],
        ['url=play.example/page&closest=2013&from=2010&to=2012', 'p3 p2 p1 p0'],
        ['url=play.example/page&sort=reverse', 'p5 p4 p3 p2 p1 p0'], ['url=play.example/page&reverse=true&limit=1', 'p5'],
        ['url=play.example/page&limit=-2', 'p4 p5'], ['url=play.example/page&fastLatest=true&limit=-1', 'p5'],   # Wayback
        ['url=play.example/page&offset=2&limit=2', 'p2 p3'],
        ['url=play.example/page&from=2012', 'p3 p4 p5'], ['url=play.example/page&to=2010', 'p0 p1 p2'], ['url=play.example/page&from=20105&to=201', 'p3 p4 p5'], ['url=play.example/page&from=2&to=20100', 'p0 p1 p2'],
        ['url=play.example/page&from=201001010000301&to=20120101000000', 'p1 p2 p3'],
        ['url=play.example/page*&to=2012', 'p0 p1 p2 p3 q'], ['url=play.example/page&matchType=prefix&from=2011&to=2012', 'p3 q'],
        ['url=play.example&matchType=host&to=2016', 'p0 p1 p2 p3 p4 p5 q'], ['url=*.play.example&to=2016', 'p0 p1 p2 p3 p4 p5 q s'],
        ['url=play.example&matchType=domain&to=2016&sort=reverse', 's q p5 p4 p3 p2 p1 p0'],
        ['urlkey=example,play)/page', 'p0 p1 p2 p3 p4 p5'], ['url=play.example/page&matchType=range&to=2016', 'p0 p1 p2 p3 p4 p5 q s'],   # OutbackCDX
        ['url=play.example/page&filter=statuscode:404', 'p2'], ['url=play.example/page&filter=!status:200', 'p2 p3'], ['url=play.example/page&filter==status:30', ''],
        ['url=play.example/page&filter=status:30', 'p3'], ['url=play.example/page&filter=~status:30', 'p3'], ['url=play.example/page&filter=status:[34]..', 'p2 p3'],
        ['url=play.example/page&filter=~!status:200', 'p2 p3'], ['url=play.example/page&filter=4:404', 'p2'], ['url=play.example/page&filter=20150101', 'p4'],
        ['url=play.example/page&filter=mime:text/html&filter=!statuscode:200&filter=!statuscode:404', 'p3'], ['url=play.example/page&filter=!mime:warc/revisit', 'p0 p1 p2 p3 p4'],
        ['url=play.example/page&filter=!=mimetype:warc/revisit&filter=~digest:(B%2B)$', 'p0 p1 p4'],
        ['url=play.example/page&collapse=timestamp:4', 'p0 p3 p4 p5'], ['url=play.example/page&collapse=digest', 'p0 p2 p3 p4'], ['url=play.example/page&collapseToLast=digest', 'p1 p2 p3 p5'],
        ['url=play.example/page&collapseToFirst=timestamp:10', 'p0 p2 p3 p4 p5'], ['url=play.example/page&collapseTime=10', 'p0 p2 p3 p4 p5'],
        ['url=*.play.example&collapse=urlkey&to=2016', 'p0 q s'], ['url=play.example/page&collapse=timestamp:4&collapse=statuscode', 'p0 p2 p3 p4 p5'],
        ['url=play.example/nothing', ''], ['url=urn:pageinfo:http://play.example/page', ''], ['url=dns:play.example', ''], ['url=http://[2001:db8::1]/', ''], ['url=http://user:pw@play.example/page', 'p0 p1 p2 p3 p4 p5'],
        ['url=http://h%C3%A1%C4%8Dky.example/', ''], ['url=play.example/page&gzip=false', 'p0 p1 p2 p3 p4 p5'], ['url=play.example/page&page=0', 'p0 p1 p2 p3 p4 p5'], ['url=play.example/nothing&page=0', ''],
        ['url=play.example/page&filter=' . encoded('url:(a|aa)+$' . '|(x+x+)+y' x 20), ''],
    );
    for (@cases) {
        my ($query, $wanted) = @$_;
        is join(' ', map { $named{(split / /)[1]} // $_ } lines_of($query)), $wanted, $query;
        # In parts, however small, the list is the same, but for what of a parameter says how much is wanted.
        next if $query =~ /limit|offset|page=|ToLast|\*\&closest/;
        my ($key, @parts) = ('');
        for my $round (1 .. 12) {
            my @part = lines_of("$query&limit=1&showResumeKey=true" . ($key ? "&resumeKey=$key" : ''));
            $key = @part > 1 && $part[-2] eq '' ? pop @part : '';
            push @parts, grep { $_ } @part;
            last if !$key;
        }
        is join(' ', map { $named{(split / /)[1]} } @parts), $wanted, 'in parts';
    }
    is got('url=play.example/page&showNumPages=true')->{body}, "1\n", 'the number of pages';
    is_deeply decode_json(got('url=play.example/page&showNumPages=true&output=json&pageSize=2')->{body}), {pages => 1, pageSize => 2, blocks => 2}, 'and as pywb has it';
    is_deeply decode_json(got('url=play.example/page&output=json&limit=1')->{body})->[0], [qw(urlkey timestamp original mimetype statuscode digest length offset filename identifier)], 'json: a list of lists';
    is_deeply [map { decode_json($_)->{u} } lines_of('url=play.example/page&output=ndjson&fl=u&limit=2')], [($page) x 2], 'lines, with the names that were asked for';
    like +(lines_of('url=play.example/page&output=cdxj'))[0], qr/^example,play\)\/page 20100101000000 \{"url":"http:\/\/play.example\/page","mime":"text\/html","status":"200",.*"filename":"play.warc.gz"/, 'cdxj';
    like got('url=a.cz&none=1')->{body}, qr/^the parameters are url, urlkey, .*closest.*resumeKey/, 'with the names that there are';
};

# What is no good, and what is only odd: path, status, how the answer begins.
subtest 'bad input' => sub {
    my $long = 'http://play.example/' . 'x' x 9_980;
    for (['captures?url=' . $long, 200, qr/^\z/], ['captures', 400, qr/^url: missing/], ['captures?q=type:urlquery', 400, qr/^url: missing/], ['captures?url=', 400, qr/^url: a URL/], ['captures?url=%00', 400, qr/^url: a URL/], ['captures?url=a%00b', 400, qr/^url: a URL/],
        ['captures?url=%FF%FE', 400, qr/^url: a URL/], ['captures?url=%zz', 400, qr/^a % is not followed/], ['captures?url=' . 'x' x 17_000, 400, qr/^url: a URL/], map({ ["captures?url=$_", 200, qr/^\z/] }
            'http://h%C3%A1%C4%8Dky.example/', 'http://xn--hky-elaf.example/', 'http://[2001:db8::1]:8080/x', 'http://[', 'http://', '%20', 'urn:x', 'dns:play.example', 'urn:pageinfo:http://play.example/page', 'urn:screenshot:http://play.example/page',
            'screenshot:http://play.example/page', 'metadata://play.example/page', 'filedesc://play.warc.gz', 'warcinfo:play'), ['captures?url=http://user:pw@play.example/page&limit=1', 200, qr/^example,play\)\/page 2010/],
        map({ ["captures?url=a.cz&$_->[0]", 400, qr/^$_->[1]: /] } ['from=x', 'from'], ['from=2010x', 'from'], ['from=', 'from'], ['to=20101301', 'to'], ['to=20100230', 'to'], ['closest=never', 'closest'], ['closest=99999999999999', 'closest'], ['limit=0', 'limit'], ['limit=x', 'limit'], ['offset=-1', 'offset'],
            ['sort=up', 'sort'], ['matchType=some', 'matchType'], ['output=xml', 'output'], ['filter=nothing:1', 'filter'], ['filter=~url:(', 'filter'], ['filter=~url:(x{1000}){1000}', 'filter'], ['filter=' . 'x' x 501, 'filter'], [join('&', ('filter=a') x 11), 'filter'],
            ['collapse=x', 'collapse'], ['collapse=url:x', 'collapse'], ['collapse=url:0', 'collapse'], ['fl=nothing', 'fl'], ['fl=' . join(',', ('url') x 21), 'fl'], ['page=x', 'page'], ['page=1', 'page'], ['page=1&output=json', 'page'], ['pageSize=0', 'pageSize'], ['resumeKey=x', 'resumeKey'], ['limit=1&limit=2', 'limit'],
            map({ ["$_=true", $_] } qw(resolveRevisits showDupeCount showSkipCount lastSkipTimestamp showPagedIndex omitSelfRedirects accesspoint)), ['q=type:nothing%20url:a.cz', 'q'], ['none=1', 'the parameters are url']),
        map({ ["captures?url=a.cz&$_", 200, qr/^\z/] } 'filter=' . encoded('~url:(a|aa)+$' . '|(x+x+)+y' x 20), 'filter=' . encoded('(a*)*b'), 'resolveRevisits=false', 'from=1&to=9', 'offset=10000'),
        map({ ["timemap/link/$_->[0]", $_->[1], qr/\w/] } ['', 400], ['%00', 400], [$long, 400], ['http://[2001:db8::1]/', 404], ['urn:x', 404], ['dns:play.example', 404], ['99999999999999/http://play.example/', 404], ['%20', 404]), ['timegate/', 400, qr/\w/], ['timegate/%FF', 400, qr/\w/]) {
        my ($path, $status, $begins) = @$_;
        my $answer = $server->ask("/oai/$path");
        is $answer->{status}, $status, "$status: " . substr $path, 0, 60 or diag $answer->{body};
        my $body = $path =~ /none=1/ ? $answer->{body} =~ s/, .*/: /sr : $answer->{body};
        like $body, $begins, 'in words' if $status == $answer->{status};
    }
};

# As the tests of OutbackCDX have it, with lines of our own.
subtest 'the cases of OutbackCDX' => sub {
    open my $out, '>', "$dir/outback.cdx" or die $!;
    print {$out} map { "- $_->[0]0101000000 $_->[1] text/html $_->[2] " . $_->[3] x 32 . " - - 100 0 w$_->[0].gz\n" } [2005, 'http://back.test/', 200, 'A'], [2006, 'http://back.test/', 200, 'A'], [2007, 'http://www.back.test/', 201, 'B'], [2008, 'https://back.test/', 404, 'C'],
        [2009, 'http://back.test/', 200, 'A'], [1996, 'http://other.back.test/', 200, 'D'], [2001, 'http://back.test/a', 200, 'E'], [2002, 'http://back.test/b?y=2&x=1', 200, 'F'];
    close $out or die $!;
    is +($server->oai('load', "$dir/outback.cdx"))[0], 0, 'lines of CDX are loaded';
    $server->oai('publish', '--once');
    $server->wait_for_horizon;
    for (   # query; years of the captures
        ['url=back.test', '2005 2006 2007 2008 2009'], ['url=http://back.test/', '2005 2006 2007 2008 2009'], ['url=back.test&limit=2', '2005 2006'], ['url=back.test&sort=reverse', '2009 2008 2007 2006 2005'], ['url=back.test&sort=reverse&limit=1', '2009'],
        ['url=back.test&sort=closest&closest=20060129000000', '2006 2007 2005 2008 2009'], ['url=back.test&sort=closest&closest=19000101000000', '2005 2006 2007 2008 2009'], ['url=back.test&sort=closest&closest=20990101000000&limit=2', '2009 2008'],
        ['url=back.test&from=2006&to=2007', '2006 2007'], ['url=back.test&from=20060101000000&to=20060101000000', '2006'], ['url=back.test&from=2006&to=2008&sort=reverse', '2008 2007 2006'], ['url=back.test&from=2010', ''],
        ['url=back.test/*', '2005 2006 2007 2008 2009 2001 2002'], ['url=*.back.test', '2005 2006 2007 2008 2009 2001 2002 1996'], ['url=back.test&matchType=host', '2005 2006 2007 2008 2009 2001 2002'], ['url=back.test&matchType=domain&from=1996&to=1999', '1996'],
        ['url=http://back.test/*&matchType=exact', ''], ['urlkey=test,back)/a', '2001'], ['url=back.test/a&matchType=range', '2001 2002 1996'],
        ['url=back.test&filter=status:20.', '2005 2006 2007 2009'], ['url=back.test&filter=status:201', '2007'], ['url=back.test&filter=!status:20.', '2008'], ['url=back.test&filter=~filename:w2008', '2008'], ['url=back.test&filter=~!status:20', '2008'], ['url=back.test&filter=filename:w200[67].*', '2006 2007'],
        ['url=back.test&collapse=digest', '2005 2007 2008 2009'], ['url=back.test&collapseToFirst=digest', '2005 2007 2008 2009'], ['url=back.test&collapseToLast=digest', '2006 2007 2008 2009'], ['url=back.test&collapse=timestamp:3', '2005'], ['url=back.test&collapseToLast=timestamp:13', '2005 2006 2007 2008 2009'],
        ['url=back.test&omitSelfRedirects=false', '2005 2006 2007 2008 2009']) {
        my ($query, $years) = @$_;
        is join(' ', map { substr((split / /)[1], 0, 4) } lines_of($query)), $years, $query;
    }
    is scalar(() = lines_of('url=' . encoded('back.test/b?x=1&y=2'))), 1, 'arguments of a URL in any order';
    like +(lines_of('url=back.test&output=cdxj'))[0], qr/^test,back\)\/ 20050101000000 \{"url":"http:\/\/back.test\/","mime":"text\/html","status":"200","digest":"A{32}","length":"100","offset":"0","filename":"w2005.gz"/, 'CDXJ';
};

subtest 'the XML of OpenWayback' => sub {
    my $xml = sub { my $answer = got('q=' . encoded($_[0]) . ($_[1] // '')); is $answer->{status}, 200, $_[0] or diag $answer->{body}; return XML::LibXML->load_xml(string => $answer->{body}) };
    my $all = $xml->('type:urlquery url:' . encoded($page));
    is $all->findvalue('count(/wayback/results/result)'), 6, 'captures of a URL';
    is $all->findvalue('concat(/wayback/request/numreturned, " ", /wayback/request/numresults, " ", /wayback/request/resultstype)'), '6 6 resultstypecapture', 'counted';
    is $all->findvalue('concat(//result[1]/capturedate, " ", //result[1]/httpresponsecode, " ", //result[1]/file, " ", //result[1]/urlkey, " ", //result[1]/url)'), "20100101000000 200 play.warc.gz example,play)/page $page", 'with what replay needs';
    is $xml->('type:urlquery url:' . encoded($page) . ' date:20130101')->findvalue('//result[closest]/capturedate'), '20120101000000', 'the closest is marked';
    is $xml->('type:urlquery url:' . encoded($page), '&count=4&start_page=2')->findvalue('concat(count(//result), " ", /wayback/request/firstreturned)'), '2 4', 'pages';
    is $xml->('limit:2 offset:1 type:urlquery url:' . encoded($page))->findvalue('//result[1]/capturedate'), '20100101000030', 'and offsets';
    my $urls = $xml->('type:prefixquery url:' . encoded('http://play.example/page'));
    is $urls->findvalue('concat(count(//result), " ", //result[1]/originalurl, " ", //result[1]/numcaptures, " ", //result[1]/numversions, " ", //result[1]/firstcapturets, " ", //result[1]/lastcapturets)'), "2 $page 6 4 20100101000000 20160101000000", 'URLs that begin so';
    is $xml->('type:urlquery url:' . encoded('http://play.example/none'))->findvalue('/wayback/error/title'), 'Resource Not In Archive', 'one that is not there';
};

subtest 'headers' => sub {
    my $answer = got('url=*.play.example', gzip => 1);
    is $answer->{headers}{'access-control-allow-origin'}, '*', 'pages of others may ask';
    is $answer->{headers}{'content-encoding'}, 'gzip', 'gzip';
    my $tag = $answer->{headers}{etag};
    is got('url=*.play.example', gzip => 1, known => $tag)->{status}, 304, 'who has the list hears that it has not changed';
    is got("url=*.play.example$_->[0]")->{headers}{'cache-control'}, "public, max-age=$_->[1]", "kept for $_->[1] s$_->[0]" for ['', 0], ['&to=2016', 3600], ['&to=2999', 0], ['&to=2016&closest=2010&limit=1', 3600];
};

subtest 'where all records are, and all changes' => sub {
    my $manifest = 'https://example.org/oai/dump/manifest.json';
    like $server->ask('verb=Identify')->{body}, qr{<description>\s*<oai_dc:dc .*<dc:identifier>\Q$manifest\E</dc:identifier>}s, 'Identify describes them';
    my $home = $server->ask('/oai/browse');
    like $home->{body}, qr{<link [^>]*href="$_"}, "the first page for people links to $_" for $manifest, map { "http://archive.example.org/oai/changes$_" } '', '.ttl';
    like $home->{body}, qr{<a href="$_">}, 'for people, too' for $manifest, 'http://archive.example.org/oai/changes';
    my $part = 'http://archive.example.org/oai/browse/sitemap/dump';
    like $server->ask('/oai/browse/sitemap.xml')->{body}, qr{<sitemap><loc>\Q$part\E</loc></sitemap>}, 'the sitemap has a part for them';
    is_deeply [XML::LibXML->load_xml(string => $server->ask('/oai/browse/sitemap/dump')->{body})->documentElement->textContent =~ /\S+/g], [$manifest], 'which names the manifest';
    is $home->{headers}{link}, '<http://archive.example.org/oai/changes>; rel="alternate"; type="application/activity+json"', 'and so does its header Link';
};

subtest 'Memento' => sub {
    my $uri_m = sub { "https://replay.example.org/web/$_[0]/$page" };
    my $map = $server->ask("/oai/timemap/link/$page");
    is "$map->{status} $map->{headers}{'content-type'}", '200 application/link-format', 'a TimeMap';
    my @links = map { my ($target, $rest) = /^<([^>]*)>; (.*?),?$/ or die $_; {target => $target, $rest =~ /(\w+)="([^"]*)"/g} } split /\n/, $map->{body};
    is_deeply [map { $_->{target} } grep { $_->{rel} =~ /memento/ } @links], [map { $uri_m->($_) } qw(20100101000000 20100101000030 20100601000000 20120101000000 20150101000000 20160101000000)], 'all captures, where they can be seen';
    is_deeply [map { "$_->{rel} $_->{target}" } @links[0 .. 2]], ["original $page", "self http://archive.example.org/oai/timemap/link/$page", "timegate http://archive.example.org/oai/timegate/$page"], 'original, self, timegate';
    is_deeply [$links[3]{rel}, $links[3]{datetime}, $links[-1]{rel}], ['first memento', 'Fri, 01 Jan 2010 00:00:00 GMT', 'last memento'], 'the first and the last';
    my $json = decode_json($server->ask("/oai/timemap/json/$page")->{body});
    is scalar @{ $json->{mementos}{list} }, 6, 'and as JSON';
    is $server->ask("/oai/timemap/link/$page", cgi => {HTTP_ACCEPT_DATETIME => 'Fri, 01 Jan 2010 00:00:00 GMT'})->{body}, $map->{body}, 'a TimeMap is not negotiated by date';
    is $server->ask("/oai/timemap/link/$page?x=1")->{body} =~ /20110101000000/ ? 1 : 0, 1, 'a URL with a query';
    is $server->ask('/oai/timemap/link/' . encoded($page))->{status}, 200, 'and an encoded one';
    is $server->ask($_)->{status}, 404, "404: $_" for '/oai/timemap/link/http://none.example/', '/oai/timemap/rdf/http://play.example/', '/oai/timegate/http://none.example/';
    for (['Fri, 01 Jan 2010 00:00:14 GMT', '20100101000000'], ['Fri, 01 Jan 2010 00:00:16 GMT', '20100101000030'], ['Mon, 01 Jan 1990 00:00:00 GMT', '20100101000000'], ['Fri, 01 Jan 2100 00:00:00 GMT', '20160101000000'], ['', '20160101000000'], ['Wed, 01 Aug 2012 00:00:00 GMT', '20120101000000']) {
        my $gate = $server->ask("/oai/timegate/$page", $_->[0] ? (cgi => {HTTP_ACCEPT_DATETIME => $_->[0]}) : ());
        is "$gate->{status} $gate->{headers}{location}", '302 ' . $uri_m->($_->[1]), "a TimeGate: $_->[0]";
        is $gate->{headers}{vary}, 'Accept-Datetime', 'its answer depends on the date';
        my $link = $gate->{headers}{link};
        like $link, qr/<\Q$_->[0]\E>; rel="$_->[1]"/, "with $_->[1]" for [$page, 'original'], ["http://archive.example.org/oai/timemap/link/$page", 'timemap'], [$uri_m->('20100101000000'), 'first memento'], [$uri_m->('20160101000000'), 'last memento'];
    }
    my $link = $server->ask("/oai/timegate/$page", cgi => {HTTP_ACCEPT_DATETIME => 'Wed, 01 Aug 2012 00:00:00 GMT'})->{headers}{link};
    like $link, qr/<\Q@{[$uri_m->($_->[0])]}\E>; rel="$_->[1] memento"/, $_->[1] for ['20100601000000', 'prev'], ['20150101000000', 'next'];
    is $server->ask("/oai/timegate/$page", cgi => {HTTP_ACCEPT_DATETIME => $_})->{status}, 400, "no date: $_" for 'yesterday', '2010-01-01', 'Fri, 01 Jan 2010 00:00:00 +0100', 'Tue, 30 Feb 2010 00:00:00 GMT', 'P1D';
    is $server->ask('/oai/timegate/http://play.example/' . 'x' x 3_000)->{status}, 404, 'a long URL';
    SKIP: {
        my $modules = $ENV{OAI_MEMENTO_CLIENT} or skip 'OAI_MEMENTO_CLIENT names no modules of npm with memento-client, so it does not read the TimeMap', 1;
        my $url = $server->url;
        open my $out, '>', "$dir/memento.js" or die $!;
        print {$out} qq{const memento = require("$modules/memento-client");
            const of = (all) => all.filter((l) => /memento/.test(l.rel)).map((l) => l.href.replace(/.*web.(....).*/, "\$1")).join(" ");
            memento("$page", {host: "$url/timemap/link/"}, (e, all) => { if (e) throw e; console.log("all " + of(all));
                memento("$page", {host: "$url/timegate/", time: new Date("2012-08-01")}, (e, near) => { if (e) throw e; console.log("near " + of(near)) }) });\n};
        close $out or die $!;
        my (undef, $told) = run_program('node', '--no-warnings', "$dir/memento.js");
        is $told, "all 2010 2010 2010 2012 2015 2016\nnear 2012 2010 2010 2015 2016\n", 'memento-client reads the TimeMap, and the links of the TimeGate';
    }
};

subtest 'a million captures of one URL' => sub {
    my $many = is_long() ? 1_000_000 : 30_000;
    $db->run("insert into webarchiv.doc (archived_time, url, surt, digest) select timestamptz '2000-01-01 00:00:00Z' + n * interval '10 seconds', 'http://many.example/x', 'example,many)/x', lpad(n::text, 32, '0') from generate_series(1, $many) n");
    $db->publish($many);
    my $started = 'url=many.example/x&filter==status:nothing&showResumeKey=true';
    for my $query ($started, "$started&sort=reverse", "$started&closest=2000010200", "$started&matchType=prefix", "$started&collapse=timestamp:4", "$started&limit=-5") {
        my $answer = got($query);
        is $answer->{status}, 200, "a filter that nothing passes: $query";
        like $answer->{body}, qr/^\n[\w-]+\n$/, 'ends with a key';
        my $further = got("$query&resumeKey=" . $answer->{body} =~ s/\n//gr);
        like $further->{body}, qr/^\n[\w-]+\n$/, 'from which it goes on';
        isnt $further->{body}, $answer->{body}, 'behind what was looked at';
    }
    my ($key, %seen, $twice) = ('');
    for (1 .. 4) {
        my @part = lines_of('url=many.example/x&fl=timestamp&showResumeKey=true' . ($key ? "&resumeKey=$key" : ''));
        $key = @part > 1 && $part[-2] eq '' ? pop @part : '';
        $twice += $seen{$_}++ for grep { $_ } @part;
        last if !$key;
    }
    is_deeply [scalar keys %seen, $twice], [30_000 + ($many > 30_000 ? 10_000 : 0), 0], 'lists of ten thousand have them all, each once';
    is_deeply [map { scalar(() = lines_of("url=many.example/x&page=$_&fl=timestamp")) } 0 .. 2], [(10_000) x 3], 'and so have numbered pages';
    is got("url=many.example/x&page=3&output=$_")->{status}, $many > 30_000 ? 200 : 400, "behind which there is none, so that who asks until then comes to an end: $_" for 'text', 'json';
    is got('url=many.example/x&showNumPages=true')->{body}, $many > 30_000 ? got('url=many.example/x&page=0')->{body} : "3\n", 'of which there are as many' if $many == 30_000;
    my $first = $server->ask('/oai/timemap/link/http://many.example/x')->{body};
    my ($next) = $first =~ m{<http://archive.example.org(/oai/timemap/link/\d{14}/[^>]*)>; rel="timemap"};
    is scalar(() = $first =~ /memento"/g), 5_000, 'a TimeMap has parts';
    my $second = $server->ask($next)->{body};
    is scalar(() = $second =~ /memento"/g), 5_000, 'which follow each other';
    my %mementos = map { $_ => 1 } "$first$second" =~ m{/web/(\d{14})/}g;
    is scalar(keys %mementos), 10_000, 'without a gap';
    unlike $server->log_text, qr/event=fault kind=(?!unavailable)/, 'there was no fault';
};

# The same rows in a sorted file, and ten lines that search it.
subtest 'random look-ups beside a sorted file' => sub {
    my ($captures, $lookups) = is_long() ? (1_000_000, 1_000_000) : (20_000, 2_000);
    srand sample_number();
    my $key = sub { my ($u) = @_; return 'example,random,h' . $u % 97 . ')/p' . int $u / 97 };
    $db->run("insert into webarchiv.doc (archived_time, url, surt, digest) select timestamptz '2000-01-01Z' + (hashint4(n) & 268435455) * interval '1 second', 'http://h' || u % 97 || '.random.example/p' || u / 97,
        'example,random,h' || u % 97 || ')/p' || u / 97, lpad(n::text, 32, '0') from (select n, (hashint4(n + 7) & 1048575) % ($captures / 4) as u from generate_series(1, $captures) n) c");
    $db->publish($captures);
    $server->wait_for_horizon;
    my @lines = sort map { "@$_" } $db->rows(q{select surt, to_char(archived_time at time zone 'UTC', 'YYYYMMDDHH24MISS'), digest from webarchiv.doc where surt like 'example,random,%'});
    my $first = sub {
        my ($wanted, $low, $high) = (@_, 0, scalar @lines);
        while ($low < $high) { my $middle = int(($low + $high) / 2); $lines[$middle] lt $wanted ? ($low = $middle + 1) : ($high = $middle) }
        return $low;
    };
    my $between = sub { return @lines[$first->($_[0]) .. $first->($_[1]) - 1] };
    my $seconds = sub { my ($y, $mo, $d, $h, $mi, $s) = $_[0] =~ /^(....)(..)(..)(..)(..)(..)/; return timegm($s, $mi, $h, $d, $mo - 1, $y) };
    my ($unequal, %compared) = (0);
    for (1 .. $lookups) {
        my $u = int rand $captures / 3;   # some of them are not there
        my ($k, $url) = ($key->($u), 'h' . $u % 97 . '.random.example/p' . int $u / 97);
        my ($since, $until) = sort map { 2000 + int rand 9 } 1, 2;
        my $time = sprintf '20%02d%02d%02d000000', int rand 9, 1 + rand 12, 1 + rand 28;
        my @kinds = (
            ['exact', "url=$url", sub { $between->("$k ", "$k!") }],
            ['closest', "url=$url&closest=$time&limit=2", sub {
                my @near = sort { abs($seconds->((split / /, $a)[1]) - $seconds->($time)) <=> abs($seconds->((split / /, $b)[1]) - $seconds->($time)) || $a cmp $b } $between->("$k ", "$k!");
                return grep { defined } @near[0, 1];
            }],
            ['from and to', "url=$url&from=$since&to=$until", sub { $between->("$k $since", "$k $until~") }],
            ['prefix', "url=$url*&limit=50", sub { my @all = $between->($k, "$k~"); return @all[0 .. ($#all < 49 ? $#all : 49)] }],
            ['last', "url=$url&limit=-1", sub { my @all = $between->("$k ", "$k!"); return @all ? $all[-1] : () }],
            ['domain', 'url=*.h' . $u % 97 . ".random.example&limit=20&from=$since", sub { my @all = grep { (split / /)[1] ge $since } $between->('example,random,h' . $u % 97 . ')', 'example,random,h' . $u % 97 . '-'); return @all[0 .. ($#all < 19 ? $#all : 19)] }],
        );
        my ($kind, $query, $theirs) = @{$kinds[rand @kinds]};
        my ($got, $wanted) = (got("$query&fl=urlkey,timestamp,digest")->{body}, join '', map { "$_\n" } $theirs->());
        $compared{$kind} += $wanted ne '';
        next if $got eq $wanted || $unequal++;
        is $got, $wanted, $query;
    }
    is $unequal, 0, "$lookups look-ups are equal, with captures of " . join ', ', map { "$compared{$_} $_" } sort keys %compared;
    cmp_ok $compared{$_} // 0, '>', 0, "some of $_" for 'exact', 'closest', 'from and to', 'prefix', 'last', 'domain';
};

subtest 'what a look-up reads' => sub {
    # Of captures of one URL, of which there are 30,000, and of hosts with as many others; the plan is made before.
    # A host of which the statistics know nothing: its captures are not all read and sorted.
    $db->run('analyze webarchiv.doc', "insert into webarchiv.doc (archived_time, url, surt) select timestamptz '2003-01-01Z', 'http://fresh.example/' || n, 'example,fresh)/' || n from generate_series(1, 3000) n");
    for (['the first ten', "'example,many)/x', null, 'example,many)/x', null, null, false, 10"], ['the last ten', "'example,many)/x', null, 'example,many)/x', null, null, true, 10"],
        ['ten before a time', "'example,many)/x', null, 'example,many)/x', 946800000000000, null, true, 10"], ['ten behind a time', "'example,many)/x', 946800000000000, 'example,many)/x', null, null, false, 10"], ['a prefix', "'example,random,h1)/p1', null, 'example,random,h1)/p2', -62135596800000000, null, false, 10"],
        ['a host', "'example,fresh)', null, 'example,fresh*', -62135596800000000, null, false, 10"], ['a host, backwards', "'example,fresh)', null, 'example,fresh*', -62135596800000000, null, true, 10"],
        ['a domain', "'example,', null, 'example-', -62135596800000000, null, false, 10"]) {
        my ($what, $arguments) = @$_;
        my $plan = Database::psql($db->conninfo, '-c', "select count(*) from oai.captures($arguments)", '-c', "explain (analyze, buffers, format json) select * from oai.captures($arguments)") =~ s/^\d+\n//r;
        my $top = decode_json($plan)->[0]{Plan};
        is $top->{'Actual Rows'}, 10, "$what: ten rows";
        # The way down the index and the row itself, and two names of each row.
        cmp_ok $top->{'Shared Hit Blocks'} + $top->{'Shared Read Blocks'}, '<=', 90, "$what: of few pages";
    }
};

subtest 'many captures that are not shown' => sub {
    # Two are published; those between them are not yet.
    my $hidden = 25_000;
    $db->run("insert into webarchiv.doc (archived_time, url, surt) select unnest('{2001-01-01Z,2019-01-01Z}'::timestamptz[]), 'http://hidden.example/', 'example,hidden)/'");
    $db->publish(10);
    $db->run("insert into webarchiv.doc (archived_time, url, surt) select timestamptz '2002-01-01 00:00:00Z' + n * interval '1 minute', 'http://hidden.example/', 'example,hidden)/' from generate_series(1, $hidden) n");
    my ($address, $parts, @mementos) = ('/oai/timemap/link/http://hidden.example/', 0);
    while ($address && ++$parts < 9) {
        my $part = $server->ask($address);
        is $part->{status}, 200, "part $parts of a TimeMap";
        push @mementos, $part->{body} =~ m{/web/(\d{14})/http://hidden.example/>}g;
        ($address) = $part->{body} =~ m{<http://archive.example.org(/oai/timemap/link/\d{14}/[^>]*)>; rel="timemap"};
    }
    is "@mementos", '20010101000000 20190101000000', 'has what is shown';
    cmp_ok $parts, '>', $hidden / 10_000, 'in parts that each look at a bounded number of captures';
    like decode_json($server->ask('/oai/timemap/json/http://hidden.example/')->{body})->{next}, qr{/timemap/json/2002}, 'as JSON, too';
    for (['Tue, 01 Jan 2002 12:00:00 GMT', 2001], ['Tue, 01 Jan 2002 20:00:00 GMT', 2001], ['', 2019]) {
        my $gate = $server->ask('/oai/timegate/http://hidden.example/', $_->[0] ? (cgi => {HTTP_ACCEPT_DATETIME => $_->[0]}) : ());
        like "$gate->{status} $gate->{headers}{location}", qr{^302 .*/web/$_->[1]}, "a TimeGate finds one that is shown: $_->[0]";
    }
    $db->run("insert into webarchiv.doc (archived_time, url, surt) select timestamptz '2002-01-01 00:00:00Z' + n * interval '1 second', 'http://unseen.example/', 'example,unseen)/' from generate_series(1, $hidden) n");
    is $server->ask("/oai/timegate/http://unseen.example/")->{status}, 404, 'or none';
    my ($key, $lists) = ('', 0);
    do { (undef, $key) = lines_of('url=hidden.example&from=2002&to=2018&showResumeKey=true' . ($key ? "&resumeKey=$key" : '')) } while ++$lists < 9 && $key;
    is $lists, 3, 'a list goes on from key to key';
};

done_testing;
