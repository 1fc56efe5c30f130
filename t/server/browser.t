#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The pages for people in a real browser (Debian's Chromium): hostile metadata stays text, nothing is loaded from other sites,
# everything works without a script, by keyboard, with a screen reader, on a phone, in dark mode and in high contrast.
# Environment: OAI_AXE, the file axe.min.js, which then checks the pages, too; OAI_PICTURES, a directory for screenshots.
use utf8;
use TestProgram;
use Browser;
use Encode qw(decode encode);
use HTTP::Tiny;
use JSON::PP;

# A repository of model library with pages for people, behind nginx, with the golden data and records with hostile titles; Czech is
# its first language. It has base; record, the address of a record without its local id; pages, name => address, one of each kind;
# hostile, local id => title. BrowseSite->archive is one of model webarchiv: 60 captures of http://www.example.cz/page from 2008 to
# 2014 with Czech titles, and a page of blog.example.cz; it has base and pages, too.
package BrowseSite {
use Encode qw(encode);

my %hostile = (
    'evil/script' => q{<script>window.owned = 1</script><img src=x onerror="window.owned = 1">},
    'evil/attribute' => q{"><svg onload="window.owned = 1"> ' onmouseover='window.owned = 1' x='},
    'evil/json' => q{</script><script>window.owned = 1</script><!-- \u003c},
    'evil/right-to-left' => "\x{202E}txt.exe\x{202C} עברית العربية",
    'evil/long' => 'nekonečně' x 1200,
    'evil/entity' => '&lt;b&gt; &amp;amp; %3Cscript%3E {1} {2}',
    q{evil/'&()*+,;=@~%41} => 'An odd identifier',
);
sub quoted { return "'" . ($_[0] =~ s/'/''/gr) . "'" }

sub new {
    my ($class) = @_;
    my $db = Database->new(model => 'library');
    Database::psql($db->conninfo, '-f', "$main::root/t/golden/library.sql");
    $db->publish;
    my $links = q{array['javascript:window.owned = 1', 'data:text/html,<script>window.owned = 1</script>']};
    my $id = 100;    # beyond the ids of the golden data
    $db->run(encode('UTF-8', join '', map { my $title = quoted($hostile{$_}); 'insert into library.item (id, local_id, kind, title, description, identifier)'
        . " overriding system value values (@{[$id++]}, @{[quoted($_)]}, 'book', array[$title], array[$title], $links);\n" } sort keys %hostile));
    my $self = $class->serve($db, "$main::root/xslt/library");
    return bless {%$self, record => "$self->{base}/browse/record/oai:archive.example.org:", hostile => \%hostile, pages => pages("$self->{base}/browse")}, $class;
}

# Publishes, makes the index of words and starts the server, as new and archive say above.
sub serve {
    my ($class, $db, $formats, %browse) = @_;
    my $server = Repository->new(db => $db, formats => $formats, ini => {
        browse => {directory => "$main::root/xslt/page", languages => 'cs en sk de', %browse},
        repository => {name => 'Golden <Web> & Archive', base_url => 'http://archive.example.org/oai', admin_email => 'archive@example.org',
            identifier_namespace => 'archive.example.org'}})->start;
    my ($status, $said) = $server->oai('publish', '--once');
    die $said if $status != 0;
    return {db => $db, server => $server, base => $server->url};
}

sub archive {
    my ($class) = @_;
    my $db = Database->new;
    $db->run(q{insert into webarchiv.domain (name) values ('cz:example:www'), ('cz:example:blog')}, q{insert into webarchiv.mimetype (name) values ('text:html')},
        encode('UTF-8', q{insert into webarchiv.doc (archived_time, id_domain, id_mimetype, status, url, surt, digest, title, language)
          select timestamptz '2008-01-15 12:00:00Z' + n * interval '40 days', d.id, m.id, 200, 'http://www.example.cz/page', 'cz,example)/page', md5(n::text), 'Žluťoučký kůň č. ' || n, 'cs'
          from webarchiv.domain d, webarchiv.mimetype m, generate_series(0, 59) n where d.name = 'cz:example:www' and m.name = 'text:html'
          union all select '2011-05-01 06:30:00Z', d.id, m.id, 200, 'http://blog.example.cz/', 'cz,example,blog)/', md5('blog'), 'Horses & <ships>', 'en'
          from webarchiv.domain d, webarchiv.mimetype m where d.name = 'cz:example:blog' and m.name = 'text:html'}));
    my $self = $class->serve($db, "$main::root/xslt", replay => 'https://replay.example.org/{archived_time}/{url}');
    my $at = "$self->{base}/browse";
    my %path = (archive => '?lang=en', archive_words => '/search?q=kun&lang=en', archive_captures => '/search?q=example.cz/page&lang=en', archive_year => '/search?q=example.cz/page&from=2010&to=2010&lang=cs',
        archive_host => '/search?q=example.cz&lang=en', archive_none => '/search?q=example.cz/nothing&lang=en', archive_record => '/record/oai:archive.example.org:7?lang=en');
    return bless {%$self, pages => {map { $_ => "$at$path{$_}" } keys %path}}, $class;
}

sub pages {
    my ($at) = @_;
    my $record = 'record/oai:archive.example.org:';
    my %path = (
        home => '?lang=en', formats => '/formats?lang=en', sets => '/sets?set=lang&lang=en', list => '/list?lang=en',
        record => "/${record}thesis/1234?lang=en", missing => '/nothing?lang=en', refused => '/list?from=x&lang=en', czech => '?lang=cs',
        words => '/search?q=horses&lang=en', no_words => '/search?q=nosuchword&lang=cs', deep => '/list?after=3&n=3&lang=cs', hostile => "/${record}evil/script",
        long_title => "/${record}evil/long",
        explore_error => '/explore?verb=ListRecords&from=never&until=2020-01-01&lang=en',
        explore => '/explore?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:archive.example.org:thesis/1234&lang=en',
    );
    return {map { $_ => "$at$path{$_}" } keys %path};
}
}

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output todo_output);

my $browser = Browser->new(shared_directory() . '/chromium');
my $site = BrowseSite->new;
my $archive = BrowseSite->archive;
my ($base, $record) = @$site{qw(base record)};
my %pages = (%{$site->{pages}}, %{$archive->{pages}});
my %hostile = %{$site->{hostile}};
END { my $status = $?; undef $browser; $? = $status }

$browser->cdp('Browser.grantPermissions', {permissions => ['clipboardReadWrite', 'clipboardSanitizedWrite'], origin => $base =~ s{/oai$}{}r});

my $accessible = decode('UTF-8', slurp("$root/t/lib/accessible.js"));
my $axe = $ENV{OAI_AXE} ? decode('UTF-8', slurp($ENV{OAI_AXE})) : undef;

sub picture { my ($name) = @_; $browser->picture("$ENV{OAI_PICTURES}/$name.png") if $ENV{OAI_PICTURES}; return }
sub window { my ($width, $height) = @_; $browser->cdp('Emulation.setDeviceMetricsOverride', {width => $width, height => $height, deviceScaleFactor => 1, mobile => JSON::PP::false}); return }
sub scheme { my ($name) = @_; $browser->cdp('Emulation.setEmulatedMedia', {features => [{name => 'prefers-color-scheme', value => $name}]}); return }
sub heading { return $browser->run('return document.querySelector("h1").textContent') }

# Checks the open page in windows as wide as a phone, a tablet and a desktop, in light and dark mode; in the short form each page in
# one of these and in one language, another for the next.
my @all_ways = map { my $width = $_; map { [$_, $width, $width < 1000 ? $width * 2 : 900] } qw(light dark) } 390, 768, 1280;
my $checked = sample_number();
sub check_page {
    my ($page) = @_;
    for my $how (is_long() ? @all_ways : $all_ways[$checked++ % @all_ways]) {
        my ($scheme, $width, $height) = @$how;
        window($width, $height);
        scheme($scheme);
        my $wrong = $browser->run($accessible);
        is "@{[map { qq(\n$_) } @$wrong]}", '', "$page, $scheme, $width wide";
        picture("$page-$scheme-$width");
        next if !$axe;
        $browser->run($axe) if $browser->run('return typeof axe === "undefined"');
        my $found = $browser->run_async('axe.run({rules: {"target-size": {enabled: true}}}).then(arguments[0])')->{violations};
        is join("\n", map { "$_->{impact}: $_->{id}: $_->{help}: $_->{nodes}[0]{html}" } @$found), '', "axe-core: $page, $scheme, $width wide";
    }
    return;
}

my (@requests, @messages);
subtest 'all pages are accessible on a phone, a tablet and a desktop, in light and dark mode, in each language' => sub {
    $browser->requests;    # forgets the requests of the start page
    $browser->console_messages;
    for my $page (sort keys %pages) {
        for my $language ($pages{$page} !~ /lang=/ ? 'cs' : is_long() ? qw(en cs sk de) : (qw(en cs sk de))[$checked % 4]) {
            $browser->go($pages{$page} =~ s/(?<=lang=)\w+/$language/r);
            is $browser->run('return document.documentElement.lang'), $language, "$page is in the language $language" if $pages{$page} =~ /lang=/;
            check_page("$page-$language");
        }
    }
    window(1280, 900);
    scheme('dark');
    @requests = $browser->requests;
    @messages = $browser->console_messages;
    SKIP: { skip 'axe-core is not in Debian: set OAI_AXE to its axe.min.js', 1 if !$axe; pass 'axe-core has checked them, too' }
};

subtest 'the checks find what they look for' => sub {
    $browser->go($pages{home});
    is_deeply $browser->run($accessible), [], 'the unchanged page has no problem';
    $browser->run(q{document.querySelector('label').remove(); document.querySelector('h2').outerHTML = '<h4>x</h4>';
        document.querySelector('footer p').style.color = matchMedia('(prefers-color-scheme: dark)').matches ? '#333' : '#ccc';
        document.body.insertAdjacentHTML('beforeend', '<a href="/"></a><p id="main"></p><div>x</div>');
        document.body.lastElementChild.style.width = '3000px'});
    my $wrong = join "\n", @{$browser->run($accessible)};
    like $wrong, qr/^\Q$_\E/m, "$_ is found" for qw(3.3.2 1.3.1 1.4.3 4.1.2 4.1.1 1.4.10);
};

subtest 'hostile metadata stays text' => sub {
    window(1200, 900);
    my $untouched = 'return window.owned === undefined && document.images.length';
    for my $page ("$base/browse/list", "$base/browse/formats", "$base/browse", "$base/browse/explore?verb=ListRecords&metadataPrefix=oai_dc",
            "$base/browse/explore?verb=GetRecord&metadataPrefix=%3Cscript%3Ewindow.owned%3D1%3C/script%3E&identifier=%22onfocus=%22window.owned%3D1%22autofocus=%22") {
        $browser->go($page);
        is $browser->run($untouched), 0, "$page: no injected script has run, and there is no image";
    }
    for my $id (sort keys %hostile) {
        # Of a very long record only the first 2,000 bytes of a text are shown.
        my $loaded = $hostile{$id};
        $loaded = decode('UTF-8', substr(encode('UTF-8', $loaded), 0, 2_000), Encode::FB_QUIET) . "\x{2026}" if length $loaded > 5_000;
        my $title = $loaded =~ s/\s+/ /gr;
        my $address = $record . join '', map { /[A-Za-z0-9\/]/ ? $_ : sprintf '%%%02X', ord } split //, encode('UTF-8', $id);
        $browser->go($address);
        is $browser->run($untouched), 0, "$id: no injected script has run, and there is no image";
        is heading(), $title, "$id: the title is the one that was loaded";
        is $browser->run('return document.scripts.length'), 2, 'two scripts: ours, and JSON-LD';
        is $browser->run('return JSON.parse(document.querySelector("script[type=\"application/ld+json\"]").textContent).name[0]'), $loaded, 'JSON-LD is JSON and has the same title';
        is $browser->run('return document.querySelector("meta[name=\"DC.title\"]").content'), $loaded, 'DC.title has it, too';
        is $browser->run('return [...document.querySelectorAll("main a")].filter(a => !/^https?:$/.test(a.protocol)).length'), 0, 'no link is a script';
        is $browser->run('return [...document.querySelectorAll("*")].filter(e => [...e.attributes].some(a => /^on/.test(a.name))).length'), 0, 'no element has an event handler';
        my $said = $browser->run('const d = new DOMParser().parseFromString(document.getElementById("xml-oai_dc").textContent, "application/xml");'
            . 'return d.querySelector("parsererror") ? "not XML" : d.getElementsByTagNameNS("*", "title")[0].textContent');
        is $said, $loaded, 'the XML on the page is well-formed and has the same title';
    }
    $browser->go("$base/browse/list");
    my $addresses = $browser->run('return [...document.querySelectorAll("ol.records a")].map(a => [a.href, a.textContent])');
    for my $link (grep { $_->[1] eq 'An odd identifier' } @$addresses) { $browser->go($link->[0]); is heading(), 'An odd identifier', 'a link leads to an odd identifier' }
};

subtest 'the pages load nothing from other sites, and work without scripts' => sub {
    cmp_ok scalar @requests, '>', scalar keys %pages, 'the requests of all pages were recorded';
    my $own = join '|', map { (quotemeta, quotemeta s{oai$}{favicon.ico}r) } $base, $archive->{base};
    my $elsewhere = join "\n", grep { !m{^(?:$own)(?:[/?]|$)|^data:} } @requests;
    is $elsewhere, '', 'every request goes to the repository';
    is join("\n", grep { !/status of 40[04]/ } @messages), '', 'the console is silent';
    for my $page (grep({ $_ ne 'record' } sort keys %pages), 'record') {
        $browser->cdp('Emulation.setScriptExecutionDisabled', {value => JSON::PP::true});
        $browser->go($pages{$page});
        picture("$page-without-script");
        $browser->cdp('Emulation.setScriptExecutionDisabled', {value => JSON::PP::false});
        like heading(), qr/\S/, "$page, without scripts: has a heading";
        is $browser->run('return [...document.querySelectorAll("button.copy")].filter(b => b.getClientRects().length).length'), 0, 'and no button that needs a script';
    }
    cmp_ok $browser->run('return document.querySelectorAll("pre.xml").length'), '>', 5, 'and all formats are shown';
};

subtest 'links, buttons and languages' => sub {
    window(1200, 900);
    $browser->go($base);
    like heading(), qr/^Golden <Web> & Archive$/, 'base_url is a page for a browser that goes there';
    is $browser->run('return document.documentElement.lang'), 'cs', 'in the first configured language, since the browser accepts none of them' if $browser->run('return navigator.language') !~ /^en/;
    $browser->go("$base?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:archive.example.org:book/7");
    is heading(), 'A Book', 'a GetRecord request by a browser shows the page of the record';
    $browser->go($pages{record});
    my $open = 'return [...document.querySelectorAll(".format")].filter(f => f.checkVisibility()).map(f => f.querySelector("h3").textContent)';
    my @formats = @{texts('a[href^="#format-"]')};
    is_deeply $browser->run($open), [$formats[0]], 'of the formats of a record one is seen';
    $browser->click(qq{a[href="#format-$formats[2]"]});
    is_deeply $browser->run($open), [$formats[2]], 'a link shows another instead, without a script';
    $browser->click('button[data-copy="cite-iso690"]');
    wait_until(sub { $browser->run('return document.getElementById("said").textContent') });
    like $browser->run_async('navigator.clipboard.readText().then(arguments[0], e => arguments[0]("" + e))'), qr/^\s*Nováková, Jana\. Žluťoučký kůň & <jiné> barvy \[online\]\. /, 'a citation is copied';
    is_deeply $browser->run('return [...document.querySelectorAll("ul.files a")].map(a => a.textContent)'), ['BibTeX', 'CSL-JSON', 'ISO 690 (text)', 'RIS'], 'or fetched as a file';
    my $fetched = decode('UTF-8', HTTP::Tiny->new->get($browser->run('return document.querySelector("ul.files a[href*=ris]").href'))->{content});
    like $fetched, qr/^TY  - THES\r\nTI  - Žluťoučký kůň & <jiné> barvy\r\n/, 'which is what the page says';
    $browser->click('a[href="#format-oai_dc"]');
    $browser->click('button[data-copy="xml-oai_dc"]');
    my $said = 'return document.getElementById("said").textContent';
    wait_until(sub { $browser->run($said) });
    is $browser->run($said), 'Copied', 'a button copies and reports it';
    my $copied = $browser->run_async('navigator.clipboard.readText().then(arguments[0], e => arguments[0]("" + e))');
    is $copied, $browser->run('return document.getElementById("xml-oai_dc").textContent'), 'it copies the XML that it belongs to';
    $browser->go($pages{home});
    $browser->click('.languages a[lang=cs]');
    like $browser->run('return document.title'), qr/^O tomto repozitáři/, 'a link switches the language';
    $browser->click('nav a[href*="/sets"]');
    is $browser->run('return document.documentElement.lang'), 'cs', 'which is kept on the next page';
};

# Types into the search box of the page that is open, presses Enter and waits for the next page.
sub look_for {
    my ($words) = @_;
    $browser->run('window.before = true; const q = document.getElementById("q"); q.value = ""; q.focus()');
    $browser->press(split(//, $words), "\x{E007}");
    return wait_until(sub { $browser->run('return !window.before && document.readyState === "complete"') });
}
sub texts { my ($selector) = @_; return $browser->run('return [...document.querySelectorAll(arguments[0])].map(e => e.textContent.trim().replace(/\s+/g, " "))', $selector) }

subtest 'a person searches a library' => sub {
    window(390, 780);
    $browser->go($pages{home});
    ok look_for('zlutoucky kun'), 'words are typed into the box of the first page';
    is_deeply texts('ol.records > li > a'), ['Žluťoučký kůň & <jiné> barvy = The Yellowish Horse and Other Colours'], 'the record is found without accents';
    is $browser->run('return document.getElementById("q").value'), 'zlutoucky kun', 'the box keeps what was typed';
    is $browser->run('return document.documentElement.lang'), 'en', 'the language is kept';
    look_for('here');
    my $all = @{texts('ol.records > li')};
    $browser->click('.facets a[href*="kind=type:map"]');
    is_deeply texts('ul.filters-on li'), ['Kind: Map remove'], 'a facet narrows the search, and says so';
    cmp_ok scalar @{texts('ol.records > li')}, '<', $all, 'to fewer records';
    $browser->click('ul.filters-on a');
    is scalar @{texts('ol.records > li')}, $all, 'it is removed again';
    look_for('nosuchword');
    like texts('main')->[0], qr/No record has all of these words: nosuchword.*nosuchwor\*/, 'what has no match says what was looked for and how to widen it';
    look_for('<script>window.owned=1</script>');
    is $browser->run('return window.owned'), undef, 'what is typed stays text';
    like heading(), qr{<script>window.owned=1</script>}, 'and is shown';
};

subtest 'on a phone the first record is on the first screen, and leads to others' => sub {
    window(390, 780);
    for my $page (qw(list words archive_words)) {
        $browser->go($pages{$page});
        cmp_ok $browser->run('return document.querySelector("ol.records > li").getBoundingClientRect().bottom'), '<', 780, $page;
    }
    $browser->go($pages{record} =~ s/lang=en/lang=de/r);
    is scalar @{texts('.crumbs > ul > li')}, 1, 'one row of crumbs stands above the title';
    my $facts = join ' ', @{texts('dl.facts > *')};
    like $facts, qr/Sprache .*Tschechisch/, 'languages are named in that of the reader';
    is scalar(() = $facts =~ /oai:archive\.example\.org:thesis\/1234/g), 1, 'the identifier is there once';
    $browser->click('dl.facts a[href*="search?q=%22"]');
    ok +(grep { /Žluťoučký kůň/ } @{texts('ol.records > li > a')}), 'a name leads to what else has it';
    $browser->go("$base/browse/sets?lang=cs");
    my $sets = join ' ', @{texts('.tree .name')};
    like $sets, qr/Jazyky/, 'trees of sets have names in the language of the reader';
    like $sets, qr/Druhy dokumentů/, '  each of them';
};

subtest 'a person looks for a page of the past' => sub {
    window(390, 780);
    $browser->go($archive->{pages}{archive});
    ok look_for('https://example.cz/page/'), 'a URL is typed';
    is_deeply texts('table th[scope=row]'), [2014, 2013, 2012, 2011, 2010, 2009, 2008], 'its calendar has years';
    is scalar @{texts('ol.records time')}, 50, 'and a list of captures, the newest first';
    $browser->click('a[rel=next]');
    is scalar @{texts('ol.records time')}, 10, 'the next page has the rest';
    look_for('example.cz/page');
    $browser->click('table th[scope=row] a[href*="from=2010"]');
    my $of_2010 = texts('ol.records time');
    is scalar(grep { !/2010/ } @$of_2010), 0, 'a year of the calendar leads to its captures';
    is scalar @$of_2010, 10, 'all of them';
    $browser->click('ol.records li a + a');
    like heading(), qr/^Žluťoučký kůň č\. \d+$/, 'a capture leads to its page, which has its title';
    is scalar(grep { m{^https://replay\.example\.org/2010} } @{$browser->run('return [...document.querySelectorAll("main a")].map(a => a.href)')}), 1, 'from where the replay is a link';
    $browser->click('p.captures a');
    is_deeply texts('h2#calendar'), ['60 captures'], 'and from where a link leads to the calendar of all captures';
    look_for('ships horses');
    is_deeply texts('ol.records > li > a'), ['Horses & <ships>'], 'a page is found by the words of its title';
    $browser->click('ol.records bdi.address a');
    like texts('main')->[0], qr/1 capture\b/, 'its address leads to its captures';
};

subtest 'the explorer works without a script' => sub {
    $browser->go("$base/browse/explore?lang=en");
    $browser->run('document.getElementById("verb").value = "ListIdentifiers"; document.getElementById("metadataPrefix").value = "oai_dc"');
    $browser->cdp('Emulation.setScriptExecutionDisabled', {value => JSON::PP::true});
    $browser->click('form.filters button');
    $browser->cdp('Emulation.setScriptExecutionDisabled', {value => JSON::PP::false});
    # A click does not wait for the page that it leads to where no script may run.
    ok wait_until(sub { $browser->run('return document.getElementById("xml-answer") !== null') }), 'the button leads to the answer' or diag $browser->run('return document.body.textContent');
    my $read = 'const d = new DOMParser().parseFromString(document.getElementById("xml-answer").textContent, "application/xml");'
        . 'return d.querySelector("parsererror") ? "not XML" : ';
    is $browser->run($read . 'd.documentElement.nodeName'), 'OAI-PMH', 'the form sends a request, and the answer is shown as a document';
    cmp_ok $browser->run($read . 'd.getElementsByTagName("header").length'), '>', 3, 'with its headers';
    is $browser->run('return document.getElementById("metadataPrefix").value'), 'oai_dc', 'the form keeps the arguments';
    $browser->go("$base/browse/explore?verb=ListRecords&metadataPrefix=oai_dc");
    is $browser->run($read . '[...d.getElementsByTagName("dc:title")].filter(t => t.textContent.includes("<script>")).length'), 2, 'hostile titles are shown as they were loaded';
};

# The elements that the Tab key is to meet, in their order; window.stops is to have those that it has met.
my $watch = q{
    const all = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary, [tabindex="0"]')]
        .filter(e => e.checkVisibility({visibilityProperty: true}) && e.getClientRects().length > 0);
    window.stops = [];
    document.addEventListener('focusin', ({target}) => {
        const place = all.indexOf(target), ring = target.localName === 'a' && target.querySelector('rect.ground'), style = getComputedStyle(target), box = target.getBoundingClientRect();
        if (window.stops.length > 0 && place === window.stops.at(-1).place) return;    // a date input has several fields
        const width = parseFloat(ring ? getComputedStyle(ring).strokeWidth : style.outlineStyle === 'none' ? '0' : style.outlineWidth);
        window.stops.push({place, seen: width >= 2 && box.width > 0 && box.right > 0, what: target.outerHTML.slice(0, 120)});
    });
    return all.length};
subtest 'everything can be reached by keyboard' => sub {
    for my $how ([390, 'forced-colors', 'active'], [1280, 'prefers-color-scheme', 'light']) {
        my ($width, $feature, $value) = @$how;
        window($width, 900);
        $browser->cdp('Emulation.setEmulatedMedia', {features => [{name => $feature, value => $value}]});
        for my $page (sort keys %pages) {
            $browser->go($pages{$page});
            my $all = $browser->run($watch);
            $browser->press(("\x{E004}") x (2 * $all + 10));    # Tab
            my (@met, %met);
            for my $stop (@{$browser->run('return window.stops')}) { last if $stop->{place} < 0 || $met{$stop->{place}}++; push @met, $stop }
            is "@{[map { $_->{place} } @met]}", "@{[0 .. $all - 1]}", "$page, $width wide: Tab meets all $all in order";
            is join("\n", map { $_->{what} } grep { !$_->{seen} } @met), '', 'each of them shows the focus';
        }
    }
    $browser->go($pages{home});
    $browser->press("\x{E004}");
    $browser->press("\x{E004}") if $browser->run('return document.activeElement === document.body');
    is $browser->run('return document.activeElement.getAttribute("href")'), '#main', 'the first one is the skip link';
    $browser->press("\x{E007}");    # Enter
    is $browser->run('return document.activeElement.id'), 'main', 'which leads to the content';
    my $tree = $browser->cdp('Accessibility.getFullAXTree')->{nodes};
    my %roles;
    $roles{$_->{role}{value} // ''}++ for grep { !$_->{ignored} } @$tree;
    ok $roles{$_}, "a screen reader meets: $_" for qw(banner navigation main contentinfo heading search list);
    my @nameless = grep { !$_->{ignored} && ($_->{role}{value} // '') =~ /^(link|button|textbox|combobox|region|group)$/ && !length($_->{name}{value} // '') } @$tree;
    is scalar(grep { ($_->{role}{value} // '') ne 'group' } @nameless), 0, 'and each control has a name';
};

subtest 'words are true of this repository' => sub {
    my $main = sub { my ($page, $language) = @_; $browser->go($archive->{pages}{$page} =~ s/lang=en/lang=$language/r); return $browser->run('return document.querySelector("main").innerText') };
    like $main->('archive_none', 'de'), qr/Identifikator eines Datensatzes: oai:archive\.example\.org:1\b/, 'the example of an identifier is of its namespace';
    my $record = $main->('archive_record', 'de');
    like $record, qr/^Host\s+www\.example\.cz$/m, 'a host is called so';
    unlike $record, qr/Verlag/, 'and is no publisher of books';
};

done_testing();
