# SPDX-License-Identifier: MIT
# A repository of model library with pages for people, behind nginx. It has the golden data and records with hostile titles.
#   my $site = Pages->new;     records => 5: records on a page of a list
#                              $site->{base}     http://127.0.0.1:PORT/oai
#                              $site->{record}   the address of a record without its local id
#                              $site->{pages}    name => address: a page of each kind
#                              $site->{hostile}  local id => title
# Czech is the first language. BUILD names the build directory. Everything is removed when the test ends.
package Pages;
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
    my ($class, %options) = @_;
    my $db = Database->new(model => 'library');
    Database::psql($db->conninfo, '-f', "$root/t/golden/library.sql");
    $db->publish;
    my $links = q{array['javascript:window.owned = 1', 'data:text/html,<script>window.owned = 1</script>']};
    my $id = 100;    # beyond the ids of the golden data
    $db->run(encode('UTF-8', join '', map { my $title = quoted($hostile{$_}); 'insert into library.item (id, local_id, kind, title, description, identifier)'
        . " overriding system value values (@{[$id++]}, @{[quoted($_)]}, 'book', array[$title], array[$title], $links);\n" } sort keys %hostile));
    $db->publish;
    my $server = Repository->new(db => $db, formats => "$root/xslt/library", ini => {
        browse => {directory => "$root/xslt/page", languages => 'cs en sk de', records => $options{records}},
        repository => {name => 'Golden <Web> & Archive', base_url => 'http://archive.example.org/oai', admin_email => 'archive@example.org',
            identifier_namespace => 'archive.example.org'}})->start;
    my $base = $server->url;
    return bless {db => $db, server => $server, base => $base, record => "$base/browse/record/oai:archive.example.org:", hostile => \%hostile,
        pages => pages("$base/browse")}, $class;
}

sub pages {
    my ($at) = @_;
    my $record = 'record/oai:archive.example.org:';
    my %path = (
        home => '?lang=en', formats => '/formats?lang=en', sets => '/sets?set=lang&lang=en', list => '/list?lang=en',
        record => "/${record}thesis/1234?lang=en", missing => '/nothing?lang=en', refused => '/list?from=x&lang=en', czech => '?lang=cs',
        deep => '/list?after=3&n=3&lang=cs', hostile => "/${record}evil/script",
        long_title => "/${record}evil/long",
        explore_error => '/explore?verb=ListRecords&from=never&until=2020-01-01&lang=en',
        explore => '/explore?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:archive.example.org:thesis/1234&lang=en',
    );
    return {map { $_ => "$at$path{$_}" } keys %path};
}

1;
