#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Root runs the commands of a repository whose roles PostgreSQL lets in by peer authentication, as Debian sets it up: for each
# connection it becomes the system user of the role. The roles here have names of users that every Debian has.
use TestProgram;

plan skip_all => 'only root can become another user' if $>;

my %user = (oai_reader => 'www-data', oai_publisher => 'news', oai_loader => 'games');
my $dir = shared_directory();
my $cluster = "$dir/cluster";
my $bin = "$build/release/oai";
$bin = "$ENV{BUILD}/release/oai" if ($ENV{BUILD} // '') =~ m{^/};
my ($conninfo) = (run_apart("$root/t/lib/cluster", 'start', $cluster))[1] =~ /(.*)/;
END { local $?; system("$root/t/lib/cluster", 'stop', $cluster) if $cluster && -d $cluster }
chmod 0755, $cluster;
# The other users must reach the socket, and nobody may come in without being who he says.
mkdir "$dir/socket" or die $!;
chmod 0777, "$dir/socket";
my $psql = sub { my ($said) = run_program('psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $conninfo, map { ('-c', $_) } @_); is $said, 0, "psql: $_[0]" };
$psql->("alter system set unix_socket_directories = '$dir/socket', '" . ($conninfo =~ /host=(\S+)/)[0] . "'");
is +(run_program("$root/t/lib/cluster", 'crash', $cluster))[0], 0, 'the cluster is started again';
is +(run_program("$root/t/lib/cluster", 'restart', $cluster))[0], 0, 'with a socket that all users reach';
$psql->('create database oai');
(my $own = $conninfo) =~ s/dbname=\S+/dbname=oai/;
is +(run_program($bin, 'schema', 'install', '--model', 'webarchiv', '--connection', $own))[0], 0, 'the schema is installed';
$psql->(map { ("create role \"$user{$_}\" login", "grant $_ to \"$user{$_}\"") } sort keys %user);
my ($hba) = glob "$cluster/pgdata/pg_hba.conf";
spew($hba, join('', map { "local all \"$_\" peer\n" } sort values %user) . slurp($hba));
$psql->('select pg_reload_conf()');

my $db = bless {model => 'webarchiv', conninfo => "host=$dir/socket " . ($conninfo =~ /(port=\S+)/)[0] . " dbname=oai", pid => 0}, 'Database';
my $ini = "$dir/oai.ini";
mkdir "$dir/formats" or die $!;
spew("$dir/formats/oai_dc.xsl", slurp("$root/xslt/oai_dc.xsl"));
write_ini($ini, $db, formats => {directory => "$dir/formats"}, map { my ($section, $role) = @$_; ($section => {connection => "$db->{conninfo} user=$user{$role}"}) }
    ['database', 'oai_reader'], ['publisher', 'oai_publisher'], ['loader', 'oai_loader']);

# What check wants of the key: the server, which is www-data here, can read it.
chown 0, scalar getgrnam('www-data'), "$dir/key" and chmod 0640, "$dir/key" or die $!;

for (['publish', '--once'], ['check', '--offline'], ['get', 'verb=Identify'], ['status', '--help']) {
    my ($status, $said) = run_program($bin, '--config', $ini, @$_);
    is $status, 0, "root runs oai @$_" or diag $said;
}
my ($status, $said) = run_program('setpriv', '--reuid', 'www-data', '--regid', 'www-data', '--clear-groups', $bin, '--config', $ini, 'check');
is $status, 1, 'another user does not become the publisher' or diag $said;
like $said, qr/Peer authentication failed for user "news"/, 'and is told why';
done_testing();
