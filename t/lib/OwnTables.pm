# SPDX-License-Identifier: MIT
# What the tests of `oai map` have in common: a repository over tables that were not made for this project.
package OwnTables;
use Exporter qw(import);
use TestProgram;
our @EXPORT = qw($db $dir $from $map @magazine @options begin changed follow harvest harvested map_tables mapped now oai publish
    refused touches without_difference);

our $dir = tempdir('oai-map-XXXXXX', TMPDIR => 1, CLEANUP => 1);
chmod 0755, $dir;
mkdir "$dir/formats";
spew("$dir/formats/oai_dc.xsl", slurp("$root/xslt/library/oai_dc.xsl"));

our ($db, $map, $from);
my $queued;
# A database of model library, and the configuration of a repository over it.
sub begin {
    my ($name, @sql) = @_;
    $db = Database->new(model => 'library');
    unlink($map = "$dir/$name.ini");
    $queued = 0;
    $db->run(@sql) if @sql;
    spew("$dir/key", '0123456789abcdef' x 4 . "\n");
    chmod 0600, "$dir/key";
    spew("$dir/oai.ini", "[repository]\nname = Magazine\nbase_url = http://127.0.0.1/oai\nadmin_email = a\@example.org\nidentifier_namespace = mag.example\n[lists]\nrecords = 1000\n"
        . "[token]\nkey_file = $dir/key\n[formats]\ndirectory = $dir/formats\n"
        . join '', map { "[$_->[0]]\nconnection = " . $db->conninfo("oai_$_->[1]") . "\n" } [database => 'reader'], [publisher => 'publisher'], [loader => 'loader']);
    return;
}
sub oai {
    my (@arguments) = @_;
    my $pid = open(my $out, '-|') // die $!;
    if (!$pid) {
        open STDERR, '>&', \*STDOUT;
        exec "$build/release/oai", '--config', "$dir/oai.ini", @arguments or die $!;
    }
    local $/;
    my $all = <$out>;
    close $out;
    return wantarray ? ($? >> 8, $all) : $all;
}
sub map_tables { my (@arguments) = @_; return oai('map', '--connection', $db->conninfo, @arguments) }
sub mapped { my ($what, @arguments) = @_; my ($status, $words) = map_tables(@arguments); is $status, 0, $what or diag $words; return $words }
sub refused {
    my ($what, $like, @arguments) = @_;
    unlink "$dir/refused.ini";
    my ($status, $words) = map_tables(@arguments, "$dir/refused.ini");
    ok($status == 1 || $status == 2, "refused: $what") or diag $status;
    like $words, $like, '  in words';
    ok !-e "$dir/refused.ini", '  and nothing is written';
    return;
}
# What the publisher does in each round.
sub follow { 1 while $db->value('select more from oai.map_follow()') eq 't'; return }
sub publish { follow(); $db->publish; return }
sub now { return (oai('get', 'verb=Identify') =~ m{<responseDate>(.*?)</responseDate>})[0] }
# "10.5555/a One [section:News] (First; Second)" for each record; a deleted one without title and authors.
sub harvest {
    my ($more) = @_;
    my $list = oai('get', 'verb=ListRecords&metadataPrefix=oai_dc' . ($more // ''));
    my @records;
    while ($list =~ m{<record><header( status="deleted")?><identifier>oai:mag\.example:(.*?)</identifier>(.*?)</header>(.*?)</record>}gs) {
        my ($deleted, $id, $sets, $metadata) = ($1, $2, $3, $4);
        my ($title) = $metadata =~ m{<dc:title>(.*?)</dc:title>};
        push @records, join ' ', $id, $deleted ? 'deleted' : $title // '?', '[' . join(' ', sort $sets =~ m{<setSpec>(.*?)</setSpec>}g) . ']',
            $deleted ? () : '(' . join('; ', $metadata =~ m{<dc:creator>(.*?)</dc:creator>}g) . ')';
    }
    return join ', ', sort @records;
}
# What SQL changes is queued by the next round, no more and no less: the identifiers, in order.
sub touches {
    my ($how, $sql, $want, $as) = @_;
    follow();
    $queued = $db->value('select coalesce(max(n), 0) from oai.queue') || $queued;
    Database::psql($db->conninfo($as), '-c', $_) for ref $sql ? @$sql : $sql;
    follow();
    is join(' ', map { $_->[0] } $db->rows("select distinct local_id collate \"C\" from oai.queue join oai.item using (id) where n > $queued order by 1")), $want, $how;
    return;
}
# What was published since then.
sub harvested {
    my ($what, $want) = @_;
    publish();
    is harvest($from ? "&from=$from" : ''), $want, $what;
    $from = now();
    return;
}
sub changed { my ($how, $sql, $want, $as) = @_; Database::psql($db->conninfo($as), '-c', $_) for ref $sql ? @$sql : $sql; return harvested($how, $want) }
sub without_difference {
    my ($what) = @_;
    my ($status, $words) = oai('map', '--check');
    is "$status $words", "0 harvesters see what the tables hold\n", "no difference: $what";
    ($status, $words) = oai('check');
    unlike $words, qr/^oai: (?:map|oai\.|triggers)/m, '  and oai check finds none' or diag $words;
    return;
}

our @magazine = (
    'create schema mag',
    'create table mag.article (id integer primary key, doi text unique, title text not null, section text, published date, note text)',
    'create table mag.author (article_id integer not null references mag.article on delete cascade, position integer, name text not null)',
    'create index on mag.author (article_id)',
    "insert into mag.article values (1, '10.5555/a', 'One', 'News', '2020-01-01', null), (2, '10.5555/b', 'Two', 'Letters', null, null), (3, null, 'Three', 'News', null, null)",
    "insert into mag.author values (1, 2, 'Second'), (1, 1, 'First'), (2, 1, 'Third')");
our @options = ('--table', 'mag.article', '--key', 'doi', '--title', 'title', '--creator', 'author.name', '--date', 'published', '--set', 'section',
    '--also', 'mag.author(article_id) order by position');

1;
