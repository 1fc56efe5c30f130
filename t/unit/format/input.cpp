// SPDX-License-Identifier: MIT
#include "format/input.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "t/unit/format/format_directory.h"
#include "t/unit/format/make_slice.h"

using namespace oai;
using namespace oai::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;

namespace {

const std::string kForeign =
    "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform' "
    "xmlns:m='urn:m' exclude-result-prefixes='m'><xsl:param name='p' "
    "select=\"'none'\"/><xsl:template match='/m:record'>"
    "<o xmlns='urn:n' p='{$p}' n='{count(//m:f)}'><xsl:copy-of select='m:f/text()'/></o>"
    "</xsl:template></xsl:stylesheet>";

// Records with these values of a column "marc"; "" makes one without.
std::vector<std::string> made_of(const Directory& d, const std::vector<std::string>& values,
                                 pg::TypeOid type = pg::kXml) {
    const FormatRegistry registry = d.read();
    std::vector<TestRow> rows;
    for (const std::string& v : values)
        rows.push_back(
            {static_cast<std::int64_t>(rows.size()) + 1, false, {v.empty() ? Cell() : Cell(v)}});
    const RenderedRecords out =
        disseminate(*registry.find("f"), make_batch({{"marc", type}}, rows), kPrefix,
                    {.check_every = 1}, {.base_url = "http://x/oai"});
    std::vector<std::string> made;
    for (int i = 0; i < static_cast<int>(values.size()); ++i) made.emplace_back(out.of(i));
    for (const auto& failure : out.failures)
        made[static_cast<std::size_t>(failure.index)] = "! " + failure.why;
    return made;
}

std::string descriptor(const std::string& attributes, const std::string& params = "") {
    return "<f:format xmlns:f='urn:oai-fcgi:format' xmlns:n='urn:n' xmlns:m='urn:m' prefix='f' "
           "schema='http://x/s.xsd' namespace='urn:n' unchanged='yes' " +
           attributes + ">" + params + "</f:format>";
}

}  // namespace

TEST_CASE("format: a stylesheet of a column's document is compiled where it can be") {
    Directory d;
    d.format("oai_dc.xsl", kGood, match(kTitle));
    fs::create_directory(d.at("vendor"));
    d.write("vendor/foreign.xsl",
            "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform' "
            "xmlns:m='urn:m' exclude-result-prefixes='m'><xsl:output indent='yes'/>"
            "<xsl:template match='/'><o xmlns='urn:n' all='{.}'>"
            "<xsl:for-each select='m:record/m:f[@t &lt; 700]'><f><xsl:value-of select='.'/></f>"
            "</xsl:for-each></o></xsl:template></xsl:stylesheet>");
    d.write("f.format", descriptor("input='marc' stylesheet='vendor/foreign.xsl'"));
    CHECK(way_of(*d.read().find("f"), true) == "compiled");
    const std::string one =
        "<record xmlns=\"urn:m\"><f t=\"245\">a&amp;</f><f t=\"x\">b</f></record>";
    const std::string made = "<o xmlns=\"urn:n\" all=\"a&amp;b\"><f>a&amp;</f></o>";
    const std::vector<std::string> out =
        made_of(d, {one, " \n" + one + "\n", "<!-- c -->" + one, one + one, "x" + one, "<f", ""});
    REQUIRE(out.size() == 7);
    for (const int i : {0, 1, 2}) CHECK(out[static_cast<std::size_t>(i)] == made);
    CHECK_THAT(out[3], Contains("not a document of one element"));
    CHECK_THAT(out[4], Contains("not a document of one element"));
    for (const int i : {5, 6}) CHECK_THAT(out[static_cast<std::size_t>(i)], StartsWith("! "));
    CHECK(made_of(d, {one}, pg::kText).at(0) == made);
}

TEST_CASE("format: a descriptor gives an unedited stylesheet the document of a column") {
    Directory d;
    d.format("oai_dc.xsl", kGood, match(kTitle));
    fs::create_directory(d.at("vendor"));
    d.write("vendor/foreign.xsl", kForeign);
    d.write("f.format", descriptor("input='marc' stylesheet='vendor/foreign.xsl'"));
    const std::string one = "<record xmlns='urn:m'><f>a</f></record>",
                      two =
                          "<?xml version='1.0'?><!-- c --><m:record xmlns:m='urn:m'><m:f>b</m:f>"
                          "<m:f>c</m:f></m:record>";
    const std::vector<std::string> wanted = {"<o xmlns=\"urn:n\" p=\"none\" n=\"1\">a</o>",
                                             "! requires marc",
                                             "<o xmlns=\"urn:n\" p=\"none\" n=\"2\">bc</o>"};
    CHECK(made_of(d, {one, "", two}) == wanted);
    CHECK(made_of(d, {one, "", two}, pg::kText) == wanted);
    CHECK(made_of(d, {one + one, "text", "<other/>"}) ==
          std::vector<std::string>{"! column marc: not a document of one element",
                                   "! column marc: not a document of one element",
                                   "! the stylesheet yields no element"});
    CHECK(d.read().find("f")->requires_columns == std::vector<std::string>{"marc"});
    CHECK_THAT(way_of(*d.read().find("f"), true),
               Contains("one record at a time for ") && Contains("f.format:1: input=\"marc\""));
}

TEST_CASE("format: parameters of a stylesheet are XPath over the record") {
    Directory d;
    d.format("oai_dc.xsl", kGood, match(kTitle));
    fs::create_directory(d.at("vendor"));
    d.write("vendor/foreign.xsl", kForeign);
    const auto made = [&](const std::string& select) {
        d.write("f.format", descriptor("input='marc' stylesheet='vendor/foreign.xsl'",
                                       "<f:param name='p' select=\"" + select + "\"/>"));
        return made_of(d, {"<record xmlns='urn:m'><f>a'b</f></record>"}).front();
    };
    const auto with = [](const std::string& p) {
        return "<o xmlns=\"urn:n\" p=\"" + p + "\" n=\"1\">a'b</o>";
    };
    CHECK(made("'constant'") == with("constant"));
    CHECK(made("concat(@identifier, ' ', $base_url, $sets)") ==
          with("oai:example.org:doc/1 http://x/oai"));
    CHECK(made("marc/m:record/m:f") == with("a'b"));
    CHECK(made("@none") == with(""));
    CHECK_THAT(made("$unknown"), StartsWith("! param p: $unknown cannot be evaluated"));
    d.write("f.format", descriptor("input='marc' stylesheet='vendor/foreign.xsl'",
                                   "\n<f:param name='p' select='1 +'/><f:params/>"));
    CHECK(d.wrong() == d.at("f.format") + ":2: select=\"1 +\": no XPath expression\n" +
                           d.at("f.format") +
                           ":2: params: only <param name=\"\" select=\"\"/> may stand here");
}

TEST_CASE("format: result says which element of the result is meant") {
    Directory d;
    d.format("oai_dc.xsl", kGood, match(kTitle));
    fs::create_directory(d.at("vendor"));
    const auto made = [&](const std::string& result) {
        d.write("vendor/foreign.xsl",
                "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
                "<xsl:template match='/'>" +
                    result + "</xsl:template></xsl:stylesheet>");
        d.write("f.format",
                descriptor("input='marc' stylesheet='vendor/foreign.xsl' result='m:all/n:o'"));
        return made_of(d, {"<record/>"}).front();
    };
    CHECK(made("<m:all xmlns:m='urn:m' xmlns:n='urn:n' xmlns:t='urn:t'><m:x/>"
               "<n:o t='t:t'>a</n:o></m:all>") ==
          "<n:o xmlns:n=\"urn:n\" xmlns:m=\"urn:m\" xmlns:t=\"urn:t\" t=\"t:t\">a</n:o>");
    CHECK(made("<all xmlns='urn:m'><o xmlns='urn:n'/><o xmlns='urn:n'/></all>") ==
          "! the stylesheet yields 2 elements {urn:n}o in all, and one is meant by result");
    CHECK(made("<o xmlns='urn:n'/>") ==
          "! the stylesheet yields 0 elements {urn:m}all, and one is meant by result");
}

TEST_CASE("format: an adapter makes the document that the stylesheet expects") {
    Directory d;
    d.format("oai_dc.xsl", kGood, match(kTitle));
    fs::create_directory(d.at("vendor"));
    fs::create_directory(d.at("adapter"));
    d.write("vendor/foreign.xsl", kForeign);
    d.write("adapter/a.xsl",
            "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
            "<xsl:param name='p'/><xsl:template match='record'><record xmlns='urn:m'>"
            "<f><xsl:value-of select='concat(@marc, $p)'/></f></record></xsl:template>"
            "</xsl:stylesheet>");
    d.write("f.format", descriptor("input='adapter/a.xsl' stylesheet='vendor/foreign.xsl'",
                                   "<f:param name='p' select=\"'!'\"/>"));
    CHECK(made_of(d, {"x", "y"}, pg::kText) ==
          std::vector<std::string>{"<o xmlns=\"urn:n\" p=\"!\" n=\"1\">x!</o>",
                                   "<o xmlns=\"urn:n\" p=\"!\" n=\"1\">y!</o>"});
    CHECK(d.read().find("f")->files() == std::vector<std::string>{d.at("f.format"),
                                                                  d.at("vendor/foreign.xsl"),
                                                                  d.at("adapter/a.xsl")});
}

TEST_CASE("format: a descriptor says what it lacks, and reads nothing outside of the directory") {
    Directory d;
    d.format("oai_dc.xsl", kGood, match(kTitle));
    d.write("f.format", descriptor(""));
    CHECK_THAT(d.wrong(), Contains(":1: stylesheet is missing"));
    for (const char* path : {"../x.xsl", "/x.xsl", "a/../../x.xsl"}) {
        d.write("f.format", descriptor("stylesheet='" + std::string(path) + "'"));
        CHECK_THAT(d.wrong(), Contains("must be a path from this file, without .."));
    }
    d.write("f.format", descriptor("stylesheet='none/x.xsl'"));
    CHECK_THAT(d.wrong(), Contains("f.format:1: ") && Contains("none: No such file"));
    d.write("f.format", descriptor("input='no column' stylesheet='x.xsl'"));
    CHECK_THAT(d.wrong(), Contains("input=\"no column\": must be a column"));
    d.write("f.format", "<other/>");
    CHECK_THAT(d.wrong(), Contains("no <format> or <about>"));
    fs::remove(d.at("f.format"));
    d.format("g.xsl", kGood + " stylesheet='x.xsl'", match(kTitle));
    CHECK_THAT(d.wrong(), Contains("stylesheet: the file is one itself"));
}
