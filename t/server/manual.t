#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# README and the manual show no command that t/platforms/follow would not run (make platforms), and it runs those for an installed
# package here: on a layer over this machine, in namespaces of its own, which leave nothing behind. The latter in full only; the
# short form is that each command is one that would be run, and t/server/tutorials.t and readme.t, which run theirs.
use TestProgram;

my $missing = join '', grep { /^not ok/ } `t/platforms/follow dry 2>&1`;
is $missing, '', 'every command that README and the manual show is run';

SKIP: {
    skip 'in full only (make test-long): the commands are run', 1 if !is_long();
    skip 'only root can lay something over this machine', 1 if $>;
    skip 'a file system cannot be laid over this one', 1
        if system('unshare --mount --pid --fork --net sh -c \'d=$(mktemp -d) && mount -t tmpfs tmpfs $d && mkdir $d/u $d/w $d/r'
            . ' && mount -t overlay overlay -o lowerdir=/,upperdir=$d/u,workdir=$d/w $d/r && ip link set lo up\' >/dev/null 2>&1');
    skip 'oai-fcgi is installed here', 1 if -e '/etc/oai-fcgi';
    my @lines = `t/platforms/run here 2>&1`;
    my $seen = 0;
    for (@lines) {
        if (/^(not )?ok \d+ - (.*)/) { ok !$1, $2; ++$seen }
        elsif (/^# not run here: (.*)/) { note $1 }
        else { diag $_ }
    }
    cmp_ok $seen, '>', 180, 'all of it was followed';
}
done_testing;
