#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# oai validate: the server of this project passes behind nginx; the faults of an independent provider (Debian's
# Dancer::Plugin::Catmandu::OAI under Starman) are found, and what is wrong or unusual with HTTP; exit statuses.
use TestProgram;
use Compress::Zlib ();
use HTTP::Tiny;
use HarvestedRepository;

my $dir   = tempdir('oai-validate-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $peer;
END { my $status = $?; if ($peer) { kill TERM => $peer; waitpid $peer, 0 } $? = $status }

# (exit status, stdout, stderr)
sub oai { return run_apart("$build/" . ($ENV{OAI_FLAVOUR} // 'release') . '/oai', @_) }
sub validate { return oai('validate', '--pause', 0, '--max-pages', 10, @_) }
# A hash of the checks with that verdict: id => why.
sub found {
    my ($verdict, $report) = @_;
    return {map { @$_ } map { [/^  \Q$verdict\E +(\S+) .*\n(?:        (.*)\n)?/] } $report =~ /^(  \S.*\n(?:        .*\n)*)/mg ? grep { /^  \Q$verdict\E / } $report =~ /^(  \S.*\n(?:        .*\n)*)/mg : ()};
}

my $repository = HarvestedRepository->new(documents => 90);
my $base = $repository->url;
$repository->configure(base_url => $base);
$repository->start;

subtest 'our own server conforms' => sub {
    my ($status, $out, $err) = validate($base, '--strict');
    is $status, 0, 'no check fails and none warns' or diag "$out$err";
    my ($all, $passed, $skipped) = $out =~ /^(\d+) checks: (\d+) passed, 0 failed, 0 warnings, 0 notes, (\d+) skipped, by \d+ requests$/m or diag $out;
    cmp_ok $all, '>', 100, "$all checks";
    is_deeply [sort keys %{found('skip', $out)}], [sort qw(date.finer set.none http.retry-after)], 'only checks that do not apply to a repository like ours are skipped' or diag explain found('skip', $out);
    is $passed + $skipped, $all, 'the sum is right';
};

subtest 'selected checks' => sub {
    my ($status, $out) = validate($base, '--only', 'verb', 'token.cursor');
    is $status, 0, '--only runs the named checks';
    is_deeply [$out =~ /^  ok +(\S+)/mg], [qw(token.cursor verb.missing verb.empty verb.unknown verb.repeated verb.case)], 'and there are no warnings';
    unlike $out, qr/^\S+: /m, 'nor a sentence that was violated';
    ($status, $out) = validate($base, '--set', 'dom:cz', '--format', 'marc21', '--only', 'token', 'record');
    is $status, 0, 'in another format, of a set' or diag $out;
    ($status, $out) = oai('validate', '--list');
    is $status, 0, '--list needs no repository';
    is scalar(grep { !/^[a-z]+\.[a-z0-9-]+\t(must|should|advice)\t[^\t]+\t[^\t]+$/ } split /\n/, $out), 0, 'and prints a table';
    my ($refused, undef, $why) = oai('validate', $base, '--only', 'nonsense');
    is $refused, 2, 'an unknown check is wrong usage';
    like $why, qr/^oai: .*no check nonsense/, 'and says so';
    is((oai('validate'))[0], 2, 'so is a missing URL');
    is((oai('validate', "$base?verb=Identify"))[0], 2, 'and a URL with a query');
    my $closed = free_port();
    ($refused, $out, $why) = oai('validate', "http://127.0.0.1:$closed/oai");
    is "$refused $out", '1 ', 'a repository that cannot be reached is a failure';
    like $why, qr/^oai: .*127\.0\.0\.1/, 'and the message names it';
    ($status, $out) = validate("$base/-/schema/x.xsd", '--only', 'identify');
    is $status, 1, 'an address that is no repository fails';
};

# What HTTP carries, made unusual or wrong between our server and the validator: a way for each path. A way gets a request, the
# status and the bytes of the right answer, and returns the bytes to send; an undefined value closes the connection instead. In a
# request `last` is whether the client closes the connection behind it, `line` the length of the request line.
my ($listener, $busy) = (IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1') || die("listen: $!"), 0);
sub url { return 'http://127.0.0.1:' . $listener->sockport . "/$_[0]" }
sub right {
    my ($path, $query) = @_;
    my $answer = $repository->ask($query);
    return ($answer->{status}, $answer->{body} =~ s/\Q$base\E/url($path)/ger);
}
# chunked => 1: the body in small chunks, so that a chunk ends within a tag
sub response {
    my ($asked, $status, $body, %how) = @_;
    my $zipped = $body ne '' && $asked->{zipped};
    $body = Compress::Zlib::memGzip($body) if $zipped;
    my $sent = $how{chunked} ? join('', map { sprintf("%x\r\n%s\r\n", length, $_) } $body =~ /(.{1,7})/gs) . "0\r\n\r\n" : $body;
    return "HTTP/1.1 $status Well\r\nContent-Type: text/xml; charset=UTF-8\r\nVary: Accept-Encoding\r\n" . ($zipped ? "Content-Encoding: gzip\r\n" : '')
        . ($how{chunked} ? "Transfer-Encoding: chunked\r\n" : 'Content-Length: ' . length($body) . "\r\n") . ($asked->{last} ? "Connection: close\r\n" : '')
        . ($how{headers} // '') . "\r\n" . ($asked->{method} eq 'HEAD' ? '' : $sent);
}
my %ways = (
    right => \&response,
    'one-by-one' => sub { my ($asked, @right) = @_; response({%$asked, last => 1}, @right) },
    chunked => sub { response(@_, chunked => 1) },
    # A request line of more than 4 KB ends the connection, or is refused; a form of more than 4 KB is refused.
    'long-line-closes' => sub { $_[0]{line} > 4096 ? undef : response(@_) },
    'long-line-refused' => sub { $_[0]{line} > 4096 ? response($_[0], 414, '') : response(@_) },
    'long-form-refused' => sub { length $_[0]{query} > 4096 && $_[0]{method} eq 'POST' ? response($_[0], 413, '') : response(@_) },
    # Each request is sent on to a mirror, which says the base URL of the repository.
    redirecting => sub { response($_[0], 302, '', headers => 'Location: ' . url('mirror') . ($_[0]{method} eq 'POST' ? '' : "?$_[0]{query}") . "\r\n") },
    mirror => sub { response($_[0], right('redirecting', $_[0]{query})) },
    # Busy at first, with a date for Retry-After.
    busy => sub { $busy++ ? response(@_) : response({%{$_[0]}, last => 0}, 503, '', headers => 'Retry-After: ' . POSIX::strftime('%a, %d %b %Y %H:%M:%S GMT', gmtime(time + 1)) . "\r\n") },
);
sub serve {
    my ($client) = @_;
    for (my $in = '';;) {
        while ($in !~ /\r\n\r\n/) { sysread $client, $in, 65536, length $in or return }
        $in =~ s/^(.*?)\r\n\r\n//s;
        my $head = $1;
        my ($method, $path, $query) = $head =~ m{^(\w+) /([\w-]*)(?:\?(\S*))? HTTP} or return;
        if ($head =~ /^Content-Length: (\d+)/mi) {
            while (length $in < $1) { sysread $client, $in, 65536, length $in or return }
            $query = substr $in, 0, $1, '';
        }
        my %asked = (method => $method, query => $query // '', zipped => scalar($head =~ /^Accept-Encoding:.*gzip/mi), last => scalar($head =~ /^Connection: close/mi),
            line => length((split /\r\n/, $head)[0]));
        my $out = ($ways{$path} // $ways{right})->(\%asked, right($path, $asked{query})) // return;
        syswrite $client, $out or return;
        return if $out =~ /^Connection: close\r$/m;
    }
}
subtest 'what HTTP carries' => sub {
    my $wire = later(sub {
        local $SIG{CHLD} = 'IGNORE';
        while (my $client = $listener->accept) { later(sub { serve($client) }) }
    });
    # The checks that did not pass, without those that were skipped.
    my $faults = sub {
        my ($way, @options) = @_;
        my ($status, $out, $err) = validate(url($way), @options);
        diag $err if $err ne '';
        my %found = map { $_ => 1 } $out =~ /^  (?:FAIL|warn|note) +(\S+)/mg;
        return join ' ', sort keys %found;
    };
    is $faults->('right'), '', 'what is right passes';
    is $faults->('one-by-one'), '', 'a connection for each request is right';
    is $faults->('chunked'), '', 'so are chunks';
    is $faults->('redirecting'), 'http.not-redirected', 'redirects to a mirror are right, and noted';
    is $faults->('busy', '--only', 'http'), '', 'so is a date in Retry-After';
    is $faults->('long-line-refused'), '', 'and an address of 8 KB that is refused';
    is $faults->('long-line-closes', '--only', 'argument'), 'argument.long-get', 'but not if there is no answer';
    is $faults->('long-form-refused', '--only', 'argument'), 'argument.long-post', 'nor a form of 8 KB that is refused';
    my ($status, $said) = run_program('sh', '-c', 'exec "$@" >/dev/full', 'sh', "$build/" . ($ENV{OAI_FLAVOUR} // 'release') . '/oai', 'validate', url('right'), '--pause', 0);
    is $status, 1, 'a report that does not fit on the disk is an error' or diag $said;
    stop_program($wire, 'KILL');
};

# The independent provider serves the same records, as in t/bench/peer.
my $port = free_port();
my $theirs = "http://127.0.0.1:$port/peer";
$repository->{db}->run('create schema bench');
system("$root/t/bench/peer/fill", $base, $repository->{db}->conninfo) == 0 or BAIL_OUT('t/bench/peer/fill');
# Catmandu looks up a record in a table of the bag's name as one word, and makes sure that it is there.
$repository->{db}->run('create view public."bench.peer" as select * from bench.peer', 'grant select on public."bench.peer" to oai_reader',
    'grant create on schema public to oai_reader');
my %conninfo = $repository->{db}->conninfo =~ /(\w+)=(\S+)/g;
my %env = (PEER_URL => $theirs, PEER_LIMIT => 20, PEER_DSN => "dbi:Pg:dbname=$conninfo{dbname};host=$conninfo{host}" . ($conninfo{port} ? ";port=$conninfo{port}" : ''));
$peer = start_program(['starman', '-I', "$root/t/bench/peer", '--workers', 1, '--listen', "127.0.0.1:$port", '--env', 'deployment', "$root/t/bench/peer/app.psgi"],
    out => "$dir/peer.log", env => \%env);
my $http = HTTP::Tiny->new(timeout => 300);
wait_until(sub { $http->get("$theirs?verb=Identify")->{success} });

subtest 'an independent provider' => sub {
    my ($status, $out, $err) = validate($theirs);
    is $status, 1, 'does not conform' or diag $out, $err, slurp("$dir/peer.log", '');
    my @known = (
        'http.content-type',         # application/xml
        'argument.repeated',         # metadataPrefix ARRAY(0x...) is not supported
        'argument.markup',           # a quotation mark in an identifier gets into the query to the store: status 500
        'http.status',               # the same
        'argument.nul',              # as are other bytes
        'argument.markup-token',     # a token is repeated as it came
        'xml.well-formed',           # so that answer is no XML
        'date.impossible',           # only the form of a date is looked at
        'xml.request-bare',          # <request from="junk"> beside badArgument
        'schema.valid',              # the same
        'xml.request-true',          # of the argument given twice
        'set.answered',              # <ListSets> without a set, where noSetHierarchy is due
        'set.none', 'set.holds',    # as it is mounted here: headers have sets that the provider does not know
    );
    is_deeply [sort keys %{found('FAIL', $out)}], [sort @known], 'exactly its known faults are found' or diag $out;
    is_deeply [sort keys %{found('warn', $out)}], ['token.first-not-empty'], 'an empty token on a list of one page is a warning';
    is_deeply found('note', $out), {}, 'and there are no notes';
    like $out, qr/^Errors: what must be\n\nOAI-PMH 2\.0, 2\.7\.2, .*^OAI-PMH 2\.0, 3\.1\.2\.1, paragraph 1: The Content-Type [^\n]+\n  whom [^\n]+\n  how [^\n]+\n  FAIL  http\.content-type .*^OAI-PMH 2\.0, 3\.6, paragraph 1, badArgument: /ms, 'each stands below the sentence that it violates, in their order';
    like $out, qr{^OAI-PMH 2\.0, 3\.1\.2\.1, paragraph 1: The Content-Type .*\n  whom it hurts: .+\n  how to mend it: .+\n  FAIL  http\.content-type .*\n +Content-Type: application/xml.*\n +\Q$theirs\E\?verb=Identify$}m, 'with whom it hurts, how to mend it, reason and request';
};

# Starts a process that changes records and publishes them as often as the clock permits: it deletes and restores records,
# changes them, moves them to other sets and adds one in a new set. Its exit status is the number of publications.
sub writing {
    my ($db) = @_;
    my $pid = fork // die $!;
    return $pid if $pid;
    my ($going, $times) = (1, 0);
    local $SIG{TERM} = sub { $going = 0 };
    my $session = Database::Session->new($db->conninfo);
    for (my $published = 1; $going || $times < 2; pace(0.05)) {
        if ($published) {
            my $n = ++$times;
            $session->send("insert into webarchiv.domain (name) values ('cz:new:n$n')");
            $session->send("insert into webarchiv.doc (id, archived_time, id_domain, id_mimetype, url, surt)
                select 100000 + $n, now(), (select id from webarchiv.domain where name = 'cz:new:n$n'), id_mimetype, 'http://example.org/new/$n', 'org,example)/new/$n'
                from webarchiv.doc where id = 1");
            $session->send("update webarchiv.doc set $_->[0] where id % 13 = ($n + $_->[1]) % 13")
                for ['deleted = not deleted', 0], ["url = 'http://example.org/changed/$n'", 5], ['id_domain = (select max(id) from webarchiv.domain d where d.id != id_domain)', 9];
        }
        ($published) = $session->send('select published from oai.publish(10000)');
    }
    POSIX::_exit($times);
}

subtest 'our own server conforms while its records change' => sub {
    my $writer = writing($repository->{db});
    for my $pause (0, 0.02) {
        my ($status, $out, $err) = oai('validate', '--pause', $pause, '--max-pages', 10, $base, '--strict');
        is $status, 0, "nothing fails, nothing warns at a pause of $pause s" or diag $out =~ s/^  ok .*\n//mgr, $err;
        my %skipped = %{found('skip', $out)};
        delete @skipped{qw(date.finer set.none http.retry-after)};
        cmp_ok scalar(keys %skipped), '<=', 3, 'hardly any check is skipped' or diag explain \%skipped;
    }
    kill TERM => $writer;
    waitpid $writer, 0;
    is $? & 127, 0, 'the writer ran until the end';
    cmp_ok $? >> 8, '>', 1, 'and published ' . ($? >> 8) . ' times';
};

done_testing();
