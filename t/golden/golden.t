#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Runs the golden cases (t/golden/*.case) through a door and prints TAP.
#
#   golden.t                                  sets everything up, starts an oai.fcgi for each configuration, runs all
#   golden.t --oai BIN                        the same setup, by `BIN --config FILE get ...`, without a server
#   golden.t --oai BIN --config FILE          that one, over a repository that t/golden/setup made
#   golden.t --fcgi [NAME=]SOCKET ...         FastCGI servers that run already
#   golden.t --url [NAME=]URL ...             web servers that run already: http://127.0.0.1:PORT/oai
#   golden.t ... CASE ...                     only these files
#
# NAME is a configuration of t/golden/config ("default" if left out). A case whose configuration has no door, or that
# a door cannot ask for (HEAD through `oai get`), is skipped, and says so. BUILD chooses where the programs were built
# (build); OAI_KEEP=1 leaves the setup standing and says where.
#
# A case is one or more exchanges, parted by a line "===". An exchange:
#   Config: small-page        (optional; the first exchange's holds for the file)
#   GET verb=Identify         method and query; a query that begins with / is a whole request target
#   Accept-Encoding: gzip     request headers; POST: a blank line and the body follow
#   ---
#   200                       status
#   Content-Type: text/xml*** headers, *** matches anything; "!Name" must be absent
#   ---
#   <responseDate>***</responseDate>
# In the body *** matches anything within its line, a line of *** any number of lines, and "!text" says that text
# occurs nowhere. {token} in a request or an expectation is the resumptionToken of the latest answer in this file.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(basename dirname);
use File::Temp qw(tempdir);
use Getopt::Long;
use HTTP::Tiny;
use IO::Socket::INET;
use IO::Socket::UNIX;
use IO::Uncompress::Gunzip qw(gunzip $GunzipError);
use Test::More;

my $here = dirname(abs_path($0));
my $top  = abs_path("$here/../..");
my (%option, @servers);
GetOptions(\%option, 'oai=s', 'config=s', 'fcgi=s@', 'url=s@') or die "golden.t: see the head of this file\n";
my @files = @ARGV ? @ARGV : sort glob "$here/*.case";
my @configs = map { basename($_, '.ini') } glob "$here/config/*.ini";

# --- reading cases ---------------------------------------------------------------------------------------------

sub slurp {
    my ($file) = @_;
    open my $in, '<:raw', $file or die "$file: $!\n";
    local $/;
    return <$in>;
}

sub read_exchange {
    my ($text, $where) = @_;
    my ($request, $head, $body) = split /^---\n/m, $text, 3;
    die "$where: request, ---, status and headers, ---, body\n" unless defined $body;
    my %exchange = (body => $body, headers => {});
    ($request, $exchange{post}) = split /\n\n/, $request, 2;
    $exchange{post} =~ s/\n\z// if defined $exchange{post};
    for my $line (grep { /\S/ && !/^#/ } split /\n/, $request) {
        if (!$exchange{method} && $line =~ /^Config: (\S+)$/) { $exchange{config} = $1 }
        elsif (!$exchange{method} && $line =~ /^([A-Z]+)(?: (.*))?$/) { @exchange{qw(method query)} = ($1, $2 // '') }
        elsif ($line =~ /^([A-Za-z-]+): (.*)$/) { $exchange{headers}{$1} = $2 }
        else                                    { die "$where: not a request line: $line\n" }
    }
    ($exchange{status}, @{ $exchange{expected} }) = grep { /\S/ } split /\n/, $head;
    die "$where: no method or no status\n" unless $exchange{method} && $exchange{status} =~ /^\d{3}$/;
    return \%exchange;
}

sub read_case {
    my ($file) = @_;
    my @exchanges = map { read_exchange($_, $file) } split /^===\n/m, slurp($file);
    my $config = $exchanges[0]{config} // 'default';
    grep { $_ eq $config } @configs or die "$file: no configuration $config\n";
    return { name => basename($file, '.case'), config => $config, exchanges => \@exchanges };
}

# --- doors: each takes an exchange and gives { status, headers => {lower-case name => value}, body }, or a reason ---

sub cgi_answer {
    my ($text) = @_;
    my ($head, $body) = split /\r?\n\r?\n/, $text, 2;
    my %headers;
    for (split /\r?\n/, $head // '') { $headers{ lc $1 } = $2 if /^([^:]+):\s*(.*)$/ }
    my ($status) = (delete $headers{status} // '200') =~ /^(\d+)/;
    return { status => $status, headers => \%headers, body => $body // '' };
}

sub target {
    my ($exchange, $mount) = @_;
    my $query = $exchange->{query};
    return $query eq '' ? $mount : "$mount?$query" unless $query =~ s{^/oai}{};
    return $mount . $query;
}

sub fcgi_pair {
    my ($name, $value) = @_;
    return join('', map { pack 'N', length($_) | 0x80000000 } $name, $value) . $name . $value;
}

sub fcgi_record {
    my ($type, $content) = @_;
    return pack('CCnnCC', 1, $type, 1, length $content, 0, 0) . $content;
}

sub fcgi_read {
    my ($socket, $wanted) = @_;
    my $got = '';
    while (length $got < $wanted) {
        sysread($socket, $got, $wanted - length $got, length $got) or die "the server closed the connection\n";
    }
    return $got;
}

sub ask_fcgi {
    my ($path, $exchange) = @_;
    my $socket = IO::Socket::UNIX->new(Peer => $path) or die "$path: $!\n";
    my $uri  = target($exchange, '/oai');
    my $post = $exchange->{post} // '';
    my %cgi  = (REQUEST_METHOD => $exchange->{method}, REQUEST_URI => $uri, REMOTE_ADDR => '192.0.2.7',
                SERVER_PROTOCOL => 'HTTP/1.1', GATEWAY_INTERFACE => 'CGI/1.1',
                QUERY_STRING => $uri =~ /\?(.*)/ ? $1 : '', CONTENT_LENGTH => length $post ? length $post : '');
    for my $name (keys %{ $exchange->{headers} }) {
        my $variable = uc $name =~ s/-/_/gr;
        $cgi{ $variable eq 'CONTENT_TYPE' ? $variable : "HTTP_$variable" } = $exchange->{headers}{$name};
    }
    my $message = fcgi_record(1, pack 'nC6', 1, 0, 0, 0, 0, 0, 0);
    $message .= fcgi_record(4, fcgi_pair($_, $cgi{$_})) for sort keys %cgi;
    $message .= fcgi_record(4, '');
    $message .= fcgi_record(5, $post) if length $post;
    $message .= fcgi_record(5, '');
    local $SIG{PIPE} = 'IGNORE';
    print {$socket} $message;
    $socket->flush;
    my $out = '';
    while (1) {
        my (undef, $type, undef, $length, $padding) = unpack 'CCnnC', fcgi_read($socket, 8);
        my $content = fcgi_read($socket, $length);
        fcgi_read($socket, $padding);
        last if $type == 3;
        $out .= $content if $type == 6;
    }
    my $answer = cgi_answer($out);
    # Web servers drop the body of HEAD (RFC 9110, 9.3.2); the FastCGI server leaves that to them.
    $answer->{body} = '' if $exchange->{method} eq 'HEAD';
    return $answer;
}

my $http = HTTP::Tiny->new(timeout => 30, max_redirect => 0, agent => 'golden');

sub ask_url {
    my ($url, $exchange) = @_;
    my ($host, $mount) = $url =~ m{^(http://[^/]+)(/.*?)/?$} or die "not a URL: $url\n";
    my %content = defined $exchange->{post} ? (content => $exchange->{post}) : ();
    my $got = $http->request($exchange->{method}, $host . target($exchange, $mount),
                             { headers => $exchange->{headers}, %content });
    die $got->{content} if $got->{status} == 599;
    return { status => $got->{status}, headers => $got->{headers}, body => $got->{content} // '' };
}

sub ask_oai {
    my ($config, $exchange) = @_;
    my %headers = %{ $exchange->{headers} };
    my @how = ('--headers', '--method', $exchange->{method});
    push @how, '--accept-encoding', delete $headers{'Accept-Encoding'} if exists $headers{'Accept-Encoding'};
    push @how, '--post', '--content-type', delete $headers{'Content-Type'} // '' if $exchange->{method} eq 'POST';
    return '`oai get` takes no other headers, targets or bodies'
        if %headers || $exchange->{query} =~ m{^/} || ($exchange->{method} eq 'POST' && $exchange->{query} ne '');
    my $query = $exchange->{post} // $exchange->{query};
    open my $pipe, '-|', $option{oai}, '--config', $config, 'get', @how, '--', $query or die "$option{oai}: $!\n";
    local $/;
    my $out = <$pipe>;
    close $pipe;
    my $answer = cgi_answer($out // '');
    $answer->{body} = '' if $exchange->{method} eq 'HEAD';
    return $answer;
}

# --- the servers of our own ---------------------------------------------------------------------------------------

my ($setup, @pids);

sub set_up {
    $setup = tempdir('oai-golden-XXXXXX', TMPDIR => 1);
    system("$here/setup", $setup) == 0 or BAIL_OUT('t/golden/setup failed');
    return $setup;
}

sub start_servers {
    my $program = abs_path($ENV{BUILD} // "$top/build") . "/release/oai.fcgi";
    for my $config (@configs) {
        my $pid = fork // die "fork: $!\n";
        if (!$pid) {
            open STDERR, '>', "$setup/$config.log" or die $!;
            exec $program, '--config', "$setup/$config.ini" or die "$program: $!\n";
        }
        push @pids, $pid;
    }
    wait_for_server($_) for @configs;
}

# Ready is: the horizon has been seen, so that Identify is answered.
sub wait_for_server {
    my ($config) = @_;
    my $identify = { method => 'GET', query => 'verb=Identify', headers => {} };
    for (1 .. 100) {
        my $answer = eval { ask_fcgi("$setup/$config.sock", $identify) };
        return if $answer && $answer->{status} == 200;
        select undef, undef, undef, 0.1;
    }
    diag(slurp("$setup/$config.log"));
    BAIL_OUT("the server of configuration $config does not answer");
}

END {
    my $status = $?;
    kill TERM => $_ for @pids;
    waitpid $_, 0 for @pids;
    if ($setup) {
        if   ($ENV{OAI_KEEP}) { diag("kept: $setup (t/golden/setup --stop $setup)") }
        else                  { system("$here/setup", '--stop', $setup) }
    }
    $? = $status;
}

sub doors {
    my %doors;
    for my $kind ([fcgi => \&ask_fcgi], [url => \&ask_url]) {
        for (@{ $option{ $kind->[0] } // [] }) {
            my ($name, $where) = m{^([a-z-]+)=(.*)$} ? ($1, $2) : ('default', $_);
            $doors{$name} = sub { $kind->[1]->($where, @_) };
        }
    }
    return %doors if %doors;
    if ($option{config}) {
        return (basename($option{config}, '.ini') => sub { ask_oai($option{config}, @_) });
    }
    set_up();
    return map { my $c = $_; $c => sub { ask_oai("$setup/$c.ini", @_) } } @configs if $option{oai};
    start_servers();
    return map { my $c = $_; $c => sub { ask_fcgi("$setup/$c.sock", @_) } } @configs;
}

# --- judging an answer ----------------------------------------------------------------------------------------------

sub pattern {
    my ($text) = @_;
    return join '[^\n]*?', map { quotemeta } split /\*\*\*/, $text, -1;
}

sub body_pattern {
    my ($text) = @_;
    return join '', map { $_ eq '***' ? '(?:[^\n]*\n)*?' : pattern($_) . '\n' } grep { !/^!/ } split /\n/, $text;
}

# How many of the expected lines match from the start: the first that does not is what the reader wants to see.
sub first_mismatch {
    my ($text, $got) = @_;
    my $so_far = '';
    for my $line (split /\n/, $text) {
        $so_far .= "$line\n";
        my $pattern = body_pattern($so_far);
        return $line unless $got =~ /\A$pattern/;
    }
    return '(more lines than expected)';
}

sub faults {
    my ($exchange, $answer, $token) = @_;
    my @faults;
    push @faults, "status $answer->{status}, not $exchange->{status}" if $answer->{status} ne $exchange->{status};
    for (@{ $exchange->{expected} }) {
        if (/^!(\S+)$/) {
            push @faults, "header $1: $answer->{headers}{lc $1}" if defined $answer->{headers}{ lc $1 };
            next;
        }
        my ($name, $value) = /^([^:]+): (.*)$/ or die "not a header line: $_\n";
        my $got = $answer->{headers}{ lc $name } // '(absent)';
        my $pattern = pattern($value);
        push @faults, "header $name: $got, not $value" unless $got =~ /\A$pattern\z/;
    }
    my $expected = $exchange->{body} =~ s/\{token\}/$token/gr;
    my $pattern = body_pattern($expected);
    push @faults, 'body differs at: ' . first_mismatch($expected, $answer->{text}) unless $answer->{text} =~ /\A$pattern\z/;
    for (grep { /^!./ } split /\n/, $expected) {
        my $banned = substr $_, 1;
        push @faults, "body contains $banned" if index($answer->{text}, $banned) >= 0;
    }
    return @faults;
}

sub decoded {
    my ($answer) = @_;
    my $body = $answer->{body};
    if (($answer->{headers}{'content-encoding'} // '') eq 'gzip' && length $body) {
        gunzip(\$body, \my $plain) or die "gzip: $GunzipError\n";
        $body = $plain;
    }
    $body .= "\n" if length $body && $body !~ /\n\z/;
    return $body;
}

my $bodies = tempdir('oai-bodies-XXXXXX', TMPDIR => 1, CLEANUP => 1);

# For the validator, in one run at the end. Returns nothing.
sub keep_body {
    my ($name, $answer) = @_;
    return unless ($answer->{headers}{'content-type'} // '') =~ /xml/ && length $answer->{text};
    open my $out, '>:raw', "$bodies/$name.xml" or die $!;
    print {$out} $answer->{text};
    close $out or die $!;
}

sub run_case {
    my ($case, $door) = @_;
    my ($token, $step) = ('', 0);
    for my $exchange (@{ $case->{exchanges} }) {
        my $name = $case->{name} . (@{ $case->{exchanges} } > 1 ? '-' . ++$step : '');
        my %asked = (%$exchange, query => $exchange->{query} =~ s/\{token\}/$token/gr);
        $asked{post} =~ s/\{token\}/$token/g if defined $asked{post};
        my $answer = eval { $door->(\%asked) };
        if (!$answer)     { fail($name); diag("  $@"); return }
        if (!ref $answer) { SKIP: { skip "$name: $answer", 1 } return }
        $answer->{text} = eval { decoded($answer) } // '';
        my @faults = ($@ ? "body: $@" : (), faults($exchange, $answer, $token));
        ok(!@faults, $name) or diag(join "\n", map({ "  $_" } @faults), "  the answer was:", $answer->{text});
        keep_body($name, $answer);
        $token = $1 if $answer->{text} =~ m{<resumptionToken[^>]*>([^<]+)</resumptionToken>};
    }
}

my @cases = map { read_case($_) } @files;
my %doors = doors();
for my $case (@cases) {
    my $door = $doors{ $case->{config} };
    if ($door) { run_case($case, $door) }
    else       { SKIP: { skip "$case->{name}: no door for configuration $case->{config}", 1 } }
}

my @kept = glob "$bodies/*.xml";
my $said = @kept ? qx{"$top/t/lib/validate" @kept 2>&1} : '';
ok(@kept && $? == 0, scalar(@kept) . ' XML answers are valid by their schemas') or diag($said);
done_testing();
