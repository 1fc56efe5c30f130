// SPDX-License-Identifier: MIT
#include "xml/document.h"

#include <libxml/catalog.h>

#include <cstdio>

#include "t/lib/unit_headers.h"

using namespace oai::xml;

static void count_message(void* number, const char*, ...) { ++*static_cast<int*>(number); }

TEST_CASE("document: name and namespace of the root element") {
    initialise();  // a second call does no harm
    const auto d = parse_memory("<?xml version='1.0'?><!-- c --><a:b xmlns:a='urn:x'/>", "x");
    CHECK(root_name(d.get()) == "b");
    CHECK(root_namespace(d.get()) == "urn:x");
    CHECK(root_namespace(parse_memory("<b/>", "x").get()).empty());
}

TEST_CASE("document: a catalog that a document names is not even remembered") {
    int messages = 0;
    const xmlGenericErrorFunc before = xmlGenericError;
    xmlSetGenericErrorFunc(&messages, count_message);
    xmlCatalogSetDebug(1);
    parse_memory("<?oasis-xml-catalog catalog='file:///c.xml'?><a/>", "x");
    xmlSetGenericErrorFunc(nullptr, before);
    CHECK(xmlCatalogSetDebug(0) == 1);
    CHECK(messages == 0);
}

TEST_CASE("document: an error has the document's name and the line") {
    CHECK_THROWS_WITH(parse_memory("<a>\n<b></a>", "f.xml"),
                      StartsWith("f.xml:2: ") && Contains("mismatch"));
    CHECK_THROWS_WITH(parse_memory("", "f.xml"), StartsWith("f.xml:1: "));
    CHECK_THROWS_WITH(parse_memory("<a><p:b/></a>", "f.xml"),
                      StartsWith("f.xml:1: ") && Contains("prefix p"));
    CHECK_THROWS_AS(parse_memory("<a>\x80</a>", "f.xml"), Error);
    CHECK_THROWS_AS(parse_memory("<a>&nbsp;</a>", "f.xml"), Error);
    CHECK_THROWS_WITH(parse_file("/nonexistent/f.xml"), StartsWith("/nonexistent/f.xml: "));
    CHECK_THROWS_AS(parse_file("/"), Error);
}

TEST_CASE("document: a DOCTYPE is refused before its declarations are read") {
    const std::string secret = fs::temp_directory_path() / "oai-document-secret";
    std::ofstream(secret) << "secret";
    for (const std::string& subset :
         {"SYSTEM '" + secret + "'", "[<!ENTITY e SYSTEM 'file://" + secret + "'>]",
          std::string("[<!ENTITY a '0123456789'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]"),
          std::string()}) {
        CHECK_THROWS_WITH(
            parse_memory("<?xml version='1.0'?>\n<!DOCTYPE r " + subset + "><r/>", "f.xml"),
            "f.xml:2: a DOCTYPE is not allowed");
    }
    std::remove(secret.c_str());
}

TEST_CASE("document: depth is bounded") {
    std::string deep;
    for (int i = 0; i < 1000; ++i) deep += "<a>";
    CHECK_THROWS_WITH(parse_memory(deep, "f.xml"), Contains("depth"));
}
