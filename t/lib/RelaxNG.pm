# SPDX-License-Identifier: MIT
# The grammars of t/data/rng are in RELAX NG's compact syntax, which libxml2 does not read: this makes XML of what they use of it.
#   my $rng = XML::LibXML::RelaxNG->new(string => RelaxNG::xml("$root/t/data/rng/mods.rnc"));
#   perl -It/lib -MRelaxNG -e 'print RelaxNG::xml(@ARGV)' t/data/rng/oai-pmh.rnc >oai-pmh.rng
# What is included stands in a <div>, with its own namespaces.
package RelaxNG;
use strict;
use warnings;
use File::Basename qw(dirname);
use Files;

my %of_sign = (',' => 'group', '|' => 'choice', '&' => 'interleave', '?' => 'optional', '*' => 'zeroOrMore', '+' => 'oneOrMore');
# Of the file that is read: what is left of it, its namespaces by prefix, that of names without one.
our (@tokens, %space, $default);

sub escaped { my ($text) = @_; return $text =~ s/&/&amp;/gr =~ s/</&lt;/gr =~ s/"/&quot;/gr }
sub taken { my ($pattern) = @_; return @tokens && $tokens[0] =~ /\A(?:$pattern)\z/ ? shift @tokens : undef }
sub need { my ($pattern) = @_; return taken($pattern) // die "not $pattern: @tokens[0 .. ($#tokens < 9 ? $#tokens : 9)]\n" }
sub string { return substr need(qr/".*"|'.*'/s), 1, -1 }

sub xml { my ($file) = @_; return qq(<?xml version="1.0"?>\n<grammar xmlns="http://relaxng.org/ns/structure/1.0" datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">\n) . grammar($file) . "</grammar>\n" }

sub grammar {
    my ($file) = @_;
    local %space = (xml => 'http://www.w3.org/XML/1998/namespace');
    local $default;
    local @tokens = grep { !/^#/ } slurp($file) =~ /(#.*|"[^"]*"|'[^']*'|\\?[\w.-]+(?::(?:[\w.-]+|\*))?|\S)/g;
    my $out = '';
    while (@tokens) {
        if (taken('namespace')) { my $prefix = need('\w+'); need('='); $space{$prefix} = string() }
        elsif (taken('default')) { need('namespace'); my $prefix = taken('\w+'); need('='); $default = string(); $space{$prefix} = $default if $prefix }
        elsif (taken('include')) { $out .= grammar(dirname($file) . '/' . string()) }
        else {
            my $name = need('\\\\?[\w.-]+');
            need('=');
            $out .= $name eq 'start' ? '<start>' . pattern() . "</start>\n" : '<define name="' . $name =~ s/^\\//r . '">' . pattern() . "</define>\n";
        }
    }
    return '<div' . (defined $default ? ' ns="' . escaped($default) . '"' : '') . ">\n$out</div>\n";
}

# Particles with the same sign between them.
sub pattern {
    my @parts = particle();
    my $sign;
    while (my $next = taken($sign // '[,|&]')) { $sign = $next eq '|' ? '\|' : $next; push @parts, particle() }
    return @parts == 1 ? $parts[0] : wrapped($of_sign{ $sign =~ s/\\//r }, join '', @parts);
}
sub wrapped { my ($name, $inside) = @_; return "<$name>$inside</$name>" }

sub particle {
    my $out = primary();
    my $times = taken('[?*+]');
    return $times ? wrapped($of_sign{$times}, $out) : $out;
}

sub primary {
    if (my $kind = taken('element|attribute')) {
        my $name = names($kind eq 'attribute');
        need('\{');
        my $content = pattern();
        need('\}');
        return wrapped($kind, $name . $content);
    }
    if (my $word = taken('text|empty')) { return "<$word/>" }
    if (taken('\(')) { my $out = pattern(); need('\)'); return $out }
    if (@tokens && $tokens[0] =~ /^["']/) { return wrapped('value', escaped(string())) }
    if (my $type = taken('xsd:\w+')) {
        my $out = '';
        if (taken('\{')) { until (taken('\}')) { my $name = need('\w+'); need('='); $out .= qq(<param name="$name">) . escaped(string()) . '</param>' } }
        $out .= wrapped('except', primary()) if taken('-');
        return '<data type="' . substr($type, 4) . "\">$out</data>";
    }
    return '<ref name="' . need('\\\\?[\w.-]+') =~ s/^\\//r . '"/>';
}

# A class of names. An attribute without a prefix has no namespace.
sub names {
    my ($is_attribute) = @_;
    if (taken('\*')) { return taken('-') ? wrapped('anyName', wrapped('except', names($is_attribute))) : '<anyName/>' }
    if (taken('\(')) {
        my @all = names($is_attribute);
        push @all, names($is_attribute) while taken('\|');
        need('\)');
        return wrapped('choice', join '', @all);
    }
    my ($prefix, $name) = need('\\\\?[\w.-]+(?::.+)?') =~ /^\\?(?:(.*):)?(.*)$/;
    my $uri = defined $prefix ? $space{$prefix} // die "no namespace $prefix\n" : $is_attribute ? '' : $default;
    my $ns = defined $uri ? ' ns="' . escaped($uri) . '"' : '';
    return $name eq '*' ? "<nsName$ns/>" : "<name$ns>$name</name>";
}

1;
