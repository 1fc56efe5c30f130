#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Views (schema/core/views.sql). Two repositories have the same items, and the first has hidden ones as well: before and after the
# visible ones, in sets and with words that these have and that these have not, at the same addresses. After each step of their life
# everything is asked of a server of the view at each, and the answers are compared byte for byte, but for times and tokens. What leaves
# the view in the first is deleted in the second, what comes by another condition is inserted there.
use FindBin;
use lib "$FindBin::Bin/../lib";
use TestProgram;
use WebServer;

my @files = map { "insert into webarchiv.$_" } "arc (file) values ('a.warc.gz')", "mimetype (name) values ('text:html'), ('image:png'), ('video:mp4')",
    "domain (name) values ('cz:a'), ('cz:b'), ('cz:secret')";
# Of each model: SQL that makes an item, and what changes its kind (the condition's), its title and whether it is deleted; and the questions.
my %model = (
    library => {table => 'library.item', condition => "not coalesce(kind in (%s), false)", key => 'local_id', kinds => [qw(secret half book map)],
        insert => sub { my ($id, $kind) = @_; return "insert into library.item (local_id, title, creator, kind, language, year, landing_page)
            values ('$id', array['Title of $id', 'kind$kind'], array['Author'], '$kind', array['cs'], 2001, 'https://example.org/$id')" },
        kind => sub { "kind = '$_[0]'" }, title => sub { "title = array['$_[0]']" }, formats => [qw(oai_dc marc21 oai_etdms nonesuch)],
        sets => [qw(type type:book type:map type:secret type:half lang:cs nonesuch)], pages => []},
    webarchiv => {table => 'webarchiv.doc', key => 'id::text', condition => "not coalesce(status in (%s), false)", formats => [qw(oai_dc warc nonesuch)], sets => [qw(dom dom:cz dom:cz:a dom:cz:secret mim mim:video:mp4 mim:text nonesuch)],
        insert => sub { my ($id, $kind) = @_; my $host = $kind == 500 ? 'secret' : 'a'; return "insert into webarchiv.doc (id, archived_time, url, surt, status, title, id_domain, id_mimetype, id_arc, doc_offset, digest)
            select $id, timestamptz '2020-01-01' + $id * interval '1 day', 'http://a.cz/' || case when $kind >= 500 then 'p' else '$id' end, 'cz,a)/' || case when $kind >= 500 then 'p' else '$id' end, $kind,
                case when $kind < 500 then 'Title of $id' end, d.id, m.id, a.id, $id, 'sha1:$id'
            from webarchiv.domain d, webarchiv.mimetype m, webarchiv.arc a where d.name = 'cz:$host' and m.name = case when $kind = 500 then 'video:mp4' else 'text:html' end" },
        kind => sub { "status = $_[0]" }, title => sub { "title = '$_[0]'" }, kinds => [500, 501, 200, 404],
        pages => [map { ("/oai/browse/captures?$_", "/oai/browse/captures?$_&output=json", "/oai/browse/captures?$_&showNumPages=true&pageSize=1") } 'url=a.cz/p', 'url=a.cz&matchType=host', 'url=cz&matchType=domain&limit=2', 'url=secret.cz'],
        more => ['/oai/timemap/link/http://a.cz/p', '/oai/timemap/json/http://a.cz/101', '/oai/browse/captures?url=a.cz/p&output=cdxj']});

for my $name (sort keys %model) {
    my $m = $model{$name};
    my ($secret, $half, @open) = @{ $m->{kinds} };
    my @pair = map {
        my $db = Database->new(model => $name);
        my $dir = tempdir(CLEANUP => 1);
        chmod 0755, $dir;
        my $formats = $name eq 'library' ? "$root/xslt/library" : "$root/xslt/webarchiv";
        my $r = Repository->new(db => $db, dir => $dir, formats => -d $formats ? $formats : "$root/xslt",
            ini => {repository => {only => 'partners'}, lists => {records => 3, sets => 2}, browse => {directory => "$root/xslt/page", languages => 'en', records => 4}});
        mkdir "$dir/sets" or die $!;
        $db->run(@files) if $name eq 'webarchiv';
        {db => $db, r => $r, hides => $_, dir => $dir};
    } 1, 0;
    my ($first, $second) = @pair;
    my $condition = sub { my @hidden = @_; spew("$_->{dir}/sets/partners.set", "[view]\nwhere = " . sprintf($m->{condition}, join ', ', map { $name eq 'library' ? "'$_'" : $_ } @hidden) . "\n") for @pair };
    my $id = sub { $name eq 'library' ? "i$_[0]" : $_[0] };
    my $add = sub { my ($n, $kind, @of) = @_; $_->{db}->run($m->{insert}->($id->($n), $kind)) for @of ? @of : @pair };
    my $change = sub { my ($n, $what, @of) = @_; $_->{db}->run("update $m->{table} set $what where $m->{key} = '@{[$id->($n)]}'") for @of ? @of : @pair };

    # Until all is numbered, examined and indexed, and both servers show it.
    my $settle = sub {
        for my $one (@pair) {
            wait_until(sub { $one->{db}->value("select (select count(*) from oai.queue) = 0 and (select bool_and(examined is null) from oai.view)
                and (select w.seq >= h.last_seq from oai.words_state w, oai.horizon h)") eq 't' }) or die slurp("$one->{dir}/publisher.log");
            wait_until(sub { $one->{r}->ask('verb=Identify')->{status} eq '200' }) or die $one->{r}->log_text;
        }
    };
    my $plain = sub {
        my ($text) = @_;
        $text =~ s/\d{4}-\d\d-\d\d(?:T|&#160;|\xa0| )\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| UTC)?/TIME/g;
        $text =~ s/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} [\d:]{8} GMT/TIME/g;
        $text =~ s/"lag_seconds": \d+|\d{14}\.0|\d+ s(?:econds)? ago|(?:up|published up to|process) [^,\n]*/TIME/g;
        $text =~ s/[A-Za-z0-9_-]{60,}/TOKEN/g;
        $text =~ s{changes/[0-9a-f]+/}{changes/EPOCH/}g;
        return $text;
    };
    my $ask = sub { my ($one, $query) = @_; my $a = $one->{r}->ask($query);
        return join "\n", $a->{status}, (map { "$_: $a->{headers}{$_}" } grep { !/^(?:etag|last-modified|content-length)$/i } sort keys %{ $a->{headers} }), $a->{body} };
    my $compared = 0;
    my $alike = sub {
        my ($step, @queries) = @_;
        for (; my $query = shift @queries; $compared++) {
            my @said = map { $ask->($pair[$_], ref $query ? $query->[$_] : $query) } 0, 1;
            return fail("$step: $query: $said[0]") if grep { /^5/ } @said;
            my @lines = map { [split /\n/, $plain->($_)] } @said;
            for my $n (0 .. ($#{ $lines[0] } > $#{ $lines[1] } ? $#{ $lines[0] } : $#{ $lines[1] })) {
                my @line = map { $lines[$_][$n] // 'nothing' } 0, 1;
                next if $line[0] eq $line[1];
                my $same = length +(($line[0] ^ $line[1]) =~ /^(\0*)/)[0];
                my @near = map { substr $_, ($same > 200 ? $same - 200 : 0), 400 } @line;
                return is($near[0], $near[1], "$step: " . (ref $query ? $query->[0] : $query));
            }
            my @tokens = map { m{<resumptionToken[^>]*>([^<]+)<} ? $1 : () } @said;
            unshift @queries, [map { ((ref $query ? $query->[$_] : $query) =~ /(verb=\w+)/)[0] . "&resumptionToken=$tokens[$_]" } 0, 1] if @tokens == 2;
        }
        return ok(1, $step);
    };
    my @ids = map { 'oai:example.org:' . $id->($_) } 1, 2, 101 .. 105, 201, 301, 999;
    my @lists = map { my $verb = $_; map { "verb=$verb&metadataPrefix=$_" } @{ $m->{formats} } } 'ListRecords', 'ListIdentifiers';
    my $questions = sub {
        my $day = substr $first->{db}->value("select now() at time zone 'UTC'"), 0, 10;
        return ('verb=Identify', 'verb=ListMetadataFormats', 'verb=ListSets', 'verb=Nonsense', 'verb=ListSets&resumptionToken=AAAA', @lists,
            (map { my $set = $_; map { "$_&set=$set" } @lists[0, 1, -2] } @{ $m->{sets} }),
            (map { ("$lists[-2]&from=$_", "$lists[-2]&until=$_") } $day, '1999-01-01', '2999-01-01'),
            (map { my $i = $_; ("verb=ListMetadataFormats&identifier=$i", map { "verb=GetRecord&identifier=$i&metadataPrefix=$_" } @{ $m->{formats} }) } @ids),
            (map { "/oai/browse$_" } '', '/', '/sets', (map { ("/sets?set=$_", "/list?set=$_", "/search?q=title&kind=$_") } @{ $m->{sets} }), '/list', '/formats',
                '/search?q=title', '/search?q=secret', '/search?q=kindhalf', '/nonesuch', '/sitemap.xml', '/sitemap/0.xml', '/sitemap/1.xml'),
            (map { ("/oai/browse/record/$_", "/oai/browse/record/$_.ris", "/oai/browse/ris/$_", "/oai/browse/bibtex/$_", "/oai/browse/csl/$_", "/oai/browse/linkset/$_") } @ids),
            @{ $m->{pages} }, @{ $m->{more} // [] }, '/oai/changes', '/oai/changes/1', '/oai/changes?page=1', '/oai/-/health');
    };

    $add->(1, $secret, $first);                       # its sets and words are there before all others
    $add->(101, $open[0]);
    $add->(2, $half, $first);
    $add->($_, $open[$_ % 2]) for 102 .. 105;
    $add->(3, $secret, $first);
    $condition->($secret, $half);
    for my $one (@pair) {
        $one->{publisher} = start_program(["$one->{r}{bin}/oai", '--config', $one->{r}{ini}, 'publish'], out => "$one->{dir}/publisher.log");
        $one->{r}->start(unchecked => 1);
        wait_until(sub { -S $one->{r}{socket} && chmod 0666, $one->{r}{socket} }) or die $one->{r}->log_text;
        wait_until(sub { $one->{db}->value('select count(*) from oai.view where is_filled') }) or die slurp("$one->{dir}/publisher.log");
    }
    $settle->();
    $alike->("$name: as it began", $questions->());
    $add->(201, $open[1]);
    $change->(1, $m->{title}->('other'), $first);
    $add->(4, $half, $first);
    $settle->();
    $alike->("$name: more came, and what is hidden changed", $questions->());
    $change->(102, $m->{kind}->($secret), $first);
    $change->(102, 'deleted = true', $second);
    $settle->();
    my $left = $first->{db}->value("select datestamp from oai.shown where deleted");
    $change->(102, $m->{title}->('hidden again'), $first);
    $change->(103, $m->{title}->('changed'));
    $settle->();
    is $first->{db}->value("select datestamp from oai.shown where deleted"), $left, "$name: what left has the second at which it did";
    like $ask->($first, "verb=GetRecord&metadataPrefix=oai_dc&identifier=$ids[3]"), qr/status="deleted"/, 'it is a deleted record';
    like $ask->($first, "verb=GetRecord&metadataPrefix=oai_dc&identifier=$ids[0]"), qr/idDoesNotExist/, 'what never was there is unknown';
    $alike->("$name: one left", $questions->());
    my $whole = $first->{db}->value("select string_agg(seq || ' ' || datestamp, ',' order by id) from oai.item");
    $condition->($secret);
    $add->(2, $half, $second);
    $add->(4, $half, $second);
    wait_until(sub { $first->{db}->value("select count(*) from oai.view where condition !~ '501|half' and examined is null") }) or die;
    $settle->();
    wait_until(sub { $ask->($_, "verb=GetRecord&metadataPrefix=oai_dc&identifier=$ids[1]") =~ /<metadata>/ }) or die for @pair;
    is $first->{db}->value("select string_agg(seq || ' ' || datestamp, ',' order by id) from oai.item"), $whole, "$name: the repository itself is not published anew";
    $change->(102, $m->{kind}->($open[0]), $first);
    $change->(102, 'deleted = false, ' . $m->{title}->('hidden again'), $second);
    $settle->();
    $alike->("$name: others came by the condition, and one returned", grep { !/GetRecord.*:102/ } $questions->());
    my ($token) = $ask->($first, $lists[0]) =~ m{<resumptionToken[^>]*>([^<]+)<};
    spew("$first->{dir}/whole.ini", slurp($first->{r}{ini}) =~ s/^only = .*\n//mr);
    my ($status, $said) = run_program("$first->{r}{bin}/oai", '--config', "$first->{dir}/whole.ini", 'get', "verb=ListRecords&resumptionToken=$token");
    like $said, qr/badResumptionToken/, "$name: a token of the view is refused by another server";
    ($status, $said) = run_program("$first->{r}{bin}/oai", '--config', "$first->{dir}/whole.ini", 'get', "verb=GetRecord&metadataPrefix=oai_dc&identifier=$ids[0]");
    like $said, qr/<metadata>/, 'which has what is hidden here';
    $first->{db}->run("delete from $m->{table} where $m->{key} = '@{[$id->(3)]}'");
    $settle->();
    is join(' ', map { my $check = $_; map { "$check: " . join ' ', map { $_ // '' } @$_ } $first->{db}->rows("select * from oai.check_$check()") } qw(chunks items rules)), '', "$name: views, chunks and counters are right";
    if ($name eq 'library') {
        # Formats of its own, by links, and who may come: the lines are those of the manual.
        mkdir "$first->{dir}/formats" or die $!;
        symlink "$root/xslt/library/$_", "$first->{dir}/formats/$_" or die $! for 'oai_dc.xsl', 'marc21.xsl', 'part';
        spew("$first->{dir}/formats.ini", slurp($first->{r}{ini}) =~ s/^directory = .*library$/directory = $first->{dir}\/formats/mr);
        my @said = map { (run_program("$first->{r}{bin}/oai", '--config', "$first->{dir}/formats.ini", 'get', $_))[1] } 'verb=ListMetadataFormats', $lists[0] =~ s/oai_dc/mods/r;
        is join(' ', $said[0] =~ /<metadataPrefix>(\w+)/g), 'oai_dc marc21', 'formats of its own are listed';
        like $said[1], qr/cannotDisseminateFormat/, 'and no others answered';
        my $page = slurp("$root/deploy/manual/sets.md");
        my ($map) = $page =~ /^    (map .*?\})$/m;
        for my $way (['allow', ['X-Test-Client: 192.0.2.7']], ['auth_basic', ['Authorization: Basic cGFydG5lcjpzZWNyZXQ=']], ['if', ['Authorization: Bearer 0a1b2c3d']]) {
            my ($begins, $headers) = @$way;
            my ($line) = $page =~ /^    (\Q$begins\E [^#\n]*)/m or die "the manual has no $begins";
            my $files = "$first->{dir}/$begins";
            mkdir $files or die $!;
            chmod 0755, $files;
            spew("$files/htpasswd", 'partner:' . `openssl passwd -apr1 secret`);
            spew("$files/http", "$map\n");
            $line =~ s{/etc/nginx/partners\.htpasswd}{$files/htpasswd};
            spew($files . substr($_, rindex $_, '/'), slurp($_) =~ s/fastcgi_pass oai_fcgi;\n\K/    $line\n/r) for glob "$root/deploy/nginx-oai*.conf";
            local @ENV{qw(OAI_WEB_FILES OAI_WEB_HTTP)} = ($files, "$files/http");
            my $port = WebServer::start('nginx', "$files/web", $first->{r}{socket});
            like WebServer::http($port, 'GET', '/oai?verb=Identify')->{status}, qr/^40[13]$/, "$begins: strangers are refused";
            is WebServer::http($port, 'GET', '/oai?verb=Identify', headers => $headers)->{status}, 200, 'partners are served';
        }
    }
    like +(run_program("$first->{r}{bin}/oai", '--config', "$first->{dir}/whole.ini", 'sets'))[1], qr/^\[view\]\t\d+\tpartners\.set\tpartners$/m, "$name: oai sets lists views";
    like +(run_program("$first->{r}{bin}/oai", '--config', "$first->{dir}/whole.ini", 'check', "$first->{dir}/sets/partners.set"))[1], qr/partners\.set: a view with \d+ of \d+ items; \d+ ms/, 'oai check tries them';
    my $page = sub { $ask->($first, "/oai/browse/record/$ids[2]") };
    run_program("$first->{r}{bin}/oai", '--config', $first->{r}{ini}, 'withdraw', '--reason', 'By <court> order', $ids[2]);
    ok wait_until(sub { $page->() =~ /^410.*<q[^>]*>By &lt;court&gt; order</s }), "$name: a page says why its record is gone";
    is +(run_program("$first->{r}{bin}/oai", '--config', $first->{r}{ini}, 'restore', $ids[2]))[1], "1 restored, 0 unchanged, 0 unknown\n", 'restored';
    ok wait_until(sub { $page->() =~ /^200/ }), 'it is back';
    note "$name: $compared answers compared";
    cmp_ok $compared, '>', 300, 'many answers were compared';
    unlink "$first->{dir}/sets/partners.set";
    ok wait_until(sub { $first->{db}->value('select (select count(*) from oai.view) + (select count(*) from oai.shown) + (select count(*) from oai.view_set)') == 0 }), "$name: a view that is given up leaves nothing";
    like $ask->($first, $lists[-2]), qr/^503/, 'and its server says that it cannot serve';
    stop_program($_->{publisher}), $_->{r}->stop for @pair;
}
done_testing();
