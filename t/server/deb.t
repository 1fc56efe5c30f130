#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `make deb`, with the programs of this tree: each library has its licence; lintian finds no error; the package has the files of
# `make install`; it is installed, upgraded and removed below a root directory of its own, where a purge leaves nothing. In full
# it is `make dist`, which compiles twice and compares.
use TestProgram;
use JSON::PP qw(decode_json);

my $top = tempdir('oai-deb-XXXXXX', TMPDIR => 1, CLEANUP => 1);

sub lines { my ($command) = @_; chomp(my @lines = `$command`); return @lines }

# The short form lets out debug symbols, and packs quickly.
@ENV{qw(DEB_BUILD_OPTIONS DPKG_DEB_COMPRESSOR_LEVEL)} = ('noautodbgsym', 0) if !is_long();
my ($status, $said) = run_shell(is_long() ? "deploy/make-dist $top/deb" : "deploy/make-deb $top/deb $build/release");
is $status, 0, is_long() ? 'make dist: what a release consists of comes out the same twice' : 'make deb' or BAIL_OUT($said);
my ($deb) = grep { !/dbgsym/ } glob "$top/deb/*.deb";
if (is_long()) {
    ($status, $said) = run_shell("cd $top/deb && sha256sum --check --strict SHA256SUMS");
    is_deeply [$status, scalar(() = $said =~ /: OK$/mg)], [0, 4], 'checksums of tarball, packages and what they are made of';
}
my %made_of = map { $_->{name} => $_->{licenseConcluded} } @{decode_json(scalar `deploy/make-sbom $deb`)->{packages}};
is_deeply [@made_of{qw(oai-fcgi libpq5 libsodium23)}], [qw(MIT PostgreSQL ISC)], 'each library is named with its licence';

($status, $said) = run_shell("lintian --allow-root --fail-on error,warning $top/deb/*.deb");
is $status, 0, 'lintian: no error, no warning';
is $said, '', 'and no other output';

# The contents of the package are compared with `make install`.
run_shell("make -s install BUILD=$build PROGRAMS=$build/release DESTDIR=$top/tree prefix=/usr unitdir=/lib/systemd/system") ;
my %packed = map { m{^-\S+ root/root .* \.(/\S+)$} ? ($1 =~ s/\.gz$//r =~ s{^/usr(/lib/systemd/)}{$1}r => 1) : () } lines("dpkg-deb -c $deb");    # units: as debhelper has it
my %wanted = map { ($_ => 1) } map { s{/CHANGELOG$}{/changelog}r } lines("cd $top/tree && find . -type f | sed s/.//");
$wanted{"/usr/share/doc/oai-fcgi/$_"} = 1 for qw(changelog.Debian copyright);
delete $wanted{'/usr/share/doc/oai-fcgi/LICENSE'};    # copyright has it
$wanted{'/usr/share/oai-fcgi/oai.ini'} = delete $wanted{'/etc/oai-fcgi/oai.ini'};    # postinst puts it there, if it is missing
is_deeply [sort keys %packed], [sort keys %wanted], 'the files of make install, changelog and copyright';
mkdir "$top/control";
run_shell("dpkg-deb -e $deb $top/control");
is_deeply [lines("cat $top/control/conffiles")], [sort grep { m{^/etc/} } keys %wanted], 'all files in /etc are conffiles';
like slurp("$top/control/prerm"), qr/"\$1" = remove.*stop.*oai-fcgi\.socket/s, 'removing stops the units';
my $postinst = slurp("$top/control/postinst");
like $postinst, qr/^\s*deb-systemd-invoke \$_dh_action 'oai-fcgi\.service' 'oai-publish\.service'/m, 'an upgrade restarts the services';
unlike $postinst, qr/(_dh_action|restart)[^\n]*oai-fcgi\.socket/, 'and leaves the socket alone';

# Installation below a root directory of its own, as root or by fakeroot.
my $root = "$top/root";
my $fakeroot = $> ? "fakeroot -i $top/fake -s $top/fake --" : '';
spew("$top/fake", '');
mkdir "$root$_" or die $! for '', qw(/etc /run /var /var/lib /var/lib/dpkg /var/lib/dpkg/info /var/lib/dpkg/updates
    /var/lib/systemd);
# The files of users and groups, with lock and backups, exist on every system.
for (['etc/passwd', ''], ['etc/group', "www-data:x:33:\n"], (map { ["etc/$_", ''] } qw(.pwd.lock shadow gshadow passwd- group- shadow- gshadow-)),
     ['var/lib/dpkg/status', '']) {
    spew("$root/$_->[0]", $_->[1]);
}
sub dpkg {
    my ($what) = @_;
    my ($failed, $words) = run_shell("$fakeroot env DPKG_MAINTSCRIPT_DEBUG= dpkg --root=$root --log=/dev/null --force-script-chrootless"
        . " --force-depends --force-not-root $what");
    is $failed, 0, "dpkg " . $what =~ s{\S*/}{}r or diag $words;
}
sub present { return grep { !m{^/var/lib/dpkg(/|$)} } lines("cd $root && find . -mindepth 1 | sed s/.// | sort") }
sub users { return join ' ', sort map { /^(oai_\w+):/ ? $1 : () } lines("cat $root/etc/passwd $root/etc/group") }

my @before = present();
my $key = "$root/etc/oai-fcgi/token.key";
dpkg("--install $deb");
is users(), 'oai_loader oai_loader oai_publisher oai_publisher oai_reader oai_reader', 'installed: users and groups';
like slurp($key), qr/^[0-9a-f]{64}$/, 'a token key is created';
SKIP: {
    skip 'owners can be seen as root alone', 2 if $>;
    my ($group) = slurp("$root/etc/group") =~ /^oai_reader:\w*:(\d+):/m;
    is join(' ', map { sprintf '%o %d:%d', $_->[2] & 07777, @$_[4, 5] } [stat $key]), "640 0:$group", 'the group of the server can read it';
    is sprintf('%o', (stat "$root/run/oai-fcgi")[2] & 07777), '2750', 'the directory of the socket has its mode';
}
is_deeply [grep { /\.wants/ } present()], [], 'no unit is enabled';
my $first = slurp($key);
dpkg("--install $deb");
is slurp($key), $first, 'installed again: the key is kept';
dpkg('--remove oai-fcgi');
ok -e $key && -e "$root/etc/oai-fcgi/oai.ini" && !-e "$root/usr/bin/oai", 'removed: key and configuration are kept';
run_shell("$fakeroot deploy/ship-formats xslt $root/etc/oai-fcgi/formats");    # as an administrator does
mkdir "$root/var/lib/oai-harvest";    # as oai-harvest@.service does
spew("$root/var/lib/oai-harvest/list.xml", '');
dpkg('--purge oai-fcgi');
is join(' ', present()), join(' ', @before), 'purged: no file is left';
is users(), '', 'and no user or group';
done_testing;
