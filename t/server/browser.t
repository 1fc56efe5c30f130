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
use Echo;
use Encode qw(encode);
use JSON::PP;
use Pages;
use Server;
use Test::More;

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output todo_output);

my $browser = Browser->new(Echo::directory() . '/chromium');
my $site = Pages->new;
my ($base, $record, %pages, %hostile) = (@$site{qw(base record)}, %{$site->{pages}});
%hostile = %{$site->{hostile}};
END { my $status = $?; undef $browser; $? = $status }

sub slurp { open my $in, '<:encoding(UTF-8)', $_[0] or die "$_[0]: $!"; local $/; return <$in> }

$browser->cdp('Browser.grantPermissions', {permissions => ['clipboardReadWrite', 'clipboardSanitizedWrite'], origin => $base =~ s{/oai$}{}r});

my $accessible = slurp("$FindBin::Bin/../lib/accessible.js");
my $axe = $ENV{OAI_AXE} ? slurp($ENV{OAI_AXE}) : undef;

sub picture { my ($name) = @_; $browser->picture("$ENV{OAI_PICTURES}/$name.png") if $ENV{OAI_PICTURES}; return }
sub window { my ($width, $height) = @_; $browser->cdp('Emulation.setDeviceMetricsOverride', {width => $width, height => $height, deviceScaleFactor => 1, mobile => JSON::PP::false}); return }
sub scheme { my ($name) = @_; $browser->cdp('Emulation.setEmulatedMedia', {features => [{name => 'prefers-color-scheme', value => $name}]}); return }
sub heading { return $browser->run('return document.querySelector("h1").textContent') }

my (@asked_for, @complaints);
subtest 'accessible on a desk and on a phone, in the light and in the dark' => sub {
    $browser->asked_for;    # what it looked at first is its own
    $browser->complaints;
    for my $page (sort { ($a eq 'conformance') <=> ($b eq 'conformance') || $a cmp $b } keys %pages) {
        $site->await_report if $page eq 'conformance';
        $browser->go($pages{$page});
        for my $how (['light', 1200, 900], ['dark', 360, 740]) {
            my ($scheme, $width, $height) = @$how;
            window($width, $height);
            scheme($scheme);
            my $wrong = $browser->run($accessible);
            is "@{[map { qq(\n$_) } @$wrong]}", '', "$page, $scheme, $width wide";
            picture("$page-$scheme");
            next if !$axe;
            $browser->run($axe);
            my $found = $browser->run_async('axe.run().then(arguments[0])')->{violations};
            is join("\n", map { "$_->{impact}: $_->{id}: $_->{help}: $_->{nodes}[0]{html}" } @$found), '', "axe-core: $page, $scheme";
        }
    }
    @asked_for = $browser->asked_for;
    @complaints = $browser->complaints;
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
    cmp_ok scalar @asked_for, '>', scalar keys %pages, 'what all pages asked for';
    my $elsewhere = join "\n", grep { !m{^\Q$base\E[/?]?} && !m{^data:} && $_ ne $base =~ s{oai$}{favicon.ico}r } @asked_for;
    is $elsewhere, '', 'every request goes to the repository';
    is join("\n", grep { !/status of 40[04]/ } @complaints), '', 'the console is silent';
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
    my $said = 'return document.getElementById("said").textContent';
    Server::within(5, sub { $browser->run($said) });
    is $browser->run($said), 'Copied', 'a button copies, and says so';
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
