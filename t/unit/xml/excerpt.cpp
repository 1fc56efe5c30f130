// SPDX-License-Identifier: MIT
#include "xml/excerpt.h"

#include <catch2/catch.hpp>

#include "xml/document.h"

namespace {

// Returns the excerpt of the first child element of the document element.
std::string first(const char* text) {
    oai::xml::initialise();
    const auto document = oai::xml::parse_memory(text, "t");
    return oai::xml::excerpt(xmlFirstElementChild(xmlDocGetRootElement(document.get())));
}

}  // namespace

TEST_CASE("excerpt: an element keeps the namespaces that it uses, and no others") {
    CHECK(first("<a xmlns:p='u' xmlns:q='v'><p:b/></a>") == "<p:b xmlns:p=\"u\"/>");
    CHECK(first("<a xmlns='u'><b><c/></b></a>") == "<b xmlns=\"u\"><c/></b>");
    CHECK(first("<a xmlns:p='u'><b p:c='1' xmlns='w'/></a>") ==
          "<b xmlns=\"w\" xmlns:p=\"u\" p:c=\"1\"/>");
    CHECK(first("<a xmlns='u'><p:b xmlns:p='v'><c/></p:b></a>") ==
          "<p:b xmlns:p=\"v\" xmlns=\"u\"><c/></p:b>");
}

TEST_CASE("excerpt: a prefix that is used only in a value keeps its declaration") {
    CHECK(first("<a xmlns:x='s' xmlns:t='u'><b x:type='t:URI'/></a>") ==
          "<b xmlns:x=\"s\" xmlns=\"\" xmlns:t=\"u\" x:type=\"t:URI\"/>");
    CHECK(first("<a xmlns:t='u' xmlns='v'><b>t:URI</b></a>") ==
          "<b xmlns=\"v\" xmlns:t=\"u\">t:URI</b>");
    CHECK(first("<a xmlns:t='u' xmlns='v'><t:b xmlns:t='w'>t:URI</t:b></a>") ==
          "<t:b xmlns:t=\"w\">t:URI</t:b>");
}

TEST_CASE("excerpt: an element without a namespace stays without one") {
    CHECK(first("<a><b><c/></b></a>") == "<b xmlns=\"\"><c/></b>");
    CHECK(first("<a xmlns='u'><b xmlns=''/></a>") == "<b xmlns=\"\"/>");
    CHECK(first("<a xmlns:p='u'><p:b><c/></p:b></a>") ==
          "<p:b xmlns:p=\"u\" xmlns=\"\"><c/></p:b>");
}
