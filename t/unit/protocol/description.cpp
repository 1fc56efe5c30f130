// SPDX-License-Identifier: MIT
// Description files are tested in repository.cpp.
#include "protocol/description.h"

#include <catch2/catch.hpp>

#include "xml/document.h"

using namespace oai;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

TEST_CASE("set description: only the element itself is kept") {
    xml::initialise();
    CHECK(set_description("<a xmlns=\"urn:a\">x</a>", "s") == "<a xmlns=\"urn:a\">x</a>");
    CHECK(set_description(
              "<?xml version=\"1.0\" standalone=\"yes\"?>\n<!-- c --><p:a xmlns:p=\"urn:a\"/>\n",
              "s") == "<p:a xmlns:p=\"urn:a\"/>");
    CHECK(set_description("", "s").empty());
    CHECK(set_description(" \n\t", "s").empty());
}

TEST_CASE("set description: text becomes Dublin Core") {
    xml::initialise();
    const std::string made = set_description(" Books &amp; &lt;maps&gt;\n", "s");
    CHECK_THAT(
        made,
        StartsWith("<oai_dc:dc xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" ") &&
            EndsWith("><dc:description>Books &amp; &lt;maps&gt;</dc:description></oai_dc:dc>"));
    const xml::DocumentHandle document = xml::parse_memory(made, "made");
    CHECK(xml::root_namespace(document.get()) == "http://www.openarchives.org/OAI/2.0/oai_dc/");
}

TEST_CASE(
    "set description: what is not one element of another namespace is refused with the set's "
    "name") {
    xml::initialise();
    for (const char* content :
         {"<a/>", "<a xmlns=\"http://www.openarchives.org/OAI/2.0/\"/>", "two <b xmlns=\"urn:b\"/>",
          "<a xmlns=\"urn:a\"/><a xmlns=\"urn:a\"/>", "<a xmlns=\"urn:a\">", "Books & maps",
          "&nbsp;", "<!DOCTYPE a [<!ENTITY e 'x'>]><a xmlns=\"urn:a\">&e;</a>",
          "<!-- nothing -->"}) {
        CAPTURE(content);
        CHECK_THROWS_AS(set_description(content, "col:x"), xml::Error);
        CHECK_THROWS_WITH(set_description(content, "col:x"), StartsWith("set col:x:1: "));
    }
}
