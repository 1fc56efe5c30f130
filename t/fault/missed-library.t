#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# No harvester ever misses a record of a library either: t/fault/missed.t with model library, whose loaders publish items.
use strict;
use warnings;
use FindBin;

$ENV{OAI_MISSED_MODEL} = 'library';
exec($^X, "$FindBin::Bin/missed.t") or die "$^X: $!\n";
