#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The search of the pages for people: by words in a library, by URL in a web archive, in a repository that has neither; what may
# be typed into the box, good and bad; the captures for programs; that the index of words follows what is published; and the
# plans and buffers of every question, in a small repository with the skew of a big one (t/bench/generate).
use TestProgram;
use utf8;
use Encode qw(decode encode);
use JSON::PP;
use List::Util qw(min sum);
use MIME::Base64 qw(encode_base64url);

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output todo_output);
sub escape { my $bytes = encode('UTF-8', $_[0]); $bytes =~ s/([^A-Za-z0-9._~:\/-])/sprintf '%%%02X', ord $1/ge; return $bytes }
sub serve {
    my ($db, %ini) = @_;
    my $library = $db->{model} eq 'library' ? '/library' : '';
    return Repository->new(db => $db, formats => "$ENV{PWD}/xslt$library", ini => {browse => {directory => 'xslt/page', languages => 'en cs', %ini}})->start;
}
# The page of a question; its text without markup.
sub page {
    my ($server, $q, $more) = @_;
    my $answer;    # a busy machine may need longer than the time that a search has
    wait_until(sub { $answer = $server->ask('/oai/browse/search?q=' . escape($q) . ($more // '')); return $q eq 'slow' || $answer->{body} !~ /did not finish within 0\.3 seconds/ });
    $answer->{page} = decode('UTF-8', $answer->{body});
    ($answer->{text} = $answer->{page} =~ s{<(?:script|style).*?</(?:script|style)>}{}gsr =~ s/<[^>]*>/ /gr =~ s/\s+/ /gr) =~ s/&quot;/"/g;
    return $answer;
}
sub records { my ($answer) = @_; my ($list) = $answer->{page} =~ m{<ol class="records">(.*?)</ol>}s; return [($list // '') =~ m{<a dir="auto" href="/oai/browse/record/[^"]*?([^":]+)">}g] }

subtest 'a library' => sub {
    my $db = Database->new(model => 'library');
    Database::psql($db->conninfo, '-f', 't/golden/library.sql');
    $db->run("select setval(pg_get_serial_sequence('library.item', 'id'), 100)");
    my $server = serve($db);
    my ($status, $words) = $server->oai('publish', '--once');
    is $status, 0, 'oai publish --once publishes and indexes' or diag $words;
    is $db->value('select count(*) from library.item_words'), $db->value('select count(*) from library.item'), 'all records are in the index';

    my $of = sub { return records(page($server, @_)) };
    is_deeply $of->('Žluťoučký kůň'), ['thesis/1234'], 'words of a title';
    is_deeply $of->('zlutoucky KUN'), ['thesis/1234'], 'without accents and capitals';
    is_deeply $of->('novakova dvorak horses'), ['thesis/1234'], 'a creator, a contributor and a subject together';
    is_deeply $of->('Žluťoučký nothing'), [], 'a record has all of the words';
    is_deeply [sort @{ $of->('zlutoucky OR map') }], [qw(thesis/1234)], 'or one of them';
    is_deeply [sort @{ $of->('"not from here"') }], [qw(book/8 book/9)], 'a phrase';
    is_deeply $of->('"from not here"'), [], 'in that order only';
    is_deeply $of->('"not from here" -own'), $of->('"not from here"'), 'without a word that none of them has';
    is_deeply $of->('yellow*'), ['thesis/1234'], 'the beginning of a word';
    is_deeply $of->('yellow'), [], 'which is no word itself';
    is_deeply $of->($_), ['thesis/1234'], "an identifier: $_" for '978-80-246-0000-0', '9788024600000', 'ISBN 978-80-246-0000-0', '0009-0794', '10.1234/horse.1',
        'urn:nbn:cz:uk-000001', 'sys-000001', 'https://example.org/thesis/1234', 'thesis/1234';
    like page($server, 'colours')->{text}, qr/1 record found, best matches first/, 'the number of matches is said';
    is $of->('a book')->[0], 'book/7', 'the best match is the first';

    my $facets = page($server, 'here');
    like $facets->{page}, qr{href="/oai/browse/search\?q=here&amp;kind=type:map"}, 'facets are links';
    is_deeply $of->('here', '&kind=type:map'), ['book/8'], 'which narrow';
    is_deeply $of->('here', '&kind=type:book'), [], 'to nothing, where there is none';
    is_deeply $of->('horses', '&year=2019&language=lang:cs&collection=col:faculty:arts&kind=type:thesis'), ['thesis/1234'], 'all together, with a kind above the record’s';
    is_deeply $of->('horses', "&kind=$_"), [], "a filter that is none: $_" for 'type:nothing', '%27', '%00', 'x' x 3000;
    is_deeply $of->('horses', "&year=$_"), [], "a year that is none: $_" for '20190', 'x', '-1';
    like page($server, 'here', '&kind=type:map')->{page}, qr{href="/oai/browse/search\?q=here">remove</a>}, 'a filter can be removed';

    like page($server, 'horses', '&kind=type:thesis')->{text}, qr/Kind: Thesis +remove/, 'a filter by a set above those of the records says its name';
    like page($server, 'horses')->{page}, qr{<li class="kind-thesis">.*<bdi class="kind">Thesis</bdi>}s, 'a record’s kind has an icon and a word';
    like page($server, 'horses', '&lang=cs')->{page}, qr{<bdi class="kind">Závěrečná práce</bdi>}, 'in the reader’s language';

    my $none = page($server, 'nosuchword');
    is $none->{status}, 200, 'a search without a match is answered';
    like $none->{text}, qr/No record has all of these words: +nosuchword/, 'it says what was looked for';
    like $none->{page}, qr{href="/oai/browse/search\?q=nosuchwor%2A"}, 'and how to widen it';

    # The index follows publication.
    my $later = sub { $db->run($_[0]); $server->oai('publish', '--once') };
    $later->(encode('UTF-8', "insert into library.item (local_id, title) values ('greek/1', array['Η Αθήνα και η Ρώμη']), ('slovak/1', array['Ľúbezný dážď v Košiciach'])"));
    is_deeply $of->('αθηνα'), ['greek/1'], 'a new record: Greek';
    is_deeply $of->('lubezny dazd'), ['slovak/1'], 'Slovak';
    $later->(encode('UTF-8', "insert into library.item (local_id, title) values ('odd/1', array['Dějiny <spolku> Praha/Brno 1939-1945: www.spolek.cz & &obce; x.y'])"));
    is_deeply $of->($_), ['odd/1'], "a word beside other characters: $_" for 'spolku', 'praha', 'brno', '1945', 'dejiny 1939', 'spolek', 'obce', '<spolku>', 'Praha/Brno', '1939-1945', '1939–1945', '"brno 1939"', 'x.y', 'praha/br*', 'praha -tcp/ip', 'praha -"brno/1945"';
    is_deeply $of->($_), [], "and without it: $_" for 'dejiny -praha/brno', 'dejiny -1939-1945', 'dejiny -"praha/brno"';
    $later->("update library.item set title = array['Sparta'] where local_id = 'greek/1'");
    is_deeply [$of->('αθηνα'), $of->('sparta')], [[], ['greek/1']], 'a changed record';
    $later->("delete from library.item where local_id = 'greek/1'");
    is_deeply $of->('sparta'), [], 'a deleted record';
    is $db->value("select count(*) from library.item_words w join library.item i using (id) where i.deleted"), 0, 'is not in the index';
    $db->run("insert into library.item (local_id, title) values ('hidden/1', array['Thebes'])");
    is_deeply $of->('thebes'), [], 'a record that is not published is not found';
    $db->publish;
    like page($server, 'thebes')->{text}, qr/Recent changes that cannot be found yet: 1\./, 'and until it is in the index the page says so';
    $server->oai('publish', '--once');
    is_deeply $of->('thebes'), ['hidden/1'], 'then it is';
    $db->run('update oai.horizon set epoch = epoch + 1', 'truncate library.item_words');
    $server->oai('publish', '--once');
    is_deeply $of->('thebes'), ['hidden/1'], 'a repository that is numbered anew is indexed anew';

    # Many records: those of a common word are the newest.
    $later->("insert into library.item (local_id, title) select 'many/' || n, array['common word ' || case when n % 1000 = 0 then 'seldom' else 'often' end] from generate_series(1, 25000) n");
    my $common = page($server, 'common');
    like $common->{text}, qr/only the newest 2,000 records were searched. Matches among them: 2,000, newest first/, 'a word that nearly all have: the page says that it shows the newest';
    is $of->('common')->[0], 'many/25000', 'the newest is the first';
    is scalar @{ $of->('common') }, 25, 'a page of them';
    my ($next) = $common->{page} =~ m{rel="next" href="[^"]*(&amp;after=[^"]+)"};
    is $of->('common', $next =~ s/&amp;/&/r)->[0], 'many/24975', 'the next page goes on';
    is scalar @{ $of->('seldom') }, 25, 'a rare one is found wherever it is';
    like page($server, 'seldom')->{text}, qr/25 records found/, 'and counted';
    my %seen;
    my ($after, $pages) = ('', 0);
    $later->("insert into library.item (local_id, title) select 'half/' || n, array['half'] from generate_series(1, 60) n; insert into library.item (local_id, title) select 'fill/' || n, array['fill'] from generate_series(1, 2000) n");
    for (1 .. 5) {
        my $answer = page($server, 'half', $after);
        $seen{$_}++ for @{ records($answer) };
        $pages++;
        ($after) = $answer->{page} =~ m{rel="next" href="[^"]*(&amp;after=[^"]+)"} or last;
        $after =~ s/&amp;/&/;
    }
    is_deeply [$pages, scalar keys %seen, scalar grep { $_ > 1 } values %seen], [3, 60, 0], 'the pages of ranked matches have each of them once';
    like page($server, 'often OR word')->{text}, qr/More than 2,000 records match. 2,000 of them were ranked/, 'a word that many have, but not the newest: so many are ranked';
    is page($server, 'horses', "&after=$_")->{status}, 200, "a position that is none: $_" for 'x', 'n:0', 'r:1:1:1', 'r:1e999:1', 'n:9999999999999999999:9999999999999999999', '%00', '%27';

    # The database is not given more than 0.3 seconds.
    $db->run('create or replace function oai.word_query(words text) returns tsquery language plpgsql as $$ begin perform pg_sleep(600); return null; end $$');
    like page($server, 'slow')->{text}, qr/The database did not finish within 0.3 seconds/, 'a question that takes too long: the page says so';

    # The box of every page.
    like $server->ask('/oai/browse')->{body}, qr{<form class="find" action="/oai/browse/search" method="get" role="search"}, 'the box is on the home page';
    is page($server, 'oai:example.org:thesis/1234')->{headers}{location}, 'http://127.0.0.1/oai/browse/record/oai:example.org:thesis/1234', 'an identifier leads to its record';
    is page($server, 'oai:example.org:thesis/1234', '&lang=cs')->{headers}{location}, 'http://127.0.0.1/oai/browse/record/oai:example.org:thesis/1234?lang=cs', 'and keeps the language';
    like page($server, 'oai:example.org:none')->{text}, qr/There is no record with this identifier: +oai:example.org:none/, 'one that is not there';
    is $server->ask('/oai/browse/captures?url=example.cz')->{status}, 404, 'a library has no captures';
    like page($server, 'horses', '&lang=cs')->{page}, qr/<html lang="cs"/, 'in Czech';
};

subtest 'bad input' => sub {
    for my $model (qw(library webarchiv none)) {
        my $db = Database->new(model => $model);
        Database::psql($db->conninfo, '-f', 't/golden/library.sql') if $model eq 'library';
        if ($model eq 'none') {
            $db->run(q{create table oai.item (id bigint generated always as identity primary key, seq bigint, local_id text not null unique, datestamp timestamptz, deleted boolean not null default false, set_ids integer[] not null default '{}')},
                'create view oai.membership as select *, set_ids as sets_now from oai.item', 'create view oai.record as select * from oai.item',
                'create function oai.find_item(local_id text) returns bigint language sql stable as $$ select i.id from oai.item i where i.local_id = find_item.local_id $$',
                'grant select on oai.item, oai.record to oai_reader, oai_publisher', 'grant select on oai.record to oai_rule', 'grant update on oai.item to oai_publisher', 'grant select on oai.membership to oai_publisher, oai_reader',
                q{insert into oai.item (local_id) values ('a')}, 'insert into oai.queue (id) select id from oai.item');
        }
        1 while $db->publish;
        my $server = serve($db);
        for my $q ('<script>alert(1)</script>', q{"><svg onload="x">}, "' or 1=1 --", '%', '\\', "a\0b", "\x01\x02", "\t\r\n", "\x{202E}txt.exe", 'עברית العربية', '☃' x 300, '-', '- -', '"', '""', '(', '&|!', ':*',
            'a:*', '*', '**', '*.', '*.*', 'http://', 'http:///', 'http://[', '://', 'http://a b/', 'http://%/', 'a..cz', '.cz', '999.999.999.999', '[::1', 'example.cz:99999999999/', 'ftp://x', 'javascript:alert(1)',
            'oai:', 'oai::', 'oai:a:b', 'x' x 999, 'http://' . 'a.' x 1900 . 'cz/', 'example.cz/' . '%' x 3000, "example.cz/\x{202E}", '{1} {2}', "'" x 900, 'a* ' x 300, '"a ' x 300) {
            my $answer = page($server, $q);
            my $name = "$model: " . substr $q =~ s/[^ -~]/?/gr, 0, 40;
            like $answer->{status}, length $q > 1000 ? qr/^(?:200|400)$/ : qr/^(?:200|303)$/, "$name is answered" or diag $answer->{body};
            unlike $answer->{page}, qr/<script>alert|<svg|\x00|\x01/, "$name: no markup of it gets through" if $answer->{page} =~ /<html/;
        }
        for my $raw ('%', '%zz', '%FF%FE', '%C0%80', '%ED%A0%80', '+') {
            like $server->ask("/oai/browse/search?q=$raw")->{status}, qr/^(?:200|400)$/, "$model: q=$raw is answered";
        }
        for my $long ('x' x 10_000, '☃' x 2_000, 'a ' x 5_000) {
            my $answer = page($server, $long);
            is $answer->{status}, 400, "$model: 10 KB are refused";
            like $answer->{text}, qr/That is too long/, 'with a reason';
        }
        like page($server, '')->{text}, qr/Type what you are looking for/, "$model: an empty question says what may be typed";
        like page($server, 'oai:example.org:nothing')->{text}, qr/There is no record with this identifier/, "$model: an identifier that is not there";
        if ($model eq 'none') {
            like page($server, 'horse')->{text}, qr/This repository cannot be searched by words/, 'a repository of own views says what it cannot';
            like page($server, 'oai:example.org:a')->{status}, qr/^303$/, 'its identifiers lead to records';
        }
        like $server->log_text, qr/event=page/, 'the log says what was asked';
        unlike $server->log_text, qr/event=fault/, "$model: there was no fault" or diag grep { /event=fault/ } split /^/, $server->log_text;
    }
};

subtest 'a web archive' => sub {
    my $db = Database->new;
    $db->run(q{insert into webarchiv.arc (file) values ('one.warc.gz')}, q{insert into webarchiv.domain (name) values ('cz:example:www'), ('cz:example:blog'), ('cz:other'), ('cz:xn--hky-ela4t')},
        q{insert into webarchiv.mimetype (name) values ('text:html')},
        q{insert into webarchiv.doc (archived_time, id_arc, id_domain, id_mimetype, doc_offset, length, status, url, surt, digest)
          select t.at, a.id, d.id, m.id, 100 + t.n, 2000, 200, 'http://www.example.cz/page', 'cz,example)/page', 'D' || lpad(t.n::text, 31, '0')
          from webarchiv.arc a, webarchiv.domain d, webarchiv.mimetype m, (select n, timestamptz '2008-01-15 12:00:00Z' + n * interval '40 days' as at from generate_series(0, 59) n) t where d.name = 'cz:example:www' and m.name = 'text:html'},
        q{insert into webarchiv.doc (archived_time, id_arc, id_domain, status, url, surt, digest) select v.t::timestamptz, a.id, d.id, 200, v.url, v.surt, v.digest from webarchiv.arc a, webarchiv.domain d,
          (values ('2010-01-01 00:00:00Z', 'http://www.example.cz/', 'cz,example)/', 'x1', 'cz:example:www'), ('2010-01-01 00:00:01Z', 'http://www.example.cz/news/1', 'cz,example)/news/1', 'x2', 'cz:example:www'),
                  ('2010-01-01 00:00:02Z', 'http://www.example.cz/news/2', 'cz,example)/news/2', 'x3', 'cz:example:www'), ('2010-01-01 00:00:03Z', 'http://blog.example.cz/', 'cz,example,blog)/', 'x4', 'cz:example:blog'),
                  ('2010-01-01 00:00:04Z', 'http://other.cz/gone', 'cz,other)/gone', 'x5', 'cz:other'), ('2010-01-01 00:00:05Z', 'http://www.example.cz/a b"<', 'cz,example)/a%20b"<', 'x6', 'cz:example:www'), ('2010-01-01 00:00:06Z', 'http://xn--hky-ela4t.cz/app.js', 'cz,xn--hky-ela4t)/app.js', 'x7', 'cz:xn--hky-ela4t')) v(t, url, surt, digest, host) where d.name = v.host});
    $db->publish;
    $db->run(q{update webarchiv.doc set deleted = true where surt = 'cz,other)/gone' or (surt = 'cz,example)/page' and doc_offset = 159)});
    $db->publish;
    my $server = serve($db, replay => 'https://replay.example.org/{archived_time}/{url}');
    for my $typed ('http://www.example.cz/page', 'https://example.cz/page/', 'www.example.cz/page', ' EXAMPLE.CZ/page#top ') {
        my $page = page($server, $typed);
        like $page->{text}, qr/59 captures/, "$typed: the captures are counted, without the deleted one";
        is scalar(() = $page->{page} =~ m{<li class="kind-\w+"><a href="}g), 50, 'and listed';
    }
    my $page = page($server, 'example.cz/page');
    my @years = $page->{page} =~ m{<th scope="row"><a href="[^"]*from=(\d{4})}g;
    is_deeply \@years, [reverse 2008 .. 2014], 'the calendar has years, the newest first';
    my @times = $page->{page} =~ m{<li class="kind-\w+"><a href="[^"]*"><time datetime="([^"]*)"}g;
    is_deeply \@times, [reverse sort @times], 'the list has the newest first';
    is $times[0], $db->value(q{select to_char(max(archived_time) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') from webarchiv.doc where surt = 'cz,example)/page' and not deleted}), 'which is the newest that is there';
    like $page->{page}, qr{href="https://replay.example.org/\d{14}/http://www.example.cz/page"}, 'each leads to the replay';
    my ($more) = $page->{page} =~ m{rel="next" href="[^"]*(&amp;after=[^"]+)"};
    my @further = page($server, 'example.cz/page', $more =~ s/&amp;/&/r)->{page} =~ m{<li class="kind-\w+"><a href="[^"]*"><time datetime="([^"]*)"}g;
    is scalar @further, 9, 'the next page has the rest';
    cmp_ok $further[0], 'lt', $times[-1], 'which is older';
    my @of_2010 = page($server, 'example.cz/page', '&from=2010&to=2010')->{page} =~ m{<li class="kind-\w+"><a href="[^"]*"><time datetime="(\d{4})}g;
    is_deeply [sort { $a <=> $b } keys %{ {map { $_ => 1 } @of_2010} }], [2010], 'a year of the calendar leads to its captures';
    for my $time (201003, 20100325) {
        my $days = page($server, 'example.cz/page', "&from=$time&to=$time")->{page};
        is_deeply [$days =~ m{<td class="some"><a href="[^"]*from=(\d{8})&amp;to=(\d{8})"[^>]*>(\d+)</a>}g], [20100325, 20100325, 1], "below it are the days of a month, each with its captures: $time";
        like $days, qr{<time datetime="2010-03-25}, 'to which it leads';
    }
    like page($server, 'example.cz/page', "&$_->[0]")->{text}, qr/Captures, newest first: \Q$_->[1]\E +Captures from all dates/, "the list says of which time: $_->[0]"
        for ['from=2010&to=2010', '2010'], ['from=201003&to=201003', '2010-03'], ['from=20100305', "2010-03-05\x{2013}"], ['to=2010', "\x{2013}2010"];
    like page($server, 'example.cz/page', '&from=2010&to=2010')->{page}, qr{href="/oai/browse/captures\?url=example\.cz%2Fpage&amp;from=2010&amp;to=2010"}, 'and programs to the same ones';
    like page($server, 'example.cz/page', "&from=$_")->{status}, qr/^400$/, "a date that is none: $_" for 'x', '2010-13', '20105', '%00', '%FF', '9' x 10_000;
    my $refused = page($server, 'example.cz/page', '&from=n%C4%9Bkdy&lang=cs');
    like $refused->{text}, qr/"někdy" v argumentu from není časový údaj\. Napište rok/, 'which is told in the reader’s language';
    like $refused->{page}, qr{<input id="q" name="q" type="search" value="example\.cz/page".*<a dir="auto" href="/oai/browse/search\?q=example\.cz%2Fpage&amp;lang=cs">Archivní kopie ze všech dob</a>}s, 'with a way back';
    is page($server, 'example.cz/page', "&after=$_")->{status}, 200, "a position that is none: $_" for 'x', ':', '1', '99999999999999999999:1', '9223372036854775807:1', '-253402300799999999:1', '-210866803200000000:1', '%00';

    my $host = page($server, 'example.cz');
    like $host->{text}, qr/1 capture /, 'a host: captures of its home page';
    like $host->{page}, qr{href="/oai/browse/sets\?set=dom:cz:example"}, 'its set, below which are the hosts within it';
    like $host->{page}, qr{search\?q=http:%2F%2Fwww.example.cz%2Fnews%2F1"}, 'and addresses on it';
    my @urls = page($server, 'example.cz/news/*')->{page} =~ m{search\?q=http:%2F%2Fwww.example.cz%2F(news[^"]*)"}g;
    is_deeply \@urls, ['news%2F1', 'news%2F2'], 'addresses that begin alike';
    like page($server, 'http://www.example.cz/a b"<')->{text}, qr/1 capture /, 'an address with a blank in it, as lists of addresses link to';
    my $none = page($server, 'example.cz/news');
    like $none->{text}, qr/There are no captures of this address: +example.cz\/news/, 'an address without captures';
    like $none->{page}, qr{search\?q=http:%2F%2Fwww.example.cz%2Fnews%2F1"}, 'shows those that begin like it';
    unlike $none->{text}, qr/ISBN/, 'by what an archive has';
    my $bare = page($server, 'xn--hky-ela4t.cz');
    like $bare->{text}, qr{There are no captures of this address: +http://xn--hky-ela4t.cz}, 'a host whose home page was not captured: the page says so';
    like $bare->{page}, qr{>http://xn--hky-ela4t.cz/app.js</a>}, 'and shows what is there';
    my ($programs) = $bare->{page} =~ m{href="(/oai/browse/captures\?[^"]*)"};
    is $programs =~ s/&amp;/&/gr, '/oai/browse/captures?url=xn--hky-ela4t.cz&matchType=host', 'programs are led to the same';
    like page($server, 'other.cz/gone')->{text}, qr/There are no captures of this address/, 'what was deleted is not there';

    my $cdx = sub { my $answer = $server->ask("/oai/browse/captures?$_[0]"); $answer->{json} = eval { decode_json($answer->{body}) }; return $answer };
    my $all = $cdx->('url=example.cz/page');
    is $all->{headers}{'content-type'}, 'application/json', 'for programs: JSON';
    is_deeply $all->{json}[0], [qw(urlkey timestamp original mimetype statuscode digest length offset filename identifier)], 'a list of lists, the first of names';
    is_deeply $all->{json}[1], ['cz,example)/page', '20080115120000', 'http://www.example.cz/page', 'text/html', '200', 'D' . '0' x 31, '2000', '100', 'one.warc.gz', 'oai:example.org:1'], 'then of captures, the oldest first';
    is scalar @{ $all->{json} }, 60, 'all of them but the deleted one';
    ok !$all->{headers}{link}, 'and no further ones';
    is_deeply [map { $_->[0] } @{ $cdx->('url=example.cz&matchType=domain&fl=original&limit=1000')->{json} }[1 .. 4]], ['http://www.example.cz/', 'http://www.example.cz/a b"<', 'http://www.example.cz/news/1', 'http://www.example.cz/news/2'], 'of a domain, in the order of their keys';
    is scalar @{ $cdx->("url=$_->[0]&fl=urlkey")->{json} }, $_->[1] + 1, "$_->[0]: $_->[1] captures"
        for ['example.cz&matchType=host', 63], ['example.cz&matchType=domain', 64], ['*.example.cz', 64], ['example.cz/news/*', 2], ['example.cz/news/&matchType=prefix', 2], ['example.cz/page&from=2010&to=2010', 10], ['example.cz/page&to=20080115115959', -1];
    my @lines = split /\n/, $cdx->('url=example.cz/page&output=ndjson&limit=2')->{body};
    is scalar @lines, 2, 'a line for each';
    is decode_json($lines[0])->{timestamp}, '20080115120000', 'with names';
    is $cdx->('url=example.cz/a%20b%22%3C&output=text&fl=original,timestamp')->{body}, "http://www.example.cz/a%20b\"< 20100101000005\n", 'as text, without blanks';
    my (@got, $key);
    for (1 .. 20) {
        my $answer = $cdx->('url=example.cz&matchType=domain&limit=7&fl=identifier&showResumeKey=true' . ($key ? "&resumeKey=$key" : ''));
        my @rows = @{ $answer->{json} };
        $key = @rows > 1 && !@{ $rows[-2] } ? $rows[-1][0] : undef;
        like $answer->{headers}{link}, qr/^<http:\/\/127.0.0.1\/oai\/browse\/captures\?url=example.cz&matchType=domain&limit=7&fl=identifier&showResumeKey=true&resumeKey=\Q$key\E>; rel="next"$/, 'the address of the next page' if $key;
        push @got, map { $_->[0] } @rows[1 .. ($key ? $#rows - 2 : $#rows)];
        last if !$key;
    }
    is scalar @got, 64, 'pages have all captures';
    is scalar(keys %{ {map { $_ => 1 } @got} }), 64, 'once';
    for my $bad ('', 'url=', 'url=%00', 'url=%FF', 'url=%zz', 'url=a.cz&limit=0', 'url=a.cz&limit=x', 'url=a.cz&from=x', 'url=a.cz&to=201013', 'url=a.cz&matchType=all', 'url=a.cz&output=xml', 'url=a.cz&fl=x',
        'url=a.cz&fl=' . 'urlkey,' x 50, 'url=a.cz&url=b.cz', 'url=a.cz&resumeKey=x', 'url=a.cz&resumeKey=' . encode_base64url('1 2 cz,b)/'), (map { 'url=a.cz&resumeKey=' . encode_base64url("$_ 2 cz,a)/") } '99999999999999999999', '253402300800000000', '-253402300799999999', '-210866803200000033'), 'url=http:///x&matchType=host', 'url=a.cz&none=1') {
        my $answer = $cdx->($bad);
        is $answer->{status}, 400, 'refused: ' . substr $bad, 0, 40 or diag $answer->{body};
        like $answer->{body}, qr/^[ -~]+\.(?: \[OAI-\d+\])?$/, 'in words';
    }
    unlike $server->log_text, qr/event=fault/, 'there was no fault';

    # As many deleted captures as are looked at for one page, and more.
    $db->run(q{insert into webarchiv.doc (archived_time, url, surt, digest) select timestamptz '2000-01-01 00:00:00Z' + n * interval '1 minute', 'http://many.cz/x', 'cz,many)/x', lpad(n::text, 32, '0') from generate_series(1, 12000) n});
    $db->publish(20_000);
    my $capped = page($server, 'many.cz/x');
    like $capped->{text}, qr/Only the newest 10,000 captures are counted; there are earlier ones\./, 'of a URL with very many captures, the newest are counted';
    like $capped->{page}, qr{href="/oai/browse/search\?q=many\.cz%2Fx&amp;to=200001">Earlier captures</a>}, 'and a link leads to the earlier ones';
    $db->run(q{update webarchiv.doc set deleted = true where surt = 'cz,many)/x' and archived_time > '2000-01-01 01:00:00Z'});
    $db->publish(20_000);
    my $calendar = page($server, 'many.cz/x');
    unlike $calendar->{text}, qr/There (?:is|are) no capture/, 'a URL whose newest captures were deleted is not said to have none';
    my ($position, $found, $rounds) = ('', 0, 0);
    while ($rounds++ < 20) {
        my $answer = page($server, 'many.cz/x', $position);
        $found += () = $answer->{page} =~ m{<li class="kind-\w+"><a href="}g;
        ($position) = $answer->{page} =~ m{rel="next" href="[^"]*(&amp;after=[^"]+)"} or last;
        $position =~ s/&amp;/&/;
    }
    is $found, 60, "its captures are found beyond the deleted ones, on $rounds pages";
};

subtest 'the titles of a web archive' => sub {
    my $db = Database->new;
    $db->run(q{insert into webarchiv.domain (name) values ('cz:example:www')}, q{insert into webarchiv.mimetype (name) values ('text:html'), ('application:pdf')},
        q{insert into webarchiv.collection (name, title) values ('sport', 'Sport')});
    my $capture = sub {   # path, time, title, language, description
        my ($path, $time, @said) = map { defined $_ ? "'" . s/'/''/gr . "'" : 'null' } @_;
        $db->run(encode('UTF-8', "insert into webarchiv.doc (archived_time, id_domain, id_mimetype, status, url, surt, digest, title, language, description)
            select $time, d.id, m.id, 200, 'http://www.example.cz/' || $path, 'cz,example)/' || $path, md5($path || $time), " . join(', ', map { $_ // 'null' } @said[0 .. 2]) .
            " from webarchiv.domain d, webarchiv.mimetype m where d.name = 'cz:example:www' and m.name = 'text:html'"));
    };
    my $server = serve($db);
    my $indexed = sub { my ($status, $words) = $server->oai('publish', '--once'); is $status, 0, 'oai publish --once' or diag $words };
    my $of = sub { my @found = page($server, @_)->{page} =~ m{<bdi class="address"><a dir="auto" href="[^"]*">([^<]*)</a>}g; return [map { s{^http://www.example.cz/}{}r } @found] };
    $capture->('horses', '2008-03-01 12:00:00Z', 'Žluťoučký kůň pěl', 'cs', 'A page of odes');
    $capture->('horses', '2010-03-01 12:00:00Z', 'Žluťoučký kůň úpěl', 'cs', 'A page of songs');
    $capture->('horses', '2012-03-01 12:00:00Z');
    $capture->('ships', '2009-03-01 12:00:00Z', 'Ships & <"sails">', 'en', 'Nothing of any kůň');
    $capture->('bare', '2009-03-01 12:00:00Z');
    $indexed->();
    is $db->value('select count(*) from webarchiv.page_words'), 2, 'the index has each page that has a title once';
    is_deeply $of->('zlutoucky upel'), ['horses'], 'words of a title, without accents and capitals';
    is_deeply $of->('pel'), [], 'it is found by its newest title';
    is_deeply $of->('songs'), ['horses'], 'words of a description';
    is_deeply $of->('kun'), ['horses', 'ships'], 'a word in a title counts for more than one in a description';
    is_deeply [sort @{ $of->('example') }], ['horses', 'ships'], 'words of the name of the host';
    my $page = page($server, 'kun');
    like $page->{text}, qr/2 records found, best matches first/, 'they are counted';
    like $page->{page}, qr{search\?q=kun&amp;language=cs"}, 'languages are links that narrow';
    like $page->{page}, qr{search\?q=kun&amp;year=2009"}, 'so are years';
    like $page->{page}, qr{search\?q=kun&amp;kind=mim:text}, 'and media types';
    like $page->{page}, qr{<li class="kind-page">.*<bdi class="kind">Web page</bdi>}s, 'which have an icon and a word';
    unlike $page->{page}, qr{&amp;collection=dom}, 'hosts are none of them';
    is_deeply $of->('kun', '&language=cs'), ['horses'], 'a language';
    is_deeply $of->('kun', '&year=2009&kind=mim:text:html'), ['ships'], 'a year and a media type';
    is_deeply $of->('kun', "&language=$_"), [], "a language that is none: $_" for 'xx', '%27', 'x' x 3000;
    like $page->{page}, qr{<a dir="auto" href="/oai/browse/search\?q=http:%2F%2Fwww.example.cz%2Fhorses">http://www.example.cz/horses</a>}, 'the address leads to all captures';

    $db->run(q{update webarchiv.doc set deleted = true where archived_time = '2010-03-01 12:00:00Z'});
    $indexed->();
    is_deeply [$of->('upel'), $of->('pel')], [[], ['horses']], 'after its newest title was deleted a page is found by the one before';
    $db->run(q{update webarchiv.doc set title = 'Dromedaries' where archived_time = '2008-03-01 12:00:00Z'},
        q{insert into webarchiv.doc_collection (id_doc, id_collection) select d.id, c.id from webarchiv.doc d, webarchiv.collection c where d.url like '%ships'});
    $indexed->();
    is_deeply [$of->('pel'), $of->('dromedaries')], [[], ['horses']], 'a changed title';
    is_deeply $of->('kun', '&collection=col:sport'), ['ships'], 'a collection that a page was put into';
    $db->run(q{update webarchiv.doc set title = null where archived_time = '2008-03-01 12:00:00Z'});
    $indexed->();
    is_deeply $of->('dromedaries'), [], 'a page that has no title any more';
    is $db->value('select count(*) from webarchiv.page_words'), 1, 'is not in the index';
    $db->run('update oai.horizon set epoch = epoch + 1', 'truncate webarchiv.page_words');
    $indexed->();
    is_deeply $of->('sails'), ['ships'], 'a repository that is numbered anew is indexed anew';
    $capture->('long/' . 'x' x 5000, '2011-03-01 12:00:00Z', 'Longitudes');
    $indexed->();
    is_deeply $of->('longitudes'), ['long/' . 'x' x (300 - length 'http://www.example.cz/long/') . "\x{2026}"], 'a page with a long URL';
    like page($server, 'nosuchword')->{text}, qr/No record has all of these words: +nosuchword/, 'what has no match says so';

    # What the manual says of titles of redirects, as the role that may write.
    $capture->($_->[0], '2012-03-01 12:00:00Z', $_->[1], 'en') for ['moved', '302 Found'], ['there', 'Found'];
    $db->run(q{update webarchiv.doc set status = 302 where url like '%/moved'}, q{update webarchiv.doc set status = null where url like '%/there'});
    $indexed->();
    is_deeply [sort @{ $of->('found') }], ['moved', 'there'], 'a redirect that was loaded with a title is found by it';
    my ($statement) = slurp('deploy/manual/fill.md') =~ /^ {4}(update webarchiv\.doc .*?;)$/ms;
    Database::psql($db->conninfo('oai_loader'), '-c', $statement);
    is $db->value('select count(*) from oai.queue'), 1, 'the statement of the manual changes it alone';
    $indexed->();
    is_deeply $of->('found'), ['there'], 'after which it is not found any more';
    my ($id) = $db->value(q{select id from webarchiv.doc where url like '%/moved'});
    like $server->ask("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:example.org:$id")->{body}, qr{<dc:title>http://www\.example\.cz/moved</dc:title>(?!.*<dc:language>)}s, 'and is titled by its address';
};

# What a statement does: its plans, those of the statements within its functions included, and its buffers: the fewest of three times,
# since it reads the catalogs anew when an autovacuum has been at the tables just then.
sub plan_of {
    my ($db, $sql, @settings) = @_;
    my $out = Database::psql($db->conninfo, map { ('-c', $_) } "load 'auto_explain'", 'set client_min_messages = log', 'set enable_seqscan = off', 'set enable_bitmapscan = off', 'set random_page_cost = 1.1', 'set jit = off',
        @settings, $sql, 'set auto_explain.log_min_duration = 0', 'set auto_explain.log_nested_statements = on', 'set auto_explain.log_analyze = on', ("explain (analyze, buffers, summary off) $sql") x 3);
    my @times = map { sum(/(?:hit|read)=(\d+)/g) } $out =~ /^Function Scan[^\n]*\n\s+Buffers: ([^\n]*)/mg;
    die $out if @times != 3;
    my @plans = $out =~ /plan:\nQuery Text: (.*(?:\n(?!LOG:).*)*)/g;
    return {buffers => min(@times), plans => join("\n", @plans)};
}

subtest 'plans of a web archive' => sub {
    my $db = Database->new;
    my $said = qx(t/bench/fill '@{[$db->conninfo]}' 20000 2>&1);
    is $?, 0, 'made-up documents are filled in' or diag $said;
    my ($key, $host) = @{ ($db->rows(q{select surt, split_part(surt, ')', 1) from webarchiv.doc where not deleted order by id offset 7000 limit 1}))[0] };
    my %most = (
        "oai.captures('$key', null, '$key', null, null, false, 101)" => 45,
        "oai.captures('$key', null, '$key', null, null, true, 51)" => 45,
        "oai.captures('$key', 0, '$key', null, 0, false, 2)" => 30,
        "oai.captures('$host)', null, '$host*', 0, null, false, 101)" => 700,
        "oai.captures('cz,', null, 'cz-', 0, null, false, 2000)" => 12000,
        "oai.captures('$key', 0, 'cz-', 0, 0, false, 101)" => 700,
        "oai.captures('cz,', null, '$key', 0, 0, true, 101)" => 700,
        "oai.capture_position('cz,', 'cz-', 10000, 30000)" => 2500,
        "oai.capture_days('$key', 10000)" => 10,
        "oai.captured_urls('cz,', 'cz-', null, 40, 50)" => 500,
        "oai.captured_urls('cz,', 'cz-', '$key', 40, 50)" => 500,
    );
    for my $call (sort keys %most) {
        my $did = plan_of($db, "select * from $call");
        cmp_ok $did->{buffers}, '<=', $most{$call}, "$call: $did->{buffers} buffers";
        unlike $did->{plans}, qr/Seq Scan on (?!horizon)|Bitmap/, 'by indexes alone';
        like $did->{plans}, qr/using doc_moment on doc|capture_position/, 'by the one on SURT and time' if $call =~ /capture(?:s|_cal|d)/;
    }
    $db->run('drop index webarchiv.doc_moment');
    like plan_of($db, "select * from oai.captures('cz,', null, 'cz-', 0, null, false, 101)")->{plans}, qr/Seq Scan/, 'the test detects a plan without that index';
};

subtest 'plans of a library' => sub {
    my $db = Database->new(model => 'library');
    $db->run(q{insert into library.item (local_id, title, creator, kind, language, year)
        select 'i/' || n, array['common', 'word' || n % 1000, 'rare' || n], array['Name ' || n % 100], case n % 3 when 0 then 'book' else 'article' end, array['cs'], 1900 + n % 100 from generate_series(1, 30000) n});
    for (1 .. 50) { $db->publish; last if $db->value('select count(*) from oai.item where seq is null') == 0 }
    1 while $db->value('select oai.index_search(5000)') > 0;
    # An autovacuum at work in this database keeps pages from being noted as visible to all.
    wait_until(sub {
        $db->run('vacuum analyze library.item_words', 'vacuum analyze library.item');
        return $db->value(q{select bool_and(relallvisible >= 0.9 * relpages) from pg_class where oid in ('library.item_words'::regclass, 'library.item'::regclass)}) eq 't';
    });
    my %most = (
        "oai.search('rare777', '{}', null, 25)" => 400, "oai.search('word777', '{}', null, 25)" => 700, "oai.search('common', '{}', null, 25)" => 900,
        "oai.search('common name', '{kind=type:book}', 'n:0:15000', 25)" => 1200, "oai.search('name', '{year=1950}', null, 25)" => 1500, "oai.search('nothing', '{}', null, 25)" => 350,
        "oai.search('word77*', '{}', null, 25)" => 1500, "oai.search('common', '{}', null, 25, true)" => 900,
    );
    for my $call (sort keys %most) {
        my $did = plan_of($db, "select * from $call");
        cmp_ok $did->{buffers}, '<=', $most{$call}, "$call: $did->{buffers} buffers";
        unlike $did->{plans}, qr/Seq Scan on (?!horizon|words_state|set\b)|Index Scan using item_words_pkey/, 'by indexes alone';
    }
    like plan_of($db, "select * from oai.search('rare777', '{}', null, 25)")->{plans}, qr/Bitmap Index Scan on item_words_words/, 'a rare word is found by the index of words';
    unlike plan_of($db, "select * from oai.search('common', '{}', null, 25)")->{plans}, qr/item_words_words/, 'a common one without it';
};
done_testing;
