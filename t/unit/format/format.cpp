// SPDX-License-Identifier: MIT
#include "format/format.h"

#include <stdlib.h>

#include "format/since.h"
#include "format/trial.h"
#include "protocol/error.h"
#include "protocol/record.h"
#include "t/lib/rows.h"
#include "t/unit/format/format_directory.h"
#include "t/unit/format/make_slice.h"
#include "xml/document.h"

namespace {

std::string stylesheet(const std::string& description) {
    return "<?xml version='1.0'?>\n<!-- <f:format prefix='x'/> -->\r\n<xsl:stylesheet "
           "version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform' "
           "xmlns:f='urn:oai-fcgi:format'>\n" +
           description + "\n</xsl:stylesheet>\n";
}

const Seconds kMoment = parse_datestamp("2026-02-03T04:05:06Z")->first;

struct Run {
    Strings pieces;
    std::vector<std::pair<int, std::string>> failures;
};

// Makes records with the given titles; "-" makes a deleted one, "" one without a title.
Run run(const std::string& body, const Strings& titles, const std::string& attributes = kGood) {
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
    "<n:o xmlns:n=\"urn:n\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
    "xsi:schemaLocation=\"urn:n http://x/s.xsd\"";
std::string o(const std::string& s) { return kTag + ">" + s + "</n:o>"; }

}  // namespace

TEST_CASE("format: the registry lists oai_dc first") {
    Directory d;
    d.format("b.xsl",
             "prefix='b' alias='bb bbb' schema='http://x/b.xsd' namespace='urn:n' "
             "since='2026-01-02' requires='title creator' records='20' visible='no'",
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
    CHECK(b->aliases == Strings{"bb", "bbb"});
    CHECK(b->since == Seconds(std::chrono::sys_days(std::chrono::year(2026) / 1 / 2)));
    CHECK(b->requires_columns == Strings{"title", "creator"});
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
    CHECK(r.pieces == Strings{o("a")});
    d.format("1.xsl", known + " root-namespace='urn:n'", match(kTitle));
    const FormatRegistry registry = d.read();
    CHECK(registry.find("oai_dc")->metadata_namespace == "urn:known");
    CHECK(registry.find("oai_dc")->root_namespace == "urn:n");
    d.format("1.xsl", known + " root-namespace='urn:other'", match(kTitle));
    CHECK_THAT(d.wrong(), Contains("not in the namespace urn:other"));
}

TEST_CASE("schema_url: a schema beside the stylesheet has the repository's address") {
    FormatDescription format;
    format.schema = "http://x/a.xsd";
    CHECK(schema_url(format, "http://b/oai") == "http://x/a.xsd");
    format.schema = "schema/a.xsd";
    CHECK(schema_url(format, "http://b/oai") == "http://b/oai/-/schema/a.xsd");
    for (const char* bad : {"schema/../a.xsd", "schema/a/b.xsd", "schema/a.xsl", "a.xsd"}) {
        Directory d;
        d.format("1.xsl", "prefix='oai_dc' namespace='urn:n' schema='" + std::string(bad) + "'",
                 match(kTitle));
        CHECK_THAT(d.wrong(), Contains("or schema/NAME.xsd beside this file"));
    }
}

TEST_CASE("format: prefixes must be unique, and oai_dc must exist") {
    Directory d;
    CHECK_THAT(d.wrong(), Contains("oai_dc"));
    d.format("1.xsl", kGood, match(kTitle));
    CHECK(d.wrong().empty());
    d.format("2.xsl", "prefix='b' alias='oai_dc' schema='http://x/' namespace='urn:n'",
             match(kTitle));
    CHECK_THAT(d.wrong(), Contains("oai_dc is taken by " + d.at("1.xsl")));
    CHECK_THROWS_WITH(read_formats(d.at("none")), StartsWith(d.at("none")));
}

TEST_CASE("disseminate: one result for each record, in order, each a complete document") {
    const Run r = run(match(kTitle), {"a", "-", "b&", ""});
    CHECK(r.failures.empty());
    CHECK(r.pieces == Strings{o("a"), "", o("b&amp;"), kTag + "/>"});
    CHECK(run(match(kTitle), {}).pieces.empty());
    CHECK(run(match(kTitle), {"-"}).failures.empty());
    CHECK(run("<xsl:strip-space elements='*'/>" +
                  match("\n" + kTitle + "<!-- c --><xsl:text>\n</xsl:text>"),
              {"a", "b"})
              .pieces == Strings{o("a"), o("b")});
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
        " xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\" i:schemaLocation=\"urn:m m.xsd\"";
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
    CHECK(r.pieces == Strings{o("a"), "", "", o("c")});
    REQUIRE(r.failures.size() == 1);
    CHECK(r.failures[0].first == 1);
    CHECK_THAT(r.failures[0].second, Contains("no good"));
}

TEST_CASE("disseminate: a record that yields two elements or none does not shift the others") {
    const Run r = run(match("<xsl:if test=\"@title!='none'\">" + kTitle +
                            "</xsl:if><xsl:if test=\"@title='two'\">" + kTitle + "</xsl:if>"),
                      {"a", "two", "none", "d"});
    CHECK(r.pieces == Strings{o("a"), "", "", o("d")});
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
        CHECK(r.pieces == Strings{o("a"), "", o("b")});
        REQUIRE(r.failures.size() == 1);
        return r.failures[0].second;
    };
    CHECK_THAT(fails("<o/>"), Contains("not in the namespace urn:n"));
    CHECK_THAT(fails("stray" + kTitle), Contains("text outside of the element: stray"));
    CHECK_FALSE(fails("<xsl:call-template name='t'/>").empty());
}

TEST_CASE("disseminate: stylesheets with templates above the record are applied record by record") {
    for (const std::string& body :
         Strings{"<xsl:template match='/'><xsl:apply-templates "
                 "select='records/record'/></xsl:template>" +
                     match(kTitle),
                 "<xsl:template match='text()'/>" + match(kTitle),
                 "<xsl:template match='/'><n:o xmlns:n='urn:n'><xsl:value-of "
                 "select='records/record/@title'/></n:o></xsl:template>"}) {
        const Run r = run(body, {"a", "b"});
        CHECK(r.failures.empty());
        CHECK(r.pieces == Strings{o("a"), o("b")});
    }
}

TEST_CASE("disseminate: a record without a value in a required column fails") {
    const Run r = run(match(kTitle), {"", "a", "-", ""}, kGood + " requires='title'");
    CHECK(r.pieces == Strings{"", o("a"), "", ""});
    CHECK(r.failures ==
          std::vector<std::pair<int, std::string>>{{0, "requires title"}, {3, "requires title"}});
    CHECK(run(match(kTitle), {"a"}, kGood + " requires='nonesuch'").failures.size() == 1);
    CHECK(run(match(kTitle), {"a"}, kGood + " requires='title nonesuch'").failures ==
          std::vector<std::pair<int, std::string>>{{0, "requires nonesuch"}});
}

TEST_CASE("disseminate: an about stylesheet yields one element or none, never two") {
    Directory d;
    d.format("oai_dc.xsl", kGood, match(kTitle));
    d.write("about/a.xsl", described("about schema='http://x/a.xsd' namespace='urn:a'",
                                     "<xsl:for-each select='title'><n:a xmlns:n='urn:a'>"
                                     "<xsl:value-of select='.'/></n:a></xsl:for-each>"));
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
        Strings said;
        for (int i = 0; i < 4; ++i) said.emplace_back(out.of(i));
        for (const auto& failure : out.failures)
            said[static_cast<std::size_t>(failure.index)] = failure.why;
        return said;
    };
    const std::string b =
        "<n:a xmlns:n=\"urn:a\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
        "xsi:schemaLocation=\"urn:a http://x/a.xsd\">b</n:a>";
    CHECK(pieces() == Strings{"", b, "", ""});
    rows[0].values = titles({"x", "y"});
    CHECK(pieces() == Strings{"a second element, a: metadata is one element", b, "", ""});
    rows = {{1, false, titles({})},
            {2, false, titles({})},
            {3, false, titles({})},
            {4, false, titles({"b"})}};
    CHECK(pieces() == Strings{"", "", "", b});
}

TEST_CASE("disseminate: an about stylesheet of stored elements makes any number of them") {
    Directory d;
    d.format("oai_dc.xsl", kGood, match(kTitle));
    const auto about = [&](const std::string& attributes) {
        d.write("about/a.xsl",
                described("about " + attributes, "<xsl:copy-of select='k/abouts/*'/>"));
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
    const FormatRegistry registry = read_formats("xslt");
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
    CHECK(
        of(webarchiv_columns(), webarchiv_row(5)) ==
        "<dc:title>http://www.webarchiv.cz/clanky/5?a=1&amp;b=2</dc:title><dc:identifier>http://"
        "www.webarchiv.cz/clanky/5?a=1&amp;b=2</dc:identifier><dc:publisher>www.webarchiv.cz</"
        "dc:publisher><dc:date>2007-05-01T12:00:00Z</dc:date><dc:type>Text</"
        "dc:type><dc:format>text/html</dc:format><dc:source>NEDLIB-20070501-00042.arc.gz#1000005</"
        "dc:source><dc:relation>Kultura</dc:relation><dc:relation>Literární "
        "časopisy</dc:relation></oai_dc:dc>");
    CHECK(of({}, {5, false, {}}) ==
          "<dc:identifier>oai:example.org:doc/5</dc:identifier></oai_dc:dc>");
    for (const auto& [mimetype, type] :
         rows("image/png > Image | video/mp4 > MovingImage | audio/mpeg > Sound | "
              "text/plain > Text | application/pdf > Text | text/csv > Dataset | "
              "application/javascript > Software | "
              "application/x-shockwave-flash > InteractiveResource | application/zip > "
              "Collection")) {
        CHECK_THAT(of(webarchiv_columns(), webarchiv_row(5, mimetype)),
                   Contains("<dc:type>" + type + "</dc:type>"));
    }
    CHECK_THAT(of(webarchiv_columns(), webarchiv_row(5, "application/octet-stream")),
               !Contains("dc:type"));
}

TEST_CASE("since: is written into the element that describes the format, and nowhere else") {
    const std::string since = "since=\"2026-02-03T04:05:06Z\"";
    const std::pair<std::string, std::string> cases[] = {
        {"<f:format prefix='p'/>", "<f:format " + since + " prefix='p'/>"},
        {"<f:format\n  prefix=\"p\"\n  since = '2001-01-01' schema='a > since=\"b\"'>\n</f:format>",
         "<f:format\n  prefix=\"p\"\n  since = '2026-02-03T04:05:06Z' schema='a > "
         "since=\"b\"'>\n</f:format>"},
        {"<format xmlns='urn:oai-fcgi:format' since=''/>",
         "<format xmlns='urn:oai-fcgi:format' since='2026-02-03T04:05:06Z'/>"},
        {"<f:about formats='p'/>", ""}};
    for (const auto& [before, after] : cases) {
        INFO(before);
        const auto made = with_since(stylesheet(before), "p.xsl", kMoment);
        if (after.empty())
            CHECK_FALSE(made);
        else
            CHECK(made == stylesheet(after));
    }
    CHECK(with_since("<f:format xmlns:f='urn:oai-fcgi:format' prefix='p'/>", "p.format", kMoment) ==
          "<f:format " + since + " xmlns:f='urn:oai-fcgi:format' prefix='p'/>");
    CHECK_FALSE(with_since(stylesheet(""), "p.xsl", kMoment));
    CHECK_THROWS_AS(with_since("<a>", "p.xsl", kMoment), xml::Error);
}
