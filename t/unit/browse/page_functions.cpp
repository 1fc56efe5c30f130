// SPDX-License-Identifier: MIT
#include <time.h>

#include "browse/catalogue.h"
#include "t/unit/transform/stylesheet_text.h"
#include "transform/stylesheet.h"
#include "xml/document.h"
#include "xml/handle.h"
#include "xml/serialiser.h"

namespace {

const transform::Stylesheet& pages() {
    static const transform::Stylesheet stylesheet =
        transform::Stylesheet::compile("xslt/page/browse.xsl");
    return stylesheet;
}

std::string page(const xml::DocumentHandle& source) {
    static const Catalogue catalogue("xslt/page", "en cs");
    return xml::html_text(
        pages().apply(source.get(), 5min, {}, page_functions(*catalogue.find("en"))).get());
}

// The source of an explorer page that shows this document as the answer.
xml::DocumentHandle explorer_source(const std::string& document) {
    return xml::parse_memory(
        "<page kind='explore' lang='en' dir='ltr' mount='/oai' base='http://a.example.org/oai' "
        "repository='A' here='/'>"
        "<asked verb='Identify'/><answer status='200' bytes='1'>" +
            document + "</answer></page>",
        "page");
}

std::string record(const std::string& identifier) {
    return "<o:OAI-PMH "
           "xmlns:o='http://www.openarchives.org/OAI/2.0/"
           "'><o:ListRecords><o:record><o:header><o:identifier>" +
           identifier +
           "</o:identifier><o:datestamp>2020-02-29T12:34:56Z</o:datestamp></o:header></o:record></"
           "o:ListRecords></o:OAI-PMH>";
}

std::string list_with_title(const std::string& title) {
    return "<o:OAI-PMH "
           "xmlns:o='http://www.openarchives.org/OAI/2.0/"
           "'><o:ListRecords><o:record><o:header><o:identifier>oai:a:1</o:identifier>"
           "<o:datestamp>2020-02-29T12:34:56Z</o:datestamp></o:header><o:metadata><title>" +
           title + "</title></o:metadata></o:record></o:ListRecords></o:OAI-PMH>";
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("page functions: texts, times and addresses of a list") {
    const std::string html = page(xml::parse_memory(
        "<page kind='list' lang='en' dir='ltr' mount='/oai' base='http://a.example.org/oai' "
        "repository='A' here='/' only='?lang=en' also='&amp;lang=en'>"
        "<asked set='dom:cz' from='' until='' prefix='oai_dc' n='1233'/><formats/>" +
            record("oai:a:x y/'&amp;&lt;%") + "</page>",
        "page"));
    CHECK(has(html, "Skip to content"));
    CHECK(has(html, "href=\"/oai/browse/record/oai:a:x%20y/%27%26%3C%25?lang=en\""));
    CHECK(has(html, "<time datetime=\"2020-02-29T12:34:56Z\">2020-02-29 12:34:56\u00A0UTC</time>"));
    CHECK(has(html, "1,234–1,234 of 1,234\u00A0records"));
    CHECK(has(html, "&amp;set=dom:cz'"));
}

// The value of an expression over <r><x>1</x><y>2</y></r>.
std::string value(const std::string& expression, bool offered = true) {
    static const Catalogue catalogue("xslt/page", "en cs");
    const auto stylesheet = compile_text(
        kHead + "<xsl:template match='/' xmlns:p='urn:oai-fcgi:page'><v><xsl:value-of select=\"" +
        expression + "\"/></v></xsl:template></xsl:stylesheet>");
    const auto source = xml::parse_memory("<r><x>1</x><y>2</y></r>", "source");
    const auto result = stylesheet.apply(
        source.get(), 300s, {},
        offered ? page_functions(*catalogue.find("en")) : transform::Stylesheet::Preparation());
    const xml::StringHandle text(xmlNodeGetContent(xmlDocGetRootElement(result.get())));
    return std::string(xml::view(text.get()));
}

TEST_CASE("page functions: arguments are passed in order, as text, and of nodes the first") {
    CHECK(value("p:count('records', 1 + 1)") == "2\u00A0records");
    CHECK(value("p:number(/r/y)") == "2");
    CHECK(value("p:number(1000000 + /r)") == "1,000,012");
    CHECK(value("concat(p:encode('a b'), p:encode(p:encode('/')))") == "a%20b%252F");
    CHECK_THAT(value("p:xml(/r/y | /r/x)"), Contains("1"));
    CHECK(value("p:xml(/r/none)").empty());
    CHECK(value("p:xml('x')").empty());
}

TEST_CASE("page functions: a language has its name, unless it was given another") {
    CHECK(value("p:language('cs')") == "Czech");
    CHECK(value("p:language('ces')") == "Czech");
    CHECK(value("p:language('cs', 'Czech')") == "Czech");
    CHECK(value("p:language('cs', 'Our tongue')") == "Our tongue");
    CHECK(value("p:language('xx')") == "xx");
}

TEST_CASE("page functions: a wrong call fails the transform") {
    CHECK_THROWS_AS(value("p:say()"), xml::Error);
    CHECK_THROWS_AS(value("p:number(1, 2)"), xml::Error);
    CHECK_THROWS_AS(value("p:other()"), xml::Error);
    CHECK_THROWS_AS(value("p:number(1)", false), xml::Error);
}

TEST_CASE("page functions: a list shows the first title without child elements, or MARC's") {
    const auto list = [](const std::string& metadata) {
        return page(xml::parse_memory(
            "<page kind='list' lang='en' dir='ltr' mount='/oai' base='http://a.example.org/oai' "
            "repository='A' here='/'><asked set='' from='' until='' prefix='oai_dc' n='0'/>"
            "<formats/>" +
                list_with_title("</title>" + metadata + "<title>") + "</page>",
            "page"));
    };
    CHECK(has(list("<t>C</t><title>  A \n\t title </title><title>B</title>"), ">A title</a>"));
    CHECK(has(list("<title><part>x</part></title><i><title>T</title></i>"), ">T</a>"));
    CHECK(has(list("<title/><title> </title><title>a &lt; b</title>"), ">a &lt; b</a>"));
    const std::string marc =
        "<datafield tag='100'><s code='a'>N</s></datafield><datafield tag='245'>"
        "<s code='b'>B</s><s code='a'>The title</s></datafield>";
    CHECK(has(list(marc), ">The title</a>"));
    CHECK(has(list(marc + "<title>Own</title>"), ">Own</a>"));
    CHECK(has(list("text <titles>x</titles><datafield tag='245'/>"), ">oai:a:1</a>"));
}

TEST_CASE("page functions: a list cuts a long title, between characters") {
    const auto list = [](const std::string& title) {
        return page(
            xml::parse_memory("<page kind='list' lang='en' dir='ltr' mount='/oai' "
                              "base='http://a.example.org/oai' repository='A' here='/'>"
                              "<asked set='' from='' until='' prefix='oai_dc' n='0'/><formats/>" +
                                  list_with_title(title) + "</page>",
                              "page"));
    };
    CHECK(has(list(std::string(300, 'x')), ">" + std::string(300, 'x') + "</a>"));
    CHECK(has(list(std::string(301, 'x')), ">" + std::string(300, 'x') + "\u2026</a>"));
    CHECK(has(list(std::string(299, 'x') + "\u010D"), "x\u010D</a>"));
    CHECK(has(list(std::string(299, 'x') + "\u010Dx"), "x\u010D\u2026</a>"));
    CHECK(has(list(""), ">oai:a:1</a>"));
}

TEST_CASE("page functions: the answer shown by the explorer is escaped") {
    const std::string html =
        page(explorer_source("<a b='&quot;&gt;&lt;script&gt;'>&lt;script&gt;</a>"));
    CHECK(has(html, "&gt;&amp;lt;script&amp;gt;&lt;/a&gt;"));
    CHECK_FALSE(has(html, "<script>"));
}

// The time to render a page is linear in its length: neither the number of namespaces nor that of
// siblings makes it quadratic.
TEST_CASE("page functions: the time to render is linear in the length") {
    const auto milliseconds = [](int elements) {
        std::string document = "<e";
        for (int i = 0; i < 50; ++i)
            document += " xmlns:n" + std::to_string(i) + "='urn:" + std::to_string(i) + "'";
        document += ">";
        for (int i = 0; i < elements; ++i)
            document +=
                "<n" + std::to_string(i % 50) + ":f a='v'>text</n" + std::to_string(i % 50) + ":f>";
        const xml::DocumentHandle source = explorer_source(document + "</e>");
        double least = 1e9;
        for (int round = 0; round < 3; ++round) {
            timespec before{}, after{};
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
            page(source);
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
            least = std::min(least, static_cast<double>(after.tv_sec - before.tv_sec) * 1e3 +
                                        static_cast<double>(after.tv_nsec - before.tv_nsec) / 1e6);
        }
        return least;
    };
    const double few = milliseconds(250);
    CHECK(milliseconds(4000) < 16 * few * 4);  // 256 times as long if it were quadratic
}
