// SPDX-License-Identifier: MIT
// lib/xml/emit_*.cpp and lib/compiled_format.cpp: what is refused and why, the trial, the switch, the check in service.
// That what is compiled writes what libxslt writes is for t/fault/emission.t.
#include <catch2/catch.hpp>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "format.h"
#include "make_slice.h"
#include "xml/document.h"
#include "xml/emit_compiler.h"
#include "xml/emit_trial.h"

using namespace oai;
using namespace oai::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

const std::string kHead = "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>\n";

xml::Stylesheet sheet(const std::string& text) {
    xml::initialise();
    const auto path = std::filesystem::temp_directory_path() / ("oai-emit-" + std::to_string(getpid()) + ".xsl");
    std::ofstream(path) << text;
    xml::Stylesheet out = xml::Stylesheet::compile(path);
    std::filesystem::remove(path);
    return out;
}

xml::Stylesheet around(const std::string& content) {
    return sheet(kHead + "<xsl:template match='record'>\n<n:o xmlns:n='urn:n'>\n" + content +
                 "\n</n:o></xsl:template></xsl:stylesheet>");
}

std::string refusal(const xml::Stylesheet& stylesheet) { return xml::compile_emission(stylesheet, "urn:n").why_not; }
std::string refusal(const std::string& content) { return refusal(around(content)); }

Format format_of(xml::Stylesheet stylesheet, const std::vector<std::string>& required = {}) {
    auto compiled = std::make_unique<CompiledFormat>(stylesheet, "urn:n", required);
    return {.prefix = "p", .aliases = {}, .schema = "", .metadata_namespace = "urn:n", .root_namespace = "urn:n",
            .since = std::nullopt, .requires_columns = required, .stylesheet = std::move(stylesheet),
            .compiled = std::move(compiled)};
}

void copies(std::vector<xml::Operation>& operations, void (*spoil)(xml::Operation&)) {
    for (xml::Operation& o : operations) {
        if (o.kind == xml::Operation::Kind::copy) spoil(o);
        copies(o.body, spoil);
        for (xml::Operation::Branch& b : o.branches) copies(b.body, spoil);
    }
}

const std::string kTitle = "<xsl:value-of select='@title'/>";

}  // namespace

TEST_CASE("emission: what is outside of the subset is refused by line and construct") {
    CHECK(refusal(kTitle).empty());
    CHECK_THAT(refusal("<xsl:variable name='v' select='1'/>"), EndsWith(".xsl:4: xsl:variable here"));
    const std::vector<std::pair<std::string, std::string>> expressions = {
        {"substring(@a, 2)", "substring()"}, {"@a + 1", "+"},           {"x[2]", "["},          {"//x", "/"},
        {"a/b", "elements as a string"}, {"a/b/c", "/"},                        {"x | y", "|"},            {"@*", "*"},            {"@xml:lang", ":"},
        {"child::x", ":"},                   {"text()", "text()"},      {".", ". outside"},     {"..", ".. outside"},
        {"position()", "position() of"},     {"@a = 'x'", "a boolean"}, {"true()", "true()"},   {"concat('a')", "concat() with 1"},
        {"translate(@a, @b, '')", "translate() without literals"},                  {"1.5", "a number that is large"},    {"'a' = 1", "="},
        {"normalize-space()", "normalize-space() of the record"},                         {"$v", "$"},            {"@ž", "ž"}};
    for (const auto& [expression, construct] : expressions) {
        INFO(expression);
        // $v is an error to libxslt too, but only when it runs.
        CHECK_THAT(refusal("<xsl:value-of select=\"" + expression + "\"/>"), Contains(".xsl:4: " + construct));
    }
    for (const char* test : {"x = y", "@a = 5", "5", "'a'", "@a &lt; 'b'", "not(2)"}) {
        INFO(test);
        CHECK_FALSE(refusal(std::string("<xsl:if test=\"") + test + "\">x</xsl:if>").empty());
    }
    for (const char* content :
         {"<xsl:copy-of select='x'/>", "<xsl:for-each select='x'><xsl:sort/>y</xsl:for-each>",
          "<xsl:value-of select='@a' disable-output-escaping='no'/>", "<p xmlns=''/>", "<p a='1'><xsl:attribute name='a'/></p>",
          "<p>x<xsl:attribute name='a'/></p>", "<p xsl:use-attribute-sets='s'/>", "<xsl:element name='{@a}'/>",
          "<xsl:attribute name='a'><b/></xsl:attribute>", "<p a='{'/>", "<xsl:call-template name='t'/>",
          "<xsl:for-each select='x'><xsl:value-of select='@other'/></xsl:for-each>", "<xsl:for-each select='x[1]'/>",
          "<xsl:copy-of select='x/y/z'/>", "<xsl:copy-of select='x/*[1]'/>", "<xsl:copy-of select='x/*[y]'/>", "<xsl:copy-of select='@x'/>",
          "<xsl:for-each select='x'><xsl:copy-of select='y/*'/></xsl:for-each>", "<xsl:copy-of select='x/*'/><xsl:value-of select='x'/>",
          "<p a='{x/*}'/>", "<xsl:if test=\"x/* = 'a'\">y</xsl:if>", "<xsl:copy-of select='x/p:undeclared'/>", "<xsl:comment>c</xsl:comment>"}) {
        INFO(content);
        try {
            const xml::Stylesheet stylesheet = around(content);
            CHECK_FALSE(refusal(stylesheet).empty());
        } catch (const xml::Error&) {  // refused by libxslt already
        }
    }
}

TEST_CASE("emission: what stands around the template") {
    const std::string good = "<xsl:template match='record'><n:o xmlns:n='urn:n'/></xsl:template>";
    const auto why = [](const std::string& top) { return refusal(sheet(kHead + top + "</xsl:stylesheet>")); };
    CHECK(why(good).empty());
    CHECK(why("<xsl:output method='xml' encoding='UTF-8' indent='no'/><f:data xmlns:f='urn:f'/>" + good).empty());
    CHECK_THAT(why("<xsl:output indent='yes'/>" + good), Contains(":2: xsl:output indent=\"yes\""));
    for (const char* top : {"<xsl:output method='text'/>", "<xsl:output cdata-section-elements='a'/>", "<xsl:strip-space elements='*'/>",
                            "<xsl:variable name='v' select='1'/>", "<xsl:template match='x'/>", "<xsl:key name='k' match='x' use='.'/>",
                            "<xsl:namespace-alias stylesheet-prefix='xsl' result-prefix='xsl'/>"}) {
        INFO(top);
        CHECK_FALSE(why(top + good).empty());
    }
    CHECK_FALSE(why("<xsl:template match='/'><n:o xmlns:n='urn:n'/></xsl:template>").empty());
    CHECK_FALSE(why("<xsl:template match='record' mode='m'><n:o xmlns:n='urn:n'/></xsl:template>").empty());
    CHECK_FALSE(why("<xsl:template match='record'><o/></xsl:template>").empty());
    CHECK_FALSE(why("<xsl:template match='record'><xsl:if test='@a'><n:o xmlns:n='urn:n'/></xsl:if></xsl:template>").empty());
}

TEST_CASE("emission: the trial finds what differs, and what no record exercised") {
    const auto trial = [](const std::string& content, auto&& spoil) {
        const xml::Stylesheet stylesheet = around(content);
        xml::Compilation compiled = xml::compile_emission(stylesheet, "urn:n");
        REQUIRE(compiled.emission);
        spoil(*compiled.emission);
        return xml::try_emission(*compiled.emission, stylesheet);
    };
    const auto as_it_is = [](xml::Emission&) {};
    CHECK(trial(kTitle, as_it_is).empty());
    CHECK(trial("<xsl:if test=\"@a = 'rare value' and @b = 'other' and starts-with(@c, 'x:')\">y</xsl:if>", as_it_is).empty());
    CHECK_THAT(trial("<xsl:if test='string-length(@a) &gt;= 0'>always</xsl:if>", as_it_is), Contains(".xsl:4: "));
    CHECK_THAT(trial("<xsl:if test=\"@a = 'x'\"><xsl:if test=\"@a = 'y'\">never</xsl:if></xsl:if>", as_it_is),
               Contains("not exercised by any record"));
    CHECK_THAT(trial("fixed" + kTitle, [](xml::Emission& e) { e.operations[0].text += ' '; }), Contains("differs from libxslt"));
}

TEST_CASE("emission: the trial of what copies stored XML") {
    const auto trial = [](const xml::Stylesheet& stylesheet, auto&& spoil) {
        xml::Compilation compiled = xml::compile_emission(stylesheet, "urn:n");
        INFO(compiled.why_not);
        REQUIRE(compiled.emission);
        spoil(*compiled.emission);
        return xml::try_emission(*compiled.emission, stylesheet);
    };
    const auto as_it_is = [](xml::Emission&) {};
    CHECK(trial(around("<xsl:copy-of select='x/*'/>"), as_it_is).empty());
    const xml::Stylesheet chosen = around("<xsl:choose xmlns:p='urn:p'><xsl:when test='x/p:e[p:f = /records/@metadataNamespace]'>"
                                          "<xsl:copy-of select='x/p:e[p:f = /records/@metadataNamespace]'/></xsl:when>"
                                          "<xsl:otherwise><xsl:copy-of select='@a'/></xsl:otherwise></xsl:choose>");
    CHECK(trial(chosen, as_it_is).empty());
    CHECK_THAT(trial(chosen, [](xml::Emission& e) {
                   copies(e.operations, [](xml::Operation& o) { o.expression->of_metadata_namespace = false; });
               }), Contains("differs from libxslt"));
    CHECK_THAT(trial(around("<xsl:copy-of select='x/*'/>"), [](xml::Emission& e) {
                   copies(e.operations, [](xml::Operation& o) { o.scope.at(0).uri = "urn:o"; });
               }), Contains("differs from libxslt"));
    CHECK(trial(sheet(kHead + "<xsl:template match='record'><xsl:copy-of select='x/*'/></xsl:template></xsl:stylesheet>"), as_it_is).empty());
}

TEST_CASE("compiled: stored XML is the record's element, or libxslt's") {
    const std::string path = std::filesystem::temp_directory_path() / ("oai-emit-part-" + std::to_string(getpid()) + ".xsl");
    std::ofstream(path) << kHead << "<xsl:template name='made'><n:made xmlns:n='urn:n'><xsl:value-of select='@title'/></n:made>"
                        << "</xsl:template></xsl:stylesheet>";
    const Format format = format_of(sheet(
        kHead + "<xsl:import href='" + std::filesystem::path(path).filename().string() + "'/><xsl:template match='record'>\n<xsl:choose>"
        "<xsl:when test='x/*'><xsl:copy-of select='x/*'/></xsl:when>\n"
        "<xsl:otherwise><xsl:call-template name='made'/></xsl:otherwise></xsl:choose></xsl:template></xsl:stylesheet>"));
    std::filesystem::remove(path);
    INFO(way_of(format, true));
    CHECK_THAT(way_of(format, true), Contains("compiled, and by libxslt where it comes to ") && EndsWith(":4: xsl:call-template in place of a record's element"));
    const Slice slice = make_slice({{"title", pg::kText}, {"x", pg::kXml}},
                                   {{1, false, {"t", "<?xml version=\"1.0\"?><n:o xmlns:n=\"urn:n\" a=\"&quot;\"><n:p/>&lt;</n:o>"}},
                                    {2, false, {"t", std::nullopt}},
                                    {3, false, {"t", "<n:o xmlns:n='urn:n'><!-- c --></n:o>"}},
                                    {4, false, {"t", "<n:o xmlns:n=\"urn:n\"/><n:o xmlns:n=\"urn:n\"/>"}},
                                    {5, false, {"t", "<n:o xmlns:n=\"urn:other\"/>"}},
                                    {6, false, {"t", "<n:o/>"}},
                                    {7, true, {}}});
    for (const bool compiled : {true, false}) {
        const Dissemination out = disseminate(format, slice, "oai:e:", {.compiled = compiled, .check_every = 1});
        CHECK(out.of(0) == "<n:o xmlns:n=\"urn:n\" a=\"&quot;\"><n:p/>&lt;</n:o>");
        CHECK(out.of(1) == "<n:made xmlns:n=\"urn:n\">t</n:made>");
        CHECK(out.of(2) == "<n:o xmlns:n=\"urn:n\"><!-- c --></n:o>");
        CHECK(out.of(6).empty());
        REQUIRE(out.failures.size() == 3);
        CHECK_THAT(out.failures[0].why, Contains("a second element"));
        CHECK_THAT(out.failures[1].why, Contains("yields {urn:other}o"));
        CHECK_THAT(out.failures[2].why, Contains("amespace prefix n"));
        CHECK_FALSE(out.difference);
    }
    const Slice texts = make_slice({{"title", pg::kText}, {"x", pg::kTextArray}}, {{1, false, {"t", array(pg::kText, {"text"})}}});
    CHECK(disseminate(format, texts, "oai:e:").of(0) == "<n:made xmlns:n=\"urn:n\">t</n:made>");
}

TEST_CASE("compiled: the same as by libxslt, the switch, columns that it cannot read") {
    const Format format = format_of(around("<xsl:value-of select='@title'/><xsl:for-each select='s'>"
                                           "<n:s l='{@lang}'><xsl:value-of select='.'/></n:s></xsl:for-each>"));
    REQUIRE(format.compiled->why_not().empty());
    const std::vector<TestColumn> columns = {{"title", pg::kText}, {"s", pg::kTextArray}, {"s_lang", pg::kTextArray}, {"bad", pg::kTimestamptz}};
    const Cell infinity = int8(INT64_MAX);
    const Slice slice = make_slice(columns, {{1, false, {"a<\x01", array(pg::kText, {"x", "ž"}), array(pg::kText, {std::nullopt, "cs"})}},
                                             {2, true, {}}, {3, false, {}}, {4, false, {"unread", std::nullopt, std::nullopt, infinity}},
                                             {5, false, {"b", array(pg::kText, {"x"}), array(pg::kText, {"a", "b"})}}});
    for (const bool compiled : {true, false}) {
        const Dissemination out = disseminate(format, slice, "oai:e:", {.compiled = compiled, .check_every = 1});
        CHECK(out.of(0) == "<n:o xmlns:n=\"urn:n\">a&lt;\uFFFD<n:s l=\"\">x</n:s><n:s l=\"cs\">ž</n:s></n:o>");
        CHECK(out.of(1).empty());
        CHECK(out.of(2) == "<n:o xmlns:n=\"urn:n\"/>");
        CHECK(out.of(3) == "<n:o xmlns:n=\"urn:n\">unread</n:o>");
        REQUIRE(out.failures.size() == 1);
        CHECK(out.failures[0].index == 4);
        CHECK_FALSE(out.difference);
    }
    const Slice tree = make_slice({{"title", pg::kText}, {"s", pg::kXml}}, {{1, false, {"t", "<k>u</k>"}}});
    CHECK(disseminate(format, tree, "oai:e:").of(0) == "<n:o xmlns:n=\"urn:n\">t<n:s l=\"\">u</n:s></n:o>");
}

TEST_CASE("compiled: a required column") {
    const Format format = format_of(around(kTitle), {"s"});
    const Slice slice = make_slice({{"title", pg::kText}, {"s", pg::kTextArray}},
                                   {{1, false, {"t", array(pg::kText, {"x"})}}, {2, false, {"t", array(pg::kText, {std::nullopt})}}});
    for (const bool compiled : {true, false}) {
        const Dissemination out = disseminate(format, slice, "oai:e:", {.compiled = compiled});
        CHECK_FALSE(out.of(0).empty());
        REQUIRE(out.failures.size() == 1);
        CHECK(out.failures[0].why == "requires s");
    }
}

TEST_CASE("compiled: a difference in service is served as by libxslt and ends the compiled way") {
    const Format compiled_otherwise = format_of(around("<n:wrong/>"));
    Format format = format_of(around(kTitle));
    // As if the compiler had been wrong and the trial had not seen it.
    const_cast<std::unique_ptr<CompiledFormat>&>(format.compiled) =
        std::make_unique<CompiledFormat>(compiled_otherwise.stylesheet, "urn:n", std::vector<std::string>{"title"});
    const auto slice = [] {
        return make_slice({{"title", pg::kText}}, {{1, false, {"a"}}, {2, false, {"b"}}, {3, false, {"c"}}});
    };
    const CompiledOptions third{.compiled = true, .check_every = 5};
    const std::string wrong = "<n:o xmlns:n=\"urn:n\">\n<n:wrong/></n:o>";
    const auto has = [](const Dissemination& out, const char* text) { return out.of(2).find(text) != std::string_view::npos; };
    const Dissemination first = disseminate(format, slice(), "oai:e:", third);  // records 1 to 3 of 5
    CHECK(has(first, "wrong"));
    CHECK_FALSE(first.difference);
    const Dissemination second = disseminate(format, slice(), "oai:e:", third);  // the fifth is compared
    CHECK(has(second, "c"));
    REQUIRE(second.difference);
    CHECK(second.difference->index == 1);
    CHECK_THAT(second.difference->why, Contains("b</n:o> and not "));
    CHECK_FALSE(format.compiled->why_not().empty());
    CHECK(has(disseminate(format, slice(), "oai:e:", {.compiled = true, .check_every = 0}), "c"));
}
