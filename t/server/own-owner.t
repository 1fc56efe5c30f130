#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Owners of mapped tables are not harmed: all that they do (t/data/owner-statements.sql) is run with and without a mapping, while the
# publisher follows; results, errors and rows are the same, in each isolation, as a superuser or not. The short form has one of these six.
use IPC::Open2;
use OwnTables;
use TestProgram;

my @statements = grep { !/^--/ } split /\n/, slurp("$root/t/data/owner-statements.sql");
cmp_ok scalar(@statements), '>=', 60, scalar(@statements) . ' statements';

# A session whose messages come with its results. A lock that somebody holds for long would be an error.
sub session {
    my ($conninfo, $isolation) = @_;
    local $ENV{PGOPTIONS} = "-c default_transaction_isolation=$isolation -c lock_timeout=60s";
    my $pid = open2(my $out, my $in, "exec psql -XAtq -v VERBOSITY=terse -d '$conninfo' 2>&1");
    return {pid => $pid, in => $in, out => $out};
}
sub tell_session {
    my ($session, $sql) = @_;
    print { $session->{in} } "$sql;\n\\echo __done__\n";
    $session->{in}->flush;
    my $said = '';
    # EXPLAIN names triggers, and a notice counts what a cascade drops: the functions that stand beside the tables, too.
    while (defined(my $line = readline $session->{out})) {
        return $said if $line eq "__done__\n";
        $said .= $line =~ s/cascades to \K\d+/some/r if $line !~ /^Trigger oai_/;
    }
    die "the session ended: $said";
}
sub end_session { my ($session) = @_; close $session->{in}; waitpid $session->{pid}, 0; return }

# What each statement says, and at last the rows.
sub run_all {
    my ($isolation, $role) = @_;
    my $conninfo = $db->conninfo($role);
    my ($name) = $conninfo =~ /dbname=(\S+)/;
    local @ENV{qw(DB DIR ELSEWHERE)} = ($conninfo, $dir, $conninfo =~ s/dbname=\S+/dbname=${name}_elsewhere/r);
    $db->run("create database ${name}_elsewhere owner mag_owner");
    my (%open, @said);
    for my $statement (@statements) {
        my ($which, $sql) = $statement =~ /^(?:([AB!]):? )?(.*)/;
        if (($which // '') eq '!') { push @said, `$sql 2>&1` =~ s/\Q$name\E/DB/gr; next }
        my $session = $which ? $open{$which} //= session($conninfo, $isolation) : session($conninfo, $isolation);
        push @said, tell_session($session, $sql =~ /^do / ? $sql : join ";\n", split /; /, $sql);
        end_session($session) if !$which;
    }
    end_session($_) for values %open;
    $db->run("drop database ${name}_elsewhere with (force)");
    return @said, join "\n", map { join '|', map { $_ // 'null' } @$_ } $db->rows('select id, doi, title, section from mag.article order by id'), $db->rows('select article_id, position, name from mag.author order by 1, 2, 3');
}

for my $variant (sample(6, ['read committed', 'postgres'], ['repeatable read', 'postgres'], ['serializable', 'postgres'],
        ['serializable', 'mag_owner'], ['read committed', 'mag_owner'], ['repeatable read', 'mag_owner'])) {
    my ($isolation, $role) = @$variant;
    my @ran;
    for my $is_mapped (0, 1) {
        begin("owner$is_mapped", "do \$\$ begin create role mag_owner login; exception when duplicate_object then null; end \$\$",
            map { s/^create table mag\.author \(.*\)\K$/ partition by range (article_id)/r } @magazine[0 .. 2]);
        $db->run('create table mag.author_1 partition of mag.author for values from (0) to (250)', 'create table mag.author_rest partition of mag.author default',
            @magazine[3 .. $#magazine], 'alter schema mag owner to mag_owner', 'grant create on schema public to mag_owner',
            "do \$\$ begin execute format('grant create on database %I to mag_owner', current_database()); end \$\$",   # as it is to restore its schema
            map { "alter table mag.$_ owner to mag_owner" } qw(article author author_1 author_rest));
        mapped('a mapping', @options[0 .. $#options - 1], 'mag.author(article_id = id) order by position', '--where', 'note is null or note::integer > 0', $map) if $is_mapped;
        my $publisher = start_program(["$build/release/oai", '--config', "$dir/oai.ini", 'publish'], log => "$dir/publisher.log");
        push @ran, [run_all(join('\\ ', split / /, $isolation), $role)];
        stop_program($publisher, 'TERM');
    }
    my @differ = grep { $ran[1][$_] ne $ran[0][$_] } 0 .. $#{ $ran[0] };
    is @differ, 0, "$isolation, $role: the same with and without a mapping";
    diag "$_->[0]\n--- without\n$_->[1]\n--- with\n$_->[2]" for map { [$statements[$_] // 'the rows at the end', $ran[0][$_], $ran[1][$_]] } @differ;
    cmp_ok scalar(grep { !/ERROR|error/ } @{ $ran[0] }), '>', 0.6 * @statements, '  most of them succeed';
    $db->run('alter table mag.article add note text');
    mapped('oai map afterwards', '--believe', $map);
    publish();
    without_difference('in the end');
}
undef $db;
done_testing();
