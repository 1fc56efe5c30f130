// SPDX-License-Identifier: MIT
#include "xml/reader.h"

#include <catch2/catch.hpp>
#include <string>

#include "xml/document.h"
#include "xml/push_parser.h"

using oai::xml::Reader;

namespace {

// Returns depth and name of each element that the reader moves to: "0a 1b 2c ".
std::string walk(std::string_view bytes, bool beside_at_one) {
    oai::xml::initialise();
    Reader reader(bytes);
    std::string out;
    for (bool more = reader.next(); more; more = beside_at_one && reader.depth() == 1
                                                     ? reader.next_skipping_children()
                                                     : reader.next())
        out += std::to_string(reader.depth()) + std::string(reader.name()) + " ";
    return out;
}

}  // namespace

TEST_CASE("reader: elements in document order, or only siblings") {
    CHECK(walk("<a> <b><c/></b>x<p:d xmlns:p='u'>y</p:d><!-- z --></a>", false) == "0a 1b 2c 1d ");
    CHECK(walk("<a> <b><c/></b>x<p:d xmlns:p='u'>y</p:d><!-- z --></a>", true) == "0a 1b 1d ");
}

TEST_CASE("reader: a complete element, and the node after it") {
    oai::xml::initialise();
    Reader reader("<a xmlns='u'><b>x<c>y</c></b><d/></a>");
    REQUIRE((reader.next() && reader.next()));
    CHECK(oai::xml::text_of(reader.whole()) == "xy");
    REQUIRE(reader.next_skipping_children());
    CHECK(reader.name() == "d");
    CHECK_FALSE(reader.next());
}

TEST_CASE("reader: ill-formed, truncated and hostile documents are errors") {
    for (const char* bad :
         {"", "x", "<a>", "<a></b>", "<a/><b/>", "<a><p:b/></a>", "<a>&x;</a>", "<!DOCTYPE a><a/>",
          "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "<a b='1' b='2'/>"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(walk(bad, false), oai::xml::Error);
    }
}
