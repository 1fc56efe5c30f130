#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The table of set chunks stays small while items change: at most 1.5 times what full chunks in full pages take, after half of a
# repository has changed, with plain VACUUMs such as autovacuum's. Environment: OAI_PACKING_DOCUMENTS (40000).
use RandomChanges;
use TestProgram;

my $documents = $ENV{OAI_PACKING_DOCUMENTS} // 40_000;
my $db = hurried();
my $session = $db->session;   # one connection, as the publisher has it
$session->send("set synchronous_commit = off");

sub publish { my ($slice) = @_; my ($n) = $session->send("select published from oai.publish($slice)"); return $n }
# How many times larger than full chunks in full pages (change_at_random in t/bench/lib.sh): the table, and what is in it.
sub ratios {
    my ($row) = $db->rows('select round(pg_relation_size(\'oai.set_chunk\') / bytes, 2), round(kept / bytes, 2), pages, seqs
        from (select sum(item_count) * 4 + sum((item_count + 127) / 128) * 72 as bytes, sum(item_count) as seqs from oai.set) s,
             (select sum(cardinality(k.seqs)) * 4 + count(*) * 72 as kept from oai.set_chunk k) k,
             (select pg_relation_size(\'oai.set_chunk\') / 8192 as pages) p');
    return @$row;
}

$db->run("insert into webarchiv.domain (name) select tld || ':' || i || ':www' from unnest('{cz,sk,org}'::text[]) tld, generate_series(1, 40) i",
    "insert into webarchiv.mimetype (name) values ('text:html'), ('image:gif'), ('image:png')",
    "insert into webarchiv.doc (archived_time, id_domain, id_mimetype, url, surt)
     select '2007-01-01', d[1 + i % 120], m[1 + i % 3], 'http://a/' || i, 'a)/' || i
     from generate_series(1, $documents) i, (select array_agg(id) as d from webarchiv.domain where name like '%:www') d,
          (select array_agg(id) as m from webarchiv.mimetype where name like '%:%') m");
1 while publish(20_000);
note sprintf 'filled: the table takes %.2f of the ideal, what is in it %.2f', (ratios())[0, 1];

my $largest = 0;
for my $part (1 .. 10) {
    $db->run("update webarchiv.doc set length = coalesce(length, 0) + 1 where id % 20 = (7 * $part) % 20");
    1 while publish(10_000);
    $db->run('vacuum oai.set_chunk') if $part % 5 == 0;
    my ($table) = ratios();
    $largest = $table if $table > $largest;
}
note sprintf 'half has changed: the table takes %.2f of the ideal (%.2f at most), what is in it %.2f', (ratios())[0], $largest, (ratios())[1];

# The publisher idles, and autovacuum comes now and then.
my $rounds = 0;
for my $vacuum (1 .. 6) {
    for (1 .. 60) { publish(10_000); $rounds++ }
    my $vacuums = "select vacuum_count from pg_stat_user_tables where relid = 'oai.set_chunk'::regclass";
    my $before = $db->value($vacuums);
    $db->run('vacuum oai.set_chunk');
    wait_until(sub { $db->value($vacuums) > $before });   # PostgreSQL tells of a VACUUM a second later
    note sprintf '%d rounds: the table takes %.2f of the ideal, what is in it %.2f', $rounds, (ratios())[0, 1];
}
my ($table, $content, $pages) = ratios();
cmp_ok $content, '<=', 1.25, 'what is in the chunks takes at most 1.25 of the ideal';
cmp_ok $table, '<=', 1.5, "the table takes at most 1.5 of the ideal ($pages pages)";
is $db->value('select count(*) from oai.check_chunks()'), 0, 'the chunks are consistent';
my $rows = q{select md5(string_agg(concat_ws(' ', set_id, first_seq, xmin, ctid), ',' order by set_id, first_seq)) from oai.set_chunk};
my $before = $db->value($rows);
publish(10_000) for 1 .. 20;
is $db->value($rows), $before, 'a publisher that has nothing to do writes no chunks';
$session->finish;
done_testing;
