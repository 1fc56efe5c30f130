#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A stylesheet that serves is changed so that it says something else of records, and `since` stays: the log says so, and oai
# format restamp tells harvesters, which then fetch every record again, once.
use TestProgram;

my $db = Database->new(schema => 0);
run_program("$Server::build/release/oai", 'schema', 'install', '--connection', $db->conninfo, '--model', 'library');
$db->run("insert into library.item (local_id, title, creator, deleted) select 'n' || n, array['Title ' || n], array['Creator'], n = 7 from generate_series(1, 40) n");
1 while $db->publish(1000);
my $r = Repository->new(db => $db);
system('cp', '-r', (map { "$Server::root/xslt/library/$_" } qw(oai_dc.xsl qdc.xsl part)), $r->{formats}) == 0 or die;
$r->start;
ok wait_until(sub { $r->log_text =~ /state=live prefix=qdc / }), 'the formats are tried, and live';

my $file = "$r->{formats}/oai_dc.xsl";
my $before = slurp($file);
sub change {
    my ($what, $text) = @_;
    my $live = () = $r->log_text =~ /state=live prefix=oai_dc/g;
    spew($file, $text);
    ok wait_until(sub { (() = $r->log_text =~ /state=live prefix=oai_dc/g) > $live }), "$what: live";
}
sub harvest {
    my (@from) = @_;
    my ($status, $said) = $r->oai('get', 'verb=ListIdentifiers', 'metadataPrefix=oai_dc', @from);
    return (scalar(() = $said =~ /<header/g), $said =~ m{<responseDate>(.*?)</});
}
my ($all, $harvested) = harvest();
is $all, 40, 'a harvester has all records';

unlike $r->log_text, qr/since is as before/, 'what has not changed is none that is told';
my $other = $before =~ s{<dc:title>}{<dc:title>New }gr;
isnt $other, $before, 'a change of what it says';
change('another title', $other);
like $r->log_text, qr/level=warning event=format state="since is as before" prefix=oai_dc why=".*restamp/, 'the log says so';
is +(harvest("from=$harvested"))[0], 0, 'a harvester would never know';
my ($status, $said);
($status, $said) = $r->oai('format', 'restamp', 'none');
is "$status $said", "1 oai: none: no file in $r->{formats} describes a format of that name [OAI-1599]\n", 'a format that is not there';
my $mode = (stat $file)[2];
# No file may grow, as on a full disk.
($status) = run_program('/bin/sh', '-c', 'trap "" XFSZ; ulimit -f 0; exec "$@"', 'sh', "$r->{bin}/oai", '--config', $r->{ini}, 'format', 'restamp', 'oai_dc');
is $status, 1, 'a disk that is full keeps it from being written';
is join(' ', glob("$r->{formats}/*.part")), '', 'and nothing is left behind';
# Killed while it writes: by the signal for a file that may not grow.
($status) = run_program('/bin/sh', '-c', 'ulimit -f 0; exec "$@"', 'sh', "$r->{bin}/oai", '--config', $r->{ini}, 'format', 'restamp', 'oai_dc');
is $status . (slurp($file) eq $other), 'signal 251', 'killed while it writes, it leaves the stylesheet as it was';
is(($r->oai('get', 'verb=ListMetadataFormats'))[1] =~ s/.*?<metadataPrefix>(\w+)|.*/$1 ? "$1 " : ''/egsr, 'oai_dc qdc ', 'and what is served');
($status, $said) = $r->oai('format', 'restamp', 'oai_dc');
my ($since) = $said =~ /since="(.*?)"/;
is $status . join(' ', glob("$r->{formats}/*.part")), 0, 'oai format restamp oai_dc, which leaves nothing behind' or diag $said;
is slurp($file), $other =~ s{<f:format}{<f:format since="$since"}r, 'writes since into the file and nothing else';
is +(stat $file)[2], $mode, 'which keeps its mode';
ok wait_until(sub { $db->publish(1000); (harvest("from=$harvested"))[0] == 40 }), 'then an incremental harvester gets all records again';
my (undef, $again) = harvest();
is +(harvest("from=$again"))[0] =~ /^(0|40)$/, 1, 'in whole';
ok wait_until(sub { $db->publish(1000); (harvest())[1] gt $since }), 'when its time has passed';
is +(harvest('from=' . (harvest())[1]))[0], 0, 'and once';

($status, $said) = $r->oai('format', 'restamp', 'oai_dc', '--at', '2031-02-03T04:05:06Z');
like slurp($file), qr/<f:format since="2031-02-03T04:05:06Z" /, 'a moment can be given, and replaces the one before';
($status, $said) = $r->oai('format', 'restamp', 'oai_dc', '--at', 'soon');
is $status, 2, 'what is none is refused';

# A package that brings a new version keeps since.
my $shipped = shared_directory() . '/formats';
my $source = "$Server::root/xslt/library";
system("$Server::root/deploy/ship-formats", $source, $shipped) == 0 or die;
my $plain = slurp("$shipped/oai_dc.xsl");
spew("$shipped/oai_dc.xsl", $plain =~ s{<f:format}{<f:format since="2031-02-03T04:05:06Z"}r);
my $newer = "$r->{dir}/newer";
system("cp -r $source $newer && sed -i 's/<dc:title>/&New /' $newer/oai_dc.xsl && $Server::root/deploy/ship-formats $newer $shipped") == 0 or die;
is slurp("$shipped/oai_dc.xsl"), slurp("$newer/oai_dc.xsl") =~ s{<f:format}{<f:format since="2031-02-03T04:05:06Z"}r, 'an upgrade brings its stylesheet and keeps since';
$r->stop;
done_testing;
