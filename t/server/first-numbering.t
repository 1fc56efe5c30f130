#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The first numbering of a repository whose items come with datestamps, among them some that OAI-PMH cannot say: they get
# the datestamp of their publication, all others keep theirs, and every list can be read.
use TestProgram;

my $db = Database->new(model => 'webarchiv');
my @brought = ('2005-06-07Z', '-infinity', '0044-03-15 12:00Z BC', '0001-01-01Z', '9999-12-31Z', 'infinity', '2004-01-01Z');
my $values = join ', ', map { "($_, timestamptz '$brought[$_ - 1]')" } 1 .. @brought;
$db->run("insert into webarchiv.doc (id, datestamp, url, surt, archived_time) select n, d, 'http://x/' || n, 'x)/' || n, '2019-01-01Z' from (values $values) v(n, d)");
my $before = time;
1 while $db->publish(3);
my $r = Repository->new(db => $db);
$r->start;

my $body = $r->ask('verb=ListRecords&metadataPrefix=oai_dc')->{body};
my %datestamp = $body =~ m{<identifier>oai:example\.org:(\d+)</identifier><datestamp>(.*?)</datestamp>}g;
is scalar(keys %datestamp), scalar(@brought), 'all records are listed' or diag $body;
is "@datestamp{4, 7, 1}", '0001-01-01T00:00:00Z 2004-01-01T00:00:00Z 2005-06-07T00:00:00Z', 'datestamps that OAI-PMH can say are kept';
my $now = substr $db->value("select to_char(to_timestamp($before) at time zone 'UTC', 'YYYY-MM-DD')"), 0, 8;
like $datestamp{$_}, qr/^\Q$now\E/, "the item that came with $brought[$_ - 1] gets that of its publication" for 2, 3, 5, 6;
is join(' ', map { $_->[0] } $db->rows('select id from oai.item order by seq limit 3')), '4 7 1', 'the list begins with those that keep theirs, in their order';
is $r->ask('verb=Identify')->{body} =~ m{<earliestDatestamp>(.*?)<} ? $1 : 'none', '0001-01-01T00:00:00Z', 'earliestDatestamp can be said, too';
is $db->value('select count(*) from oai.check_calendar()'), 0, 'the calendar is right';
done_testing();
