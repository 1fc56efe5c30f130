# SPDX-License-Identifier: MIT
# Made-up MARCXML records for stylesheets of other people: every kind of leader, linked fields of other scripts, repeated and
# empty subfields, names and titles of all tags, characters of every plane. The same number always gives the same record.
#   my $xml = marc_record($n);                a string of bytes in UTF-8
package MadeUpMarc;
use strict;
use warnings;
use utf8;
use Exporter 'import';

our @EXPORT_OK = qw(marc_record);

my $state;

sub random {
    my ($n) = @_;
    $state = ($state * 1103515245 + 12345) & 0x7fffffff;
    return int($state / 65536) % $n;
}
sub pick { return $_[ random(scalar @_) ] }
sub often { return random(3) > 0 }

my @words = ('Dějiny', 'of the', '<markup> & "quotes"', 'кириллица', '図書館', "e\x{301}tude", 'العربية', "\x{1D11E} music", 'Essays :', 'Praha,', 'c1999.', '  spaced  ', 'a', "O'Brien");
my @tags = (
    qw(010 013 017 020 022 024 027 028 030 033 034 035 037 041 043 044 045 047 048 050 052 055 060 072 080 082 084 086 100 110 111 130),
    qw(210 222 240 242 243 245 246 247 250 254 255 256 260 264 300 306 310 321 336 337 338 340 351 362 380 381 382 383 385 388),
    qw(400 410 411 440 490 500 501 502 504 505 506 508 510 511 513 515 518 520 521 522 524 530 533 534 535 536 538 540 541 545 546 555),
    qw(561 562 580 583 585 586 590 600 610 611 630 648 650 651 653 654 655 656 658 662 700 710 711 720 730 740 752 753),
    qw(760 762 765 767 770 772 773 774 775 776 777 780 785 786 787 800 810 811 830 850 852 856 866 887 996),
);

sub xml { my ($s) = @_; $s =~ s/&/&amp;/g; $s =~ s/</&lt;/g; $s =~ s/>/&gt;/g; return $s }
sub text { return xml(join ' ', map { pick(@words) } 0 .. random(4)) }

sub subfields {
    my ($tag) = @_;
    my %fixed = ('2' => pick(qw(lcsh fast gnd marcgt rdacontent isbn)), '4' => pick(qw(aut edt ill)), e => pick('author', 'editor.'), '0' => '(DE-588)118540238', '8' => '1\c', y => 'Text', u => 'http://example.org/' . random(100), w => '(OCoLC)' . random(10_000));
    my @codes = (often() ? 'a' : (), map { pick('a' .. 'z', 0 .. 9) } 0 .. random(6));
    return join '', map { my $value = $fixed{$_} && often() ? xml($fixed{$_}) : random(20) ? text() : ''; qq(<subfield code="$_">$value</subfield>) } @codes;
}

sub field {
    my ($tag, $more) = @_;
    my @indicators = map { pick(' ', 0 .. 9) } 1, 2;
    return qq(<datafield tag="$tag" ind1="$indicators[0]" ind2="$indicators[1]">) . ($more // '') . subfields($tag) . "</datafield>\n";
}

sub marc_record {
    my ($n) = @_;
    $state = 7919 * $n + 17;
    my $leader = '01234' . pick(qw(n c d)) . pick(qw(a c d e f g i j k m o p r t)) . pick(qw(m s a b c i)) . ' a22003497' . pick(' ', 'a', 'i', '7') . ' 4500';
    my @fields = sort { substr($a, 16, 3) cmp substr($b, 16, 3) } map { my $tag = $_; map { field($tag) } 0 .. random(2) } grep { random(4) == 0 } @tags;
    # Fields of other scripts and their partners.
    for my $i (1 .. random(4)) {
        my $tag = pick(qw(245 100 250 260 490 700 830));
        push @fields, field($tag, qq(<subfield code="6">880-0$i</subfield>)), field('880', qq(<subfield code="6">$tag-0$i/) . pick('(N', '$1', '(3/r', '(B') . '</subfield>');
    }
    my $controls = join '', map { my ($tag, $value) = @$_; qq(<controlfield tag="$tag">$value</controlfield>\n) } ['001', "rec$n"], ['003', pick('CZ-PrNK', 'DLC')], ['005', '20260102030405.0'],
        (often() ? ['006', pick('m        d        ', 's', '')] : ()), (often() ? ['007', pick('cr cna---', 'ta', 'sd fsngnnmmned', 'co cgu---unuuu', 'vf cbahos', 'h')] : ()),
        ['008', '940829' . pick('s1994    ', 'c19942009', 'm19941999', 'nuuuuuuuu', 'q19501959') . pick('xr ', 'nyu', 'enk') . pick('     r     000 0 ', ' a   ob    001 1 ', 'qr p       0   a0', '   |||||||||||||||') . pick('cze', 'eng', 'mul', '|||') . pick(' d', '  ')];
    my $xml = qq(<record xmlns="http://www.loc.gov/MARC21/slim"><leader>$leader</leader>\n$controls@{[join '', @fields]}</record>);
    utf8::encode($xml);
    return $xml;
}

1;
