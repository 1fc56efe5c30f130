// SPDX-License-Identifier: MIT
#include "xml/push_parser.h"

#include "t/lib/unit_headers.h"
#include "xml/document.h"

using namespace oai::xml;

TEST_CASE(
    "push parser: the tree grows with the input, and elements that are taken are removed from it") {
    PushParser parser;
    parser.feed("<a xmlns='urn:a' xmlns:b='urn:b'>\n<b:r>1</b:r>", true);
    REQUIRE(parser.open() != nullptr);
    CHECK(name_of(parser.open()) == "a");
    const xmlNode* record = parser.open()->last;
    CHECK(name_of(record) == "r");
    CHECK(namespace_of(record) == "urn:b");
    CHECK(line_of(record) == 2);
    CHECK(text_of(record) == "1");
    CHECK(start_tag(parser.open()) == "<a xmlns=\"urn:a\" xmlns:b=\"urn:b\">");
    CHECK(document_text(record) == "<b:r xmlns:b=\"urn:b\">1</b:r>");
    parser.drop_up_to(parser.open()->last);
    CHECK(parser.open()->children == nullptr);
    parser.feed("<b:r>2</b", false);
    parser.feed(":r></a>", true);
    CHECK(parser.ended());
    CHECK(text_of(parser.root()) == "2");
}

TEST_CASE("push parser: an error is reported with the piece of input that causes it") {
    for (const char* bad : {"<r>a & b</r>", "<r>&nbsp;</r>", "<r></s>", "<r a=></r>", "<r>\x01</r>",
                            "<p:r/>", "<r>&lt</r>"}) {
        PushParser parser;
        parser.feed("<a>\n", false);
        CAPTURE(bad);
        CHECK_THROWS_AS(parser.feed(bad, true), Error);
        CHECK(parser.error_line() == 2);
    }
    PushParser doctype;
    CHECK_THROWS_WITH(doctype.feed("<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>", true),
                      Contains("DOCTYPE"));
}

TEST_CASE("push parser: a prefix that only a value uses keeps its meaning") {
    PushParser parser;
    parser.feed(
        "<a xmlns:t='urn:t' xmlns:u='urn:u' xmlns:v='urn:v'><r type='t:W3CDTF' "
        "ref='http://a.example/'><s type='u:x'/><s xmlns:v='urn:w' type='v:x'/></r>",
        true);
    CHECK(document_text(parser.open()->last) ==
          "<r xmlns:t=\"urn:t\" xmlns:u=\"urn:u\" type=\"t:W3CDTF\" ref=\"http://a.example/\">"
          "<s type=\"u:x\"/><s xmlns:v=\"urn:w\" type=\"v:x\"/></r>");
}

TEST_CASE("push parser: xml:lang is inherited, and line numbers exceed 65,535") {
    PushParser parser;
    parser.feed("<a xml:lang='cs'>" + std::string(70'000, '\n') + "<r>\n<t n='1'/></r>", true);
    const xmlNode* record = parser.open()->last;
    CHECK(line_of(record) >= 70'001);
    CHECK(line_of(record) <= 70'002);
    CHECK(language_of(record) == "cs");
    CHECK(attribute_of(record->last, "n") == "1");
    CHECK(attribute_of(record->last, "m") == "");
}

TEST_CASE("push parser: elements without a namespace can be given one") {
    PushParser parser;
    parser.feed("<r><f/></r>", true);
    CHECK(document_text(parser.root(), "urn:x") == "<r xmlns=\"urn:x\"><f/></r>");
    CHECK(document_text(parser.root()) == "<r><f/></r>");
}
