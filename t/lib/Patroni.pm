# SPDX-License-Identifier: MIT
# Three PostgreSQL of Debian's Patroni with an etcd each, by the files of deploy/patroni, on addresses of the loopback network.
#   Patroni::missing()                      why there can be none here, or ''
#   my $p = Patroni->new(dir => $dir, timing => {ttl => 7, ...});      starts all three; timing: other than the file has
#   $p->conninfo('oai_reader', 'db2,db3,db1', 'prefer-standby')        over TCP, by password; $p->{passfile} has it
#   $p->local('user=postgres dbname=x')                                over the socket of the primary, whichever it is
#   $p->member($role)                       'leader', 'sync_standby', 'replica': the name of one that runs, or undef
#   $p->is_whole                            one leader, whose log two others stream, one of them synchronously
#   $p->kill($name)                         kill -9 of all that runs on that host: PostgreSQL, Patroni, etcd
#   $p->start($name)
#   $p->ctl('switchover', ...)              patronictl: (status, what it says)
package Patroni;
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Files;
use HTTP::Tiny;
use JSON::PP qw(decode_json);
use Process;

my $root = abs_path(dirname(__FILE__) . '/../..');
my @names = qw(db1 db2 db3);
my %address = map { ("db$_" => "127.0.0.1$_") } 1 .. 3;
my @all;

sub bindir { return $ENV{PG_BINDIR} // (sort { ($a =~ /(\d+)/)[0] <=> ($b =~ /(\d+)/)[0] } glob '/usr/lib/postgresql/*/bin')[-1] // '' }
sub missing { return join ', ', grep { !-x } '/usr/bin/patroni', '/usr/bin/etcd', bindir() . '/initdb' }

sub new {
    my ($class, %how) = @_;
    my %port = map { ($_ => free_port()) } qw(5432 8008 2379 2380);
    my $self = bless {dir => $how{dir}, port => \%port, pids => {}, owner => $$, passfile => "$how{dir}/pgpass"}, $class;
    push @all, $self;
    spew($self->{passfile}, "*:*:*:*:secret\n");
    chmod 0600, $self->{passfile};
    for my $name (@names) {
        my $own = "$self->{dir}/$name";
        mkdir $own or die "$own: $!\n";
        spew("$own/patroni.yml", $self->timed($self->placed(slurp("$root/deploy/patroni/patroni.yml"), $name), $how{timing}));
        spew("$own/etcd", $self->placed(slurp("$root/deploy/patroni/etcd"), $name));
        chown +(getpwnam 'postgres')[2, 3], $own, "$own/patroni.yml", "$own/etcd" if !$>;
    }
    $self->start_etcd($_) for @names;
    wait_until(sub { HTTP::Tiny->new(timeout => 1)->get("http://$address{db1}:$port{2379}/health")->{success} }) or die "etcd does not start\n";
    $self->start_patroni($_) for @names;
    return $self;
}

# A file of deploy/patroni with what it leaves open filled in, as the manual does, and with this host's places.
sub placed {
    my ($self, $text, $name) = @_;
    my $own = "$self->{dir}/$name";
    $text =~ s/\bNODE(?=:\d)|(?<=\/\/)NODE\b/$address{$name}/g;
    $text =~ s/\b(?:NODE)\b/$name/g;
    $text =~ s/\bADDRESS\b/$address{$name}/g;
    $text =~ s/\b(db\d)(?=:\d)/$address{$1}/g;
    $text =~ s/:(5432|8008|2379|2380)\b/:$self->{port}{$1}/g;
    $text =~ s/\bNETWORK\b/127.0.0.0\/8/g;
    $text =~ s/PASSWORD-OF-\w+/secret/g;
    $text =~ s/^( *)- data-checksums$/$&\n$1- no-sync/m;   # nothing here outlives a crash of the machine
    $text =~ s/^( *)wal_keep_size: .*$/$&\n$1fsync: 'off'/m;
    $text =~ s/^( *- local all postgres) peer$/$1 trust/m;   # the test is somebody else
    my $bin = bindir();
    $text =~ s{/usr/lib/postgresql/VERSION/bin}{$bin};
    $text =~ s{/var/lib/postgresql/VERSION/oai}{$own/data};
    $text =~ s{/var/lib/postgresql/|/var/lib/etcd/}{$own/}g;
    $text =~ s{/var/run/postgresql}{$own};
    return $text;
}
sub timed {
    my ($self, $text, $timing) = @_;
    for my $key (keys %{ $timing // {} }) { $text =~ s/^( +$key:) \d+$/$1 $timing->{$key}/m or die "no $key" }
    return $text;
}

sub start { my ($self, $name) = @_; $self->start_etcd($name); $self->start_patroni($name); return }
sub start_etcd {
    my ($self, $name) = @_;
    my $own = "$self->{dir}/$name";
    my %etcd = map { /^(\w+)=(.*)/ ? ($1, $2) : () } split /\n/, slurp("$own/etcd");
    push @{ $self->{pids}{$name} }, start_program([as_postgres('/usr/bin/etcd')], log => "$own/etcd.log", env => \%etcd);
    return;
}
sub start_patroni {
    my ($self, $name) = @_;
    my $own = "$self->{dir}/$name";
    push @{ $self->{pids}{$name} }, start_program([as_postgres('/usr/bin/patroni', "$own/patroni.yml")], log => "$own/patroni.log", env => {HOME => $own});
    return;
}
sub as_postgres { return ("$root/deploy/as-user", '--die-with-parent', 'KILL', 'postgres', @_) }

# The processes of PostgreSQL on a host: the postmaster and its children.
sub postgres_pids {
    my ($self, $name) = @_;
    my ($postmaster) = slurp("$self->{dir}/$name/data/postmaster.pid", '') =~ /^(\d+)/ or return;
    return ($postmaster, children($postmaster));
}
sub children {
    my ($parent) = @_;
    return map { m{/proc/(\d+)/} && slurp($_, '') =~ /^\d+ \(.*\) \S (\d+)/s && $1 == $parent ? m{/proc/(\d+)/} : () } glob '/proc/[0-9]*/stat';
}

sub kill {
    my ($self, $name) = @_;
    my $pids = delete $self->{pids}{$name} // [];
    CORE::kill 'KILL', @$pids, $self->postgres_pids($name);
    waitpid $_, 0 for @$pids;
    return;
}

sub conninfo {
    my ($self, $user, $hosts, $attrs) = @_;
    return 'host=' . join(',', map { $address{$_} } split /,/, $hosts) . " port=$self->{port}{5432} dbname=oai user=$user passfile=$self->{passfile}"
        . " target_session_attrs=$attrs";
}
sub local { my ($self, $who) = @_; return 'host=' . join(',', map { "$self->{dir}/$_" } @names) . " port=$self->{port}{5432} $who target_session_attrs=primary" }
sub at { my ($self, $name, $who) = @_; return "host=$self->{dir}/$name port=$self->{port}{5432} $who" }

# The cluster as a host that runs sees it.
sub members {
    my ($self) = @_;
    for my $name (sort keys %{ $self->{pids} }) {
        my $answer = HTTP::Tiny->new(timeout => 2)->get("http://$address{$name}:$self->{port}{8008}/cluster");
        next if !$answer->{success};
        return @{ decode_json($answer->{content})->{members} };
    }
    return;
}
sub member {
    my ($self, $role) = @_;
    my ($found) = grep { $_->{role} eq $role && $self->{pids}{ $_->{name} } && $_->{state} =~ /^(?:running|streaming)$/ } $self->members;
    return $found && $found->{name};
}
sub is_whole {
    my ($self) = @_;
    my @members = $self->members;
    my %state = map { ($_->{name} => "$_->{role} $_->{state}") } @members;
    my %count;
    $count{$_}++ for map { "$_->{role} " . ($_->{role} eq 'leader' ? $_->{state} : 'runs') } grep { $_->{state} =~ /^(?:running|streaming)$/ } @members;
    return ($count{'leader running'} // 0) == 1 && ($count{'sync_standby runs'} // 0) == 1 && ($count{'replica runs'} // 0) == 1;
}

sub ctl {
    my ($self, @words) = @_;
    my ($name) = sort keys %{ $self->{pids} };
    return run_program("$root/deploy/as-user", 'postgres', '/usr/bin/patronictl', '-c', "$self->{dir}/$name/patroni.yml", @words);
}

sub stop { my ($self) = @_; $self->kill($_) for @names; return }

END {
    my $status = $?;
    $_->{owner} == $$ && $_->stop for @all;
    $? = $status;
}

1;
