#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `make install`: exactly the expected files are installed; systemd accepts the units and rates them as hardened; nginx and
# Apache accept the configurations; the server accepts its configuration when the names of the repository are filled in.
use TestProgram;
use File::Find qw(find);

my $top = tempdir('oai-install-XXXXXX', TMPDIR => 1, CLEANUP => 1);


# The files below a directory, as paths from there.
sub files_below {
    my ($dir) = @_;
    my @files;
    find({no_chdir => 1, wanted => sub {
        push @files, substr $_, length $dir if !-d;
    }}, $dir);
    return sort @files;
}

sub install {
    my ($dir, @settings) = @_;
    my ($status, $said) = run_shell("make -s install BUILD=$build DESTDIR=$dir @settings");
    is $status, 0, "make install @settings" or diag $said;
    return $said;
}

install("$top/usr-root", 'prefix=/usr');
my @formats = map { s{^xslt/}{/usr/share/oai-fcgi/xslt/}r } grep { chomp; 1 } `find xslt -name '*.x[s][ld]' -o -path 'xslt/normalise/*.xml' -o -path 'xslt/page/*' -type f`;
my @samples = map { s{^etc/}{/usr/share/doc/oai-fcgi/}r } glob 'etc/descriptions/*.xml';
push @samples, map { "/usr/share/doc/oai-fcgi/examples/$_" } map({ "nginx-oai-$_.conf" } qw(machines front redirect)), qw(patroni.yml etcd);
push @samples, map { s{^etc/}{/usr/share/doc/oai-fcgi/examples/}r } glob 'etc/own-tables/*';
push @samples, map { s{^(?:deploy|etc)/}{/usr/share/oai-fcgi/}r } glob 'deploy/monitoring/* etc/sets/*/*.set';
my @manual = map { s{^deploy/manual/}{/usr/share/doc/oai-fcgi/}r } glob 'deploy/manual/*.md';
is_deeply [files_below("$top/usr-root")], [sort @formats, @samples, @manual, qw(
    /etc/oai-fcgi/apache-oai-fcgid.conf /etc/oai-fcgi/apache-oai.conf /etc/oai-fcgi/nginx-oai-http.conf
    /etc/oai-fcgi/nginx-oai.conf /etc/oai-fcgi/oai.ini
    /usr/bin/oai /usr/sbin/oai.fcgi
    /usr/lib/systemd/system/oai-dump.service /usr/lib/systemd/system/oai-dump.timer
    /usr/lib/systemd/system/oai-fcgi.service /usr/lib/systemd/system/oai-fcgi.socket
    /usr/lib/systemd/system/oai-harvest@.service /usr/lib/systemd/system/oai-harvest@.timer
    /usr/lib/systemd/system/oai-fcgi@.service /usr/lib/systemd/system/oai-fcgi@.socket /usr/lib/systemd/system/oai-publish@.service
    /usr/lib/systemd/system/oai-publish.service /usr/lib/sysusers.d/oai-fcgi.conf /usr/lib/tmpfiles.d/oai-fcgi.conf
    /usr/share/doc/oai-fcgi/CHANGELOG /usr/share/doc/oai-fcgi/LICENSE
    /usr/share/man/man1/oai.1 /usr/share/man/man5/oai.ini.5 /usr/share/man/man8/oai.fcgi.8
    /usr/share/oai-fcgi/init /usr/share/oai-fcgi/ship-formats /usr/share/bash-completion/completions/oai /usr/share/zsh/vendor-completions/_oai
    /usr/share/fish/vendor_completions.d/oai.fish)], 'prefix=/usr: every file is at its place';
is_deeply [map { (stat "$top/usr-root/$_")[2] & 07777 } qw(usr/bin/oai usr/sbin/oai.fcgi usr/share/oai-fcgi/ship-formats
    etc/oai-fcgi/oai.ini)], [0755, 0755, 0755, 0644], 'programs can be run, files be read';

# What bash offers for the last of these words.
sub offered {
    my ($status, $said) = run_shell("cd $top && bash -c 'source usr-root/usr/share/bash-completion/completions/oai; COMP_WORDS=(@{[join ' ', map { qq(\"$_\") } @_]}) COMP_CWORD=$#_; _oai; echo \"\${COMPREPLY[*]}\"'");
    return $said =~ s/\n\z//r;
}
is offered('oai', 're'), 'record recover repository restore', 'bash completes subcommands';
is offered('oai', '--config', 'mine.ini', 'repository', 'a'), 'add', 'their actions, after an option with a value';
is offered('oai', 'repository', 'add', '--int'), '--interval', 'options';
is offered('oai', 'load', '--model', ''), 'webarchiv library', 'values of an option that takes a few';
is offered('oai', 'load', 'usr-r'), 'usr-root', 'and names of files';
# The other shells, without their line editors.
SKIP: {
    skip 'zsh is not installed', 1 if system('which zsh > /dev/null 2>&1');
    my ($status, $said) = run_shell("cd $top && zsh -fc 'autoload -U +X bashcompinit && bashcompinit; compdef() { }; complete() { }; source usr-root/usr/share/zsh/vendor-completions/_oai"
        . '; emulate -L sh; setopt kshglob noshglob braceexpand; COMP_WORDS=(oai repository x) COMP_CWORD=2; _oai; echo "${COMPREPLY[*]}"\'');
    like $said, qr/^add change list /, 'zsh completes actions';
}
SKIP: {
    skip 'fish is not installed', 1 if system('which fish > /dev/null 2>&1');
    my ($status, $said) = run_shell("cd $top && HOME=$top fish -c 'source usr-root/usr/share/fish/vendor_completions.d/oai.fish; complete -C \"oai map --ch\"'");
    is $said =~ s/\t.*//gr, "--changes\n--check\n", 'fish completes options';
}

install("$top/local-root");
is_deeply [files_below("$top/local-root")],
    [sort map { m{^/etc/} ? $_ : s{^/usr/}{/usr/local/}r } files_below("$top/usr-root")], 'by default files are installed below /usr/local';
my @placeholders = grep { -f && slurp($_) =~ /\@(?:\w+dir|version)\@/ }
    map { "$top/local-root$_" } grep { !/ship-formats|\.xsl$/ } files_below("$top/local-root");
is "@placeholders", '', 'no placeholder is left';
like slurp("$top/local-root/usr/local/lib/systemd/system/oai-fcgi.service"),
    qr{^ExecStart=/usr/local/sbin/oai\.fcgi --config /etc/oai-fcgi/oai\.ini$}m, 'paths are filled in in units, too';

# Files that the administrator changed are kept.
my $ini = "$top/local-root/etc/oai-fcgi/oai.ini";
spew($ini, "# mine\n");
like install("$top/local-root"), qr/oai\.ini was changed: left alone/, 'a second time: a changed file is named';
is slurp($ini), "# mine\n", 'and left alone';
like slurp("$ini.new"), qr/^key_file = /m, 'the new version is beside it';
ok !-e "$top/local-root/etc/oai-fcgi/nginx-oai.conf.new", 'an unchanged file gets no .new beside it';

# The installed configuration lacks only the names of the repository.
my $root = "$top/usr-root";
my ($status, $said) = run_shell("$root/usr/bin/oai --config $root/etc/oai-fcgi/oai.ini get verb=Identify");
my @missing = $said =~ /\] (\w+): missing/g;
is "@missing", 'name base_url admin_email identifier_namespace', 'oai.ini: only the names are missing' or diag $said;
my %named = (name => 'A', base_url => 'http://a.example.org/oai', admin_email => 'a@example.org',
             identifier_namespace => 'a.example.org');
my $text = slurp("$root/etc/oai-fcgi/oai.ini") =~ s/^#(\w+) =$/$named{$1} ? "$1 = $named{$1}" : "#$1 ="/gemr;
write_key("$top/key");
spew("$top/named.ini", $text =~ s{/etc/oai-fcgi/token\.key}{$top/key}r =~ s{= /usr/share}{= $root/usr/share}gr);
($status, $said) = run_shell("PGHOST=$top $root/usr/bin/oai --config $top/named.ini get verb=Identify");
unlike $said, qr/\Q$top\E\/named\.ini:\d/, 'with them the configuration is accepted';
like $said, qr/oai_reader|could not be|cannot be reached|connection/i, 'and connecting to the database is attempted' or diag $said;

# The configuration of mod_fcgid, made as mount.md says.
my ($sed) = slurp('deploy/manual/mount.md') =~ /^ +(sed -e 's.*\n.*oai-fcgid\.ini)$/m or die 'no sed in mount.md';
$sed =~ s{/etc/oai-fcgi/oai\.ini}{$top/named.ini}; $sed =~ s{/etc/oai-fcgi/oai-fcgid\.ini}{$top/fcgid.ini};
is +(run_shell($sed))[0], 0, 'the oai-fcgid.ini of mount.md';
like slurp("$top/fcgid.ini"), qr/^connections = 1\n.*^max_waiters = 0\n.*^workers = 5\n/ms, 'has its three settings';
unlike +(run_shell("PGHOST=$top $root/usr/bin/oai --config $top/fcgid.ini get verb=Identify"))[1], qr/fcgid\.ini:\d/, 'and is accepted';

# What is installed names only what is installed: documents, manual pages, configurations, stylesheets, units, and what the programs
# say. Of a tutorial, build/release is what its reader has made.
my %installed = map { ($_ => 1, s{.*/}{}r => 1) } files_below($root);
my %ours = map { chomp; m{([^/]+\.\w+)$} ? ($1 => 1) : () } `git ls-files`;
# What administrators make, as the manual tells them to.
my $made = qr{^/etc/oai-fcgi/(?:token\.key(?:\.before)?|formats|sets|harvest(?:/\w+\.conf)?|(?:oai-fcgid|library|museum|map)\.ini|oai_\w+\.pgpass|museum-gateway\.xml|logo\.svg)?$};
sub strangers {
    my ($words) = @_;
    $words =~ s{\\[-&]}{}g;
    my @paths = grep { s{[./]+$}{}; !$installed{$_} && !-d "$root$_" && !/$made/ } $words =~ m{(?<![\w.\}/])(/(?:usr/share/(?:doc/)?oai-fcgi|etc/oai-fcgi|usr/s?bin/oai)[\w./-]*)}g;
    my @sources = grep { -e } $words =~ m{(?<![\w./\@%-])((?:deploy|schema|lib|etc|t|xslt|fcgi)/[\w./-]*\w)}g;
    my @names = grep { $ours{$_} && !$installed{$_} && "/etc/oai-fcgi/$_" !~ $made } $words =~ m{(?<![\w-])([\w-]+(?:\.[\w-]+)*\.(?:md|sql|xsl|xsd|conf|ini|yml|json|in|t|sh|service|socket|timer|[158]))\b}g;
    my @gone = grep { !$installed{$_} && !/^(?:README|NAME)\.md$/ } $words =~ m{(?<![\w/-])([\w-]+\.md)\b}g;
    return (@paths, @sources, @names, @gone);
}
is join(' ', strangers('see deploy/make-deb, /usr/share/oai-fcgi/none.xsl, chunks.sql, gone.md; /etc/oai-fcgi/oai.ini, symptoms.md')),
    '/usr/share/oai-fcgi/none.xsl deploy/make-deb chunks.sql gone.md', 'what is not installed is found';
my @named = map { my $file = $_; map { "$file: $_" } strangers(slurp("$root$file")) } grep { -T "$root$_" } files_below($root);
is join("\n", @named), '', 'what is installed names only what is installed';
for my $source (split /\n/, `git ls-files 'lib/*.cpp' 'fcgi/*.cpp'`) {
    my $literals = join "\n", slurp($source) =~ s/^\s*(?:#|\/\/).*$//gmr =~ /"((?:[^"\\\n]|\\.)*)"/g;
    my @in_words = grep { !/^(?:tables|rights)\.sql$/ } strangers($literals);   # files of the schema that the program carries
    fail "$source says: @in_words" if @in_words;
}

# Units, as systemd sees them: with the programs and manual pages of this tree in place of those it cannot find here.
my $units = "$top/units";
mkdir $units or die $!;
for my $unit (qw(oai-dump.service oai-dump.timer oai-fcgi.service oai-fcgi.socket oai-fcgi@.service oai-fcgi@.socket oai-harvest@.service oai-harvest@.timer oai-publish.service
        oai-publish@.service)) {
    my $unit_text = slurp("$root/usr/lib/systemd/system/$unit");
    spew("$units/$unit", $unit_text =~ s{=(/usr/s?bin/oai)}{=$root$1}gr =~ s{^Documentation=.*\n}{}mr);
}
($status, $said) = run_shell("SYSTEMD_UNIT_PATH=$units: systemd-analyze verify --man=no $units/*.service $units/*.socket $units/*.timer");
is $status, 0, 'systemd-analyze verify';
my @complaints = grep { m{\Q$units\E|oai-} } split /\n/, $said;
is "@complaints", '', 'reports no problem';
my $security = slurp('deploy/manual/security.md');
for my $unit (qw(oai-dump.service oai-fcgi.service oai-harvest@.service oai-publish.service)) {
    ($status, $said) = run_shell("systemd-analyze security --no-pager --offline=true --threshold=20 $units/$unit");
    is $status, 0, "$unit: exposure is at most 2.0" or diag $said;
    my ($score) = $said =~ /exposure level for \S+: (\S+)/;
    like $security, qr/^ +\Q$unit\E .*(?<=\s)\Q$score\E\b/m, "$unit: security.md says $score";
}
my ($defaults, $exec) = slurp("$units/oai-harvest\@.service") =~ /^Environment=(.*)\n[^=]*=.*\nExecStart=(.*)$/m;
like +(run_shell("env $defaults HARVEST='URL --help' sh -c '$exec'"))[1], qr/^Usage: .*\bharvest\b/m, 'the unit of the timer runs oai harvest';
like +(run_shell("env $defaults COMMAND=recover HARVEST='URL --help' sh -c '$exec'"))[1], qr/^Usage: .*\brecover\b/m, 'or another command, such as recover';
my @hardening = map { slurp("$units/$_") =~ /^(ProtectSystem=.*?)\n\n/ms ? $1 : $_ } qw(oai-fcgi.service oai-publish.service);
is $hardening[0], $hardening[1], 'both services are hardened alike';
like slurp("$units/oai-fcgi\@.$_"), qr/oai-fcgi\@%i\.socket$|\/%i\.sock$/m, "a further server has a $_ of its own" for qw(service socket);
like slurp("$units/$_\@.service"), qr{/%i\.ini\b}, "$_ has a configuration of its own" for qw(oai-fcgi oai-publish);
like slurp("$units/oai-fcgi.service"), qr/^TimeoutStopSec=75$/m, 'the server may take its [server] request_seconds';

# The users and the directory of the socket are created below a root directory of its own.
SKIP: {
    skip 'users and owners can be made by root alone', 4 if $>;
    my $made = "$top/made";
    mkdir $_ or die $! for $made, "$made/etc", "$made/run";
    spew("$made/etc/$_", '') for qw(passwd group);
    spew("$made/etc/group", "www-data:x:33:\n");
    is_deeply [run_shell("systemd-sysusers --root=$made $root/usr/lib/sysusers.d/oai-fcgi.conf")]->[0], 0, 'systemd-sysusers succeeds';
    is join(' ', sort map { /^(oai_\w+):/ ? $1 : () } split /\n/, slurp("$made/etc/passwd")),
        'oai_loader oai_publisher oai_reader', 'and creates the users';
    is +(run_shell("systemd-tmpfiles --create --root=$made $root/usr/lib/tmpfiles.d/oai-fcgi.conf"))[0], 0, 'systemd-tmpfiles succeeds';
    my @stat = stat "$made/run/oai-fcgi";
    is sprintf('%o %d', $stat[2] & 07777, $stat[5]), '2750 33', 'and creates the directory of the socket for the group of the web server';
}

# Web servers, with the files as installed.
my $etc = "$root/etc/oai-fcgi";
spew("$top/nginx.conf", "pid $top/nginx.pid;\nevents {}\nhttp {\n" . join('', map { "${_}_temp_path $top/$_;\n" }
    qw(client_body fastcgi proxy scgi uwsgi)) . "include $etc/nginx-oai-http.conf;\nserver {\nlisten 127.0.0.1:8099;\n"
    . "include $etc/nginx-oai.conf;\n}\n}\n");
($status, $said) = run_shell("nginx -t -e stderr -c $top/nginx.conf");
is $status, 0, 'nginx accepts its two files' or diag $said;
my %modules = ('apache-oai' => [qw(proxy proxy_fcgi)], 'apache-oai-fcgid' => [qw(fcgid)]);
for my $kind (sort keys %modules) {
    my @load = map { "LoadModule ${_}_module /usr/lib/apache2/modules/mod_$_.so\n" }
        qw(mpm_event authz_core authz_host), @{$modules{$kind}};
    spew("$top/$kind.conf", "ServerRoot $top\nDefaultRuntimeDir $top\nServerName localhost\nListen 127.0.0.1:8098\nErrorLog $top/log\n"
        . "Define OAI_COMMAND \"$root/usr/sbin/oai.fcgi --config $top/fcgid.ini\"\n" . join('', @load) . "Include $etc/$kind.conf\n");
    ($status, $said) = run_shell("apache2 -t -f $top/$kind.conf");
    is $status, 0, "Apache accepts $kind.conf" or diag $said;
}
done_testing;
