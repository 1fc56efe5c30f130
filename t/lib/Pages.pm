# SPDX-License-Identifier: MIT
# The pages for people of a library, behind nginx: the golden data, and titles that try to get out of where they are put.
#   my $site = Pages->new;     records => 5: to a list;
#                              $site->{base}     http://127.0.0.1:PORT/oai; what is at elsewhere is not ours
#                              $site->{record}   what the address of a record begins with, up to its local id
#                              $site->{pages}    name => address: one of each kind
#                              $site->{hostile}  local id => title
#   $site->await_report;       the conformance report, which is being made meanwhile, is there
# Czech is the first language. BUILD says where the server was built. Everything goes at the end.
package Pages;
use strict;
use warnings;
use utf8;
use Cwd qw(abs_path);
use Database;
use Echo;
use Encode qw(encode);
use File::Basename qw(dirname);
use POSIX ();
use Server;

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
    my ($class, %how) = @_;
    my $db = Database->new(model => 'library');
    Database::psql($db->conninfo, '-f', "$root/t/golden/library.sql");
    $db->publish;
    my $links = q{array['javascript:window.owned = 1', 'data:text/html,<script>window.owned = 1</script>']};
    my $id = 100;    # the golden data has chosen its own
    $db->run(encode('UTF-8', join '', map { my $title = quoted($hostile{$_}); 'insert into library.item (id, local_id, kind, title, description, identifier)'
        . " overriding system value values (@{[$id++]}, @{[quoted($_)]}, 'book', array[$title], array[$title], $links);\n" } sort keys %hostile));
    $db->publish;
    my $server = Server->new(db => $db, formats => "$root/xslt/library", ini => "[browse]\ndirectory = $root/xslt/page\nlanguages = cs en\n"
            . ($how{records} ? "records = $how{records}\n" : ''),
        repository => "name = Golden <Web> & Archive\nbase_url = http://archive.example.org/oai\nadmin_email = archive\@example.org\n"
            . "identifier_namespace = archive.example.org\n")->start;
    my $base = 'http://127.0.0.1:' . Echo::web('nginx', Echo::directory() . '/nginx', $server->{socket}) . '/oai';
    return bless {report => ask_for_report($server), db => $db, server => $server, base => $base, record => "$base/browse/record/oai:archive.example.org:", hostile => \%hostile,
        pages => pages("$base/browse")}, $class;
}

# The conformance report takes its time: it is made while others look at other pages.
sub ask_for_report {
    my ($server) = @_;
    my $pid = fork // die "fork: $!";
    return $pid if $pid;
    eval { $server->ask('/oai/browse/explore/conformance') };
    POSIX::_exit(0);
}
sub await_report { my ($self) = @_; waitpid delete $self->{report} // return, 0; return }

sub pages {
    my ($at) = @_;
    my $record = 'record/oai:archive.example.org:';
    my %path = (
        home => '?lang=en', formats => '/formats?lang=en', sets => '/sets?set=lang&lang=en', list => '/list?lang=en',
        record => "/${record}thesis/1234?lang=en", missing => '/nothing?lang=en', refused => '/list?from=x&lang=en', czech => '?lang=cs',
        deep => '/list?after=3&n=3&lang=cs', conformance => '/explore/conformance?lang=cs', hostile => "/${record}evil/script",
        unending => "/${record}evil/long",
        explore => '/explore?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:archive.example.org:thesis/1234&lang=en',
    );
    return {map { $_ => "$at$path{$_}" } keys %path};
}

1;
