# SPDX-License-Identifier: MIT
# The configuration of a test's repository.
#   my $ini = write_ini("$dir/oai.ini", $db, lists => {records => 3}, formats => {directory => $formats});
# writes a file with what a repository needs: a name, a token key in the same directory (created if it is missing), the
# formats of the database's model, and connections of all three roles, and limits of time that no busy machine reaches. Sections
# replace and add keys; a value may be a list, undef leaves the key out.
package Configuration;
use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use Files;
our @EXPORT = qw(write_ini);

my $root = abs_path(dirname(__FILE__) . '/../..');

sub write_ini {
    my ($file, $db, %sections) = @_;
    my $key = dirname($file) . '/key';
    my %all = (
        repository => {name => 'Test', base_url => 'http://127.0.0.1/oai', admin_email => 'a@example.org', identifier_namespace => 'example.org'},
        token => {key_file => $key}, formats => {directory => "$root/xslt" . ($db->{model} eq 'library' ? '/library' : '')},
        database => {connection => $db->conninfo('oai_reader')}, publisher => {connection => $db->conninfo('oai_publisher')},
        loader => {connection => $db->conninfo('oai_loader')});
    my $request_seconds = ($sections{server} // {})->{request_seconds} // 300;
    $all{server} = {request_seconds => $request_seconds, idle_seconds => 60};
    $all{lists} = {page_milliseconds => 1000 * $request_seconds};
    $all{database} = {%{ $all{database} }, max_wait_milliseconds => 1000 * $request_seconds, statement_timeout_milliseconds => 1000 * $request_seconds};
    for my $section (keys %sections) { $all{$section}{$_} = $sections{$section}{$_} for keys %{ $sections{$section} } }
    write_key($key) if $all{token}{key_file} eq $key && !-e $key;
    return spew($file, join '', map { section($_, $all{$_}) } sort keys %all);
}

sub section {
    my ($name, $values) = @_;
    return "[$name]\n" . join '', map { my $key = $_; map { "$key = $_\n" } ref $values->{$key} ? @{ $values->{$key} } : $values->{$key} // () } sort keys %$values;
}

1;
