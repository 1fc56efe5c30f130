// SPDX-License-Identifier: MIT
// The main of unit tests, as Catch2's own, in programs that have initialised libxml2; t/lib/unit
// runs it.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "xml/document.h"

int main(int argc, char** argv) {
    oai::xml::initialise();
    return Catch::Session().run(argc, argv);
}
