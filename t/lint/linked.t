#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The server is linked only with what it needs: oai.fcgi contains no symbol of the namespaces of lib/tools and lib/command, nor
# of the part of libxml2 (RELAX NG) that only the conformance test uses; trials of stylesheets and XML Schema are for the process
# that it starts. Skipped if the server is not built.
use TestProgram;

my $program = ($ENV{BUILD} // 'build') . '/release/oai.fcgi';
plan skip_all => "$program is not built" if !-x $program;

# Namespaces that only tools and commands have.
sub namespaces { my %found = map { $_ => 1 } `grep -rhoE '^namespace oai::\\w+' @_` =~ /(\w+)$/mg; return %found }
my %of_tools = namespaces(qw(lib/tools lib/command));
my %of_server = namespaces('fcgi', grep { !m{^lib/(tools|command)$} } glob 'lib/*');
my @tools = sort grep { !$of_server{$_} } keys %of_tools;

my @symbols = split /\n/, `nm -C '$program'`;
ok(scalar(grep { /\boai::Service::/ } @symbols), 'nm shows the symbols of the server');
ok(scalar(grep { $_ eq 'validate' } @tools), "tools have namespaces of their own: @tools");
my $foreign = join '|', @tools;
is(join("\n", grep { /\boai::(?:$foreign)::|\bxmlRelaxNG/ } @symbols), '', 'no symbol of a tool and no RELAX NG is linked into the server');
is(join("\n", grep { /\boai::(?:try_format|sample_records)\b|\bxmlSchema[PNV]/ } @symbols), '', 'no trial and no XML Schema');
done_testing();
