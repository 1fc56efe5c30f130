#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Promotes a replica that has not received the last transactions, which harvesters have already seen. A list that showed any
# lost change must be refused, because records have returned to positions that it had passed; any other list continues; and no
# harvester misses a record. Then tests the advice of deploy/manual/machines.md: if publisher and loader wait for a synchronous
# standby, nothing that was visible to harvesters can be lost. A first fill that the primary had begun begins anew. At last replicas
# are read from that end queries, or are an hour behind.
use TestProgram;
use Clock;
use HarvestedRepository;

my $me = $$;
my @replicas;
END { if ($$ == $me) { my $status = $?; system("$root/t/lib/cluster", 'stop', $_) for @replicas; $? = $status } }

# A repository whose server connects to the primary, or to the replica if the primary is gone.
sub pair {
    my ($documents) = (@_, 60);
    my $r = HarvestedRepository->new(cluster => 1, documents => $documents, ini => {lists => {records => 20, sets => 2}});
    my $primary = $r->{db}->conninfo;
    push @replicas, "$r->{dir}/replica";
    chomp(my $host = `$root/t/lib/cluster follow $replicas[-1] '$ENV{OAI_TEST_DB}' wal_retrieve_retry_interval=100ms`);
    $? == 0 or die "no replica\n";
    $r->{replica} = $primary =~ s/host=\S+/$host/r;
    my ($other) = $host =~ /host=(\S+)/;
    $r->start(connection => $r->{db}->conninfo('oai_reader') =~ s/(host=\S+)/$1,$other/r);
    return $r;
}
sub on { my ($conninfo, @sql) = @_; return Database::psql($conninfo, map { ('-c', $_) } @sql) }
sub last_seq { my ($conninfo) = @_; chomp(my $seq = on($conninfo, 'select last_seq from oai.horizon')); return $seq }
sub cut_off {
    my ($r) = @_;
    ok wait_until(sub { last_seq($r->{replica}) eq last_seq($r->{db}->conninfo) }), 'the replica has caught up';
    on($r->{replica}, "alter system set primary_conninfo = ''", 'select pg_reload_conf()');
    ok wait_until(sub { on($r->{replica}, 'select count(*) from pg_stat_wal_receiver') == 0 }), 'the replica no longer receives changes';
    return;
}
sub fail_over {
    my ($r) = @_;
    $r->pg_ctl('stop', '-m', 'immediate') or die;
    system("$root/t/lib/cluster", 'promote', "$r->{dir}/replica") == 0 or die;
    $r->{db}{conninfo} = $r->{replica};
    return;
}
sub token_of { my ($body) = @_; return $body =~ m{<resumptionToken[^>]*>([^<]+)<} ? $1 : '' }
sub ids { my ($body) = @_; return [$body =~ m{<identifier>oai:example\.org:(\d+)<}g] }

# Reads the rest of a list from a token on, directly from the server. Returns the identifiers or the error code.
sub rest {
    my ($r, $verb, $token) = @_;
    my @found;
    while ($token) {
        my $answer;
        wait_until(sub { ($answer = $r->ask("verb=$verb&resumptionToken=$token"))->{status} eq 200 }) or return $answer->{status};
        return $1 if $answer->{body} =~ /<error code="(\w+)"/;
        push @found, @{ ids($answer->{body}) };
        $token = token_of($answer->{body});
    }
    return join ' ', @found;
}

subtest 'asynchronous: the last transactions are lost' => sub {
    my $r = pair();
    my $list = 'verb=ListIdentifiers&metadataPrefix=oai_dc';
    my $old = token_of($r->ask($list)->{body});
    my $old_sets = token_of($r->ask('verb=ListSets')->{body});
    cut_off($r);
    $r->{db}->run('update webarchiv.doc set status = 404 where id = 5',
        "insert into webarchiv.doc (id, archived_time, url, surt) select n, '2019-01-01Z', 'http://lost/' || n, 'lost)/' || n from generate_series(61, 80) n");
    $r->{db}->publish;
    my $first = $r->ask($list)->{body};
    is_deeply ids($first), [1 .. 4, 6 .. 21], 'a list begins after its fifth record has moved to the end';
    my ($seen, $seen_sets) = (token_of($first), token_of($r->ask('verb=ListSets')->{body}));
    my ($from) = $first =~ m{<responseDate>(.*?)<};
    is last_seq($r->{replica}), 60, 'the replica has none of these changes';
    fail_over($r);
    $r->{db}->run("insert into webarchiv.doc (id, archived_time, url, surt) select n, '2019-01-01Z', 'http://new/' || n, 'new)/' || n from generate_series(101, 130) n");
    $r->{db}->publish;
    cmp_ok last_seq($r->{replica}), '>', 81, 'the new primary gives the same numbers to other records';

    is rest($r, 'ListIdentifiers', $seen), 'badResumptionToken', 'the list that showed lost changes is refused, because it would miss the fifth record';
    is rest($r, 'ListSets', $seen_sets), 'badResumptionToken', 'a list of sets from that time is refused too';
    my @new = map { $_->[0] } $r->{db}->rows('select local_id from oai.item where seq > 60 order by seq');
    is rest($r, 'ListIdentifiers', $old), join(' ', 21 .. 60, @new), 'a list from before the lost changes continues, with all new records';
    like $r->ask("verb=ListSets&resumptionToken=$old_sets")->{body}, qr/<setSpec>/, 'and so does a list of sets';
    my ($got, $said) = $r->harvest('ListIdentifiers');
    is_deeply $got, $r->published('true'), 'a harvest from the beginning receives exactly the published records';
    is "$said->{twice} @{ $said->{wrong} }", '0 ', 'each of them once, without an error';
    is_deeply ids($r->ask("$list&from=$from")->{body}), [@new[0 .. 19]], 'a harvest from the responseDate of the refused list begins with the new records';

    my $after = token_of($r->ask($list)->{body});
    is scalar(my @all = split / /, rest($r, 'ListIdentifiers', $after)), 70, 'a list that begins now can be read to its end';
    is $r->{db}->value('select count(*) from oai.fork'), 1, 'one fork is recorded';
    $r->{db}->publish;
    is $r->{db}->value('select count(*) from oai.fork'), 1, 'publishing again does not record it twice';
    $r->stop;
};

subtest 'a synchronous standby for those who publish: nothing visible is lost' => sub {
    my $r = pair();
    on($r->{db}->conninfo, "alter system set synchronous_standby_names = 'ANY 1 (*)'", 'alter role oai_publisher set synchronous_commit = on',
        'select pg_reload_conf()');
    my $publish = 'select oai.publish(1000)';
    my $as = sub { my ($role) = @_; return $r->{db}->conninfo($role) };
    ok wait_until(sub { on($as->('postgres'), "select count(*) from pg_stat_replication where sync_state = 'quorum'") == 1 }), 'the replica is a synchronous standby';
    my $token = token_of($r->ask('verb=ListIdentifiers&metadataPrefix=oai_dc')->{body});
    cut_off($r);
    on($as->('oai_loader'), 'set synchronous_commit = local', "insert into webarchiv.doc (id, archived_time, url, surt) values (61, '2019-01-01Z', 'http://lost/', 'lost)/')");
    pass('a program that writes and does not publish need not wait for the standby');
    open my $out, '-|', "psql -XqAt -d '" . $as->('oai_publisher') . "' -c 'select pg_sleep(1.5)' -c '$publish' 2>&1" or die $!;    # waits until the primary is stopped
    ok wait_until(sub { on($as->('oai_reader'), "select count(*) from pg_stat_activity where wait_event = 'SyncRep'") == 1
        || on($as->('postgres'), "select count(*) from pg_stat_activity where wait_event = 'SyncRep'") == 1 }), 'the publisher waits for the standby';
    is last_seq($as->('oai_reader')), 60, 'what it has written is not visible while it waits';
    unlike $r->ask('verb=ListIdentifiers&metadataPrefix=oai_dc&from=2021-01-01')->{body}, qr/<header>/, 'nor does a harvester receive it';
    fail_over($r);
    close $out;
    $r->{db}->publish;
    is $r->{db}->value('select seq from oai.fork'), 60, 'everything that was visible is still there';
    is rest($r, 'ListIdentifiers', $token), join(' ', 21 .. 60), 'the list continues to its end';
    $r->stop;
};

subtest 'a loader, which publishes, waits for the synchronous standby, too' => sub {
    my $r = pair();
    on($r->{db}->conninfo, "alter system set synchronous_standby_names = 'ANY 1 (*)'", 'alter role oai_loader set synchronous_commit = on', 'select pg_reload_conf()');
    ok wait_until(sub { on($r->{db}->conninfo, "select count(*) from pg_stat_replication where sync_state = 'quorum'") == 1 }), 'the replica is a synchronous standby';
    cut_off($r);
    spew("$r->{dir}/new.cdxj", qq|lost)/new 20190101000000 {"url": "http://lost/new", "digest": "A"}\n|);
    my $pid = start_program(["$r->{bin}/oai", '--config', $r->{ini}, 'load', "$r->{dir}/new.cdxj"], log => "$r->{dir}/load.log");
    my $reader = $r->{db}->conninfo('oai_reader');
    ok wait_until(sub { on($r->{db}->conninfo, "select count(*) from pg_stat_activity where wait_event = 'SyncRep' and usename = 'oai_loader'") > 0 }), 'the loader waits';
    is last_seq($reader), 60, 'what it has published is not visible while it waits';
    fail_over($r);
    is status_of($pid), 1, 'it fails';
    like slurp("$r->{dir}/load.log"), qr/run it again/, 'and says what to do';
    $r->stop;
};

subtest 'a first fill that the lost primary had begun' => sub {
    my $r = pair(0);
    my $begin = 'select is_empty, files, captures, lost from webarchiv.begin_fill(false)';
    my $read = "insert into webarchiv.fill_block (bucket, captures, rows) values (1, 1, 'a')";
    is on($r->{db}->conninfo, $begin, $read, "insert into webarchiv.fill_file values ('a.cdx', 1, 1, false)"), "t\x1f0\x1f0\x1ff\n", 'one file is read';
    ok wait_until(sub { on($r->{replica}, "select to_regclass('webarchiv.fill_file') is not null") =~ /t/ }), 'the replica has its tables';
    cut_off($r);
    fail_over($r);
    $r->{db}->publish;
    is on($r->{replica}, $begin, $read), "t\x1f0\x1f0\x1ft\n", 'a replica that was promoted has nothing of it, and begins anew';
    is on($r->{replica}, $begin), "t\x1f0\x1f0\x1ft\n", 'once more';
    $r->stop;
};

# A replica ends a query that holds up what it has to replay. Harvesters who read from it alone meet 503 at most, and whole lists.
subtest 'a replica ends queries that conflict with its replay' => sub {
    my $r = pair(100);
    ok wait_until(sub { last_seq($r->{replica}) eq last_seq($r->{db}->conninfo) }), 'the replica has caught up';
    on($r->{replica}, 'alter system set max_standby_streaming_delay = 0', 'alter system set hot_standby_feedback = off', 'select pg_reload_conf()');
    $r->stop;
    $r->start(connection => $r->{replica} =~ s/user=\S+/user=oai_reader/r);
    my $enough = "$r->{dir}/enough";
    my $writer = later(sub { $r->{db}->run('begin', 'lock table webarchiv.doc, oai.item in access exclusive mode', 'update webarchiv.doc set status = status where id = 1', 'commit') while !-e $enough });
    my @readers = map { my $n = $_; later(sub { my %met; until (-e $enough) { my $answer = $r->ask('verb=ListRecords&metadataPrefix=oai_dc'); $met{ $answer->{status} . ($answer->{status} == 200 ? ' ' . @{ ids($answer->{body}) } : '') }++ } spew("$r->{dir}/met$n", join "\n", sort keys %met) }) } 1 .. 3;
    ok wait_until(sub { on($r->{replica}, "select sum(confl_lock + confl_snapshot) from pg_stat_database_conflicts") > 3 }), 'queries were ended';
    my $first = $r->ask('verb=ListIdentifiers&metadataPrefix=oai_dc');
    is rest($r, 'ListIdentifiers', token_of($first->{body})), join(' ', 21 .. 100), 'a list is whole' if $first->{status} == 200;
    spew($enough, '');
    waitpid $_, 0 for $writer, @readers;
    is join("\n", grep { !/^(?:200 20|503)$/ } map { split /\n/, slurp("$r->{dir}/met$_") } 1 .. 3), '', 'whoever asked met a whole page, or 503';
    is $r->ask('verb=ListRecords&metadataPrefix=oai_dc')->{status}, 200, 'afterwards all are served';
    is $r->stop, 0, 'the server stops';
};

# A replica that is an hour behind, by the clock of the server's host. What it serves is an hour old and says so: a harvest from its
# responseDate misses nothing of what was committed meanwhile.
subtest 'a replica that is an hour behind' => sub {
    my $r = pair(60);
    ok wait_until(sub { last_seq($r->{replica}) eq last_seq($r->{db}->conninfo) }), 'the replica has caught up';
    on($r->{replica}, 'select pg_wal_replay_pause()');
    ok wait_until(sub { on($r->{replica}, 'select pg_get_wal_replay_pause_state()') =~ /^paused/ }), 'and stands still';
    $r->{db}->run('update webarchiv.doc set status = 404 where id = 5', "insert into webarchiv.doc (id, archived_time, url, surt) values (61, '2019-01-01Z', 'http://late/', 'late)/')");
    $r->{db}->publish;
    my $clock = Clock->new($r->{dir});
    $clock->turn(3600);
    $r->stop;
    $r->start(connection => $r->{replica} =~ s/user=\S+/user=oai_reader/r, env => {$clock->environment});
    my $list = 'verb=ListIdentifiers&metadataPrefix=oai_dc';
    my $behind = $r->ask($list);
    is_deeply ids($behind->{body}), [1 .. 20], 'what the replica has is served';
    my ($from) = $behind->{body} =~ m{<responseDate>(.*?)<};
    cmp_ok $from, 'le', $r->{db}->value(q{select to_char((select h from oai.horizon) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')}), 'with its own responseDate';
    ok wait_until(sub { $r->ask('/oai/-/health')->{body} =~ /"degraded": true.*published up to [^,]*, [34]\d\d\d s ago/s }), 'health says how late it is' or diag $r->ask('/oai/-/health')->{body};
    on($r->{replica}, 'select pg_wal_replay_resume()');
    ok wait_until(sub { join(' ', @{ ids($r->ask("$list&from=$from")->{body}) }) eq '5 61' }), 'and nothing is missed once it follows' or diag $r->ask("$list&from=$from")->{body};
    is $r->stop, 0, 'the server stops';
};
done_testing;
