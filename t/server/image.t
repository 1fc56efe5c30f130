#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The container image: it is built (deploy/container/make-image) and then used as its README says, with the users, commands,
# environment, secrets, volumes and health checks that compose.yaml names. Containers are run by `buildah run --isolation
# chroot`, which works where nothing else does; they share the network of the test, a namespace of its own, and PostgreSQL is a
# private cluster with the authentication of PostgreSQL's image. It needs root, buildah, and debootstrap or a registry, and takes
# a minute of processor time; so all but what needs no image runs when it is asked for:
#   OAI_IMAGE_TEST=1 t/run server/image      or make image-test
use CPAN::Meta::YAML;
use TestProgram;
use JSON::PP;

my $source = abs_path('.');
my $work = "$build/image";
my @buildah = ('buildah', '--root', "$work/storage", '--runroot', "$work/runroot");
my $image = 'oai-fcgi';
my $limit = 120;
$ENV{BUILDAH_ISOLATION} = 'chroot';

sub must { my (@command) = @_; my ($status, $said) = run_program(@command); $status eq '0' or die "@command: $status\n$said"; chomp $said; return $said }
sub builder { return must(@buildah, @_) }

# First the image, with the network; then this program again, in a namespace of its own.
if ($ENV{OAI_IMAGE_TEST} && !$ENV{OAI_IMAGE_BUILT}) {
    local $SIG{TERM} = local $SIG{INT} = sub { exit 1 };
    plan skip_all => 'only root can make containers here' if $>;
    plan skip_all => 'buildah is missing: apt install buildah' if system('command -v buildah >/dev/null') != 0;
    my $top = tempdir('oai-image-XXXXXX', TMPDIR => 1, CLEANUP => 1);
    must('deploy/make-deb', "$top/deb", "$build/release");
    my ($deb) = grep { !/dbgsym/ } glob "$top/deb/*.deb";
    my ($status, $said) = do { local $ENV{BUILDAH} = "@buildah"; run_program('deploy/container/make-image', $deb, $work) };
    plan skip_all => "no base for the image: $said" if $status eq '3';
    die "make-image: $said" if $status ne '0';
    builder('push', $image, "docker-archive:$top/oai-fcgi.tar:oai-fcgi:latest");    # as its README says
    my $failed = do { local $ENV{OAI_IMAGE_BUILT} = $said; system('unshare', '--net', '--', $^X, $0) };
    builder('rmi', '--prune', '--force');
    exit($failed ? 1 : 0);
}

END { my $status = $?; clean_up(); $? = $status }
$SIG{TERM} = $SIG{INT} = sub { exit 1 };
my $about;    # what the image says of itself
if ($ENV{OAI_IMAGE_BUILT}) {
    must('ip', 'link', 'set', 'lo', 'up');
    my ($beyond) = $ENV{OAI_IMAGE_BUILT} =~ /^\Q$image\E: (\d+) MB beyond/m;
    note $ENV{OAI_IMAGE_BUILT};
    cmp_ok $beyond, '<=', $limit, "the image takes at most $limit MB beyond its base";
    $about = decode_json(builder('inspect', '--type', 'image', $image))->{Docker}{config};
    is $about->{User}, 'oai_reader', 'its user is not root';
    is $about->{StopSignal}, 'SIGTERM', 'SIGTERM stops it';
}

my $home = shared_directory();
my ($repository, $compose, %variable, %container, %running, $database);
$ENV{HOME} = $home;

# --- what compose.yaml says

sub read_compose {
    my ($file) = @_;
    my $text = slurp($file) =~ s/\$\{(\w+):-([^}]*)\}/$variable{$1} \/\/ $2/ger;
    return CPAN::Meta::YAML->read_string($text)->[0];
}
sub service { my ($name) = @_; return $compose->{services}{$name} // die "compose.yaml has no service $name\n" }
sub health_of { my ($name) = @_; my ($kind, @command) = @{ service($name)->{healthcheck}{test} }; $kind eq 'CMD' or die $kind; return @command }

# A file or directory beside compose.yaml, or a volume, which engines make as the directory is in the image.
sub volume {
    my ($name, $where, $root) = @_;
    return "$repository/$1" if $name =~ m{^\./(.*)};
    exists $compose->{volumes}{$name} or die "compose.yaml has no volume $name\n";
    my $place = "$home/volumes/$name";
    must('cp', '-a', "$root$where", $place) if !-e $place;
    return $place;
}

# --- containers

# The command line that runs something in a container of the service, and its root directory.
sub in_container {
    my ($name, @command) = @_;
    my $service = service($name);
    $service->{image} eq $image or die "$name: another image";
    if (!$container{$name}) {
        $container{$name}{id} = builder('from', '--pull-never', '--add-host', 'db:127.0.0.1', '--name', "oai-test-$$-$name", $image);
        $container{$name}{root} = builder('mount', $container{$name}{id});
    }
    my @arguments = ('--user', $service->{user} // $about->{User});
    push @arguments, '--cap-drop', 'all' if ($service->{cap_drop} // [])->[0];
    push @arguments, '--env', "$_=$service->{environment}{$_}" for sort keys %{ $service->{environment} // {} };
    push @arguments, '--workingdir', $service->{working_dir} if $service->{working_dir};
    push @arguments, '--volume', abs_path("$repository/$compose->{secrets}{$_}{file}") . ":/run/secrets/$_:ro" for @{ $service->{secrets} // [] };
    for (@{ $service->{volumes} // [] }) {
        my ($from, $to, $options) = split /:/;
        push @arguments, '--volume', volume($from, $to, $container{$name}{root}) . ":$to" . (($options // '') =~ /\bro\b/ ? ':ro' : '');
    }
    return (@buildah, 'run', @arguments, $container{$name}{id}, '--', @command);
}
# With the entry point, as `run` does; the second one replaces the command.
sub command_of {
    my ($name, @instead) = @_;
    my $service = service($name);
    return (@{ $service->{entrypoint} // $about->{Entrypoint} }, @instead ? @instead : @{ $service->{command} // $about->{Cmd} });
}
sub health { my ($name) = @_; my ($status) = run_program(in_container($name, health_of($name))); return $status }

sub start {
    my ($name) = @_;
    my $pid = start_program([in_container($name, command_of($name))], out => "$home/$name.out", err => "$home/$name.err");
    my ($program) = grep { !m{/entry$} } command_of($name);
    my $it = $running{$name} = {pid => $pid};
    wait_until(sub { ($it->{inner}) = grep { slurp("/proc/$_/comm", '') eq "$program\n" } descendants($pid) })
        or die "$name does not start: " . slurp("$home/$name.err");
    $it->{user} = user_of($it->{inner});
    return;
}
# Threads have children, too.
sub descendants { my ($pid) = @_; return map { ($_, descendants($_)) } map { split ' ', slurp($_, '') } glob "/proc/$pid/task/*/children" }
sub user_of { my ($pid) = @_; my ($uid) = slurp("/proc/$pid/status") =~ /^Uid:\s+(\d+)/m; return $uid }

# The signal goes to the program itself, as an engine sends it to the first process of a container.
sub stop {
    my ($name) = @_;
    my $it = delete $running{$name} or return;
    kill((service($name)->{stop_signal} // $about->{StopSignal}) =~ s/^SIG//r, $it->{inner});
    my $status = status_of($it->{pid});
    kill 'KILL', $it->{inner}, $it->{pid} if $status eq 'runs';
    return $status;
}

# --- PostgreSQL, as its image makes it: by TCP with a password, by its socket without one

sub start_database {
    return must("$source/t/lib/cluster", 'restart', "$home/db") if $database;
    my $db = service('db');
    must("$source/t/lib/cluster", 'start', "$home/db");
    $database = "$home/db/pgdata";
    my %mounted = map { my ($from, $to) = split /:/; ($to => $from) } @{ $db->{volumes} };
    my ($script) = grep { m{^/docker-entrypoint-initdb\.d/} } keys %mounted;
    my %secret = map { ($_ => "$repository/$compose->{secrets}{$_}{file}") } @{ $db->{secrets} };
    my ($superuser) = $db->{environment}{POSTGRES_PASSWORD_FILE} =~ m{^/run/secrets/(\w+)$} or die;
    sql('postgres', "create database $db->{environment}{POSTGRES_DB}");
    sql('postgres', "alter role postgres password '" . slurp($secret{$superuser}) . "'");
    for (values %secret) { (stat)[2] & 0004 or die "$_: the user of PostgreSQL's image cannot read it\n" }
    run_roles($mounted{$script} =~ s{^\./}{$repository/}r);
    sql('postgres', 'checkpoint');    # the cluster is about to crash, and syncs nothing
    spew("$database/pg_hba.conf", "local all all trust\nhost all all all scram-sha-256\n");
    open my $out, '>>', "$database/postgresql.conf" or die $!;
    print {$out} "listen_addresses = '127.0.0.1'\nport = 5432\n";
    close $out;
    must("$source/t/lib/cluster", 'crash', "$home/db");
    must("$source/t/lib/cluster", 'restart', "$home/db");
    return;
}
sub run_roles {
    my ($script) = @_;
    local @ENV{qw(PGHOST OAI_SECRETS)} = ($database, "$repository/secrets");
    return must($script);
}
sub sql { my ($db, $sql) = @_; return must('psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-h', $database, '-U', 'postgres', '-d', $db, '-c', $sql) }
sub settled { return wait_until(sub { sql('oai', 'select count(*) from oai.queue') eq '0' }) }

sub clean_up {
    return if !$ENV{OAI_IMAGE_BUILT} || !$home;
    kill 'KILL', descendants($_->{pid}), $_->{pid} for values %running;
    for (values %container) { run_program(@buildah, 'rm', $_->{id}) }
    run_program("$source/t/lib/cluster", 'stop', "$home/db") if $database;
    return;
}

# --- what podman-compose does

sub up {
    %variable = map { /^(\w+)=(.*)/ ? ($1, $2) : () } split /\n/, slurp("$repository/.env");
    $compose = read_compose("$repository/compose.yaml");
    mkdir "$home/volumes";
    start_database() if !$database || !-e "$database/postmaster.pid";
    my ($status, $said) = run_program(in_container('schema', command_of('schema')));
    is $status, '0', 'the schema is installed, or is there' or diag $said;
    start($_) for qw(server publisher web);
    ok wait_until(sub { health('server') eq '0' }), 'the health check of the server says 0' or diag slurp("$home/server.err");
    return;
}
sub down { return map { ("$_ " . stop($_)) } qw(web server publisher) }

# Each command of the README, in its order, with what stands for it here: [pattern, code]; the words are those that the pattern catches.
my @meaning = (
    [qr{^make image$}, sub { pass('make image: deploy/container/make-image was run') }],
    [qr{^deploy/container/new ~/repository$}, \&make_new],
    [qr{^deploy/sample/make-sample ~/repository/data$}, sub { is system("$source/deploy/sample/make-sample", "$home/repository/data"), 0, 'a sample' }],
    [qr{^cd ~/repository && podman-compose up -d$}, \&up],
    [qr{^podman-compose restart (\S+) (\S+)$}, sub { for (@_) { is stop($_), '0', "$_ ends with 0"; start($_) } ok wait_until(sub { health('server') eq '0' }), 'restarted' }],
    [qr{^podman-compose run --rm oai (.*)$}, \&run_tool],
    [qr{^podman-compose exec server (.*)$}, sub {
        my ($status, $said) = run_program(in_container('server', split ' ', $_[0]));
        is $status, '0', "server: $_[0]" or diag $said;
    }],
    [qr{^podman-compose exec -T db pg_dump (.*) > (\S+)$}, sub {
        local $ENV{PGHOST} = $database;
        is system("cd $repository && pg_dump $_[0] > $_[1]"), 0, 'a backup';
        cmp_ok -s "$repository/$_[1]", '>', 10_000, 'has something';
    }],
    [qr{^podman-compose exec -T db /docker-entrypoint-initdb\.d/(roles\.sh)$}, \&new_passwords],
    [qr{^podman-compose logs server$}, sub { like slurp("$home/server.err"), qr/event=request .*verb=Identify/, 'logs are on standard error' }],
    [qr{^cp data/own\.xsl formats/$}, \&add_format],
    [qr{^curl '(.*)'$}, \&first_answer],
    [qr{^podman-compose down && cd ~/oai-fcgi && git pull && make image && deploy/container/new ~/repository$}, sub {
        is join(', ', down()), 'web 0, server 0, publisher 0', 'down: each ends with 0';
        make_new();
    }],
    [qr{^buildah push oai-fcgi docker-archive:oai-fcgi\.tar:oai-fcgi:latest$}, sub { pass('buildah push was run') }],
);
sub follow {
    my ($command) = @_;
    for (@meaning) {
        if (my @words = $command =~ $_->[0]) { note $command; return $_->[1]->($1 ? @words : ()) }
    }
    return fail("the README of the container shows a command that this test does not know: $command");
}

sub make_new {
    my $again = $repository;
    my %before = $again ? map { ($_ => slurp($_)) } grep { -e } glob "$repository/{oai.ini,.env,secrets/*,formats/own.xsl}" : ();
    my ($status, $said) = run_program("$source/deploy/container/new", "$home/repository");
    is $status, '0', 'deploy/container/new' or diag $said;
    $repository = "$home/repository";
    return is_deeply {map { ($_ => slurp($_)) } keys %before}, \%before, 'run again, it leaves what is the administrator\'s' if $again;
    is sprintf('%o', (stat "$repository/secrets")[2] & 07777), '700', 'others cannot reach the secrets';
    my %secret = map { (slurp($_) => 1) } glob "$repository/secrets/*";
    is scalar(keys %secret), 5, 'five secrets, each another';
    # What both tools make of the file.
    SKIP: {
        skip 'podman-compose is missing: apt install podman-compose', 3 if system('command -v podman-compose >/dev/null') != 0;
        # It makes volumes even in a dry run, so it gets a podman that does nothing.
        my $podman = spew("$home/podman", "#!/bin/sh\n");
        chmod 0755, $podman;
        my ($failed, $words) = run_program('podman-compose', '--podman-path', $podman, '-f', "$repository/compose.yaml", '--dry-run', 'up', '-d');
        is $failed, '0', 'podman-compose reads compose.yaml' or diag $words;
        like $words, qr/-p 127\.0\.0\.1:8080:8080 .* oai-fcgi nginx /, 'and listens on this machine alone';
        unlike $words, qr/@{[join '|', keys %secret]}/, 'and no password stands in it';
    }
    SKIP: {
        skip 'docker-compose is missing: apt install docker-compose', 1 if system('command -v docker-compose >/dev/null') != 0;
        my ($failed, $words) = run_program('docker-compose', '-f', "$repository/compose.yaml", '--project-directory', $repository, 'config');
        is $failed, '0', 'docker-compose reads compose.yaml' or diag $words;
    }
    return;
}

sub first_answer {
    my ($url) = @_;
    my ($status, $said) = run_program('curl', '-sS', $url);
    like $said, qr{<baseURL>http://localhost:8080/oai</baseURL>}, 'it answers' or diag slurp("$home/web.err");
    is health('web'), '0', 'the health check of the web server says 0';
    my $server = $running{server}{inner};
    kill 'STOP', $server;    # nginx is there, and gets no answer
    my $pid = start_program([in_container('web', health_of('web'))]);
    is status_of($pid), 'runs', 'it waits for the server, as long as the engine lets it';
    kill 'CONT', $server;
    is status_of($pid), '0', 'and says 0 when the answer comes';
    is join(' ', $about->{Healthcheck}{Test}[0], @{ $about->{Healthcheck}{Test} }[1 .. 2]), join(' ', 'CMD', health_of('server')), 'the image has the same check for the server';
    my %name = (server => 'oai_reader', publisher => 'oai_publisher', web => 'www-data');
    my %number = map { my @of = split /:/; ($of[0] => $of[2]) } split /\n/, slurp("$container{server}{root}/etc/passwd");
    for my $service (sort keys %name) {
        is user_of($running{$service}{inner}), $number{ $name{$service} }, "$service runs as $name{$service}";
        is scalar(grep { user_of($_) == 0 && slurp("/proc/$_/comm") !~ /buildah/ } descendants($running{$service}{pid})), 0, 'no process of it as root';
    }
    ok !-e "$container{server}{root}/etc/oai-fcgi/token.key", 'no token key is in the image';
    return;
}

sub run_tool {
    my ($words) = @_;
    spew("$repository/data/own.xsl", slurp("$source/xslt/oai_dc.xsl") =~ s/(<f:format prefix=")oai_dc"/$1own"/r) if $words =~ /own\.xsl/;
    my ($status, $said) = run_program(in_container('oai', command_of('oai', split ' ', $words)));
    is $status, '0', "oai $words" or diag $said;
    harvest() if $words =~ /^load/;
    return;
}

sub harvest {
    ok settled(), 'what was loaded is published';
    my $records = sql('oai', 'select count(*) from oai.item');
    cmp_ok $records, '>', 50, "$records records are loaded";
    my ($status, $said) = run_program("$build/release/oai", 'harvest', 'http://localhost:8080/oai', '--output', "$home/list.xml");
    is $status, '0', 'oai harvest' or diag $said;
    note $said;
    my $harvested = () = slurp("$home/list.xml") =~ m{<record>}g;
    is $harvested, $records, "all $records records are harvested";
    return;
}

sub add_format {
    unlike must('curl', '-sS', 'http://localhost:8080/oai?verb=ListMetadataFormats'), qr{>own<}, 'the format is not there before';
    must('cp', "$repository/data/own.xsl", "$repository/formats/");
    ok wait_until(sub { must('curl', '-sS', 'http://localhost:8080/oai?verb=ListMetadataFormats') =~ m{>own<} }), 'the format serves within seconds';
    return;
}

sub new_passwords {
    my ($script) = @_;
    is sql('postgres', "select string_agg(rolname, ' ' order by rolname) from pg_authid where rolname like 'oai_%' and rolpassword like 'SCRAM%'"),
        'oai_loader oai_publisher oai_reader', 'all roles have a password';
    # Signs that mean something in pgpass, in SQL or to the shell.
    spew("$repository/secrets/reader", q(a:b\c'd"e $f));
    spew("$repository/secrets/publisher", "new\n");
    run_roles("$repository/$script");
    return follow('podman-compose restart server publisher');    # "restart as above"
}

# --- The README of the container, followed

my $document = slurp("$source/deploy/container/README.md");
my @commands = grep { defined } $document =~ /^ {4}(\S.*)$|`((?:buildah|make|podman-compose|docker-compose) [^`]+)`/mg;
cmp_ok scalar @commands, '>', 15, 'the README of the container has commands';
if (!$ENV{OAI_IMAGE_BUILT}) {
    for my $command (@commands) { ok scalar(grep { $command =~ $_->[0] } @meaning), "this test knows: $command" }
    make_new();
    make_new();
    SKIP: { skip 'the image: it takes a minute, and OAI_IMAGE_TEST=1 t/run server/image does it', 1 }
    done_testing;
    exit;
}
follow($_) for @commands;

# --- and then

is health('server'), '0', 'ready';
must("$source/t/lib/cluster", 'crash', "$home/db");
ok wait_until(sub { health('server') ne '0' }), 'the database is away: the health check says so';
my ($status, $said) = run_program(in_container('web', health_of('web')));
is $status, '0', 'and Identify is answered' or diag $said;
start_database();
ok wait_until(sub { health('server') eq '0' }), 'the database is back: ready again';

my $logged = slurp("$home/server.err");
like $logged, qr/event=request/, 'the log is on standard error';
is slurp("$home/$_.out"), '', "nothing of $_ is on standard output" for qw(server publisher web);
unlike slurp("$home/$_.err"), qr/${\join '|', map { quotemeta slurp($_) } glob "$repository\/secrets\/*"}/, "no secret is in the log of $_" for qw(server publisher web);

# compose.yaml makes the rest of the containers' files read-only.
for my $name (qw(server publisher web)) {
    my %writable = map { ($_ => 1) } @{ service($name)->{tmpfs} }, map { (split /:/)[1] } @{ service($name)->{volumes} };
    ok service($name)->{read_only}, "$name: files are read-only";
    my @written = grep { my $file = $_; !grep { $file eq $_ || index($file, "$_/") == 0 } keys %writable, qw(/run/secrets /etc/hosts /etc/resolv.conf) }
        map { s/^\.//r } split /\n/, must('sh', '-c', "cd $container{$name}{root} && find . -xdev -newer $repository/compose.yaml -type f -user $running{$name}{user}");
    is "@written", '', "and $name writes to none of them";
}
is stop('server'), '0', 'the server ends with 0';
isnt health('server'), '0', 'its health check says so';
isnt health('web'), '0', 'and that of the web server';
is join(', ', map { "$_ " . stop($_) } qw(web publisher)), 'web 0, publisher 0', 'the others end with 0';
done_testing;
