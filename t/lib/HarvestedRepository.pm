# SPDX-License-Identifier: MIT
# A repository with documents, whose socket the test holds, and an independent harvester (Debian's libhttp-oai-perl), which
# harvests its lists through nginx while the test disturbs the server.
#   my $r = HarvestedRepository->new(documents => 400);     cluster => 1: in a PostgreSQL of its own, which may be damaged
#       disks => {pg => '150m', web => '2m'}                the cluster, or nginx's files, on a disk of that size (root alone)
#       ini => {lists => {records => 20}}                   keys beside those that it needs
#       numbers_after => N, slice => N                      the number before the first one, and how many items a slice publishes
#       install => 1                                        the schema by `oai schema install`, which records what it installs
#   $r->start(connection => 'host=...');                    reads from there; and what Repository.pm has
#   $r->stop('KILL'); $r->start                             requests wait in the socket meanwhile
#   my ($records, $report) = $r->harvest('ListRecords', each_page => sub { my ($number) = @_; ... }, from => ...);
#       $records: identifier => "datestamp status sets", as $r->published('true') reads it from the tables;
#       $report: {pages, twice, failures => {502 => n, ...}, wrong => [...]}; 503 with Retry-After HTTP::OAI obeys itself
#   $r->remember;                                           what every harvest from now on must have
#   $r->in_flight('backends terminated', sub { ... });      a harvest with something that happens after its third page, checked
#   my $aside = $r->harvest_aside('ListRecords', ...);      the same in another process
#   my ($records, $report) = $aside->();
package HarvestedRepository;
use strict;
use warnings;
# HTTP::OAI waits ten seconds longer than Retry-After says, "for safety".
BEGIN { *CORE::GLOBAL::sleep = sub { Process::pace($_[0] > 1 ? 0.3 : $_[0]); return $_[0] } }
use parent 'Repository';
use Database;
use File::Temp qw(tempdir);
use Files;
use HTTP::OAI;
use POSIX ();
use Process;
use Storable qw(store_fd fd_retrieve);
use Test::More;
use Time::HiRes qw(time);
use WebServer;

my $root  = $Server::root;
my $owner = $$;
my @all;

sub new {
    my ($class, %how) = @_;
    my $dir = tempdir('oai-harvested-XXXXXX', TMPDIR => 1, CLEANUP => 0);
    chmod 0755, $dir or die $!;
    my @mounts = map { mount("$dir/$_", $how{disks}{$_}) } sort keys %{ $how{disks} // {} };
    if ($how{cluster}) {
        chomp($ENV{OAI_TEST_DB} = `$root/t/lib/cluster start $dir/pg`);
        $? == 0 or die "no PostgreSQL for the test\n";
        $ENV{OAI_KEEP_DB} = 1;   # the database is removed with the cluster
    }
    my $db = Database->new(schema => !$how{install});
    if ($how{install}) {
        my ($status, $output) = run_program("$Server::build/release/oai", 'schema', 'install', '--model', 'webarchiv', '--connection', $db->conninfo);
        die $output if $status ne '0';
    }
    system('cp', '-r', "$root/xslt", "$dir/formats") == 0 or die;
    my %ini = (lists => {records => 20}, server => {retry_after_seconds => 1});
    for my $section (keys %{ $how{ini} // {} }) { $ini{$section}{$_} = $how{ini}{$section}{$_} for keys %{ $how{ini}{$section} } }
    my $self = $class->SUPER::new(db => $db, dir => $dir, formats => "$dir/formats", ini => \%ini, held => 1);
    @$self{qw(documents mounts cluster)} = ($how{documents} // 400, \@mounts, $how{cluster} ? "$dir/pg" : undef);
    push @all, $self;
    $db->run("update oai.horizon set last_seq = $how{numbers_after}") if $how{numbers_after};
    $self->fill($how{slice} // 100_000);
    return $self;
}

# Mounts a file system of its own at a path.
sub mount {
    my ($path, $size) = @_;
    mkdir $path or die "$path: $!";
    system('mount', '-t', 'tmpfs', '-o', "size=$size,mode=755", 'none', $path) == 0 or die "no disk at $path\n";
    return $path;
}

# Documents of two hosts and two types, some of them deleted, in the order of their datestamps.
sub fill {
    my ($self, $slice) = @_;
    $self->{db}->run(
        "insert into webarchiv.domain (name) values ('cz:webarchiv:www'), ('ee:etv24')",
        "insert into webarchiv.mimetype (name) values ('text:html'), ('image:png')",
        "insert into webarchiv.doc (id, datestamp, archived_time, deleted, id_domain, id_mimetype, url, surt)
         select n, timestamptz '2020-01-01Z' + n * interval '1 hour', '2019-01-01Z', n % 17 = 0,
                (select id from webarchiv.domain where name = case n % 3 when 0 then 'ee:etv24' else 'cz:webarchiv:www' end),
                (select id from webarchiv.mimetype where name = case n % 2 when 0 then 'text:html' else 'image:png' end),
                'http://example.org/<' || n || '>', 'org,example)/' || n
         from generate_series(1, $self->{documents}) n");
    $self->{db}->run("select oai.publish($slice)") for 1 .. 2 + $self->{documents} / $slice;
    return;
}

sub start {
    my ($self, %how) = @_;
    $how{ini} //= spew("$self->{dir}/reads.ini", slurp($self->{ini}) =~ s/^connection = .*user=oai_reader.*/connection = $how{connection}/mr) if $how{connection};
    return $self->SUPER::start(%how);
}

# Harvests a list. Only an OAI-PMH error ends it early: after any other failure it requests the same page again.
sub harvest {
    my ($self, $verb, %arguments) = @_;
    my ($each_page, $timeout) = (delete $arguments{each_page}, delete $arguments{timeout} // 300);
    $arguments{metadataPrefix} //= 'oai_dc';
    my $harvester = HTTP::OAI::Harvester->new(baseURL => $self->url, resume => 0, timeout => 300);
    my (%records, %report);
    @report{qw(pages twice failures wrong)} = (0, 0, {}, []);
    for (my $end = time + $timeout; %arguments;) {
        my $page = $harvester->$verb(%arguments);
        if (my @errors = $page->can('errors') ? $page->errors : ()) { push @{ $report{wrong} }, map { $_->code . ': ' . ($_->message // '') } @errors; last }
        if ($page->is_error) {
            $report{failures}{ $page->code }++;
            if (time > $end) { push @{ $report{wrong} }, 'gave up: ' . $page->code . ' ' . $page->message; last }
            $harvester = HTTP::OAI::Harvester->new(baseURL => $self->url, resume => 0, timeout => 300);   # it counts its retries
            pace(0.1);
            next;
        }
        while (my $item = $page->next) {
            my $header = $item->can('header') ? $item->header : $item;
            $report{twice}++ if $records{ $header->identifier };
            $records{ $header->identifier } = join ' ', $header->datestamp, $header->status || '', sort map { "$_" } $header->setSpec;
        }
        my $token = $page->resumptionToken && $page->resumptionToken->resumptionToken;
        %arguments = defined $token && length $token ? (resumptionToken => $token) : ();
        $each_page->(++$report{pages}) if $each_page;
    }
    return (\%records, \%report);
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

# Stores what every harvest from now on must contain.
sub remember {
    my ($self) = @_;
    $self->{all} = $self->published('true');
    is scalar(keys %{ $self->{all} }), $self->{documents}, 'there are records';
    $self->{log_offset} = -s $self->{log};
    return;
}

# Runs a harvest during which something happens after its third page, and checks its result.
sub in_flight {
    my ($self, $name, $happens, %how) = @_;
    my $child;
    my ($records, $report) = $self->harvest('ListRecords', each_page => sub { $child = $happens->() if $_[0] == 3 });
    waitpid $child, 0 if $child && $child > 1;
    return $self->check_harvest($name, $records, $report, %how);
}

# meets: the failures that the harvest may encounter, by default only 503; it must encounter one, unless may_pass_unseen is set.
sub check_harvest {
    my ($self, $name, $records, $report, %how) = @_;
    my $meets = $how{meets} // {503 => 1};
    my $refused = () = substr($self->log_text, $self->{log_offset}) =~ /event=request .* status=503 /g;
    $report->{failures}{503} += $refused if $refused;
    $self->{log_offset} = -s $self->{log};
    is_deeply $records, $self->{all}, "$name: the harvest has exactly the records";
    is "$report->{twice} @{ $report->{wrong} }", '0 ', 'each once';
    is join(' ', grep { !$meets->{$_} } keys %{ $report->{failures} }), '', 'and met only what it may meet' or diag explain $report->{failures};
    ok %{ $report->{failures} }, 'it did happen' if !$how{may_pass_unseen};
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
    WebServer::stop_all();
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
