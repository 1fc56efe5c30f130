#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Each directory ("room") includes only those that the table below allows, no file lies directly in lib/, no file includes
# itself indirectly, each C library is included only by the rooms listed for it, and the drawing of the rooms is true.
use TestProgram;
use File::Basename qw(dirname);

# The rooms that each room may include. A room may depend only on rooms to its left in this order:
# base < pg, xml, web < transform, protocol < store, publish < format < verb < feed, browse, monitor < server < fcgi.
# Tools may use the rooms to the left of verb; the commands of `oai` may use everything but fcgi. Only store, publish, tools and
# command use PostgreSQL.
my @below_store = qw(base xml web transform protocol);
my @below_verb = (@below_store, qw(pg store publish format));
my @below_browse = (@below_store, qw(store format verb));
my %may_include = (
    'base'                    => [],
    'pg'                      => [qw(base)],
    'xml'                     => [qw(base)],
    'web'                     => [qw(base)],
    'transform'               => [qw(base xml)],
    'protocol'                => [qw(base xml web)],
    'store'                   => [qw(base pg xml transform protocol)],
    'publish'                 => [qw(base pg protocol)],    # what a setSpec is
    'format'                  => [@below_store, 'store'],
    'verb'                    => [@below_store, qw(store format)],
    'feed'                    => \@below_browse,
    'browse'                  => \@below_browse,
    'monitor'                 => \@below_browse,
    'server'                  => [@below_browse, qw(feed browse monitor)],
    'fcgi'                    => [@below_browse, qw(feed browse monitor server)],
    'tools/http_client'       => [qw(base)],
    'tools/load'              => [@below_verb, 'tools/harvest'],
    'tools/map'               => [qw(base pg)],
    'tools/harvest'           => [@below_verb, 'tools/http_client'],
    'tools/validate'          => [@below_verb, 'tools/http_client'],
    'tools/recover'           => [@below_verb, qw(tools/http_client tools/load tools/harvest)],
    'tools/aggregate'         => [@below_verb, qw(tools/http_client tools/load tools/harvest tools/validate)],
    'tools/dump'              => [@below_verb, qw(verb tools/http_client tools/load tools/harvest)],
    'command'                 => [@below_verb, qw(verb feed browse monitor server tools/http_client tools/load tools/harvest
                                  tools/validate tools/recover tools/aggregate tools/map tools/dump)],
);

# Headers of libraries, and the rooms that may include them.
my @libraries = (
    [qr/^(libpq-fe|postgres_ext)\.h$/ => 'pg'],
    [qr/^(fcgiapp|fcgios|fastcgi|fcgi_stdio)\.h$/ => 'fcgi'],
    [qr/^(libxslt|libexslt)\// => 'transform xml'],  # xml has the handles of both libraries
    [qr/^libxml\// => 'xml transform protocol store format verb browse'],  # the internal XML is built as a tree
    [qr/^ini\.h$/ => 'base'],
    [qr/^spdlog\// => 'base'],
    [qr/^prometheus\// => 'monitor'],
    [qr/^CLI\// => 'command fcgi'],
    [qr/^curl\// => 'tools/http_client'],
    [qr/^brotli\// => 'tools/load'],
    [qr/^unicode\// => 'base browse tools/load'],
    [qr/^openssl\// => 'tools/recover'],
);

sub room {
    my ($file) = @_;
    return $1 if $file =~ m{^(fcgi)/[^/]+$} || $file =~ m{^lib/(tools/\w+|\w+)/[^/]+$};
    return;
}

sub resolve {
    my ($from, $name) = @_;
    for my $path ("lib/$name", $name, dirname($from) . "/$name") { return $path if -f $path }
    return;
}

my @files = sort grep { m{^(fcgi|lib)/.*\.(cpp|h)$} } split /\n/, `find fcgi lib -type f 2>/dev/null`;
my (%includes, @wrong);
for my $file (@files) {
    my $room = room($file);
    push @wrong, "$file: belongs to no room" and next if !defined $room || !exists $may_include{$room};
    open my $in, '<', $file or die "$file: $!";
    while (<$in>) {
        if (/^\s*#\s*include\s+"([^"]+)"/) {
            my $path = resolve($file, $1);
            push @wrong, "$file:$.: \"$1\" is no file of ours; a library's header stands in <>" and next if !$path;
            my $other = room($path) // 'none';
            push @{$includes{$file}}, $path;
            push @wrong, "$file:$.: $room must not include $other ($1)"
                if $other ne $room && !grep { $_ eq $other } @{$may_include{$room}};
        } elsif (/^\s*#\s*include\s+<([^>]+)>/) {
            my $name = $1;
            for my $library (@libraries) {
                my ($header, $rooms) = @$library;
                push @wrong, "$file:$.: <$name> is known in $rooms alone" if $name =~ $header && !grep { $_ eq $room } split / /, $rooms;
            }
        }
    }
}

# Depth-first search for cycles; grey files are being visited, black ones are finished.
my (%colour, @circles);
sub visit {
    my ($file, @path) = @_;
    return if ($colour{$file} // '') eq 'black';
    if (($colour{$file} // '') eq 'grey') { push @circles, join ' > ', @path, $file; return }
    $colour{$file} = 'grey';
    visit($_, @path, $file) for @{$includes{$file} // []};
    $colour{$file} = 'black';
}
visit($_) for @files;

cmp_ok(scalar @files, '>', 20, 'source files are found');
is("@{[map { qq(\n$_) } @wrong]}", '', 'every room includes only the rooms and libraries that it may include');
is("@{[map { qq(\n$_) } @circles]}", '', 'no file includes itself indirectly');
is system('deploy/code-picture', '--check'), 0, 'the drawing in deploy/ARCHITECTURE.md is that of the code (deploy/code-picture)';
done_testing();
