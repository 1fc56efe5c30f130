#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Includes point down only: fcgi, command > service, aggregate > page, recover, static_repository > load, harvest, validate > the
# corridor > pg, xml, http > base. Rooms of one floor do not see each other, nothing includes itself by a detour, and each C
# library is included by its own room alone.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;

chdir dirname(abs_path($0)) . '/../..' or die $!;

my %floor = (fcgi => 6, command => 6, service => 5, aggregate => 5, page => 4, recover => 4, static_repository => 4, load => 3, harvest => 3,
    validate => 3, corridor => 2, pg => 1, xml => 1, http => 1, base => 0);

# A header of a C library, and the rooms that may know it.
my @libraries = (
    [qr/^(libpq-fe|postgres_ext)\.h$/ => 'pg'],
    [qr/^(fcgiapp|fcgios|fastcgi|fcgi_stdio)\.h$/ => 'fcgi'],
    [qr/^(libxslt|libexslt)\// => 'xml'],
    [qr/^libxml\// => 'xml corridor'],      # the internal XML is built as a tree
    [qr/^ini\.h$/ => 'base'],
    [qr/^spdlog\// => 'base'],
    [qr/^prometheus\// => 'corridor page'],
    [qr/^CLI\// => 'command fcgi'],
    [qr/^curl\// => 'http'],
    [qr/^(brotli|openssl)\// => 'recover'],
);

sub room {
    my ($file) = @_;
    return 'fcgi' if $file =~ m{^fcgi/};
    return 'service' if $file =~ m{^lib/service\.};
    return $1 if $file =~ m{^lib/(\w+)/};
    return 'corridor' if $file =~ m{^lib/[^/]+$};
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
    push @wrong, "$file: belongs to no room" and next if !defined $room || !exists $floor{$room};
    open my $in, '<', $file or die "$file: $!";
    while (<$in>) {
        if (/^\s*#\s*include\s+"([^"]+)"/) {
            my $path = resolve($file, $1);
            push @wrong, "$file:$.: \"$1\" is no file of ours; a library's header stands in <>" and next if !$path;
            my $other = room($path) // 'none';
            push @{$includes{$file}}, $path;
            next if $other eq $room;
            push @wrong, "$file:$.: $room must not see $other ($1)"
                if !exists $floor{$other} || $floor{$other} >= $floor{$room};
        } elsif (/^\s*#\s*include\s+<([^>]+)>/) {
            my $name = $1;
            for my $library (@libraries) {
                my ($header, $rooms) = @$library;
                push @wrong, "$file:$.: <$name> is known in $rooms alone" if $name =~ $header && $rooms !~ /\b$room\b/;
            }
        }
    }
}

# Depth first; grey is being visited.
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

cmp_ok(scalar @files, '>', 20, 'there are sources to look at');
is("@{[map { qq(\n$_) } @wrong]}", '', 'includes point down');
is("@{[map { qq(\n$_) } @circles]}", '', 'no header includes itself by a detour');
done_testing();
