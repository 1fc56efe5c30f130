# SPDX-License-Identifier: MIT
# A database of a test's own in the private cluster of OAI_TEST_DB, with the schema installed; dropped at the end
# unless OAI_KEEP_DB is set. The schema is installed once for each model of a cluster, and copied from there.
#   my $db = Database->new;                 model => 'webarchiv', 'library' or 'none'; schema => 0: empty
#   my @rows = $db->rows('select 1, 2');    ([1, 2]); NULL is undef; dies with psql's words
#   my $x = $db->value('select ...');       first column of the first row
#   my $s = $db->session; $s->send('begin'); $s->finish   a connection of its own, e.g. to hold a lock
# Statements of rows, value and run go through one psql as long as it lives, which may be ended at any time.
package Database;
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use IPC::Open3;
use Process;
use Time::HiRes qw(time);

my $root  = abs_path(dirname(__FILE__) . '/../..');
my $count = 0;

sub new {
    my ($class, %how) = @_;
    my $cluster = $ENV{OAI_TEST_DB} // die "OAI_TEST_DB is not set: run the test by t/run, or start t/lib/cluster\n";
    my $name = join '_', 'oai_test', $$, ++$count;
    my $model = $how{model} // 'webarchiv';
    my $self = bless {cluster => $cluster, name => $name, model => $model, pid => $$}, $class;
    if ($how{schema} // 1) {
        my $template = "oai_template_$model";
        # The rights on a database are not copied with it.
        my @create = ('-c', "create database $name template $template",
            '-c', "revoke temporary on database $name from public; grant temporary on database $name to oai_publisher, oai_loader");
        eval { psql($cluster, @create); 1 } or $@ =~ /"$template" does not exist/ ? (make_template($cluster, $model, $template), psql($cluster, @create)) : die $@;
    } else {
        psql($cluster, '-c', "create database $name");
    }
    ($self->{conninfo} = $cluster) =~ s/dbname=\S+/dbname=$name/;
    return $self;
}

# Makes the database to copy; if another process is making it as well, that of the one that ends first remains. Nobody connects to
# it, since a database can only be copied when nobody does.
sub make_template {
    my ($cluster, $model, $template) = @_;
    my $own = "${template}_$$";
    psql($cluster, '-c', "create database $own");
    my @files = split /\n/, `$root/schema/files $model`;
    psql($cluster =~ s/dbname=\S+/dbname=$own/r, '-1', (map { ('-f', $_) } @files), '-c', scalar `$root/schema/comments @files`);
    eval { psql($cluster, '-c', "alter database $own rename to $template", '-c', "alter database $template allow_connections false"); 1 }
        or $@ =~ /already exists/ ? psql($cluster, '-c', "drop database $own") : die $@;
    return;
}

sub conninfo {
    my ($self, $role) = @_;
    (my $c = $self->{conninfo}) =~ s/user=\S+/user=$role/ if $role;
    return $c // $self->{conninfo};
}

# Runs psql; returns its output; dies with its messages if it fails.
sub psql {
    my ($conninfo, @arguments) = @_;
    my $pid = open(my $out, '-|') // die "fork: $!\n";
    if (!$pid) {
        open STDERR, '>&', \*STDOUT;
        exec 'psql', '-XqAt', '-F', "\x1f", '-P', 'null=\N', '-v', 'ON_ERROR_STOP=1', '-d', $conninfo, @arguments;
        exit 127;
    }
    local $/;
    my $said = <$out> // '';
    close $out or die $said;
    return $said;
}

# The same, by a psql that stays for the next statements: to start one for each costs most of what a short statement costs. What
# may leave something behind in a session, is several statements in one or is no SQL has a psql to itself.
my $has_its_own = qr/\\|;\s*\S|^\s*(?:set|reset|do|vacuum)\b|\b(?:begin|start|commit|set\s+(?:local|session|role)|set_config|copy|temp|temporary|pg_temp|advisory|alter\s+(?:role|database|system))\b/i;
sub ask {
    my ($self, @sql) = @_;
    if ($ENV{PGOPTIONS} || grep { /$has_its_own/ } @sql) {
        delete $self->{kept};   # it may be about what sessions begin with
        return psql($self->{conninfo}, map { ('-c', $_) } @sql);
    }
    local ($?, $SIG{PIPE}) = ($?, 'IGNORE');
    my $session = delete $self->{kept};
    $session = Database::Session->new($self->{conninfo}, '-F', "\x1f", '-P', 'null=\N') if !$session || $session->{owner} != $$ || !$session->answer('discard all');
    my $all = '';
    for my $sql (@sql) { $session->answer($sql, \$all) or die $all }
    $self->{kept} = $session;
    return $all;
}

sub rows {
    my ($self, $sql) = @_;
    return map { [map { $_ eq '\N' ? undef : $_ } split /\x1f/, $_, -1] } split /\n/, ask($self, $sql);
}
sub value { my ($self, $sql) = @_; my ($row) = $self->rows($sql); return $row && $row->[0]; }
sub run { my ($self, @sql) = @_; ask($self, @sql); return }

# Calls the publisher, waiting for the next second if necessary; returns the number of published items.
sub publish {
    my ($self, $slice, $keep_deleted) = @_;
    for (1 .. 300) {
        my ($row) = $self->rows(sprintf 'select published, waiting from oai.publish(%d, %s)', $slice // 10_000,
            $keep_deleted // 'true');
        return $row->[0] if $row->[1] eq 'f';
        pace(1.02 - (time - int time));   # until the next second
    }
    die "the publisher still waits\n";
}

sub session { my ($self) = @_; return Database::Session->new($self->{conninfo}) }

sub DESTROY {
    my ($self) = @_;
    return if $$ != $self->{pid} || $ENV{OAI_KEEP_DB};
    local ($@, $?);
    delete $self->{kept};
    eval { psql($self->{cluster}, '-c', "drop database $self->{name} with (force)") };
}

# A psql that goes on.
package Database::Session;

# What it says of errors goes to stderr, or comes with its answers where there are options.
sub new {
    my ($class, $conninfo, @options) = @_;
    my $pid = IPC::Open3::open3(my $in, my $out, @options ? undef : '>&STDERR', 'psql', '-XqAt', @options, '-d', $conninfo);
    return bless {pid => $pid, owner => $$, out => $out, in => $in, is_kept => scalar @options}, $class;
}

# Whether a statement succeeded; what is said is appended.
sub answer {
    my ($self, $sql, $said) = @_;
    my ($in, $out) = @$self{qw(in out)};
    print $in "$sql\n;\n\\echo __done__ :ERROR\n";
    $in->flush;
    while (defined(my $line = <$out>)) {
        return $1 eq 'false' if $line =~ /^__done__ (\w+)$/;
        $$said .= $line;
    }
    return 0 * ($self->{has_ended} = 1);
}

# Sends a statement and waits until it is done; returns its lines.
sub send {
    my ($self, $sql) = @_;
    my $said = '';
    $self->answer($sql, \$said) or !$self->{has_ended} or die "the session ended\n";
    return split /\n/, $said;
}
sub finish { my ($self) = @_; close $self->{in}; waitpid $self->{pid}, 0; return }

sub DESTROY {
    my ($self) = @_;
    return if !$self->{is_kept} || $self->{owner} != $$;
    local $?;
    kill 'TERM', $self->{pid};
    $self->finish;
}

1;
