#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# No harvester ever misses a change of mapped tables: six writers change articles, links and persons, which two maps side by side read,
# while publishers are killed, and the owner renames a column, gives a key another type and restores his schema; by triggers and by
# polling. What an incremental harvester has at last is what a new one gets, and what the tables hold. Then three transactions, one of which makes the way to what
# the others change, in every order (the short form takes every ninth).
use OwnTables;
use TestProgram;

my @tables = (@magazine[0 .. 3], 'create table mag.person (id integer primary key, name text)', 'alter table mag.author add person_id integer references mag.person',
    'create index on mag.author (person_id)', "insert into mag.person select n, 'P' || n from generate_series(1, 40) n",
    "insert into mag.article select n, 'k' || n, 'T', 'S' || n % 5 from generate_series(1, 60) n",
    "insert into mag.author select n, 1, 'x', 1 + n % 40 from generate_series(1, 60) n");
sub definition {
    my ($changes, $name) = @_;
    return "[items]\ntable = mag.article\nkey = doi\nchanges = $changes\n[also mag.author]\njoin = article_id\norder = position\n"
        . "[also mag.person]\njoin = id = author.person_id\n[columns]\ntitle = title\ncreator = person.$name\n[set section]\ncolumn = section\n";
}
# The same tables from the other end: persons, with what they have written.
my $persons = "$dir/map.d/persons.ini";
mkdir "$dir/map.d";
sub persons {
    my ($changes, $name) = @_;
    return "[items]\ntable = mag.person\nkey = id\nprefix = person/\nchanges = $changes\n[also mag.author]\njoin = person_id\n"
        . "[also mag.article]\njoin = id = author.article_id\n[columns]\ntitle = $name\ncreator = article.title\n";
}
# What each writer does, with two articles and a person.
my @kinds = (
    sub { "update mag.article set title = title || 'x' where id = $_[0]" },
    sub { "update mag.article set doi = case when doi like 'k%' then 'z' else 'k' end || id where id = $_[0]" },
    sub { "delete from mag.author where article_id = $_[0]; delete from mag.article where id = $_[0]" },
    sub { "insert into mag.article values ($_[0], 'k$_[0]', 'new', 'S$_[1]') on conflict do nothing" },
    sub { "insert into mag.author (article_id, position, name, person_id) select $_[0], 2 + $_[2], 'y', $_[2] where exists (select from mag.article where id = $_[0])" },
    sub { "update mag.author set article_id = $_[1] where article_id = $_[0] and exists (select from mag.article where id = $_[1])" },
    sub { "update mag.author set person_id = $_[2] where article_id = $_[0]" },
    sub { "update mag.person set name = name || '.' where id = $_[2]" },
    sub { "begin; update mag.article set section = 'N$_[1]' where id = $_[0]; update mag.person set name = 'Q' || id where id = $_[2]; commit" },
    sub { "begin; update mag.person set name = 'lost' where id = $_[2]; savepoint s; delete from mag.author where article_id = $_[0]; rollback to s; "
            . "update mag.article set doi = 'r$_[0]' where id = $_[1] % 2 * $_[0]; " . ($_[0] % 3 ? 'commit' : 'rollback') });

sub write_until {
    my ($stop, $seed, $least) = @_;
    my $random = $seed;
    my $next = sub { $random = ($random * 1103515245 + 12345) % 2**31; return int($random / 65536) % $_[0] };
    open my $psql, '|-', "exec psql -Xq -v VERBOSITY=terse -d '@{[$db->conninfo]}' >/dev/null 2>$dir/writer$seed.err" or die $!;
    $psql->autoflush;
    for (my $n = 0; $n < $least || !-e $stop; ++$n) {
        print $psql $kinds[$next->(scalar @kinds)]->(1 + $next->(60), 1 + $next->(60), 1 + $next->(40)), ";\n\\echo\n";
        pace(0.02) if $n >= $least;    # the machine is for the harvests then
    }
    close $psql;
    return;
}

# What harvesters have: identifier => the rest of the record.
sub records {
    my ($since) = @_;
    return map { /^(\S+) (.*)/ } split /(?<=[)\]]), /, harvest($since ? "&from=$since" : '');
}

for my $changes (qw(triggers poll)) {
    subtest "by $changes" => sub {
        begin("missed$changes", @tables);
        spew($map, definition($changes, 'name'));
        mapped('oai map', $map);
        spew($persons, persons($changes, 'name'));
        mapped('another map beside it', $persons);
        $db->run("update library.mapping set hold = '0'");   # most keys of these small tables change in a round
        publish();
        my ($stop, $publisher, %has, $since) = "$dir/stop";
        unlink $stop;
        my $start = sub { $publisher = start_program(["$build/release/oai", '--config', "$dir/oai.ini", 'publish'], log => "$dir/publisher.log") };
        my $again = sub { my ($what, $name) = @_; spew($map, definition($changes, $name)); spew($persons, persons($changes, $name));
            for my $file ($map, $persons) { ok wait_until(sub { (map_tables('--believe', $file))[0] == 0 }), $what } };
        my %step = (
            2 => sub { $db->run('alter table mag.person rename name to full_name'); $again->('a column is renamed', 'full_name') },
            3 => sub { $db->run('alter table mag.person rename full_name to name'); $again->('and has its name again', 'name') },
            4 => sub { ok wait_until(sub { eval { $db->run('alter table mag.article alter doi type varchar(100)'); 1 } }), 'the key has another type'; $again->('and is mapped', 'name') },
            5 => sub {
                is system("pg_dump -d '@{[$db->conninfo]}' -n mag -Fc -f $dir/mag.dump"), 0, 'the schema is saved';
                ok wait_until(sub { system("pg_restore --clean --if-exists --single-transaction -d '@{[$db->conninfo]}' $dir/mag.dump >/dev/null 2>&1") == 0 }), '  and restored';
            });
        $start->();
        my @writers = map { my $seed = $_; later(sub { write_until($stop, $seed, is_long() ? 2000 : 200) }) } 1 .. 6;
        for my $round (1 .. (is_long() ? 60 : 6)) {
            if ($round % 3 == 0) { stop_program($publisher, 'KILL'); $start->() }
            oai('map', '--poll', '--rows', 25, '--believe') if $changes eq 'poll';
            $step{$round}->() if $step{$round};
            my $asked = now();
            %has = (%has, records($since));
            $since = $asked;
        }
        spew($stop, '');
        waitpid $_, 0 for @writers;
        stop_program($publisher, 'TERM');
        unlike join('', map { slurp("$dir/writer$_.err") } 1 .. 6), qr/oai|map_log|library/, 'nothing of ours fails a writer';
        if ($changes eq 'poll') { mapped('what polling has not seen yet', '--believe', $_) for $map, $persons }
        publish();
        without_difference('in the end');
        my %whole = records();
        %has = (%has, records($since));
        is_deeply \%has, \%whole, 'an incremental harvester has what a new one gets';
        my %rows = map { $_->[0] => $_->[1] } $db->rows(q{select r.doi, r.title || ' [section:' || r.section || '] (' || coalesce((
            select string_agg(p.name, '; ' order by a.position, p.name) from mag.author a join mag.person p on p.id = a.person_id where a.article_id = r.id), '') || ')' from mag.article r
            union all select 'person/' || p.id, p.name || ' [] (' || coalesce((select string_agg(r.title, '; ') from mag.author a join mag.article r on r.id = a.article_id where a.person_id = p.id), '') || ')' from mag.person p});
        my %live = map { $_ => $whole{$_} } grep { $whole{$_} !~ /^deleted/ } keys %whole;
        $_ = s/\((.*)\)/'(' . join('; ', sort split m{; }, $1) . ')'/er for values %rows, values %live;
        is_deeply \%live, \%rows, '  and what the tables hold';
        note sprintf '%s: %d live of %d records', $changes, scalar keys %live, scalar keys %whole;
    };
}

sub orders {
    my ($done, %left) = @_;
    my @all = map { orders($done . $_, %left, $_ => $left{$_} - 1) } grep { $left{$_} } sort keys %left;
    return @all ? @all : $done;
}
subtest 'a change on a way that another makes' => sub {
    begin('skew', @tables, 'alter table mag.author drop constraint author_article_id_fkey');   # whose lock would wait for what this test commits later
    spew($map, definition('triggers', 'name'));
    mapped('three tables', $map);
    my @orders = orders('', a => 2, l => 2, p => 2);
    is @orders, 90, 'the first of each letter writes, the second commits';
    for my $n (sample(9, 0 .. $#orders)) {
        my ($article, $person, %begun) = (1 + $n % 60, 100 + $n);
        my %sql = (a => "update mag.article set doi = 'n$n' where id = $article",
            l => "insert into mag.author (article_id, position, name, person_id) values ($article, $person, 'x', $person)", p => "update mag.person set name = 'New$n' where id = $person");
        $db->run("insert into mag.person values ($person, 'Old')");
        my %session = map { $_ => $db->session } keys %sql;
        for my $step (split //, $orders[$n]) {
            $session{$step}->send($begun{$step}++ ? 'commit' : "begin; $sql{$step}");
            follow();
        }
        $_->finish for values %session;
        follow();
        is $db->value("select array_to_string(creator, ' ') ~ 'New$n\\y' from library.item where local_id = 'n$n'") // 'missed', 't', $orders[$n];
    }
    publish();
    without_difference('in the end');
};
undef $db;
done_testing();
