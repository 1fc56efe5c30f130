#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Items of mapped tables beside what comes by other doors, and rows that no item can hold.
use FindBin;
use lib "$FindBin::Bin/../lib";
use OwnTables;
use StaticWeb;
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

# There are two walks, through the table and through the items that came from it; each is walked once.
subtest 'a look at all where rows have gone' => sub {
    begin('look', 'create schema mag', 'create table mag.article (id integer primary key, title text)', "insert into mag.article select n, 'T' || n from generate_series(1, 40) n",
        'create sequence mag.reads', "create view mag.shown as select id, title from mag.article where nextval('mag.reads') > 0", 'grant usage on schema mag to public', 'grant usage on mag.reads to public');
    spew($map, "[items]\ntable = mag.shown\nkey = id\nchanges = poll\n[columns]\ntitle = title\n");
    mapped('a view', $map);
    $db->run('delete from mag.article where id > 37', "select setval('mag.reads', 1)");
    mapped('once more', '--rows', 3, $map);
    cmp_ok $db->value('select last_value from mag.reads'), '<=', 5 * 40, '  each row is read a few times';
    is $db->value('select count(*) from library.mapped where not gone'), 37, '  and what has gone is not there';
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
# A file and another repository bring records with the identifiers of mapped items.
subtest 'what comes by other doors' => sub {
    begin('doors', @magazine);
    mapped('oai map', @options, $map);
    publish();
    my $mapped = '10.5555/a One [section:News] (First; Second), 10.5555/b Two [section:Letters] (Third)';
    spew("$dir/items.csv", "local_id,title\n10.5555/a,Hacked\nown,Own\n");
    my ($status, $words) = oai('load', "$dir/items.csv");
    is "$status $words", "1 $dir/items.csv:10.5555/a: is a row of a table that oai map follows, and is changed there\n"
        . "loaded $dir/items.csv: 1 records (1 inserted, 0 updated, 0 unchanged), 0 passed over, 1 damaged\n", 'a file: the record is refused in words';
    publish();
    is harvest(), "$mapped, own Own [] ()", '  and the others are loaded';
    my $web = StaticWeb->new;
    my %uri = (static => 'http://www.openarchives.org/OAI/2.0/static-repository', oai => 'http://www.openarchives.org/OAI/2.0/', dc => 'http://www.openarchives.org/OAI/2.0/oai_dc/');
    my $url = 'http://127.0.0.1:' . $web->{port} . '/r.xml';
    $web->put('r.xml', "<Repository xmlns='$uri{static}' xmlns:o='$uri{oai}'><Identify><o:repositoryName>R</o:repositoryName><o:baseURL>$url</o:baseURL><o:protocolVersion>2.0</o:protocolVersion>"
        . '<o:adminEmail>a@b.example</o:adminEmail><o:earliestDatestamp>2002-09-19</o:earliestDatestamp><o:deletedRecord>no</o:deletedRecord><o:granularity>YYYY-MM-DD</o:granularity></Identify>'
        . "<ListMetadataFormats><o:metadataFormat><o:metadataPrefix>oai_dc</o:metadataPrefix><o:schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</o:schema><o:metadataNamespace>$uri{dc}</o:metadataNamespace></o:metadataFormat></ListMetadataFormats>"
        . '<ListRecords metadataPrefix="oai_dc">' . join('', map { "<o:record><o:header><o:identifier>oai:r.example:$_</o:identifier><o:datestamp>2002-09-19</o:datestamp></o:header><o:metadata><d:dc xmlns:d='$uri{dc}' xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title>From there</dc:title></d:dc></o:metadata></o:record>" } 1, 2)
        . '</ListRecords></Repository>');
    $db->run("insert into mag.article values (9, 'r/oai:r.example:1', 'Nine', null)");
    publish();
    ($status, $words) = oai('repository', 'add', 'r', $url);
    is $status, 0, 'a repository' or diag $words;
    ($status, $words) = oai('harvest', 'r');
    like $words, qr{r/oai:r\.example:1 is a row of a table that oai map follows}, '  the record is refused in words';
    publish();
    is harvest(), "10.5555/a One [section:News] (First; Second), 10.5555/b Two [section:Letters] (Third), own Own [] (), r/oai:r.example:1 Nine [] (), r/oai:r.example:2 From there [col:r] ()", '  and the others are written';
    is scalar oai('map', '--check'), "harvesters see what the tables hold\n", '  which --check finds right';

    # Somebody else writes the table of items.
    $db->run("update library.item set title = '{Hacked}' where local_id = '10.5555/a'");
    like scalar oai('map', '--check'), qr/^oai:mag\.example:10\.5555\/a\thas been changed here by something else; run oai map$/m, 'a statement of somebody else is found';
    mapped('oai map', $map);
    publish();
    like harvest(), qr/^10\.5555\/a One /, '  and put right';
    is scalar oai('map', '--check'), "harvesters see what the tables hold\n", '  as --check finds';
    mapped('oai map --drop', '--drop');
    ($status, $words) = oai('load', "$dir/items.csv");
    is $status, 0, 'without a map the file is loaded' or diag $words;
};
# A mapping is a source beside those that are harvested.
subtest 'oai repository knows own tables' => sub {
    begin('source', @magazine);
    mapped('oai map', @options, $map);
    publish();
    my $said = sub { my ($status, $words) = oai('repository', @_); return "$status $words" };
    is $said->('list'), "0 own-tables\town tables (oai map)\n", 'it is listed';
    is $said->(qw(change own-tables --name mag --hold 2h)), "0 mag changed\n", '  can be called another name';
    is $said->(qw(add mag http://127.0.0.1:9/oai)), "1 oai: mag: there is a repository of this name\n", '  which no repository gets then';
    like $said->('status'), qr/^0 mag: own tables \(oai map\)\n  healthy\n  2 items\n  0 rows could not be taken, 0 items are held\n\z/, '  and tells how it is';
    is $db->value('select hold from library.mapping'), '02:00:00', '  and for how long departures are held';
    mapped('oai map again', $map);
    is $said->('list'), "0 mag\town tables (oai map)\n", '  which a map applied anew keeps';
    like $said->(qw(status --metrics)), qr/^oai_source_items\{source="mag",state="healthy"\} 2$/m, '  its metrics are there';
    is $said->(qw(remove mag --records keep)), "0 mag removed; 0 records deleted, 2 kept\n", 'it is removed, and its items are kept';
    publish();
    is harvest(), '10.5555/a One [section:News] (First; Second), 10.5555/b Two [section:Letters] (Third)', '  as ours';
    is $db->value("select count(*) from oai.map_trigger"), 0, '  without triggers';
    mapped('another map', '--table', 'mag.article', '--key', 'id', '--title', 'title', "$dir/again.ini");
    is $said->(qw(remove own-tables --records delete)), "0 own-tables removed; 3 records deleted, 0 kept\n", 'or they become deleted records';
    publish();
    like harvest(), qr/^1 deleted \[\], 10\.5555\/a One /, '  which harvesters get';
};
undef $db;
done_testing();
