#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Every format that is shipped, of either model, is exported to a static repository, in which `oai import-static --check` then
# finds no faults.
use strict;
use warnings;
use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Database;
use Files;
use Repository;
use StaticWeb;
use Test::More;

my $root = abs_path("$FindBin::Bin/../..");
my $web  = StaticWeb->new;

for my $model (qw(webarchiv library)) {
    my $formats = "$root/xslt" . ($model eq 'library' ? '/library' : '');
    my $db = Database->new(model => $model);
    $db->run('\i ' . "$root/t/golden/" . ($model eq 'library' ? 'library' : 'data') . '.sql');
    $db->run("update library.item set licence = 'https://creativecommons.org/licenses/by/4.0/', origin = (select origin from library.item where id = 5) where id = 3") if $model eq 'library';
    1 while $db->publish > 0;
    my $source = Repository->new(db => $db, formats => $formats);
    my $url    = $web->url("$model.xml");
    my @export = ('export-static', '--gateway', 'http://gateway.example/oai', '--url', $url);

    my ($status, $said) = $source->oai(@export, "$web->{dir}/$model.xml");
    is $status, 0, "model $model is exported in all its formats" or diag $said;
    my @shipped = sort map { slurp($_) =~ /<f:format\s+prefix="([^"]+)"/ ? $1 : () } glob "$formats/*.xsl";
    is_deeply [sort $said =~ /^(\S+): [1-9]\d* records$/mg], \@shipped, 'of which each has records';
    ($status, $said) = $source->oai('import-static', '--check', "$web->{dir}/$model.xml");
    like "$status $said", qr/^0 .*, 0 faults$/m, 'oai import-static --check finds no faults in it' or diag $said;
}
done_testing;
