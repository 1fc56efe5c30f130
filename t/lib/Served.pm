# SPDX-License-Identifier: MIT
# A repository of a test's own, served by oai.fcgi behind nginx, and harvested by a harvester that this project did not
# write (Debian's libhttp-oai-perl).
#   my $r = Served->new(documents => 400);              cluster => 1: in a PostgreSQL of its own, which may be damaged
#       disks => {pg => '150m', web => '2m'}            the cluster, or nginx's files, on a disk of that size (root alone)
#       ini => {lists => {records => 20}}               keys beside those that it needs
#       install => 1                                    the schema by `oai schema install`, which keeps account of it
#   $r->start(env => {LD_PRELOAD => ...});              the server, its socket held by the test as systemd holds it
#   $r->start(connection => 'host=...');                reads from there; ini => FILE for another oai.ini
#   $r->stop('KILL'); $r->start                         requests wait in the socket meanwhile
#   my $answer = $r->ask('verb=Identify');              by FastCGI.pm: {status, headers, body}, or {status => 'cut'}
#   my ($got, $said) = $r->harvest('ListRecords', each_page => sub { my ($page) = @_; ... }, from => ...);
#       $got: identifier => "datestamp status sets", as $r->published('true') tells it from the tables;
#       $said: {pages, twice, failures => {502 => n, ...}, wrong => [...]}; 503 with Retry-After HTTP::OAI obeys itself
#   $r->in_flight('backends terminated', sub { ... });  a harvest with something that happens after its third page, judged
#   my $aside = $r->harvest_aside('ListRecords', ...);  the same in another process
#   my ($got, $said) = $aside->();
package Served;
use strict;
use warnings;
# HTTP::OAI waits ten seconds longer than Retry-After says, "for safety".
BEGIN { *CORE::GLOBAL::sleep = sub { select undef, undef, undef, $_[0] > 1 ? 0.3 : $_[0]; return $_[0] } }
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use HTTP::OAI;
use POSIX ();
use Storable qw(store_fd fd_retrieve);
use Test::More;
use Time::HiRes qw(time);
use lib dirname(abs_path(__FILE__));
use Database;
use Echo;
use FastCGI;

my $root  = abs_path(dirname(__FILE__) . '/../..');
my $owner = $$;
my @all;

sub slurp { open my $in, '<', $_[0] or return ''; local $/; return <$in> // '' }
sub spew { my ($file, $text) = @_; open my $out, '>', $file or die "$file: $!"; print {$out} $text; close $out or die "$file: $!"; return $file }
sub pause { select undef, undef, undef, $_[0]; return }
# Whether it becomes true within so many seconds.
sub within { my ($seconds, $true) = @_; for (my $end = time + $seconds; ;) { return 1 if $true->(); return 0 if time > $end; pause(0.05) } }

sub new {
    my ($class, %how) = @_;
    my $dir = tempdir('oai-served-XXXXXX', TMPDIR => 1, CLEANUP => 0);
    chmod 0755, $dir or die $!;
    my $self = bless {dir => $dir, documents => $how{documents} // 400, log => "$dir/log", failures => {}}, $class;
    push @all, $self;
    $self->mount("$dir/$_", $how{disks}{$_}) for sort keys %{ $how{disks} // {} };
    if ($how{cluster}) {
        chomp($ENV{OAI_TEST_DB} = `$root/t/lib/cluster start $dir/pg`);
        $? == 0 or die "no PostgreSQL for the test\n";
        $self->{cluster} = "$dir/pg";
        $ENV{OAI_KEEP_DB} = 1;   # it goes with the cluster
    }
    $self->{db} = Database->new(schema => !$how{install});
    my $oai = abs_path($ENV{BUILD} // "$root/build") . '/release/oai';
    system("$oai schema install --model webarchiv --connection '" . $self->{db}->conninfo . "' >/dev/null") == 0 or die if $how{install};
    $self->fill;
    spew("$dir/key", '0123456789abcdef' x 4);
    chmod 0600, "$dir/key";
    system('cp', '-r', "$root/xslt", "$dir/formats") == 0 or die;
    my %ini = (repository => {name => 'Served', base_url => 'http://127.0.0.1/oai', admin_email => 'a@example.org', identifier_namespace => 'example.org'},
        token => {key_file => "$dir/key"}, formats => {directory => "$dir/formats"}, lists => {records => 20},
        database => {connection => $self->{db}->conninfo('oai_reader')}, server => {retry_after_seconds => 1},
        publisher => {connection => $self->{db}->conninfo('oai_publisher')});
    for my $section (keys %{ $how{ini} // {} }) { $ini{$section}{$_} = $how{ini}{$section}{$_} for keys %{ $how{ini}{$section} } }
    $self->{ini} = spew("$dir/oai.ini", join '', map { my $s = $_; "[$s]\n" . join '', map { "$_ = $ini{$s}{$_}\n" } sort keys %{ $ini{$s} } } sort keys %ini);
    $self->{listener} = Echo::hold("$dir/sock");
    return $self;
}

# A disk of its own at a path.
sub mount {
    my ($self, $path, $size) = @_;
    mkdir $path or die "$path: $!";
    system('mount', '-t', 'tmpfs', '-o', "size=$size,mode=755", 'none', $path) == 0 or die "no disk at $path\n";
    push @{ $self->{mounts} }, $path;
    return;
}

# Documents of two hosts and two types, some of them deleted, in the order of their datestamps.
sub fill {
    my ($self) = @_;
    $self->{db}->run(
        "insert into webarchiv.domain (name) values ('cz:webarchiv:www'), ('ee:etv24')",
        "insert into webarchiv.mimetype (name) values ('text:html'), ('image:png')",
        "insert into webarchiv.doc (id, datestamp, archived_time, deleted, id_domain, id_mimetype, url, surt)
         select n, timestamptz '2020-01-01Z' + n * interval '1 hour', '2019-01-01Z', n % 17 = 0,
                (select id from webarchiv.domain where name = case n % 3 when 0 then 'ee:etv24' else 'cz:webarchiv:www' end),
                (select id from webarchiv.mimetype where name = case n % 2 when 0 then 'text:html' else 'image:png' end),
                'http://example.org/<' || n || '>', 'org,example)/' || n
         from generate_series(1, $self->{documents}) n");
    $self->{db}->run('select oai.publish(100000)') for 1 .. 3;
    return;
}

sub start {
    my ($self, %how) = @_;
    my $build = abs_path($ENV{BUILD} // "$root/build");
    $how{ini} //= spew("$self->{dir}/reads.ini", slurp($self->{ini}) =~ s/^connection = .*user=oai_reader.*/connection = $how{connection}/mr) if $how{connection};
    my $bin = "$build/" . ($how{flavour} // $ENV{OAI_FLAVOUR} // 'release') . '/oai.fcgi';
    $self->{pid} = fork // die "fork: $!";
    if (!$self->{pid}) {
        open STDERR, '>>', $self->{log} or die $!;
        POSIX::dup2(fileno $self->{listener}, 0);
        @ENV{keys %{ $how{env} }} = values %{ $how{env} } if $how{env};
        exec {$bin} $bin, '--config', $how{ini} // $self->{ini} or POSIX::_exit(127);
    }
    return if $how{anyhow};
    within(60, sub { waitpid($self->{pid}, POSIX::WNOHANG()) == 0 or die "oai.fcgi ended:\n" . slurp($self->{log}); $self->ask('verb=Identify')->{status} eq 200 })
        or die "oai.fcgi does not answer:\n" . slurp($self->{log}) =~ s/^.*event=request .*\n//mgr;
    return;
}

# The exit status, or "signal N".
sub stop {
    my ($self, $signal) = @_;
    my $pid = delete $self->{pid} // return;
    kill $signal // 'TERM', $pid;
    waitpid $pid, 0;
    return $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
}

sub ask { my ($self, $query) = @_; return FastCGI::ask("$self->{dir}/sock", FastCGI::get($query) . FastCGI::end_of_input()) }

sub url {
    my ($self) = @_;
    $self->{port} //= Echo::web('nginx', "$self->{dir}/web", "$self->{dir}/sock");
    return "http://127.0.0.1:$self->{port}/oai";
}

# A harvester gives up on nothing but an OAI error: after any other failure it asks for the same page again.
sub harvest {
    my ($self, $verb, %arguments) = @_;
    my ($each_page, $patience) = (delete $arguments{each_page}, delete $arguments{patience} // 60);
    $arguments{metadataPrefix} //= 'oai_dc';
    my $harvester = HTTP::OAI::Harvester->new(baseURL => $self->url, resume => 0, timeout => 20);
    my (%got, %said);
    @said{qw(pages twice failures wrong)} = (0, 0, {}, []);
    for (my $end = time + $patience; %arguments;) {
        my $page = $harvester->$verb(%arguments);
        if (my @errors = $page->can('errors') ? $page->errors : ()) { push @{ $said{wrong} }, map { $_->code . ': ' . ($_->message // '') } @errors; last }
        if ($page->is_error) {
            $said{failures}{ $page->code }++;
            if (time > $end) { push @{ $said{wrong} }, 'gave up: ' . $page->code . ' ' . $page->message; last }
            $harvester = HTTP::OAI::Harvester->new(baseURL => $self->url, resume => 0, timeout => 20);   # it counts its retries
            pause(0.1);
            next;
        }
        while (my $item = $page->next) {
            my $header = $item->can('header') ? $item->header : $item;
            $said{twice}++ if $got{ $header->identifier };
            $got{ $header->identifier } = join ' ', $header->datestamp, $header->status || '', sort map { "$_" } $header->setSpec;
        }
        my $token = $page->resumptionToken && $page->resumptionToken->resumptionToken;
        %arguments = defined $token && length $token ? (resumptionToken => $token) : ();
        $each_page->(++$said{pages}) if $each_page;
    }
    return (\%got, \%said);
}

sub harvest_aside {
    my ($self, @how) = @_;
    $self->url;
    my $pid = open(my $out, '-|') // die $!;
    if (!$pid) {
        my @result = eval { $self->harvest(@how) };
        @result = ({}, {twice => 0, failures => {}, wrong => ["died: $@"]}) if $@;
        store_fd(\@result, \*STDOUT);
        STDOUT->flush;
        POSIX::_exit(0);
    }
    return sub { my $result = fd_retrieve($out); close $out; return @$result };
}

# In another process, after so many seconds; its pid.
sub later {
    my ($seconds, $what) = @_;
    my $pid = fork // die $!;
    return $pid if $pid;
    pause($seconds);
    eval { $what->(); 1 } or print STDERR "# $@";
    POSIX::_exit(0);
}

# What every harvest from now on must have.
sub remember {
    my ($self) = @_;
    $self->{all} = $self->published('true');
    is scalar(keys %{ $self->{all} }), $self->{documents}, 'there are records';
    $self->{seen} = -s $self->{log};
    return;
}

# A harvest to which something happens after its third page; and its judgement.
sub in_flight {
    my ($self, $name, $happens, %how) = @_;
    my $child;
    my ($got, $said) = $self->harvest('ListRecords', each_page => sub { $child = $happens->() if $_[0] == 3 });
    waitpid $child, 0 if $child && $child > 1;
    return $self->judge($name, $got, $said, %how);
}

# meets: the failures that it may have met, 503 alone if left out; it must have met one unless unseen.
sub judge {
    my ($self, $name, $got, $said, %how) = @_;
    my $meets = $how{meets} // {503 => 1};
    my $refused = () = substr(slurp($self->{log}), $self->{seen}) =~ /event=request .* status=503 /g;
    $said->{failures}{503} += $refused if $refused;
    $self->{seen} = -s $self->{log};
    is_deeply $got, $self->{all}, "$name: the harvest has exactly the records";
    is "$said->{twice} @{ $said->{wrong} }", '0 ', 'each once';
    is join(' ', grep { !$meets->{$_} } keys %{ $said->{failures} }), '', 'and met only what it may meet' or diag explain $said->{failures};
    ok %{ $said->{failures} }, 'it did happen' if !$how{unseen};
    return;
}

# identifier => "datestamp status sets" of what is published and fulfils the condition.
sub published {
    my ($self, $where) = @_;
    return {map { @$_ } $self->{db}->rows("
        select 'oai:example.org:' || local_id, to_char(datestamp at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') || ' '
               || case when deleted then 'deleted' else '' end || coalesce(' ' || (select string_agg(spec, ' ' order by spec collate \"C\")
                   from oai.set s where s.id = any (i.set_ids)), '')
        from oai.item i where seq is not null and ($where)")};
}

# pg_ctl over the repository's own cluster: 'stop', '-m', 'fast'.
sub pg_ctl {
    my ($self, @words) = @_;
    my ($bin) = $ENV{PG_BINDIR} // (sort { ($a =~ /(\d+)/)[0] <=> ($b =~ /(\d+)/)[0] } glob '/usr/lib/postgresql/*/bin')[-1];
    my @as = $> == 0 ? ('runuser', '-u', 'postgres', '--') : ();
    return system("cd / && @as $bin/pg_ctl -D $self->{cluster}/pgdata -l $self->{cluster}/pgdata/server.log -w -s @words >/dev/null 2>&1") == 0;
}

sub close {
    my ($self) = @_;
    $self->stop('KILL') if $self->{pid};
    undef $self->{db};
    system("$root/t/lib/cluster", 'stop', $self->{cluster}) if $self->{cluster};
    Echo::stop_webs();
    system('umount', '-l', $_) for @{ $self->{mounts} };
    return;
}

END {
    if ($$ == $owner) {
        my $status = $?;
        $_->close for @all;
        system 'rm', '-rf', map { $_->{dir} } @all;
        $? = $status;
    }
}

1;
