// SPDX-License-Identifier: MIT
#include "xml/grammar.h"

#include <catch2/catch.hpp>

#include "xml/document.h"

using namespace oai;
using Catch::Matchers::StartsWith;

namespace {

constexpr const char* kGrammar =
    R"(<element name="a" xmlns="http://relaxng.org/ns/structure/1.0"><oneOrMore><element name="b">
  <attribute name="n"/><text/></element></oneOrMore></element>)";

std::string judge(const xml::Grammar& grammar, const char* document) {
    return grammar.why_invalid(xml::parse_memory(document, "test").get());
}

}  // namespace

TEST_CASE("grammar: a document is valid, or invalid with the line of the error") {
    xml::initialise();
    const xml::Grammar grammar(kGrammar, "test");
    CHECK(judge(grammar, "<a><b n='1'/></a>").empty());
    CHECK_THAT(judge(grammar, "<a>\n<b n='1'/>\n<c/>\n</a>"), StartsWith("line 3: "));
    CHECK_THAT(judge(grammar, "<a>\n<b/></a>"), StartsWith("line 2: "));
    CHECK_THAT(judge(grammar, "<a/>"), StartsWith("line 1: "));
    CHECK(judge(grammar, "<a><b n='1'/><b n='2'>text</b></a>")
              .empty());  // a valid document still passes after invalid ones
}

TEST_CASE("grammar: a text that is no grammar is refused with its name") {
    xml::initialise();
    CHECK_THROWS_WITH(xml::Grammar("<element xmlns='http://relaxng.org/ns/structure/1.0'/>", "odd"),
                      StartsWith("odd:1: "));
    CHECK_THROWS_WITH(xml::Grammar("<element", "odd"), StartsWith("odd:"));
}
