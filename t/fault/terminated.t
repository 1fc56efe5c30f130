#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# SIGTERM ends each program while it waits for something that never comes: a database that accepts the connection and says
# nothing, without a limit of time of its own; a repository whose answer comes byte by byte. Each is told to end once it is
# waiting, which the other side sees, and never has to be killed; those that write a log say that they end.
use TestProgram;
use Time::HiRes qw(time);

my $dir = shared_directory();
my $r = Repository->new(db => Database->new(schema => 0), dir => $dir);
spew("$dir/one.csv", "local_id,title,kind,language\na,A,book,eng\n");

# Tells it to end, and prints how long that took.
sub ended {
    my ($what, $pid, $wanted) = @_;
    my $began = time;
    like stop_program($pid), defined $wanted ? qr/^$wanted$/ : qr/^(?:0|signal 15)$/, 'it ends when it is told to' or diag slurp("$dir/out");
    note sprintf '%s: %.1f s', $what, time - $began;
}

# What listens at a port, and does this with each connection for as long as the client keeps it; $seen then has a line for each.
my $seen = "$dir/seen";
sub listener {
    my ($with) = @_;
    my $socket = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1') or die $!;
    my $pid = later(sub {
        local $SIG{CHLD} = 'IGNORE';
        local $SIG{PIPE} = 'IGNORE';
        while (my $client = $socket->accept) {
            open my $to, '>>', $seen or die $!;
            print $to "connected\n";
            close $to;
            next if fork;
            $with->($client);
            POSIX::_exit(0);
        }
    });
    return ($socket->sockport, $pid);
}
my ($database, $silent) = listener(sub { my ($client) = @_; 1 while sysread $client, my $bytes, 4096 });
my ($provider, $dripping) = listener(sub {
    my ($client) = @_;
    sysread $client, my $request, 65536;
    syswrite $client, "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n<?xml version=\"1.0\"?>";
    pace(0.2) while syswrite $client, ' ';
});
END { local $?; kill 'KILL', grep { $_ } $silent, $dripping }

my $ini = spew("$dir/hung.ini", slurp($r->{ini}) =~ s{^connection = .*(user=\S+).*}{connection = host=127.0.0.1 port=$database dbname=x $1 connect_timeout=0}mgr);
my $oai = "$r->{bin}/oai";
my $url = "http://127.0.0.1:$provider/oai";
for (['the server, whose database is silent', ["$r->{bin}/oai.fcgi", '--config', $ini], 0],
     ['the publisher', [$oai, '--config', $ini, 'publish']],
     ['the loader', [$oai, '--config', $ini, 'load', "$dir/one.csv"]],
     ['harvests that are due', [$oai, '--config', $ini, 'harvest', '--due']],
     ['check', [$oai, '--config', $ini, 'check', '--offline']],
     ['a harvest from a repository that drips', [$oai, 'harvest', $url, '--output', "$dir/harvested.xml"]],
     ['a validation of it', [$oai, 'validate', $url]],
     ['a recovery from it', [$oai, 'recover', $url, '--files', $url, '--to', "$dir/recovered"]]) {
    my ($what, $command, $wanted) = @$_;
    spew($seen, '');
    my $pid = start_program($command, out => "$dir/out");
    ok wait_until(sub { slurp($seen) ne '' || waitpid($pid, POSIX::WNOHANG()) != 0 }), "$what waits" or next;
    isnt slurp($seen), '', 'and has asked' or diag slurp("$dir/out");
    ended($what, $pid, $wanted);
}

# A database that answers, whose backends hang: somebody has locked what they need. And a stylesheet that nothing interrupts.
my $locked = Repository->new(db => Database->new(model => 'library'), dir => do { mkdir "$dir/locked" or die $!; "$dir/locked" });
$locked->{db}->run("insert into library.item (local_id, title) values ('b', '{B}')");
$locked->{db}->publish;
spew("$dir/slow.xsl", q{<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format" xmlns:str="http://exslt.org/strings">
  <f:format prefix="slow" schema="http://x/s.xsd" namespace="urn:n"/>
  <xsl:template match="record"><n:o xmlns:n="urn:n"><xsl:value-of select="translate(str:padding(200000, str:padding(2000, 'a')), str:padding(200000, 'b'), '')"/></n:o></xsl:template>
</xsl:stylesheet>});
my $session = $locked->{db}->session;
$session->send('begin; lock table library.item, oai.queue in access exclusive mode; select 1');
my $hangs = sub { $locked->{db}->value('select count(*) from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())') > 0 };
my $tries = sub { my ($pid) = @_; grep { slurp("/proc/$_/comm", '') =~ /^oai-trial/ } split ' ', slurp("/proc/$pid/task/$pid/children", '') };
for (['the loader, behind a lock', ['load', "$dir/one.csv"], $hangs],
     ['the publisher, behind a lock', ['publish'], $hangs],
     ['a deletion, behind a lock', ['delete', 'b'], $hangs],
     ['a dump, behind a lock', ['dump', '--to', $dir], $hangs],
     ['check, behind a lock', ['check', '--offline'], $hangs],
     ['check of a stylesheet that does not end', ['check', "$dir/slow.xsl"], $tries]) {
    my ($what, $arguments, $event) = @$_;
    my $pid = start_program([$oai, '--config', $locked->{ini}, @$arguments], out => "$dir/out");
    # A publisher waits, gives up and waits again: what was seen once is what counts.
    my $waits;
    wait_until(sub { ($waits = $event->($pid)) || waitpid($pid, POSIX::WNOHANG()) != 0 });
    ok $waits, "$what: it waits" or diag(slurp("$dir/out")), next;
    my @trials = $tries->($pid);
    ended($what, $pid);
    ok wait_until(sub { !grep { slurp("/proc/$_/comm", '') =~ /^oai-trial/ } @trials }), 'and with it what it has started';
    ok wait_until(sub { !$hangs->() }), 'its backend hangs no more';
}
$locked->start(ini => spew("$dir/short.ini", slurp($locked->{ini}) =~ s/^request_seconds = .*/request_seconds = 3/mr =~ s/^page_milliseconds = .*/page_milliseconds = 1000/mr));
my $asks = later(sub { $locked->ask('verb=ListRecords&metadataPrefix=oai_dc') });
ok wait_until($hangs), 'the server, a list behind a lock: it waits';
ended('the server, a list behind a lock, request_seconds = 3', delete $locked->{pid}, 0);
waitpid $asks, 0;
$session->send('rollback');
$session->finish;
done_testing;
