#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The feed of changes: who reads it by the algorithm of IIIF Change Discovery, backwards, or as a Linked Data Event Stream, forwards,
# sees what a harvest sees, each record once, also while records move; pages that are full stay as they are but for what leaves
# them, and may be kept. ldes-client of npm follows it where OAI_LDES_CLIENT names its directory of modules.
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
        for my $activity (reverse @{$is->{orderedItems}}) { ++$twice if !$changes{$activity->{object}{canonical}} && $activity->{type} =~ /Add|Remove/; next if $activity->{type} =~ /Add|Remove/; $changes{$activity->{object}{canonical}}++ ? ++$twice : ($changes{$activity->{object}{canonical}} = $activity->{type}) }
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
        while ($body =~ m{ a as:(Update|Delete) ; as:object <.*?identifier=(.*?)> ; dcterms:isVersionOf <[^>]*> ; as:endTime "(.*?)"}g) {
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
is_deeply $moved->{object}{setSpec}, undef, 'who has left a set is told by activities of its own';
is_deeply [map { $_->{type} . ' ' . ($_->{origin} // $_->{target} // {setSpec => $_->{object}{setSpec}})->{setSpec}[0] } grep { $_->{object}{canonical} eq 'oai:example.org:r3100' } @{json(json("$base/changes")->{last}{id})->{orderedItems}}],
    ['Remove type:book', 'Add type:map', 'Update type:map'], 'Remove and Add, before what the record is now';
like get(json("$base/changes")->{last}{id} . '.ttl')->{body}, qr/a as:Remove ; .*identifier=oai:example.org:r3100> .*as:origin <[^>]*set=type:book>/, 'in Turtle, too';

# Who follows one set, from where it was, has what the set has: members come and go, return, are deleted, and move again later.
my (%member, $seen_page);
sub follow {
    my ($set) = @_;
    for (my $page = $seen_page // json("$base/changes")->{first}{id}; $page; ) {
        my $is = json($page);
        for my $activity (@{$is->{orderedItems}}) {
            my ($id, $object) = ($activity->{object}{canonical}, $activity->{object});
            my $about = ($activity->{origin} // $activity->{target} // {setSpec => $object->{setSpec}})->{setSpec};
            next if !grep { $_ eq $set || /^$set:/ } @$about;
            $activity->{type} =~ /Remove|Delete/ ? delete $member{$id} : ($member{$id} = 1);
        }
        ($seen_page, $page) = ($page, $is->{next}{id});
    }
    return;
}
sub members { my ($set) = @_; return [$db->rows("select 'oai:example.org:' || local_id from oai.item i where not deleted and exists (select from oai.set s, oai.set o where o.spec = '$set' and s.id = any (i.set_ids) and o.id = any (s.path)) order by 1")] }
my $into = 'insert into library.item_collection select i.id, c.id from library.item i, library.collection c where c.name';
$db->run("insert into library.collection (name) values ('war:first'), ('war:second')");
for my $step (["$into = 'war:first' and local_id in ('r10', 'r11', 'r12')"], ["update library.item_collection set id_collection = (select id from library.collection where name = 'war:second')"],
    ["delete from library.item_collection where id_item = (select id from library.item where local_id = 'r10')"], ["update library.item set title = '{moved again}' where local_id in ('r10', 'r11')", "update library.item set deleted = true where local_id = 'r12'"],
    ["$into = 'war:first' and local_id = 'r10'", "delete from library.item_collection where id_item = (select id from library.item where local_id = 'r11')"]) {
    $db->run(@$step);
    publish();
    follow('col:war');
    is_deeply [map { [$_] } sort keys %member], members('col:war'), "who follows a set has what is in it: $step->[0]";
}
is_deeply [map { $_->{origin}{setSpec}[0] } grep { $_->{type} eq 'Remove' && $_->{object}{canonical} eq 'oai:example.org:r11' } @{json($seen_page)->{orderedItems}}], ['col', 'col:war', 'col:war:first', 'col:war:second'], 'all that a record has left is told, sets above included';
equal('after sets');

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
const records = ids.filter((id) => /#\\w+-\\d+\$/.test(id));
console.log(new Set(ids).size == ids.length, records.length + " records");
JS
    my ($status, $said) = run_program('node', "$r->{dir}/follow.mjs");
    like $said, qr/^true 3100 records$/m, 'ldes-client sees each record once' or diag $said;
}
done_testing;
