// SPDX-License-Identifier: MIT
#include "xml/schema.h"

#include "t/lib/temporary_directory.h"
#include "t/lib/unit_headers.h"
#include "xml/document.h"

using namespace oai::xml;

namespace {

using Folder = TemporaryDirectory;

std::string schema(const std::string& target, const std::string& content) {
    return "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' targetNamespace='" + target +
           "' xmlns:t='" + target + "' xmlns:p='urn:part' elementFormDefault='qualified'>" +
           content + "</xs:schema>";
}
const std::string kElement = "<xs:element name='o' type='xs:date'/>";

std::string why(const Schema* found, const std::string& document) {
    REQUIRE(found != nullptr);
    return found->why_invalid(parse_memory(document, "document").get());
}

constexpr const char* kGrammar =
    R"(<element name="a" xmlns="http://relaxng.org/ns/structure/1.0"
  datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes"><oneOrMore><element name="b">
  <attribute name="n"><data type="integer"/></attribute><text/></element></oneOrMore></element>)";

std::string judge(const xml::Grammar& grammar, const char* document) {
    return grammar.why_invalid(xml::parse_memory(document, "test").get());
}

}  // namespace

TEST_CASE("schema: found by its target namespace, and among several by its name") {
    const Folder f;
    f.write("a.xsd", schema("urn:a", kElement));
    f.write("b1.xsd", schema("urn:b", kElement));
    f.write("b2.xsd", schema("urn:b", "<xs:element name='other'/>"));
    f.write("broken.xsd", "<half");
    f.write(".hidden.xsd", schema("urn:h", kElement));
    SchemaFolder folder(f.path);
    CHECK(folder.find("urn:c", "http://x/c.xsd") == nullptr);
    CHECK(folder.find("urn:h", "") == nullptr);
    const Schema* a = folder.find("urn:a", "http://x/other-name.xsd");
    CHECK(why(a, "<o xmlns='urn:a'>2026-01-31</o>").empty());
    CHECK_THAT(why(a, "<o xmlns='urn:a'>today</o>"), Contains("'today' is not a valid value"));
    CHECK_FALSE(why(a, "<o xmlns='urn:b'>2026-01-31</o>").empty());
    CHECK(folder.find("urn:a", "") == a);
    CHECK(why(folder.find("urn:b", "http://x/y/b2.xsd"), "<other xmlns='urn:b'/>").empty());
    CHECK(why(folder.find("urn:b", "http://x/y/none.xsd"), "<o xmlns='urn:b'>2026-01-31</o>")
              .empty());
    REQUIRE(folder.problems().size() == 1);
    CHECK_THAT(folder.problems()[0], Contains("broken.xsd:1: "));
    SchemaFolder none(f.at("nowhere"));
    CHECK(none.find("urn:a", "") == nullptr);
    CHECK(none.problems().empty());
}

TEST_CASE("schema: imports and includes are read from the directory") {
    const Folder f;
    f.write("a.xsd",
            schema("urn:a",
                   "<xs:import namespace='urn:part' "
                   "schemaLocation='http://nowhere.invalid/x/part.xsd'/><xs:include "
                   "schemaLocation='include/more.xsd'/><xs:element "
                   "name='o'><xs:complexType><xs:sequence><xs:element ref='p:o'/><xs:element "
                   "ref='t:more'/></xs:sequence></xs:complexType></xs:element>"));
    f.write("part.xsd", schema("urn:part", kElement));
    f.write("include/more.xsd", schema("urn:a", "<xs:include schemaLocation='still.xsd'/>"));
    f.write("include/still.xsd", schema("urn:a", "<xs:element name='more' type='xs:int'/>"));
    SchemaFolder folder(f.path);
    const Schema* a = folder.find("urn:a", "");
    CHECK(why(a, "<o xmlns='urn:a'><o xmlns='urn:part'>2026-01-31</o><more>1</more></o>").empty());
    CHECK_THAT(why(a, "<o xmlns='urn:a'><o xmlns='urn:part'>2026-01-31</o><more>x</more></o>"),
               Contains("more"));
}

TEST_CASE("schema: nothing outside the directory is read") {
    const Folder f;
    f.write("outside.xsd", schema("urn:part", kElement));
    f.write("folder/a.xsd",
            schema("urn:a",
                   "<xs:import namespace='urn:part' schemaLocation='../outside.xsd'/><xs:element "
                   "name='o' type='p:none'/>"));
    f.write("folder/odd.xsd", schema("urn:odd", "<xs:element/>"));
    SchemaFolder folder(f.at("folder"));
    CHECK_THROWS_WITH(folder.find("urn:a", ""), Contains("a.xsd:1: "));
    CHECK_THROWS_WITH(folder.find("urn:odd", ""), Contains("odd.xsd:1: "));
    CHECK_FALSE(SchemaFolder::find_local_file(f.at("outside.xsd").c_str()));
    CHECK_THROWS_AS(parse_memory("<!DOCTYPE a SYSTEM 'outside.xsd'><a/>", "x"), Error);
}

TEST_CASE("grammar: a document is valid, or invalid with the line of the error") {
    const xml::Grammar grammar(kGrammar, "test");
    CHECK(judge(grammar, "<a><b n='1'/></a>").empty());
    CHECK_THAT(judge(grammar, "<a>\n<b n='1'/>\n<c/>\n</a>"), StartsWith("line 3: "));
    CHECK_THAT(judge(grammar, "<a>\n<b/></a>"), StartsWith("line 2: "));
    CHECK_THAT(judge(grammar, "<a/>"), StartsWith("line 1: "));
    CHECK(judge(grammar, "<a><b n='1'/><b n='2'>text</b></a>")
              .empty());  // a valid document still passes after invalid ones
}

TEST_CASE("grammar: threads that compile a program's first ones find all data types") {
    std::vector<std::future<xml::Grammar>> compiled;
    for (int i = 0; i < 8; ++i)
        compiled.push_back(
            std::async(std::launch::async, [] { return xml::Grammar(kGrammar, "test"); }));
    for (auto& grammar : compiled) CHECK_NOTHROW(grammar.get());
}

TEST_CASE("grammar: a text that is no grammar is refused with its name") {
    CHECK_THROWS_WITH(xml::Grammar("<element xmlns='http://relaxng.org/ns/structure/1.0'/>", "odd"),
                      StartsWith("odd:1: "));
    CHECK_THROWS_WITH(xml::Grammar("<element", "odd"), StartsWith("odd:"));
}
