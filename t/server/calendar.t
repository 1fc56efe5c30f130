#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What oai.check_calendar() says of made-up damage: it reports something whenever oai.seq_before() does not find a datestamp where
# it begins, whatever was taken out of oai.calendar or moved in it, and nothing of what the publisher has written.
# Environment: OAI_CALENDAR_ROUNDS (300), OAI_SEED.
use RandomChanges;
use TestProgram;

my $rounds = $ENV{OAI_CALENDAR_ROUNDS} // 300;
my $db = Database->new(model => 'webarchiv');
# Days of one item to fifty, so that some lie within 16 numbers and others do not.
$db->run("select setseed(0.1)", "insert into webarchiv.doc (datestamp, url, surt, archived_time)
    select timestamptz '2001-01-01Z' + floor(power(random(), 2) * 200) * interval '1 day', 'http://x/' || i, 'x)/' || i, '2019-01-01Z'
    from generate_series(1, 3000) i");
1 while $db->publish(500);
# Some have changed since: their numbers are gone from where they were.
$db->run("update webarchiv.doc set length = 7 where id % 5 = 0 or id between 1000 and 1100");
1 while $db->publish(500);
my $session = $db->session;
sub number { my ($n) = $session->send($_[0]); return $n }
my $problems = 'select count(*) from oai.check_calendar()';
my $not_found = 'select count(*) from
    (select i.seq, i.datestamp, lag(i.seq, 1, 0::bigint) over w as last, lag(i.datestamp) over w as previous
     from oai.item i where i.seq > 0 window w as (order by i.seq)) b, oai.horizon o, oai.seq_before(b.datestamp, o.last_seq) f(found)
    where b.datestamp is distinct from b.previous and f.found not between b.last and b.seq - 1';
is number($problems), 0, 'the publisher writes a right one';
is number($not_found), 0, 'in which all is found';

my $any = '(select datestamp from oai.calendar order by md5(concat(datestamp, %s)) limit 1)';
my @damages = ("delete from oai.calendar where datestamp = $any", "update oai.calendar set before = before + 1 + %s %% 40 where datestamp = $any",
    "update oai.calendar set before = greatest(0, before - 1 - %s %% 40) where datestamp = $any",
    "update oai.calendar set datestamp = datestamp + interval '1 s' * (1 + %s %% 200000) where datestamp = $any",
    "update oai.calendar set datestamp = datestamp - interval '1 s' * (1 + %s %% 200000) where datestamp = $any",
    "insert into oai.calendar select timestamptz '2001-01-01Z' + %s %% 200 * interval '1 day', %s %% 3000 on conflict do nothing",
    'delete from oai.calendar');
my ($reported, $overlooked, $harmless) = (0, 0, 0);
for my $round (1 .. $rounds) {
    my $damage = $damages[$round == 1 ? -1 : rand $#damages];
    my $number = int rand 1e6;
    $damage =~ s/%s/$number/g;
    $damage =~ s/%%/%/g;
    $session->send('begin');
    $session->send($damage);
    my ($found, $wrong) = (number($problems), number($not_found));
    $session->send('rollback');
    $found ? $reported++ : $wrong ? $overlooked++ : $harmless++;
    diag "overlooked: $damage" if !$found && $wrong;
}
is $overlooked, 0, 'every damage that misleads a harvester is reported';
cmp_ok $reported, '>', $rounds / 3, "of $rounds damages, $reported were reported, $harmless do no harm";
done_testing();
