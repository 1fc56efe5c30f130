# SPDX-License-Identifier: MIT
# A repository of model library with pages for people, behind nginx. It has the golden data and records with hostile titles.
#   my $site = BrowseSite->new;
#                              $site->{base}     http://127.0.0.1:PORT/oai
#                              $site->{record}   the address of a record without its local id
#                              $site->{pages}    name => address: a page of each kind
#                              $site->{hostile}  local id => title
# Czech is the first language. BUILD names the build directory. Everything is removed when the test ends.
#   my $archive = BrowseSite->archive;   one of model webarchiv: 60 captures of http://www.example.cz/page from 2008 to 2014 with Czech
#                              titles, and a page of blog.example.cz; it has base and pages, too
package BrowseSite;
use strict;
use warnings;
use utf8;
use Cwd qw(abs_path);
use Database;
use Encode qw(encode);
use File::Basename qw(dirname);
use Repository;

my $root = abs_path(dirname(__FILE__) . '/../..');

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
    Database::psql($db->conninfo, '-f', "$root/t/golden/library.sql");
    $db->publish;
    my $links = q{array['javascript:window.owned = 1', 'data:text/html,<script>window.owned = 1</script>']};
    my $id = 100;    # beyond the ids of the golden data
    $db->run(encode('UTF-8', join '', map { my $title = quoted($hostile{$_}); 'insert into library.item (id, local_id, kind, title, description, identifier)'
        . " overriding system value values (@{[$id++]}, @{[quoted($_)]}, 'book', array[$title], array[$title], $links);\n" } sort keys %hostile));
    my $self = $class->serve($db, "$root/xslt/library");
    return bless {%$self, record => "$self->{base}/browse/record/oai:archive.example.org:", hostile => \%hostile, pages => pages("$self->{base}/browse")}, $class;
}

# Publishes, makes the index of words and starts the server, as new and archive say above.
sub serve {
    my ($class, $db, $formats, %browse) = @_;
    my $server = Repository->new(db => $db, formats => $formats, ini => {
        browse => {directory => "$root/xslt/page", languages => 'cs en sk de', %browse},
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
    my $self = $class->serve($db, "$root/xslt", replay => 'https://replay.example.org/{archived_time}/{url}');
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

1;
