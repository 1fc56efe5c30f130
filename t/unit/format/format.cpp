// SPDX-License-Identifier: MIT
#include "format/format.h"

#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "format/file.h"
#include "protocol/error.h"
#include "t/lib/made_up_records.h"
#include "t/unit/format/format_directory.h"
#include "t/unit/format/make_slice.h"
#include "xml/document.h"

using namespace oai;
using namespace oai::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;

using Catch::Matchers::EndsWith;

namespace {

struct Run {
    std::vector<std::string> pieces;
    std::vector<std::pair<int, std::string>> failures;
};

// Makes records with the given titles; "-" makes a deleted one, "" one without a title.
Run run(const std::string& body, const std::vector<std::string>& titles,
        const std::string& attributes = kGood) {
    Directory d;
    d.format("f.xsl", attributes, body);
    const FormatRegistry registry = d.read();
    std::vector<TestRow> rows;
    for (const std::string& t : titles) {
        rows.push_back(
            {static_cast<std::int64_t>(rows.size()) + 1, t == "-", {t.empty() ? Cell() : Cell(t)}});
    }
    const RenderedRecords out =
        disseminate(*registry.find("oai_dc"), make_batch({{"title", pg::kText}}, rows), kPrefix);
    Run result;
    for (std::size_t i = 0; i < titles.size(); ++i) {
        result.pieces.emplace_back(out.of(static_cast<int>(i)));
        if (!result.pieces.back().empty()) {
            CHECK(xml::root_namespace(xml::parse_memory(result.pieces.back(), "piece").get()) ==
                  "urn:n");
        }
    }
    for (const auto& f : out.failures) result.failures.emplace_back(f.index, f.why);
    return result;
}

const std::string kTag =
    "<n:o xmlns:n=\"urn:n\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
    " xsi:schemaLocation=\"urn:n http://x/s.xsd\"";
std::string o(const std::string& s) { return kTag + ">" + s + "</n:o>"; }

const std::string kHead =
    "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>\n";

transform::Stylesheet sheet(const std::string& text) {
    xml::initialise();
    const auto path = std::filesystem::temp_directory_path() /
                      ("oai-compiled-" + std::to_string(getpid()) + ".xsl");
    std::ofstream(path) << text;
    transform::Stylesheet out = transform::Stylesheet::compile(path);
    std::filesystem::remove(path);
    return out;
}

transform::Stylesheet around(const std::string& content) {
    return sheet(kHead + "<xsl:template match='record'>\n<n:o xmlns:n='urn:n'>\n" + content +
                 "\n</n:o></xsl:template></xsl:stylesheet>");
}

Format format_of(transform::Stylesheet stylesheet, const std::vector<std::string>& required = {}) {
    auto compiled = std::make_unique<CompiledFormat>(stylesheet, "urn:n", required);
    return {{.prefix = "p",
             .metadata_namespace = "urn:n",
             .root_namespace = "urn:n",
             .requires_columns = required,
             .unchanged = true},
            std::move(stylesheet),
            nullptr,
            std::move(compiled)};
}

const std::string kTitle = "<xsl:value-of select='@title'/>";

}  // namespace

TEST_CASE("format: the registry lists oai_dc first") {
    Directory d;
    d.format(
        "b.xsl",
        "prefix='b' alias='bb bbb' schema='http://x/b.xsd' namespace='urn:n' since='2026-01-02' "
        "requires='title creator' records='20' visible='no'",
        match(kTitle));
    d.format("z.xsl", kGood, match(kTitle));
    d.format("a.xsl", "prefix='a' schema='http://x/a.xsd' namespace='urn:n' since='' requires=''",
             match(kTitle));
    d.write("notes.txt", "not a format");
    const FormatRegistry r = d.read();
    REQUIRE(r.formats().size() == 3);
    CHECK(r.formats()[0]->prefix == "oai_dc");
    CHECK(r.formats()[1]->prefix == "a");
    CHECK_FALSE(r.formats()[1]->since);
    CHECK(r.formats()[1]->visible);
    const Format* b = r.find("bbb");
    REQUIRE(b != nullptr);
    CHECK(b == r.find("b"));
    CHECK(b->aliases == std::vector<std::string>{"bb", "bbb"});
    CHECK(b->since == Seconds(std::chrono::sys_days(std::chrono::year(2026) / 1 / 2)));
    CHECK(b->requires_columns == std::vector<std::string>{"title", "creator"});
    CHECK(b->records == 20);
    CHECK_FALSE(b->visible);
    CHECK(r.find("B") == nullptr);
    CHECK(r.find("") == nullptr);
}

TEST_CASE("format: all errors are reported at once, with file and line") {
    Directory d;
    d.format("1.xsl", kGood + " colour='red'", match(kTitle));
    d.format("2.xsl",
             "prefix='a b' schema='x' namespace='' root-namespace='rdf' since='2026-02-30' "
             "requires='a 1b' records='0' visible='1'",
             "");
    d.format("3.xsl", "", "");
    d.write("4.xsl",
            "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'/>");
    d.write("5.xsl", "<oops>");
    d.format("6.xsl", "prefix='x' schema='http://x/' namespace='urn:other'", match(kTitle));
    d.format("7.xsl", "prefix='y' schema='http://x/' namespace='urn:n'",
             match("<xsl:value-of select='('/>"));
    d.format("8.xsl", "prefix='w' schema='http://x/' namespace='urn:n'",
             match("<xsl:message terminate='yes'>fails</xsl:message>"));
    const std::string wrong = d.wrong();
    CHECK_THAT(wrong, Contains(d.at("1.xsl") + ":2: format: unknown attribute colour"));
    for (const char* name : {"prefix", "schema", "namespace", "root-namespace", "since", "requires",
                             "records", "visible"})
        CHECK_THAT(wrong, Contains(d.at("2.xsl") + ":2: format: " + name + "=\""));
    for (const char* name : {"prefix", "schema", "namespace"})
        CHECK_THAT(wrong, Contains(d.at("3.xsl") + ":2: format: " + name + " is missing"));
    CHECK_THAT(wrong, Contains(d.at("4.xsl") + ":1: no <format>"));
    CHECK_THAT(wrong, Contains(d.at("5.xsl") + ":1: "));
    CHECK_THAT(wrong, Contains(d.at("6.xsl") + ":2: yields {urn:n}o"));
    CHECK_THAT(wrong, Contains(d.at("7.xsl") + ":3: "));
    CHECK_THAT(wrong, Contains("fails"));
}

TEST_CASE("format: root-namespace allows a root element in another namespace than the format's") {
    const std::string known = "prefix='oai_dc' schema='http://x/s.xsd' namespace='urn:known'";
    Directory d;
    d.format("1.xsl", known, match(kTitle));
    CHECK_THAT(d.wrong(), Contains(d.at("1.xsl") +
                                   ":2: yields {urn:n}o, which is not in the namespace urn:known"));
    const Run r = run(match(kTitle), {"a"}, known + " root-namespace='urn:n'");
    CHECK(r.failures.empty());
    CHECK(r.pieces == std::vector<std::string>{o("a")});
    d.format("1.xsl", known + " root-namespace='urn:n'", match(kTitle));
    const FormatRegistry registry = d.read();
    CHECK(registry.find("oai_dc")->metadata_namespace == "urn:known");
    CHECK(registry.find("oai_dc")->root_namespace == "urn:n");
    d.format("1.xsl", known + " root-namespace='urn:other'", match(kTitle));
    CHECK_THAT(d.wrong(), Contains("not in the namespace urn:other"));
}

TEST_CASE("format: prefixes must be unique, and oai_dc must exist") {
    Directory d;
    CHECK_THAT(d.wrong(), Contains("oai_dc"));
    d.format("1.xsl", kGood, match(kTitle));
    CHECK(d.wrong().empty());
    d.format("2.xsl", "prefix='b' alias='oai_dc' schema='http://x/' namespace='urn:n'",
             match(kTitle));
    CHECK_THAT(d.wrong(), Contains("oai_dc is taken by " + d.at("1.xsl")));
    CHECK_THROWS_WITH(FormatRegistry::read(d.at("none")), StartsWith(d.at("none")));
}

TEST_CASE("disseminate: one result for each record, in order, each a complete document") {
    const Run r = run(match(kTitle), {"a", "-", "b&", ""});
    CHECK(r.failures.empty());
    CHECK(r.pieces == std::vector<std::string>{o("a"), "", o("b&amp;"), kTag + "/>"});
    CHECK(run(match(kTitle), {}).pieces.empty());
    CHECK(run(match(kTitle), {"-"}).failures.empty());
    CHECK(run("<xsl:strip-space elements='*'/>" +
                  match("\n" + kTitle + "<!-- c --><xsl:text>\n</xsl:text>"),
              {"a", "b"})
              .pieces == std::vector<std::string>{o("a"), o("b")});
}

TEST_CASE("disseminate: an element has the schemaLocation that it comes with, or gets one") {
    const std::string instance = " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";
    const auto element = [](const std::string& attributes) {
        return run(match("<n:o xmlns:n='urn:n'" + attributes + "/>"), {"a"}).pieces.at(0);
    };
    CHECK(element("") == kTag + "/>");
    const std::string own = instance + " xsi:schemaLocation=\"urn:m m.xsd\"";
    CHECK(element(own) == "<n:o xmlns:n=\"urn:n\"" + own + "/>");
    const std::string other =
        " xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\""
        " i:schemaLocation=\"urn:m m.xsd\"";
    CHECK(element(other) == "<n:o xmlns:n=\"urn:n\"" + other + "/>");
    CHECK(element(instance + " xsi:nil=\"true\" a=\"&gt;\"") ==
          "<n:o xmlns:n=\"urn:n\"" + instance +
              " xsi:nil=\"true\" a=\"&gt;\" xsi:schemaLocation=\"urn:n http://x/s.xsd\"/>");
    // The prefix means something else there.
    CHECK(element(" xmlns:xsi=\"urn:x\" xsi:a=\"\"") ==
          "<n:o xmlns:n=\"urn:n\" xmlns:xsi=\"urn:x\" xsi:a=\"\"/>");
}

TEST_CASE("disseminate: a failing record does not affect the others") {
    const Run r = run(match("<xsl:if test=\"@title='bad'\"><xsl:message terminate='yes'>no "
                            "good</xsl:message></xsl:if>" +
                            kTitle),
                      {"a", "bad", "-", "c"});
    CHECK(r.pieces == std::vector<std::string>{o("a"), "", "", o("c")});
    REQUIRE(r.failures.size() == 1);
    CHECK(r.failures[0].first == 1);
    CHECK_THAT(r.failures[0].second, Contains("no good"));
}

TEST_CASE("disseminate: a record that yields two elements or none does not shift the others") {
    const Run r = run(match("<xsl:if test=\"@title!='none'\">" + kTitle +
                            "</xsl:if><xsl:if test=\"@title='two'\">" + kTitle + "</xsl:if>"),
                      {"a", "two", "none", "d"});
    CHECK(r.pieces == std::vector<std::string>{o("a"), "", "", o("d")});
    REQUIRE(r.failures.size() == 2);
    CHECK_THAT(r.failures[0].second, Contains("second element"));
    CHECK_THAT(r.failures[1].second, Contains("no element"));
}

TEST_CASE(
    "disseminate: a wrong namespace, text outside of the element and endless recursion fail") {
    const auto fails = [](const std::string& extra) {
        const Run r =
            run(match("<xsl:choose><xsl:when test=\"@title='x'\">" + extra +
                      "</xsl:when><xsl:otherwise>" + kTitle + "</xsl:otherwise></xsl:choose>") +
                    "<xsl:template name='t'><xsl:call-template name='t'/></xsl:template>",
                {"a", "x", "b"});
        CHECK(r.pieces == std::vector<std::string>{o("a"), "", o("b")});
        REQUIRE(r.failures.size() == 1);
        return r.failures[0].second;
    };
    CHECK_THAT(fails("<o/>"), Contains("not in the namespace urn:n"));
    CHECK_THAT(fails("stray" + kTitle), Contains("text outside of the element: stray"));
    CHECK_FALSE(fails("<xsl:call-template name='t'/>").empty());
}

TEST_CASE("disseminate: stylesheets with templates above the record are applied record by record") {
    for (const std::string& body :
         std::vector<std::string>{"<xsl:template match='/'><xsl:apply-templates "
                                  "select='records/record'/></xsl:template>" +
                                      match(kTitle),
                                  "<xsl:template match='text()'/>" + match(kTitle),
                                  "<xsl:template match='/'><n:o xmlns:n='urn:n'><xsl:value-of "
                                  "select='records/record/@title'/></n:o></xsl:template>"}) {
        const Run r = run(body, {"a", "b"});
        CHECK(r.failures.empty());
        CHECK(r.pieces == std::vector<std::string>{o("a"), o("b")});
    }
}

TEST_CASE("disseminate: a record without a value in a required column fails") {
    const Run r = run(match(kTitle), {"", "a", "-", ""}, kGood + " requires='title'");
    CHECK(r.pieces == std::vector<std::string>{"", o("a"), "", ""});
    CHECK(r.failures ==
          std::vector<std::pair<int, std::string>>{{0, "requires title"}, {3, "requires title"}});
    CHECK(run(match(kTitle), {"a"}, kGood + " requires='nonesuch'").failures.size() == 1);
    CHECK(run(match(kTitle), {"a"}, kGood + " requires='title nonesuch'").failures ==
          std::vector<std::pair<int, std::string>>{{0, "requires nonesuch"}});
}

TEST_CASE("disseminate: an about stylesheet yields one element or none, never two") {
    Directory d;
    fs::create_directory(d.at("about"));
    d.format("oai_dc.xsl", kGood, match(kTitle));
    d.write(
        "about/a.xsl",
        "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform' "
        "xmlns:f='urn:oai-fcgi:format' exclude-result-prefixes='f'><f:about "
        "schema='http://x/a.xsd' "
        "namespace='urn:a'/><xsl:template match='record'><xsl:for-each select='title'><n:a xmlns:n="
        "'urn:a'><xsl:value-of select='.'/></n:a></xsl:for-each></xsl:template></xsl:stylesheet>");
    const FormatRegistry registry = d.read();
    const Format& about = *registry.abouts_of(*registry.find("oai_dc")).at(0);
    const auto titles = [](const std::vector<Cell>& all) {
        return std::vector<Cell>{array(pg::kText, all)};
    };
    std::vector<TestRow> rows = {
        {1, false, titles({})}, {2, false, titles({"b"})}, {3, false, titles({})}, {4, true, {}}};
    const auto pieces = [&] {
        const RenderedRecords out =
            disseminate(about, make_batch({{"title", pg::kTextArray}}, rows), kPrefix);
        std::vector<std::string> said;
        for (int i = 0; i < 4; ++i) said.emplace_back(out.of(i));
        for (const auto& failure : out.failures)
            said[static_cast<std::size_t>(failure.index)] = failure.why;
        return said;
    };
    const std::string b =
        "<n:a xmlns:n=\"urn:a\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
        "xsi:schemaLocation=\"urn:a http://x/a.xsd\">b</n:a>";
    CHECK(pieces() == std::vector<std::string>{"", b, "", ""});
    rows[0].values = titles({"x", "y"});
    CHECK(pieces() ==
          std::vector<std::string>{"a second element, a: metadata is one element", b, "", ""});
    rows = {{1, false, titles({})},
            {2, false, titles({})},
            {3, false, titles({})},
            {4, false, titles({"b"})}};
    CHECK(pieces() == std::vector<std::string>{"", "", "", b});
}

TEST_CASE("disseminate: an about stylesheet of what was kept yields any number of elements") {
    Directory d;
    fs::create_directory(d.at("about"));
    d.format("oai_dc.xsl", kGood, match(kTitle));
    const auto about = [&](const std::string& attributes) {
        d.write("about/a.xsl",
                "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform' "
                "xmlns:f='urn:oai-fcgi:format' exclude-result-prefixes='f'><f:about " +
                    attributes +
                    "/><xsl:template match='record'><xsl:copy-of select='k/abouts/*'/>"
                    "</xsl:template></xsl:stylesheet>");
    };
    about("requires='k'");
    CHECK_THROWS_WITH(d.read(), Contains("about: schema is missing"));
    about("requires='k' unchanged='yes'");
    const FormatRegistry registry = d.read();
    const Format& kept = *registry.abouts_of(*registry.find("oai_dc")).at(0);
    const RenderedRecords out = disseminate(
        kept,
        make_batch({{"k", pg::kXml}},
                   {{1, false, {"<abouts><b xmlns=\"urn:b\">1</b><a xmlns=\"urn:a\"/></abouts>"}},
                    {2, false, {std::nullopt}},
                    {3, false, {"<abouts><a xmlns=\"urn:a\"/></abouts>"}},
                    {4, false, {"<abouts><none/></abouts>"}}}),
        kPrefix);
    CHECK(out.of(0) == "<b xmlns=\"urn:b\">1</b></about><about><a xmlns=\"urn:a\"/>");
    CHECK(out.of(1).empty());
    CHECK(out.of(2) == "<a xmlns=\"urn:a\"/>");
    REQUIRE(out.failures.size() == 2);  // the second has no column k
    CHECK(out.failures[1].index == 3);
    CHECK(out.failures[1].why == "yields none, which has no namespace");
}

TEST_CASE("oai_dc: documents of the model webarchiv") {
    const FormatRegistry registry = FormatRegistry::read("xslt");
    const Format* format = registry.find("oai_dc");
    REQUIRE(format != nullptr);
    const auto of = [&](const std::vector<TestColumn>& columns, const TestRow& row) {
        const RenderedRecords out = disseminate(*format, make_batch(columns, {row}), kPrefix);
        REQUIRE(out.failures.empty());
        const std::string text(out.of(0));
        CHECK_THAT(text,
                   !Contains("/><dc:") && !Contains("></dc:") && StartsWith("<oai_dc:dc xmlns"));
        return text.substr(text.find('>') + 1);
    };
    CHECK(of(webarchiv_columns(), webarchiv_row(5)) ==
          "<dc:title>http://www.webarchiv.cz/clanky/5?a=1&amp;b=2</dc:title>"
          "<dc:identifier>http://www.webarchiv.cz/clanky/5?a=1&amp;b=2</dc:identifier>"
          "<dc:publisher>www.webarchiv.cz</dc:publisher><dc:date>2007-05-01T12:00:00Z</"
          "dc:date><dc:type>Text</dc:type>"
          "<dc:format>text/html</dc:format><dc:source>NEDLIB-20070501-00042.arc.gz#1000005</"
          "dc:source>"
          "<dc:relation>Kultura</dc:relation><dc:relation>Literární "
          "časopisy</dc:relation></oai_dc:dc>");
    CHECK(of({}, {5, false, {}}) ==
          "<dc:identifier>oai:example.org:doc/5</dc:identifier></oai_dc:dc>");
    for (const auto& [mimetype, type] : std::vector<std::pair<std::string, std::string>>{
             {"image/png", "Image"},
             {"video/mp4", "MovingImage"},
             {"audio/mpeg", "Sound"},
             {"text/plain", "Text"},
             {"application/pdf", "Text"},
             {"text/csv", "Dataset"},
             {"application/javascript", "Software"},
             {"application/x-shockwave-flash", "InteractiveResource"},
             {"application/zip", "Collection"}}) {
        CHECK_THAT(of(webarchiv_columns(), webarchiv_row(5, mimetype)),
                   Contains("<dc:type>" + type + "</dc:type>"));
    }
    CHECK_THAT(of(webarchiv_columns(), webarchiv_row(5, "application/octet-stream")),
               !Contains("dc:type"));
}

TEST_CASE(
    "compiled format: stored XML is copied as the record's element, or libxslt makes the record") {
    const std::string path = std::filesystem::temp_directory_path() /
                             ("oai-compiled-part-" + std::to_string(getpid()) + ".xsl");
    std::ofstream(path) << kHead
                        << "<xsl:template name='made'><n:made xmlns:n='urn:n'><xsl:value-of "
                           "select='@title'/></n:made>"
                        << "</xsl:template></xsl:stylesheet>";
    const Format format = format_of(
        sheet(kHead + "<xsl:import href='" + std::filesystem::path(path).filename().string() +
              "'/><xsl:template match='record'>\n<xsl:choose>"
              "<xsl:when test='x/*'><xsl:copy-of select='x/*'/></xsl:when>\n"
              "<xsl:otherwise><xsl:call-template "
              "name='made'/></xsl:otherwise></xsl:choose></xsl:template></xsl:stylesheet>"));
    std::filesystem::remove(path);
    INFO(way_of(format, true));
    CHECK_THAT(way_of(format, true),
               Contains("compiled, and by libxslt where it comes to ") &&
                   EndsWith(":4: xsl:call-template in place of a record's element"));
    const RecordBatch batch = make_batch(
        {{"title", pg::kText}, {"x", pg::kXml}},
        {{1,
          false,
          {"t", "<?xml version=\"1.0\"?><n:o xmlns:n=\"urn:n\" a=\"&quot;\"><n:p/>&lt;</n:o>"}},
         {2, false, {"t", std::nullopt}},
         {3, false, {"t", "<n:o xmlns:n='urn:n'><!-- c --></n:o>"}},
         {4, false, {"t", "<n:o xmlns:n=\"urn:n\"/><n:o xmlns:n=\"urn:n\"/>"}},
         {5, false, {"t", "<n:o xmlns:n=\"urn:other\"/>"}},
         {6, false, {"t", "<n:o/>"}},
         {7, true, {}}});
    for (const bool compiled : {true, false}) {
        const RenderedRecords out =
            disseminate(format, batch, "oai:e:", {.compiled = compiled, .check_every = 1});
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
    const RecordBatch texts = make_batch({{"title", pg::kText}, {"x", pg::kTextArray}},
                                         {{1, false, {"t", array(pg::kText, {"text"})}}});
    CHECK(disseminate(format, texts, "oai:e:").of(0) == "<n:made xmlns:n=\"urn:n\">t</n:made>");
}

TEST_CASE(
    "compiled format: equals libxslt, can be switched off, and leaves columns that it cannot read "
    "to libxslt") {
    const Format format =
        format_of(around("<xsl:value-of select='@title'/><xsl:for-each select='s'>"
                         "<n:s l='{@lang}'><xsl:value-of select='.'/></n:s></xsl:for-each>"));
    REQUIRE(format.compiled->why_not().empty());
    const std::vector<TestColumn> columns = {{"title", pg::kText},
                                             {"s", pg::kTextArray},
                                             {"s_lang", pg::kTextArray},
                                             {"bad", pg::kTimestamptz}};
    const Cell infinity = int8(INT64_MAX);
    const RecordBatch batch = make_batch(
        columns,
        {{1,
          false,
          {"a<\x01", array(pg::kText, {"x", "ž"}), array(pg::kText, {std::nullopt, "cs"})}},
         {2, true, {}},
         {3, false, {}},
         {4, false, {"unread", std::nullopt, std::nullopt, infinity}},
         {5, false, {"b", array(pg::kText, {"x"}), array(pg::kText, {"a", "b"})}}});
    for (const bool compiled : {true, false}) {
        const RenderedRecords out =
            disseminate(format, batch, "oai:e:", {.compiled = compiled, .check_every = 1});
        CHECK(out.of(0) ==
              "<n:o xmlns:n=\"urn:n\">a&lt;\uFFFD<n:s l=\"\">x</n:s><n:s l=\"cs\">ž</n:s></n:o>");
        CHECK(out.of(1).empty());
        CHECK(out.of(2) == "<n:o xmlns:n=\"urn:n\"/>");
        CHECK(out.of(3) == "<n:o xmlns:n=\"urn:n\">unread</n:o>");
        REQUIRE(out.failures.size() == 1);
        CHECK(out.failures[0].index == 4);
        CHECK_FALSE(out.difference);
    }
    const RecordBatch tree =
        make_batch({{"title", pg::kText}, {"s", pg::kXml}}, {{1, false, {"t", "<k>u</k>"}}});
    CHECK(disseminate(format, tree, "oai:e:").of(0) ==
          "<n:o xmlns:n=\"urn:n\">t<n:s l=\"\">u</n:s></n:o>");
}

TEST_CASE("compiled format: a record made of an element of stored XML, of which there is one") {
    const Format format = format_of(
        sheet(kHead +
              "<xsl:template match='record'><xsl:for-each select='x/m:r' xmlns:m='urn:m'>"
              "<n:o xmlns:n='urn:n'><xsl:for-each select=\"m:f[@t = 245]/m:s[@c != 'b']\">"
              "<n:s c='{@c}'><xsl:value-of select='.'/></n:s></xsl:for-each>"
              "<xsl:copy-of select='m:k'/></n:o></xsl:for-each></xsl:template></xsl:stylesheet>"));
    INFO(way_of(format, true));
    CHECK(way_of(format, true) == "compiled");
    const std::string element =
        "<m:f t=\"245\"><m:s c=\"a\">x &amp;\n</m:s><m:s c=\"b\"/><m:s c=\"c\"/></m:f><m:k/>";
    const std::string one = "<m:r xmlns:m=\"urn:m\">" + element + "</m:r>";
    const RecordBatch batch =
        make_batch({{"x", pg::kXml}}, {{1, false, {one}},
                                       {2, false, {one + one}},
                                       {3, false, {"<m:q xmlns:m=\"urn:m\"/>"}},
                                       {4, false, {std::nullopt}},
                                       {5, false, {"<!-- c -->" + one}}});
    for (const bool compiled : {true, false}) {
        const RenderedRecords out =
            disseminate(format, batch, "oai:e:", {.compiled = compiled, .check_every = 1});
        const std::string made =
            "<n:o xmlns:n=\"urn:n\"><n:s c=\"a\">x &amp;\n</n:s><n:s c=\"c\"/>"
            "<m:k xmlns:m=\"urn:m\"/></n:o>";
        CHECK(out.of(0) == made);
        CHECK(out.of(4) == made);
        REQUIRE(out.failures.size() == 3);
        CHECK_THAT(out.failures[0].why, Contains("a second element"));
        CHECK_THAT(out.failures[1].why, Contains("yields no element"));
        CHECK(out.failures[2].index == 3);
        CHECK_FALSE(out.difference);
    }
}

TEST_CASE("compiled format: a required column") {
    const Format format = format_of(around(kTitle), {"s"});
    const RecordBatch batch = make_batch({{"title", pg::kText}, {"s", pg::kTextArray}},
                                         {{1, false, {"t", array(pg::kText, {"x"})}},
                                          {2, false, {"t", array(pg::kText, {std::nullopt})}}});
    for (const bool compiled : {true, false}) {
        const RenderedRecords out = disseminate(format, batch, "oai:e:", {.compiled = compiled});
        CHECK_FALSE(out.of(0).empty());
        REQUIRE(out.failures.size() == 1);
        CHECK(out.failures[0].why == "requires s");
    }
}

namespace {

// Gives the format the program of another stylesheet, as if the compiler had made an error.
Format with_program_of(const std::string& content, const std::string& compiled_content) {
    const Format otherwise = format_of(around(compiled_content));
    Format format = format_of(around(content));
    const_cast<std::unique_ptr<CompiledFormat>&>(format.compiled) =
        std::make_unique<CompiledFormat>(otherwise.stylesheet, "urn:n",
                                         std::vector<std::string>{"title"});
    return format;
}

RecordBatch titles(const std::string& a, const std::string& b, const std::string& c) {
    return make_batch({{"title", pg::kText}}, {{1, false, {a}}, {2, false, {b}}, {3, false, {c}}});
}

}  // namespace

TEST_CASE(
    "compiled format: after a difference from libxslt in service, libxslt's result is used from "
    "then on") {
    const Format format =
        with_program_of("<xsl:value-of select='normalize-space(@title)'/>", kTitle);
    const CompiledOptions every_fifth{.compiled = true, .check_every = 5};
    const auto element = [](const std::string& text) {
        return "<n:o xmlns:n=\"urn:n\">" + text + "</n:o>";
    };
    const RenderedRecords first =
        disseminate(format, titles("a", "b", "c "), "oai:e:", every_fifth);
    CHECK(first.of(2) == element("c "));  // the third
    CHECK_FALSE(first.difference);
    const RenderedRecords second =
        disseminate(format, titles("a ", "b ", "c "), "oai:e:", every_fifth);
    CHECK(second.of(0) == element("a"));
    REQUIRE(second.difference);
    CHECK(second.difference->index == 1);  // the fifth
    CHECK_THAT(second.difference->why, Contains("b</n:o> and not "));
    CHECK_FALSE(format.compiled->why_not().empty());
    CHECK(disseminate(format, titles("a ", "", ""), "oai:e:", {.compiled = true, .check_every = 0})
              .of(0) == element("a"));
}

TEST_CASE(
    "compiled format: a record that executes an instruction for the first time is compared with "
    "libxslt") {
    const CompiledOptions seldom{.compiled = true, .check_every = 1'000'000};
    const Format format = with_program_of("<xsl:if test=\"@title = 'c'\">x</xsl:if>",
                                          "<xsl:if test=\"@title = 'c'\">y</xsl:if>");
    CHECK_FALSE(disseminate(format, titles("a", "b", "d"), "oai:e:", seldom).difference);
    CHECK_FALSE(
        disseminate(format, titles("c", "c", "c"), "oai:e:", {.compiled = true, .check_every = 0})
            .difference);
    const RenderedRecords out = disseminate(format, titles("a", "c", "b"), "oai:e:", seldom);
    REQUIRE(out.difference);
    CHECK(out.difference->index == 1);
    CHECK(out.of(1).find('x') != std::string_view::npos);

    // A record that falls back to libxslt is not compared.
    const std::string rest = "<xsl:if test=\"@title = 'c'\"><xsl:comment/></xsl:if>";
    const Format left = with_program_of("x" + rest, "y" + rest);
    CHECK_FALSE(disseminate(left, titles("c", "c", "c"), "oai:e:", seldom).difference);
    CHECK(disseminate(left, titles("c", "c", "a"), "oai:e:", seldom).difference);
}

TEST_CASE("compiled format: all shipped formats are compiled, and give the same as libxslt") {
    xml::initialise();
    std::vector<std::string> by_libxslt;
    for (const std::string directory : {"xslt", "xslt/library"}) {
        for (const std::string& path : format_files_of(directory)) {
            const auto format = read_format_file(path);
            const transform::Program* program = format->compiled->program();
            INFO(path << ": " << way_of(*format, true));
            if (program == nullptr)
                by_libxslt.push_back(path);
            else
                CHECK(try_program(*program, format->stylesheet) == "");
        }
    }
    CHECK(by_libxslt.empty());
}

namespace {

RecordBatch titled(const std::vector<std::string>& titles) {
    std::vector<TestRow> rows;
    for (const std::string& title : titles)
        rows.push_back({static_cast<std::int64_t>(rows.size()) + 1, false, {Cell(title)}});
    return make_batch({{"title", pg::kText}}, rows);
}

}  // namespace

TEST_CASE("compiled format: a stylesheet that looks beyond its record gets one at a time") {
    const Format format = format_of(around("<xsl:value-of select='count(//record)'/>"));
    CHECK_THAT(format.compiled->why_alone(), EndsWith(".xsl:4: //record"));
    CHECK_THAT(way_of(format, true), Contains("by libxslt, one record at a time for "));
    const RecordBatch batch = titled({"a", "b", "c"});
    const RenderedRecords out = disseminate(format, batch, "oai:e:");
    for (const int i : {0, 1, 2}) CHECK(out.of(i) == "<n:o xmlns:n=\"urn:n\">1</n:o>");
    CHECK_FALSE(out.depends);
}

TEST_CASE("compiled format: a record that comes out otherwise among others is noticed") {
    // A place among siblings, in a pattern that the words of its expression do not give away.
    const Format format = format_of(sheet(
        kHead +
        "<xsl:template match='record'><n:o xmlns:n='urn:n'/></xsl:template>"
        "<xsl:template match='*[position() = 2]' priority='2'><n:o xmlns:n='urn:n' second='yes'/>"
        "</xsl:template></xsl:stylesheet>"));
    CHECK_FALSE(format.compiled->runs_alone());
    const RenderedRecords out =
        disseminate(format, titled({"a", "b"}), "oai:e:", {.check_every = 1});
    CHECK(out.depends);
    for (const int i : {0, 1}) CHECK(out.of(i) == "<n:o xmlns:n=\"urn:n\"/>");
    CHECK(format.compiled->why_alone() == "a record came out otherwise among others");
    CHECK(disseminate(format, titled({"a", "b"}), "oai:e:").of(1) == "<n:o xmlns:n=\"urn:n\"/>");
}
