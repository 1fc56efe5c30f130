#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Items of mapped tables beside what comes by other doors, and rows that no item can hold.
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
    is $said->(qw(add mag http://127.0.0.1:9/oai)), "1 oai: mag: there is a repository of this name [OAI-1599]\n", '  which no repository gets then';
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
# map.ini and the files of map.d: each is a source of its own.
subtest 'several maps' => sub {
    begin('map', @magazine, 'create table mag.book (id integer primary key, title text)', "insert into mag.book select n, 'Book ' || n from generate_series(1, 30) n");
    mapped('the first', @options, $map);
    mkdir "$dir/map.d";
    my ($status, $words) = map_tables(spew("$dir/map.d/books.ini", "[items]\ntable = mag.book\nkey = id\n[columns]\ntitle = title\n"));
    is "$status $words", "1 oai: [items] prefix, of identifiers: missing [OAI-1502]\n", 'each further one has a prefix';
    spew("$dir/map.d/books.ini", "[items]\ntable = mag.book\nkey = id\nprefix = book/\n[columns]\ntitle = title\n[set shelf]\ncolumn = ('Books'::text)\n[also mag.author]\njoin = article_id = id\n");
    like mapped('all of them'), qr{^mag\.article: 2 items.*^mag\.book: 30 items}ms, '  are applied by oai map alone';
    publish();
    touches('a row of the second', "update mag.book set title = 'New' where id = 3", 'book/3');
    touches('of both', "update mag.author set name = 'Nobody' where name = 'Third'; delete from mag.book where id = 4", '10.5555/b book/4');
    publish();
    is scalar(() = harvest('&set=shelf') =~ m{book/}g), 30, 'a set has what comes from one of them';
    is join('', map { "$_->[0] $_->[1]\n" } $db->rows('select name, state from oai.source order by name')), "books healthy\nown-tables healthy\n", 'each is a source';
    without_difference('of both');
    $db->run('alter table mag.book rename title to name', "update mag.book set name = 'Late' where id = 5", "update mag.article set title = 'Uno' where id = 1");
    publish();
    like harvest(), qr{10\.5555/a Uno .*book/5 Book 5}, 'one that cannot be read keeps no other from being followed';
    like scalar oai('map', '--check'), qr/^the source books\tcannot be read: .*mag\.book has no column title any more; mend \S+books\.ini:6, and run oai map$/m, '  and is told';
    like scalar oai('map', '--poll'), qr/^oai: books: .*title.*^own-tables: 2 rows read/ms, '  nor from being polled';
    $db->run('alter table mag.book rename name to title', 'create table mag.gone as table mag.book', 'delete from mag.book');
    publish();
    like((oai('repository', 'status', 'books'))[1], qr/29 items are held/, 'departures are held for each by itself');
    $db->run('insert into mag.book select * from mag.gone');
    publish();
    without_difference('when they are back');
    like harvest(), qr{book/5 Late}, '  and what was changed before has come';
    ($status, $words) = map_tables(spew("$dir/map.d/other.ini", "[items]\ntable = mag.gone\nkey = (id::text)\nprefix = book/\n[columns]\ntitle = title\n"));
    like scalar oai('map', '--check'), qr{^oai:mag\.example:book/5\tis no item: is an item from elsewhere already$}m, 'a prefix that another has costs those rows, by name';
    is scalar(() = harvest('&set=shelf') =~ m{ deleted }g), 1, '  and harms nothing of the other';
    map_tables('--drop', "$dir/map.d/books.ini");
    touches('one is dropped, and the others are followed', "update mag.book set title = 'Nobody sees'; update mag.article set title = 'Eins' where id = 1", '10.5555/a');
    unlink glob "$dir/map.d/*";
    rmdir "$dir/map.d";
};
# Who owns the tables alone; what is refused leaves all as it is.
subtest 'an owner with no other right' => sub {
    begin('alone', @magazine, "create role owner_$$ login", "alter schema mag owner to owner_$$", "alter table mag.article owner to owner_$$", "alter table mag.author owner to owner_$$");
    my @as = ('map', '--connection', $db->conninfo("owner_$$"));
    like scalar oai(@as, @options, $map), qr/permission denied for \S+ \w+; it takes a superuser, or the owner of the tables who is a member of oai_loader \(grant oai_loader to OWNER\) \[/, 'is told what to grant';
    $db->run("grant oai_loader to owner_$$");
    my ($status, $words) = oai(@as, @options, $map);
    is $status, 0, 'and then maps them' or diag $words;
    touches('changes are seen', "update mag.article set title = 'Uno' where id = 1", '10.5555/a', "owner_$$");
    publish();
    without_difference('of his');
    $db->run("update mag.article set note = 'ca.' where id = 2");
    my $was = $db->value("select string_agg(t.tgname, ' ' order by 1) || (select source from library.mapping) from oai.map_trigger t");
    spew("$dir/cast.ini", slurp($map) =~ s/^# where.*/where = note::integer > 0/mr);
    ($status, $words) = oai(@as, "$dir/cast.ini");
    like $words, qr/invalid input syntax for type integer: "ca\."/, 'a condition that fails on a row is refused';
    is $db->value("select string_agg(t.tgname, ' ' order by 1) || (select source from library.mapping) from oai.map_trigger t"), $was, '  and the map of before holds';
    touches('  and is followed', "update mag.article set title = 'Dos' where id = 2", '10.5555/b', "owner_$$");
    is((oai(@as, '--drop'))[0], 0, 'he drops it');
    is $db->value('select count(*) from oai.map_trigger'), 0, '  with all that it left';
    $db->run("reassign owned by owner_$$ to postgres", "drop owned by owner_$$", "drop role owner_$$");
};
# Values that depend on settings of a session, or that XML has no word for.
subtest 'dates, ranges and lists' => sub {
    begin('kinds', 'create schema mag', 'create table mag.thing (day date primary key, title text, at timestamptz, span daterange, years int4range, lasts interval, names text[], places text[])',
        "insert into mag.thing values ('0044-03-15 BC', 'Ides', '2020-01-02 03:04:05+02', '[2020-01-01,2020-02-01)', '[1914,1919)', '1 year 2 days', '{x,null,z}', '{1,2,null}'),
         ('0001-12-31 BC', 'Zero', '-infinity', '(,2020-01-01)', 'empty', null, null, null), ('2001-02-03', 'Day', 'infinity', 'empty', '[1914,)', null, null, null)",
        "alter role postgres set datestyle = 'SQL, DMY'", "alter role postgres set timezone = 'America/New_York'");
    mapped('oai map', '--table', 'mag.thing', '--key', 'day', '--title', 'title', '--date', 'day', (map { ('--column', $_) } qw(at span years lasts names places)), $map);
    publish();
    is join("\n", map { join ' ', @$_ } $db->rows("select local_id, coalesce(fields::text, '') from library.item order by local_id collate \"C\"")),
        "-0043-03-15 <at>2020-01-02T01:04:05Z</at><span>2020-01-01/2020-01-31</span><years>1914/1918</years><lasts>P1Y2D</lasts><names>x</names><names/><names>z</names><places>1</places><places>2</places><places/>\n"
        . "0000-12-31 <span>../2019-12-31</span>\n2001-02-03 <years>1914/..</years>", 'are as ISO 8601 has them, and lists side by side keep their nulls';
    touches('a session with other settings', "update mag.thing set title = title || '!'", '-0043-03-15 0000-12-31 2001-02-03');
    without_difference('of such values');
    $db->run('alter role postgres reset datestyle', 'alter role postgres reset timezone');
};

# As Koha has it: MARCXML in a column of text, with an XML declaration.
subtest 'MARCXML in a column' => sub {
    begin('marcxml', 'create schema mag', 'create table mag.biblio (biblionumber integer primary key, title text)',
        'create table mag.biblio_metadata (id integer primary key, biblionumber integer references mag.biblio, format text, metadata text)', 'create index on mag.biblio_metadata (biblionumber)',
        "insert into mag.biblio values (1, 'One'), (2, 'Two')",
        "insert into mag.biblio_metadata values (1, 1, 'marcxml', E'<?xml version=\"1.0\" encoding=\"UTF-8\"?>\\n<record xmlns=\"http://www.loc.gov/MARC21/slim\"><leader>00000nam a2200000 a 4500</leader><controlfield tag=\"001\">1 &amp; 2</controlfield></record>'), (2, 2, 'marcxml', '<record>'), (3, 2, 'opac', '<p/>')");
    spew($map, "[items]\nquery = select b.biblionumber, b.title, m.metadata as marc from mag.biblio b\nquery = join mag.biblio_metadata m on m.biblionumber = b.biblionumber and m.format = 'marcxml'\nkey = biblionumber\n"
        . "[also mag.biblio]\njoin = biblionumber\n[also mag.biblio_metadata]\njoin = biblionumber\n");
    like mapped('oai map', $map), qr/^query: 1 items, .*\n1 rows are no items/m, '  leaves a broken record out';
    is $db->value('select marc from library.item'), '<record xmlns="http://www.loc.gov/MARC21/slim"><leader>00000nam a2200000 a 4500</leader><controlfield tag="001">1 &amp; 2</controlfield></record>', '  and has the other as it is';
    like scalar oai('map', '--check'), qr/^oai:mag\.example:2\tis no item: invalid XML/m, '  and names it';
    touches('it is mended', "update mag.biblio_metadata set metadata = '<record xmlns=\"http://www.loc.gov/MARC21/slim\"/>' where id = 2", '2');
};

# What a query reads is known, and what cannot be is refused.
subtest 'what a query reads' => sub {
    begin('reads', @magazine, 'create function mag.secret(n integer) returns text language sql stable as $$ select name from mag.author where article_id = n limit 1 $$',
        'create function mag.known(n integer) returns text language sql stable begin atomic select name from mag.author where article_id = n limit 1; end',
        'create view mag.inner_view as select a.doi, a.title, a.id from mag.article a', 'create view mag.outer_view as select v.doi, v.title, mag.known(v.id) as creator from mag.inner_view v');
    my $try = sub { my ($what, $like, $ini) = @_; my ($status, $words) = map_tables(spew("$dir/try.ini", $ini)); isnt $status, 0, "refused: $what"; like $words, $like, '  in words'; return };
    my $article = "[also mag.article]\njoin = doi\n";
    $try->('a table behind two views and a function', qr/try\.ini:2: mag\.author is read, and nobody would see its changes/, "[items]\nview = mag.outer_view\nkey = doi\n$article");
    $try->('a function of which nobody knows', qr/try\.ini:2: nobody knows which tables mag\.secret\(\) reads/, "[items]\nquery = select doi, title, mag.secret(id) as creator from mag.article\nkey = doi\n$article");
    $try->('a query that is none', qr/try\.ini:2: query: .*nothing/, "[items]\nquery = select nothing from mag.article\nkey = doi\n$article");
    $try->('a join of other types', qr/try\.ini:7: id = author\.name: .*operator does not exist/, "[items]\nview = mag.inner_view\nkey = doi\n[also mag.author]\njoin = name\n[also mag.article]\njoin = id = author.name\n");
    $try->('a join with the query itself', qr/try\.ini:5: article_id = id: .* join it with another \[also TABLE\]|try\.ini:5: article_id = id: join it with/, "[items]\nview = mag.inner_view\nkey = doi\n[also mag.author]\njoin = article_id = id\n$article");
    $db->run('grant select on mag.author to oai_source');   # as what a function reads asks for
    like mapped('one that says what need not be watched', spew("$dir/try.ini", "[items]\nquery = select doi, title, mag.secret(id) as creator, (select current_date)::text as date from mag.article\nkey = doi\n$article\[also mag.secret]\nunwatched = yes\n")),
        qr/try\.ini:2: what is given out depends on the time/, '  and one that depends on the time is told';
    mapped('a view of views, with all its tables', spew("$dir/try.ini", "[items]\nview = mag.outer_view\nkey = doi\n$article\[also mag.author]\njoin = article_id = article.id\n"));
    touches('a table behind all that', "update mag.author set name = 'New'", '10.5555/a 10.5555/b');
};
undef $db;
done_testing();
