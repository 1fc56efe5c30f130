#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What a writer or an owner of the tables may do to a running repository beyond what t/server/protection.t refuses: lock whole
# tables, plant functions, play with the settings that the triggers use. Harvesters must get an answer,
# no change may be lost in silence, and `oai check` must name what only an administrator can put right.
use TestProgram;

my $db = Database->new(model => 'webarchiv');
$db->run("insert into webarchiv.doc (archived_time, url, surt) select '2007-01-01', 'http://a/' || n, 'a)/' || n from generate_series(1, 500) n");
my $r = Repository->new(db => $db, ini => {lists => {records => 50}, database => {max_wait_milliseconds => 1000}});
is +($r->oai('publish', '--once'))[0], 0, 'published';
$r->start;
my $conninfo = $db->conninfo('oai_loader');

# What check says of rights and triggers; the schema here was not installed by `oai schema install`, as it also says.
sub findings { return join "\n", grep { /^oai: (?:rights|triggers):/ } split /\n/, ($r->oai('check'))[1] }

subtest 'a table is locked as a whole' => sub {
    my $token = $r->ask('verb=ListRecords&metadataPrefix=oai_dc')->{body} =~ m{<resumptionToken[^>]*>([^<]+)<} ? $1 : BAIL_OUT('no token');
    my $holder = $db->session;
    $holder->send('begin');
    $holder->send('lock table webarchiv.doc in access exclusive mode');
    my $asks = "verb=ListRecords&resumptionToken=$token";
    my $enough = "$r->{dir}/enough";
    my @clients = map { later(sub { $r->ask($asks) while !-e $enough }) } 1 .. 24;
    ok wait_until(sub { $db->value("select count(*) from pg_stat_activity where datname = current_database() and usename = 'oai_reader' and wait_event_type = 'Lock'") >= 4 }),
        'all connections wait for it';
    my $answer = $r->ask('verb=ListRecords&metadataPrefix=oai_dc');
    is $answer->{status}, 503, 'a list is answered 503';
    cmp_ok $answer->{headers}{'retry-after'} // 0, '>', 0, 'with Retry-After';
    is $r->ask('verb=Identify')->{status}, 200, 'Identify is answered' for 1 .. 3;
    spew($enough, '');
    waitpid $_, 0 for @clients;
    is $r->ask($asks)->{status}, 503, 'a list that nobody else competes with, too';
    $holder->send('rollback');
    $holder->finish;
    is $r->ask($asks)->{status}, 200, 'afterwards the list goes on';
};

subtest 'settings of the triggers' => sub {
    my $writer = $db->session;
    my $touch = sub { "update webarchiv.doc set status = coalesce(status, 0) + 1 where id = $_[0]" };
    $writer->send('begin');
    $writer->send("select set_config('oai.batch', '1', true)");
    $writer->send($touch->(1));
    $writer->send('savepoint s');
    $writer->send($touch->(2));
    $writer->send('rollback to s');
    $writer->send($touch->(3));
    $writer->send('commit');
    $writer->send("select set_config('oai.batch', '99999999', false)");
    $writer->send($touch->(4));
    $writer->send("select set_config('oai.publisher', 'on', false)");
    $writer->send($touch->(5));
    $writer->send("select set_config('oai.publisher', 'tombstones', false)");
    $writer->send($touch->(6));
    $writer->finish;
    my $last = $db->value('select last_seq from oai.horizon');
    is +($r->oai('publish', '--once'))[0], 0, 'published';
    is join(' ', map { $_->[0] } $db->rows("select id from oai.item where seq > $last order by 1")), '1 3 4 5 6', 'every change that was committed is published';
};

subtest 'functions that our statements would call' => sub {
    is findings(), '', 'check finds nothing';
    $db->run('grant create on schema public to oai_loader');
    Database::psql($conninfo, '-c', 'create function public.cardinality(integer[]) returns integer language plpgsql as $$ begin
        raise exception $x$planted$x$; end $$');
    like findings(), qr/schema public: oai_loader may create functions there.*revoke create on schema public from oai_loader/,
        'check finds a schema where a writer may create functions, and says how to close it';
    $db->run('drop function public.cardinality(integer[])', 'revoke create on schema public from oai_loader');
};

done_testing();
