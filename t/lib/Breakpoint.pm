# SPDX-License-Identifier: MIT
# Stops a program in the middle of a statement, by a trigger of its database, until the test has done what it wants to do there.
#   my $point = Breakpoint->new($db, 'insert on library.item', "session_user = 'oai_loader' and current_query() like '%publish_loaded%'");
#   $point->arm;                     from now on every session for which the condition holds stops there
#   my $backend = $point->reached;   waits until one has; the pid of its backend, or undef if none comes
#   $point->release;                 lets all of them go on, and stops no more
#   $point->remove;                  takes the trigger away
# A session that has stopped keeps its locks, and is seen in pg_stat_activity as active, in the wait event PgSleep.
package Breakpoint;
use strict;
use warnings;
use Process;

my $number = 0;

sub new {
    my ($class, $db, $where, $condition) = @_;
    my ($table) = $where =~ /on (\S+)$/ or die "$where: no table\n";
    my $name = 'breakpoint_' . ++$number;
    $db->run(
        "create schema if not exists breakpoint; grant usage on schema breakpoint to public",
        "create table breakpoint.$name (armed boolean not null); grant select on breakpoint.$name to public; insert into breakpoint.$name values (false)",
        "create function breakpoint.stop_$name() returns trigger language plpgsql as \$\$ begin
            if ($condition) and (select armed from breakpoint.$name) then
                perform set_config('application_name', '$name', true);
                while (select armed from breakpoint.$name) loop perform pg_sleep(0.02); end loop;
            end if;
            return null;
        end \$\$",
        "create trigger $name after $where for each statement execute function breakpoint.stop_$name()");
    return bless {db => $db, name => $name, table => $table}, $class;
}

sub arm { my ($self) = @_; $self->{db}->run("update breakpoint.$self->{name} set armed = true"); return }
sub release { my ($self) = @_; $self->{db}->run("update breakpoint.$self->{name} set armed = false"); return }
sub remove { my ($self) = @_; $self->{db}->run("drop trigger $self->{name} on $self->{table}"); return }

sub reached {
    my ($self) = @_;
    my $backend;
    wait_until(sub { $backend = $self->{db}->value("select pid from pg_stat_activity where datname = current_database() and application_name = '$self->{name}' limit 1") });
    return $backend;
}

1;
