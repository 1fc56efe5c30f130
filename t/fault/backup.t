#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Dump and restore (deploy/RUNBOOK.md, Backup) under a running server with a harvest in flight: tokens, datestamps, epoch and
# rights are as they were; what changes afterwards comes later than all that harvesters have. And an older dump: tokens of
# lists that have shown what is lost are refused, and what is loaded anew is met again.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Served;
use Test::More;

my $r = Served->new(cluster => 1, documents => 300);
my $db = $r->{db};
my $cluster = $ENV{OAI_TEST_DB};
my ($name) = $db->conninfo =~ /dbname=(\S+)/;
my $dump = "$r->{dir}/dump";
sub dump_all { return system('pg_dump', '-Fc', '-C', '-f', $dump, '-d', $db->conninfo) == 0 }
sub restore {
    Database::psql($cluster, '-c', "drop database $name with (force)");
    Served::pause(0.5);
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
ok dump_all(), 'pg_dump beside the server';
$r->in_flight('the database is dropped and restored', sub { return Served::later(0, sub { restore() or die 'pg_restore' }) });
is state_of(), $before, 'horizon, numbers and epoch are as they were';
is page_of($token), $page, 'a token from before gives the same page';
is $db->value("select count(*) from oai.check_chunks()") + $db->value("select count(*) from oai.check_calendar()"), 0, 'chunks and calendar are sound';
like eval { Database::psql($db->conninfo('oai_reader'), '-c', 'create temporary table stray (a integer)'); 'done' } // $@,
    qr/permission denied/, 'the rights are as they were, those on the database too';

my ($from) = $r->ask('verb=Identify')->{body} =~ m{<responseDate>(.*?)<};
$db->run("update webarchiv.doc set status = 404 where id = 7");
$db->publish;
ok Served::within(5, sub { "@{ since($from) }" eq '7' }), 'a change after it is met by who harvests from the last responseDate' or diag "@{ since($from) }";

# Older than what harvesters have.
my ($seq) = $db->value('select last_seq from oai.horizon');
my $later = token('verb=ListRecords&metadataPrefix=oai_dc');
ok restore(), 'an older dump is restored';
is state_of(), $before, 'with the state that it had';
$db->run("update webarchiv.doc set status = 404 where id = 7");
$db->publish;
like $r->ask("verb=ListRecords&resumptionToken=$later")->{body}, qr/badResumptionToken/, 'tokens of a list that is no more are refused from the next publication on';
is page_of($token), $page, 'one from before the dump goes on';
cmp_ok $db->value('select last_seq from oai.horizon'), '>=', $seq, 'what happened since is loaded again';
ok Served::within(5, sub { "@{ since($from) }" eq '7' }), 'and met by who harvests from the last responseDate';
is $r->stop, 0, 'the server stops in order';
done_testing;
