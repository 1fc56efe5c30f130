// SPDX-License-Identifier: MIT
// What kind of thing metadata describe, as the pages' stylesheet finds it
// (xslt/page/part/kind.xsl).
#include "t/lib/rows.h"
#include "t/unit/transform/stylesheet_text.h"
#include "xml/document.h"
#include "xml/push_parser.h"

namespace {

transform::Stylesheet compile() {
    const auto pages = fs::canonical("xslt/page");
    return compile_text(
        R"(<x:stylesheet version="1.0" xmlns:x="http://www.w3.org/1999/XSL/Transform">
<x:import href=")" +
            pages.string() + R"(/part/kind.xsl"/>
<x:template match="metadata"><is><x:call-template name="kind"><x:with-param name="metadata" select="."/></x:call-template></is></x:template>
<x:template match="match"><is><x:call-template name="kind"><x:with-param name="values" select="@kind"/></x:call-template></is></x:template>
</x:stylesheet>)",
        {}, pages);
}

std::string made_of(const std::string& document) {
    static const transform::Stylesheet stylesheet = compile();
    const auto source = xml::parse_memory(document, "test");
    const auto result = stylesheet.apply(source.get(), 5min);
    return xml::text_of(xmlDocGetRootElement(result.get()));
}

std::string kind(const std::string& elements) {
    return made_of("<metadata>\n<r xmlns:dc='http://purl.org/dc/elements/1.1/'>" + elements +
                   "</r></metadata>");
}

struct Case {
    const char *type, *format, *kind;
};

}  // namespace

TEST_CASE("kind: by a publication's type, else by the media type, else by a term of DCMI") {
    for (const auto& [type, format, wanted] :
         std::vector<Case>{{"Text", "text/html", "page"},
                           {"Text", " Text/HTML; charset=UTF-8", "page"},
                           {"Image", "image/svg+xml", "image"},
                           {"Text", "application/pdf", "pdf"},
                           {"Sound", "audio/mpeg", "audio"},
                           {"MovingImage", "video/mp4", "video"},
                           {"Dataset", "application/rss+xml", "data"},
                           {"Software", "application/javascript", "software"},
                           {"Text", "text/plain", "text"},
                           {"Collection", "application/zip", "package"},
                           {"info:eu-repo/semantics/doctoralThesis", "application/pdf", "thesis"},
                           {"info:eu-repo/semantics/article", "text/html", "article"},
                           {"book", "application/pdf", "book"},
                           {"Journal", "print", "journal"},
                           {"manuscript", "image/jpeg", "manuscript"},
                           {"map", "image/jpeg", "map"},
                           {"music", "audio/mpeg", "music"},
                           {"MovingImage", "", "video"},
                           {"StillImage", "1 photo", "image"},
                           {"Dataset", "application/octet-stream", "data"},
                           {"PhysicalObject", "wood", "item"}})
        CHECK(kind(std::string("<dc:type>") + type + "</dc:type><dc:format>" + format +
                   "</dc:format>") == wanted);
    CHECK(kind("<dc:type>Text</dc:type><dc:type>review</dc:type>") == "article");
    CHECK(kind("<genre>book</genre>") == "book");
}

TEST_CASE("kind: what says nothing is an item") {
    CHECK(kind("") == "item");
    CHECK(kind("<dc:type/><dc:format><b>text/html</b></dc:format><type><!-- book --></type>") ==
          "item");
    CHECK(kind("<dc:title>book</dc:title>") == "item");
    std::string many;
    for (int i = 0; i < 100; ++i) many += "<dc:type>x</dc:type>";
    CHECK(kind(many + "<dc:type>book</dc:type>") == "item");
}

TEST_CASE("kind: a type alone says it, too") {
    for (const auto& [type, wanted] :
         rows("thesis:master > thesis | Sound > audio | music > music | text/html > page | "
              "image/svg+xml > image | application/javascript > software |  > item"))
        CHECK(made_of("<match kind='" + type + "'/>") == wanted);
}
