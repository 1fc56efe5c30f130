#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Dumps and restores the database (deploy/manual/backup.md) while the server runs and a harvest is in progress. Tokens,
# datestamps, epoch and permissions must be restored as they were, and later changes must be published after everything that
# harvesters already hold. Then restores a dump that is older than what harvesters have seen: tokens of lists that showed records
# which the dump lacks must be refused, and records that are loaded again must be harvested again.
use TestProgram;
use HarvestedRepository;

my $r = HarvestedRepository->new(cluster => 1, documents => 300);
my $db = $r->{db};
my $cluster = $ENV{OAI_TEST_DB};
my ($name) = $db->conninfo =~ /dbname=(\S+)/;
my $dump = "$r->{dir}/dump";
sub dump_all { return system('pg_dump', '-Fc', '-C', '-f', $dump, '-d', $db->conninfo) == 0 }
sub restore {
    my ($meanwhile) = @_;
    Database::psql($cluster, '-c', "drop database $name with (force)");
    $meanwhile->() if $meanwhile;
    return system('pg_restore', '-C', '-d', $cluster, $dump) == 0;
}
sub state_of { return join ' ', map { $_ // '' } map { @$_ } $db->rows('select last_seq, epoch, h, item_count from oai.horizon') }
sub token { my ($query) = @_; return $r->ask($query)->{body} =~ m{<resumptionToken[^>]*>([^<]+)<} ? $1 : die "no token: $query\n" }
sub since { my ($from) = @_; return [$r->ask("verb=ListIdentifiers&metadataPrefix=oai_dc&from=$from")->{body} =~ m{<identifier>oai:example.org:(\d+)<}g] }

sub page_of {
    my $body = $r->ask("verb=ListRecords&resumptionToken=$_[0]")->{body};
    $body =~ s{<responseDate>.*?</responseDate>}{};
    $body =~ s{ expirationDate="[^"]*"}{};
    return $body =~ s{(<resumptionToken[^>]*>)[^<]*}{$1}r;
}

$r->start;
$r->remember;
my $before = state_of();
my $token = token('verb=ListRecords&metadataPrefix=oai_dc&set=dom:cz');
my $page = page_of($token);
ok dump_all(), 'pg_dump succeeds while the server runs';
my $met = sub { wait_until(sub { substr($r->log_text, $r->{log_offset}) =~ /event=request .* status=503 / }) };
# While pg_restore is at it, tables are missing, and the server may say that the repository is out of order.
$r->in_flight('the database is dropped and restored', sub { return later(sub { restore($met) or die 'pg_restore' }) }, meets => {503 => 1, 500 => 1});
is state_of(), $before, 'publication numbers, epoch, horizon and item count are restored';
is page_of($token), $page, 'a token issued before the restore returns the same page';
is $db->value("select count(*) from oai.check_chunks()") + $db->value("select count(*) from oai.check_calendar()"), 0, 'the set chunks and the calendar are consistent';
like eval { Database::psql($db->conninfo('oai_reader'), '-c', 'create temporary table stray (a integer)'); 'done' } // $@,
    qr/permission denied/, 'permissions are restored, including those on the database itself';

my ($from) = $r->ask('verb=Identify')->{body} =~ m{<responseDate>(.*?)<};
$db->run("update webarchiv.doc set status = 404 where id = 7");
$db->publish;
ok wait_until(sub { "@{ since($from) }" eq '7' }), 'a change after the restore is delivered to a harvest from the last responseDate' or diag "@{ since($from) }";

# A dump that is older than what harvesters have received.
my ($seq) = $db->value('select last_seq from oai.horizon');
my $later = token('verb=ListRecords&metadataPrefix=oai_dc');
ok restore(), 'an older dump is restored';
is state_of(), $before, 'with the state that was dumped';
$db->run("update webarchiv.doc set status = 404 where id = 7");
$db->publish;
like $r->ask("verb=ListRecords&resumptionToken=$later")->{body}, qr/badResumptionToken/, 'tokens of a list that no longer exists are refused from the next publication on';
is page_of($token), $page, 'a token from before the dump remains valid';
cmp_ok $db->value('select last_seq from oai.horizon'), '>=', $seq, 'the publication numbers reach those used before the restore';
ok wait_until(sub { "@{ since($from) }" eq '7' }), 'and the change is delivered to a harvest from the last responseDate';
is $r->stop, 0, 'the server stops cleanly';
done_testing;
