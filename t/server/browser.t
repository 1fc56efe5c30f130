#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The pages for people in a real browser (Debian's Chromium): hostile metadata stays text, nothing comes from elsewhere,
# nothing needs a script, and whoever uses a keyboard, a screen reader, a phone or the dark can read them.
# Environment: OAI_AXE, a file axe.min.js: it judges the pages too. OAI_PICTURES, a directory: pictures of pages go there.
use strict;
use warnings;
use utf8;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Browser;
use Cwd qw(abs_path);
use Encode qw(encode);
use File::Temp qw(tempdir);
use Test::More;
use Time::HiRes qw(sleep);

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output todo_output);

my $root  = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{BUILD} // "$root/build");
my $dir   = tempdir('oai-browser-XXXXXX', TMPDIR => 1);
my ($pid, $web, $browser);
system("$root/t/golden/setup", $dir) == 0 or BAIL_OUT('t/golden/setup failed');
END {
    my $status = $?;
    undef $browser;
    system("$root/t/lib/web.sh", 'stop', $web) if $web;
    if ($pid) { kill TERM => $pid; waitpid $pid, 0 }
    system("$root/t/golden/setup", '--stop', $dir);
    $? = $status;
}

sub slurp { open my $in, '<:encoding(UTF-8)', $_[0] or die "$_[0]: $!"; local $/; return <$in> }

# Titles that try to get out of where they are put.
my $long = 'nekonečně' x 1200;
my %hostile = (
    'evil/script' => q{<script>window.owned = 1</script><img src=x onerror="window.owned = 1">},
    'evil/attribute' => q{"><svg onload="window.owned = 1"> ' onmouseover='window.owned = 1' x='},
    'evil/json' => q{</script><script>window.owned = 1</script><!-- \u003c},
    'evil/right-to-left' => "\x{202E}txt.exe\x{202C} עברית العربية",
    'evil/long' => $long,
    'evil/entity' => '&lt;b&gt; &amp;amp; %3Cscript%3E {1} {2}',
    q{evil/'&()*+,;=@~%41} => 'An odd identifier',
);
sub quoted { return "'" . ($_[0] =~ s/'/''/gr) . "'" }
my $conninfo = slurp("$dir/browse-library.ini") =~ /^connection = (.*)/m ? $1 =~ s/oai_reader/postgres/r : die;
sub psql { open my $in, '|-', 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $conninfo, '-o', '/dev/null' or die $!; print {$in} encode('UTF-8', $_[0]); close $in or die 'psql' }
my $next_id = 100;    # the golden data has chosen its own
psql(join '', map { sprintf "insert into library.item (id, local_id, kind, title, description, identifier) overriding system value values (%d, %s, 'book', array[%s], array[%s], array['javascript:window.owned = 1', 'data:text/html,<script>window.owned = 1</script>']);\n",
    $next_id++, quoted($_), (quoted($hostile{$_})) x 2 } sort keys %hostile);
for (1 .. 3) { psql('select oai.publish(1000)'); sleep 1.1 }

$pid = fork // die $!;
if (!$pid) { open STDERR, '>', "$dir/log" or die $!; exec "$build/release/oai.fcgi", '--config', "$dir/browse-library.ini" or die $! }
for (1 .. 100) { last if -S "$dir/browse-library.sock"; sleep 0.1 }
chmod 0666, "$dir/browse-library.sock";
$web = "$dir/web";
chomp(my $port = `$root/t/lib/web.sh start nginx $web $dir/browse-library.sock`);
my $base = "http://127.0.0.1:$port/oai";
$browser = Browser->new("$dir/chromium");
$browser->cdp('Browser.grantPermissions', {permissions => ['clipboardReadWrite', 'clipboardSanitizedWrite'], origin => "http://127.0.0.1:$port"});

my $accessible = slurp("$root/t/lib/accessible.js");
my $axe = $ENV{OAI_AXE} ? slurp($ENV{OAI_AXE}) : undef;
my $record = "$base/browse/record/oai:archive.example.org:";
my %pages = (
    home => "$base/browse?lang=en", formats => "$base/browse/formats?lang=en", sets => "$base/browse/sets?set=lang&lang=en",
    list => "$base/browse/list?lang=en", record => $record . 'thesis/1234?lang=en', missing => "$base/browse/nothing?lang=en",
    refused => "$base/browse/list?from=x&lang=en", czech => "$base/browse?lang=cs", deep => "$base/browse/list?after=3&n=3&lang=cs",
    explore => "$base/browse/explore?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:archive.example.org:thesis/1234&lang=en",
    conformance => "$base/browse/explore/conformance?lang=cs",
    hostile => $record . 'evil/script', unending => $record . 'evil/long',
);

sub picture { my ($name) = @_; $browser->picture("$ENV{OAI_PICTURES}/$name.png") if $ENV{OAI_PICTURES}; return }
sub window { my ($width, $height) = @_; $browser->cdp('Emulation.setDeviceMetricsOverride', {width => $width, height => $height, deviceScaleFactor => 1, mobile => JSON::PP::false}); return }
sub scheme { my ($name) = @_; $browser->cdp('Emulation.setEmulatedMedia', {features => [{name => 'prefers-color-scheme', value => $name}]}); return }
sub heading { return $browser->run('return document.querySelector("h1").textContent') }

subtest 'accessible on a desk and on a phone, in the light and in the dark' => sub {
    for my $page (sort keys %pages) {
        for my $how (['light', 1200, 900], ['dark', 360, 740]) {
            my ($scheme, $width, $height) = @$how;
            window($width, $height);
            scheme($scheme);
            $browser->go($pages{$page});
            my $wrong = $browser->run($accessible);
            is "@{[map { qq(\n$_) } @$wrong]}", '', "$page, $scheme, $width wide";
            picture("$page-$scheme");
            next if !$axe;
            $browser->run($axe);
            my $found = $browser->run_async('axe.run().then(arguments[0])')->{violations};
            is join("\n", map { "$_->{impact}: $_->{id}: $_->{help}: $_->{nodes}[0]{html}" } @$found), '', "axe-core: $page, $scheme";
        }
    }
    SKIP: { skip 'axe-core is not in Debian: set OAI_AXE to its axe.min.js', 1 if !$axe; pass 'axe-core has judged them too' }
};

subtest 'it finds what it looks for' => sub {
    $browser->go($pages{home});
    is_deeply $browser->run($accessible), [], 'nothing is wrong';
    $browser->run(q{document.querySelector('label').remove(); document.querySelector('h2').outerHTML = '<h4>x</h4>';
        document.querySelector('footer p').style.color = matchMedia('(prefers-color-scheme: dark)').matches ? '#333' : '#ccc';
        document.body.insertAdjacentHTML('beforeend', '<a href="/"></a><p id="main"></p><div>x</div>');
        document.body.lastElementChild.style.width = '3000px'});
    my $wrong = join "\n", @{$browser->run($accessible)};
    like $wrong, qr/^\Q$_\E/m, "$_ is seen" for qw(3.3.2 1.3.1 1.4.3 4.1.2 4.1.1 1.4.10);
};

subtest 'hostile metadata stays text' => sub {
    window(1200, 900);
    my $untouched = 'return window.owned === undefined && document.images.length';
    for my $page ("$base/browse/list", "$base/browse/formats", "$base/browse", "$base/browse/explore?verb=ListRecords&metadataPrefix=oai_dc",
            "$base/browse/explore?verb=GetRecord&metadataPrefix=%3Cscript%3Ewindow.owned%3D1%3C/script%3E&identifier=%22onfocus=%22window.owned%3D1%22autofocus=%22") {
        $browser->go($page);
        is $browser->run($untouched), 0, "$page: no script of theirs has run, no picture is there";
    }
    for my $id (sort keys %hostile) {
        my $title = $hostile{$id} =~ s/\s+/ /gr;
        my $address = $record . join '', map { /[A-Za-z0-9\/]/ ? $_ : sprintf '%%%02X', ord } split //, encode('UTF-8', $id);
        $browser->go($address);
        is $browser->run($untouched), 0, "$id: no script of theirs has run, no picture is there";
        is heading(), $title, "$id: the title is what was loaded";
        is $browser->run('return document.scripts.length'), 2, 'two scripts: ours, and JSON-LD';
        is $browser->run('return JSON.parse(document.querySelector("script[type=\"application/ld+json\"]").textContent).name[0]'), $hostile{$id}, 'JSON-LD is JSON, and says the same';
        is $browser->run('return document.querySelector("meta[name=\"DC.title\"]").content'), $hostile{$id}, 'so does DC.title';
        is $browser->run('return [...document.querySelectorAll("main a")].filter(a => !/^https?:$/.test(a.protocol)).length'), 0, 'no link is a script';
        is $browser->run('return [...document.querySelectorAll("*")].filter(e => [...e.attributes].some(a => /^on/.test(a.name))).length'), 0, 'no element does anything by an attribute';
        my $said = $browser->run('const d = new DOMParser().parseFromString(document.getElementById("xml-oai_dc").textContent, "application/xml");'
            . 'return d.querySelector("parsererror") ? "not XML" : d.getElementsByTagNameNS("*", "title")[0].textContent');
        is $said, $hostile{$id}, 'the XML that is shown is XML, and says the same';
    }
    $browser->go("$base/browse/list");
    my $addresses = $browser->run('return [...document.querySelectorAll("ol.records a")].map(a => [a.href, a.textContent])');
    for my $link (grep { $_->[1] eq 'An odd identifier' } @$addresses) { $browser->go($link->[0]); is heading(), 'An odd identifier', 'a link leads to an odd identifier' }
};

subtest 'nothing from elsewhere, nothing that a script must do' => sub {
    $browser->asked_for;
    $browser->complaints;
    $browser->go($pages{$_}) for sort keys %pages;
    is join("\n", grep { !m{^\Q$base\E[/?]?} && !/^data:/ && $_ ne "http://127.0.0.1:$port/favicon.ico" } $browser->asked_for), '', 'every request goes to the repository';
    is join("\n", grep { !/status of 40[04]/ } $browser->complaints), '', 'the console is silent';
    $browser->cdp('Emulation.setScriptExecutionDisabled', {value => JSON::PP::true});
    $browser->go($pages{record});
    picture('record-without-script');
    $browser->cdp('Emulation.setScriptExecutionDisabled', {value => JSON::PP::false});
    is $browser->run('return [...document.querySelectorAll("button.copy")].filter(b => b.getClientRects().length).length'), 0, 'without it, no button that would do nothing';
    cmp_ok $browser->run('return document.querySelectorAll("pre.xml").length'), '>', 5, 'and all formats are there';
};

subtest 'people get around' => sub {
    window(1200, 900);
    $browser->go($base);
    like heading(), qr/^Golden <Web> & Archive$/, 'base_url is a page for a browser that goes there';
    is $browser->run('return document.documentElement.lang'), 'cs', 'in the first language, for a browser that wants none of them' if $browser->run('return navigator.language') !~ /^en/;
    $browser->go("$base?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:archive.example.org:book/7");
    is heading(), 'A Book', 'and so is a request that harvesters would send';
    $browser->go($pages{home});
    my $bar = $browser->run('const a = document.querySelector(".histogram a"); return a.getAttribute("aria-label")');
    $browser->click('.histogram a');
    my ($n) = $bar =~ /: (?:about )?(\d+)/;
    cmp_ok $n, '>', 0, "the first bar is of $n records";
    is $browser->run('return document.querySelectorAll("ol.records li").length'), $n, 'and leads to as many';
    $browser->go($pages{record});
    $browser->click('button[data-copy="xml-oai_dc"]');
    sleep 0.3;
    is $browser->run('return document.getElementById("said").textContent'), 'Copied', 'a button copies, and says so';
    my $copied = $browser->run_async('navigator.clipboard.readText().then(arguments[0], e => arguments[0]("" + e))');
    is $copied, $browser->run('return document.getElementById("xml-oai_dc").textContent'), 'what it shows';
    $browser->go($pages{home});
    $browser->click('footer a[lang=cs]');
    like $browser->run('return document.title'), qr/^O tomto repozitáři/, 'the other language is one step away';
    $browser->click('nav a[href*="/sets"]');
    is $browser->run('return document.documentElement.lang'), 'cs', 'and stays';
};

subtest 'the explorer, without a script' => sub {
    $browser->go("$base/browse/explore?lang=en");
    $browser->run('document.getElementById("verb").value = "ListIdentifiers"; document.getElementById("metadataPrefix").value = "oai_dc"');
    $browser->cdp('Emulation.setScriptExecutionDisabled', {value => JSON::PP::true});
    $browser->click('form.filters button');
    $browser->cdp('Emulation.setScriptExecutionDisabled', {value => JSON::PP::false});
    my $read = 'const d = new DOMParser().parseFromString(document.getElementById("xml-answer").textContent, "application/xml");'
        . 'return d.querySelector("parsererror") ? "not XML" : ';
    is $browser->run($read . 'd.documentElement.nodeName'), 'OAI-PMH', 'a form sends a request, and the answer is the document itself';
    cmp_ok $browser->run($read . 'd.getElementsByTagName("header").length'), '>', 3, 'with its headers';
    is $browser->run('return document.getElementById("metadataPrefix").value'), 'oai_dc', 'the form keeps what was asked';
    $browser->go("$base/browse/explore?verb=ListRecords&metadataPrefix=oai_dc");
    is $browser->run($read . '[...d.getElementsByTagName("dc:title")].filter(t => t.textContent.includes("<script>")).length'), 2, 'hostile titles are what was loaded';
    $browser->go($pages{conformance});
    is $browser->run('return [...document.querySelectorAll("main strong")].filter(e => e.textContent === "Chyba").length'), 0, 'this repository conforms';
    cmp_ok $browser->run('return [...document.querySelectorAll("main strong")].filter(e => e.textContent === "V pořádku").length'), '>', 120, 'by as many checks';
};

subtest 'by the keyboard alone' => sub {
    $browser->go($pages{list});
    my (%met, @unseen);
    for (1 .. 60) {
        $browser->press("\x{E004}");    # Tab
        my ($where, $outline, $shown) = @{$browser->run('const e = document.activeElement, s = getComputedStyle(e), r = e.querySelector("rect.ground");
            const box = e.getBoundingClientRect();
            return [e.outerHTML.slice(0, 120), r ? getComputedStyle(r).strokeWidth : s.outlineStyle === "none" ? "0px" : s.outlineWidth, box.width > 0 && box.right > 0]')};
        last if $where =~ /^<body/;
        push @unseen, $where if $outline eq '0px' || !$shown;
        $met{$where}++;
    }
    cmp_ok scalar keys %met, '>', 15, keys(%met) . ' stops';
    is join("\n", @unseen), '', 'each shows that it has the focus';
    $browser->go($pages{home});
    $browser->press("\x{E004}");
    is $browser->run('return document.activeElement.getAttribute("href")'), '#main', 'the first stop leads past the navigation';
    $browser->press("\x{E007}");    # Enter
    is $browser->run('return document.activeElement.id'), 'main', 'to the content';
    my $tree = $browser->cdp('Accessibility.getFullAXTree')->{nodes};
    my %roles;
    $roles{$_->{role}{value} // ''}++ for grep { !$_->{ignored} } @$tree;
    ok $roles{$_}, "a screen reader meets: $_" for qw(banner navigation main contentinfo heading search list);
    my @mute = grep { !$_->{ignored} && ($_->{role}{value} // '') =~ /^(link|button|textbox|combobox|region|group)$/ && !length($_->{name}{value} // '') } @$tree;
    is scalar(grep { ($_->{role}{value} // '') ne 'group' } @mute), 0, 'and each control says what it is';
};

done_testing();
