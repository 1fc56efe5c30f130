#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Views of a repository (schema/core/views.sql): nothing that a view answers depends on what it hides. Of two databases one has
# hidden items besides, which come, change and go between those that are shown, and make sets of their own. Every answer of the
# two servers is compared byte for byte, but for what must differ (comparable): verbs, errors, pages for people, whatever they link
# to, search, captures, feed, sitemap, dump. Then entries, departures and returns, and what a view is.
use TestProgram;
use MIME::Base64 qw(decode_base64);

my %where = (library => "'partners' = any (rights)", webarchiv => "language = 'cs'");

# One of two repositories: its database, its publisher and the server of its view.
sub side {
    my ($model) = @_;
    my $db = Database->new(model => $model);
    my $main = Repository->new(db => $db);
    mkdir "$main->{dir}/sets" or die $!;
    rule($main, 'partners', "[view]\nwhere = $where{$model}\n");
    my %pages = (browse => {directory => "$root/xslt/page", languages => 'en cs', records => 3, replay => 'https://replay.example.org/{archived_time}/{url}'});
    my $view = Repository->new(db => $db, formats => $model eq 'library' ? "$root/xslt/library" : "$root/xslt",
        ini => {%pages, repository => {only => 'partners'}, lists => {records => 3, sets => 2}});
    return {db => $db, main => $main, view => $view};
}

sub rule {
    my ($main, $name, $text) = @_;
    spew("$main->{dir}/sets/$name.set", $text);
    utime time - 10, time - 10, "$main->{dir}/sets/$name.set";   # one that is a second old is being written
    return;
}

sub publish { my ($side) = @_; my ($status, $said) = $side->{main}->oai('publish', '--once'); die $said if $status != 0; return }

# What is compared: the answer without what must differ. Times are those of two publishers; what identifies a numbering is made by
# chance; a token has the one and is sealed by a key of its server; an ETag is made of the body, in which these are. So a
# Content-Length is compared with the length that the body has with epochs of one length. A date of change is never said.
sub comparable {
    my ($side, $answer) = @_;
    my $epoch = $side->{epoch} //= $side->{db}->value("select epoch from oai.view where name = 'partners'");
    my $hex = sprintf '%x', $epoch;
    my %headers = %{ $answer->{headers} };
    fail "$_: $headers{$_}" for grep { /^(?:last-modified|date|expires)$/i } keys %headers;
    $headers{$_} =~ s/[0-9a-f]{16,}/HASH/, $headers{$_} =~ s/-\d+-[^"]+/-RENEWAL/ for grep { /^etag$/i } keys %headers;
    for (grep { /^content-length$/i } keys %headers) {
        is $headers{$_}, length $answer->{body}, 'the length is that of the body' if $headers{$_} != length $answer->{body};
        $headers{$_} = length $answer->{body} =~ s/\b(?:\Q$hex\E|\Q$epoch\E)\b/EPOCH/gr;
    }
    my $text = join "\n", $answer->{status}, (map { "$_: " . (ref $headers{$_} ? join ' ', @{ $headers{$_} } : $headers{$_}) } sort keys %headers), '', $answer->{body};
    $text =~ s{(<resumptionToken[^>]*>)[^<]+}{$1TOKEN}g;
    $text =~ s/(resumptionToken="?)[\w-]+/$1TOKEN/g;
    $text =~ s/\b(?:\Q$hex\E|\Q$epoch\E)\b/EPOCH/g;
    $text =~ s/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00(?::00)?|\+0000)?/TIME/g;
    $text =~ s/\b\d{14}\.0\b|\b\d{4}-\d\d-\d\d\b/DAY/g;
    $text =~ s/\b\d\d:\d\d(?::\d\d)?\b(?: UTC)?/CLOCK/g;
    return $text;
}

my (%compared, %tagged);   # what kind of answer => how many; query of the first => its ETag
sub tag_of { my ($answer) = @_; my ($name) = grep { /^etag$/i } keys %{ $answer->{headers} }; return $name ? $answer->{headers}{$name} =~ s/-\d+-/-/r : undef }

# Asks both for the same; returns their answers.
sub same {
    my ($sides, $kind, @queries) = @_;
    my @answers;    # a busy machine may need longer than the time that a search has
    for my $n (0, 1) { wait_until(sub { ($answers[$n] = $sides->[$n]{view}->ask($queries[$n] // $queries[0]))->{body} !~ /0[.,]3 [Ss]e[ck]|This took too long/ }) }
    my @texts = map { comparable($sides->[$_], $answers[$_]) } 0, 1;
    my $tag = tag_of($answers[0]);
    $tagged{$queries[0]} = $tag if defined $tag;
    $compared{$kind}++;
    if ($texts[0] ne $texts[1]) {
        my $alike = length +(("$texts[0]" ^ "$texts[1]") =~ /^(\0*)/)[0];
        fail("$kind: $queries[0]");
        diag(map { "$_: ..." . substr($texts[$_], $alike < 60 ? 0 : $alike - 60, 250) . "\n" } 0, 1) if ++$compared{' different'} < 20;
    }
    return @answers;
}

# Follows a list by its tokens.
sub same_list {
    my ($sides, $query) = @_;
    my ($verb) = $query =~ /verb=(\w+)/;
    my @queries = ($query) x 2;
    for my $page (1 .. 100) {
        my @answers = same($sides, $verb, @queries);
        my @tokens = map { $_->{body} =~ m{<resumptionToken[^>]*>([^<]+)} ? $1 : undef } @answers;
        return if !defined $tokens[0] || !defined $tokens[1];
        is(length decode_base64($tokens[0] =~ tr{-_}{+/}r), length decode_base64($tokens[1] =~ tr{-_}{+/}r), "$query: tokens of one length") if $page == 1;
        @queries = map { "verb=$verb&resumptionToken=$_" } @tokens;
    }
    return fail("$query never ends");
}

# All pages to which those lead that were seen.
sub same_pages {
    my ($sides, @begin) = @_;
    my %seen = map { $_ => 1 } @begin;
    my @open = map { [$_, $_] } @begin;
    my $pages = 0;
    while (my $next = shift @open) {
        last if ++$pages > 700;
        my ($kind) = $next->[0] =~ m{^/oai/?([\w-]*(?:/[a-z.]+)?)};
        my @answers = same($sides, $kind || 'verbs', @$next);
        my @links = map { my $body = $_->{body}; [map { s/&amp;/&/gr =~ s/#.*//r } grep { !/^(?:data|mailto|javascript):/ }
            $body =~ /(?:href|src|action)="([^"]+)"/g, $body =~ m{<loc>([^<]+)}g, $body =~ m{"(?:id|next|prev|first|last)"\s*:\s*"(http[^"]+)"}g, ($_->{headers}{Link} // '') =~ /<([^>]+)>/g] } @answers;
        next if @{ $links[0] } != @{ $links[1] };   # has failed
        for my $n (0 .. $#{ $links[0] }) {
            my @two = map { ($links[$_][$n] // '') =~ s{^https?://127\.0\.0\.1}{}r } 0, 1;
            next if $two[0] !~ m{^/oai} || $two[1] !~ m{^/oai};
            push @open, \@two if !$seen{$two[0]}++;
        }
    }
    return;
}

sub everything {
    my ($model, $sides, $before) = @_;
    my @ids = $model eq 'library' ? qw(v1 v3 v4 v5 v6 v8 h1 h7 never) : (1, 3, 5, 6, 1001, 1007, 999999);
    my @sets = $model eq 'library' ? qw(col:war col:secret type:book type type:thesis type:map lang:cs lang:fi none) : qw(dom dom:cz:example dom:cz:secret mim:text:html mim:text:plain col:war none);
    my @prefixes = $model eq 'library' ? qw(oai_dc marc21 oai_etdms nonesuch) : qw(oai_dc warc nonesuch);
    same($sides, 'Identify', 'verb=Identify');
    same($sides, 'errors', $_) for 'verb=None', '', 'verb=ListRecords', 'verb=GetRecord&identifier=x', 'verb=ListRecords&resumptionToken=abc', "verb=ListIdentifiers&metadataPrefix=oai_dc&from=2999-01-01",
        'verb=ListIdentifiers&metadataPrefix=oai_dc&until=1990-01-01', 'verb=ListSets&resumptionToken=x';
    same_list($sides, 'verb=ListSets');
    same($sides, 'ListMetadataFormats', 'verb=ListMetadataFormats' . ($_ ? "&identifier=oai:example.org:$_" : '')) for '', @ids;
    for my $prefix (@prefixes) {
        for my $verb (qw(ListIdentifiers ListRecords)) {
            same_list($sides, "verb=$verb&metadataPrefix=$prefix$_") for '', map { "&set=$_" } @sets;
        }
        same($sides, 'GetRecord', "verb=GetRecord&metadataPrefix=$prefix&identifier=oai:example.org:$_") for @ids;
    }
    my @from = map { $_->{db}->value("select to_char(datestamp at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') from oai.view_item where id = 4") } @$sides;
    for my $bound (qw(from until)) {
        same($sides, 'ListIdentifiers', map { "verb=ListIdentifiers&metadataPrefix=oai_dc&$bound=$_" } @from);
        same($sides, 'ListIdentifiers', map { "verb=ListIdentifiers&metadataPrefix=oai_dc&$bound=$_&set=$sets[2]" } @from);
    }
    my @seeds = ('/oai/browse?lang=en', '/oai/browse/sets?lang=en', '/oai/browse/sitemap.xml', '/oai/changes', '/oai/changes.ttl', '/oai/browse/formats?lang=en');
    push @seeds, map { ("/oai/browse/record/oai:example.org:$_?lang=en", "/oai/browse/cite/oai:example.org:$_", "/oai/browse/record/oai:example.org:$_?format=json") } @ids;
    push @seeds, map { "/oai/browse/search?lang=en&q=$_" } qw(shown hidden visible* gone title -hidden), '%22shown+title%22', 'a&collection=col:secret', 'shown&kind=type:book', 'shown&year=2001';
    push @seeds, map { "/oai/browse/list?lang=en$_" } '', '&after=3', '&n=2', map { "&set=$_" } @sets;
    push @seeds, map { ("/oai/browse/sets?set=$_&lang=en", "/oai/browse/sets?prefix=$_&lang=en") } @sets;
    if ($model eq 'webarchiv') {
        my @urls = ('http://example.cz/page', 'http://secret.cz/', 'http://example.cz/hidden', 'example.cz', 'secret.cz', 'none.cz');
        push @seeds, map { my $url = $_; map { "/oai/browse/captures?url=$url$_" } '', '&limit=2', '&sort=reverse', '&sort=closest&closest=2012', '&matchType=prefix', '&matchType=host', '&matchType=domain',
            '&output=json', '&output=cdxj', '&matchType=domain&showNumPages=true', '&matchType=domain&page=0&pageSize=1', '&matchType=domain&showResumeKey=true&limit=1', '&collapse=urlkey&matchType=domain' } @urls;
        push @seeds, map { my $url = $_; ("/oai/timemap/link/$url", "/oai/timemap/json/$url", "/oai/timegate/$url", "/oai/browse/search?lang=en&q=" . $url =~ s{http://}{}r) } @urls;
    }
    same_pages($sides, @seeds);
    for my $page (qw(health metrics status)) {
        my @names = map { join ' ', sort grep { !/harvester|client/ } ($_->{view}->ask("/oai/-/$page")->{body} =~ /^(?:# TYPE )?([a-z_]+)[ {=:]/mg) } @$sides;
        is($names[0], $names[1], "the names of $page") if $page ne 'status';
    }
    return;
}

# Runs SQL in both, or in the one with hidden items, and publishes.
sub change {
    my ($sides, %sql) = @_;
    $sides->[0]{db}->run($sql{hidden}) if $sql{hidden};
    publish($sides->[0]) if $sql{hidden};
    return if !$sql{both};
    $_->{db}->run($sql{both}) for @$sides;
    publish($_) for @$sides;
    return;
}

# Then hidden items change: no ETag of an answer does.
sub compare {
    my ($model, @changes) = @_;
    my $last = pop @changes;
    my @sides = (side($model), side($model));
    change(\@sides, %$_) for @changes;
    $_->{view}->start for @sides;
    %compared = %tagged = ();
    everything($model, \@sides);
    note "$model: compared ", join ', ', map { "$compared{$_} $_" } sort keys %compared;
    ok $compared{ListRecords} > 10 && keys %compared > 8, 'much was compared';
    change(\@sides, %$last);
    my @moved = grep { (tag_of($sides[0]{view}->ask($_)) // '') ne $tagged{$_} } sort keys %tagged;
    is join("\n", @moved), '', keys(%tagged) . ' ETags stay while hidden items change';
    for my $side (@sides) {
        my ($bad) = $side->{db}->rows('select * from oai.check_views()');
        is $bad, undef, 'the view is in order' or diag "@$bad";
    }
    return @sides;
}

# Rows of library.item: id, local_id, title, rights, kind, language, year.
sub items {
    my ($first, $last, $letter, %of) = @_;
    my $base = $letter eq 'h' ? 1000 : 0;
    return "insert into library.item (id, local_id, title, rights, kind, language, year) overriding system value
        select $base + n, '$letter' || n, array['" . ($of{title} // ($letter eq 'h' ? 'hidden title' : 'shown title')) . " ' || n], array['" . ($letter eq 'h' ? 'nobody' : 'partners') . "'], '$of{kind}', '{$of{language}}', 2000 + n
        from generate_series($first, $last) n";
}
sub filed { my ($name, $where) = @_; return "insert into library.collection (name) values ('$name') on conflict do nothing; insert into library.item_collection select i.id, c.id from library.item i, library.collection c where c.name = '$name' and $where" }

subtest 'library' => sub {
    my @sides = compare('library',
        {hidden => items(1, 5, 'h', kind => 'thesis', language => 'fi') . '; ' . filed('secret', "local_id like 'h%'")},
        {both => items(1, 6, 'v', kind => 'book', language => 'cs') . '; ' . filed('war', "local_id in ('v1', 'v2')"), hidden => filed('war', "local_id = 'h1'")},
        {hidden => items(6, 40, 'h', kind => 'map', language => 'cs') . "; update library.item set title = array['shown title too'] where local_id = 'h2'"},
        {both => items(7, 9, 'v', kind => 'thesis', language => 'de')},
        {both => "update library.item set rights = array['nobody'] where local_id = 'v3'; update library.item set rights = array['nobody'] where local_id = 'v4'"},
        {hidden => "update library.item set title = array['secret by now'], kind = 'map' where local_id = 'v3'; delete from library.item where local_id in ('v4', 'h3')"},
        {both => "update library.item set title = array['shown again'], kind = 'book', rights = array['partners'] where local_id = 'v3'"},
        {both => "delete from library.item where local_id = 'v5'; update library.item set visible_until = now(), hidden_why = 'on request' where local_id = 'v6'"},
        {hidden => "update library.item set visible_until = now(), hidden_why = 'never told' where local_id = 'h8'"},
        {both => items(10, 11, 'v', kind => 'book', language => 'cs')},
        {hidden => items(50, 60, 'h', kind => 'map', language => 'fi') . "; update library.item set year = 1950 where local_id in ('h5', 'h6'); delete from library.item where local_id = 'h7'"});
    my ($side) = @sides;
    my $state = sub { my ($id) = @_; my $body = $side->{view}->ask("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:example.org:$id")->{body};
        return $body =~ /<error code="(\w+)"/ ? $1 : $body =~ /status="deleted"/ ? 'deleted' : 'there' };
    is $state->('v1'), 'there', 'what meets the rule is there';
    is $state->('v3'), 'there', 'what has come back is there';
    is $state->('v4'), 'deleted', 'what has left the view is deleted there';
    is $state->('h1'), 'idDoesNotExist', 'what never was in it is unknown';
    like $side->{view}->ask('verb=ListIdentifiers&metadataPrefix=oai_dc')->{body}, qr/completeListSize="11"/, 'it has a size of its own';
    my $main = $side->{main}->start;
    my ($token) = $main->ask('verb=ListIdentifiers&metadataPrefix=oai_dc')->{body} =~ m{<resumptionToken[^>]*>([^<]+)};
    SKIP: {
        skip 'one page', 1 if !$token;
        spew("$side->{view}{dir}/key", slurp("$main->{dir}/key"));
        $side->{view}->stop;
        $side->{view}->start;
        like $side->{view}->ask("verb=ListIdentifiers&resumptionToken=$token")->{body}, qr/badResumptionToken/, 'a token of another view is refused';
    }
    for my $id (qw(v4 h1)) {
        my ($status, $said) = $side->{view}->oai('record', $id);
        isnt $status, 0, "oai record does not show $id" or diag $said;
    }
    my @dumps = map { "$_->{view}{dir}/dump" } @sides;
    mkdir $_ for @dumps;
    is +($sides[$_]{view}->oai('dump', '--to', $dumps[$_]))[0], 0, 'a dump of the view' for 0, 1;
    my @records = map { my $dump = $_; [sort map { /<identifier>([^<]+)/g } split /\n/, `find $dump -name '*.gz' -exec zcat {} +`] } @dumps;
    is_deeply $records[0], $records[1], 'which has the same records';
    is scalar(grep { /:h\d/ } @{ $records[0] }), 0, 'and none that is hidden';
};

subtest 'web archive' => sub {
    my $docs = sub { my ($base, $from, $to, $language, $host, $path, $type) = @_;
        return "insert into webarchiv.domain (name) values ('cz:$host') on conflict do nothing; insert into webarchiv.mimetype (name) values ('$type') on conflict do nothing;
            insert into webarchiv.doc (id, archived_time, id_domain, id_mimetype, status, url, surt, digest, title, language) overriding system value
            select $base + n, timestamptz '2010-01-15 12:00:00Z' + ($base % 7 + n) * interval '40 days', d.id, m.id, 200, 'http://$host.cz/$path', 'cz,$host)/$path', md5('$base' || n), " . ($language eq 'cs' ? "'shown title '" : "'hidden title '") . " || n, '$language'
            from webarchiv.domain d, webarchiv.mimetype m, generate_series($from, $to) n where d.name = 'cz:$host' and m.name = '$type'" };
    my ($side) = compare('webarchiv',
        {hidden => $docs->(1000, 1, 10, 'en', 'secret', '', 'text:plain')},
        {both => $docs->(0, 1, 8, 'cs', 'example', 'page', 'text:html')},
        {hidden => $docs->(1010, 1, 30, 'en', 'example', 'page', 'text:html') . '; ' . $docs->(1100, 1, 3, 'en', 'example', 'hidden', 'text:html')},
        {both => "update webarchiv.doc set language = 'sk' where id = 3; update webarchiv.doc set language = 'sk' where id = 4"},
        {hidden => "update webarchiv.doc set title = 'gone' where id = 3; delete from webarchiv.doc where id in (4, 1002)"},
        {both => "update webarchiv.doc set language = 'cs', title = 'shown title 3' where id = 3; delete from webarchiv.doc where id = 5"},
        {both => $docs->(20, 1, 4, 'cs', 'other', 'b/c', 'text:html')},
        {hidden => $docs->(1200, 1, 9, 'en', 'other', 'b/c', 'text:html') . '; delete from webarchiv.doc where id = 1003'});
    is $side->{db}->value("select string_agg(d.title, ', ' order by p.key = md5('cz,example)/page')::uuid) from webarchiv.page_words p join webarchiv.doc d using (id) where p.view = 0 and p.key in (md5('cz,example)/page')::uuid, md5('cz,other)/b/c')::uuid)"),
        'hidden title 9, hidden title 30', 'of both pages the newest capture is hidden';
    my $found = $side->{view}->ask('/oai/browse/search?lang=en&q=shown')->{body};
    like $found, $_, 'the view finds them by what it shows of them' for qr{other\.cz/b/c}, qr{example\.cz/page};
    rule($side->{main}, 'partners', "[view]\nwhere = language = 'en'\n");
    ok wait_until(sub { publish($side); !$side->{db}->value("select count(*) from oai.view where examined is not null") && $side->{view}->ask('/oai/browse/search?lang=en&q=hidden')->{body} =~ /hidden title 30/ }),
        'and by what it shows when its rule has changed';
    unlike $side->{view}->ask('/oai/browse/search?lang=en&q=shown')->{body}, qr{shown title}, 'and by nothing else';
};
# A harvester of the view that asks from its last responseDate on has, after each of its harvests, just what a fresh one gets, and
# what SQL says that the view shows: under random changes of items, of the rule, and of a set that another rule makes.
subtest 'a harvester of a view misses nothing' => sub {
    my $side = side('library');
    my $view = $side->{view};
    $side->{db}->run(items(1, 30, 'v', kind => 'book', language => 'cs'));
    rule($side->{main}, 'young', "[set]\nspec = young\nname = Young\nwhere = year > '2010'\n");
    publish($side);
    $view->start;
    my $harvest = sub {
        my ($copy, $from) = @_;
        my ($query, $first) = ('verb=ListIdentifiers&metadataPrefix=oai_dc' . ($from ? "&from=$from" : ''));
        while (1) {
            my $body = $view->ask($query)->{body};
            my ($date) = $body =~ /<responseDate>(.*?)</;
            $first //= $date;
            while ($body =~ m{<header( status="deleted")?><identifier>oai:example.org:(.*?)</identifier>(.*?)</header>}g) {
                my ($deleted, $id, $rest) = ($1, $2, $3);
                $copy->{$id} = ($deleted ? 'deleted ' : '') . join ' ', sort $rest =~ /<setSpec>(.*?)</g;
            }
            my ($token) = $body =~ m{<resumptionToken[^>]*>([^<]+)} or return $first;
            $query = "verb=ListIdentifiers&resumptionToken=$token";
        }
    };
    my ($limit, %copy, $from, @wrong) = (0);
    for my $round (1 .. 10) {
        my $some = sub { return 'id % 7 = ' . int rand 7 };
        my @changes = ("update library.item set rights = array['nobody'] where " . $some->(), "update library.item set rights = array['partners'] where " . $some->(),
            "update library.item set title = array['round $round'] where " . $some->(), 'delete from library.item where ' . $some->(), 'update library.item set deleted = false where ' . $some->(),
            "update library.item set year = 1995 + id % 9 + $round where " . $some->());
        $side->{db}->run(map { $changes[rand @changes] } 1 .. 3);
        if ($round % 3 == 0) {
            $limit = 2000 + int rand 8;
            rule($side->{main}, 'partners', "[view]\nwhere = 'partners' = any (rights)\nwhere = and year > '$limit'\n");
        }
        $round == 5 ? unlink "$side->{main}{dir}/sets/young.set" : $round == 8 ? rule($side->{main}, 'young', "[set]\nspec = young\nname = Young\nwhere = year < '2005'\n") : 0;
        publish($side);
        $view->wait_for_horizon;
        my %before = %copy;
        $from = $harvest->(\%copy, $from);
        $harvest->(\my %fresh);
        push @wrong, map { "round $round: $_ is '" . ($copy{$_} // 'unknown') . "', not '$fresh{$_}'" } grep { ($copy{$_} // '') ne $fresh{$_} } sort keys %fresh;
        push @wrong, map { "round $round: $_ is absent" } grep { !defined $fresh{$_} } sort keys %copy;
        my %met = map { $_->[0] => 1 } $side->{db}->rows("select local_id from library.item where not deleted and rights[1] = 'partners' and year > $limit");
        push @wrong, map { "round $round: $_ is shown, and should not" } grep { $fresh{$_} !~ /^deleted/ && !$met{$_} } sort keys %fresh;
        push @wrong, map { "round $round: $_ is not shown" } grep { ($fresh{$_} // 'deleted') =~ /^deleted/ } sort keys %met;
        push @wrong, map { "round $round: " . join ' ', @$_ } $side->{db}->rows('select * from oai.check_views()');
    }
    is join("\n", @wrong), '', 'incremental harvests, fresh ones and the rule agree';
    ok wait_until(sub { publish($side); $side->{db}->value('select bool_and(packed_set = 0 and packed_from = last_seq) from oai.view') eq 't' }), 'its chunks are looked through';
    is_deeply [$side->{db}->rows('select a.set_id from oai.view_chunk a join oai.view_chunk b on b.view = a.view and b.set_id = a.set_id and b.first_seq = (select min(first_seq) from oai.view_chunk c where c.view = a.view and c.set_id = a.set_id and c.first_seq > a.first_seq) where cardinality(a.seqs) + cardinality(b.seqs) <= 128')],
        [], 'no two neighbours would fit into one';
    my ($counts) = $side->{db}->rows("select v.item_count, (select count(*) from oai.view_item i where i.view = v.id), v.last_seq = (select max(seq) from oai.view_item i where i.view = v.id) from oai.view v");
    is $counts->[0], $counts->[1], 'and the size is right';
    is_deeply [$side->{db}->rows('select spec, s.item_count, count(i.id) from oai.view_set s left join oai.view_item i on exists (select from oai.view_set l where l.id = any (i.set_ids) and s.id = any (l.path)) group by 1, 2 having s.item_count <> count(i.id)')],
        [], 'and those of its sets';
    unlink "$side->{main}{dir}/sets/partners.set";
    ok wait_until(sub { publish($side); $side->{db}->value('select count(*) from oai.view_item') == 0 }), 'a view whose file is gone is removed';
    is $view->ask('verb=ListIdentifiers&metadataPrefix=oai_dc')->{status}, 503, 'and its server says that it has nothing to show';
};
done_testing();
