// SPDX-License-Identifier: MIT
// Catch2's main, with the TAP reporter that t/run reads.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <catch2/catch_reporter_tap.hpp>
