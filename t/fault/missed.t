#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# No harvester ever misses a record (invariants I1 to I5). The writers, the harvesters and the comparison of what they hold are
# in t/fault/missed.cpp. This program runs the cluster, its lagging replica and the publishers, and disturbs them: publishers
# are killed in the middle of a slice (t/lib/Breakpoint.pm), their backends are terminated in the middle of a statement, two publishers start at
# once, none runs for a while, and the clock is turned back and forth. Two `oai load` publish slices of their own meanwhile; they
# are killed in the middle of a slice, too, and then load the same file again. `oai dump` writes a dump and its differences all the time, and
# is killed, too: what each that has ended says up to its number is what the tables hold of these numbers, and at the end all of it.
# Model webarchiv, or the one that OAI_MISSED_MODEL names (t/fault/missed-library.t).
# Environment: OAI_MISSED_SECONDS, how long the load lasts at least (60, in the short form 8); from 300 on transactions last up to a minute, the bulk load has
# a million records, and the clock is turned by half a minute. OAI_MISSED_FAULT: t/fault/missed-faults.t. OAI_MISSED_SEED: repeats the random choices of an earlier run.
use TestProgram;
use JSON::PP qw(decode_json);
use IPC::Open2;
use Time::HiRes qw(time);

use Breakpoint;
use Clock;
use POSIX qw(WNOHANG);

my $seconds = $ENV{OAI_MISSED_SECONDS} // ($ENV{OAI_TEST_LONG} ? 60 : 8);
my $seed    = $ENV{OAI_MISSED_SEED} // $$;
my $model   = $ENV{OAI_MISSED_MODEL} // 'webarchiv';
my $build   = abs_path($ENV{BUILD} // 'build');
my $long    = $seconds >= 300;
my $fault   = $ENV{OAI_MISSED_FAULT};   # t/fault/missed-faults.t puts it into the publisher, which is all the trouble then, but for rules
my ($longest, $bulk, $step) = $long ? (60, 1_000_000, 30) : (8, $fault ? 2_000 : $ENV{OAI_TEST_LONG} ? 50_000 : 15_000, 4);
srand $seed;
my $started = time;
sub note_time { note sprintf '%.1f s: %s', time - $started, @_; return }
note "seed $seed, $seconds s, transactions up to $longest s, $bulk records in one";

my $dir = tempdir('oai-fire-XXXXXX', TMPDIR => 1, CLEANUP => 0);
chmod 0755, $dir or die "$dir: $!\n";
my $me = $$;
my (%publisher, @clusters);   # pid -> log
my $pid;                      # the program with the writers and the harvesters

# A clock for the cluster that can be shifted.
my $clock = Clock->new($dir);
my %turned = $clock->environment;
sub turn_clock { my ($by) = @_; $clock->turn($by); return }

sub start_cluster {
    local @ENV{keys %turned} = values %turned;
    chomp(my $conninfo = `t/lib/cluster start $dir/primary`);
    $? == 0 or die "no PostgreSQL for the test\n";
    push @clusters, "$dir/primary";
    return $conninfo;
}

sub start_replica {
    my ($primary, $dbname) = @_;
    push @clusters, "$dir/replica";
    local @ENV{keys %turned} = values %turned;
    chomp(my $host = `t/lib/cluster follow $dir/replica '$primary' recovery_min_apply_delay=5s hot_standby_feedback=on`);
    $? == 0 or die "no replica\n";
    return "$host port=5432 dbname=$dbname";
}

# One publisher uses the cluster's shifted clock and one the correct clock, as if they ran on different hosts.
my $logs = 0;
sub start_publisher {
    my ($ini, $turned) = @_;
    my $log = "$dir/publisher-" . ++$logs . '.log';
    my $pid = start_program(["$build/release/oai", '--config', $ini, 'publish'], log => $log, env => $turned ? \%turned : {});
    $publisher{$pid} = $log;
    return;
}
sub start_publishers { start_publisher($_[0], $_) for 0, 1; return }
sub end_publishers {
    my ($signal) = @_;
    kill $signal, keys %publisher;
    waitpid $_, 0 for keys %publisher;
    %publisher = ();
    return;
}

# Two loaders at a time, each with a file of its own. A file whose loader was ended is loaded again.
my ($file_records, $slice_records) = $ENV{OAI_TEST_LONG} ? (5000, 2500) : (4000, 2000);   # fewer than 2000 a loader leaves to the publisher
my $first_loaded = 2_000_000_000;   # items of a library have the numbers behind it; captures have those of a sequence
my (%loader, %happened, @cut);   # pid -> file; what happened how often; files of loaders that were ended
my $load_files = 0;
sub load_file {
    my ($ini, $file) = @_;
    my $pid = start_program(["$build/release/oai", '--config', $ini, 'load', '--collection', 'c0:d1', '--collection', 'c1:d2', $file], log => "$dir/load.log");
    $loader{$pid} = $file;
    return;
}
sub new_load_file {
    my $first = $file_records * $load_files++;
    my @numbers = $first + 1 .. $first + $file_records;
    return spew("$dir/$load_files.csv", join '', "local_id,title,kind,language,identifier\n",
        map { $first_loaded + $_ . ",Item $_,book,eng,http://www.example.cz/loaded/$_\n" } @numbers) if $model eq 'library';
    return spew("$dir/$load_files.cdxj", join '', map {
        qq|cz,example)/loaded/$_ 20070101000000 {"url": "http://www.example.cz/loaded/$_", "mime": "text/html", "status": "200", "digest": "D$_"}\n|
    } @numbers);
}
sub reap_loaders {
    my ($how) = @_;
    for my $pid (keys %loader) {
        next if waitpid($pid, $how) != $pid;
        my $file = delete $loader{$pid};
        $? == 0 ? $happened{'files loaded'}++ : push @cut, $file;
    }
    return;
}

my $dump;   # the pid of the program that dumps

sub clean_up {
    return if $$ != $me || !defined $dir;
    local ($?, $@);
    end_publishers('KILL');
    kill 'KILL', keys %loader, $pid // (), $dump // ();
    reap_loaders(0);
    system('t/lib/cluster', 'stop', $_) for reverse @clusters;
    system('rm', '-rf', $dir);
    undef $dir;
    return;
}
END { clean_up() }
$SIG{$_} = sub { exit 130 } for qw(INT TERM);

$ENV{OAI_TEST_DB} = start_cluster();
$ENV{OAI_KEEP_DB} = 1;   # the database is removed with the cluster
my $db = Database->new(model => $model);
my ($dbname) = $db->conninfo =~ /dbname=(\S+)/;
my $replica = start_replica($ENV{OAI_TEST_DB}, $dbname);
my $ini = write_ini("$dir/oai.ini", $db, loader => {slice_records => $slice_records});
my $items = {webarchiv => 'webarchiv.doc', library => 'library.item'}->{$model};
# The view and the set by a rule of run_state.h; the latter comes and goes.
my $digit = 'right(' . {webarchiv => 'url', library => 'landing_page'}->{$model} . ', 1)';
mkdir "$dir/sets" or die $!;
sub rule_file { my ($name, $text) = @_; return spew("$dir/sets/$name.set", $text) }
sub lucky { return rule_file('lucky', "[set]\nspec = lucky\nname = Lucky\nwhere = $digit in ('1','2','3')\n") }
rule_file('partners', "[view]\nwhere = $digit in ('0','2','4','6','8')\n");
lucky();
$db->run("select setval(pg_get_serial_sequence('$items', 'id'), 1000000000)");   # the test gives out lower ids itself
my $published = Breakpoint->new($db, "update on $items", "session_user = 'oai_publisher'");
my $loaded = Breakpoint->new($db, "insert on $items", "session_user = 'oai_loader' and current_query() like '%publish_loaded%'");
# What was deleted before it was published is gone; what had been published is a deleted record.
my $key = $model eq 'library' ? 'local_id' : 'surt';
$db->run("create table gone (key text)", "create function note_gone() returns trigger language plpgsql security definer as
    'begin insert into public.gone values (old.$key); return null; end'",
    "create trigger note_gone after delete on $items for each row execute function note_gone()");
if ($fault) {
    my ($function, $right, $wrong) = split /\n/, $fault;
    $db->run("do \$do\$ declare f text := pg_get_functiondef('oai.$function'::regproc); begin if position(\$a\$$right\$a\$ in f) = 0 then raise exception 'where is it?'; end if;
        execute replace(f, \$a\$$right\$a\$, \$a\$$wrong\$a\$); end \$do\$");
}
turn_clock(100);
cmp_ok($db->value("select extract(epoch from clock_timestamp())") - time, '>', 99, 'the clock of the server can be turned');
turn_clock(0);
# A dump beside it all. Its files never change, so each is read once, and what they hold is compared once for each number.
my (@dumped, %held);
my $compared = 0;
sub start_dump { my ($ini) = @_; $dump = start_program(["$build/release/oai", '--config', $ini, 'dump', '--to', "$dir/dump", '--file-megabytes', 1], log => "$dir/dump.log"); return }
# Returns the number of the dump, and the ids of records in files that it did not have before.
sub read_dump {
    my $list = decode_json(slurp("$dir/dump/manifest.json"))->{lists}[0];
    my @names = map { $_->{name} } map { @{$_->{files}} } @{$list->{parts}};
    if (grep { $dumped[$_] ne ($names[$_] // '') } 0 .. $#dumped) { (@dumped, %held) = (); $compared = 0 }
    my @new;
    for my $name (splice @names, @dumped) {
        my $text = join '', `gzip -dc '$dir/dump/$name'`;
        while ($text =~ m{^<record><header( status="deleted")?><identifier>oai:example.org:(.*?)</identifier><datestamp>(.*?)</datestamp>(.*?)</header>}gm) {
            my ($deleted, $id, $datestamp, $sets) = ($1, $2, $3, $4);
            $held{$id} = [$datestamp, $deleted ? 't' : 'f', join ' ', sort $sets =~ m{<setSpec>(.*?)<}g];
            push @new, $id;
        }
        push @dumped, $name;
    }
    return ($list->{number}, @new);
}
# Records up to the number of the dump have not moved since, so they are in it as they are; what is in it and has moved is still there.
# A deletion is seen before it is numbered, and a set by a rule may go, so these are compared once all is published, with $all.
sub check_dump {
    my ($all) = @_;
    my ($number, @new) = read_dump();
    @new = keys %held if $all;
    my %spec = map { @$_ } $db->rows('select id, spec from oai.set');
    my (%is, @wrong);
    my $which = $all ? '' : sprintf q{ and (seq > %d and seq <= %d or local_id = any ('{%s}'))}, $compared, $number, join ',', @new;
    for my $row ($db->rows(q{select local_id, to_char(datestamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), deleted, seq, set_ids from oai.item where seq is not null} . $which)) {
        my ($id, $datestamp, $deleted, $seq, $sets) = @$row;
        my $held = $held{$id};
        $is{$id} = 1;
        next if $seq > $number ? !$all : $held && $held->[0] eq $datestamp
            && (!$all || $held->[1] eq $deleted && $held->[2] eq join ' ', sort map { $spec{$_} } $sets =~ /\d+/g);
        push @wrong, "@$row is in the dump as " . join ' ', $held ? @$held : 'nothing';
    }
    push @wrong, map { "$_ is in the dump alone" } grep { !$is{$_} } @new;
    $compared = $number;
    $happened{'dumps compared'}++;
    fail("a dump up to number $number is what the tables hold") or diag join "\n", splice @wrong, 0, 5 if @wrong;
    return scalar keys %held;
}
# Another one, once the last has ended; at every third look it is killed, in whatever it does after a moment.
sub dump_on {
    my ($ini) = @_;
    if (waitpid($dump, WNOHANG) == $dump) {
        $? == 0 ? check_dump() : fail('a dump ends well') || diag slurp("$dir/dump.log");
        start_dump($ini);
    }
    return if rand > 1 / 3;
    pace(rand 0.5);
    kill 'KILL', $dump;
    waitpid $dump, 0;
    $happened{$? & 127 ? 'dumps killed' : 'dumps ended'}++;
    return start_dump($ini);
}

start_publishers($ini);
note_time('cluster, replica and publishers are up');

$pid = open2(my $said, my $tell, "$build/release/fault/missed", $model, $db->conninfo, $replica, $seconds, $longest, $bulk, $seed, "$dir/key");
$tell->autoflush;
my $first = <$said> // '';
die "missed: $first\n" if $first ne "burning\n";
my $begin = time;
note_time('it burns');
mkdir "$dir/dump" or die $!;
start_dump($ini);

my $session = $db->session;
sub is_active { my ($backend) = @_; return ($session->send("select count(*) from pg_stat_activity where pid = $backend and state = 'active'"))[0] }
sub terminate { my ($backend) = @_; return ($session->send("select pg_terminate_backend($backend)"))[0] eq 't' }

# Calls the code while a program of this role has stopped in the middle of a slice, with the pid of its backend.
sub in_mid_slice {
    my ($point, $meanwhile) = @_;
    $point->arm;
    load_file($ini, shift @cut // new_load_file()) if $point == $loaded;    # those that run may have no slice left
    my $backend = $point->reached // die 'no slice is published by the ', $point == $loaded ? "loaders\n" : "publishers\n";
    my $done = $meanwhile->($backend);
    $point->release;
    return $done;
}

my %trouble = (
    kill => sub {
        $happened{'publishers killed in mid-slice'} += in_mid_slice($published, sub { end_publishers('KILL'); return is_active($_[0]) });
        start_publishers($ini);
    },
    terminate => sub { $happened{'backends ended in mid-statement'} += in_mid_slice($published, \&terminate) },
    kill_loaders => sub { $happened{'loaders killed in mid-slice'} += in_mid_slice($loaded, sub { kill 'KILL', keys %loader; return is_active($_[0]) }) },
    terminate_loader => sub { $happened{'backends of loaders ended in mid-slice'} += in_mid_slice($loaded, \&terminate) },
    forward => sub { turn_clock($step); $happened{'clock forth'}++; pace(1.5); turn_clock(0); $happened{'clock back'}++ },
    behind => sub { turn_clock(-$step); $happened{'clock back'}++; pace(1.5); turn_clock(0); $happened{'clock forth'}++ },
    rule   => sub {   # other rules come and go with it
        unlink "$dir/sets/lucky.set";
        rule_file('odd', "[set]\nspec = odd\nname = Odd\nwhere = $digit in ('1','3','5','7','9')\n") if !-e "$dir/sets/odd.set";
        wait_until(sub { !$db->value("select count(*) from oai.rule where name = 'lucky'") && $db->value("select count(*) from oai.rule where name = 'odd'") }) or die "rules do not change\n";
        lucky();
        unlink "$dir/sets/odd.set";
        $happened{'rules that came and went'}++;
    },
    none   => sub { end_publishers('TERM'); $happened{'no publisher'}++; pace(1); start_publishers($ini) },
);
%trouble = (rule => $trouble{rule}) if $fault;
print $tell "trouble\n";
my (@next, @more);   # at first each trouble once
my @wanted = ('publishers killed in mid-slice', 'backends ended in mid-statement', 'clock forth', 'clock back', 'no publisher',
    'loaders killed in mid-slice', 'backends of loaders ended in mid-slice', 'rules that came and went',
    'dumps killed', 'dumps compared');
@wanted = ('rules that came and went') if $fault;
while (time - $begin < 0.7 * $seconds || grep { !$happened{$_} } @wanted) {
    if (!@next) {
        @next = sort { rand() <=> 0.5 } (@more, sort keys %trouble);
        @more = ('kill', 'terminate', 'kill', 'kill_loaders') if !$fault;
    }
    reap_loaders(WNOHANG);
    dump_on($ini);
    # In the short form no more than each machine needs: where all takes longer, loaders would load all the while.
    load_file($ini, shift @cut // new_load_file()) while keys %loader < 2 && (@cut || $load_files < 10 || $ENV{OAI_TEST_LONG});
    $trouble{shift @next}->();
    pace(0.2 + rand($long ? 8 : 0.6));
}
turn_clock(0);

# As the owner of the database might on any day. Who waits for a table that is in use makes all others wait behind them, publishers
# included, for whom a reader with an open page may wait: so they give up some time, let the others go on, and try again.
my @chores = ("cluster $items using @{[$items =~ s/.*\.//r]}_pkey", 'vacuum full oai.set_chunk', 'reindex table oai.queue',
    "create index made_beside on $items (seq, id); drop index @{[$items =~ s/\..*//r]}.made_beside", "alter role oai_publisher password 'new'");
@chores = () if $fault;
is(system(qw(pg_dump --no-sync -Fc -f /dev/null -d), $db->conninfo), 0, 'beside it all: pg_dump');
for my $chore (@chores) {
    my $try = sub { return eval { $db->run("set lock_timeout = '10s'", split /; /, $chore); 1 } || !pace(3) && 0 };
    ok(wait_until($try), "beside it all: $chore");
}
reap_loaders(0);
while (my $file = shift @cut) { load_file($ini, $file); reap_loaders(0) }
waitpid $dump, 0;
print $tell "calm\n";
close $tell;
note_time('calm again');

my $lag;
while (my $line = <$said>) {
    chomp $line;
    my ($kind, @words) = split /\t/, $line, -1;
    if ($kind eq 'pass' || $kind eq 'fail') { ok($kind eq 'pass', $words[0]) or diag $words[1] }
    elsif ($kind eq 'lag') { $lag = \@words }
    else { note_time("@words") }
}
waitpid $pid, 0;
is($? & 127, 0, 'the program with the harvesters was not ended by a signal');
note join ', ', map { "$_: $happened{$_}" } sort keys %happened;
my $is_loaded = $model eq 'library' ? "key::bigint > $first_loaded" : "key like 'cz,example)/loaded/%'";
is($db->value("select count(distinct key) from (select $key from $items union select key from gone) as rows (key) where $is_loaded"),
    $file_records * $load_files, "every record of $load_files files was loaded");
is($db->value("select count(*) - count(distinct $key) from $items"), 0, 'each once');
cmp_ok($happened{$_} // 0, '>', 0, "this occurred at least once: $_")
    for @wanted, 'files loaded';

start_dump($ini);
waitpid $dump, 0;
is($?, 0, 'at the end it is dumped once more') or diag slurp("$dir/dump.log");
my $in_dump = check_dump(1);
is($in_dump, $db->value('select count(*) from oai.item where seq is not null'), "dump and differences hold all that there is: $in_dump records, after $happened{'dumps compared'} dumps");
is(system("$build/release/oai", '--config', $ini, 'dump', '--verify', "$dir/dump") >> 8, 0, 'in a chain that is whole');

# I3, which t/fault/full-queue.t proves by counts, is measured here.
end_publishers('TERM');
ok(defined $lag, 'the lag was measured while nothing was disturbed');
note "responseDate lags by $lag->[1] s (median) and $lag->[2] s (most) in $lag->[0] harvests" if $lag;
done_testing();
