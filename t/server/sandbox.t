#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Hostile stylesheets in the sandbox: they read and write files, use the network, entities, endless recursion and huge output.
# Each is tried by `oai check FILE`, as every format is before it goes live: it must be refused with a message, within limits
# of time and memory, and without any access to its targets. One of them is given to a running server.
use TestProgram;
use IO::Select;
use HarvestedRepository;
use Time::HiRes qw(time);

use constant {MEGABYTES => 900};

my $r = HarvestedRepository->new(documents => 20);
my ($dir, $formats) = ($r->{dir}, "$r->{dir}/formats");
my $secret = spew("$dir/secret.xml", '<s>the secret</s>');
my $drop = "$dir/drop";
mkdir $drop or die $!;
symlink $secret, "$drop/inside.xml" or die $!;
my $net = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1') or die $!;
my $url = 'http://127.0.0.1:' . $net->sockport;

sub sheet {
    my ($body, %with) = @_;
    my $first = $with{first} // '';
    my $head = $with{head} // '';
    my $rest = $with{rest} // '';
    return <<"XSL";
<?xml version="1.0"?>$first
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
  xmlns:exsl="http://exslt.org/common" xmlns:str="http://exslt.org/strings" xmlns:dyn="http://exslt.org/dynamic" xmlns:crypto="http://exslt.org/crypto"
  xmlns:redirect="http://xml.apache.org/xalan/redirect" xmlns:saxon="http://icl.com/saxon" xmlns:func="http://exslt.org/functions"
  extension-element-prefixes="exsl str dyn redirect saxon func">
  $head<f:format prefix="evil" schema="http://example.org/t.xsd" namespace="urn:t"/>
  <xsl:template match="record"><t:t xmlns:t="urn:t" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:t http://example.org/t.xsd">$body</t:t></xsl:template>
  $rest
</xsl:stylesheet>
XSL
}
my $bomb = "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>" . join('', map { "<!ENTITY " . chr(97 + $_) . " '" . ('&' . chr(96 + $_) . ';') x 10 . "'>" } 1 .. 9) . ']>';
my $loop = '<xsl:template name="loop"><xsl:param name="s"/>';

my %attack = (
    'document() of a file'              => sheet("<xsl:copy-of select=\"document('$secret')\"/>"),
    'document() of file://'             => sheet("<xsl:copy-of select=\"document('file://$secret')\"/>"),
    'document() by a way up'            => sheet("<xsl:copy-of select=\"document('../secret.xml')\"/>"),
    'document() by a symbolic link'     => sheet("<xsl:copy-of select=\"document('inside.xml')\"/>"),
    'document() of the password file'   => sheet("<xsl:copy-of select=\"document('/etc/passwd')\"/>"),
    'document() over the network'       => sheet("<xsl:copy-of select=\"document('$url/x')\"/>"),
    'document() by ftp'                 => sheet('<xsl:copy-of select="document(\'' . ($url =~ s/http/ftp/r) . '/x\')"/>'),
    'import over the network'           => sheet('x', head => "<xsl:import href=\"$url/x.xsl\"/>"),
    'include of a file'                 => sheet('x', head => "<xsl:include href=\"$secret\"/>"),
    'import by a way up'                => sheet('x', head => '<xsl:import href="../secret.xml"/>'),
    'exsl:document writes'              => sheet("<exsl:document href=\"$dir/written\"><x/></exsl:document>"),
    'exsl:document into the directory'  => sheet('<exsl:document href="written.xsl"><x/></exsl:document>'),
    'exsl:document into a new directory' => sheet('<exsl:document href="new/written"><x/></exsl:document>'),
    'exsl:document over the network'    => sheet("<exsl:document href=\"$url/x\"><x/></exsl:document>"),
    'xsl:document writes'               => sheet("<xsl:document href=\"$dir/written\"><x/></xsl:document>"),
    'redirect:write'                    => sheet("<redirect:write file=\"$dir/written\"><x/></redirect:write>"),
    'saxon:output'                      => sheet("<saxon:output file=\"$dir/written\"><x/></saxon:output>"),
    'an external entity'                => sheet('&x;', first => "<!DOCTYPE x [<!ENTITY x SYSTEM '$secret'>]>"),
    'an external entity of the network' => sheet('&x;', first => "<!DOCTYPE x [<!ENTITY x SYSTEM '$url/x'>]>"),
    'an external DTD'                   => sheet('x', first => "<!DOCTYPE x SYSTEM '$url/x.dtd'>"),
    'a parameter entity'                => sheet('x', first => "<!DOCTYPE x [<!ENTITY % p SYSTEM '$url/x'> %p;]>"),
    'a bomb of entities'                => sheet('&j;', first => $bomb),
    'a template that calls itself'      => sheet('<xsl:call-template name="loop"/>', rest => "$loop<xsl:call-template name=\"loop\"/></xsl:template>"),
    'a template that calls itself twice' => sheet('<xsl:call-template name="loop"/>', rest => "$loop<xsl:if test=\"string-length(\$s) &lt; 60\"><xsl:call-template name=\"loop\"><xsl:with-param name=\"s\" select=\"concat(\$s, 'x')\"/></xsl:call-template><xsl:call-template name=\"loop\"><xsl:with-param name=\"s\" select=\"concat(\$s, 'x')\"/></xsl:call-template></xsl:if></xsl:template>"),
    'apply-templates in a circle'       => sheet('<xsl:apply-templates select="." mode="m"/>', rest => '<xsl:template match="*" mode="m"><xsl:apply-templates select="." mode="m"/></xsl:template>'),
    'a function that calls itself'      => sheet('<xsl:value-of select="t:f(1)" xmlns:t="urn:t"/>', rest => '<func:function name="t:f" xmlns:t="urn:t"><xsl:param name="a"/><func:result select="t:f($a)"/></func:function>'),
    'a variable that is itself'         => sheet('<xsl:value-of select="$a"/>', rest => '<xsl:variable name="a" select="$b"/><xsl:variable name="b" select="$a"/>'),
    'attribute sets in a circle'        => sheet('<x xsl:use-attribute-sets="a"/>', rest => '<xsl:attribute-set name="a" use-attribute-sets="b"/><xsl:attribute-set name="b" use-attribute-sets="a"/>'),
    'import of itself'                  => sheet('x', head => '<xsl:import href="evil.xsl"/>'),
    'a string that doubles'             => sheet('<xsl:call-template name="loop"><xsl:with-param name="s" select="\'xxxxxxxxxx\'"/></xsl:call-template>', rest => "$loop<xsl:call-template name=\"loop\"><xsl:with-param name=\"s\" select=\"concat(\$s, \$s)\"/></xsl:call-template></xsl:template>"),
    'giant output'                      => sheet('<xsl:call-template name="loop"><xsl:with-param name="s" select="\'x\'"/></xsl:call-template>', rest => "$loop<x><xsl:value-of select=\"\$s\"/></x><xsl:if test=\"string-length(\$s) &lt; 900000\"><xsl:call-template name=\"loop\"><xsl:with-param name=\"s\" select=\"concat(\$s, \$s, \$s)\"/></xsl:call-template></xsl:if><xsl:for-each select=\"//node() | //\@*\"><xsl:for-each select=\"//node() | //\@*\"><xsl:for-each select=\"//node() | //\@*\"><xsl:value-of select=\"\$s\"/></xsl:for-each></xsl:for-each></xsl:for-each></xsl:template>"),
    'an expression without end'         => sheet('<xsl:value-of select="count(//node()[count(//node()[count(//node()[count(//node()[count(//node()[count(//node()[count(//node()[count(//node()) &gt; 0]) &gt; 0]) &gt; 0]) &gt; 0]) &gt; 0]) &gt; 0]) &gt; 0])"/><xsl:if test="count(str:tokenize(str:padding(3000000, \'a b \'))) &gt; 1"><xsl:for-each select="str:tokenize(str:padding(3000000, \'a b \'))"><xsl:value-of select="count(//node())"/><xsl:for-each select="str:tokenize(str:padding(3000000, \'a b \'))">x</xsl:for-each></xsl:for-each></xsl:if>'),
    'depth without end'                 => '<a>' x 100_000,
    'an attribute of many megabytes'    => sheet('<x a="' . 'x' x 80_000_000 . '"/>'),
    'messages without end'              => sheet('<xsl:call-template name="loop"/>', rest => "$loop<xsl:message><xsl:copy-of select=\"/\"/></xsl:message><xsl:call-template name=\"loop\"/></xsl:template>"),
);

# Runs `oai check FILE`: (status, output, seconds, peak megabytes).
sub try_out {
    my ($file) = @_;
    my $began = time;
    my $pid = start_program(["$r->{bin}/oai", '--config', $r->{ini}, 'check', $file], out => "$dir/output");
    my $most = 0;
    while (waitpid($pid, POSIX::WNOHANG()) == 0) {
        for ($pid, split ' ', slurp("/proc/$pid/task/$pid/children", '')) {   # the process that tries it
            my ($kilobytes) = slurp("/proc/$_/status", '') =~ /^VmHWM:\s+(\d+)/m;
            $most = $kilobytes if $kilobytes && $kilobytes > $most;
        }
        if (time - $began > 300) { kill 'KILL', $pid; waitpid $pid, 0; last }
        pace(0.02);
    }
    return (Process::status($?), slurp("$dir/output"), time - $began, $most / 1024);
}

my ($slowest, $biggest) = (0, 0);
for my $name (sort keys %attack) {
    my $file = spew("$drop/evil.xsl", $attack{$name});
    my ($status, $said, $seconds, $megabytes) = try_out($file);
    $slowest = $seconds if $seconds > $slowest;
    $biggest = $megabytes if $megabytes > $biggest;
    ok $status eq '1' && $said =~ /evil\.xsl/ && $said !~ /the secret|root:x:/ && $megabytes < MEGABYTES,
        sprintf '%s: refused (%.1f s, %.0f MB)', $name, $seconds, $megabytes or diag "status $status\n", substr $said, 0, 600;
}
note sprintf 'at most %.1f s, %.0f MB', $slowest, $biggest;
ok !IO::Select->new($net)->can_read(0), 'no network connection was made';
is join(' ', grep { -e } "$dir/written", "$drop/written.xsl", "$drop/new"), '', 'no file was written';

# A running server refuses it and keeps serving.
$r->start;
spew("$formats/evil.xsl", $attack{'a template that calls itself twice'});
my $refused = wait_until(sub { $r->log_text =~ /state=refused .*evil\.xsl/ });
ok $refused, 'a running server refuses it, too' or diag $r->log_text =~ s/.*event=request.*\n//gr;
like $r->ask('verb=ListRecords&metadataPrefix=oai_dc')->{body}, qr/<ListRecords>/, 'and keeps serving';
is $r->stop, 0, 'and stops with status 0';
done_testing;
