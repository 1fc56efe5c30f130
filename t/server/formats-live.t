#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Stylesheets of a running server behind nginx are added, changed, broken, half-written, renamed, replaced through a symbolic
# link and removed, also in the middle of a harvest.
use TestProgram;
use HTTP::OAI;
use HTTP::Tiny;

my $bin   = "$build/" . ($ENV{OAI_FLAVOUR} // 'release');
my $dir   = tempdir('oai-formats-XXXXXX', TMPDIR => 1);
my $http  = HTTP::Tiny->new(timeout => 300);
my ($server, $url, $formats, $log, $ini, $web);
my $owner = $$;
system("$root/t/golden/setup", $dir) == 0 or BAIL_OUT('t/golden/setup failed');
END { my $status = $?; system("$root/t/golden/setup", '--stop', $dir) if $$ == $owner; $? = $status }

sub psql { system('psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', slurp("$dir/default.ini") =~ /^connection = (.*)/m ? $1 =~ s/oai_reader/postgres/r : die, '-c', $_[0]) == 0 or die 'psql' }

sub start {
    my ($name) = @_;
    ($ini, $log, $formats) = map { "$dir/$name$_" } '.ini', '.log', '-formats';
    system('cp', '-r', "$dir/formats", $formats) == 0 or die;
    unlink "$formats/fragile.xsl";
    my $text = slurp("$dir/default.ini");
    $text =~ s{^directory = .*}{directory = $formats}m;
    $text =~ s{^socket = .*}{socket = $dir/$name.sock}m;
    $text =~ s{^\[lists\]\n}{[lists]\nrecords = 3\n}m;
    spew($ini, $text);
    $server = Server->new(command => ["$bin/oai.fcgi", '--config', $ini], socket => "$dir/$name.sock", log => $log)->start;
    chmod 0666, $server->{socket};
    $web = "$dir/web-$name";
    $url = 'http://127.0.0.1:' . WebServer::start('nginx', $web, $server->{socket}) . '/oai';
    ok wait_until(sub { ask('verb=Identify') =~ /<Identify>/ }), "$name: the server answers" or BAIL_OUT(slurp($log, ''));
}

sub stop {
    WebServer::stop($web);
    return $server->stop;
}

sub ask { my $got = $http->get("$url?$_[0]"); return $got->{status} == 200 ? $got->{content} : "$got->{status}" }
sub prefixes { return join ' ', ask('verb=ListMetadataFormats') =~ m{<metadataPrefix>(.*?)</}g }
sub record { return ask("verb=GetRecord&identifier=oai:archive.example.org:1&metadataPrefix=$_[0]") }
# The title that the format gives to record 1.
sub title_of { return record($_[0]) =~ m{<t:title[^>]*>(.*?)</t:title>} ? $1 : '' }

sub becomes { my ($true, $name) = @_; ok wait_until($true), $name or diag slurp($log, '') =~ s/.*event=request.*\n//gr }
sub is_logged { my ($pattern) = @_; return wait_until(sub { slurp($log, '') =~ $pattern }) }
sub check { return run_program("$bin/oai", '--config', $ini, 'check', @_) }

# A stylesheet of a format whose documents contain $title.
sub sheet {
    my ($prefix, $title, %with) = @_;
    my $attributes = join ' ', map { qq($_="$with{$_}") } grep { !/^(body|root)$/ } sort keys %with;
    my $root = $with{root} // qq(xsi:schemaLocation="urn:t http://example.org/t.xsd");
    my $body = $with{body} // '';
    return <<"XSL";
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format">
  <f:format prefix="$prefix" schema="http://example.org/t.xsd" namespace="urn:t" $attributes/>
  <xsl:template match="record">$body
    <t:title xmlns:t="urn:t" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" $root>$title</t:title>
  </xsl:template>
</xsl:stylesheet>
XSL
}
sub put { my ($name, @sheet) = @_; spew("$formats/$name", sheet(@sheet)) }

# Harvests a list by HTTP::OAI, page by page, and calls $between after the second page. Returns the count of each identifier,
# or a message if the harvest ends with an error.
sub harvest {
    my ($prefix, $between) = @_;
    my $harvester = HTTP::OAI::Harvester->new(baseURL => $url, resume => 0);
    my %arguments = (metadataPrefix => $prefix);
    my ($page, %count) = (0);
    while (%arguments) {
        my $list = $harvester->ListRecords(%arguments);
        return 'error ' . $list->code . ' ' . $list->message if $list->is_error;
        while (my $record = $list->next) { $count{ $record->identifier }++ }
        my $token = $list->resumptionToken && $list->resumptionToken->resumptionToken;
        %arguments = $token ? (resumptionToken => $token) : ();
        $between->() if ++$page == 2;
    }
    return \%count;
}

sub exercise {
    my ($name) = @_;
    my $before = prefixes();
    unlike $before, qr/\bmine\b/, "$name: the format does not exist yet";

    put('mine.xsl', 'mine', 'one');
    becomes(sub { prefixes() =~ /\bmine\b/ && title_of('mine') eq 'one' }, 'a new file adds a format');
    like slurp($log, ''), qr/event=format state=tried prefix=mine records=\d\d bad=0/, 'it was tried on records of the repository';
    like slurp($log, ''), qr/event=format state=live prefix=mine file=\S+mine\.xsl/, 'and the log reports that it is live';

    put('mine.xsl', 'mine', 'two');
    becomes(sub { title_of('mine') eq 'two' }, 'a changed file changes the format');
    is scalar(grep { title_of('mine') ne 'two' } 1 .. 40), 0, 'in every worker';

    for my $broken (
        ['broken XML', sub { spew("$formats/mine.xsl", sheet('mine', 'bad') =~ s{</xsl:stylesheet>}{</oops>}r) }, qr/mine\.xsl:6: /],
        ['a stylesheet that does not compile', sub { put('mine.xsl', 'mine', '<xsl:value-of select="("/>') }, qr/mine\.xsl:4: /],
        ['another namespace', sub { put('mine.xsl', 'mine', 'bad', namespace => 'urn:other') }, qr/mine\.xsl:2: .*Attribute namespace redefined/],
        ['another schemaLocation', sub { put('mine.xsl', 'mine', 'bad', root => 'xsi:schemaLocation="urn:o http://example.org/o.xsd"') }, qr/mine\.xsl:2: oai:archive\.example\.org:1: .*schemaLocation/],
        ['two elements', sub { put('mine.xsl', 'mine', '', body => '<xsl:if test="@url"><t:x xmlns:t="urn:t"/></xsl:if>') }, qr/mine\.xsl:2: oai:.*second element/],
        ['no record that works', sub { put('mine.xsl', 'mine', 'bad', body => '<xsl:if test="@url"><xsl:message terminate="yes">never</xsl:message></xsl:if>') }, qr/mine\.xsl:2: none of \d+ records.*never/],
        ['a pipe that it includes', sub { POSIX::mkfifo("$formats/pipe.xsl", 0666); spew("$formats/mine.xsl", sheet('mine', 'bad') =~ s{(?=  <xsl:template)}{  <xsl:include href="pipe.xsl"/>\n}r) }, qr/pipe\.xsl.*no regular file/],
        ['a name that is taken', sub { unlink "$formats/pipe.xsl"; put('mine.xsl', 'brief', 'bad') }, qr/mine\.xsl:2: brief is taken by|brief is taken by \S+mine\.xsl/],
    ) {
        my ($what, $break, $said) = @$broken;
        $break->();
        ok is_logged($said), "$what is refused, and file and line are logged" or diag slurp($log, '') =~ s/.*event=request.*\n//gr;
        is title_of('mine'), 'two', 'and the previous version stays in use';
        my ($status, $output) = check("$formats/mine.xsl");
        ok $status == 1 && $output =~ $said, '`oai check` reports the same error' or diag "$status $output";
        truncate $log, 0;
    }
    like record('oai_dc'), qr/<oai_dc:dc/, 'other formats are not affected';
    put('other.xsl', 'other', 'good');
    becomes(sub { title_of('other') eq 'good' }, 'and can still be changed');
    put('mine.xsl', 'mine', 'three');
    becomes(sub { title_of('mine') eq 'three' }, 'the corrected file replaces the previous version');

    # The file is written slowly and in pieces, as over a slow connection.
    my $text = sheet('mine', 'four' . ' ' x 4000);
    open my $slow, '>', "$formats/mine.xsl" or die $!;
    $slow->autoflush;
    my %seen;
    for my $piece (unpack '(A600)*', $text =~ s/ (?= )/\x01/gr) {
        print {$slow} $piece =~ tr/\x01/ /r;
        for (1 .. 3) { $seen{ title_of('mine') }++; pace(0.1) }
    }
    is_deeply [keys %seen], ['three'], 'a half-written file is never used';
    close $slow;
    becomes(sub { title_of('mine') =~ /^four/ }, 'the complete file is');

    spew("$formats/$_", sheet('stray', 'stray')) for '.stray.xsl.swp', '.stray.xsl', 'stray.xsl~', '#stray.xsl#', 'stray.xsl.part', '4913';
    symlink 'nobody@nowhere.1', "$formats/.#mine.xsl";
    put('probe.xsl', 'probe', 'later than these');
    becomes(sub { prefixes() =~ /probe/ }, 'what is written behind them is in use');
    unlink "$formats/probe.xsl" or die $!;
    unlike prefixes(), qr/stray/, 'temporary files of editors and copying programs are ignored';
    unlink glob("$formats/{.stray*,*stray*,4913,.#mine.xsl}");

    spew("$formats/.mine.xsl.new", sheet('mine', 'five'));
    rename "$formats/.mine.xsl.new", "$formats/mine.xsl" or die $!;
    becomes(sub { title_of('mine') eq 'five' }, 'a file that is renamed into place is used');

    # Some editors move the old file away first. The server stands still meanwhile, since that takes no time at all.
    kill 'STOP', $server->{pid};
    rename "$formats/mine.xsl", "$formats/mine.xsl~" or die $!;
    put('mine.xsl', 'mine', 'six');
    kill 'CONT', $server->{pid};
    my $gaps = 0;
    becomes(sub { my $said = title_of('mine'); $gaps++ if $said eq ''; $said eq 'six' }, 'a file that is moved away and written again is used');
    is $gaps, 0, 'and the format was available all the time';
    unlink "$formats/mine.xsl~";

    # A symbolic link to a version elsewhere is replaced by renaming another link over it.
    mkdir "$formats/../$name-versions" or die $!;
    my $versions = "$formats/../$name-versions";
    spew("$versions/7.xsl", sheet('mine', 'seven'));
    spew("$versions/8.xsl", sheet('mine', 'eight'));
    for my $version (7, 8) {
        symlink "$versions/$version.xsl", "$formats/.link" or die $!;
        rename "$formats/.link", "$formats/mine.xsl" or die $!;
        becomes(sub { title_of('mine') eq ($version == 7 ? 'seven' : 'eight') }, "a link to version $version is followed");
    }
    spew("$versions/8.xsl", sheet('mine', 'eight and a half'));
    becomes(sub { title_of('mine') eq 'eight and a half' }, 'a change of the target of the link is noticed');
    unlink "$versions/8.xsl";
    ok is_logged(qr/mine\.xsl: No such file/), 'a dangling link is an error';
    is title_of('mine'), 'eight and a half', 'and does not remove the format';

    # A change of an imported file reloads the stylesheet.
    mkdir "$formats/lib" or die $!;
    spew("$formats/lib/part.xsl", '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template name="said">nine</xsl:template></xsl:stylesheet>');
    unlink "$formats/mine.xsl";
    spew("$formats/mine.xsl", sheet('mine', '<xsl:call-template name="said"/>') =~ s{(<f:format)}{<xsl:import href="lib/part.xsl"/>$1}r);
    becomes(sub { title_of('mine') eq 'nine' }, 'a stylesheet with an import is used');
    spew("$formats/lib/part.xsl", slurp("$formats/lib/part.xsl") =~ s/nine/ten/r);
    becomes(sub { title_of('mine') eq 'ten' }, 'and is reloaded when the imported file changes');

    # A schema in the formats directory.
    mkdir "$formats/schema" or die $!;
    spew("$formats/schema/t.xsd", '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t"><xs:element name="title"><xs:simpleType><xs:restriction base="xs:string"><xs:maxLength value="9"/></xs:restriction></xs:simpleType></xs:element></xs:schema>');
    put('mine.xsl', 'mine', 'too long for it');
    ok is_logged(qr/mine\.xsl:2: oai:archive.example.org:1: not valid by \S+t\.xsd: .*maxLength/), 'a format whose documents are invalid by the schema is refused';
    is title_of('mine'), 'ten', 'and does not go live';
    put('mine.xsl', 'mine', 'short');
    becomes(sub { title_of('mine') eq 'short' }, 'a format whose documents are valid goes live');
    like slurp($log, ''), qr/state=tried prefix=mine records=\d\d bad=0 first_bad="" schema=\S+t\.xsd/, 'and the log names the schema';

    # Stylesheets that fill <about>.
    my $about = sub { my ($says, $with) = @_;
        spew("$formats/about/said.xsl", sheet('', $says, formats => 'oai_dc') =~ s/f:format prefix=""/f:about/r =~ s/<f:about/$with<f:about/r) };
    mkdir "$formats/about" or die $!;
    $about->('first', '');
    my $beside = sub { record('oai_dc') =~ m{</metadata><about><t:title[^>]*>(.*?)</t:title></about></record>} ? $1 : 'nothing' };
    becomes(sub { $beside->() eq 'first' }, 'an about stylesheet goes live');
    unlike record('dated'), qr/<about>/, 'only with the format that it names';
    $about->('second', '<xsl:nonsense/>');
    ok is_logged(qr{state=refused serving="the version before" why=.*about/said\.xsl:2: }), 'a broken about stylesheet is refused';
    like +(check())[1], qr{^oai: formats: \S+/about/said\.xsl:2: }m, '`oai check` reports file and line';
    is $beside->(), 'first', 'and the previous version stays in use';
    $about->('too long for it', '');
    ok is_logged(qr{about/said\.xsl:2: oai:archive.example.org:1: not valid by \S+t\.xsd: }), 'an about stylesheet is tried on records, too';
    unlink "$formats/about/said.xsl";
    becomes(sub { $beside->() eq 'nothing' }, 'removing the file removes the <about>');
    rmdir "$formats/about" or die $!;

    # Changes in the middle of a harvest.
    my $count = harvest('mine', sub { put('mine.xsl', 'mine', 'middle'); ok wait_until(sub { title_of('mine') eq 'middle' }), 'the format is changed during a harvest' });
    is_deeply $count, { map { ("oai:archive.example.org:$_" => 1) } 1 .. 14 }, 'and every record is harvested exactly once';
    my $gone = harvest('mine', sub { unlink "$formats/mine.xsl"; ok wait_until(sub { prefixes() !~ /\bmine\b/ }), 'the format is removed during a harvest' });
    ok !ref $gone || keys %$gone < 14, 'the harvest ends early or with an error';
    like ask('verb=ListRecords&metadataPrefix=mine'), qr/cannotDisseminateFormat/, 'removing a file removes its format';

    unlink "$formats/oai_dc.xsl";
    ok wait_until(sub { (check())[1] =~ /no format with the prefix oai_dc/ }), '`oai check` reports that oai_dc is missing';
    put('mine.xsl', 'mine', 'later');
    becomes(sub { title_of('mine') eq 'later' }, 'what is written behind that is in use');
    unlink "$formats/mine.xsl";
    ok wait_until(sub { prefixes() !~ /\bmine\b/ }), 'and goes';
    like record('oai_dc'), qr/<oai_dc:dc/, 'but the server keeps using its last version';
    system('cp', "$root/xslt/oai_dc.xsl", "$formats/oai_dc.xsl") == 0 or die;
    ok wait_until(sub { (check("$formats/oai_dc.xsl"))[0] == 0 }), 'oai_dc is restored' or diag((check())[1]);

    # The protocol gives the namespace and the schema of oai_dc.
    my $right = slurp("$formats/oai_dc.xsl");
    for (['another namespace', $right =~ s{OAI/2\.0/oai_dc/}{OAI/2.0/dc/}gr], ['another schema', $right =~ s{http(://\S+/oai_dc\.xsd")}{https$1}r]) {
        my ($what, $sheet) = @$_;
        spew("$formats/oai_dc.xsl", $sheet);
        like +(check("$formats/oai_dc.xsl"))[1], qr{oai_dc\.xsl:\d+: OAI-PMH gives oai_dc the namespace }, "oai_dc with $what is a problem";
        ok is_logged(qr{state=refused .*oai_dc\.xsl:\d+: OAI-PMH gives oai_dc }), 'and is refused';
        like record('oai_dc'), qr{<oai_dc:dc [^>]*OAI/2\.0/oai_dc/ http://}, 'the version before stays in use';
    }
    spew("$formats/oai_dc.xsl", $right);
    my $said;
    wait_until(sub { $said = (check())[1]; $said !~ /oai: formats:/ });    # the server says what it has not looked at again
    like $said, qr/^mine|^oai_dc \(\S+oai_dc\.xsl\): 11 records, 0 bad, \d+\.\d us a record compiled, no schema at hand$/m, '`oai check` reports the time per record';
    unlike $said, qr/oai: formats:/, 'and no error';

    kill HUP => $server->{pid};
    ok is_logged(qr/event=reload signal=HUP/), 'SIGHUP reloads the configuration';
    ok is_logged(qr/event=format state=live prefix=oai_dc[^\n]*\n(?:.*\n)*?.*state=live prefix=other/), 'and all formats';
    is scalar(() = slurp($log, '') =~ /level=error event=fault/g), 0, 'no request met an internal error';
    return;
}

# Prepares the next part: after a crash a server starts in spite of a broken stylesheet, but not without oai_dc.
sub killed_with_a_broken_file {
    put('worse.xsl', 'worse', '<xsl:value-of select="("/>');
    $server->stop('KILL');
    WebServer::stop($web);
    return;
}

start('looking');
exercise('looking');
killed_with_a_broken_file();
rename "$dir/formats", "$dir/formats-away" or die $!;
rename "$dir/looking-formats", "$dir/formats" or die $!;
start('again');
is prefixes(), 'oai_dc brief dated digested other', 'after a restart all formats but the broken one are available' or diag prefixes();
like slurp($log, ''), qr/event=format state=refused why=.*worse\.xsl:4: /, 'and the log names the broken one';
is stop(), 0, 'the server stops with status 0';
unlink "$formats/oai_dc.xsl";
is system("$bin/oai.fcgi --config $ini 2>$dir/refused.log") >> 8, 1, 'without oai_dc the server does not start';
like slurp("$dir/refused.log"), qr/no format with the prefix oai_dc/, 'and reports the reason';
done_testing;
