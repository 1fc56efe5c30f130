# SPDX-License-Identifier: MIT
# What tests of random changes have in common. The seed is printed; OAI_SEED=N repeats a run.
#   my $x = one_of(1, 2, 3);            one of them by chance
#   my $n = between(1, 9);
#   my $db = hurried(model => 'library');   a Database whose clock says two seconds more at each call, since each second is used as a
#                                       datestamp only once
#   settle($db);                        publishes until nothing is left
package RandomChanges;
use strict;
use warnings;
use Database;
use Exporter qw(import);
use Test::More;
our @EXPORT = qw(one_of between hurried settle);

my $seed = $ENV{OAI_SEED} // $$;
srand $seed;
note "OAI_SEED=$seed";

sub one_of { return $_[rand @_] }
sub between { my ($low, $high) = @_; return $low + int rand($high - $low + 1) }

sub hurried {
    my $db = Database->new(@_);
    $db->run('create schema hurry', 'create sequence hurry.looks', 'create function hurry.clock_timestamp() returns timestamptz
        language sql volatile as $$ select timestamptz \'2030-01-01 00:00:00Z\' + nextval(\'hurry.looks\') * interval \'2 s\' $$',
        "alter database $db->{name} set search_path = hurry, pg_catalog, public");
    return $db;
}

sub settle {
    my ($db) = @_;
    for (1 .. 400) { return if $db->value('select published = 0 and not more from oai.publish(3000)') . $db->value('select oai.catch_up_rules()') eq 'tf' }
    die 'it never ends';
}

1;
