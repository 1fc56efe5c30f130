#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What mount.md of the manual makes of the shipped files of nginx and Apache: a repository at another path than /oai, and two
# repositories in one web server. (t/server/manual.t follows the page on an installed machine.)
use TestProgram;
use DocumentedCommands;

my ($commands) = DocumentedCommands::commands("$root/deploy/manual/mount.md");

# Runs the command that makes this file of the shipped one, and returns what is in it.
sub written_by_manual {
    my ($dir, $file) = @_;
    my ($command) = grep { /^sed .*\Q$file\E$/ } map { $_->{text} } @$commands or die "mount.md does not make $file\n";
    (my $here = $command) =~ s{/etc/oai-fcgi/}{$root/deploy/}g;
    $here =~ s{> \S+$}{> $dir/made};
    is system('bash', '-c', $here), 0, $command;
    return slurp("$dir/made");
}

my %repository;
for my $name (qw(archive library)) {
    my $db = Database->new(model => $name eq 'library' ? 'library' : 'webarchiv');
    $repository{$name} = Repository->new(db => $db, ini => {repository => {name => "The $name", base_url => "http://example.org/$name/oai"}});
    $db->publish for 1 .. 2;
    $repository{$name}->start;
}
sub served { my ($port, $path) = @_; return WebServer::http($port, 'GET', $path)->{body} =~ m{<repositoryName>(.*?)<} ? $1 : 'nothing' }

for my $kind (qw(nginx apache)) {
    my $dir = $repository{archive}{dir};
    my $files = shared_directory();
    my $made_for = $kind eq 'nginx' ? '/etc/nginx/snippets' : '/etc/apache2';
    local $ENV{OAI_WEB_FILES} = $files;

    spew("$files/$kind-oai.conf", written_by_manual($dir, "$made_for/archive-oai.conf"));
    my $port = WebServer::start($kind, "$dir/$kind-path", $repository{archive}{socket});
    is served($port, '/archive/oai?verb=Identify'), 'The archive', "$kind: the repository is at the other path";
    is WebServer::http($port, 'GET', '/oai?verb=Identify')->{status}, 404, 'and no longer at /oai';
    is WebServer::http($port, 'GET', '/archive/oai/-/health')->{status}, 200, 'its health page is there for this host';
    is WebServer::http($port, 'GET', '/archive/oai/-/health', headers => ['X-Test-Client: 203.0.113.7'])->{status}, 403, 'and closed to others';
    WebServer::stop("$dir/$kind-path");

    # Both in one server. What belongs in `http` of nginx is put behind the upstream of the whole file that tests have.
    my $second = written_by_manual($dir, "$made_for/library-oai.conf");
    spew("$files/$kind-oai.conf", ($kind eq 'apache' ? "Define LIBRARY_SOCKET $repository{library}{socket}\n" : '') . slurp("$root/deploy/$kind-oai.conf") . $second);
    my $http = $kind eq 'nginx' ? written_by_manual($dir, '/etc/nginx/conf.d/library-oai.conf') =~ s{/run/oai-fcgi/library\.sock}{$repository{library}{socket}}r : '';
    local $ENV{OAI_WEB_HTTP} = spew("$files/http.conf", $http);
    $port = WebServer::start($kind, "$dir/$kind-two", $repository{archive}{socket});
    is served($port, '/oai?verb=Identify'), 'The archive', "$kind: the first one is at /oai";
    is served($port, '/library/oai?verb=Identify'), 'The library', 'and the second one at its path';
    is WebServer::http($port, 'GET', '/library/oai/-/health')->{status}, 200, 'with its own health page';
    is WebServer::http($port, 'GET', '/library/oai/-/health', headers => ['X-Test-Client: 203.0.113.7'])->{status}, 403, 'closed to others';
    WebServer::stop("$dir/$kind-two");
}
is $_->stop, 0, 'the server stops with status 0' for values %repository;
done_testing;
