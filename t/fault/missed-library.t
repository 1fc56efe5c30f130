#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# No harvester ever misses a record of a library either: t/fault/missed.t with model library, whose loaders publish items.
use strict;
use warnings;

$ENV{OAI_MISSED_MODEL} = 'library';
exec($^X, "t/fault/missed.t") or die "$^X: $!\n";
