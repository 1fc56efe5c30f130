// SPDX-License-Identifier: MIT
// What the compiler refuses and why, and that made-up records come to all that it compiled. That a
// program writes what libxslt writes is for t/fault/emission.t.
#include "transform/compiler.h"

#include "t/lib/made_up_records.h"
#include "t/lib/rows.h"
#include "t/unit/transform/stylesheet_text.h"
#include "xml/document.h"

using namespace oai::transform;

namespace {

std::string refusal(const transform::Stylesheet& stylesheet) {
    return transform::compile_program(stylesheet, "urn:n").why_not;
}
std::string refusal(const std::string& content) { return refusal(around(content)); }

// Spoils each xsl:copy-of of the program.
void spoil_copies(transform::Operations& operations, void (*spoil)(transform::CopyElements&)) {
    for (transform::Operation& o : operations) {
        if (auto* copy = std::get_if<transform::CopyElements>(&o.node)) spoil(*copy);
        for (const transform::Operations* body : bodies_of(o))
            spoil_copies(const_cast<transform::Operations&>(*body), spoil);
    }
}

const std::string kTitle = "<xsl:value-of select='@title'/>";

}  // namespace

TEST_CASE(
    "compiler: a stylesheet outside of the subset is refused with the line and the construct") {
    CHECK(refusal(kTitle).empty());
    CHECK_THAT(refusal("<xsl:comment>c</xsl:comment>"), EndsWith(".xsl:4: xsl:comment here"));
    auto expressions = rows(
        "substring(@a, '2') > a string as a number | @a + 1 > + | x[2][1] > [ | "
        "@x[1] > [ | x['a'] > a number, a literal | x[@other] > @other within | "
        "//x > / | @* > * | @xml:lang > : | child::x > child: | "
        "str:replace(@a, 'a', 'b') > str: | text() > text() | . > . outside | "
        ".. > .. outside | position() > position() of | @a = 'x' > a boolean | "
        "true() > true() | concat('a') > concat() with 1 | "
        "translate(@a, @b) > translate() with 2 | 1.5 > a number that is large | "
        "'a' = 1 > = | normalize-space() > normalize-space() of the record | $v > $v | "
        "@ž > ž");
    expressions.emplace_back("x | y", "|");
    for (const auto& [expression, construct] : expressions) {
        INFO(expression);
        // $v is an error to libxslt too, but only when it runs.
        CHECK_THAT(refusal("<xsl:value-of select=\"" + expression + "\"/>"),
                   Contains(".xsl:4: " + construct));
    }
    for (const char* test : {"x = y", "5", "'a'", "@a &lt; 'b'", "@a &lt; 5", "5 = x", "not(2)"}) {
        INFO(test);
        CHECK_FALSE(refusal(std::string("<xsl:if test=\"") + test + "\">x</xsl:if>").empty());
    }
    for (const char* content :
         {"<xsl:copy-of select='x'/>",
          "<xsl:for-each select='x'><xsl:sort/>y</xsl:for-each>",
          "<xsl:value-of select='@a' disable-output-escaping='no'/>",
          "<p xmlns=''/>",
          "<p a='1'><xsl:attribute name='a'/></p>",
          "<p>x<xsl:attribute name='a'/></p>",
          "<p xsl:use-attribute-sets='s'/>",
          "<xsl:element name='{@a}'/>",
          "<xsl:attribute name='a'><b/></xsl:attribute>",
          "<p a='{'/>",
          "<xsl:call-template name='t'/>",
          "<xsl:for-each select='x'><xsl:value-of select='@other'/></xsl:for-each>",
          "<xsl:for-each select='@x[1]'/>",
          "<xsl:variable name='v' select=\"@a = 'x'\"/>",
          "<xsl:variable name='v'><p/></xsl:variable>",
          "<xsl:variable name='v' select='@a'/><xsl:variable name='v' select='@a'/>",
          "<xsl:variable name='v'>x</xsl:variable><xsl:if test='$v'>y</xsl:if>",
          "<xsl:variable name='v' select='@a'/><xsl:if test='$v'>y</xsl:if>",
          "<xsl:variable name='v' select='@a'/><xsl:if test=\"$v = 'x'\">y</xsl:if>",
          "<xsl:variable name='v' select='1'/><xsl:if test='$v = 1'>y</xsl:if>",
          "<p><xsl:variable name='v' select='@a'/></p><xsl:value-of select='$v'/>",
          "<xsl:copy-of select='@x'/>",
          "<xsl:for-each select='x'><xsl:copy-of select='y/*'/></xsl:for-each>",
          "<xsl:copy-of select='x/*'/><xsl:value-of select='x'/>",
          "<xsl:copy-of select='x/y'/>",
          "<xsl:copy-of select='x/*[1]'/>",
          "<xsl:copy-of select='x/*[p:undeclared = /records/@metadataNamespace]'/>",
          "<xsl:copy-of select='x/*/y'/>",
          "<xsl:value-of select='x/*'/>",
          "<xsl:if test=\"x/* = 'a'\">y</xsl:if>",
          "<xsl:comment>c</xsl:comment>"}) {
        INFO(content);
        try {
            const transform::Stylesheet stylesheet = around(content);
            CHECK_FALSE(refusal(stylesheet).empty());
        } catch (const xml::Error&) {  // refused by libxslt already
        }
    }
}

TEST_CASE("compiler: declarations that a stylesheet may have beside the template") {
    const std::string good = "<xsl:template match='record'><n:o xmlns:n='urn:n'/></xsl:template>";
    const auto why = [](const std::string& top) {
        return refusal(compile_text(kHead + top + "</xsl:stylesheet>"));
    };
    CHECK(why(good).empty());
    CHECK(why("<xsl:output method='xml' encoding='UTF-8' indent='no'/><f:data xmlns:f='urn:f'/>" +
              good)
              .empty());
    CHECK(why("<xsl:output indent='yes'/>" + good).empty());
    CHECK_THAT(why("<xsl:output method='html'/>" + good),
               Contains(":2: xsl:output method=\"html\""));
    for (const char* top :
         {"<xsl:output method='text'/>", "<xsl:output cdata-section-elements='a'/>",
          "<xsl:strip-space elements='*'/>", "<xsl:variable name='v' select='1'/>",
          "<xsl:template match='x'/>", "<xsl:key name='k' match='x' use='.'/>",
          "<xsl:namespace-alias stylesheet-prefix='xsl' result-prefix='xsl'/>"}) {
        INFO(top);
        CHECK_FALSE(why(top + good).empty());
    }
    CHECK_FALSE(why("<xsl:template match='/'><n:o xmlns:n='urn:n'/></xsl:template>").empty());
    CHECK_FALSE(
        why("<xsl:template match='record' mode='m'><n:o xmlns:n='urn:n'/></xsl:template>").empty());
    CHECK_FALSE(why("<xsl:template match='record'><o/></xsl:template>").empty());
    CHECK_FALSE(why("<xsl:template match='record'><xsl:if test='@a'><n:o "
                    "xmlns:n='urn:n'/></xsl:if></xsl:template>")
                    .empty());
}

TEST_CASE(
    "compiler: the trial finds differences from libxslt, and instructions that no record has "
    "executed") {
    const auto trial = [](const std::string& content, auto&& spoil) {
        const transform::Stylesheet stylesheet = around(content);
        transform::Compilation compiled = transform::compile_program(stylesheet, "urn:n");
        REQUIRE(compiled.program);
        spoil(*compiled.program);
        return try_program(*compiled.program, stylesheet);
    };
    const auto as_it_is = [](transform::Program&) {};
    CHECK(trial(kTitle, as_it_is).empty());
    CHECK(trial("<xsl:if test=\"@a = 'rare value' and @b = 'other' and starts-with(@c, "
                "'x:')\">y</xsl:if>",
                as_it_is)
              .empty());
    CHECK_THAT(trial("<xsl:if test='string-length(@a) &gt;= 0'>always</xsl:if>", as_it_is),
               Contains(".xsl:4: "));
    CHECK_THAT(trial("<xsl:if test=\"@a = 'x'\"><xsl:if test=\"@a = 'y'\">never</xsl:if></xsl:if>",
                     as_it_is),
               Contains("not found true by any record"));
    CHECK_THAT(trial("fixed" + kTitle,
                     [](transform::Program& e) {
                         std::get<transform::Text>(e.operations[0].node).text += ' ';
                     }),
               Contains("differs from libxslt"));
}

TEST_CASE("compiler: the trial of a stylesheet that copies stored XML") {
    const auto trial = [](const transform::Stylesheet& stylesheet, auto&& spoil) {
        transform::Compilation compiled = transform::compile_program(stylesheet, "urn:n");
        INFO(compiled.why_not);
        REQUIRE(compiled.program);
        spoil(*compiled.program);
        return try_program(*compiled.program, stylesheet);
    };
    const auto as_it_is = [](transform::Program&) {};
    CHECK(trial(around("<xsl:copy-of select='x/*'/>"), as_it_is).empty());
    const transform::Stylesheet chosen = around(
        "<xsl:choose xmlns:p='urn:p'><xsl:when test='x/*[p:f = /records/@metadataNamespace]'>"
        "<xsl:copy-of select='x/*[p:f = /records/@metadataNamespace]'/></xsl:when>"
        "<xsl:otherwise><xsl:copy-of select='@a'/></xsl:otherwise></xsl:choose>");
    CHECK(trial(chosen, as_it_is).empty());
    CHECK_THAT(trial(
                   chosen,
                   [](transform::Program& e) {
                       spoil_copies(
                           e.operations,
                           [](transform::CopyElements& copy) { copy.elements.child.reset(); });
                   }),
               Contains("differs from libxslt"));
    CHECK_THAT(trial(around("<xsl:copy-of select='x/*'/>"),
                     [](transform::Program& e) {
                         spoil_copies(e.operations, [](transform::CopyElements& copy) {
                             copy.scope.at(0).uri = "urn:o";
                         });
                     }),
               Contains("differs from libxslt"));
    CHECK(trial(compile_text(kHead + "<xsl:template match='record'><xsl:copy-of "
                                     "select='x/*'/></xsl:template></xsl:stylesheet>"),
                as_it_is)
              .empty());
}

TEST_CASE("compiler: xsl:apply-imports inserts the imported template") {
    const TemporaryDirectory directory;
    const auto with = [&](const std::string& imported, const std::string& content) {
        directory.write("part.xsl", kHead + imported + "</xsl:stylesheet>");
        return compile_text(kHead +
                                "<xsl:import href='part.xsl'/><xsl:template match='record'>\n<n:o "
                                "xmlns:n='urn:n'>\n" +
                                content + "\n</n:o></xsl:template></xsl:stylesheet>",
                            directory);
    };
    const std::string imported =
        "<xsl:output method='xml' encoding='UTF-8'/><xsl:template match='record'>\n"
        "<n:p xmlns:n='urn:n' xmlns:q='urn:q' q:a='{@a}'>\n" +
        kTitle + "</n:p></xsl:template>";
    const transform::Stylesheet twice = with(imported, "<xsl:apply-imports/>x<xsl:apply-imports/>");
    transform::Compilation compiled = transform::compile_program(twice, "urn:n");
    INFO(compiled.why_not);
    REQUIRE(compiled.program);
    CHECK(try_program(*compiled.program, twice).empty());
    CHECK_THAT(refusal(with("", "<xsl:apply-imports/>")), Contains("without an imported template"));
    CHECK_THAT(
        refusal(with(imported, "<xsl:for-each select='x'><xsl:apply-imports/></xsl:for-each>")),
        Contains("xsl:apply-imports within xsl:for-each"));
    CHECK_THAT(refusal(with("<xsl:template match='record'>\n<xsl:comment/></xsl:template>",
                            "<xsl:apply-imports/>")),
               Contains("part.xsl:3: xsl:comment here"));
    CHECK_THAT(refusal(with("<xsl:output method='html'/>", "x")), Contains("method=\"html\""));
    CHECK_THAT(refusal(with("<xsl:template match='title'/>", "x")), Contains("match=\"title\""));
}

TEST_CASE("compiler: xsl:call-template inserts the called template") {
    const auto with = [](const std::string& templates, const std::string& content) {
        return compile_text(kHead + templates +
                            "<xsl:template match='record'>\n<n:o xmlns:n='urn:n'>\n" + content +
                            "\n</n:o></xsl:template></xsl:stylesheet>");
    };
    const std::string called =
        "<xsl:template name='t'><xsl:param name='p'/><xsl:param name='q' select='@b'/>"
        "<xsl:value-of select=\"concat($p, ' and ', $q)\"/></xsl:template>\n";
    for (const char* content :
         {"<xsl:call-template name='t'/>",
          "<xsl:call-template name='t'><xsl:with-param name='p' select='@a'/></xsl:call-template>",
          "<xsl:for-each select='s[1]'><xsl:variable name='v'><xsl:call-template name='t'>"
          "<xsl:with-param name='q'>x<xsl:value-of select='.'/></xsl:with-param>"
          "</xsl:call-template></xsl:variable><n:p a='{$v}'/></xsl:for-each>"}) {
        INFO(content);
        const transform::Stylesheet stylesheet = with(called, content);
        const transform::Compilation compiled = transform::compile_program(stylesheet, "urn:n");
        INFO(compiled.why_not);
        REQUIRE(compiled.program);
        CHECK(compiled.program->fallback.empty());
        CHECK_THAT(try_program(*compiled.program, stylesheet), !Contains("differs"));
    }
    const std::string call = "<xsl:call-template name='t'/>";
    CHECK_THAT(refusal(with("<xsl:template name='t'>" + call + "</xsl:template>", call)),
               EndsWith(":2: a template that calls itself"));
    CHECK_THAT(refusal(with("<xsl:template name='t'><xsl:apply-imports/></xsl:template>", call)),
               EndsWith(":2: xsl:apply-imports within a called template"));
    CHECK_THAT(refusal(with("", call)), EndsWith(":4: the template t"));
    CHECK_THAT(refusal(with("<xsl:template name='t'><xsl:value-of select='$v'/></xsl:template>\n",
                            "<xsl:variable name='v' select='@a'/>" + call)),
               Contains(":2: $v"));
}

TEST_CASE("compiler: a stylesheet whose imports multiply is refused for its size") {
    const TemporaryDirectory directory;
    const auto name = [](int n) { return std::to_string(n) + ".xsl"; };
    constexpr int kSheets = 20;
    for (int n = 0; n < kSheets; ++n)
        directory.write(name(n), kHead +
                                     (n == 0 ? "" : "<xsl:import href='" + name(n - 1) + "'/>") +
                                     "<xsl:template match='record'><n:p xmlns:n='urn:n'>" +
                                     (n == 0 ? "" : "<xsl:apply-imports/><xsl:apply-imports/>") +
                                     "</n:p></xsl:template></xsl:stylesheet>");
    const std::string why = refusal(compile_text(
        kHead + "<xsl:import href='" + name(kSheets - 1) +
            "'/><xsl:template match='record'><n:o xmlns:n='urn:n'><xsl:apply-imports/></n:o>"
            "</xsl:template></xsl:stylesheet>",
        directory));
    CHECK_THAT(why, EndsWith("more than 20,000 nodes"));
}
