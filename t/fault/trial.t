#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Stylesheets whose trial would take hours or all memory, dropped into the directory of a running server: each is refused,
# in words, while the other formats serve; and the server ends at once when it is told to, or killed, without leaving a
# process behind. No call of XPath can be interrupted, so each trial is a process of its own (lib/format/trial_process.h).
use TestProgram;
use Time::HiRes qw(time);

my $db = Database->new(model => 'library');
$db->run("insert into library.item (local_id, title, subject, subject_lang) select n::text, array['Title'], array_agg('subject ' || m), array_agg('en'::text)"
    . ' from generate_series(1, 120) n, generate_series(1, 80) m group by n order by n');
1 while $db->publish(1000);
my $r = Repository->new(db => $db);
my $formats = $r->{formats};
system('cp', "$Server::root/xslt/library/oai_dc.xsl", $formats) == 0 or die;

sub sheet {
    my ($prefix, $body, %with) = @_;
    my $test = $with{test} // 'true()';
    return <<"XSL";
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format" xmlns:str="http://exslt.org/strings" exclude-result-prefixes="f str">
  <f:format prefix="$prefix" schema="http://example.org/t.xsd" namespace="urn:t"/>@{[$with{head} // '']}
  <xsl:template match="record"><t:t xmlns:t="urn:t" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:t http://example.org/t.xsd"><xsl:if test="$test">$body</xsl:if></t:t></xsl:template>
</xsl:stylesheet>
XSL
}

# A condition that only records of the repository meet, so that a stylesheet runs over the record without columns.
my $real = 'string(@title | title)';
my $nested = '<xsl:value-of select="count(//@*[count(//@*[count(//@*[count(//@*) &gt; 0]) &gt; 0]) &gt; 0])"/>';
my $translate = q{<xsl:value-of select="translate(str:padding(100000, 'a'), str:padding(100000, 'b'), '')"/>};
# A padding of single characters takes long itself, and is stopped in time: by the limit of one record on a slow machine.
my $longer = $translate =~ s/100000, ('.')/200000, str:padding(2000, $1)/gr;
my $memory = q{<xsl:variable name="a" select="str:padding(30000000, 'ab')"/><xsl:for-each select="str:tokenize(str:padding(2000, 'a '))"><xsl:value-of select="translate($a, 'b', 'c')"/></xsl:for-each>};
# What is said of them, whichever limit it is that ends them.
my $too_long = qr/(?:takes longer than 5 s|the transform takes too long)/;
my %hostile = (
    map({ @$_ } sample(2, ['four //@* within each other' => [nested => $nested, test => $real]], ['translate() of 100,000 by 100,000 characters' => [translate => $translate, test => $real]])),
    'translate() that runs without a record too' => [early => $longer],
);

sub put { my ($prefix, @sheet) = @_; spew("$formats/.new", sheet($prefix, @sheet)); rename "$formats/.new", "$formats/$prefix.xsl" or die $! }
sub prefixes { return join ' ', $r->ask('verb=ListMetadataFormats')->{body} =~ m{<metadataPrefix>(.*?)</}g }
# The processes that a process has started to try this format.
sub trials {
    my ($pid, $prefix) = @_;
    return grep { slurp("/proc/$_/cmdline", '') =~ /\b$prefix\.xsl\0$/ } map { split ' ', slurp($_, '') } glob "/proc/$pid/task/*/children";
}
sub refused { my ($prefix) = @_; return $r->log_text =~ /state=refused serving=none why="?(\S+\b$prefix\.xsl:\d+: [^\n]*)/ ? $1 : '' }
# Whether a process exists that is no zombie.
sub ignores_term { my ($pid) = @_; return slurp("/proc/$pid/status", '') =~ /^SigIgn:\s+([0-9a-f]+)/m && hex($1) & 1 << POSIX::SIGTERM - 1 }
sub lives { my ($pid) = @_; return slurp("/proc/$pid/stat", '') =~ /^\d+ \(.*\) [^ZX]/s }

$r->start;
is prefixes(), 'oai_dc', 'the server serves one format';

for my $name (sort keys %hostile) {
    subtest $name => sub {
        my ($prefix, @sheet) = @{ $hostile{$name} };
        put($prefix, @sheet);
        my $began = time;
        my @bad;
        ok wait_until(sub {
            my $body = $r->ask('verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:example.org:1')->{body};
            push @bad, $body if $body !~ /<oai_dc:dc/;
            return refused($prefix);
        }), 'it is refused' or diag $r->log_text =~ s/.*event=request.*\n//gr;
        my $took = time - $began;
        is "@bad", '', 'the other format is served all the while';
        like refused($prefix), qr/\b$prefix\.xsl:\d: $too_long/, 'it says why';
        like refused($prefix), $prefix eq 'early' ? qr/for a record without columns/ : qr/for 100 sample records, and was at those from oai:example\.org:\d+ to oai:example\.org:\d+;/, 'and with which records';
        is_deeply [trials($r->{pid}, $prefix)], [], 'no process is left';
        note sprintf 'refused after %.1f s: %s', $took, refused($prefix);
        unlike prefixes(), qr/$prefix/, 'the format does not go live';
        unlink "$formats/$prefix.xsl" or die $!;
    };
}

sub check { return $r->oai('check', @_) }

subtest 'a stylesheet that eats memory' => sub {
    put('memory', $memory, test => $real);
    ok wait_until(sub { refused('memory') }), 'it is refused' or diag $r->log_text =~ s/.*event=request.*\n//gr;
    note refused('memory');
    like $r->ask('verb=Identify')->{body}, qr/<Identify>/, 'the server lives';
    unlink "$formats/memory.xsl" or die $!;
};

subtest 'a stylesheet whose imports double' => sub {
    mkdir "$formats/lib" or die $!;
    for my $n (1 .. 40) {
        my $next = $n < 40 ? sprintf('<xsl:include href="%d.xsl"/>', $n + 1) x 2 : '';
        spew("$formats/lib/$n.xsl", qq(<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">$next</xsl:stylesheet>));
    }
    put('doubling', 'x', head => '<xsl:include href="lib/1.xsl"/>');
    ok wait_until(sub { refused('doubling') }), 'it is refused, since it is never compiled in the server' or diag $r->log_text =~ s/.*event=request.*\n//gr;
    note refused('doubling');
    unlink "$formats/doubling.xsl" or die $!;
    system('rm', '-r', "$formats/lib") == 0 or die;
};

subtest 'a good stylesheet' => sub {
    put('good', 'x');
    ok wait_until(sub { prefixes() =~ /good/ }), 'still goes live';
    like $r->log_text, qr/state=tried prefix=good records=100 bad=0/, 'after a trial';
    unlink "$formats/good.xsl" or die $!;
    ok wait_until(sub { prefixes() !~ /good/ }), 'and is removed again';
};

for (['SIGTERM', 'TERM', 0], ['SIGKILL', 'KILL', 'signal 9']) {
    my ($name, $signal, $wanted) = @$_;
    subtest "$name while a stylesheet is tried" => sub {
        my ($puts, @trials) = (0);
        my $refusals = sub { return scalar(() = $r->log_text =~ /state=refused [^\n]*nested\.xsl/g) };
        my $before = $refusals->();
        ok wait_until(sub {
            put('nested', $nested . '<!-- ' . ++$puts . ' -->', test => $real) if $refusals->() == $before + $puts;   # again where its trial ended unseen
            return @trials = grep { ignores_term($_) } trials($r->{pid}, 'nested');
        }), 'a process tries it, whoever else tells it to end' or diag $r->log_text;
        kill 'TERM', @trials;   # as systemd does to all processes of a service
        is $r->stop($signal), $wanted, 'the server ends';
        ok wait_until(sub { !grep { lives($_) } @trials }), 'and so does the trial' or kill 'KILL', @trials;
        unlink "$formats/nested.xsl" or die $!;
        $r->start;
    };
}

subtest 'a server that starts with such stylesheets' => sub {
    is $r->stop, 0, 'the server ends';
    put('early', $longer);
    $r->start;
    is prefixes(), 'oai_dc', 'without the format';
    like $r->log_text, qr/state=refused why="?\S+early\.xsl:\d: $too_long/, 'and says so';
    is $r->stop, 0, 'it ends';
    $r->start(unchecked => 1);
    ok wait_until(sub {
        return 1 if trials($r->{pid}, 'early');
        if ($r->is_ready) { $r->stop; $r->start(unchecked => 1) }    # its trial ended unseen
        return 0;
    }), 'it starts once more, and is told to end before it serves';
    is $r->stop('TERM'), 0, 'it ends';
};

subtest '`oai check` over a directory with all of them' => sub {
    put($_->[0], @$_[1 .. $#$_]) for grep { $_->[0] ne 'early' } values %hostile;
    my ($status, $said) = check();
    is $status, '1', 'it finds problems' or diag $said;
    like $said, qr/^oai: formats: \S+\b$_\.xsl:\d: $too_long/m, "$_ is named" for map { $_->[0] } values %hostile;
    like $said, qr/^oai_dc \(\S+\): 100 records, 0 bad, /m, 'and the good one is tried';
    for my $signal (qw(INT TERM)) {
        my $pid = start_program(["$r->{bin}/oai", '--config', $r->{ini}, 'check'], out => "$r->{dir}/checked");
        my @trials;
        wait_until(sub { @trials = map { trials($pid, $_->[0]) } values %hostile });
        is stop_program($pid, $signal), 'signal ' . ($signal eq 'INT' ? 2 : 15), "SIG$signal ends it";
        ok @trials && wait_until(sub { !grep { lives($_) } @trials }), 'and its trial';
    }
};

done_testing();
