#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Tests wait for events, never for a time: nothing in t sleeps but wait_until() and pace() of t/lib/Process.pm and t/lib/wait.h; and
# no verdict is that something took less than a time.
use TestProgram;

my %may_sleep = map { ($_ => 1) } qw(t/lib/Process.pm t/lib/wait.h t/lint/waits.t);
my $perl = qr/select\s*\(?\s*undef\s*,\s*undef|(?:^|[;{}(]|=>)\s*(?:Time::HiRes::)?u?sleep\b|\bsleep\b.*\bfrom\b|HiRes qw\([^)]*\bsleep\b/;
my $cpp = qr/\b(?:sleep_for|sleep_until|u?sleep|nanosleep)\s*\(/;
my $quick = qr/cmp_ok.*\b(?:time|took|elapsed|seconds)\b[^,]*,\s*'<|CHECK\(.*\b(?:now|elapsed)\(\) - \w+ </;
my (@files, @sleeping, @judging);
for my $file (split /\n/, `find t -path t/bench -prune -o -path t/platforms -prune -o -path t/lib/catch2 -prune -o -type f -print`) {
    next if $may_sleep{$file} || !-T $file;
    open my $in, '<', $file or die "$file: $!";
    my $first = <$in> // next;
    my $sleeps = $file =~ /\.(?:cpp|h)$/ ? $cpp : $file =~ /\.(?:t|pm|pl)$/ && $first !~ /bash/ || $first =~ /perl/ ? $perl : next;
    push @files, $file;
    while (<$in>) {
        next if m{^\s*(?:#|//)};
        push @sleeping, "$file:$.: $_" if /$sleeps/;
        push @judging, "$file:$.: $_" if /$quick/;
    }
}
cmp_ok scalar(@files), '>', 100, 'tests are found';
is "@{[map { qq(\n$_) } @sleeping]}", '', 'no test sleeps';
is "@{[map { qq(\n$_) } @judging]}", '', 'no test fails because something took long';
done_testing();
