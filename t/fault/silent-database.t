#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Database hosts that stop answering without refusing connections: a host that never completes the connection (nothing accepts
# it, or something accepts and sends nothing); a host whose server processes hang while its kernel still acknowledges what is
# sent; and a host, in a network namespace of its own, whose packets stop in the middle of an answer. The last two need root.
# Every request must end by its limit (the kernel's are minutes), and the next host must be tried.
use TestProgram;
use IO::Select;
use HarvestedRepository;

# Shorter than the program's default limits, which t/unit/pg/connection.cpp tests.
my $me = $$;
my $limits = 'connect_timeout=2 tcp_user_timeout=2000 keepalives_idle=1 keepalives_interval=1';
my $r = HarvestedRepository->new(documents => 30);
my ($socket, $dbname) = $r->{db}->conninfo =~ /host=(\S+).*dbname=(\S+)/;
my $list = 'verb=ListIdentifiers&metadataPrefix=oai_dc';
# The socket has a short name: a line of oai.ini, which names another host as well, has 198 bytes at most.
my $short = tempdir('oai-XXXXXX', DIR => '/tmp', CLEANUP => 1);
chmod 0755, $short or die $!;
symlink $socket, "$short/s" or die $!;
sub first { my ($address, $port, $of) = @_; return "host=$address,$short/s port=$port dbname=$dbname user=oai_reader " . ($of // $limits) }
sub is_answered { my ($what) = @_; return ok wait_until(sub { $r->ask($list)->{status} == 200 }), $what }
sub check_next_host_answers {
    my ($what) = @_;
    # On a busy machine that host may need longer than connect_timeout, too, and the request is answered 503.
    is_answered("$what: the next host answers");
    # Whoever would ask the silent host again would do so for a new connection.
    my $connections = sub { $r->{db}->value("select string_agg(pid::text, ' ' order by pid) from pg_stat_activity where usename = 'oai_reader'") };
    # Until those of the server's start, as of a trial, have come and gone.
    ok wait_until(sub { my $before = $connections->(); $r->ask($list); $connections->() eq $before }), 'by the connection that is there';
    return;
}

subtest 'nothing accepts the connection' => sub {
    my $full = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1') or die $!;
    my @waiting = map { IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $full->sockport, Blocking => 0) } 1 .. 4;
    $r->start(connection => first('127.0.0.1', $full->sockport . ',5432'));
    check_next_host_answers('full listen queue');
    is $r->stop, 0, 'the server stops cleanly';
};

subtest 'the connection is accepted and nothing is sent' => sub {
    my $silent = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1') or die $!;
    $r->start(connection => first('127.0.0.1', $silent->sockport . ',5432'));
    check_next_host_answers('silent host');
    is $r->stop, 0, 'the server stops cleanly';
};

subtest 'the database server processes hang' => sub {
    my $ini = spew("$r->{dir}/impatient.ini", slurp($r->{ini}) =~ s/^statement_timeout_milliseconds = .*/statement_timeout_milliseconds = 1000/mr);
    $r->start(ini => $ini);
    is_answered('the database answers');
    my @hung = split ' ', $r->{db}->value("select string_agg(pid::text, ' ') from pg_stat_activity where usename = 'oai_reader'");
    plan skip_all => 'only root can stop the processes of another user' if !kill 'STOP', @hung;
    is $r->ask($list)->{status}, 503, 'a request that uses a hung process ends with 503';
    is_answered('a later request is answered');
    is $r->stop, 0, 'the server stops cleanly';
    kill 'CONT', @hung;
    like $r->log_text, qr/no answer within 2000 ms; the server process hangs/, 'the log gives the cause';
};

# What the server says to harvesters, its log and its health to the administrator.
my @troubles = (
    ['a statement timeout', 'alter table oai.item rename to item_away; create view oai.item as select i.* from oai.item_away i, pg_sleep(30); grant select on oai.item to oai_reader',
        'drop view oai.item; alter table oai.item_away rename to item', 57014, 'The database took too long', 'OAI-1202', qr/statement_timeout of the role/],
    ['a right is gone', 'revoke select on oai.item from oai_reader', 'grant select on oai.item to oai_reader', 42501, 'The database refuses a right', 'OAI-1204', qr/oai schema install/],
    ['a table is gone', 'alter table oai.item rename to item_away', 'alter table oai.item_away rename to item', '42P01', 'The database is being set up', 'OAI-1205', qr/oai schema status/],
);
subtest 'each trouble has its own words' => sub {
    for (@troubles) {
        my ($name, $do, $undo, $state, $words, $id, $remedy) = @$_;
        $r->start(ini => $state eq '57014' ? "$r->{dir}/impatient.ini" : $r->{ini});
        $r->{db}->run($do);
        my $answer = $r->ask($list);
        is "$answer->{status} $answer->{body}", "503 $words just now; please ask again later. [$id]\n", "$name: a harvester is told";
        like $answer->{headers}{'retry-after'}, qr/^\d+$/, 'and when to come again';
        like $r->log_text, qr/event=fault kind=database .*sqlstate=$state .*remedy="[^"]*$remedy/, 'the log says what to do';
        $r->{db}->run($undo);
        is_answered('and afterwards it is answered');
        is $r->stop, 0, 'the server stops cleanly';
    }
};

# A publisher that may not do its work tells the servers, which tell it to whoever asks.
subtest 'the publisher lacks a right' => sub {
    $r->start;
    my $publisher = start_program(["$r->{bin}/oai", '--config', $r->{ini}, 'publish'], log => "$r->{dir}/publisher.log");
    my $health = sub { return $r->ask('/oai/-/health')->{body} // '' };
    $r->{db}->run('revoke update on oai.horizon from oai_publisher');
    ok wait_until(sub { $health->() =~ /"publisher": \{[^}]*"why": "publisher: [^"]*permission denied[^"]*oai schema install/s }), 'health says so' or diag $health->();
    my ($status, $said) = $r->oai('status', '--socket', $r->{socket});
    like $said, qr/^publisher: publisher: .*permission denied.*oai schema install/m, 'and status';
    like slurp("$r->{dir}/publisher.log"), qr/event=publish_failed .*sqlstate=42501 .*remedy="oai schema install/, 'and its log';
    $r->{db}->run('grant update on oai.horizon to oai_publisher');
    ok wait_until(sub { $health->() !~ /permission denied/ }), 'until it can publish again' or diag $health->();
    my $holder = $r->{db}->session;
    $holder->send('begin; lock table oai.horizon; select 1');
    # Its wait for a lock has a limit; a backend that stands still has none.
    my $waits = "from pg_stat_activity where application_name = 'oai publish' and wait_event_type = 'Lock'";
    my $backend;
    ok wait_until(sub {
        $backend = $r->{db}->value("select pid $waits") // return 0;
        kill 'STOP', $backend or return 1;
        return 1 if $r->{db}->value("select count(*) $waits and pid = $backend");
        return !kill 'CONT', $backend;
    }), 'the publisher waits for the database';
    is stop_program($publisher), 'signal 15', 'SIGTERM ends it all the same';
    like slurp("$r->{dir}/publisher.log"), qr/event=publisher_stopped left=/, 'saying what was left';
    kill 'CONT', $backend;
    $holder->send('rollback');
    $holder->finish;
    is $r->stop, 0, 'the server stops cleanly';
};

# A separate host: a network namespace with a relay that forwards connections to the database's socket.
my ($space, $net, $relay) = ("oai-$$", '10.' . (200 + $$ % 50) . '.' . (int($$ / 50) % 250));
sub ip { return system("ip $_[0] >/dev/null 2>&1") == 0 }
sub relay {
    my $listener = IO::Socket::INET->new(Listen => 16, LocalAddr => "$net.2", LocalPort => 5432, ReuseAddr => 1) or die $!;
    local $SIG{CHLD} = 'IGNORE';
    while (my $client = $listener->accept) {
        next if fork;
        my $server = IO::Socket::UNIX->new(Peer => "$socket/.s.PGSQL.5432") or POSIX::_exit(1);
        my %other = ($client => $server, $server => $client);
        my $both = IO::Select->new($client, $server);
        while (my @ready = $both->can_read) {
            for (@ready) { sysread($_, my $bytes, 65536) or POSIX::_exit(0); syswrite $other{$_}, $bytes }
        }
    }
    return;
}
sub start_host {
    return 0 if !ip("netns add $space");
    ip("link add $space type veth peer name eth0 netns $space") && ip("addr add $net.1/30 dev $space") && ip("link set $space up")
        && ip("-n $space addr add $net.2/30 dev eth0") && ip("-n $space link set eth0 up") or return 0;
    $relay = fork // die $!;
    if (!$relay) {
        open my $ns, '<', "/run/netns/$space" or POSIX::_exit(1);
        syscall(308, fileno $ns, 0x40000000) == 0 or POSIX::_exit(1);    # setns(2), CLONE_NEWNET
        eval { relay() };
        POSIX::_exit(1);
    }
    return wait_until(sub { IO::Socket::INET->new(PeerAddr => "$net.2", PeerPort => 5432, Timeout => 1) });
}
sub drop_packets { ip("-n $space route add blackhole $net.1/32") or die; return }
END {
    if ($$ == $me) {
        my $status = $?;
        if ($relay) { kill 'KILL', $relay; waitpid $relay, 0 }
        ip("netns del $space");
        ip("link del $space");
        $? = $status;
    }
}

subtest 'packets stop in the middle of an answer' => sub {
    plan skip_all => 'network namespaces need root and Linux' if $> || $^O ne 'linux' || !start_host();
    $r->start(connection => first("$net.2", 5432, $limits =~ s/connect_timeout=2/connect_timeout=10/r));   # a busy machine does not make it the next host
    is_answered('the host answers');
    my $holder = $r->{db}->session;
    $holder->send("begin; lock table webarchiv.doc in access exclusive mode");
    my $pid = open(my $out, '-|') // die $!;
    if (!$pid) { print $r->ask($list)->{status}; STDOUT->flush; POSIX::_exit(0) }
    ok wait_until(sub { $r->{db}->value("select count(*) from pg_stat_activity where usename = 'oai_reader' and wait_event_type = 'Lock'") > 0 }),
        'a request is waiting for its rows';
    drop_packets();
    $holder->send('rollback');
    is scalar <$out>, 503, 'the request ends with 503';
    check_next_host_answers('unreachable host');
    is $r->stop, 0, 'the server stops cleanly';
};
done_testing;
