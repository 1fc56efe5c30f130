# SPDX-License-Identifier: MIT
# Files of tests, as bytes.
#   my $bytes = slurp($file);           dies if it cannot be read; slurp($file, '') returns '' instead
#   my $file = spew($file, $bytes);     returns its name
#   my $key = write_key($file, '0123456789abcdef');     a token key that only its user may read; the digits are optional
#   my $dir = shared_directory();       private to the test, open to the user www-data, removed when the test ends
package Files;
use strict;
use warnings;
use Exporter qw(import);
use File::Temp qw(tempdir);
our @EXPORT = qw(slurp spew write_key shared_directory);

sub slurp {
    my ($file, @otherwise) = @_;
    open my $in, '<:raw', $file or return @otherwise ? $otherwise[0] : die "$file: $!\n";
    local $/;
    return <$in> // '';
}

sub spew {
    my ($file, $bytes) = @_;
    open my $out, '>:raw', $file or die "$file: $!\n";
    print {$out} $bytes;
    close $out or die "$file: $!\n";
    return $file;
}

sub write_key {
    my ($file, $digits) = @_;
    unlink $file;
    $digits //= '0123456789abcdef';
    spew($file, $digits x 4);
    chmod 0600, $file or die "$file: $!\n";
    return $file;
}

sub shared_directory {
    my $dir = tempdir('oai-fcgi-XXXXXX', TMPDIR => 1, CLEANUP => 1);
    chmod 0755, $dir or die "$dir: $!\n";
    chown +(getpwnam 'www-data')[2, 3], $dir if !$>;
    return $dir;
}

1;
