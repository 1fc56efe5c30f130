#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What `oai status`, `oai check`, the metrics and the publisher's log say of own tables: most rows gone at once, whose items are held
# until they return, or the configured time has passed; a source that cannot be read, while the copy is served.
use OwnTables;
use TestProgram;

begin('departures', @magazine, "insert into mag.article select n, 'k' || n, 'T' || n, 'Many' from generate_series(11, 48) n");
mapped('oai map', @options, '--where', 'note is null or note::int > 0', $map);
publish();
my $repository = Repository->new(db => $db, formats => "$dir/formats")->start;
my $publisher;
sub start_publisher { $publisher = start_program(["$build/release/oai", '--config', "$dir/oai.ini", 'publish'], log => "$dir/publisher.log"); return }
sub metric { return $repository->ask('/oai/-/metrics')->{body} =~ /^\Q$_[0]\E (\S+)$/m ? $1 : 'none' }
sub becomes { my ($name, $value) = @_; ok wait_until(sub { metric($name) eq $value }), "$name becomes $value" or diag metric($name); return }
sub is_told {
    my ($what, $like) = @_;
    my $said = '';
    ok wait_until(sub { ($said = join '', $repository->oai('status')) =~ $like }), "oai status tells $what" or diag $said;
    ok wait_until(sub { slurp("$dir/publisher.log") =~ $like }), '  and so does the log' or diag slurp("$dir/publisher.log");
    is metric('oai_healthy{part="sources"}'), 0, '  and the metrics';
    like harvest(), qr/^10\.5555\/a One /, '  and the copy is served';
    return;
}
sub is_well { my ($when) = @_; becomes('oai_healthy{part="sources"}', 1); unlike join('', $repository->oai('status')), qr/^sources/m, "nothing is told $when"; return }

becomes('oai_held_departures', 0);
is_well('at first');
my $full = $db->session;
my @problem = $full->send('begin; ' . join('; ', map { qq{select oai.map_note_problem(id, 'could not extend file "base/1/$_": No space left', '53100') from library.mapping} } 1, 2) . '; select problem from library.mapping; rollback');
$full->finish;
is join(' ', grep { $_ } @problem), 'could not extend file: No space left (SQLSTATE 53100); make room for it; the publisher tries again', 'a full disk is told with what to do, whichever file is to grow';
$db->run("update mag.article set title = title || '.' where id in (11, 12)");
becomes('oai_publisher_queue', 4);    # before and after: rows of the log, which nobody has taken yet
start_publisher();
becomes('oai_publisher_queue', 0);

$from = now();
$db->run('create table mag.kept as select * from mag.article where id > 10', 'delete from mag.article where id > 10');
becomes('oai_held_departures', 38);
is_told('what is held', qr/\bdepartures_held\b.*items=38|^sources: own-tables: 38 items are gone at once; they stay for 01:00:00, or until oai map --believe$/m);
like join('', $repository->oai('check')), qr/map: the source has lost 38 of 40 rows/, '  and so does oai check';
$db->run('insert into mag.article select * from mag.kept');
becomes('oai_held_departures', 0);
is_well('when they are back');
is harvest("&from=$from"), '', '  and harvesters were told nothing';
without_difference('then');

$db->run('delete from mag.article where id > 10');
becomes('oai_held_departures', 38);
$db->run("update library.mapping set hold = '0'");
becomes('oai_held_departures', 0);
ok wait_until(sub { scalar(() = harvest() =~ / deleted /g) == 38 }), 'when the time has passed they are deleted records';
like slurp("$dir/publisher.log"), qr/event=departures_ended/, '  as the log says';
is_well('then');

my @lines = split /\n/, slurp($map);
my ($line, $where) = map { my $key = $_; map { $_ + 1 } grep { $lines[$_] =~ /^$key = / } 0 .. $#lines } qw(title where);
for my $fault (
    ['a renamed column', 'alter table mag.article rename title to name', 'alter table mag.article rename name to title', qr/SQLSTATE 42703\); mag\.article has no column title any more; mend \Q$map\E:$line, and run oai map/],
    ['a table that is not there', 'alter table mag.author rename to writer', 'alter table mag.writer rename to author', qr/SQLSTATE 42P01\); mag\.author is not there any more; bring it back, or mend \Q$map\E:\d+, and run oai map/],
    ['a condition that fails', "update mag.article set note = 'ca.' where id = 2", 'update mag.article set note = null where id = 2', qr/SQLSTATE 22P02\); mend the rows, or the condition at \Q$map\E:$where/]) {
    my ($what, $break, $mend, $like) = @$fault;
    $db->run($break, "update mag.article set section = 'Other ' || section where id = 1");
    is_told($what, $like);
    $db->run($mend);
    is_well('when that is mended');
    without_difference('then');
}

my $owner = $db->session;
$owner->send("begin; lock table mag.article; update mag.article set title = 'Locked' where id = 2");
$db->run("update mag.author set name = 'Waiting' where article_id = 1 and position = 1");
is_told('a lock', qr/SQLSTATE 55P03\); somebody has locked it, and the publisher tries again/);
$owner->send('commit');
$owner->finish;
is_well('when the lock is gone');
ok wait_until(sub { harvest() =~ /^10\.5555\/a One [^,]*\(Waiting; [^,]*, 10\.5555\/b Locked/ }), '  and what was changed meanwhile comes' or diag harvest();
stop_program($publisher, 'TERM');
$repository->stop('TERM');
undef $db;
done_testing();
