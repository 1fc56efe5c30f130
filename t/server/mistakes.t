#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Mistakes that administrators make, and accidents, as data: in a repository that serves behind nginx each is made, `oai check` must
# name it and what mends it and end with 1, and says 'no problem found' again once it is undone. In full all of them, in the short
# form every seventh.
use TestProgram;

my $db = Database->new(schema => 0);
my $formats = shared_directory() . '/formats';
mkdir $formats or die $!;
system('cp', "$root/xslt/oai_dc.xsl", $formats) == 0 or die;
# Root judges as this user, who has the name of the server's role, and peer authentication would let it in.
my $user = $> ? undef : 'news';
my $r = Repository->new(db => $db, formats => $formats, ini => {database => {connection => $db->conninfo($user // 'oai_reader')}});
sub installed { my ($status, $said) = $r->oai('schema', 'install', '--connection', $db->conninfo, '--model', 'webarchiv'); $status eq '0' or die $said; return }
installed();
$db->run("do \$\$ begin create role $user login in role oai_reader; exception when duplicate_object then null; end \$\$") if $user;
$db->run("insert into webarchiv.domain (name) values ('cz:example')",
    "insert into webarchiv.doc (archived_time, id_domain, url, surt) select '2007-01-01', id, 'http://example.cz/', 'cz,example)/' from webarchiv.domain");
is +($r->oai('publish', '--once'))[0], 0, 'a record is published';
my $key = "$r->{dir}/key";
chown +(getpwnam $user)[2, 3], $key if $user;
my $start_publisher = sub { return start_program(["$r->{bin}/oai", '--config', $r->{ini}, 'publish']) };
my $publisher = $start_publisher->();
my $port = (split /:/, $r->url)[2] =~ s{/.*}{}r;
my $url = "http://127.0.0.1:$port/oai";
spew($r->{ini}, slurp($r->{ini}) =~ s/^base_url = .*/base_url = $url/mr);
$r->start;
my $ini = slurp($r->{ini});

END { local $?; stop_program($publisher) if $publisher }

# Each way undoes what it did, or tells how.
sub configured { my ($key, $value) = @_; my $old = $ini; return (sub { spew($r->{ini}, $old =~ s/^\Q$key\E = .*\n/$value eq '' ? '' : "$key = $value\n"/mer) }, sub { spew($r->{ini}, $old) }) }
sub in_section { my ($section, $value) = @_; return (sub { spew($r->{ini}, $ini =~ s/(^\[\Q$section\E\]\n(?:(?!connection|\[).*\n)*)connection = .*\n/$1 . ($value eq '' ? '' : "connection = $value\n")/mer) }, sub { spew($r->{ini}, $ini) }) }
sub with_file { my ($file, $text) = @_; return (sub { spew($file, $text) }, sub { unlink $file }) }
sub with_mode { my ($file, $mode) = @_; my $old; return (sub { $old = (stat $file)[2] & 07777; chmod $mode, $file; chown 0, 0, $file if $file eq $key }, sub { chmod $old, $file; chown +(getpwnam $user)[2, 3], $file if $file eq $key }) }
sub moved { my ($file) = @_; return (sub { rename $file, "$file.away" or die $! }, sub { rename "$file.away", $file or die $! }) }
sub sql { my ($do, $undo) = @_; return (sub { $db->run($do) }, sub { $db->run($undo) }) }
sub locked { my ($sql) = @_; my $session; return (sub { $session = $db->session; $session->send("begin; $sql; select 1") }, sub { $session->send('rollback'); $session->finish }) }
sub answered { my ($text) = @_;
    my ($pid, $at);
    return (sub {
        my $listener = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1') or die $!;
        $at = $listener->sockport;
        $pid = later(sub { while (my $client = $listener->accept) { sysread $client, my $head, 65_536; print $client $text; close $client } });
        spew($r->{ini}, $ini =~ s/^base_url = .*/base_url = http:\/\/127.0.0.1:$at\/oai/mr);
    }, sub { kill 'KILL', $pid; waitpid $pid, 0; spew($r->{ini}, $ini) });
}
sub http { my ($status, $type, $body, @more) = @_; return join "\r\n", "HTTP/1.0 $status", "Content-Type: $type", @more, '', $body }
my $conninfo = $db->conninfo;
my $identify = '<OAI-PMH><Identify><repositoryName>Other</repositoryName><baseURL>http://other.example/oai</baseURL></Identify></OAI-PMH>';
my $other_port = free_port();

# What was done; how, and its undoing; what check says of it.
my @mistakes = (
    ['the token key is missing', moved($key), qr/^oai: token key: .*\Q$key\E/m],
    ['the token key is of no key\'s length', sub { spew("$key.short", 'abc'); spew($r->{ini}, $ini =~ s/^key_file = .*/key_file = $key.short/mr) }, sub { spew($r->{ini}, $ini) }, qr/^oai: token key: .*key\.short/m],
    ['a key that does not exist', with_line('server', 'worker = 3'), qr/^oai: \S+oai\.ini:\d+: .*worker/m],
    ['a stylesheet that is not well-formed', with_file("$formats/broken.xsl", '<xsl:stylesheet'), qr/^oai: formats: \S+broken\.xsl:1/m],
    ['no oai_dc', moved("$formats/oai_dc.xsl"), qr/^oai: formats: .*no format with the prefix oai_dc/m],
    ['two formats of one prefix', sub { system('cp', "$formats/oai_dc.xsl", "$formats/copy.xsl") }, sub { unlink "$formats/copy.xsl" }, qr/^oai: formats: .*taken by/m],
    ['the database has another name', in_section('database', $conninfo =~ s/dbname=\S+/dbname=nowhere/r), qr/^oai: \[database\] connection: .*nowhere/m],
    ['the database is at another port', in_section('database', $conninfo =~ s/port=\S+/port=1/r), qr/^oai: \[database\] connection: /m],
    ['the role of the server is missing', in_section('database', $db->conninfo('nobody_at_all')), qr/^oai: \[database\] connection: .*nobody_at_all/m],
    ['the publisher has no connection', in_section('publisher', ''), qr/^oai: publisher: \[publisher\] connection is missing/m],
    ['the publisher may not publish', sql('revoke update on oai.horizon from oai_publisher', 'grant update on oai.horizon to oai_publisher'), qr/^oai: publisher: .*permission denied.*oai schema install/m],
    ['the publisher may not write numbers', sql("revoke insert, delete on oai.set_chunk from oai_publisher; insert into webarchiv.doc (archived_time, id_domain, url, surt) select '2008-01-01', id, 'http://example.cz/2', 'cz,example)/2' from webarchiv.domain",
        'grant insert, delete on oai.set_chunk to oai_publisher'), qr/^oai: publisher: .*permission denied.*oai schema install/m],
    ['the server may not read items', sql('revoke select on oai.item from oai_reader', 'grant select on oai.item to oai_reader'), qr/^oai: outside: \S+verb=ListIdentifiers\S+ status 503: The database refuses a right.*\n(?:.*\n)*oai: .*permission denied/m],
    ['the publisher has another database', in_section('publisher', $db->conninfo('oai_publisher') =~ s/dbname=\S+/dbname=postgres/r), qr/^oai: \[publisher\] connection: leads to database postgres, .*, but \[database\] connection to \w+/m],
    ['the publisher\'s role may not log in', sql('alter role oai_publisher nologin', 'alter role oai_publisher login'), qr/^oai: \[publisher\] connection: .*not permitted to log in.*pg_hba\.conf.*OAI-1207/m],
    ['there is no schema', sub { spew($r->{ini}, $ini =~ s/dbname=\S+/dbname=postgres/gr) }, sub { spew($r->{ini}, $ini) }, qr/^oai: schema: .*oai schema install --model MODEL/m],
    ['no publisher runs', sub { stop_program($publisher) }, sub { $publisher = $start_publisher->() }, qr/^oai: publisher: no publisher is connected; systemctl enable --now oai-publish/m],
    ['somebody has locked the horizon', locked('lock table oai.horizon in exclusive mode'), qr/^oai: publisher: .*pid \d+/m],
    ['somebody has locked the row of the horizon', locked('select from oai.horizon for update'), qr/^oai: publisher: .*pid \d+/m],
    ['somebody has locked the publisher\'s walk', locked('lock table oai.walk in share mode'), qr/^oai: publisher: .*pid \d+/m],
    $db->value('show max_prepared_transactions') > 0 ? ['a prepared transaction was left', sub { $db->run("begin; lock table oai.walk in share mode; prepare transaction 'left''over'") }, sub { $db->run("rollback prepared 'left''over'") }, qr/^oai: publisher: .*rollback prepared 'left''over'/m] : (),    # by default PostgreSQL has none
    ['the clock was ahead', sub { stop_program($publisher); $db->run("set oai.publisher = on; update oai.horizon set h = h + interval '1 day'") }, sub { is +($r->oai('publish', '--mend-clock'))[0], 0, 'it is mended'; $publisher = $start_publisher->() }, qr/^oai: publisher: the clock of the database is 86\d{3} s behind the last datestamp.*oai publish --mend-clock/m],
    ['a trigger is off', sql('alter table webarchiv.doc disable trigger user', 'alter table webarchiv.doc enable trigger user'), qr/^oai: triggers: .*enable trigger/m],
    ['every role may create functions', sql('grant create on schema public to public', 'revoke create on schema public from public'), qr/^oai: rights: .*revoke create on schema public/m],
    ['the server is stopped', sub { $r->stop }, sub { $r->start }, qr/^oai: outside: .*status 50[23]: .*\Q$r->{socket}\E.*\n(?:.*\n)*oai: server: .*systemctl start oai-fcgi/m],
    ['nginx has another socket', sub { $other_port = WebServer::start('nginx', "$r->{dir}/web2", "$r->{dir}/nowhere.sock"); spew($r->{ini}, $ini =~ s/^base_url = .*/base_url = http:\/\/127.0.0.1:$other_port\/oai/mr) }, sub { WebServer::stop("$r->{dir}/web2"); spew($r->{ini}, $ini) }, qr/^oai: outside: .*status 50[23]: .*to the socket \Q$r->{socket}\E/m],
    ['no web server', configured('base_url', "http://127.0.0.1:$other_port/oai"), qr/^oai: outside: .*no web server answers there/m],
    ['a host that nobody knows', configured('base_url', 'http://no-such-host.invalid/oai'), qr/^oai: outside: .*no-such-host.*DNS/m],
    ['a login before it', answered(http('401 Unauthorized', 'text/html', '<html>Who are you?</html>')), qr/^oai: outside: .*status 401: .*does not let harvesters through/m],
    ['a closed page before it', answered(http('503 Service Unavailable', 'text/html', '<html>Down for maintenance</html>')), qr/^oai: outside: .*status 503: .*does not let harvesters through/m],
    ['another path', configured('base_url', "http://127.0.0.1:$port/archive/oai"), qr/^oai: outside: .*status 404: .*location must be that path/m],
    ['a redirect', answered(http('301 Moved', 'text/plain', '', "Location: $url?verb=Identify")), qr/^oai: outside: .*redirects to \Q$url\E; put that address/m],
    ['another program', answered(http('200 OK', 'text/html', '<html>Welcome to nginx!</html>')), qr/^oai: outside: .*another program answers there/m],
    ['no HTTP at all', answered("220 mail.example.org ESMTP\r\n"), qr/^oai: outside: .*another program answers there/m],
    ['another repository', answered(http('200 OK', 'text/xml', $identify)), qr/^oai: outside: .*another repository answers there.*other\.example/m],
    ['no pages for people', sub { spew($r->{ini}, "$ini\n[browse]\ndirectory = /nowhere\n") }, sub { spew($r->{ini}, $ini) }, qr{^oai: pages: /nowhere/\S+: .*No such file}m],
    ['a stylesheet that leads nowhere', sub { symlink "$formats/nothing", "$formats/link.xsl" }, sub { unlink "$formats/link.xsl" }, qr/^oai: formats: .*link\.xsl: No such file/m],
    ['an older configuration serves', configured('name', 'Renamed'), qr/^oai: outside: .*older configuration/m],
    $user ? (
        ['the web server may not use the socket', sub { chmod 0600, $r->{socket} }, sub { chmod 0666, $r->{socket} }, qr/^oai: outside: .*status 50[23]: .*namei -l \Q$r->{socket}\E/m],
        ['the token key is root\'s alone', with_mode($key, 0600), qr/^oai: rights: \Q$key\E cannot be read by news, .*chgrp news .*chmod 640/m],
        ['oai.ini is root\'s alone', with_mode($r->{ini}, 0600), qr/^oai: rights: \Q$r->{ini}\E cannot be read by news/m],
        ['the directory of formats is root\'s alone', with_mode($formats, 0700), qr/^oai: rights: \Q$formats\E cannot be read by news, .*chmod a\+rX/m],
        ['a stylesheet is root\'s alone', with_mode("$formats/oai_dc.xsl", 0600), qr/^oai: rights: \S+oai_dc\.xsl cannot be read by news/m],
    ) : (),
);
sub with_line { my ($section, $line) = @_; return (sub { spew($r->{ini}, $ini =~ s/^\[\Q$section\E\]\n/[$section]\n$line\n/mr) }, sub { spew($r->{ini}, $ini) }) }

my $fine = sub { my ($status, $said) = $r->oai('check'); return $status eq '0' ? '' : $said };
ok wait_until(sub { $fine->() eq '' }), 'a good repository has no problem' or diag $fine->();
cmp_ok scalar(@mistakes), '>=', 30, 'there are thirty mistakes';
for (sample(7, @mistakes)) {
    my ($name, $do, $undo, $like) = @$_;
    $do->();
    my ($status, $said);
    # A prepared transaction, and a lock, are looked at after some seconds; so long does the server show what was mended before.
    ok wait_until(sub { ($status, $said) = $r->oai('check'); $status eq '1' && $said =~ $like && ($name ne 'there is no schema' || 1 == (() = $said =~ /^oai: /mg)) }), "$name: found" or diag "$status $said";
    my @found = grep { /^oai: / } split /\n/, $said;
    note map { "    $_\n" } @found;
    is scalar(keys %{ {map { $_ => 1 } @found} }), @found, "$name: nothing twice";
    is join("\n", grep { !/ \[OAI-\d{4}\]$/ } @found), '', "$name: by an id";
    is scalar(() = $said =~ /^oai: /mg), 1, "$name: in one line" if $name eq 'there is no schema';
    $undo->();
}
ok wait_until(sub { $fine->() eq '' }), 'afterwards there is no problem' or diag $fine->();
stop_program($publisher);
undef $publisher;
is $r->stop, 0, 'the server stops';
done_testing;
