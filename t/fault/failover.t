#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Automatic failover by Debian's Patroni, with the configuration of deploy/patroni and as deploy/manual/failover.md says: three
# PostgreSQL with an etcd each. The host of the primary is killed in the middle of a first fill, of a harvest, and of an
# incremental load; nothing but that host is started again by hand. Meanwhile programs change records, and harvesters read from
# two servers by turns. What a program was told to be committed is there in the end, and the harvesters hold exactly what the
# repository has, nothing missed or doubled. At last the same without synchronous_mode: what is lost then, and what harvesters
# are told of it. In full only: t/fault/lost-transactions.t and machines.t promote replicas without Patroni.
# Environment: OAI_FAILOVER_TIMING=page: the page's seconds rather than shorter ones, and a switchover; for measuring, it takes a
# minute more. So it does with Patroni 4, which takes no ttl below 20 s.
use TestProgram;
use POSIX qw(strftime);
use Storable qw(store retrieve);
use Time::HiRes qw(time);
use Patroni;
use DocumentedCommands;

plan skip_all => 'in full only (make test-long); replicas are promoted in lost-transactions.t and machines.t' if !is_long();
# What the manual shows fills the files in.
my ($commands) = DocumentedCommands::commands("$root/deploy/manual/failover.md");
my @seds = grep { /^sed / } map { $_->{text} } @$commands;
plan skip_all => 'not here: ' . Patroni::missing() . ' (deploy/install-packages test)' if Patroni::missing();
my $oai   = "$build/release/oai";
my $me    = $$;
my $began = time;
my $dir   = tempdir('oai-over-XXXXXX', TMPDIR => 1, CLEANUP => 0);
chmod 0755, $dir or die $!;
my (@children, $p);
END {
    if ($$ == ($me // 0)) {
        my $status = $?;
        kill 'KILL', @children;
        $p->stop if $p;
        system 'rm', '-rf', $dir;
        $? = $status;
    }
}
$SIG{$_} = sub { exit 130 } for qw(INT TERM);
sub note_time { note sprintf '%.1f s: %s', time - $began, @_; return }

my @timing = ($ENV{OAI_FAILOVER_TIMING} // '') eq 'page' ? () : (timing => {ttl => 20, loop_wait => 2, retry_timeout => 9});
$p = Patroni->new(dir => $dir, @timing);
ok wait_until(sub { $p->member('leader') }), 'of three hosts one becomes the primary' or BAIL_OUT(slurp("$dir/db1/patroni.log"));
note_time('there is a primary');

is scalar @seds, 2, 'the manual fills in two files';
for my $sed (@seds) {
    my ($done, $file) = run_program('sh', '-c', $sed =~ s{/usr/share/doc/oai-fcgi/examples/}{$root/deploy/patroni/}r =~ s/ > .*//r);
    is join(' ', $done, $file =~ /\b(?:NODE|ADDRESS|VERSION|NETWORK)\b/g), 0, 'so that nothing is left open but the passwords';
}

# The repository, as the page says.
sub admin { my (@sql) = @_; return Database::psql($p->local('user=postgres dbname=oai'), map { ('-c', $_) } @sql) }
sub value { chomp(my $value = admin(@_)); return $value }
Database::psql($p->local('user=postgres dbname=postgres'), '-c', "create database oai encoding 'UTF8' template template0");
my ($installed, $words) = run_program($oai, 'schema', 'install', '--model', 'webarchiv', '--connection', $p->local('user=postgres dbname=oai'));
is $installed, 0, 'the schema is installed' or diag $words;
admin(map { "alter role $_ password 'secret'" } qw(oai_reader oai_publisher oai_loader));
my %ini = (lists => {records => 500}, server => {retry_after_seconds => 1},
    publisher => {connection => $p->conninfo('oai_publisher', 'db1,db2,db3', 'primary')},
    loader => {connection => $p->conninfo('oai_loader', 'db1,db2,db3', 'primary'), slice_records => 1500});
my $none = bless {model => 'webarchiv'}, 'Database::None';
sub Database::None::conninfo { return '' }
my @servers = map {
    mkdir "$dir/server$_->[0]";
    Repository->new(dir => "$dir/server$_->[0]", db => $none, ini => {%ini, database => {connection => $p->conninfo('oai_reader', $_->[1], 'prefer-standby')}})
} [1, 'db1,db2,db3'], [2, 'db3,db2,db1'];
$_->start(unchecked => 1) for @servers;
push @children, start_program([$oai, '--config', $servers[0]{ini}, 'publish'], log => "$dir/publisher.log");
ok wait_until(sub { $servers[0]->ask('verb=Identify')->{status} eq '200' && $servers[1]->ask('verb=Identify')->{status} eq '200' }), 'two servers answer';

ok wait_until(sub { $p->is_whole }), 'one of the others becomes the synchronous standby, and the third follows, too'
    or BAIL_OUT(join "\n", map { slurp("$dir/$_/patroni.log") } qw(db1 db2 db3));
note_time('the cluster is whole');

sub wait_or_die { my ($what, $true) = @_; ok(wait_until($true), $what) or BAIL_OUT($what); return }
# Kills the host of the primary, and waits until another one is the primary; then starts the host again, which finds its place by
# itself. Returns the seconds without a primary.
my (@without, @killed);
sub kill_primary {
    my ($meanwhile) = @_;
    my $name = $p->member('leader');
    my $is_harvested = -e "$dir/page";
    if ($is_harvested) {
        unlink "$dir/held";
        spew("$dir/hold", '');
        wait_or_die('a list of everything is being read', sub { -e "$dir/held" });
    }
    push @killed, my $at = time;
    $p->kill($name);
    note_time("$name is killed");
    unlink "$dir/hold", "$dir/held";
    $meanwhile->() if $meanwhile;
    wait_or_die("another host takes over from $name", sub { (eval { value('select 1') } // '') eq '1' });
    push @without, time - $at;
    note_time($p->member('leader') . ' is the primary');
    $p->start($name);
    return;
}
# Until the next failover is possible.
sub is_ready { return $p->member('leader') && $p->member('sync_standby') && keys %{ $p->{pids} } == 3 }

# Reads lists, each from the responseDate of the one before, until the file `end` is there; then once more. Stores what it holds
# (identifier => "datestamp status") and what happened.
sub parse_page {
    my ($body) = @_;
    my ($date) = $body =~ m{<responseDate>(.*?)<};
    my ($error) = $body =~ /<error code="(\w+)"/;
    my ($token) = $body =~ m{<resumptionToken[^>]*>([^<]+)<};
    my @records = map { [$_->[1], "$_->[2] $_->[0]"] } map { [/status="(\w+)"/ ? $1 : '', m{<identifier>(.*?)<.*?<datestamp>(.*?)<}s] } $body =~ m{<header(.*?</header>)}sg;
    return ($date, $error // '', $token, @records);
}
sub read_list {
    my ($h, $from, $pause, $number) = (@_, 0);
    my $query = 'verb=ListIdentifiers&metadataPrefix=oai_dc' . ($from ? "&from=$from" : '');
    my ($first, $begun, %seen) = (undef, time);
    for (my $end = time + 300; ;) {
        my $asked = time;
        my $answer = $servers[$h->{pages}++ % 2]->ask($query);
        $h->{slowest} = time - $asked if time - $asked > $h->{slowest};
        if ($answer->{status} ne '200') {
            push @{ $h->{failures} }, [$asked, $answer->{status}, $answer->{headers}{'retry-after'} // 'none'];
            return $h->{wrong} = "gave up: $answer->{status}" if time > $end;
            pace(0.1);
            next;
        }
        $end = time + 300;
        my ($date, $error, $token, @records) = parse_page($answer->{body});
        $first //= $date;
        # A replica that was ahead has shown what is lost now, and the list is read anew.
        if ($error eq 'badResumptionToken') { $h->{refused}++; @{ $h->{shown} }{ map { /^(\S+)/ } keys %seen } = (); return read_list(@_) }
        return $h->{wrong} = $error if $error && $error ne 'noRecordsMatch';
        for (@records) {
            $h->{twice}++ if $seen{"@$_"}++;
            $h->{back}++ if ($h->{records}{ $_->[0] } // '') gt $_->[1] && !exists $h->{shown}{ $_->[0] };
            delete $h->{shown}{ $_->[0] };
            $h->{records}{ $_->[0] } = $_->[1];
        }
        push(@{ $h->{lists} }, [$begun, time]), return $first if !defined $token;
        $query = "verb=ListIdentifiers&resumptionToken=$token";
        pace($pause) if !-e "$dir/end";
        hold($number) if $h->{is_whole} && ++$number > 15;
    }
}
# In the middle of its list, the harvester of everything waits as long as the test wants that.
sub hold {
    my ($number) = @_;
    spew("$dir/page", $number);
    while (-e "$dir/hold") { spew("$dir/held", ''); pace(0.03) }
    return;
}
sub harvester {
    my ($name, $pause) = @_;
    my $pid = later(sub {
        my %h = (records => {}, shown => {}, failures => [], lists => [], map { ($_ => 0) } qw(pages twice back refused slowest));
        @h{qw(wrong is_whole)} = ('', $name eq 'whole');
        eval {
            my $from;
            for (my $last = 0; !$last && !$h{wrong};) {
                $last = -e "$dir/end";
                $from = read_list(\%h, $h{is_whole} ? undef : $from, $pause);
                pace(0.3) if !$last;
            }
            1;
        } or $h{wrong} = "died: $@";
        store(\%h, "$dir/$name.harvested");
    });
    push @children, $pid;
    return sub { waitpid $pid, 0; return retrieve("$dir/$name.harvested") };
}

# A program that changes records by plain SQL and says each change again until it is told that it is committed.
sub writer {
    my $pid = later(sub {
        my (%told, $failures);
        my $conninfo = $p->conninfo('oai_loader', 'db2,db3,db1', 'primary');
        for (my $n = 1; !-e "$dir/end_writing"; $n++) {
            my $sql = $n % 3 == 0 ? "insert into webarchiv.doc (id, archived_time, url, surt) values (9000000$n, '2019-01-01Z', 'http://w/$n', 'w)/$n') on conflict do nothing"
                : 'update webarchiv.doc set status = ' . (200 + $n % 2 * 204) . ", length = $n where id = (select min(id) + $n * 7 % 900 from webarchiv.doc)";
            until (eval { Database::psql($conninfo, '-c', $sql); 1 }) { $failures++; pace(0.2) }
            $told{$n} = $sql if $n % 3 == 0;
            spew("$dir/told", scalar keys %told);
            pace(0.05);
        }
        store({told => [sort { $a <=> $b } keys %told], failures => $failures // 0}, "$dir/writer");
    });
    push @children, $pid;
    return sub { waitpid $pid, 0; return retrieve("$dir/writer") };
}

sub load_file {
    my ($name, $records) = @_;
    return spew("$dir/$name.cdxj", join '', map {
        qq|cz,example)/$name/$_ 20070101000000 {"url": "http://www.example.cz/$name/$_", "mime": "text/html", "status": "200", "digest": "$name$_"}\n| } 1 .. $records);
}
sub loader { my ($log, @words) = @_; unlink "$dir/$log"; my $pid = start_program([$oai, '--config', $servers[0]{ini}, 'load', @words], log => "$dir/$log"); push @children, $pid; return $pid }
sub loaded { my ($name) = @_; return value("select count(*) || ' ' || count(distinct surt) from webarchiv.doc where surt like 'cz,example)/$name%'") }
my $what_to_do = qr/run it again/;

# 1. A first fill is cut off while it writes.
my @files = map { load_file("fill$_", 7_000) } 1 .. 3;
my $pid = loader('fill.log', '--first-fill', @files);
wait_or_die('the first fill writes', sub { slurp("$dir/fill.log", '') =~ /first fill: sorts and writes/ });
kill_primary(sub {
    isnt status_of($pid), 0, 'a first fill that was cut off fails';
    like slurp("$dir/fill.log"), $what_to_do, 'and says what to do';
    is $_->ask('verb=Identify')->{status}, 200, 'a server answers without a primary' for @servers;
});
is loaded('fill'), '0 0', 'nothing of it is there';
my ($status, $said) = run_program($oai, '--config', $servers[0]{ini}, 'load', '--first-fill', @files);
is $status, 0, 'the same command fills the repository' or diag $said;
like $said, qr/begins anew/, 'and says that it begins anew';
is loaded('fill'), '21000 21000', 'everything is there once';
note_time('the repository is filled');

# 2. A harvest of everything, while others harvest changes.
my @harvests = (harvester('whole', 0.02), harvester('changes', 0.01));
my $written = writer();
sub told { return slurp("$dir/told", '') || 0 }
wait_or_die('the cluster is ready for the next failover', \&is_ready);
wait_or_die('a list of everything has got on', sub { -e "$dir/page" });
wait_or_die('the writing program writes', sub { told() > 3 });
kill_primary();
note_time('the harvest goes on');

# 3. An incremental load; both replicas hear nothing more of the primary for a second, then it is killed.
my $load = load_file('more', 14_000);
wait_or_die('the cluster is ready for the next failover', \&is_ready);
$pid = loader('more.log', $load);
wait_or_die('slices are published', sub { loaded('more') =~ /^[1-9]/ });
my $leader = $p->member('leader');
my $at = sub { chomp(my $said = Database::psql($p->at($leader, 'user=postgres dbname=oai'), '-c', $_[0])); return $said };
kill 'STOP', split /\n/, $at->("select pid from pg_stat_replication order by sync_state = 'sync'");
ok wait_until(sub { $at->("select count(*) from pg_stat_activity where wait_event = 'SyncRep' and usename in ('oai_loader', 'oai_publisher')") > 0 }),
    'the loader or the publisher waits for a replica';
kill_primary(sub { isnt status_of($pid), 0, 'a load that was cut off fails'; like slurp("$dir/more.log"), $what_to_do, 'and says what to do' });
($status, $said) = run_program($oai, '--config', $servers[0]{ini}, 'load', $load);
is $status, 0, 'the same command loads the rest' or diag $said;
is loaded('more'), '14000 14000', 'everything is there once';
note_time('everything is loaded');

# What everybody holds.
wait_or_die('the writing program has written', sub { told() > 10 });
spew("$dir/end_writing", '');
my $writer = $written->();
wait_or_die('everything is published', sub { value('select not exists (select from oai.queue)') eq 't' });
# The servers read from any of the hosts, and their watchers look once a second.
my $all = value('select last_seq from oai.horizon');
my $h_of = sub { my ($name) = @_; return eval { Database::psql($p->at($name, 'user=postgres dbname=oai'), '-c', "select last_seq || ' ' || (h is not null) from oai.horizon") } // '' };
wait_or_die('every host has all of it', sub { !grep { $h_of->($_) !~ /^$all / } sort keys %{ $p->{pids} } });
my $date_of_all = value(q{select to_char((h + interval '1 second') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') from oai.horizon});
wait_or_die('the servers show it', sub { !grep { ($_->ask('verb=Identify')->{body} =~ /<responseDate>(.*?)</ ? $1 : '') lt $date_of_all } @servers });
spew("$dir/end", '');
my %has = map { split /\t/ } split /\n/, admin(q{select 'oai:example.org:' || local_id || E'\t' || to_char(datestamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    || ' ' || case when deleted then 'deleted' else '' end from oai.item where seq is not null});
my ($whole, $changes) = map { $_->() } @harvests;
unlink "$dir/page";
for ([whole => $whole], [changes => $changes]) {
    my ($name, $h) = @$_;
    is "$h->{wrong} twice: $h->{twice} back: $h->{back}", ' twice: 0 back: 0', "$name: no error, no record twice, none older than before";
    note "$name: $h->{refused} lists begun again";   # the replica that is not the synchronous one may have shown more than that has got
    my @missed = grep { ($h->{records}{$_} // '') ne $has{$_} } sort keys %has;
    is "@missed[0 .. ($#missed > 4 ? 4 : $#missed)]", '', "$name: nothing missed of " . keys %has;
    is join(' ', grep { !$has{$_} } keys %{ $h->{records} }), '', "$name: nothing that is not there";
    my @failures = @{ $h->{failures} };
    note sprintf '%s: %d lists, %d pages, %d answers other than 200: %s; the slowest took %.1f s', $name, scalar @{ $h->{lists} }, $h->{pages}, scalar @failures,
        join(' ', map { sprintf '%.1f:%s(%s)', $_->[0] - $began, @$_[1, 2] } @failures), $h->{slowest};
    is join(' ', grep { $_ ne 503 } map { $_->[1] } @failures), '', "$name: whatever failed was 503";
}
for my $at (@killed[1, 2]) { ok scalar grep({ $_->[0] < $at && $_->[1] > $at } @{ $whole->{lists} }), 'a list of everything was being read when the primary died' }
cmp_ok $writer->{failures}, '>', 0, 'and was told of failures';
my $list = join ',', map { "9000000$_" } @{ $writer->{told} };
is value("select count(*) from webarchiv.doc where id in ($list)"), scalar @{ $writer->{told} }, 'what it was told to be committed is there';
is value('select count(*) from oai.fork'), 3, 'the publisher has noted three failovers';
note_time('nothing was missed or doubled');

# 4. Without synchronous_mode the last transactions can be lost.
wait_or_die('the cluster is ready for the next failover', \&is_ready);
($status, $said) = $p->ctl('list');
like $said, qr/ Sync Standby /, 'as the list shows that the manual has' or diag $status;
($status, $said) = $p->ctl('edit-config', '--force', '-s', 'synchronous_mode=false');
is $status, 0, 'synchronous_mode is switched off' or diag $said;
wait_or_die('the primary waits for nobody', sub { value('show synchronous_standby_names') eq '' });
$leader = $p->member('leader');
kill 'STOP', split /\n/, $at->('select pid from pg_stat_replication');
admin("insert into webarchiv.doc (id, archived_time, url, surt) select n, '2019-01-01Z', 'http://lost/' || n, 'lost)/' || n from generate_series(8000001, 8000600) n");
wait_or_die('more is published', sub { $at->('select not exists (select from oai.queue)') eq 't' });
my $primary_only = Repository->new(dir => do { mkdir "$dir/server3"; "$dir/server3" }, db => $none,
    ini => {%ini, database => {connection => $p->conninfo('oai_reader', 'db1,db2,db3', 'primary')}});
$primary_only->start;
my ($date, undef, $token, @lost) = parse_page($primary_only->ask("verb=ListIdentifiers&metadataPrefix=oai_dc&from=" . strftime('%Y-%m-%dT%H:%M:%SZ', gmtime($at->("select extract(epoch from min(datestamp)) from webarchiv.doc where id between 8000001 and 8000600"))))->{body});
ok $token && grep({ $_->[0] =~ /:800000/ } @lost), 'a harvester has seen it';
my $poller = later(sub {
    my ($from, $until, %after) = (0, 0);
    for (; !-e "$dir/end_polling"; pace(0.1)) {
        spew("$dir/polling", '');
        my $answer = $primary_only->ask('verb=ListIdentifiers&metadataPrefix=oai_dc');
        next if $answer->{status} eq '200';
        ($from, $until) = ($from || time, time);
        $after{"$answer->{status}, Retry-After $answer->{headers}{'retry-after'}"} = 1;
    }
    store([$until - $from, sort keys %after], "$dir/polled");
});
push @children, $poller;
wait_or_die('a server is asked again and again', sub { -e "$dir/polling" });
kill_primary();
spew("$dir/end_polling", '');
waitpid $poller, 0;
my ($refused_for, @refusals) = @{ retrieve("$dir/polled") };
is "@refusals", '503, Retry-After 1', 'a server that reads from the primary alone answers 503 meanwhile';
note sprintf 'it did for %.1f s', $refused_for;
is value('select count(*) from webarchiv.doc where id between 8000001 and 8000600'), 0, 'it is lost';
wait_or_die('the publisher notes the failover', sub { value('select count(*) from oai.fork') == 4 });
my $again = sub { my ($query) = @_; my $answer; wait_until(sub { $answer = $primary_only->ask($query); $answer->{status} eq '200' }); return $answer->{body} };
like $again->("verb=ListIdentifiers&resumptionToken=$token"), qr/badResumptionToken/, 'the list that has shown it is refused';
like $again->("verb=GetRecord&metadataPrefix=oai_dc&identifier=$lost[0][0]"), qr/idDoesNotExist/, 'its harvester holds a record that is not there';
admin("insert into webarchiv.doc (id, archived_time, url, surt) select n, '2019-01-01Z', 'http://lost/' || n, 'lost)/' || n from generate_series(8000001, 8000600) n");
wait_or_die('it is written again', sub { value('select not exists (select from oai.queue)') eq 't' });
my %new = (records => {}, shown => {}, failures => [], lists => [], wrong => '', map { ($_ => 0) } qw(pages twice back refused slowest));
wait_or_die('the servers show it', sub { $new{records} = {}; read_list(\%new, $date, 0); scalar(grep { /:8000\d\d\d$/ } keys %{ $new{records} }) == 600 });
is "$new{wrong}$new{refused}", '0', 'and the next harvest from the responseDate before the loss has it';
if (!@timing) {
    ($status, $said) = $p->ctl('edit-config', '--force', '-s', 'synchronous_mode=true');
    wait_or_die('synchronous_mode is on again', sub { value('show synchronous_standby_names') ne '' && is_ready() });
    my ($before, $at) = ($p->member('leader'), time);
    ($status, $said) = $p->ctl('switchover', '--force');
    like "$status $said", qr/^0 .*Successfully switched over/s, 'a switchover';
    wait_or_die('another host is the primary', sub { ($p->member('leader') // $before) ne $before && (eval { value('select 1') } // '') eq '1' });
    note sprintf 'it took %.1f s', time - $at;
}
note 'seconds without a primary: ' . join ' ', map { sprintf '%.1f', $_ } @without;
note_time('the end');
done_testing;
