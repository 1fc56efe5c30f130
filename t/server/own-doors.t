#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Items of mapped tables beside what comes by other doors, and rows that no item can hold.
use FindBin;
use lib "$FindBin::Bin/../lib";
use OwnTables;
use TestProgram;

subtest 'one bad row in a page' => sub {
    begin('bad', 'create schema mag', 'create table mag.article (id integer primary key, title text, doi text)',
        "insert into mag.article select n, 'T' || n, '10.5555/' || n from generate_series(1, 1000) n", "update mag.article set doi = 'none' where id = 437",
        'create sequence mag.writes', 'create function mag.count() returns trigger language plpgsql as $$ begin perform nextval(\'mag.writes\'); return null; end $$',
        'create trigger count before insert on library.item for each statement execute function mag.count()');
    like mapped('oai map', '--table', 'mag.article', '--key', 'id', '--title', 'title', '--column', 'doi=doi', $map), qr/^mag\.article: 999 items, .*\n1 rows are no items/m, '  leaves it out';
    cmp_ok $db->value("select last_value from mag.writes"), '<=', 2 * 10 + 1, '  and the page is written by halves';
    like scalar oai('map', '--check'), qr/^oai:mag\.example:437\tis no item: .*doi/m, '  and the row is named';
};

# The owner drops the constraint, brings a second row with a key, and changes the type of its column.
subtest 'a new type of the key where two rows share one' => sub {
    begin('twins', 'create schema mag', 'create table mag.article (id integer, title text)', "insert into mag.article select n, 'T' || n from generate_series(1, 3) n",
        'create view mag.shown as select * from mag.article');
    spew($map, "[items]\ntable = mag.shown\nkey = id\nchanges = poll\n[columns]\ntitle = title\n");
    mapped('a view', $map);
    publish();
    $db->run("insert into mag.article values (2, 'Twin')", 'drop view mag.shown', 'create view mag.shown as select id::bigint, title from mag.article');
    mapped('the same with another type', $map);
    publish();
    is harvest(), '1 T1 [] (), 2 T2 [] (), 3 T3 [] ()', 'what harvesters have of the two rows stays';
    like scalar oai('map', '--check'), qr/^oai:mag\.example:2\tshares its key with other rows/m, '  and they are named';
};
undef $db;
done_testing();
