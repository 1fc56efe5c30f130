#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Requests and answers through the shipped configurations of nginx, of Apache with mod_proxy_fcgi and of Apache with
# mod_fcgid.
use TestProgram;
use IO::Select;

my $limit = 65_536;
my $dir   = shared_directory();
my $echo  = Server->echo(socket => "$dir/socket", args => ['--post-limit', $limit])->start;

my %behind = (nginx => "$dir/socket", apache => "$dir/socket",
              fcgid => Server::echo_command('--workers', 5, '--post-limit', $limit));
for my $kind (qw(nginx apache fcgid)) {
    my $port = WebServer::start($kind, "$dir/$kind", $behind{$kind});
    my $get  = sub { WebServer::http($port, 'GET', @_) };

    subtest "$kind: the mount point" => sub {
        is $get->('/oai?a=1')->{body},  "GET /oai\na=1\n",  'without a trailing slash';
        is $get->('/oai/?a=1')->{body}, "GET /oai/\na=1\n", 'with a trailing slash';
        is $get->('/oai')->{body},      "GET /oai\n",       'without arguments';
        is $get->('/oaix')->{status},   404,                'a longer name with the same beginning is not handled';
    };

    subtest "$kind: the request is handed over raw" => sub {
        is $get->('/oai/%61%20b?x=%2B+%26&x=%zz&y')->{body}, "GET /oai/%61%20b\nx=+ &\nx=%zz\ny=\n",
            'path as sent, arguments decoded once, in order, duplicates kept';
        is $get->('/oai?identifier=oai:a.org:x/y%2Fz')->{body}, "GET /oai\nidentifier=oai:a.org:x/y/z\n", 'slashes in a value are kept';
    };

    subtest "$kind: POST" => sub {
        my $post = sub { my ($bytes, %with) = @_; WebServer::http($port, 'POST', '/oai', body => $bytes, %with) };
        is $post->('')->{body},    "POST /oai\n",        '0 bytes';
        is $post->('a')->{body},   "POST /oai\na=\n",    '1 byte';
        is $post->('a=b&c=%26')->{body}, "POST /oai\na=b\nc=&\n", 'a form';
        is $post->('a=b', type => 'application/x-www-form-urlencoded; charset=UTF-8')->{body}, "POST /oai\na=b\n", 'a media type with a charset is accepted';
        is $post->('a=' . 'x' x ($limit - 2))->{body}, "POST /oai\na=" . ($limit - 2) . " bytes\n", 'a body of the maximum length is accepted';
        my $over = $post->('a=' . 'x' x ($limit - 1));
        is $over->{status}, 413, 'one byte more is refused';
        like $over->{body}, qr/at most $limit bytes/, 'with the message of the program';
        is $post->('a=b', type => 'text/plain')->{status}, 415, 'another media type is refused';
        is WebServer::http($port, 'PUT', '/oai', body => 'a=b')->{status}, 405, 'PUT is refused';
    };

    subtest "$kind: big answers" => sub {
        my $line = join('', 0 .. 9, 'a' .. 'z', 'A' .. 'Z') . ".\n";
        for my $bytes (0, 1, 8192, 65_535, 5_000_000) {
            my $want = substr $line x (1 + $bytes / length $line), 0, $bytes;
            ok $get->("/oai?bytes=$bytes")->{body} eq $want, "$bytes bytes";
        }
    };

    subtest "$kind: HEAD" => sub {
        my $head = WebServer::http($port, 'HEAD', '/oai?bytes=5000000');
        is $head->{status}, 200, 'is answered';
        is $head->{body}, '', 'without a body';
        is $head->{headers}{'content-type'}, 'text/plain; charset=UTF-8', 'with the headers of GET';
        is WebServer::http($port, 'HEAD', '/oai?status=503&retry=9')->{headers}{'retry-after'}, 9, 'Retry-After is passed on, too';
    };

    subtest "$kind: 503" => sub {
        my $busy = $get->('/oai?status=503&retry=7');
        is $busy->{status}, 503, 'stays 503';
        is $busy->{headers}{'retry-after'}, 7, 'Retry-After survives';
        is $busy->{body}, "As told. [OAI-1105]\n", 'and so does the body';
    };

    subtest "$kind: long query strings" => sub {
        is $get->('/oai?a=' . 'x' x 4000)->{body}, "GET /oai\na=4000 bytes\n", '4,000 bytes pass';
        is $get->('/oai?a=' . 'x' x 20_000)->{status}, 414, '20,000 bytes are refused';
    };

    subtest "$kind: only the operator can read what is under /oai/-/" => sub {
        my $far = sub { $get->($_[0], headers => ['X-Test-Client: 192.0.2.7'])->{status} };
        is $get->("/oai$_")->{status}, 200, "$_: open to this host" for '/-/health', '/-/', '/-';
        is $far->("/oai$_"), 403, "$_: closed to others"
            for '/-/health', '/-/metrics?x=1', '/-/', '/-', '/%2D/health', '//-/health', '/x/../-/health',
                '/-/schema/../health', '/-/schema/%2e%2e/health', '/-/schemata/a.xsd';
        is $far->("/oai$_"), 200, "$_: open to all" for '', '/', '/-x', '/-/schema/a.xsd';
        isnt $far->('/oai/-/schema/..%2fhealth'), 200, 'an encoded slash does not circumvent this';
    };
}

subtest 'nginx: too many requests at a time from one client' => sub {
    my $port = WebServer::start('nginx', "$dir/crowd", "$dir/socket");
    my @clients = map { IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port") // die $! } 1 .. 80;
    kill 'STOP', $echo->{pid};    # so that none of them is answered before the last one comes
    for (@clients) { print $_ "GET /oai?sleep=500 HTTP/1.0\r\nX-Test-Client: 192.0.2.7\r\n\r\n"; $_->flush }
    ok wait_until(sub { 16 == (() = IO::Select->new(@clients)->can_read(0)) }), 'some are answered at once';
    kill 'CONT', $echo->{pid};
    is WebServer::http($port, 'GET', '/oai', headers => ['X-Test-Client: 192.0.2.8'])->{status}, 200, 'another client is answered';
    my @answers = map { local $/; scalar readline $_ } @clients;
    my %answered;
    ++$answered{/^HTTP\/1\.1 (\d+) / ? $1 : substr $_, 0, 100} for @answers;
    is_deeply \%answered, {200 => 64, 503 => 16}, '64 requests are answered, and further ones are refused';
    my @refused = grep { m{^HTTP/1\.1 503 } } @answers;
    is scalar(grep { !/^Retry-After: 10\r$/m || !/Too many requests/ } @refused), 0, 'with 503 and Retry-After';
};

is $echo->stop, 0, 'the server stops with status 0';
ok !-e "$dir/socket", 'and removes its socket';
done_testing;
