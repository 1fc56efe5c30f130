#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Every format that is shipped, of either model, goes through a static repository: it is exported, and harvested from the file.
# Metadata and what is said about them in <about>, in its order, are the same by canonical XML.
use TestProgram;
use StaticRepositoryFile;
use StaticWeb;

my $web  = StaticWeb->new;
for my $model (qw(webarchiv library)) {
    my $formats = "$root/xslt" . ($model eq 'library' ? '/library' : '');
    my $db = Database->new(model => $model);
    $db->run('\i ' . "$root/t/golden/" . ($model eq 'library' ? 'library' : 'data') . '.sql');
    $db->run("update library.item set licence = 'https://creativecommons.org/licenses/by/4.0/', origin = (select origin from library.item where id = 5) where id = 3") if $model eq 'library';
    1 while $db->publish > 0;
    my $source = Repository->new(db => $db, formats => $formats);
    my $url    = $web->url("$model.xml");
    my ($status, $said) = $source->oai('export-static', '--gateway', 'http://gateway.example/oai', '--url', $url, "$web->{dir}/$model.xml");
    is $status, 0, "model $model is exported in all its formats" or diag $said;
    my $first = StaticRepositoryFile->read("$web->{dir}/$model.xml");
    my @shipped = sort map { slurp($_) =~ /<f:format\s+prefix="([^"]+)"/ ? $1 : () } glob "$formats/*.xsl";
    is_deeply [sort keys %{ $first->{formats} }], \@shipped, 'of which each has records';
    (undef, $said) = $source->oai('harvest', '--formats', $url);
    is_deeply {map { my ($prefix, $name_space, $schema) = split /\t/; ($prefix => [$schema, $name_space]) } grep { /\t/ } split /\n/, $said}, $first->{formats}, 'its formats have the schemas and namespaces that they had';
    mkdir "$source->{dir}/$model" or die $!;
    $web->requests;
    ($status, $said) = $source->oai('harvest', $url, '--output', "$source->{dir}/$model", map { ('--format', $_) } @shipped);
    is $status, 0, 'it is harvested from the file' or diag $said;
    cmp_ok scalar($web->requests), '==', @shipped, 'which is fetched once for each list';
    for my $prefix (@shipped) {
        my ($file) = glob "$source->{dir}/$model/*.$prefix.xml";
        is_deeply(StaticRepositoryFile->harvested($file), $first->{records}{$prefix}, "$prefix is as it was, all of it");
    }
    next if $model ne 'library';
    my @abouts = map { scalar @{ $_->{abouts} } } map { $first->{records}{oai_dc}{$_} } sort keys %{ $first->{records}{oai_dc} };
    is_deeply [sort @abouts], [0, 0, 1, 2, 2], 'two of its records have two <about> each, one has one';
}
done_testing;
