// SPDX-License-Identifier: MIT
#include "xml/reader.h"

#include "t/lib/unit_headers.h"
#include "xml/document.h"
#include "xml/push_parser.h"

using oai::xml::Reader, oai::xml::hide_doctype;

namespace {

// Returns depth and name of each element that the reader moves to: "0a 1b 2c ".
std::string walk(std::string_view bytes, bool beside_at_one) {
    Reader reader(bytes);
    std::string out;
    for (bool more = reader.next(); more; more = beside_at_one && reader.depth() == 1
                                                     ? reader.next_skipping_children()
                                                     : reader.next())
        out += std::to_string(reader.depth()) + std::string(reader.name()) + " ";
    return out;
}

// What is left of the document; "-" if nothing was hidden.
std::string hidden(std::string document) {
    const std::string before = document;
    if (hide_doctype(document)) return document;
    CHECK(document == before);
    return "-";
}

// Returns the excerpt of the first child element of the document element.
std::string first(const char* text) {
    const auto document = oai::xml::parse_memory(text, "t");
    return oai::xml::excerpt(xmlFirstElementChild(xmlDocGetRootElement(document.get())));
}

}  // namespace

TEST_CASE("reader: elements in document order, or only siblings") {
    CHECK(walk("<a> <b><c/></b>x<p:d xmlns:p='u'>y</p:d><!-- z --></a>", false) == "0a 1b 2c 1d ");
    CHECK(walk("<a> <b><c/></b>x<p:d xmlns:p='u'>y</p:d><!-- z --></a>", true) == "0a 1b 1d ");
}

TEST_CASE("reader: a complete element, and the node after it") {
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

TEST_CASE("hides a DOCTYPE that declares nothing, and keeps the lines") {
    CHECK(hidden("<!DOCTYPE a><a/>") == "            <a/>");
    CHECK(hidden("\xEF\xBB\xBF<?x >?><!-- <!DOCTYPE b [ -->\n<!DOCTYPE a\nSYSTEM '>'>\n<a/>") ==
          "\xEF\xBB\xBF<?x >?><!-- <!DOCTYPE b [ -->\n           \n           \n<a/>");
    CHECK(hidden("<!DOCTYPE a PUBLIC \"[\" '\"'><a/>").ends_with("  <a/>"));
}

TEST_CASE("leaves another document as it is") {
    CHECK(hidden("") == "-");
    CHECK(hidden("<a/>") == "-");
    CHECK(hidden("<a><!DOCTYPE a></a>") == "-");
    CHECK(hidden("<!-- <!DOCTYPE a> -->") == "-");
    CHECK(hidden("<!-- <!DOCTYPE a>") == "-");
    CHECK(hidden("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>") == "-");
    CHECK(hidden("<!DOCTYPE a SYSTEM \"a><a/>") == "-");
    CHECK(hidden("<!DOCTYPE a") == "-");
}

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
