#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The administrator's tool as described in its manual page: its output, messages and exit status.
use TestProgram;

my $dir   = tempdir('oai-tool-XXXXXX', TMPDIR => 1, CLEANUP => 1);

sub oai { return run_apart("$build/release/oai", @_) }   # (status, stdout, stderr)

# Who runs what: the table of the manual page, and what each subcommand says.
{
    my ($table) = slurp("$root/deploy/man/oai.1") =~ /^\.Bl -tag -width "oai_publisher"[^\n]*\n(.*?)^\.El/ms;
    my %user;
    while ($table =~ /^\.It (\S+)\n(.*)$/mg) { my $who = $1; $user{$_} = $who for split /, /, $2 }
    my @listed = (oai('--help'))[1] =~ /^  ([a-z-]+) {2,}\S/mg;
    is("@{[sort keys %user]}", "@{[sort grep { exists $user{$_} } @listed]}", 'the manual page names subcommands that there are');
    for my $subcommand (@listed) {
        my ($help) = (oai($subcommand, '--help'))[1] =~ /^Run as: (\S+?),?(?: .*)?$/m;
        is($help, $user{$subcommand}, "oai $subcommand --help says who runs it, as the manual page does");
    }
}

{
    my $version = qr/1\.\d+(?:\.\d+)? \(commit (?:[0-9a-f]{12}|unknown)\), for PostgreSQL 15 or newer\n/;
    like((oai('--version'))[1], qr/^oai $version\z/, 'oai --version: version, commit, PostgreSQL');
    like((run_apart("$build/release/oai.fcgi", '--version'))[1], qr/^oai\.fcgi $version\z/, 'oai.fcgi --version as well');
}

my $empty = Database->new(schema => 0);
my ($status, $out, $err) = oai('schema', '--connection', $empty->conninfo);
is($status, 1, 'a database without schema: status 1');
like("$out$err", qr/^core\tmissing$/m, 'and it says what is missing');
($status, $out, $err) = oai('schema', 'install', '--connection', $empty->conninfo, '--model', 'webarchiv');
is($status, 0, 'schema install') or diag $err;
($status, $out) = oai('schema', '--connection', $empty->conninfo);
is($status, 0, 'afterwards the schema is complete');
like($out, qr/^release\t[\d.]+\t\S+Z\nmodel\twebarchiv\ndefinitions\tcurrent\n\z/, 'and it says of which release, and that nothing is foreign');
is((oai('schema', 'install', '--connection', $empty->conninfo))[0], 0, 'installing again does nothing');
$empty->run("update oai.schema_version set checksum = 'x' where file = 'core/read.sql'");
($status, $out, $err) = oai('schema', '--connection', $empty->conninfo);
is($status, 1, 'definitions that differ from those of the program are to be applied');
like("$out$err", qr{^core/read\.sql\tdiffers$}m, 'and their file is named');

my $db = Database->new(schema => 0);
oai('schema', 'install', '--connection', $db->conninfo, '--model', 'webarchiv');
$db->run("insert into webarchiv.domain (name) values ('cz:example')",
    "insert into webarchiv.doc (archived_time, id_domain, url, surt) select '2007-01-01', id, 'http://example.cz/', 'cz,example)/' from webarchiv.domain where name = 'cz:example'");
my $ini = write_ini("$dir/oai.ini", $db, lists => {records => 1});

is((oai('--config', $ini, 'get', 'verb=ListSets'))[0], 1, 'before the first numbering the answer is not 200');
($status, $out, $err) = oai('--config', $ini, 'publish', '--once');
is($status, 0, 'publish --once') or diag $err;
is($db->value('select count(*) from oai.item where seq is not null'), 1, 'it publishes the existing item');
($status, $out, $err) = oai('--config', $ini, 'get', 'verb=GetRecord&identifier=oai:example.org:1&metadataPrefix=oai_dc');
is($status, 0, 'get') or diag $err;
like($out, qr{<dc:identifier>http://example\.cz/</dc:identifier>}, 'answers as the server would');
($status, $out) = oai('--config', $ini, 'get', '--headers', 'verb=Identify');
like($out, qr{^Status: 200\b.*?^Content-Type: text/xml; charset=UTF-8}ms, '--headers prints the headers');
($status, $out, $err) = oai('--config', $ini, 'check', '--offline');
is($status, 0, 'check finds nothing') or diag "$out$err";
$db->run('update oai.set_chunk set seqs = seqs || 77 where set_id = (select min(set_id) from oai.set_chunk)');
($status, $out, $err) = oai('--config', $ini, 'check');
is($status, 1, 'check finds a position that no item has');
like("$out$err", qr/oai\.set_chunk: set \d+: its chunks have 2 numbers, its items 1 \[OAI-\d+\]$/m, 'and names the set, and how many');

($status, $out) = oai('--config', $ini, 'get', 'verb=ListIdentifiers&metadataPrefix=oai_dc');
unlike($out, qr/resumptionToken/, 'a list of one page has no token');
$db->run("insert into webarchiv.doc (archived_time, url, surt) values ('2008-01-01', 'http://b/', 'b')");
oai('--config', $ini, 'publish', '--once');
($status, $out) = oai('--config', $ini, 'get', 'verb=ListIdentifiers&metadataPrefix=oai_dc');
my ($token) = $out =~ m{<resumptionToken[^>]*>([^<]+)<};
($status, $out) = oai('--config', $ini, 'token', $token);
is($status, 0, 'oai token decodes a resumptionToken');
like($out, qr/^verb: ListIdentifiers\n.*^cursor: 1\n.*^completeListSize: 2\n/ms, 'and prints its contents');
($status, $out, $err) = oai('--config', $ini, 'token', substr $token, 1);
is($status, 1, 'a token that was not issued by this repository: status 1');
my ($id) = $err =~ /^oai: token: not sealed .* \[(OAI-\d{4})\]$/m;
ok($id, 'with the id of this error') or diag $err;
# An error is explained by its id and by its words, in the words of symptoms.md.
is((oai('explain', $id))[1], $out = (oai('explain', $err))[1], 'oai explain takes the id, or the message');
like($out, qr/^\Q$id\E: .*\nit means: .*\ndo: .*`oai token TOKEN`/, 'and says what it means and what to do');
my @lines = grep { /^\| OAI-/ } split /\n/, slurp("$root/deploy/manual/symptoms.md");
is(scalar(() = (oai('explain'))[1] =~ /^OAI-\d{4}: /mg), @lines, 'without it, all are listed');
like((oai('explain', $lines[-1] =~ /(OAI-\d{4})/))[1], qr/^do: /m, 'to the last');
($status, undef, $err) = oai('explain', 'OAI-0000');
is("$status $err", "2 oai: explain: not known; `oai explain` lists what is [OAI-1501]\n", 'an id that is none');

($status, $out, $err) = oai('frobnicate');
is($status, 2, 'an unknown subcommand: status 2');
done_testing;
