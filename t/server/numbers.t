#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Publication numbers go on beyond 2^31 and 2^32 (schema/core/chunks.sql): repositories that begin shortly before give out the
# same lists, sets and tokens as any other.
use TestProgram;
use HarvestedRepository;
use ParallelSubtests;

# Lists in pages of 20, so that a token stands on either side of the limit.
sub beyond {
    my ($limit) = @_;
    my $r = HarvestedRepository->new(documents => 300, numbers_after => $limit - 150, slice => 100, install => 1);
    my $db = $r->{db};
    is $db->value('select string_agg(seq::text, $$ $$ order by seq) from oai.item where id in (1, 100, 101, 300)'),
        join(' ', $limit - 149, $limit - 50, $limit, $limit + 199), 'a slice that does not fit below the limit begins there';
    $r->start;
    $r->remember;
    $r->check_harvest('ListRecords', $r->harvest('ListRecords'), meets => {}, may_pass_unseen => 1);
    for my $set ('dom:cz', 'mim:image:png') {
        my ($got, $report) = $r->harvest('ListIdentifiers', set => $set, from => '2020-01-03', until => '2020-01-09', each_page => sub { });
        is_deeply $got, $r->published("datestamp >= '2020-01-03Z' and datestamp < '2020-01-10Z'
                                       and set_ids && (select array_agg(id) from oai.set where spec like '$set%')"), "$set, some days";
        cmp_ok scalar(keys %$got), '>', 40, 'dozens of records';
        cmp_ok $report->{pages}, '>', 2, 'by several tokens';
    }

    # Records from below the limit move beyond it; what is left there is merged, but not with chunks from beyond.
    $db->run('update webarchiv.doc set status = 301 where id % 3 = 1', 'select oai.publish(100000)');
    $db->run('update webarchiv.doc set status = 302 where id % 3 = 2', 'select pg_sleep(1.1)', 'select oai.publish(100000)', 'select pg_sleep(1.1)', 'select oai.publish(100)');
    $r->remember;
    $r->check_harvest('after changes', $r->harvest('ListRecords'), meets => {}, may_pass_unseen => 1);
    my ($status, $said) = $r->oai('check', '--offline');
    is $status, 0, 'oai check finds nothing, numbers run out nowhere' or diag $said;
    unlike $said, qr/number|publications/, 'nor warns of it';
    is $r->stop, 0, 'the server stops cleanly';
}

parallel_subtests(
    'beyond 2^31' => sub { beyond(2**31) },
    'beyond 2^32' => sub { beyond(2**32) },
);
done_testing;
