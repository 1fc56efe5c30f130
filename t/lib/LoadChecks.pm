# SPDX-License-Identifier: MIT
# What the tests of `oai load` have in common.
#   is_sound($db, 'loaded');           a test: chunks, counters, datestamps and items are as they should be
#   my $tables = tables($db);          rights, triggers and indexes of all tables, but for those that a fill reads files into
#   my %phases = load_on_small_disk($db, $directory, load => sub { ...; return ($status, $said) }, check => sub { ... });
#       moves the database to a disk that is full at first, and gets a little larger each time; tests that a load succeeds in the
#       end, and calls `check` after each that does not, with the name of its last statement. Returns how often each name came.
#       Nothing if no disk can be made here.
package LoadChecks;
use strict;
use warnings;
use Exporter qw(import);
use Test::More;
our @EXPORT = qw(is_sound tables load_on_small_disk);

sub is_sound {
    my ($db, $what) = @_;
    my @problems = map { @{ [$db->rows("select * from oai.$_()")] } } qw(check_chunks check_calendar check_items check_sets);
    is scalar @problems, 0, "$what: chunks, counters, datestamps and items are as they should be" or diag explain $problems[0];
    return;
}

sub tables {
    my ($db) = @_;
    my $of = "(select oid from pg_class where relnamespace in ('oai'::regnamespace, '$db->{model}'::regnamespace) and relkind in ('r', 'v') and relname !~ '^fill_(block|file)\$')";
    return join "\n", map { $_->[0] }
        $db->rows("select concat_ws(' ', oid::regclass, relacl) from pg_class where oid in $of order by 1"),
        $db->rows("select attrelid::regclass || '.' || attname || ' ' || attacl::text from pg_attribute where attacl is not null and attrelid in $of order by 1"),
        $db->rows("select concat_ws(' ', tgrelid::regclass, tgname, tgenabled) from pg_trigger where not tgisinternal and tgrelid in $of order by 1"),
        $db->rows("select concat_ws(' ', pg_get_indexdef(indexrelid), indisprimary, indisunique) from pg_index where indrelid in $of order by 1");
}

my ($me, $mounted) = ($$);
END { system('umount', '-l', $mounted) if $mounted && $$ == $me }

sub load_on_small_disk {
    my ($db, $directory, %how) = @_;
    my $disk = "$directory/disk";
    chmod 0755, $directory;
    mkdir $disk or die $!;
    my $owner = $> == 0 ? getpwnam('postgres') : $>;
    if (system("mount -t tmpfs -o size=100m,uid=$owner,mode=700 none $disk 2>/dev/null") != 0) {
        pass('skipped: no tmpfs can be mounted here, root is needed');
        return;
    }
    ($me, $mounted) = ($$, $disk);
    my $admin = sub { Database::psql($ENV{OAI_TEST_DB}, map { ('-c', $_) } @_) };
    $admin->("create tablespace $db->{name} location '$disk'", "alter database $db->{name} set tablespace $db->{name}");
    my $room = sub { my ($k) = @_; system('mount', '-o', "remount,size=${k}k", $disk) == 0 or die };
    my $used = sub { (`df -k --output=used $disk` =~ /(\d+)\s*\z/)[0] };
    my $empty = $used->();
    my ($status, $said, %phases) = (1, '');
    for (my $more = 500; $status && $more < 80_000; $more += 700) {
        $room->($used->() + 300 > $empty + $more ? $used->() + 300 : $empty + $more);
        ($status, $said) = $how{load}->();
        $room->(200_000);   # the checks need room, too
        last if !$status;
        my ($phase) = $said =~ /^oai: (\w+): .*(?:No space left|could not)/m or diag $said;
        $phases{ $phase //= 'unknown' }++;
        $how{check}->($phase);
    }
    is $status, 0, 'with enough room it is loaded' or diag $said;
    is_sound($db, 'then');
    note join ', ', map { "$_: $phases{$_}" } sort keys %phases;
    $admin->("drop database $db->{name} with (force)", "drop tablespace $db->{name}");
    return %phases;
}

1;
