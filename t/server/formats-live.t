#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The formats directory under a running server behind nginx: added, changed, broken, half-written, renamed, swapped by
# symbolic link, removed, in the middle of a harvest too; told of it by inotify, and looking without it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(abs_path);
use File::Temp qw(tempdir);
use HTTP::OAI;
use HTTP::Tiny;
use Test::More;
use Together;
use Time::HiRes qw(sleep time);

use constant LIMIT => 2;    # seconds from a whole file to all workers

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");
my $bin   = "$build/" . ($ENV{OAI_FLAVOUR} // 'release');
my $dir   = tempdir('oai-formats-XXXXXX', TMPDIR => 1);
my $http  = HTTP::Tiny->new(timeout => 30);
my ($pid, $url, $formats, $log, $ini, $web);
my $owner = $$;
system("$root/t/golden/setup", $dir) == 0 or BAIL_OUT('t/golden/setup failed');
END { my $status = $?; stop() if $pid; system("$root/t/golden/setup", '--stop', $dir) if $$ == $owner; $? = $status }

sub slurp { open my $in, '<', $_[0] or return ''; local $/; return <$in> // '' }
sub spew { my ($file, $text) = @_; open my $out, '>', $file or die "$file: $!"; print {$out} $text; close $out or die $! }
sub psql { system('psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', slurp("$dir/default.ini") =~ /^connection = (.*)/m ? $1 =~ s/oai_reader/postgres/r : die, '-c', $_[0]) == 0 or die 'psql' }

sub start {
    my ($name, $inotify) = @_;
    ($ini, $log, $formats) = map { "$dir/$name$_" } '.ini', '.log', '-formats';
    system('cp', '-r', "$dir/formats", $formats) == 0 or die;
    unlink "$formats/fragile.xsl";
    my $text = slurp("$dir/default.ini");
    $text =~ s{^directory = .*}{directory = $formats\ninotify = $inotify}m;
    $text =~ s{^socket = .*}{socket = $dir/$name.sock}m;
    $text =~ s{^\[lists\]\n(records = .*\n)?}{}m;
    spew($ini, "$text\[lists]\nrecords = 3\n");
    $pid = fork // die $!;
    if (!$pid) { open STDERR, '>>', $log or die $!; exec "$bin/oai.fcgi", '--config', $ini or die $! }
    for (1 .. 100) { last if -S "$dir/$name.sock"; sleep 0.1 }
    chmod 0666, "$dir/$name.sock";
    $web = "$dir/web-$name";
    chomp(my $port = `$root/t/lib/web.sh start nginx $web $dir/$name.sock`);
    $url = "http://127.0.0.1:$port/oai";
    ok within(30, sub { ask('verb=Identify') =~ /<Identify>/ }), "$name: it serves" or BAIL_OUT(slurp($log));
}

sub stop {
    system("$root/t/lib/web.sh", 'stop', $web);
    kill TERM => $pid;
    waitpid $pid, 0;
    my $status = $?;
    $pid = undef;
    return $status;
}

sub ask { my $got = $http->get("$url?$_[0]"); return $got->{status} == 200 ? $got->{content} : "$got->{status}" }
sub prefixes { return join ' ', ask('verb=ListMetadataFormats') =~ m{<metadataPrefix>(.*?)</}g }
sub record { return ask("verb=GetRecord&identifier=oai:archive.example.org:1&metadataPrefix=$_[0]") }
# What the format says of record 1.
sub says { return record($_[0]) =~ m{<t:title[^>]*>(.*?)</t:title>} ? $1 : '' }

# Whether it becomes true within so many seconds.
sub within {
    my ($seconds, $true) = @_;
    for (my $end = time + $seconds; ;) { return 1 if $true->(); return 0 if time > $end; sleep 0.03 }
}
sub soon { my ($true, $name) = @_; ok within(LIMIT, $true), $name or diag slurp($log) =~ s/.*event=request.*\n//gr }
sub logged { my ($pattern) = @_; return within(LIMIT, sub { slurp($log) =~ $pattern }) }
sub checked { my $said = `$bin/oai --config $ini check @_ 2>&1`; return ($? >> 8, $said) }

# A format of one's own that says $title.
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

# One format for another in the middle of a harvest by HTTP::OAI, page by page.
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
    unlike $before, qr/\bmine\b/, "$name: a format that is not there yet";

    put('mine.xsl', 'mine', 'one');
    soon(sub { prefixes() =~ /\bmine\b/ && says('mine') eq 'one' }, 'a new file is a new format');
    like slurp($log), qr/event=format state=tried prefix=mine records=\d\d bad=0/, 'tried over records of the repository';
    like slurp($log), qr/event=format state=live prefix=mine file=\S+mine\.xsl/, 'and the log says so';

    put('mine.xsl', 'mine', 'two');
    soon(sub { says('mine') eq 'two' }, 'a changed file is a changed format');
    is scalar(grep { says('mine') ne 'two' } 1 .. 40), 0, 'for every worker';

    for my $broken (
        ['broken XML', sub { spew("$formats/mine.xsl", sheet('mine', 'bad') =~ s{</xsl:stylesheet>}{</oops>}r) }, qr/mine\.xsl:6: /],
        ['what does not compile', sub { put('mine.xsl', 'mine', '<xsl:value-of select="("/>') }, qr/mine\.xsl:4: /],
        ['another namespace', sub { put('mine.xsl', 'mine', 'bad', namespace => 'urn:other') }, qr/mine\.xsl:2: .*Attribute namespace redefined/],
        ['no schemaLocation', sub { put('mine.xsl', 'mine', 'bad', root => '') }, qr/mine\.xsl:2: oai:archive\.example\.org:1: .*schemaLocation/],
        ['two elements', sub { put('mine.xsl', 'mine', '', body => '<xsl:if test="@url"><t:x xmlns:t="urn:t"/></xsl:if>') }, qr/mine\.xsl:2: oai:.*second element/],
        ['no record that works', sub { put('mine.xsl', 'mine', 'bad', body => '<xsl:if test="@url"><xsl:message terminate="yes">never</xsl:message></xsl:if>') }, qr/mine\.xsl:2: none of \d+ records.*never/],
        ['a name that is taken', sub { put('mine.xsl', 'oai_dc', 'bad') }, qr/mine\.xsl:2: oai_dc is taken by|oai_dc is taken by \S+mine\.xsl/],
    ) {
        my ($what, $break, $said) = @$broken;
        $break->();
        ok logged($said), "$what is refused, with file and line" or diag slurp($log) =~ s/.*event=request.*\n//gr;
        is says('mine'), 'two', 'and the version before goes on';
        my ($status, $output) = checked("$formats/mine.xsl");
        ok $status == 1 && $output =~ $said, '`oai check` says the same' or diag "$status $output";
        truncate $log, 0;
    }
    like record('oai_dc'), qr/<oai_dc:dc/, 'other formats are not touched by it';
    put('other.xsl', 'other', 'good');
    soon(sub { says('other') eq 'good' }, 'and others still change');
    put('mine.xsl', 'mine', 'three');
    soon(sub { says('mine') eq 'three' }, 'mended');

    # Slowly, in pieces, as over a bad line.
    my $text = sheet('mine', 'four' . ' ' x 4000);
    open my $slow, '>', "$formats/mine.xsl" or die $!;
    $slow->autoflush;
    my %seen;
    for my $piece (unpack '(A600)*', $text =~ s/ (?= )/\x01/gr) {
        print {$slow} $piece =~ tr/\x01/ /r;
        for (1 .. 3) { $seen{ says('mine') }++; sleep 0.1 }
    }
    is_deeply [keys %seen], ['three'], 'half a file is never taken';
    close $slow;
    soon(sub { says('mine') =~ /^four/ }, 'the whole is');

    spew("$formats/$_", sheet('stray', 'stray')) for '.stray.xsl.swp', '.stray.xsl', 'stray.xsl~', '#stray.xsl#', 'stray.xsl.part', '4913';
    symlink 'nobody@nowhere.1', "$formats/.#mine.xsl";
    sleep LIMIT;
    unlike prefixes(), qr/stray/, 'what editors and copying programs leave is no format';
    unlink glob("$formats/{.stray*,*stray*,4913,.#mine.xsl}");

    spew("$formats/.mine.xsl.new", sheet('mine', 'five'));
    rename "$formats/.mine.xsl.new", "$formats/mine.xsl" or die $!;
    soon(sub { says('mine') eq 'five' }, 'renamed into place');

    # An editor that moves the old file away first.
    rename "$formats/mine.xsl", "$formats/mine.xsl~" or die $!;
    put('mine.xsl', 'mine', 'six');
    my $gaps = 0;
    soon(sub { my $said = says('mine'); $gaps++ if $said eq ''; $said eq 'six' }, 'moved away and written anew');
    is $gaps, 0, 'without a moment of no format at all';
    unlink "$formats/mine.xsl~";

    # Symbolic links: a version elsewhere, swapped by renaming a link over the other.
    mkdir "$formats/../$name-versions" or die $!;
    my $versions = "$formats/../$name-versions";
    spew("$versions/7.xsl", sheet('mine', 'seven'));
    spew("$versions/8.xsl", sheet('mine', 'eight'));
    for my $version (7, 8) {
        symlink "$versions/$version.xsl", "$formats/.link" or die $!;
        rename "$formats/.link", "$formats/mine.xsl" or die $!;
        soon(sub { says('mine') eq ($version == 7 ? 'seven' : 'eight') }, "link to version $version");
    }
    spew("$versions/8.xsl", sheet('mine', 'eight and a half'));
    soon(sub { says('mine') eq 'eight and a half' }, 'what the link leads to has changed');
    unlink "$versions/8.xsl";
    ok logged(qr/mine\.xsl: No such file/), 'a link that leads nowhere is a fault';
    is says('mine'), 'eight and a half', 'and no removal';

    # What is imported counts.
    mkdir "$formats/lib" or die $!;
    spew("$formats/lib/part.xsl", '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template name="said">nine</xsl:template></xsl:stylesheet>');
    unlink "$formats/mine.xsl";
    spew("$formats/mine.xsl", sheet('mine', '<xsl:call-template name="said"/>') =~ s{(<f:format)}{<xsl:import href="lib/part.xsl"/>$1}r);
    soon(sub { says('mine') eq 'nine' }, 'a stylesheet that imports');
    spew("$formats/lib/part.xsl", slurp("$formats/lib/part.xsl") =~ s/nine/ten/r);
    soon(sub { says('mine') eq 'ten' }, 'changes with what it imports');

    # A schema beside the stylesheets.
    mkdir "$formats/schema" or die $!;
    spew("$formats/schema/t.xsd", '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t"><xs:element name="title"><xs:simpleType><xs:restriction base="xs:string"><xs:maxLength value="9"/></xs:restriction></xs:simpleType></xs:element></xs:schema>');
    put('mine.xsl', 'mine', 'too long for it');
    ok logged(qr/mine\.xsl:2: oai:archive.example.org:1: not valid by \S+t\.xsd: .*maxLength/), 'a document that its schema refuses';
    is says('mine'), 'ten', 'does not go live';
    put('mine.xsl', 'mine', 'short');
    soon(sub { says('mine') eq 'short' }, 'one that is valid does');
    like slurp($log), qr/state=tried prefix=mine records=\d\d bad=0 first_bad="" schema=\S+t\.xsd/, 'and was validated';

    # What goes beside the metadata.
    my $about = sub { my ($says, $with) = @_;
        spew("$formats/about/said.xsl", sheet('', $says, formats => 'oai_dc') =~ s/f:format prefix=""/f:about/r =~ s/<f:about/$with<f:about/r) };
    mkdir "$formats/about" or die $!;
    $about->('first', '');
    my $beside = sub { record('oai_dc') =~ m{</metadata><about><t:title[^>]*>(.*?)</t:title></about></record>} ? $1 : 'nothing' };
    soon(sub { $beside->() eq 'first' }, 'an about stylesheet goes live');
    unlike record('dated'), qr/<about>/, 'with the format that it names';
    $about->('second', '<xsl:nonsense/>');
    ok logged(qr{state=refused serving="the version before" why=.*about/said\.xsl:2: }), 'one that is broken is refused';
    like +(checked())[1], qr{^oai: formats: \S+/about/said\.xsl:2: }m, '`oai check` says file and line';
    is $beside->(), 'first', 'and the version before goes on';
    $about->('too long for it', '');
    ok logged(qr{about/said\.xsl:2: oai:archive.example.org:1: not valid by \S+t\.xsd: }), 'it is tried over records, too';
    unlink "$formats/about/said.xsl";
    soon(sub { $beside->() eq 'nothing' }, 'removed');
    rmdir "$formats/about" or die $!;

    # In the middle of a harvest.
    my $count = harvest('mine', sub { put('mine.xsl', 'mine', 'middle'); ok within(LIMIT, sub { says('mine') eq 'middle' }), 'changed in mid-harvest' });
    is_deeply $count, { map { ("oai:archive.example.org:$_" => 1) } 1 .. 14 }, 'and every record came once';
    my $gone = harvest('mine', sub { unlink "$formats/mine.xsl"; ok within(LIMIT, sub { prefixes() !~ /\bmine\b/ }), 'removed in mid-harvest' });
    ok !ref $gone || keys %$gone < 14, 'the harvest of it ends';
    like ask('verb=ListRecords&metadataPrefix=mine'), qr/cannotDisseminateFormat/, 'a removed file is a removed format';

    unlink "$formats/oai_dc.xsl";
    ok within(LIMIT, sub { (checked())[1] =~ /no format with the prefix oai_dc/ }), 'oai_dc cannot be removed';
    sleep 1;
    like record('oai_dc'), qr/<oai_dc:dc/, 'and its last version goes on';
    system('cp', "$root/xslt/oai_dc.xsl", "$formats/oai_dc.xsl") == 0 or die;
    ok within(LIMIT, sub { (checked("$formats/oai_dc.xsl"))[0] == 0 }), 'put back' or diag((checked())[1]);
    my (undef, $said) = checked();
    like $said, qr/^mine|^oai_dc \(\S+oai_dc\.xsl\): 11 records, 0 bad, \d+\.\d us a record compiled, no schema at hand$/m, '`oai check` measures';
    unlike $said, qr/oai: formats:/, 'and finds no fault';

    kill HUP => $pid;
    ok logged(qr/event=reload signal=HUP/), 'SIGHUP';
    ok logged(qr/event=format state=live prefix=oai_dc[^\n]*\n(?:.*\n)*?.*state=live prefix=other/), 'judges all anew';
    is scalar(() = slurp($log) =~ /level=error event=fault/g), 0, 'no request met a fault';
}

# A broken file does not keep a server down that was killed, but one without oai_dc does not begin.
sub killed_with_a_broken_file {
    put('worse.xsl', 'worse', '<xsl:value-of select="("/>');
    kill KILL => $pid;
    waitpid $pid, 0;
    $pid = undef;
    system("$root/t/lib/web.sh", 'stop', $web);
    return;
}

together(
    'told by inotify' => sub { start('told', 'yes'); exercise('told'); is stop(), 0, 'it stops in peace' },
    'looking' => sub { start('looking', 'no'); exercise('looking'); killed_with_a_broken_file() },
);
rename "$dir/formats", "$dir/formats-away" or die $!;
rename "$dir/looking-formats", "$dir/formats" or die $!;
start('again', 'yes');
is prefixes(), 'oai_dc brief dated digested other', 'after a restart all but the broken one serve' or diag prefixes();
like slurp($log), qr/event=format state=refused why=.*worse\.xsl:4: /, 'and the log names it';
is stop(), 0, 'it stops in peace';
unlink "$formats/oai_dc.xsl";
is system("$bin/oai.fcgi --config $ini 2>$dir/refused.log") >> 8, 1, 'without oai_dc it does not begin';
like slurp("$dir/refused.log"), qr/no format with the prefix oai_dc/, 'and says why';
done_testing;
