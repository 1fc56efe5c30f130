# SPDX-License-Identifier: MIT
# Tests that take long have a short form, which `make test` runs; `make test-long` (t/run --long) runs them in full. The table in
# deploy/CONTRIBUTING.md says what each short form keeps.
#   is_long()                          whether this run is in full
#   my @some = sample(13, @all);       in full all of them, else every thirteenth
#   my $n = sample_number();           which: t/run prints it and takes another one each day; OAI_TEST_SAMPLE=N repeats a run
package ShortForm;
use strict;
use warnings;
use Exporter qw(import);
our @EXPORT = qw(is_long sample sample_number);

sub is_long { return !!$ENV{OAI_TEST_LONG} }

sub sample_number { return $ENV{OAI_TEST_SAMPLE} // 1 }

sub sample {
    my ($every, @all) = @_;
    return is_long() ? @all : @all[grep { $_ % $every == sample_number() % $every } 0 .. $#all];
}

1;
