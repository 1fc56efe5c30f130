# SPDX-License-Identifier: MIT
# A database of a test's own in the private cluster of OAI_TEST_DB, with the schema installed; dropped at the end
# unless OAI_KEEP_DB is set. The schema is installed once for each model of a cluster, and copied from there.
#   my $db = Database->new;                 model => 'webarchiv', 'library' or 'none'; schema => 0: empty
#   my @rows = $db->rows('select 1, 2');    ([1, 2]); NULL is undef; dies with psql's words
#   my $x = $db->value('select ...');       first column of the first row
#   my $s = $db->session; $s->send('begin'); $s->finish   a connection of its own, e.g. to hold a lock
package Database;
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use IPC::Open2;
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
    psql($cluster, '-c', "create database $name" . ($how{schema} // 1 ? ' template ' . template($cluster, $model) : ''),
        # The rights on a database are not copied with it.
        $how{schema} // 1 ? ('-c', "revoke temporary on database $name from public; grant temporary on database $name to oai_publisher, oai_loader") : ());
    ($self->{conninfo} = $cluster) =~ s/dbname=\S+/dbname=$name/;
    return $self;
}

# The name of the database to copy, which is made if the cluster has none yet; if another process is making it as well, that of
# the one that ends first remains. Nobody connects to it, since a database can only be copied when nobody does.
sub template {
    my ($cluster, $model) = @_;
    my $template = "oai_template_$model";
    my $is_there = sub { return psql($cluster, '-c', "select 1 from pg_database where datname = '$template'") ne '' };
    return $template if $is_there->();
    my $own = "${template}_$$";
    psql($cluster, '-c', "create database $own");
    psql($cluster =~ s/dbname=\S+/dbname=$own/r, '-1',
        map { ('-f', $_, m{/tables\.sql$} ? ('-c', scalar `$root/schema/comments $_`) : ()) } split /\n/, `$root/schema/files $model`);
    eval { psql($cluster, '-c', "alter database $own rename to $template", '-c', "alter database $template allow_connections false"); 1 }
        or $is_there->() ? psql($cluster, '-c', "drop database $own") : die $@;
    return $template;
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

sub rows {
    my ($self, $sql) = @_;
    return map { [map { $_ eq '\N' ? undef : $_ } split /\x1f/, $_, -1] } split /\n/, psql($self->{conninfo}, '-c', $sql);
}
sub value { my ($self, $sql) = @_; my ($row) = $self->rows($sql); return $row && $row->[0]; }
sub run { my ($self, @sql) = @_; psql($self->{conninfo}, map { ('-c', $_) } @sql); return }

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
    eval { psql($self->{cluster}, '-c', "drop database $self->{name} with (force)") };
}

package Database::Session;

sub new {
    my ($class, $conninfo) = @_;
    my $pid = IPC::Open2::open2(my $out, my $in, 'psql', '-XqAt', '-d', $conninfo);
    return bless {pid => $pid, out => $out, in => $in}, $class;
}

# Sends a statement and waits until it is done; returns its lines.
sub send {
    my ($self, $sql) = @_;
    my ($in, $out) = @$self{qw(in out)};
    print $in "$sql;\n\\echo __done__\n";
    $in->flush;
    my @lines;
    while (defined(my $line = <$out>)) {
        chomp $line;
        return @lines if $line eq '__done__';
        push @lines, $line;
    }
    die "the session ended\n";
}
sub finish { my ($self) = @_; close $self->{in}; waitpid $self->{pid}, 0; return }

1;
