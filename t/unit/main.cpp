// SPDX-License-Identifier: MIT
// Catch2's main; t/lib/unit runs it.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
