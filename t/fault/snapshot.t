#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# An older copy of the whole database directory is put back: the same cluster, the same timeline, the same database. A list
# that has shown what was lost must be refused, also when the lost numbers have been given out again, since a record that an
# update had moved to the end of the list is back at a place that the list has passed. All other lists go on.
use TestProgram;
use HarvestedRepository;

my $r = HarvestedRepository->new(cluster => 1, documents => 300, ini => {lists => {records => 100}});
my $data = "$r->{dir}/pg/pgdata";
my $db = $r->{db};
$r->start;
my $list = 'verb=ListIdentifiers&metadataPrefix=oai_dc';

sub token_of { my ($body) = @_; return $body =~ m{<resumptionToken[^>]*>([^<]+)<} ? $1 : '' }
sub ids { my ($body) = @_; return $body =~ m{<identifier>oai:example\.org:(\d+)<}g }
sub answer { my ($query) = @_; my $answer; wait_until(sub { ($answer = $r->ask($query))->{status} eq '200' }); return $answer->{body} }
sub next_page { my ($token) = @_; return answer("verb=ListIdentifiers&resumptionToken=$token") }
sub error_of { my ($body) = @_; return $body =~ /<error code="(\w+)"/ ? $1 : 'none' }

my $untouched = token_of(answer($list));    # of a list that has shown nothing of what is lost later
$r->pg_ctl('stop', '-m', 'fast') or die;
system('cp', '-a', $data, "$data-copy") == 0 or die;
$r->pg_ctl('start') or die;
# Not within the second of the last publication, whose datestamp would then be given out twice: nobody is as quick. What a server
# reads ahead for the next page is forgotten after a second, too.
sub put_back {
    my $now = $db->value('select clock_timestamp()');
    wait_until(sub { $db->value("select clock_timestamp() > greatest(h + interval '1 second', '$now') + interval '1.5 seconds' from oai.horizon") eq 't' }) or die;
    $r->pg_ctl('stop', '-m', 'fast') or die;
    system("rm -rf $data && cp -a $data-copy $data") == 0 or die;
    $r->pg_ctl('start') or die;
    return;
}

$db->run("update webarchiv.doc set status = 404 where id = 5");
$db->publish;
my $shown = $db->value('select h from oai.horizon');
my $first = answer($list);
is_deeply [(ids($first))[0 .. 4]], [1 .. 4, 6], 'the list begins after its fifth record has moved to its end';
my $second = next_page(token_of($first));
my $seen = token_of($second);

subtest 'the copy is put back' => sub {
    put_back();
    is answer($list) =~ /<identifier>oai:example\.org:5</ ? 'back' : 'gone', 'back', 'the fifth record is where it was';
    ok wait_until(sub { $db->publish; $db->value("select h > '$shown' from oai.horizon") eq 't' }), 'the clock has passed what was shown';
    is error_of(next_page($seen)), 'badResumptionToken', 'the list that has passed its place is refused';
    is error_of(my $page = next_page($untouched)), 'none', 'a list from before goes on';
    is scalar(my @all = ids($page)), 100, 'with a whole page';
};

subtest 'the lost numbers are given out again' => sub {
    put_back();
    $db->run("update webarchiv.doc set status = 404 where id between 10 and 60");
    $db->publish;
    cmp_ok $db->value('select last_seq from oai.horizon'), '>', 301, 'to other records';
    is error_of(next_page($seen)), 'badResumptionToken', 'the list is refused all the same';
    my ($got, $said) = $r->harvest('ListIdentifiers');
    is_deeply $got, $r->published('true'), 'a harvest from the beginning receives exactly what is published';
    is "@{ $said->{wrong} }", '', 'without an error';
    is error_of(next_page($untouched)), 'none', 'the list from before still goes on';
};
$r->stop;
done_testing();
