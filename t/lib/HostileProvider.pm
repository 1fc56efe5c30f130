# SPDX-License-Identifier: MIT
# A provider with many kinds of faults, called maladies, one for each path, over the same list of 25 records in pages of 5.
#   my $hostile = HostileProvider->new;                 in its own process, which ends with the program of the object
#   $hostile->url('truncated')      a base URL; %maladies has all maladies with what they do
#   $hostile->requests('truncated')      the query strings of its requests, in order
#   $hostile->heal('truncated')      from now on that path is a repository without faults
# A malady gets $_[0], the arguments, $_[1], the number of all requests so far, and $_[2], that of requests with the same query,
# counted from 1; it returns (status, {headers}, body). page(%arguments) is the correct answer, as text.
package HostileProvider;
use strict;
use warnings;
use Compress::Zlib ();
use File::Temp qw(tempdir);
use Files;
use IO::Socket::INET;
use POSIX ();
use Process;

use constant {RECORDS => 25, PAGE => 5};

our %maladies;
# Another program may put its own repository in the place of this one (LongLivedRepository.pm): what answers a request in the place of page(),
# the records of a page, and the responseDate.
our ($world, $page_records, $date) = (undef, PAGE, '2024-05-06T07:08:09Z');
my ($hold, @running);

sub new {
    my ($class) = @_;
    my $dir = tempdir('oai-nasty-XXXXXX', TMPDIR => 1, CLEANUP => 1);
    my $listener = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1', ReuseAddr => 1) or die "listen: $!";
    my $self = bless {dir => $dir, port => $listener->sockport}, $class;
    $hold = $self->hold;
    $self->{pid} = fork // die "fork: $!";
    if (!$self->{pid}) { $self->serve($listener); POSIX::_exit(0) }
    push @running, $self->{pid};
    return $self;
}

END { my $status = $?; kill 'KILL', $_ and waitpid $_, 0 for @running; $? = $status }

sub url   { return "http://127.0.0.1:$_[0]{port}/$_[1]" }
sub hold  { return "$_[0]{dir}/hold" }
sub heal  { open my $out, '>', "$_[0]{dir}/$_[1].healed" or die $!; return }
sub requests { open my $in, '<', "$_[0]{dir}/$_[1]" or return; chomp(my @lines = <$in>); return @lines }

# ---- a repository without faults

sub record {
    my ($n) = @_;
    my $deleted = $n % 10 == 0;
    return "<record><header" . ($deleted ? ' status="deleted"' : '') . "><identifier>oai:nasty.example:$n</identifier>"
        . "<datestamp>2024-01-01T00:00:" . sprintf('%02d', $n) . "Z</datestamp><setSpec>all</setSpec></header>"
        . ($deleted ? '' : '<metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
            . "xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>Title $n</dc:title></oai_dc:dc></metadata>") . '</record>';
}

sub document {
    my ($inside) = @_;
    return qq(<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>$date</responseDate>)
        . "<request>http://nasty.example/</request>$inside</OAI-PMH>\n";
}

sub problem { my ($code, $words) = @_; return document("<error code=\"$code\">$words</error>") }

sub identify {
    my (%but) = @_;
    my %is = (repositoryName => 'Nasty', baseURL => 'http://nasty.example/', protocolVersion => '2.0', adminEmail => 'a@nasty.example',
        earliestDatestamp => '2024-01-01T00:00:00Z', deletedRecord => 'persistent', granularity => 'YYYY-MM-DDThh:mm:ssZ', %but);
    return document('<Identify>' . join('', map { "<$_>$is{$_}</$_>" }
        qw(repositoryName baseURL protocolVersion adminEmail earliestDatestamp deletedRecord granularity)) . ($is{description} // '') . '</Identify>');
}

# token => sub: returns the token for the records after the n-th, in XML; size: completeListSize
sub list {
    my ($q, %how) = @_;
    my $token = $how{token} // sub { "t$_[0]" };
    my $after = ($q->{resumptionToken} // 't0') =~ /(\d+)/ ? $1 : 0;
    my $last = $after + PAGE < RECORDS ? $after + PAGE : RECORDS;
    my $size = $how{size} // RECORDS;
    my $next = $last < RECORDS ? $token->($last) : '';
    return document("<ListRecords>\n" . join("\n", map { record($_) } $after + 1 .. $last)
        . "\n<resumptionToken completeListSize=\"$size\" cursor=\"$after\">$next</resumptionToken></ListRecords>");
}

sub page {
    my ($q, %how) = @_;
    return $world->($q, %how) if $world;
    my $verb = $q->{verb} // '';
    return identify(%{ $how{identify} // {} }) if $verb eq 'Identify';
    return list($q, %how) if $verb eq 'ListRecords';
    return document('<GetRecord>' . record($q->{identifier} =~ /(\d+)$/) . '</GetRecord>') if $verb eq 'GetRecord';
    return document('<ListSets><set><setSpec>all</setSpec><setName>All &amp; everything</setName></set></ListSets>') if $verb eq 'ListSets';
    return document('<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>http://s</schema>'
        . '<metadataNamespace>http://n</metadataNamespace></metadataFormat></ListMetadataFormats>') if $verb eq 'ListMetadataFormats';
    return problem('badVerb', 'what?');
}

sub xml { return (200, {'Content-Type' => 'text/xml'}, $_[0]) }
sub is_page { my ($q, $n) = @_; return ($q->{verb} // '') eq 'ListRecords' && ($q->{resumptionToken} // 't0') eq 't' . $page_records * ($n - 1) }

# The third page is damaged by a function of its text, and every page of another repository, which may have less than three.
sub third { my ($spoil) = @_; return sub { my ($q) = @_; return xml(is_page($q, 3) || ($world && $q->{verb} eq 'ListRecords') ? $spoil->(page($q), @_) : page($q)) } }
# The first requests of the third page, as many as given, get another answer.
sub at_third { my ($times, $answer) = @_; return sub { my ($q, undef, $seen) = @_; return is_page($q, 3) && $seen <= $times ? $answer->($q, $seen) : xml(page($q)) } }

%maladies = (
    sound => sub { xml(page($_[0])) },
    html_type => sub { (200, {'Content-Type' => 'text/html; charset=iso-8859-1'}, page($_[0])) },
    no_type => sub { (200, {}, page($_[0])) },
    lead => sub { xml("\xEF\xBB\xBF\r\n\n " . page($_[0])) },
    utf16 => sub { my $t = page($_[0]); $t =~ s/UTF-8/UTF-16/; xml("\xFE\xFF" . join '', map { "\0$_" } split //, $t) },
    latin1 => third(sub { my ($t) = @_; $t =~ s/UTF-8/ISO-8859-1/; $t =~ s/Title 11/Tit\xE9l 11/; $t }),
    prefixed => sub { my $t = page($_[0]); $t =~ s{<(/?)(?!\?|/?oai_dc|/?dc:)(\w)}{<$1o:$2}g; $t =~ s/xmlns="/xmlns:o="/; xml($t) },
    no_namespace => sub { my $t = page($_[0]); $t =~ s/ xmlns="[^"]*"//; xml($t) },
    far_namespaces => sub {
        my $t = page($_[0]);
        $t =~ s/ xmlns:(oai_)?dc="[^"]*"//g;
        $t =~ s{<OAI-PMH}{<OAI-PMH xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:dcterms="http://purl.org/dc/terms/"};
        $t =~ s/<dc:title>/<dc:title xsi:type="dcterms:URI">/g;
        xml($t);
    },
    controls => third(sub { my ($t) = @_; $t =~ s/Title 11/Ti\x01tle 11/; $t =~ s/Title 12/Ti\xFFtle 12/; $t =~ s/Title 13/Ti&#2;tle 13/; $t }),
    entities => third(sub { my ($t) = @_; $t =~ s/Title 11/A & B&nbsp;&eacute; AT&T 11/; $t }),
    attributes => third(sub { my ($t) = @_; my $many = join ' ', map { "a$_=''" } 1 .. 60_000; $t =~ s/<dc:title>Title 12/<dc:title $many>Title 12/; $t }),
    namespaces => third(sub { my ($t) = @_; my $many = join ' ', map { "xmlns:n$_='u'" } 1 .. 60_000; $t =~ s/<dc:title>Title 12/<dc:title $many>Title 12/; $t }),
    wrong_size => sub { xml(page($_[0], size => 7)) },
    moving_earliest => sub { my ($q, $n) = @_; my $t = page($q); $t =~ s{(<earliestDatestamp>)\d{4}}{$1 . (1000 + $n)}e; xml($t) },
    # It knows the set on the first page alone, and of others that it has subsets.
    loses_set => sub { my ($q) = @_; my $t = page($q); $t =~ s/<setSpec>all/<setSpec>best:of/g if ($q->{set} // '') eq 'best'; xml($t) },
    no_specs => sub { my $t = page($_[0]); $t =~ s{<setSpec>.*?</setSpec>}{}g; xml($t) },
    loses_dates => sub { xml(page($_[0])) },
    repeats => third(sub { my ($t) = @_; $t =~ s{(?<=<ListRecords>)}{record(10) . record(10) . record(9) =~ s/2024-01-01/2024-02-01/r}e; $t }),
    no_size => sub { my $t = page($_[0]); $t =~ s/ completeListSize="\d+"//; xml($t) },
    odd_token => sub { my ($q) = @_; xml(page($q, token => sub { "a&b=c d%/+?#\xC3\xA9 t$_[0]" })) },
    escaped_token => sub { my ($q) = @_; xml(page($q, token => sub { "a&amp;b&lt;&quot; t$_[0]" })) },
    truncated_once => at_third(1, sub { xml(substr page($_[0]), 0, 900) }),
    truncated => at_third(1e9, sub { xml(substr page($_[0]), 0, 900) }),
    broken_off => at_third(2, sub { my $t = page($_[0]); (200, {'Content-Length' => length($t) + 100}, $t) }),
    empty_once => at_third(2, sub { xml('') }),
    html_once => at_third(2, sub { (200, {'Content-Type' => 'text/html'}, '<html><body><p>Database error<br></body></html>') }),
    html => at_third(1e9, sub { (200, {'Content-Type' => 'text/html'}, '<html><body><p>Database error<br></body></html>') }),
    error_500 => at_third(2, sub { (500, {}, 'oops') }),
    error_404 => at_third(1e9, sub { (404, {}, 'gone') }),
    busy => at_third(6, sub { (503, {'Retry-After' => 1}, '') }),
    busy_date => at_third(2, sub { (503, {'Retry-After' => POSIX::strftime('%a, %d %b %Y %H:%M:%S GMT', gmtime(time + 1))}, '') }),
    busy_for_ever => at_third(1e9, sub { (503, {'Retry-After' => 3600}, '') }),
    busy_silent => at_third(3, sub { (503, {}, '') }),
    too_many => at_third(2, sub { (429, {'Retry-After' => 1}, '') }),
    redirect => sub { my ($q, undef, undef, $raw) = @_; (302, {Location => "/sound?$raw"}, '') },
    redirect_loop => sub { my ($q, undef, undef, $raw) = @_; (302, {Location => "/redirect_loop?$raw"}, '') },
    redirect_file => sub { (302, {Location => 'file:///etc/passwd'}, '') },
    gzip_garbage => sub { my ($q, undef, undef, undef, $gzip) = @_; $gzip && is_page($q, 3) ? (200, {'Content-Encoding' => 'gzip'}, "\x1f\x8bgarbage" x 20) : xml(page($q)) },
    gzip_cut => sub { my ($q, undef, undef, undef, $gzip) = @_; my $z = Compress::Zlib::memGzip(page($q)); $gzip && is_page($q, 3) ? (200, {'Content-Encoding' => 'gzip'}, substr $z, 0, 200) : xml(page($q)) },
    gzip => sub { my ($q, undef, undef, undef, $gzip) = @_; $gzip ? (200, {'Content-Encoding' => 'gzip'}, Compress::Zlib::memGzip(page($q))) : (406, {}, '') },
    gzip_bomb => at_third(1e9, sub { (200, {'Content-Encoding' => 'gzip'}, Compress::Zlib::memGzip(page($_[0]) . ' ' x 20_000_000)) }),
    endless => at_third(1e9, sub { (200, {'Content-Encoding' => 'gzip'}, Compress::Zlib::memGzip(page($_[0]) . ' ' x 110_000_000)) }),
    one_text => at_third(1e9, sub { my $t = page($_[0]); $t =~ s/Title 11/'x' x 90_000_000/e; (200, {'Content-Encoding' => 'gzip'}, Compress::Zlib::memGzip($t)) }),
    huge => at_third(1e9, sub { my $t = page($_[0]); $t =~ s/Title 11/'x' x 3_000_000/e; xml($t) }),
    stalls => at_third(1, sub { (0, {}, substr page($_[0]), 0, 300) }),    # and then nothing
    drips => at_third(1, sub { (-1, {}, page($_[0])) }),                   # slowly, but it comes
    trickles => at_third(1, sub { (-3, {}, page($_[0])) }),               # never done
    trickles_on => at_third(1e9, sub { (-3, {}, page($_[0])) }),
    hangs_up => at_third(2, sub { (-2, {}, '') }),
    same_token => sub { my ($q) = @_; $q->{resumptionToken} = 't10' if ($q->{resumptionToken} // '') eq 't15'; my $t = page($q); $t =~ s/>t15</>t15</; xml($t) },
    circle => sub { my ($q) = @_; my $t = page($q); $t =~ s{(<resumptionToken[^>]*)/?>(?:t\d+)?</resumptionToken>}{"$1>t" . ((($q->{resumptionToken} // 't0') =~ /(\d+)/)[0] + 5) % 15 . '</resumptionToken>'}e; xml($t) },
    empty_pages => sub { my ($q, $n) = @_; xml($q->{verb} eq 'ListRecords' ? document("<ListRecords><resumptionToken>e$n</resumptionToken></ListRecords>") : page($q)) },
    some_empty_pages => sub { my ($q) = @_; my ($from, $wait) = ($q->{resumptionToken} // 't0') =~ /^([tw])(\d+)$/;
        return xml(document("<ListRecords><resumptionToken>t$wait</resumptionToken></ListRecords>")) if $from eq 'w'; xml(page($q, token => sub { "w$_[0]" })) },
    bad_token_once => at_third(1, sub { xml(problem('badResumptionToken', 'expired')) }),
    bad_token_thrice => at_third(3, sub { xml(problem('badResumptionToken', 'expired')) }),
    bad_token => at_third(1e9, sub { xml(problem('badResumptionToken', 'expired')) }),
    ends_with_error => sub { my ($q) = @_; return xml(problem('noRecordsMatch', 'no more')) if ($q->{resumptionToken} // '') eq 't25'; my $t = page($q);
        $t =~ s{></resumptionToken>}{>t25</resumptionToken>}; xml($t) },
    vanishes => at_third(1e9, sub { xml(problem('noRecordsMatch', 'backend is down')) }),
    nothing => sub { my ($q) = @_; xml($q->{verb} eq 'ListRecords' ? problem('noRecordsMatch', 'none') : page($q)) },
    no_format => sub { my ($q) = @_; $q->{verb} eq 'ListRecords' ? (422, {}, problem('cannotDisseminateFormat', 'not that one')) : xml(page($q)) },
    bad_record => sub { my ($q) = @_; my $t = page($q); $t =~ s{Title 12</dc:title>}{Title 12</dc:titel>} if $q->{verb} eq 'ListRecords'; xml($t) },
    worse_record => sub { my ($q) = @_; my $t = page($q); $t =~ s{Title 12</dc:title>}{Title 12</dc:titel>}; xml($t) },
    nameless => third(sub { my ($t) = @_; $t =~ s{<identifier>oai:nasty.example:12</identifier>}{<identifier/>}; $t }),
    nested_records => sub { my ($q) = @_; my $t = page($q); $t =~ s{<dc:title>}{<record xmlns="urn:x"><leader/></record><dc:title>}g;
        $t =~ s{Title 12</dc:title>}{Title 12</dc:titel>} if $q->{verb} eq 'ListRecords'; xml($t) },
    junk_behind => sub { xml(page($_[0]) . "\n<br />\n<b>Warning</b>: Cannot modify header information in /x.php") },
    doctype_alone => sub { my $t = page($_[0]); $t =~ s{\n<OAI-PMH}{\n<!DOCTYPE OAI-PMH SYSTEM "OAI-PMH.dtd">\n<OAI-PMH}; xml($t) },
    doctype => third(sub { my ($t) = @_; $t =~ s{\n<OAI-PMH}{<!DOCTYPE OAI-PMH [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n<OAI-PMH}; $t =~ s/Title 11/&b;/; $t }),
    deep => third(sub { my ($t) = @_; $t =~ s{Title 11}{'<a>' x 100_000}e; $t }),
    days => sub { my ($q) = @_; xml(length($q->{from} // $q->{until} // '') > 10 ? problem('badArgument', 'days, please') : page($q, identify => {granularity => 'YYYY-MM-DD'})) },
    friendly => sub { my ($q, undef, undef, undef, undef, $port) = @_; xml(page($q, identify => {description => '<description><friends xmlns="http://www.openarchives.org/OAI/2.0/friends/">'
        . "<baseURL>http://127.0.0.1:$port/sound</baseURL><baseURL>http://127.0.0.1:$port/error_at_once</baseURL></friends></description>"})) },
    # Kills the process that the file says, at the request of that number.
    deadly => sub {
        my ($q, $n) = @_;
        my @at;
        pace(0.01) until @at = slurp($hold, "0 0\n") =~ /^(\d+) (\d+)\n/;
        kill 'KILL', $at[0] if $n == $at[1];
        xml(page($q));
    },
    error_at_once => sub { (404, {}, 'nothing here') },
    long => sub { my ($q) = @_; my $after = ($q->{resumptionToken} // 't0') =~ /(\d+)/ ? $1 : 0; return xml(page($q)) if $q->{verb} ne 'ListRecords';
        pace(0.03) while $after >= (slurp($hold, '') || 9999); xml(document('<ListRecords>' . join('', map { record($_) } $after + 1 .. $after + 5)
        . '<resumptionToken completeListSize="1000">' . ($after < 995 ? 't' . ($after + 5) : '') . '</resumptionToken></ListRecords>')) },
);

# ---- the part of HTTP that is needed

# (name, query, accepts gzip?, arguments); nothing if it is no request that is known here
sub read_request {
    my ($client) = @_;
    my $head = '';
    while (defined(my $line = <$client>)) { last if $line =~ /^\r?\n$/; $head .= $line }
    my ($name, $raw) = $head =~ m{^GET /(\w+)(?:\?(\S*))? HTTP} or return;
    my %q = map { s/\+/ /g; s/%([0-9A-Fa-f]{2})/chr hex $1/ge; $_ } map { split /=/, $_, 2 } split /&/, $raw // '';
    return ($name, $raw, scalar($head =~ /^Accept-Encoding:.*gzip/mi), \%q);
}

sub serve {
    my ($self, $listener) = @_;
    local $SIG{PIPE} = 'IGNORE';
    local $SIG{CHLD} = 'IGNORE';
    my (%all, %seen);
    while (my $client = $listener->accept) {
        my ($name, $raw, $gzip, $q) = read_request($client) or next;
        open my $log, '>>', "$self->{dir}/$name" or die $!;
        print $log "$raw\n";
        close $log;
        my $malady = -e "$self->{dir}/$name.healed" ? $maladies{sound} : $maladies{$name} // sub { (404, {}, 'no such malady') };
        answer($client, $malady->($q, ++$all{$name}, ++$seen{"$name?$raw"}, $raw, $gzip, $self->{port}));
    }
    return;
}

sub answer {
    my ($client, $status, $headers, $body) = @_;
    return close $client if $status == -2;
    if ($status <= 0 && fork) { close $client; return }    # slow answers are sent by a process of their own
    my $length = exists $headers->{'Content-Length'} || $status == 0 ? '' : 'Content-Length: ' . length($body) . "\r\n";
    print $client 'HTTP/1.1 ' . ($status <= 0 ? 200 : $status) . " Well\r\n" . $length
        . join('', map { "$_: $headers->{$_}\r\n" } sort keys %$headers) . "Connection: close\r\n\r\n";
    $client->autoflush(1);
    if ($status == -1) { for (unpack '(a300)*', $body) { print $client $_; pace(0.05) } }
    elsif ($status == -3) { for (split //, $body) { print $client $_ or last; pace(0.3) } }
    else { print $client $body }
    if ($status == 0) { pace(60) }
    close $client;
    POSIX::_exit(0) if $status <= 0;
    return;
}

1;
