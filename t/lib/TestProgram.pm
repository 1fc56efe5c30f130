# SPDX-License-Identifier: MIT
# What each test program begins with: strict, warnings, Test::More, the helpers that most of them use, abs_path and tempdir, POSIX and
# sockets under their own names, and where things are: $root, the directory of the sources, and $build, that of what is built.
#   use TestProgram;
package TestProgram;
use strict;
use warnings;
use Configuration;
use Cwd qw(abs_path);
use Database;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use FastCGI;
use Files;
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX ();
use Process;
use Repository;
use ShortForm;
use Test::More;
use WebServer;

our $root  = abs_path(dirname(__FILE__) . '/../..');
our $build = abs_path($ENV{BUILD} // "$root/build") // die "nothing is built in $ENV{BUILD}\n";

sub import {
    my $caller = caller;
    strict->import;
    warnings->import;
    eval "package $caller; \$_->import for qw(Configuration Files Process ShortForm Test::More); 1" or die $@;
    no strict 'refs';
    *{"${caller}::$_"} = \&{$_} for qw(abs_path tempdir);
    *{"${caller}::root"} = \$root;
    *{"${caller}::build"} = \$build;
    return;
}

1;
