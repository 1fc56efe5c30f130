#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Who may come to a view is the web server's business: the recipes of sets.md (by address, by password, by bearer token), as they
# stand there, in nginx and in Apache, before a server that shows one set in one format.
use TestProgram;
use MIME::Base64 qw(encode_base64);

my $page = slurp("$root/deploy/manual/sets.md");
# The text of the block that begins with these words, or of the one of <Location> that has them.
sub recipe {
    my ($words) = @_;
    my ($block) = grep { /\Q$words\E/ } $page =~ /((?:^    .*\n)+)/mg or die "sets.md has no recipe with $words\n";
    return $block;
}

my $db = Database->new(model => 'library');
$db->run("insert into library.collection (name) values ('culture'), ('other')",
    "insert into library.item (id, local_id, title, marc) select n, 'i' || n, array['t'], '<record xmlns=\"http://www.loc.gov/MARC21/slim\"><leader>x</leader></record>' from generate_series(1, 4) n",
    "insert into library.item_collection select n, c.id from library.collection c, generate_series(1, 4) n where c.name = case when n < 4 then 'culture' else 'other' end");
my $main = Repository->new(db => $db);
mkdir "$main->{dir}/sets" or die $!;
spew("$main->{dir}/sets/partners.set", recipe('[view]') =~ s/^    //gmr);
utime time - 10, time - 10, "$main->{dir}/sets/partners.set";
my $view = Repository->new(db => $db, formats => "$root/xslt/library", ini => {repository => {only => 'partners'}, formats => {only => 'marc21'}, browse => {directory => "$root/xslt/page"}});
$view->start;
is $view->ask('verb=ListIdentifiers&metadataPrefix=oai_dc')->{status}, 503, 'as long as nobody has made the view, nothing is shown';
is +($main->oai('publish', '--once'))[0], 0, 'published';
ok wait_until(sub { $view->ask('verb=ListIdentifiers&metadataPrefix=oai_dc')->{status} == 200 }), 'then it is';

subtest 'one set, one format' => sub {
    is join(' ', sort $view->ask('verb=ListIdentifiers&metadataPrefix=marc21')->{body} =~ m{:(i\d)</identifier>}g), 'i1 i2 i3', 'the items of the set';
    is join(' ', sort $view->ask('verb=ListSets')->{body} =~ m{<setSpec>(.*?)<}g), 'col col:culture', 'and no other set';
    is join(' ', sort $view->ask('verb=ListMetadataFormats')->{body} =~ m{<metadataPrefix>(.*?)<}g), 'marc21 oai_dc', 'the format, and what OAI-PMH demands';
    like $view->ask('verb=GetRecord&metadataPrefix=mods&identifier=oai:example.org:i1')->{body}, qr/cannotDisseminateFormat/, 'no other';
    unlike $view->ask('/oai/browse/record/oai:example.org:i1?lang=en')->{body}, qr/metadataPrefix=mods/, 'to which no page leads';
    mkdir "$view->{dir}/dump";
    my ($status, $said) = $view->oai('dump', '--to', "$view->{dir}/dump");
    is $status, 0, 'a dump' or diag $said;
    is join(' ', $said =~ /^(\w+): /mg), 'oai_dc', 'has what a harvest has';
    $db->run("delete from library.item_collection where id_item = 3");
    is +($main->oai('publish', '--once'))[0], 0, 'one leaves the set';
    ok wait_until(sub { $view->ask('verb=GetRecord&metadataPrefix=marc21&identifier=oai:example.org:i3')->{body} =~ /<header status="deleted">/ }), 'and is a deleted record here';
    unlike $main->start->ask('verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:example.org:i3')->{body}, qr/status="deleted"/, 'not elsewhere';
};

subtest 'what is taken down, with a reason' => sub {
    my $state = sub { my $body = $view->ask("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:example.org:$_[0]")->{body}; return $body =~ /status="deleted"/ ? 'deleted' : $body =~ /<metadata>/ ? 'there' : 'unknown' };
    my $page = sub { return $view->ask("/oai/browse/record/oai:example.org:$_[0]?lang=en")->{body} };
    my ($status, $said) = $main->oai('withdraw', '--reason', 'By court <order>', 'oai:example.org:i1', 'i2', 'nonesuch');
    is "$status $said", "1 oai: nonesuch: no item of this repository\n2 withdrawn, 0 unchanged, 1 unknown\n", 'two of three';
    is +($main->oai('publish', '--once'))[0], 0, 'published';
    ok wait_until(sub { $state->('i1') eq 'deleted' && $state->('i2') eq 'deleted' }), 'they are deleted records';
    like $page->('i1'), qr/Reason: By court &lt;order&gt;/, 'whose page gives the reason';
    spew("$main->{dir}/ids", "i1\n\noai:example.org:i2\n");
    is +($main->oai('withdraw', '--file', "$main->{dir}/ids"))[1], "2 withdrawn, 0 unchanged, 0 unknown\n", 'by a file, now without a reason';
    is +($main->oai('publish', '--once'))[0], 0, 'published';
    ok wait_until(sub { $page->('i1') !~ /Reason:/ }), 'the page gives none';
    is +($main->oai('restore', '--file', "$main->{dir}/ids", 'i1'))[1], "2 restored, 0 unchanged, 0 unknown\n", 'restored';
    is +($main->oai('publish', '--once'))[0], 0, 'published';
    ok wait_until(sub { $state->('i1') eq 'there' && $state->('i2') eq 'there' }), 'they are back';
};

subtest 'what oai check says of views' => sub {
    for (['set = col:culture', qr/: the view shows \d of \d items, as far as they are in set col:culture; \d+ ms/, 'what a file would show'],
        ['where = nonesuch = 1', qr/:2: where: column "nonesuch" does not exist/, 'what is wrong with one, and where'], ['spec = a', qr/:2: \[view\] spec: unknown/, 'that a view has no spec'],
        ['set = col:none', qr/: there is no set col:none, so the view shows nothing/, 'that its set is not there']) {
        utime 1, 1, spew("$main->{dir}/sets/broken.set", "[view]\n$_->[0]\n");   # not as one that is being written
        like +($main->oai('check', "$main->{dir}/sets/broken.set"))[1], qr/broken\.set$_->[1]/, $_->[2];
    }
    is +($main->oai('publish', '--once'))[0], 0, 'which is used all the same, since the set may come';
    is join("\n", +($main->oai('check'))[1] =~ /^oai: sets: (.*?) \[/mg), 'set broken.set: there is no set col:none, so the view shows nothing', 'so it, and no other, is named as long as it is not there';
    like +(Repository->new(db => $db, ini => {repository => {only => 'nonesuch'}})->oai('check'))[1], qr/there is no view nonesuch/, 'and that a configuration names one that is not there';
};

my $password = encode_base64('museum:secret', '');
my %who = (
    address => {nginx => 'allow 192.0.2.0/24', apache => 'Require ip', refused => [403, 'X-Test-Client: 203.0.113.7'], let_in => 'X-Test-Client: 192.0.2.9'},
    password => {nginx => 'auth_basic "Partners"', apache => 'AuthType Basic', refused => [401, 'X-Nothing: 1'], let_in => "Authorization: Basic $password"},
    token => {nginx => 'if ($oai_partner', apache => 'Require expr', refused => [{nginx => 401, apache => 403}, 'Authorization: Bearer 3f9c0f'], let_in => 'Authorization: Bearer 3f9c0e'});
for my $kind (qw(nginx apache)) {
    my $files = shared_directory();
    local $ENV{OAI_WEB_FILES} = $files;
    spew("$files/htpasswd", 'museum:' . crypt('secret', '$5$abcdefgh$') . "\n");
    chmod 0644, "$files/htpasswd";
    local $ENV{OAI_WEB_HTTP} = spew("$files/http.conf", $kind eq 'nginx' ? recipe('map $http_authorization') : '');
    for my $how (sort keys %who) {
        my $recipe = recipe($who{$how}{$kind}) =~ s{/etc/\w+/partners\.htpasswd}{$files/htpasswd}r;
        my $shipped = slurp("$root/deploy/$kind-oai.conf");
        my $modules = join '', map { "LoadModule ${_}_module /usr/lib/apache2/modules/mod_$_.so\n" } qw(auth_basic authn_core authn_file authz_user);   # Debian's are on
        spew("$files/$kind-oai.conf", $kind eq 'nginx' ? "$recipe$shipped" : "$modules$shipped$recipe");
        my $port = WebServer::start($kind, "$main->{dir}/$kind-$how", $view->{socket});
        my $status = sub { my ($header) = @_; return WebServer::http($port, 'GET', '/oai?verb=Identify', headers => [$header])->{status} };
        my ($refused, $stranger) = @{ $who{$how}{refused} };
        is $status->($who{$how}{let_in}), 200, "$kind, by $how: a partner is let in";
        is $status->($stranger), ref $refused ? $refused->{$kind} : $refused, 'nobody else';
        WebServer::stop("$main->{dir}/$kind-$how");
    }
}
done_testing;
