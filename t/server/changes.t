#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The feed of changes: who reads it by the algorithm of IIIF Change Discovery, backwards, or as a Linked Data Event Stream, forwards,
# sees what a harvest sees, each record once, also while records move; pages that are full stay as they are but for what leaves
# them, and may be kept. ldes-client of npm follows it where OAI_LDES_CLIENT names its directory of modules.
use FindBin;
use lib "$FindBin::Bin/../lib";
use TestProgram;
use JSON::PP;

my $db = Database->new(model => 'library');
my $r = Repository->new(db => $db, ini => {lists => {records => 1000}});
sub publish { 1 while $db->publish > 0; $r->wait_for_horizon if $r->{pid}; return }
$db->run("insert into library.item (local_id, kind, title) select 'r' || n, 'book', '{x}' from generate_series(1, 3100) n",
    "update library.item set deleted = true where local_id = 'r7'");
publish();
$r->start;
my $base = $r->url;
$r->configure(base_url => $base);
$r->stop;
$r->start;
$r->wait_for_horizon;
my $seen = 0;
sub get {
    my ($url, @headers) = @_;
    ++$seen;
    my ($path) = $url =~ m{^\Q$base\E(.*)$} or die "$url is not below $base\n";
    return WebServer::http($r->{port}, 'GET', "/oai$path", headers => \@headers);
}
sub json { my ($url) = @_; my $answer = get($url); $answer->{status} eq '200' or die "$url: $answer->{status}\n"; return decode_json($answer->{body}) }
# identifier => type, as IIIF Change Discovery has it (3.3): from the last page backwards, and only the first of what names a record.
sub discovered {
    my (%changes, $twice);
    for (my $page = json("$base/changes")->{last}; $page; ) {
        my $is = json($page->{id});
        for my $activity (reverse @{$is->{orderedItems}}) { $changes{$activity->{object}{canonical}}++ ? ++$twice : ($changes{$activity->{object}{canonical}} = $activity->{type}) }
        $page = $is->{prev};
    }
    return (\%changes, $twice // 0);
}
# The same forwards, by the Turtle.
sub streamed {
    my (%changes, $twice, $times);
    my ($next) = get("$base/changes.ttl")->{body} =~ /tree:node <(.*?)>/;
    my $last = '';
    while ($next) {
        my $body = get($next)->{body};
        while ($body =~ m{ a as:(\w+) ; as:object <.*?identifier=(.*?)> ; as:endTime "(.*?)"}g) {
            ++$twice if $changes{$2};
            $changes{$2} = $1;
            $times .= "$3 after $last" if $3 lt $last;
            $last = $3;
        }
        ($next) = $body =~ /tree:node <(.*?)>/;
    }
    return (\%changes, $twice // 0, $times // '');
}
sub published { return {map { ("oai:example.org:$_->[0]" => $_->[1] eq 't' ? 'Delete' : 'Update') } $db->rows('select local_id, deleted from oai.item where seq is not null')} }
sub equal {
    my ($what) = @_;
    my ($discovered, $twice) = discovered();
    is_deeply $discovered, published(), "$what: as IIIF Change Discovery, what the tables hold: " . keys(%$discovered) . ' records';
    is $twice, 0, "$what: each once";
    my ($streamed, $again, $times) = streamed();
    is_deeply [$streamed, $again, $times], [$discovered, 0, ''], "$what: as a Linked Data Event Stream the same, in the order of time";
    return;
}
equal('at first');
my $feed = json("$base/changes");
is $feed->{type}, 'OrderedCollection', 'the feed is an OrderedCollection';
is $feed->{totalItems}, 3100, 'of so many changes';
is $feed->{'@context'}[-1], 'http://iiif.io/api/discovery/1/context.json', 'with the context of IIIF last';
my $first = json($feed->{first}{id});
is $first->{partOf}{id}, $feed->{id}, 'its pages say of what they are';
is_deeply [@{$first->{orderedItems}[0]}{'type', 'endTime'}, $first->{orderedItems}[0]{object}{setSpec}],
    ['Update', $db->value(q{select to_char(datestamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') from oai.item where seq = 1}), ['type:book']], 'a change has its time and the sets of its record';
like get($first->{orderedItems}[0]{object}{id})->{body}, qr{<identifier>\Q$first->{orderedItems}[0]{object}{canonical}\E<}, 'and the address of the record';

# Records move to the end, one leaves its set; the first page gets nothing new, an empty page is passed over.
$db->run("update library.item set title = '{y}' where local_id in (select local_id from oai.item where seq between 1001 and 2000)", "update library.item set kind = 'map' where local_id = 'r3100'");
publish();
equal('after changes');
my $again = json($feed->{first}{id});
is_deeply [grep { my $id = $_->{id}; !grep { $_->{id} eq $id } @{$first->{orderedItems}} } @{$again->{orderedItems}}], [], 'a full page gets nothing new';
like $again->{next}{id}, qr{/2$}, 'and leads over the pages that have nothing left';
is json($again->{next}{id} =~ s/2$/1/r)->{type}, 'OrderedCollectionPage', 'which are there for those who know their address';
my ($moved) = grep { $_->{object}{canonical} eq 'oai:example.org:r3100' } @{json(json("$base/changes")->{last}{id})->{orderedItems}};
is_deeply $moved->{object}{setSpec}, ['type:map'], 'who has left a set is told without it';

# What may be kept, and what is refused.
my $page = get($feed->{first}{id});
like $page->{headers}{'cache-control'}, qr/max-age=0/, 'a page of the last hour is asked for again';
is get($feed->{first}{id}, "If-None-Match: $page->{headers}{etag}")->{status}, 304, 'and is not sent again';
$db->run('alter table oai.horizon disable trigger all', "update oai.horizon set h = h + interval '2 hours'");
$r->wait_for_horizon;
like get($feed->{first}{id})->{headers}{'cache-control'}, qr/max-age=31536000/, 'later it is kept';
like get(json("$base/changes")->{last}{id})->{headers}{'cache-control'}, qr/max-age=0/, 'but for the last one';
is get("$base/changes$_")->{status}, 404, "there is no $_" for '/0', '/1/0', '/x/-1', '/x/y/z', '/x/' . '9' x 30, map({ ($feed->{first}{id} =~ m{changes(.*)/0})[0] . $_ } '/00', '/+1', '/0/0'), ($feed->{first}{id} =~ m{changes(.*)/0})[0] . '/99', '/../browse';
is get("$base/changes", 'Accept: text/turtle, application/n-quads;q=0.9')->{body}, get("$base/changes.ttl")->{body}, 'who wants Turtle gets it at the address without a suffix';
like get("$base/changes")->{headers}{vary}, qr{\bAccept\b(?!-)}, 'which depends on that';
is WebServer::http($r->{port}, 'POST', '/oai/changes', body => '')->{status}, 405, 'POST is refused';
is get("${base}/changeset")->{status}, 200, 'another path is not the feed';

SKIP: {
    my $modules = $ENV{OAI_LDES_CLIENT} or skip 'OAI_LDES_CLIENT names no modules of npm with ldes-client, so it does not follow the feed', 1;
    spew("$r->{dir}/follow.mjs", <<"JS");
import { createRequire } from "module";
const { replicateLDES } = await import("file://$modules/ldes-client/dist/lib/client.js");
const ids = [];
const client = replicateLDES({ url: "$base/changes.ttl" }, "ascending");
const reader = client.stream({ highWaterMark: 10 }).getReader();
for (let el = await reader.read(); !el.done; el = await reader.read()) if (el.value) ids.push(el.value.id.value);
console.log(ids.length + " members, " + new Set(ids).size + " different");
JS
    my ($status, $said) = run_program('node', "$r->{dir}/follow.mjs");
    like $said, qr/^3100 members, 3100 different$/m, 'ldes-client sees each record once' or diag $said;
}
done_testing;
