// SPDX-License-Identifier: MIT
// The shipped stylesheets of xslt/normalise, value by value, and how the normaliser refuses others.

#include "t/lib/rows.h"
#include "t/lib/temporary_directory.h"
#include "t/lib/unit_headers.h"
#include "tools/aggregate/database_sink.h"
#include "xml/document.h"
#include "xml/push_parser.h"

using aggregate::Normaliser;

namespace {

constexpr const char* kShipped = "xslt/normalise";

std::string oai_dc(const std::string& content) {
    return "<oai_dc:dc xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" "
           "xmlns:dc=\"http://purl.org/dc/elements/1.1/\">" +
           content + "</oai_dc:dc>";
}

struct Made {
    std::string text, language;
    bool altered;
};
Made normalised(const std::string& name, const std::string& content) {
    const auto made =
        Normaliser(kShipped, {name}).normalise(xml::parse_memory(oai_dc(content), "test"));
    const xmlNode* element = xmlDocGetRootElement(made.document.get())->children;
    return {xml::text_of(element), xml::language_of(element), made.altered};
}

void check(const std::string& stylesheet, const std::string& element, std::string_view table) {
    for (const auto& [given, wanted] : rows(table)) {
        const Made made =
            normalised(stylesheet, "<dc:" + element + ">" + given + "</dc:" + element + ">");
        CHECK(made.text == wanted);
        CHECK(made.altered == (given != wanted));
    }
}

}  // namespace

TEST_CASE("normaliser: dates") {
    check("dates", "date",
          "1993 > 1993 | 1993-05 > 1993-05 | 1993-05-04 > 1993-05-04 | "
          "2001-01-01T00:00:00Z > 2001-01-01T00:00:00Z | [1993] > 1993 | (1993) > 1993 | "
          "c1993 > 1993 | [c1993] > 1993 | ©1993 > 1993 | 1993. > 1993 | 19930504 > 1993-05-04 | "
          "1993/5/4 > 1993-05-04 | 1993.05.04 > 1993-05-04 | 4. 5. 1993 > 1993-05-04 | "
          "04.05.1993 > 1993-05-04 | 13/5/1993 > 1993-05-13 | 5/13/1993 > 1993-05-13 | "
          "5/4/1993 > 5/4/1993 | 4 May 1993 > 1993-05-04 | May 4, 1993 > 1993-05-04 | "
          "Sept. 1993 > 1993-09 | december 1993 > 1993-12 | 31.13.1993 > 31.13.1993 | "
          "32.12.1993 > 32.12.1993 | 19931340 > 19931340 | in the nineties > in the nineties | "
          "Spring 1993 > Spring 1993 | 1990-1993 > 1990-1993 | 1.2.3 > 1.2.3 | "
          "a.b.1993 > a.b.1993 | Mayor 1993 > Mayor 1993");
}

TEST_CASE("normaliser: languages") {
    check("languages", "language",
          "cs > cs | cze > cs | ces > cs | Czech > cs | EN > en | en_us > en-US | "
          "eng-GB > en-GB | zh-Hant-TW > zh-Hant-TW | chi-Hant > zh-Hant | grc > grc | "
          "Klingonese > Klingonese | eng; cze > eng; cze");
    CHECK(normalised("languages", "<dc:title xml:lang=\"ger\">T</dc:title>").language == "de");
}

TEST_CASE("normaliser: names") {
    check("names", "creator",
          "Tolkien, J. R. R. > Tolkien, J. R. R. | J. R. R. Tolkien > Tolkien, J. R. R. | "
          "V. van Gogh > van Gogh, V. | Novák, Jan ; > Novák, Jan | "
          "Němcová, Božena, > Němcová, Božena | Charles University > Charles University | "
          "A. B. > A. B. | Plato > Plato | St. Andrews Press > St. Andrews Press");
    check("persons", "contributor",
          "Jana Nováková > Nováková, Jana | Karel Jaromír Erben > Erben, Karel Jaromír | "
          "J. Novák > Novák, J. | Nováková, Jana > Nováková, Jana | Plato > Plato | "
          "Louis 14 > Louis 14 | One Two Three Four > One Two Three Four");
    CHECK(normalised("names", "<dc:publisher>J. Otto</dc:publisher>").text == "J. Otto");
}

TEST_CASE("normaliser: several are applied in order, and without one nothing changes") {
    const auto document = [] {
        return xml::parse_memory(
            oai_dc("<dc:creator>J. Otto</dc:creator><dc:date>[1993]</dc:date>"), "test");
    };
    const auto both = Normaliser(kShipped, {"dates", "names"}).normalise(document());
    CHECK(xml::text_of(xmlDocGetRootElement(both.document.get())) == "Otto, J.1993");
    const auto none = Normaliser("/nonexistent", {}).normalise(document());
    CHECK(xml::text_of(xmlDocGetRootElement(none.document.get())) == "J. Otto[1993]");
    CHECK(!none.altered);
    CHECK_THROWS_WITH(Normaliser(kShipped, {"nonesuch"}), Contains("no nonesuch.xsl"));
    CHECK_THROWS_WITH(Normaliser(kShipped, {"part/name"}), Contains("no part/name.xsl"));
}

TEST_CASE("normaliser: the result must be oai_dc, and stylesheets stay in the sandbox") {
    const TemporaryDirectory directory;
    const auto write = [&](const std::string& body) {
        directory.write("own.xsl",
                        "<xsl:stylesheet version='1.0' "
                        "xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>" +
                            body + "</xsl:stylesheet>");
    };
    const auto run = [&] {
        return Normaliser(directory.path, {"own"}).normalise(xml::parse_memory(oai_dc(""), "test"));
    };
    write("<xsl:template match='/'><other/></xsl:template>");
    CHECK_THROWS_WITH(run(), Contains("something else than oai_dc"));
    write("<xsl:template match='/'/>");
    CHECK_THROWS_WITH(run(), Contains("something else than oai_dc"));
    write(
        "<xsl:template match='/'><xsl:copy-of select=\"document('/etc/hostname')\"/><xsl:copy-of "
        "select='*'/></xsl:template>");
    CHECK_THROWS_AS(run(), xml::Error);
    write(
        "<xsl:template match='/'><xsl:call-template name='x'/></xsl:template><xsl:template "
        "name='x'><xsl:call-template name='x'/></xsl:template>");
    CHECK_THROWS_AS(run(), xml::Error);
}
