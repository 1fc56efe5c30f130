#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The colours of the pages for people have the contrast that WCAG 2.2 AA demands, in the light and the dark scheme: 4.5 for text
# (1.4.3), 3 for the edges of fields and the focus ring (1.4.11). Each colour stands on each ground, whatever the style does now.
use TestProgram;
use List::Util qw(max min);

sub text_of { my ($file) = @_; open my $in, '<', $file or die "$file: $!"; local $/; return scalar readline $in }

my $style = text_of('xslt/page/style.css');
sub colours { my ($rules) = @_; return $rules =~ /--([\w-]+): (#[0-9a-f]{6});/g }
my ($light) = $style =~ /^:root \{(.*?)^\}/ms;
my ($dark) = $style =~ /^\@media \(prefers-color-scheme: dark\) \{\n    :root \{(.*?)^    \}/ms;
my %scheme = (light => {colours($light)}, dark => {colours($dark)});
is_deeply [sort keys %{$scheme{dark}}], [sort keys %{$scheme{light}}], 'both schemes have the same colours';

sub luminance {
    my @rgb = map { hex($_) / 255 } $_[0] =~ /[0-9a-f]{2}/g;
    my ($r, $g, $b) = map { $_ <= 0.04045 ? $_ / 12.92 : (($_ + 0.055) / 1.055)**2.4 } @rgb;
    return 0.2126 * $r + 0.7152 * $g + 0.0722 * $b;
}
sub contrast { my @l = map { luminance($_) } @_; return (max(@l) + 0.05) / (min(@l) + 0.05) }
cmp_ok abs(contrast('#777777', '#ffffff') - 4.478), '<', 0.001, 'the contrast is computed as WCAG does';

my %least = ((map { $_ => 4.5 } qw(text aside link bad)), edge => 3);
for my $name (sort keys %scheme) {
    my %colour = %{$scheme{$name}};
    for my $ink (sort keys %least) {
        for my $ground (qw(ground raised)) {
            my $found = contrast($colour{$ink}, $colour{$ground});
            cmp_ok $found, '>=', $least{$ink}, sprintf '%s: %s on %s has %.2f', $name, $ink, $ground, $found;
        }
    }
}
my %unchecked = map { $_ => 1 } keys %{$scheme{light}};
delete @unchecked{keys %least, qw(ground raised line)};    # line only separates, and nothing is lost without it
is_deeply [sort keys %unchecked], [], 'no other colour is in the style';
is join(' ', grep { !/^#[0-9a-f]{6}$/ } ($style =~ s/:root \{.*?\}//gsr) =~ /#[0-9a-fA-F]{3,8}\b/g), '', 'nor outside of its head';
done_testing();
