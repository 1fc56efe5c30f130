#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Every format that is shipped, of either model, goes through a static repository and comes back: it is exported, found without
# faults, taken in by a gateway that keeps it, and exported by that gateway again. Metadata and what is said about them in <about>,
# in its order, are the same by canonical XML.
use FindBin;
use lib "$FindBin::Bin/../lib";
use TestProgram;
use StaticRepositoryFile;
use StaticWeb;

my $web  = StaticWeb->new;

# A gateway of the file at the URL, whose records are kept and can be harvested: the repository, and what the tool said.
sub gateway_of {
    my ($url, $base) = @_;
    my $gateway = Repository->new(db => Database->new(model => 'library'), ini => {repository => {base_url => $base, identifier_namespace => 'gateway.example'}});
    my ($status, $said) = $gateway->oai('import-static', '--keep', $url);
    is $status, 0, 'a gateway takes it in' or diag $said;
    mkdir "$gateway->{formats}/about" or die $!;
    while ($said =~ /`(oai repository format (--about )?(\S+))`/g) {
        my ($command, $about, $prefix) = ($1, $2, $3);
        my ($rc, $stylesheet) = $gateway->oai(map { split } $command =~ s/^oai //r);
        is $rc, 0, $command or diag $stylesheet;
        spew("$gateway->{formats}/" . ($about ? 'about/' : '') . "$prefix.xsl", $stylesheet);
    }
    1 while $gateway->{db}->publish > 0;
    return $gateway;
}

for my $model (qw(webarchiv library)) {
    my $formats = "$root/xslt" . ($model eq 'library' ? '/library' : '');
    my $db = Database->new(model => $model);
    $db->run('\i ' . "$root/t/golden/" . ($model eq 'library' ? 'library' : 'data') . '.sql');
    $db->run("update library.item set licence = 'https://creativecommons.org/licenses/by/4.0/', origin = (select origin from library.item where id = 5) where id = 3") if $model eq 'library';
    1 while $db->publish > 0;
    my $source = Repository->new(db => $db, formats => $formats);
    my $url    = $web->url("$model.xml");
    my $base   = 'http://gateway.example/oai/' . $url =~ s{^http://}{}r =~ s/:/%3A/r;
    my @export = ('export-static', '--gateway', 'http://gateway.example/oai', '--url', $url);

    my ($status, $said) = $source->oai(@export, "$web->{dir}/$model.xml");
    is $status, 0, "model $model is exported in all its formats" or diag $said;
    my $first = StaticRepositoryFile->read("$web->{dir}/$model.xml");
    my @shipped = sort map { slurp($_) =~ /<f:format\s+prefix="([^"]+)"/ ? $1 : () } glob "$formats/*.xsl";
    is_deeply [sort keys %{ $first->{formats} }], \@shipped, 'of which each has records';
    ($status, $said) = $source->oai('import-static', '--check', "$web->{dir}/$model.xml");
    like "$status $said", qr/^0 .*, 0 faults$/m, 'oai import-static --check finds no faults in it' or diag $said;

    my $gateway = gateway_of($url, $base);
    ($status, $said) = $gateway->oai(@export, "$gateway->{dir}/again.xml");
    is $status, 0, 'the gateway can be exported again' or diag $said;
    my $again = StaticRepositoryFile->read("$gateway->{dir}/again.xml");
    is_deeply $again->{formats}, $first->{formats}, 'its formats have the schemas and namespaces that they had';
    for my $prefix (@shipped) {
        is_deeply $again->{records}{$prefix}, $first->{records}{$prefix}, "$prefix is as it was, all of it";
    }
    next if $model ne 'library';
    my @abouts = map { scalar @{ $_->{abouts} } } map { $first->{records}{oai_dc}{$_} } sort keys %{ $first->{records}{oai_dc} };
    is_deeply [sort @abouts], [0, 0, 1, 2, 2], 'two of its records have two <about> each, one has one';
    $gateway->start;
    my $answer = $gateway->ask("/oai/" . $base =~ s{^http://gateway\.example/oai/}{}r . '?verb=GetRecord&metadataPrefix=marc21&identifier=oai:example.org:book/8')->{body};
    like $answer, qr{</metadata><about><provenance .*</about><about><rights .*</about></record>}s, 'harvesters get each <about> at its place';
    (undef, $said) = $gateway->oai('import-static', '--keep', '--afresh', $url);
    like $said, qr/^marc21: 0 <about> kept or let go/m, 'taken in again, nothing has changed' or diag $said;
    spew("$web->{dir}/$model.xml", slurp("$web->{dir}/$model.xml") =~ s{<oai:about>.*?</oai:about>}{}gr);
    (undef, $said) = $gateway->oai('import-static', '--keep', $url);
    like $said, qr/^marc21: 3 <about> kept or let go/m, 'what the file says no more is let go';
    (undef, $said) = $source->oai('import-static', "$gateway->{dir}/again.xml");
    like $said, qr/^note: marc21: the <about> of 3 records is lost without --keep$/m, 'without --keep it is said that they are lost';
}
done_testing;
