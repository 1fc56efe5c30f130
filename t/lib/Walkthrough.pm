# SPDX-License-Identifier: MIT
# Follows a document as its reader does: what stands behind a `$` is run, and has to print the text below it, in which `...` stands
# for omitted text or lines. A block without a `$` is saved as the file (.xsl, .xsd, .csv) that the text before it names. `make run`
# is deploy/run, with the programs that are built. Port, state directories and the build directory become those of this test.
#   my $walk = Walkthrough->new("$root/README");
#   my $ready = $walk->serve('make run');          what it says when it is ready
#   my $commands = $walk->follow;                  runs all of it, with tests; how many commands there were
#   $walk->stop;
package Walkthrough;
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Files;
use POSIX ();
use Process;
use Test::More;

my $root  = abs_path(dirname(__FILE__) . '/../..');
my $build = abs_path($ENV{BUILD} // "$root/build");

sub new {
    my ($class, $file) = @_;
    my $dir = tempdir('oai-walk-XXXXXX', TMPDIR => 1, CLEANUP => 1);
    chmod 0755, $dir;
    return bless {text => slurp($file), dir => $dir, before => '', port => free_port(), running => []}, $class;
}

# A command or what it prints, with the port and directories of this test.
sub here {
    my ($self, $text) = @_;
    return $text =~ s{(?<=127\.0\.0\.1:)8080}{$self->{port}}gr =~ s{/var/lib/oai-fcgi}{$self->{dir}/state}gr
        =~ s{build/release/}{$build/release/}gr;
}

sub pattern {
    my ($self, $text) = @_;
    return join '', map { $_ eq "...\n" ? '(?:.*\n)*' : join('.*', map { quotemeta } split /\.\.\./, $_, -1) } $self->here($text) =~ /.*\n/g;
}

# Starts what `make run` starts, and returns the line that says that it is ready.
sub serve {
    my ($self, $command) = @_;
    my ($model) = $command =~ /MODEL=(\w+)/;
    my $state = $self->here('/var/lib/oai-fcgi' . (($model // '') eq 'library' ? '-library' : ''));
    my $errors = "$self->{dir}/" . @{ $self->{running} } . '.err';
    pipe my $read, my $write or die $!;
    my $pid = fork // die $!;
    if (!$pid) {
        POSIX::setsid();
        open STDOUT, '>&', $write;
        open STDERR, '>', $errors;
        exec {'env'} 'env', "OAI_STATE=$state", "OAI_PORT=$self->{port}", 'OAI_MODEL=' . ($model // 'webarchiv'), "BUILD=$build", "$root/deploy/run"
            or POSIX::_exit(127);
    }
    close $write;
    push @{ $self->{running} }, {pid => $pid, state => $state};
    my $line = <$read>;
    diag slurp($errors) if !defined $line;
    return $line // '';
}

# Its status, and what it says on stdout and stderr.
sub in_shell {
    my ($self, $command) = @_;
    spew("$self->{dir}/command", "shopt -s expand_aliases\n$self->{before}" . $self->here($command) . "\n");
    my $said = `cd $self->{dir} && bash command 2>&1 </dev/null`;
    return ($?, $said);
}

# Waits until everything that was changed is published, and the horizon has passed it, so that the next command sees it.
sub wait_for_publisher {
    my ($self) = @_;
    for my $state (map { $_->{state} } @{ $self->{running} }) {
        my $query = "psql -XAtq -h $state/run/sockets/pg -U postgres oai -c 'select not exists (select from oai.queue)'";
        wait_until(sub { `$query` eq "t\n" }) or die "the publisher has not taken up what was changed\n";
    }
    return;
}

# How often the servers have said this.
sub count_in_logs {
    my ($self, $event) = @_;
    my $log = join '', map { slurp($_, '') } map { glob "$_->{state}/log/*" } @{ $self->{running} };
    return scalar(() = $log =~ /\Q$event\E /g);
}

sub run_command {
    my ($self, $command, $prints) = @_;
    return is($self->serve($command), $self->here($prints), $command) || BAIL_OUT('nothing serves') if $command =~ /\bmake run\b/;
    if ($command =~ /^alias /) { $self->{before} .= $self->here("$command\n"); return }
    if ($command =~ /^(\w+)=\$\(.*\)$/) { $self->{before} .= "$1='" . ($self->in_shell("$command; echo \$$1"))[1] =~ s/\n//r . "'\n"; return }
    my ($prefix) = $command =~ m{\bcp (?:\w+\.xsl \S+/formats/)?(\w+)\.xsl\b};
    my $event = 'event=format state=' . ($command =~ /\bbroken\.xsl/ ? 'refused' : 'live prefix=' . ($prefix // ''));
    my $before = $prefix && $self->count_in_logs($event);
    my ($status, $said) = $self->in_shell($command);
    is($status, 0, $command);
    my $pattern = $self->pattern($prints);
    like($said, qr/\A$pattern\z/, '  prints what is shown');
    $self->wait_for_publisher if $command =~ /^(?:sql|oai (?:load|delete|harvest)) |sleep/;
    return if !$prefix;
    ok(wait_until(sub { $self->count_in_logs($event) > $before }), "  $event");
    return like(`curl -s 'http://127.0.0.1:$self->{port}/oai?verb=ListMetadataFormats'`, qr/<metadataPrefix>$prefix</, '  the format is served');
}

# The blocks of code are indented lines; an empty line ends one.
sub follow {
    my ($self) = @_;
    my $commands = 0;
    while ($self->{text} =~ /\G((?:(?! {4}).*\n)*)((?: {4}.*\n|^ {6}(?=\S).*\n)+)/gm) {
        my ($prose, $block) = ($1, $2);
        my ($indent) = $block =~ /^( +)/;
        $block =~ s/^$indent//gm;
        my ($name) = $prose =~ /.*`([\w-]+\.(?:xsl|xsd|csv))`/s;
        if ($block !~ /^\$ /) { spew("$self->{dir}/$name", $block) if $name && $block !~ /^# /; next }
        while ($block =~ /\G\$ (.*)\n((?:(?!\$ ).*\n)*)/g) { ++$commands; $self->run_command($1, $2) }
    }
    return $commands;
}

sub stop {
    my ($self) = @_;
    for my $pid (map { $_->{pid} } reverse @{ $self->{running} }) {
        kill 'TERM', $pid;
        waitpid $pid, 0;
        is($?, 0, 'it stops with status 0');
    }
    $self->{running} = [];
    return;
}
sub DESTROY { my ($self) = @_; local $?; kill 'TERM', map { $_->{pid} } @{ $self->{running} }; waitpid $_->{pid}, 0 for @{ $self->{running} } }

1;
